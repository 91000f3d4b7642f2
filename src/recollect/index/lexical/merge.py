"""Merging: neighbouring segments become one, so that a term is read from few rows.

A merge moves a few hundred terms per transaction, so that no other write waits for it, and may be
killed between any two of them: rows of postings say themselves where they belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise

import numpy as np

from recollect.core.errors import StoreCorrupt
from recollect.index.lexical import postings
from recollect.index.lexical.checksum import without_sum
from recollect.index.lexical.postings import SPAN
from recollect.index.lexical.segments import (
    Segment,
    add_segment,
    joined,
    rows_between,
    segments,
)
from recollect.index.report import Watch
from recollect.store.cell import blob
from recollect.store.engine import Database, Transaction

SMALL, FAN, FEW = 4_096, 8, 4
"""Sealed tails become segments of up to this many chunks when there are eight of them, or four that
nothing can join any more: a message is written twice so, and once more for a large segment."""
LARGE = SPAN
"""Neighbours that fill a large segment become one."""
MERGE_TERMS = 400
"""Terms per transaction of a merge: 5 to 15 ms of the write lock (bench load, write latency)."""


def plan_merge(present: Sequence[Segment], *, small_only: bool = False) -> tuple[Segment, ...]:
    """Return the neighbouring segments to join next, empty when nothing is due.

    Args:
        present: The segments of a partition in order.
        small_only: Only what takes a moment, because somebody waits for it.
    """
    for run, can_grow in _runs(present, SMALL):
        if len(run) >= (FAN if can_grow else FEW):
            return tuple(run)
    for run, can_grow in () if small_only else _runs(present, LARGE):
        # Most of it in one segment already would be much work for little.
        if not can_grow and 2 * max(segment.size for segment in run) <= run[-1].end - run[0].first:
            return tuple(run)
    return ()


def _runs(present: Sequence[Segment], size: int) -> Iterator[tuple[list[Segment], bool]]:
    """Yield runs of neighbours, each smaller than ``size``, that together span at most that.

    With each comes whether more neighbours can join it later: only the last one can grow.
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
        partition: Whose segments.
        members: At least two neighbours, in order, spanning at most `SPAN` chunks.
    """

    def __init__(self, partition: int, members: Sequence[Segment]) -> None:
        self._partition = partition
        self._members = members
        self._whole = Segment(members[0].first, members[-1].end)

    def run(self, database: Database, watch: Watch) -> bool:
        """Move all terms, then the records; return False when it was asked to stop before."""
        terms = database.read(self._terms)
        edges = [*range(0, len(terms), MERGE_TERMS), len(terms)]
        for start, end in pairwise(edges):
            if watch.stopping():
                return False
            database.write(partial(self._move, terms=terms[start:end]))
        database.write(partial(self._join_records, terms=terms))
        return True

    def _terms(self, tx: Transaction) -> list[int]:
        """Return the terms that may stand in any of the segments, ascending."""
        found = [np.frombuffer(terms, "<u4") for _, terms in self._rows(tx)]
        return np.unique(np.concatenate(found)).tolist() if found else []

    def _move(self, tx: Transaction, terms: Sequence[int]) -> None:
        first = self._whole.first
        for term in terms:
            rows = rows_between(tx, term, first, self._whole.end - 1)
            target = postings.key(term, first)
            if not rows or (len(rows) == 1 and rows[0][0] == target):
                continue
            with suppress(StoreCorrupt):  # damaged rows stay apart, where they are told
                data = joined(rows, first)
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
        rows = tx.rows(
            "SELECT layout, terms FROM segments"
            " WHERE partition_id = ? AND first_chunk >= ? AND first_chunk < ? ORDER BY first_chunk",
            (self._partition, self._whole.first, self._whole.end),
        )
        return [(without_sum(blob(records)), blob(terms)) for records, terms in rows]
