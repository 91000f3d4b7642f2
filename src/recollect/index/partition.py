"""A partition as a reader holds it: chunk arrays, the tail's postings, names and codes in memory.

`refresh` brings it to the state of a read transaction, so that what lies in memory and what the same
transaction reads from the tables belong to one snapshot, whichever process wrote it.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from recollect.index import layout
from recollect.index.chunk_arrays import ChunkArrays
from recollect.index.layout import LAYOUT, Ints, Mask, decode
from recollect.index.lexical.bm25 import QueryTerm
from recollect.index.lexical.dictionary import Dictionary
from recollect.index.lexical.postings import Occurrences, Postings
from recollect.index.lexical.segments import read_postings, sealed_end
from recollect.index.names import Names
from recollect.index.vectors.code_matrix import CodeMatrix
from recollect.index.writer import TailRow, read_tail
from recollect.store.cell import blob, integer, text
from recollect.store.engine import Transaction
from recollect.text.terms import terms


class Partition:
    """One tenant of one generation. Hold `lock` while refreshing and reading it.

    Args:
        number: The row of `partitions`.
        dimensions: Size of the vectors; 0 without an embedder.
    """

    def __init__(self, number: int, dimensions: int) -> None:
        self.number = number
        self.dimensions = dimensions
        self.lock = threading.Lock()
        self.arrays = ChunkArrays()
        self.names = Names()
        self.codes = CodeMatrix(dimensions) if dimensions else None
        self._revision = -1
        self._tail: list[TailRow] = []
        self._tail_entries = Occurrences.of_tail([])
        self._removals_read = 0

    def refresh(self, tx: Transaction) -> None:
        """Take in what was committed since the last look."""
        row = tx.row("SELECT revision, chunks FROM partitions WHERE id = ?", (self.number,))
        if row is None or integer(row[0]) == self._revision:
            return
        count = integer(row[1])
        self._refresh_chunks(tx, count)
        self.names.refresh(tx, self.number)
        gone = self._refresh_removals(tx)
        if self.codes:
            self.codes.refresh(tx, self.number, count)
            self.codes.forget(gone)
        self._revision = integer(row[0])

    def query_term(self, tx: Transaction, term: str, weight: float = 1.0) -> QueryTerm:
        """Return a term with all its postings, sealed and waiting."""
        found = Dictionary(self.number).find(tx, (term,))
        rows = read_postings(tx, found[term]) if term in found else []
        if term in found:
            waiting = np.flatnonzero(self._tail_entries.terms == found[term])
            if len(waiting):
                entries = self._tail_entries
                rows.append(Postings(entries.chunks[waiting], entries.packed[waiting]))
        return QueryTerm(term, rows, weight)

    def terms_of(self, tx: Transaction, number: int) -> list[str]:
        """Return the terms of a chunk, in order."""
        row = tx.row("SELECT text FROM chunks WHERE id = ?", (layout.chunk_id(self.number, number),))
        return terms(text(row[0])) if row else []

    def visible(self, scope: dict[str, str], sources: Mask | None, group: int | None) -> Mask | None:
        """Return which chunks a caller may see, None for all living ones.

        Args:
            scope: Owner kind to value; a value that is unknown hides everything.
            sources: By source number; None for every source.
            group: A group number, or None.
        """
        arrays, count = self.arrays, self.arrays.count
        mask: NDArray[np.bool_] | None = None
        conditions = [arrays[kind][:count] == self.names.number(kind, v) for kind, v in scope.items()]
        if sources is not None:
            conditions.append(sources[arrays["source"][:count]])
        if group is not None:
            conditions.append(arrays["group"][:count] == group)
        if conditions:
            mask = np.logical_and.reduce([arrays.alive[:count], *conditions])
        return mask

    def _refresh_chunks(self, tx: Transaction, count: int) -> None:
        known, end = self.arrays.count, sealed_end(tx, self.number)
        self._tail = [row for row in self._tail if row.number >= end]
        self._tail += read_tail(tx, self.number, max(known, end))
        records = np.zeros(count - known, LAYOUT)
        for first, held in self._sealed_records(tx, known):
            start = max(first, known)
            records[start - known : first + len(held) - known] = held[start - first :]
        for row in self._tail:
            if row.number >= known:
                records[row.number - known] = decode(row.layout)[0]
        if count > known:
            self.arrays.append(records)

    def _sealed_records(self, tx: Transaction, known: int) -> list[tuple[int, layout.Records]]:
        rows = tx.rows(
            "SELECT first_chunk, layout FROM segments WHERE partition_id = ? AND end_chunk > ?",
            (self.number, known),
        )
        return [(integer(first), decode(blob(data))) for first, data in rows]

    def _refresh_removals(self, tx: Transaction) -> Ints:
        rows = list(
            tx.rows(
                "SELECT id, chunk FROM removals WHERE partition_id = ? AND id > ? ORDER BY id",
                (self.number, self._removals_read),
            )
        )
        gone = np.array([integer(chunk) for _, chunk in rows], np.int64)
        if rows:
            self._removals_read = integer(rows[-1][0])
            self.arrays.kill(gone)
            dead = set(gone.tolist())
            self._tail = [row for row in self._tail if row.number not in dead]
        self._tail_entries = Occurrences.of_tail([(row.number, row.postings) for row in self._tail])
        return gone
