"""Chunks of one partition as columns in memory, linked to their neighbours.

A chunk's number is its row. Neighbours are the chunks before and after it in its group, by order.
Sums are kept in whole numbers, so that they do not depend on the order of inserts and removals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import LAYOUT, Ints, Mask, Records
from recollect.index.model.document import SOURCES

NOBODY = -1
"""The neighbour of a chunk at the edge; as an index it is the spare last row of every column."""

BULK_LINKS = 512
"""From this many new chunks on, relinking all by one sort is faster than one by one."""

_COLUMNS = (*LAYOUT.names,) if LAYOUT.names else ()


class ChunkArrays:
    """Columns of `LAYOUT` with ``alive``, ``before``, ``after`` and ``context`` beside them.

    ``context`` is four times the length of a chunk with its neighbours' heads, as the ranking
    counts them: own length 1, the head before it 3/4, other heads 1/4 (see `lexical.bm25`).
    Every column has one spare row at the end for `NOBODY` and is valid until the next `append`.
    `totals` holds the sums per source.
    """

    def __init__(self) -> None:
        self.count = 0
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros(1, LAYOUT[name]) for name in _COLUMNS
        }
        self.alive: Mask = np.zeros(1, np.bool_)
        self.before: NDArray[np.int32] = np.full(1, NOBODY, np.int32)
        self.after: NDArray[np.int32] = np.full(1, NOBODY, np.int32)
        self.context: NDArray[np.int64] = np.zeros(1, np.int64)
        self.groups = GroupArrays()
        self.totals = Totals()

    @property
    def capacity(self) -> int:
        """Rows before the spare one."""
        return len(self.alive) - 1

    def append(self, records: Records, removed: Ints) -> None:
        """Add chunks with the numbers ``count`` and up, and link them to their neighbours.

        Args:
            records: One for each chunk.
            removed: Those of the numbers that are gone already; their records mean nothing.
        """
        start, end = self.count, self.count + len(records)
        self._reserve(end)
        self.groups.reserve(int(records["group"].max(initial=-1)) + 1)
        for name in _COLUMNS:
            self.columns[name][start:end] = records[name]
        self.alive[start:end] = True
        self.alive[removed] = False
        self.count = end
        living = start + np.flatnonzero(self.alive[start:end])
        self.groups.source[self.columns["group"][living]] = self.columns["source"][living]
        if len(living) >= BULK_LINKS or not start:
            self.relink()
            return
        for number in living.tolist():
            self._link(number)

    def records(self, numbers: Ints) -> Records:
        """Return the records of some chunks."""
        records = np.empty(len(numbers), LAYOUT)
        for name in _COLUMNS:
            records[name] = self.columns[name][numbers]
        return records

    def kill(self, numbers: Ints) -> None:
        """Take removed chunks out of links and sums; dead ones are passed over."""
        numbers = numbers[self.alive[numbers]]
        if len(numbers) >= BULK_LINKS:
            self.alive[numbers] = False
            self.relink()
            return
        for number in numbers.tolist():
            self._unlink(number)

    def relink(self) -> None:
        """Rebuild every link and sum from the columns."""
        living = np.flatnonzero(self.alive[: self.count])
        group, order = self.columns["group"][living], self.columns["order"][living]
        ranked = living[np.lexsort((living, order, group))]
        same = self.columns["group"][ranked[1:]] == self.columns["group"][ranked[:-1]]
        self.before[:] = NOBODY
        self.after[:] = NOBODY
        self.before[ranked[1:][same]] = ranked[:-1][same]
        self.after[ranked[:-1][same]] = ranked[1:][same]
        self.context[:] = 0
        self.context[living] = self._context_of(living)
        edges = ranked[np.append(~same, True)[: len(ranked)]]
        self.groups.recount(
            self.columns["group"][edges], edges, group, self.columns["length"][living]
        )
        self.totals = Totals.of(self, living)

    def around(self, numbers: NDArray[np.integer[Any]]) -> Ints:
        """Return (5, n): the chunks themselves, before, after, two before, two after."""
        around = np.empty((5, len(numbers)), np.int64)
        around[0] = numbers
        around[1], around[2] = self.before.take(numbers), self.after.take(numbers)
        around[3], around[4] = self.before.take(around[1]), self.after.take(around[2])
        return around

    def _context_of(self, numbers: Ints) -> Ints:
        heads = self.columns["head"][self.around(numbers)].astype(np.int64)
        lengths = self.columns["length"][numbers].astype(np.int64)
        context: Ints = 4 * lengths + 3 * heads[1] + heads[2] + heads[3] + heads[4]
        return context

    def _reserve(self, chunks: int) -> None:
        if chunks <= self.capacity:
            return
        size = max(1024, chunks, self.capacity + self.capacity // 2) + 1
        self.columns = {name: grown(col, size, 0) for name, col in self.columns.items()}
        self.alive = grown(self.alive, size, False)
        self.before = grown(self.before, size, NOBODY)
        self.after = grown(self.after, size, NOBODY)
        self.context = grown(self.context, size, 0)

    def _link(self, number: int) -> None:
        group, order = int(self.columns["group"][number]), int(self.columns["order"][number])
        previous, following = int(self.groups.last[group]), NOBODY
        while previous != NOBODY and int(self.columns["order"][previous]) > order:
            previous, following = int(self.before[previous]), previous
        self._join(previous, number)
        self._join(number, following)
        if following == NOBODY:
            self.groups.last[group] = number
        self._count(number, 1)
        self._refresh_around(number)

    def _unlink(self, number: int) -> None:
        group = int(self.columns["group"][number])
        previous, following = int(self.before[number]), int(self.after[number])
        if following == NOBODY:
            self.groups.last[group] = previous
        self.alive[number] = False
        self.before[number] = self.after[number] = NOBODY
        self._join(previous, following)
        self._count(number, -1)
        for edge in (previous, following):
            if edge != NOBODY:
                self._refresh_around(edge)

    def _count(self, number: int, sign: int) -> None:
        source, length = int(self.columns["source"][number]), int(self.columns["length"][number])
        group = int(self.columns["group"][number])
        was_living = self.groups.chunks[group] > 0
        self.groups.chunks[group] += sign
        self.groups.length[group] += sign * length
        self.totals.groups[source] += int(self.groups.chunks[group] > 0) - int(was_living)
        self.totals.chunks[source] += sign
        self.totals.length[source] += sign * length
        if sign < 0:
            self.totals.context[source] -= self.context[number]
            self.context[number] = 0

    def _join(self, previous: int, following: int) -> None:
        if previous != NOBODY:
            self.after[previous] = following
        if following != NOBODY:
            self.before[following] = previous

    def _refresh_around(self, number: int) -> None:
        near = {number}
        for _ in range(2):
            near |= {int(self.before[n]) for n in near} | {int(self.after[n]) for n in near}
            near.discard(NOBODY)
        numbers = np.fromiter(near, np.int64, len(near))
        fresh = self._context_of(numbers)
        np.add.at(
            self.totals.context, self.columns["source"][numbers], fresh - self.context[numbers]
        )
        self.context[numbers] = fresh


class GroupArrays:
    """Per group: source, last chunk by order, number of living chunks and their length in terms."""

    def __init__(self) -> None:
        self.last: NDArray[np.int32] = np.full(1, NOBODY, np.int32)
        self.chunks: NDArray[np.int64] = np.zeros(1, np.int64)
        self.length: NDArray[np.int64] = np.zeros(1, np.int64)
        self.source: NDArray[np.uint8] = np.zeros(1, np.uint8)

    def reserve(self, groups: int) -> None:
        """Make room for group numbers below ``groups``."""
        if groups < len(self.last):
            return
        size = max(256, groups + groups // 2) + 1
        self.last = grown(self.last, size, NOBODY)
        self.chunks = grown(self.chunks, size, 0)
        self.length = grown(self.length, size, 0)
        self.source = grown(self.source, size, 0)

    def recount(
        self, edge_groups: Ints, edges: Ints, group: Ints, lengths: NDArray[np.int32]
    ) -> None:
        """Set all columns: ``edges`` are the last chunks of ``edge_groups``."""
        self.last[:] = NOBODY
        self.last[edge_groups] = edges
        size = len(self.last)
        self.chunks = np.bincount(group, minlength=size).astype(np.int64)
        self.length = np.bincount(group, weights=lengths, minlength=size).astype(np.int64)


class Totals:
    """Sums over living chunks, one value per source: chunks, groups, length and context."""

    def __init__(self) -> None:
        self.chunks = np.zeros(len(SOURCES), np.int64)
        self.groups = np.zeros(len(SOURCES), np.int64)
        self.length = np.zeros(len(SOURCES), np.int64)
        self.context = np.zeros(len(SOURCES), np.int64)

    @classmethod
    def of(cls, arrays: ChunkArrays, living: Ints) -> Totals:
        """Return the sums over the chunks ``living``."""
        totals = cls()
        source = arrays.columns["source"][living]
        np.add.at(totals.chunks, source, 1)
        np.add.at(totals.length, source, arrays.columns["length"][living].astype(np.int64))
        np.add.at(totals.context, source, arrays.context[living])
        edges = living[arrays.after[living] == NOBODY]
        np.add.at(totals.groups, arrays.columns["source"][edges], 1)
        return totals

    def mean_context(self) -> NDArray[np.float64]:
        """Return the mean of ``context`` in terms (not in quarters) per source, at least 1."""
        return np.maximum(self.context / np.maximum(self.chunks, 1) / 4, 1.0)

    def mean_group(self) -> NDArray[np.float64]:
        """Return the mean length of a group per source, at least 1."""
        return np.maximum(self.length / np.maximum(self.groups, 1), 1.0)


def grown(column: NDArray[Any], size: int, fill: int) -> NDArray[Any]:
    """Return a longer copy of a column without its spare last row, the rest set to ``fill``."""
    longer = np.full(size, fill, column.dtype)
    longer[: len(column) - 1] = column[:-1]
    return longer
