"""The tail: new chunks wait here, one row each, until there are enough for a segment.

A single message so costs one small row, not a posting in each of its terms' rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from recollect.index.lexical.postings import TAIL_BYTES, Occurrences, with_sum, without_sum
from recollect.index.lexical.segments import SegmentRun, sealed_end, write_segments
from recollect.index.model.chunk_record import (
    LAYOUT,
    NUMBER_MASK,
    Records,
    chunk_id,
    chunk_ids,
    decode,
)
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import Transaction

SEAL_CHUNKS = 512
"""The tail is sealed at this size: it is what a cold process reads row by row."""
SEAL_ENTRIES = 60_000
"""... or at this many postings, which bounds the scan of the tail for chunks of 400 tokens."""


class TailRow(msgspec.Struct, frozen=True):
    """A chunk that no segment holds yet; blobs as in the tables."""

    number: int
    layout: bytes
    postings: bytes


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
        (chunk_id(partition, run.first + place), layouts[place], with_sum(data, layouts[place]))
        for place, data in enumerate(blobs)
    ]
    tx.executemany("INSERT INTO tail (id, layout, postings) VALUES (?, ?, ?)", rows)


def _with_tail(run: SegmentRun, start: int, waiting: list[TailRow]) -> SegmentRun:
    """Return the chunks from ``start`` on as one run; removed ones among them stay empty."""
    records = np.zeros(run.end - start, LAYOUT)
    for row in waiting:
        records[row.number - start] = decode(row.layout)[0]
    records[run.first - start :] = run.records
    return SegmentRun(start, records, entries_of(waiting).followed_by(run.entries))


def _waiting_entries(tx: Transaction, partition: int) -> int:
    row = tx.row(
        "SELECT coalesce(sum(length(postings)), 0) FROM tail WHERE id BETWEEN ? AND ?",
        chunk_ids(partition),
    )
    return first_integer(row) // TAIL_BYTES
