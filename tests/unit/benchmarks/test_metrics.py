"""Measures of a ranked list: known values, and laws for any list."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measure.metrics import (
    all_at,
    first_occurrences,
    hit_at,
    map_to_sessions,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    score_ranking,
)

KEYS = st.integers(0, 30).map(str)
RANKED = st.lists(KEYS, max_size=60)
GOLD = st.lists(KEYS, min_size=1, max_size=15, unique=True)


def test_known_values() -> None:
    """Worked by hand: gold at ranks 2 and 4 of five."""
    ranked, gold = ["x", "a", "y", "b", "z"], ["a", "b"]

    assert recall_at(ranked, gold, 3) == 0.5
    assert (hit_at(ranked, gold, 1), hit_at(ranked, gold, 2)) == (0.0, 1.0)
    assert (all_at(ranked, gold, 3), all_at(ranked, gold, 4)) == (0.0, 1.0)
    assert reciprocal_rank(ranked, gold) == 0.5
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert ndcg_at(ranked, gold, 10) == pytest.approx(gained / (1 + 1 / math.log2(3)))


def test_nothing_found_is_zero_everywhere() -> None:
    """An empty answer is a bad answer, not an error."""
    assert set(score_ranking([], ["a"]).values()) == {0.0}


def test_ideal_of_ndcg_stops_at_the_depth() -> None:
    """Protocol C.1: ideal is min(number of gold, 10)."""
    gold = [str(number) for number in range(25)]

    assert ndcg_at(gold, gold, 10) == pytest.approx(1.0)


@given(RANKED, GOLD)
def test_measures_are_shares(ranked: list[str], gold: list[str]) -> None:
    """Every measure is in [0, 1]."""
    assert all(0.0 <= score <= 1.0 + 1e-12 for score in score_ranking(ranked, gold).values())


@given(RANKED, GOLD)
def test_recall_grows_with_depth_and_lies_between_all_and_hit(
    ranked: list[str], gold: list[str]
) -> None:
    """Every measure in its place: all <= recall <= hit, and deeper never finds less."""
    scores = score_ranking(ranked, gold)

    assert scores["R@1"] <= scores["R@5"] <= scores["R@10"] <= scores["R@20"] <= scores["R@50"]
    assert scores["all@10"] <= scores["R@10"]
    assert scores["R@5"] <= scores["hit@5"]
    assert scores["hit@1"] <= scores["MRR"]


@given(GOLD, RANKED)
def test_gold_in_front_is_perfect(gold: list[str], rest: list[str]) -> None:
    """Up to the depth of each measure."""
    scores = score_ranking([*gold, *rest], gold)

    assert scores["MRR"] == scores["hit@1"] == 1.0
    assert scores["nDCG@10"] == pytest.approx(1.0)
    assert scores["R@20"] == 1.0


@given(RANKED, GOLD, st.data())
def test_moving_gold_forward_never_hurts(
    ranked: list[str], gold: list[str], data: st.DataObject
) -> None:
    """Swapping a relevant key with the irrelevant one before it."""
    ranked = first_occurrences(ranked)
    swaps = [
        position
        for position in range(1, len(ranked))
        if ranked[position] in gold and ranked[position - 1] not in gold
    ]
    if not swaps:
        return
    position = data.draw(st.sampled_from(swaps))
    better = list(ranked)
    better[position - 1], better[position] = better[position], better[position - 1]

    before, after = score_ranking(ranked, gold), score_ranking(better, gold)
    assert all(after[name] >= before[name] - 1e-12 for name in before)


@given(RANKED, GOLD)
def test_repeated_keys_count_once(ranked: list[str], gold: list[str]) -> None:
    """Several chunks of one document are one place in the list."""
    assert score_ranking([*ranked, *ranked], gold) == score_ranking(ranked, gold)


@given(RANKED)
def test_sessions_stand_where_their_best_turn_is(turns: list[str]) -> None:
    """Mapping by first occurrence keeps the order of best turns."""
    session_of = {str(number): f"s{number // 5}" for number in range(31)}

    sessions = map_to_sessions(turns, session_of)

    assert sessions == first_occurrences(session_of[turn] for turn in turns)
    assert set(sessions) == {session_of[turn] for turn in turns}
