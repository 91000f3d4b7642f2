"""Maximal marginal relevance, against outputs of OpenClaw 2026.9.6."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.query.shortlist import diverse_order, jaccard

TEXTS = st.sampled_from(["apple pie", "apple tart", "cherry", "今天天气", "!?", ""])


@pytest.mark.parametrize(
    ("items", "relevance", "expected"),
    [
        ([(0.9, "apple banana"), (0.85, "apple banana"), (0.1, "cherry date")], 0.0, [0, 2, 1]),
        ([(0.5, "a b"), (0.9, "c d"), (0.7, "c d")], 1.0, [1, 2, 0]),
        (
            [(0.9, "今天天气很好"), (0.88, "今天天气很好啊"), (0.6, "数据库设计方案")],
            0.5,
            [0, 1, 2],
        ),
    ],
)
def test_the_order_is_that_of_openclaw(
    items: list[tuple[float, str]], relevance: float, expected: list[int]
) -> None:
    """Its golden cases; not enabled, we do not call it at all."""
    scores, texts = [score for score, _ in items], [text for _, text in items]
    assert diverse_order(scores, texts, relevance) == expected


def test_a_repetition_moves_behind_something_else() -> None:
    """With the weight that ships."""
    texts = ["the shop opens at nine", "the shop opens at nine", "the market is on Friday"]
    assert diverse_order([0.9, 0.89, 0.8, 0.3], [*texts, "x"], 0.7)[:2] == [0, 2]


def test_texts_without_a_word_are_alike_when_they_are_equal() -> None:
    """Two rows of dots are one."""
    assert diverse_order([0.9, 0.9, 0.9], ["...", "...", "!!!"], 0.5) == [0, 2, 1]


@given(st.lists(st.tuples(st.floats(0, 1), TEXTS), max_size=12), st.floats(0, 1))
def test_every_hit_is_there_once_and_the_best_first(
    items: list[tuple[float, str]], relevance: float
) -> None:
    """Only the order changes; with relevance 1 it is by score."""
    scores, texts = [score for score, _ in items], [text for _, text in items]
    order = diverse_order(scores, texts, relevance)
    assert sorted(order) == list(range(len(items)))
    if items:
        assert scores[order[0]] == max(scores)
    assert [scores[n] for n in diverse_order(scores, texts, 1.0)] == sorted(scores, reverse=True)


def test_jaccard_is_the_share_in_common() -> None:
    """Nothing in common with nothing."""
    one, other = frozenset("abc"), frozenset("bcd")
    assert jaccard(one, other) == 0.5
    assert jaccard(one, one) == 1.0
    assert jaccard(frozenset(), frozenset()) == 0.0
