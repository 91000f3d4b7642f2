"""A partition as a reader holds it: chunk arrays, the tail's postings, names and codes in memory.

`refresh` brings it to the state of a read transaction, so that what lies in memory and what the
same transaction reads from the tables belong to one snapshot, whichever process wrote it.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from recollect.index.lexical.choice import DEFAULT, backend
from recollect.index.lexical.segments import TailRow, read_tail, sealed_end, sealed_records
from recollect.index.model import chunk_record
from recollect.index.model.annotations import Annotations
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import (
    LAYOUT,
    Floats,
    Ints,
    Records,
    damaged_records,
    decode,
)
from recollect.index.model.document import SOURCES
from recollect.index.model.speakers import Names
from recollect.index.model.visibility import ChunkGroups
from recollect.index.query.question import Question, analyse
from recollect.index.vectors.codes import CodeMatrix
from recollect.index.vectors.port import NearScan
from recollect.index.vectors.vector_index import Held, VectorIndex
from recollect.index.vectors.vector_rows import HeldVectors
from recollect.store.columns import text, typed_rows
from recollect.store.engine import Transaction
from recollect.text.terms import terms

if TYPE_CHECKING:  # only where a question names times
    from recollect.text.times.ranges import TimeRange

OWNERS = ("agent", "user", "project", "speaker")
"""Columns of `layout` that hold numbers of names."""


class Partition:
    """One tenant of one generation.

    Hold `lock` from before the read transaction begins until it ends: memory only goes forward, so
    a transaction must not be older than the one that refreshed last.

    Args:
        number: The row of `partitions`.
        dimensions: Size of the vectors; 0 without an embedder.
        lexical: What finds words, by name.
        near: What finds near vectors; the codes alone if not given.
    """

    def __init__(
        self,
        number: int,
        dimensions: int,
        lexical: str = DEFAULT,
        near: VectorIndex | None = None,
    ) -> None:
        self.number = number
        self.first_id = chunk_record.chunk_id(number, 0)
        self.dimensions = dimensions
        self._backend = backend(lexical)
        self._near = near
        self.lock = threading.Lock()
        self._empty()

    def _empty(self) -> None:
        self.arrays = ChunkArrays()
        self.names = Names()
        self.annotations = Annotations(self.number)
        self.groups = ChunkGroups(self.number)
        self.codes = CodeMatrix(self.dimensions) if self.dimensions else None
        self.vectors = HeldVectors(self.number, self.dimensions) if self.dimensions else None
        self.words = self._backend.reader(self.number)
        self._asked: tuple[str, tuple[TimeRange, ...], Question] | None = None
        self.revision = -1
        self._tail: list[TailRow] = []
        self._removals_read = 0

    def refresh(self, tx: Transaction) -> None:
        """Take in what was committed since the last look."""
        found = tx.all(
            "SELECT revision, chunks, groups FROM partitions WHERE id = ?", (self.number,)
        )
        for revision, count, groups in typed_rows(found, tuple[int, int, int]):
            if revision == self.revision:
                return
            try:
                self._take_in(tx, count, groups)
            except BaseException:
                self._empty()  # never go on with half of a state
                raise
            self.revision = revision

    def scan(self, tx: Transaction, vector: Floats) -> NearScan | None:
        """Return what is near to ``vector``, or None without vectors."""
        if self.codes is None:
            return None
        if self._near is None:
            return self.codes.scan(vector, self.arrays.count)
        return self._near.scan(tx, Held(self.number, self.codes, self.arrays.count), vector)

    def question(self, query: str, times: tuple[TimeRange, ...]) -> Question:
        """Return what ``query`` asks for, by the names that are known; it is kept for `taken`.

        Relative times after all that is known have no effect: their words stay in the question.
        """
        if self._asked is None or self._asked[:2] != (query, times):
            newest = int(self.arrays.columns["at"].max()) if times else 0
            heard = [each for each in times if not each.is_relative or each.since <= newest]
            self._asked = query, times, analyse(query, self.names, heard)
        return self._asked[2]

    def taken(self, query: str, times: tuple[TimeRange, ...]) -> Question:
        """Return what `question` does, and keep no question of a user."""
        found, self._asked = self.question(query, times), None
        return found

    def terms_of(self, tx: Transaction, number: int) -> list[str]:
        """Return the terms of a chunk, in order."""
        row = tx.row("SELECT text FROM chunks WHERE id = ?", (self.first_id + number,))
        return terms(text(row[0])) if row else []

    def _take_in(self, tx: Transaction, count: int, groups: int) -> None:
        known, self._asked = self.arrays.count, None
        self.names.refresh(tx, self.number)
        self.groups.refresh(tx)
        gone = self._new_removals(tx)
        self._read_tail(tx, known)
        if count > known:
            records = self._records(tx, known, count)
            wrong = (records["group"] < 0) | (records["group"] >= max(1, groups))
            if (wrong | (records["source"] >= len(SOURCES))).any():
                raise damaged_records()  # they would lead out of the arrays
            self.arrays.append(records, gone[gone >= known])
        self.annotations.refresh(tx, known, gone)
        self._remove(tx, gone[gone < known])
        if self.codes and self.vectors:
            self.vectors.forget(self.codes.refresh(tx, self.number, count))
            self.vectors.forget(gone)
            self.codes.forget(gone)

    def _new_removals(self, tx: Transaction) -> Ints:
        found = tx.all(
            "SELECT id, chunk FROM removals WHERE partition_id = ? AND id > ? ORDER BY id",
            (self.number, self._removals_read),
        )
        rows = typed_rows(found, tuple[int, int])
        if rows:
            self._removals_read = rows[-1][0]
        return np.array([chunk for _, chunk in rows], np.int64)

    def _read_tail(self, tx: Transaction, known: int) -> None:
        end = sealed_end(tx, self.number)
        self._tail = [row for row in self._tail if row.number >= end]
        self._tail += read_tail(tx, self.number, max(known, end))
        self.words.hold(self._tail)

    def _records(self, tx: Transaction, known: int, count: int) -> Records:
        """Return the records of the chunks from ``known`` on; of removed ones they may be empty."""
        records = np.zeros(count - known, LAYOUT)
        for first, held in sealed_records(tx, self.number, known):
            start = max(first, known)
            records[start - known : first + len(held) - known] = held[start - first :]
        for row in self._tail:
            if row.number >= known:
                records[row.number - known] = decode(row.layout)[0]
        return records

    def _remove(self, tx: Transaction, gone: Ints) -> None:
        if not len(gone):
            return
        self.arrays.kill(gone)
        dead = set(gone.tolist())
        self._tail = [row for row in self._tail if row.number not in dead]
        self.words.hold(self._tail)
        owners = np.unique(np.concatenate([self.arrays.columns[column][gone] for column in OWNERS]))
        self.names.forget_missing(tx, owners.tolist())
