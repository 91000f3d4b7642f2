"""Segments: runs of chunks whose postings are stored by term.

New chunks wait in `tail`; `seal` turns them into a small segment, `merge` joins neighbouring ones.
A merge moves a few hundred terms per transaction, so that no other write waits for it, and may be
killed between any two of them: rows of postings say themselves where they belong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.lexical import postings
from recollect.index.lexical.postings import SPAN, Occurrences, Postings
from recollect.store.cell import blob, integer
from recollect.store.engine import Row, Transaction

SEAL_CHUNKS = 512
"""The tail is sealed at this size: it is what a cold process reads row by row."""
SEAL_ENTRIES = 60_000
"""... or at this many postings, which bounds the scan of the tail for chunks of 400 tokens."""
TIERS = ((4_096, 8), (SPAN, 16))
"""(size of a merged segment, how many make one): 8 x 512 become 4,096, 16 of those 65,536."""
MERGE_TERMS = 400
"""Terms per transaction of a merge: 5 to 15 ms of the write lock (bench load, write latency)."""


class Segment(msgspec.Struct, frozen=True):
    """The chunk numbers from ``first`` up to, not including, ``end``."""

    first: int
    end: int


def segments(tx: Transaction, partition: int) -> list[Segment]:
    """Return the segments of a partition in order."""
    rows = tx.rows(
        "SELECT first_chunk, end_chunk FROM segments WHERE partition_id = ? ORDER BY first_chunk",
        (partition,),
    )
    return [Segment(integer(first), integer(end)) for first, end in rows]


def sealed_end(tx: Transaction, partition: int) -> int:
    """Return the first chunk number that no segment holds."""
    row = tx.row(
        "SELECT end_chunk FROM segments WHERE partition_id = ? ORDER BY first_chunk DESC LIMIT 1",
        (partition,),
    )
    return integer(row[0]) if row else 0


def write_segment(
    tx: Transaction, partition: int, segment: Segment, layout: bytes, found: Occurrences
) -> None:
    """Store the postings and records of a run of chunks that no segment holds yet."""
    terms: list[int] = []

    def rows() -> Iterator[tuple[int, bytes]]:
        for term, data in found.by_term(segment.first):
            terms.append(term)
            yield postings.key(term, segment.first), data

    tx.executemany("INSERT INTO postings (id, data) VALUES (?, ?)", rows())
    tx.execute(
        "INSERT INTO segments (partition_id, first_chunk, end_chunk, layout, terms)"
        " VALUES (?, ?, ?, ?, ?)",
        (partition, segment.first, segment.end, layout, np.array(terms, "<u4").tobytes()),
    )


def plan_merge(present: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the neighbouring segments to join next, empty when nothing is due."""
    for size, fan in TIERS:
        for run in _runs(present, size):
            if len(run) >= fan:
                return tuple(run)
    return ()


def _runs(present: Sequence[Segment], size: int) -> Iterator[list[Segment]]:
    """Yield runs of neighbours, each smaller than ``size``, that together span at most that."""
    run: list[Segment] = []
    for segment in present:
        small = segment.end - segment.first < size
        if run and (not small or segment.end - run[0].first > size):
            yield run
            run = []
        if small:
            run.append(segment)
    yield run


