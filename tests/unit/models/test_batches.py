"""Which texts go together."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from recollect.models.embedding.remote import halves, plan_batches

COSTS = st.lists(st.integers(0, 50), max_size=60)


@given(tokens=COSTS, max_tokens=st.integers(1, 60), max_texts=st.integers(1, 10))
def test_batches_cover_everything_once_in_order(
    tokens: list[int], max_tokens: int, max_texts: int
) -> None:
    """No text is lost or sent twice."""
    batches = plan_batches(tokens, max_tokens=max_tokens, max_texts=max_texts)
    assert [position for batch in batches for position in batch] == list(range(len(tokens)))


@given(tokens=COSTS, max_tokens=st.integers(1, 60), max_texts=st.integers(1, 10))
def test_batches_stay_within_their_limits(
    tokens: list[int], max_tokens: int, max_texts: int
) -> None:
    """But for a text that is too large for any: it goes alone."""
    for batch in plan_batches(tokens, max_tokens=max_tokens, max_texts=max_texts):
        assert 1 <= len(batch) <= max_texts
        assert len(batch) == 1 or sum(tokens[position] for position in batch) <= max_tokens


@given(tokens=COSTS, max_tokens=st.integers(1, 60), max_texts=st.integers(1, 10))
def test_batches_are_no_smaller_than_needed(
    tokens: list[int], max_tokens: int, max_texts: int
) -> None:
    """The first text of a batch would not have fitted into the one before."""
    batches = plan_batches(tokens, max_tokens=max_tokens, max_texts=max_texts)
    for before, after in itertools.pairwise(batches):
        cost = sum(tokens[position] for position in before) + tokens[after.start]
        assert cost > max_tokens or len(before) == max_texts


@given(st.lists(st.integers(), min_size=2))
def test_halves_are_smaller_and_whole(items: list[int]) -> None:
    """So that halving comes to an end; the left one is the larger. Source: OpenClaw."""
    first_half, second_half = halves(items)
    assert [*first_half, *second_half] == items
    assert 0 <= len(first_half) - len(second_half) <= 1
    assert second_half
