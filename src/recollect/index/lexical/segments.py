"""Segments, runs of chunks whose postings are stored by term, and the tail of chunks before that.

New chunks wait in the tail, one row each, until there are enough for a segment: a single message
thus costs one small row, not a posting in each of its terms' rows. A row of `postings` says itself
to which term and segment it belongs; a row of `segments` holds the records of the chunks and the
terms that may occur in them. Neighbouring segments are joined by a `Merge`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import StoreCorrupt
from recollect.index.lexical import postings
from recollect.index.lexical.postings import (
    DAMAGED,
    SPAN,
    TAIL_BYTES,
    Occurrences,
    Postings,
    with_sum,
    without_sum,
)
from recollect.index.model.chunk_record import (
    LAYOUT,
    NUMBER_MASK,
    Ints,
    Records,
    chunk_id,
    chunk_ids,
    decode_records,
    encode_records,
)
from recollect.index.model.sync_report import Watch
from recollect.store.columns import blob, first_integer, integer, typed_rows
from recollect.store.engine import Database, Row, Transaction

SEAL_CHUNKS = 512
"""The tail is sealed at this size, because a cold process reads it row by row."""
SEAL_ENTRIES = 60_000
"""... or at this many postings, which bounds the scan of the tail for chunks of 400 tokens."""


class Segment(msgspec.Struct, frozen=True):
    """The chunk numbers from ``first`` up to ``end``, exclusive."""

    first: int
    end: int

    @property
    def size(self) -> int:
        """The number of chunk numbers it covers."""
        return self.end - self.first


class SegmentRun(msgspec.Struct, frozen=True):
    """Consecutive chunks with their records and terms."""

    first: int
    records: Records
    entries: Occurrences

    @property
    def end(self) -> int:
        """The number after the last chunk."""
        return self.first + len(self.records)


class TailRow(msgspec.Struct, frozen=True):
    """A chunk that no segment holds yet; blobs as in the tables."""

    number: int
    layout: bytes
    postings: bytes


def segments(tx: Transaction, partition: int) -> list[Segment]:
    """Return the segments of a partition in order."""
    rows = tx.all(
        "SELECT first_chunk, end_chunk FROM segments WHERE partition_id = ? ORDER BY first_chunk",
        (partition,),
    )
    return [Segment(first, end) for first, end in typed_rows(rows, tuple[int, int])]


def segments_of(tx: Transaction, generation: int) -> dict[int, list[Segment]]:
    """Return the segments of a generation in order, by partition; none of one without any."""
    rows = tx.all(
        "SELECT s.partition_id, s.first_chunk, s.end_chunk FROM partitions p"
        " JOIN segments s ON s.partition_id = p.id WHERE p.generation = ?"
        " ORDER BY s.partition_id, s.first_chunk",
        (generation,),
    )
    by_partition: dict[int, list[Segment]] = {}
    for partition, first, end in typed_rows(rows, tuple[int, int, int]):
        by_partition.setdefault(partition, []).append(Segment(first, end))
    return by_partition


def sealed_end(tx: Transaction, partition: int) -> int:
    """Return the first chunk number that no segment holds."""
    row = tx.row(
        "SELECT end_chunk FROM segments WHERE partition_id = ? ORDER BY first_chunk DESC LIMIT 1",
        (partition,),
    )
    return first_integer(row)


def sealed_records(tx: Transaction, partition: int, after: int) -> list[tuple[int, Records]]:
    """Return (first chunk, records) of the segments that hold any chunk from ``after`` on."""
    rows = tx.all(
        "SELECT first_chunk, layout FROM segments WHERE partition_id = ? AND end_chunk > ?",
        (partition, after),
    )
    layouts = typed_rows(rows, tuple[int, bytes])
    return [(first, decode_records(without_sum(data))) for first, data in layouts]


def write_segments(tx: Transaction, partition: int, run: SegmentRun) -> None:
    """Store a run that no segment holds yet, as one segment or, when it is too long, several."""
    for first in range(run.first, run.end, SPAN):
        segment = Segment(first, min(first + SPAN, run.end))
        records = run.records[first - run.first : segment.end - run.first]
        term_blobs = list(run.entries.within(first, segment.end).by_term(first))
        rows = [(postings.key(term, first), data) for term, data in term_blobs]
        tx.executemany("INSERT INTO postings (id, data) VALUES (?, ?)", rows)
        add_segment(
            tx, partition, segment, encode_records(records), [term for term, _ in term_blobs]
        )


def add_segment(
    tx: Transaction, partition: int, segment: Segment, records: bytes, terms: Sequence[int]
) -> None:
    """Store a segment: its records as `layout.encode` gives them, and its terms, ascending."""
    tx.execute(
        "INSERT INTO segments (partition_id, first_chunk, end_chunk, layout, terms)"
        " VALUES (?, ?, ?, ?, ?)",
        (
            partition,
            segment.first,
            segment.end,
            with_sum(records),
            np.array(terms, "<u4").tobytes(),
        ),
    )


def count_damaged(tx: Transaction, partition: int) -> int:
    """Return the number of damaged rows of postings."""
    return sum(
        _held(row) is None
        for (term,) in tx.all("SELECT id FROM terms WHERE partition_id = ?", (partition,))
        for row in rows_between(tx, integer(term), 0, postings.FIRST_MASK)
    )


def unsealed(tx: Transaction, terms: Iterable[int]) -> list[int]:
    """Return those of ``terms`` that no segment holds."""
    rows = tx.all(
        "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM postings"
        " WHERE id BETWEEN value << 32 AND (value << 32) + 4294967295)",
        (msgspec.json.encode(list(terms)).decode(),),
    )
    return [term for (term,) in typed_rows(rows, tuple[int])]


def rows_between(tx: Transaction, term: int, lowest: int, highest: int) -> list[Row]:
    """Return (key, blob) of a term's rows in the segments that begin within the bounds."""
    return tx.all(
        "SELECT id, data FROM postings WHERE id BETWEEN ? AND ? ORDER BY id",
        (postings.key(term, lowest), postings.key(term, highest)),
    )


