"""When segments are joined: few rows for a term, and nothing is written many times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.index.lexical.postings import SPAN
from recollect.index.lexical.segments import Segment, plan_merge

sizes = st.lists(
    st.sampled_from((1, 2, 100, 512, 600, 2_048, 4_096, 5_000, 20_000, 40_000, SPAN)), max_size=120
)


def laid_out(sizes: list[int]) -> list[Segment]:
    """Return segments of these sizes one after the other."""
    layout: list[Segment] = []
    for size in sizes:
        start = layout[-1].end if layout else 0
        layout.append(Segment(start, start + size))
    return layout


def merged(present: list[Segment]) -> tuple[list[Segment], int]:
    """Join until nothing is due; return what is left and how many chunks were written for it."""
    chunks = 0
    while members := plan_merge(present):
        whole = Segment(members[0].first, members[-1].end)
        at = present.index(members[0])
        assert present[at : at + len(members)] == list(members)
        assert len(members) > 1
        assert whole.size <= SPAN
        present = [*present[:at], whole, *present[at + len(members) :]]
        chunks += whole.size
    return present, chunks


@given(sizes)
def test_merging_ends_with_few_segments(sizes: list[int]) -> None:
    """A term is read from a bounded number of rows, whatever the batches were."""
    present, _ = merged(laid_out(sizes))
    assert len(present) <= 4 * sum(sizes) / SPAN + 64


def test_single_messages_are_written_three_times_in_all() -> None:
    """Sealed, joined to 4,096, joined to 65,536."""
    present: list[Segment] = []
    chunks = 0
    for start in range(0, 4 * SPAN, 512):
        present, more = merged([*present, Segment(start, start + 512)])
        chunks += more
    assert [segment.size for segment in present] == [*[SPAN] * 3, *[4_096] * 16]
    assert chunks == 2 * 3 * SPAN + SPAN


def test_bulk_batches_do_not_stay_in_pieces() -> None:
    """13 segments of 5,000 fill a large one."""
    present, chunks = merged(laid_out([5_000] * 40))
    assert [segment.size for segment in present] == [65_000] * 3 + [5_000]
    assert chunks == 3 * 65_000


def test_small_segments_between_large_ones_are_joined_once() -> None:
    """No later merge would take them."""
    present, _ = merged(laid_out([SPAN, 512, 512, 512, SPAN]))
    assert [segment.size for segment in present] == [SPAN, 3 * 512, SPAN]


def test_a_large_segment_is_not_written_again_for_little() -> None:
    """Adding 512 chunks to 60,000 would cost seconds."""
    assert plan_merge(laid_out([60_000, 512, SPAN])) == ()


def test_somebody_who_waits_pays_for_small_merges_only() -> None:
    """Large ones are left to the background."""
    present = laid_out([4_096] * 17)
    assert plan_merge(present, small_only=True) == ()
    assert len(plan_merge(present)) == 16
    assert len(plan_merge(laid_out([512] * 8), small_only=True)) == 8