class Merge:
    """Joins neighbouring segments into one, a piece per transaction.

    Args:
        partition: Whose segments.
        members: At least two neighbours, in order, spanning at most `SPAN` chunks.
    """

    def __init__(self, partition: int, members: Sequence[Segment]) -> None:
        self._partition = partition
        self._members = members
        self._whole = Segment(members[0].first, members[-1].end)

    def run(self, write: Callable[[Callable[[Transaction], None]], None], terms: Sequence[int]) -> None:
        """Move all ``terms`` (see `terms_of`), then the records; ``write`` commits each piece."""
        edges = [*range(0, len(terms), MERGE_TERMS), len(terms)]
        for start, end in pairwise(edges):
            piece = terms[start:end]
            write(lambda tx, piece=piece: self._move(tx, piece))  # type: ignore[misc]  # late binding
        write(lambda tx: self._join_records(tx, terms))

    def terms_of(self, tx: Transaction) -> list[int]:
        """Return the terms that stand in any of the segments, ascending."""
        blobs = [self._blob(tx, segment, terms=True) for segment in self._members]
        parts = [np.frombuffer(blob, "<u4") for blob in blobs]
        found: list[int] = np.unique(np.concatenate(parts)).tolist()
        return found

    def _move(self, tx: Transaction, terms: Sequence[int]) -> None:
        first = self._whole.first
        for term in terms:
            target = postings.key(term, first)
            rows = list(tx.rows(_ROWS_BETWEEN, (target, postings.key(term, self._whole.end - 1))))
            if not rows or (len(rows) == 1 and rows[0][0] == target):
                continue
            parts = [_row(row) for row in rows]
            joined = postings.join(parts)
            data = postings.encode(joined.chunks - first, joined.packed)
            tx.execute("DELETE FROM postings WHERE id BETWEEN ? AND ?", (target, rows[-1][0]))
            tx.execute("INSERT INTO postings (id, data) VALUES (?, ?)", (target, data))

    def _join_records(self, tx: Transaction, terms: Sequence[int]) -> None:
        present = set(segments(tx, self._partition))
        if not present.issuperset(self._members):
            return  # another process has joined them meanwhile
        layout = b"".join(self._blob(tx, segment, terms=False) for segment in self._members)
        bounds = (self._partition, self._whole.first, self._whole.end)
        tx.execute(
            "DELETE FROM segments"
            " WHERE partition_id = ? AND first_chunk >= ? AND first_chunk < ?", bounds
        )
        tx.execute(
            "INSERT INTO segments (partition_id, first_chunk, end_chunk, layout, terms)"
            " VALUES (?, ?, ?, ?, ?)",
            (*bounds, layout, np.array(terms, "<u4").tobytes()),
        )

    def _blob(self, tx: Transaction, segment: Segment, *, terms: bool) -> bytes:
        row = tx.row(
            "SELECT terms, layout FROM segments WHERE partition_id = ? AND first_chunk = ?",
            (self._partition, segment.first),
        )
        return blob(row[0 if terms else 1]) if row else b""


_ROWS_BETWEEN = "SELECT id, data FROM postings WHERE id BETWEEN ? AND ? ORDER BY id"


def _row(row: Row) -> Postings:
    return postings.decode(integer(row[0]) & postings.FIRST_MASK, blob(row[1]))


def read_postings(tx: Transaction, term: int) -> list[Postings]:
    """Return the sealed postings of a term, one value per row, ascending by chunk."""
    bounds = (postings.key(term, 0), postings.key(term, postings.FIRST_MASK))
    return [_row(row) for row in tx.rows(_ROWS_BETWEEN, bounds)]


def remove_postings(tx: Transaction, removed: dict[int, list[int]]) -> None:
    """Take chunks out of sealed postings for good.

    Args:
        tx: The write transaction.
        removed: Per term the chunk numbers that held it.
    """
    for term, numbers in removed.items():
        gone: NDArray[np.int64] = np.array(sorted(numbers), np.int64)
        lowest = max(0, int(gone[0]) - SPAN + 1)
        bounds = (postings.key(term, lowest), postings.key(term, int(gone[-1])))
        for row in list(tx.rows(_ROWS_BETWEEN, bounds)):
            _shrink(tx, row, gone)


def _shrink(tx: Transaction, row: Row, gone: NDArray[np.int64]) -> None:
    held = _row(row)
    keep = ~np.isin(held.chunks, gone)
    if keep.all():
        return
    key = integer(row[0])
    if not keep.any():
        tx.execute("DELETE FROM postings WHERE id = ?", (key,))
        return
    first = key & postings.FIRST_MASK
    data = postings.encode(held.chunks[keep] - first, held.packed[keep])
    tx.execute("UPDATE postings SET data = ? WHERE id = ?", (data, key))