def remove_postings(tx: Transaction, removed: Mapping[int, Sequence[int]]) -> None:
    """Take chunks out of sealed postings for good.

    Args:
        tx: The write transaction.
        removed: Per term the chunk numbers that held it.
    """
    for term, numbers in removed.items():
        chunks: NDArray[np.int64] = np.array(sorted(numbers), np.int64)
        lowest = max(0, int(chunks[0]) - SPAN + 1)
        for row in rows_between(tx, term, lowest, int(chunks[-1])):
            _shrink(tx, row, chunks)


def _shrink(tx: Transaction, row: Row, chunks: Ints) -> None:
    key = integer(row[0])
    row_postings = _held(row)
    if row_postings is None:
        # It may hold text to be removed; its damage is reported until a rebuild.
        tx.execute("UPDATE postings SET data = ? WHERE id = ?", (DAMAGED, key))
        return
    keep = ~np.isin(row_postings.chunks, chunks)
    if keep.all():
        return
    if not keep.any():
        tx.execute("DELETE FROM postings WHERE id = ?", (key,))
        return
    first = key & postings.FIRST_MASK
    data = postings.encode_postings(row_postings.chunks[keep] - first, row_postings.packed[keep])
    tx.execute("UPDATE postings SET data = ? WHERE id = ?", (data, key))


def decoded(row: Row) -> Postings:
    """Return the postings of a row given as (key, blob).

    Raises:
        StoreCorrupt: it is damaged.
    """
    return postings.decode_postings(integer(row[0]) & postings.FIRST_MASK, blob(row[1]))


def _held(row: Row) -> Postings | None:
    try:
        return decoded(row)
    except StoreCorrupt:
        return None


SMALL, FAN, FEW = 4_096, 8, 4
"""Sealed tails are joined into segments of up to this many chunks when there are eight of them, or
four that can no longer grow: each message is then written twice, and once more for a large
segment."""
LARGE = SPAN
"""Neighbours that fill a large segment are joined into one."""
MERGE_TERMS = 400
"""Terms per transaction of a merge: 5 to 15 ms of the write lock (bench load, write latency)."""


def plan_merge(present: Sequence[Segment], *, small_only: bool = False) -> tuple[Segment, ...]:
    """Return the neighbouring segments to join next, empty when nothing is due.

    Args:
        present: The segments of a partition in order.
        small_only: Only merges that take a moment, because a search waits.
    """
    for run, can_grow in _runs(present, SMALL):
        if len(run) >= (FAN if can_grow else FEW):
            return tuple(run)
    for run, can_grow in () if small_only else _runs(present, LARGE):
        # When one segment has most of it already, joining gains little for much work.
        if not can_grow and 2 * max(segment.size for segment in run) <= run[-1].end - run[0].first:
            return tuple(run)
    return ()


def _runs(present: Sequence[Segment], size: int) -> Iterator[tuple[list[Segment], bool]]:
    """Yield runs of neighbours, each smaller than ``size``, that together span at most that.

    With each run comes whether more neighbours can join it later: only the last one can grow.
    """
    run: list[Segment] = []
    for segment in present:
        is_small = segment.size < size
        if run and (not is_small or segment.end - run[0].first > size):
            yield run, False
            run = []
        if is_small:
            run.append(segment)
    if run:
        yield run, True


