"""Columns of chunks: links and sums do not depend on how they came about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.index.model import chunk_arrays
from recollect.index.model.chunk_arrays import NOBODY, ChunkArrays
from recollect.index.model.chunk_record import LAYOUT, Records

GROUPS = 4
NOTHING = np.zeros(0, np.int64)

chunk = st.tuples(
    st.integers(0, GROUPS - 1), st.integers(0, 20), st.integers(0, 90), st.integers(0, 35)
)
batches = st.lists(
    st.tuples(st.lists(chunk, max_size=9), st.lists(st.integers(0, 60), max_size=6)), max_size=8
)


def records(chunks: list[tuple[int, int, int, int]]) -> Records:
    """Return records of (group, order, length, head); a group is of one source."""
    rows = np.zeros(len(chunks), LAYOUT)
    for position, (group, order, length, head) in enumerate(chunks):
        rows[position]["group"], rows[position]["order"] = group, order
        rows[position]["length"], rows[position]["head"] = length, head
        rows[position]["source"] = group % 2
    return rows


def append(arrays: ChunkArrays, *chunks: tuple[int, int, int, int]) -> None:
    """Add chunks given as (group, order, length, head)."""
    arrays.append(records(list(chunks)), NOTHING)


def links(arrays: ChunkArrays, number: int) -> tuple[int, int]:
    """Return the neighbours of a chunk."""
    return int(arrays.before[number]), int(arrays.after[number])


def assert_as_if_sorted(arrays: ChunkArrays) -> None:
    """Compare every link and sum with those of one sort of all living chunks."""
    again = ChunkArrays()
    again.append(arrays_records(arrays), np.flatnonzero(~arrays.alive[: arrays.count]))
    again.relink()
    count = arrays.count
    assert arrays.before[:count].tolist() == again.before[:count].tolist()
    assert arrays.after[:count].tolist() == again.after[:count].tolist()
    assert arrays.context[:count].tolist() == again.context[:count].tolist()
    for column in ("last", "chunks", "length"):
        ours, theirs = getattr(arrays.groups, column), getattr(again.groups, column)
        assert ours[:GROUPS].tolist() == theirs[:GROUPS].tolist()
    for column in ("chunks", "groups", "length", "context"):
        assert getattr(arrays.totals, column).tolist() == getattr(again.totals, column).tolist()


def arrays_records(arrays: ChunkArrays) -> Records:
    """Return the records that the columns hold."""
    rows = np.zeros(arrays.count, LAYOUT)
    for name in LAYOUT.names or ():
        rows[name] = arrays.columns[name][: arrays.count]
    return rows


@given(batches=batches, bulk=st.sampled_from((3, 1_000)))
@settings(deadline=None, max_examples=150)
def test_links_and_sums_do_not_depend_on_the_order_of_events(
    batches: list[tuple[list[tuple[int, int, int, int]], list[int]]], bulk: int
) -> None:
    """One by one and by one sort give the same, through any inserts and removals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk_arrays, "BULK_LINKS", bulk)
        arrays = ChunkArrays()
        for chunks, killed in batches:
            append(arrays, *chunks)
            there = sorted({number for number in killed if number < arrays.count})
            arrays.kill(np.array(there, np.int64))
            assert_as_if_sorted(arrays)


def test_a_late_chunk_is_linked_where_its_order_says() -> None:
    """Messages may be indexed in any order."""
    arrays = ChunkArrays()
    append(arrays, (0, 10, 5, 5), (0, 30, 5, 5), (0, 20, 5, 5))
    assert [links(arrays, n) for n in range(3)] == [(NOBODY, 2), (2, NOBODY), (0, 1)]


def test_chunks_of_other_groups_are_no_neighbours() -> None:
    """The end of one session says nothing about the beginning of the next."""
    arrays = ChunkArrays()
    append(arrays, (0, 1, 5, 5), (1, 2, 5, 5))
    assert links(arrays, 0) == links(arrays, 1) == (NOBODY, NOBODY)


def test_a_chunk_that_was_gone_before_it_was_seen_is_never_linked() -> None:
    """Its record may be empty, and then looks like a chunk of group 0 of the first source."""
    arrays = ChunkArrays()
    arrays.append(records([(0, 0, 0, 0), (1, 1, 7, 7)]), np.array([0]))
    assert arrays.totals.groups.tolist() == [0, 1, 0, 0, 0]
    assert arrays.groups.chunks[:2].tolist() == [0, 1]


def test_killing_the_dead_again_changes_nothing() -> None:
    """A removal may be told twice."""
    arrays = ChunkArrays()
    append(arrays, (0, 1, 5, 5), (0, 2, 5, 5))
    arrays.kill(np.array([0]))
    arrays.kill(np.array([0]))
    assert arrays.totals.chunks.sum() == 1


def test_room_grows_with_chunks_and_groups() -> None:
    """Columns are longer than their content, and keep it when they grow."""
    arrays = ChunkArrays()
    for number in range(1_500):
        append(arrays, (number, 1, 5, 5))
    assert arrays.count == 1_500
    assert arrays.capacity >= 1_500
    assert arrays.columns["group"][:1_500].tolist() == list(range(1_500))
    assert arrays.totals.mean_group().tolist() == [5.0, 5.0, 1.0, 1.0, 1.0]
