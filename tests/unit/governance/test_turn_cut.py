"""Where a session may be cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.governance.plan import choose_cut


def test_a_cut_is_before_a_turn() -> None:
    """The first that leaves few enough."""
    assert choose_cut([1, 2, 3, 4, 5, 6], {1, 3, 5}, [], (3, 5)) == 4
    assert choose_cut([1, 2, 3, 4, 5, 6], {1, 3, 5}, [], (2, 5)) == 2


def test_a_turn_that_is_too_long_is_cut_within() -> None:
    """Rather than to lose more than half of what may stay."""
    assert choose_cut(list(range(1, 11)), {1, 10}, [], (4, 8)) == 4


def test_a_call_stays_with_its_result() -> None:
    """However far they are apart, and whichever comes first."""
    assert choose_cut([1, 2, 3, 4, 5, 6], set(), [(2, 4)], (2, 5)) == 4
    assert choose_cut([1, 2, 3, 4, 5, 6], set(), [(5, 3), (2, 3)], (2, 5)) == 5
    assert choose_cut([1, 2, 3, 4, 5, 6], set(), [(3, 6)], (4, 5)) == 2
    assert choose_cut([1, 2, 3], set(), [(1, 3)], (1, 2)) == 0


@given(st.data())
def test_no_cut_splits_a_pair_or_leaves_nothing(data: st.DataObject) -> None:
    """And where it is possible, enough goes."""
    count = data.draw(st.integers(2, 30))
    seqs = list(range(1, count + 1))
    place = st.sampled_from(seqs)
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=6))
    starts = data.draw(st.sets(place))
    most = data.draw(st.integers(1, count - 1))
    needed, latest = seqs[-1 - most], seqs[-1 - most // 2]
    cut = choose_cut(seqs, starts, pairs, (needed, latest))
    assert 0 <= cut < count
    assert all((one <= cut) == (other <= cut) for one, other in pairs)
    possible = [
        each
        for each in seqs[:-1]
        if each >= needed and all((a <= each) == (b <= each) for a, b in pairs)
    ]
    assert cut >= needed or not possible