class Merge:
    """Joins neighbouring segments into one, a piece per transaction.

    Args:
        partition: The partition of the segments.
        members: At least two neighbours, in order, spanning at most `SPAN` chunks.
    """

    def __init__(self, partition: int, members: Sequence[Segment]) -> None:
        self._partition = partition
        self._members = members
        self._whole = Segment(members[0].first, members[-1].end)

    def run(self, database: Database, watch: Watch) -> bool:
        """Move all terms, then the records; return False when it was stopped before the end."""
        terms = database.read(self._terms)
        edges = [*range(0, len(terms), MERGE_TERMS), len(terms)]
        for start, end in pairwise(edges):
            if watch.stopping():
                return False
            database.write(partial(self._move, terms=terms[start:end]))
        database.write(partial(self._join_records, terms=terms))
        return True

    def _terms(self, tx: Transaction) -> list[int]:
        """Return the terms that may occur in any of the segments, ascending."""
        arrays = [np.frombuffer(terms, "<u4") for _, terms in self._rows(tx)]
        return np.unique(np.concatenate(arrays)).tolist() if arrays else []

    def _move(self, tx: Transaction, terms: Sequence[int]) -> None:
        first = self._whole.first
        for term in terms:
            rows = rows_between(tx, term, first, self._whole.end - 1)
            target = postings.key(term, first)
            if not rows or (len(rows) == 1 and rows[0][0] == target):
                continue
            with suppress(StoreCorrupt):  # damaged rows stay apart, where they are reported
                whole = postings.join([decoded(row) for row in rows])
                data = postings.encode_postings(whole.chunks - first, whole.packed)
                tx.execute("DELETE FROM postings WHERE id BETWEEN ? AND ?", (target, rows[-1][0]))
                tx.execute("INSERT INTO postings (id, data) VALUES (?, ?)", (target, data))

    def _join_records(self, tx: Transaction, terms: Sequence[int]) -> None:
        if not set(segments(tx, self._partition)).issuperset(self._members):
            return  # another process has joined them meanwhile
        records = b"".join(records for records, _ in self._rows(tx))
        tx.execute(
            "DELETE FROM segments WHERE partition_id = ? AND first_chunk >= ? AND first_chunk < ?",
            (self._partition, self._whole.first, self._whole.end),
        )
        add_segment(tx, self._partition, self._whole, records, terms)

    def _rows(self, tx: Transaction) -> list[tuple[bytes, bytes]]:
        rows = tx.all(
            "SELECT layout, terms FROM segments"
            " WHERE partition_id = ? AND first_chunk >= ? AND first_chunk < ? ORDER BY first_chunk",
            (self._partition, self._whole.first, self._whole.end),
        )
        layouts = typed_rows(rows, tuple[bytes, bytes])
        return [(without_sum(records), terms) for records, terms in layouts]


def read_tail(tx: Transaction, partition: int, start: int) -> list[TailRow]:
    """Return the waiting chunks from number ``start`` on, ascending."""
    rows = tx.all(
        "SELECT id, layout, postings FROM tail WHERE id BETWEEN ? AND ? ORDER BY id",
        chunk_ids(partition, start),
    )
    return [
        TailRow(key & NUMBER_MASK, layout, without_sum(data, layout))
        for key, layout, data in typed_rows(rows, tuple[int, bytes, bytes])
    ]


def entries_of(rows: Sequence[TailRow]) -> Occurrences:
    """Return the terms of waiting chunks."""
    return Occurrences.of_tail([(row.number, row.postings) for row in rows])


def store_run(tx: Transaction, partition: int, run: SegmentRun) -> None:
    """Store new chunks that follow the last one: in the tail, or with all of it in a segment."""
    start = sealed_end(tx, partition)
    entries = _waiting_entries(tx, partition) + len(run.entries.terms)
    if run.end - start < SEAL_CHUNKS and entries < SEAL_ENTRIES:
        _append(tx, partition, run)
        return
    write_segments(tx, partition, _with_tail(run, start, read_tail(tx, partition, start)))
    tx.execute("DELETE FROM tail WHERE id BETWEEN ? AND ?", chunk_ids(partition))


def store_records(tx: Transaction, partition: int, first: int, records: Records) -> None:
    """Store new chunks whose words are kept elsewhere; see `store_run`."""
    empty = [0] * len(records)
    store_run(tx, partition, SegmentRun(first, records, Occurrences.count([], empty, empty, first)))


def _append(tx: Transaction, partition: int, run: SegmentRun) -> None:
    blobs = run.entries.by_chunk(run.first, len(run.records))
    layouts = [record.tobytes() for record in run.records]
    rows = [
        (
            chunk_id(partition, run.first + position),
            layouts[position],
            with_sum(data, layouts[position]),
        )
        for position, data in enumerate(blobs)
    ]
    tx.executemany("INSERT INTO tail (id, layout, postings) VALUES (?, ?, ?)", rows)


def _with_tail(run: SegmentRun, start: int, waiting: list[TailRow]) -> SegmentRun:
    """Return the chunks from ``start`` on as one run; removed ones among them stay empty."""
    records = np.zeros(run.end - start, LAYOUT)
    for row in waiting:
        records[row.number - start] = decode_records(row.layout)[0]
    records[run.first - start :] = run.records
    return SegmentRun(start, records, entries_of(waiting).followed_by(run.entries))


def _waiting_entries(tx: Transaction, partition: int) -> int:
    row = tx.row(
        "SELECT coalesce(sum(length(postings)), 0) FROM tail WHERE id BETWEEN ? AND ?",
        chunk_ids(partition),
    )
    return first_integer(row) // TAIL_BYTES
