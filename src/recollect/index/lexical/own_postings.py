"""Our own postings as a back end: exact BM25 with neighbours and sessions, in rows of blobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import msgspec
import numpy as np

from recollect.core.errors import StoreCorrupt
from recollect.index.lexical import bm25, postings
from recollect.index.lexical.bm25 import LengthNorms, LexicalScores, QueryTerm
from recollect.index.lexical.dictionary import Dictionary
from recollect.index.lexical.port import EVERY, Asked, Fresh
from recollect.index.lexical.postings import Occurrences, without_sum
from recollect.index.lexical.segments import (
    SegmentRun,
    count_damaged,
    remove_postings,
    sealed_end,
    unsealed,
)
from recollect.index.lexical.tail import TailRow, entries_of, read_tail, store_run
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.store.columns import integer, typed_rows
from recollect.store.engine import Database, Transaction
from recollect.text.terms import terms


class OwnPostings:
    """Implements `recollect.index.lexical.port.Backend`."""

    name = "postings"

    def unavailable(self, database: Database) -> str | None:
        """Return None: it needs nothing but tables."""
        return None

    def writer(self, partition: int) -> OwnWriter:
        """Return the writing side of a partition."""
        return OwnWriter(partition)

    def reader(self, partition: int) -> OwnReader:
        """Return the reading side of a partition."""
        return OwnReader(partition)

    def drop_some(self, tx: Transaction, partition: int, most: int) -> bool:
        """Delete up to ``most`` terms with their postings; return whether there were any."""
        found = list(
            tx.rows("SELECT id FROM terms WHERE partition_id = ? LIMIT ?", (partition, most))
        )
        keys = [postings.key(integer(term), 0) for (term,) in found]
        tx.executemany(
            "DELETE FROM postings WHERE id BETWEEN ? AND ?",
            [(key, key | postings.FIRST_MASK) for key in keys],
        )
        tx.executemany("DELETE FROM terms WHERE id = ?", found)
        return bool(found)

    def count_damage(self, database: Database, partition: int) -> int:
        """Return how many rows of postings are not what was written."""

        def count(tx: Transaction) -> int:
            numbers = tx.rows("SELECT id FROM terms WHERE partition_id = ?", (partition,))
            return sum(count_damaged(tx, integer(number)) for (number,) in numbers)

        return database.read(count)


def _is_enough(scores: LexicalScores, asked: Asked) -> bool:
    """Return whether the rare words alone find what is wanted, in a scope that may lack them."""
    found = scores.chunks > 0
    if asked.visible is not None:
        found &= asked.visible
    return int(np.count_nonzero(found)) >= asked.most


class OwnWriter:
    """Implements `recollect.index.lexical.port.WordWriter`."""

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._dictionary = Dictionary(partition)

    def forget(self) -> None:
        """Drop the numbers of terms."""
        self._dictionary.forget()

    def add(self, tx: Transaction, fresh: Fresh) -> None:
        """Store the postings and the records of new chunks."""
        lengths, heads = fresh.records["length"].tolist(), fresh.records["head"].tolist()
        numbers = self._dictionary.add(tx, fresh.terms)
        found = [numbers[term] for term in fresh.terms]
        entries = Occurrences.count(found, lengths, heads, fresh.first)
        store_run(tx, self._partition, SegmentRun(fresh.first, fresh.records, entries))

    def remove(self, tx: Transaction, texts: Mapping[int, str]) -> Collection[int]:
        """Take chunks out of the postings; return the terms that they held."""
        chunks_of: dict[int, list[int]] = defaultdict(list)
        for number, text in texts.items():
            for term in self._dictionary.find(tx, set(terms(text))).values():
                chunks_of[term].append(number)
        end = sealed_end(tx, self._partition)
        sealed = {term: [n for n in held if n < end] for term, held in chunks_of.items()}
        remove_postings(tx, {term: held for term, held in sealed.items() if held})
        return chunks_of.keys()

    def sweep(self, tx: Transaction, left: Collection[int]) -> None:
        """Remove those terms that no chunk holds any more."""
        found = unsealed(tx, left)
        if found:
            waiting = np.unique(entries_of(read_tail(tx, self._partition, 0)).terms)
            self._dictionary.remove(tx, np.setdiff1d(found, waiting).tolist())


class OwnReader:
    """Implements `recollect.index.lexical.port.WordReader`."""

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._waiting = entries_of([])
        self._norms: LengthNorms | None = None
        self.is_damaged = False
        """Whether a row of postings could not be read."""

    def hold(self, waiting: Sequence[TailRow]) -> None:
        """Take in the chunks that no segment holds."""
        self._waiting = entries_of(waiting)
        self._norms = None

    def score(self, tx: Transaction, arrays: ChunkArrays, asked: Asked) -> LexicalScores:
        """Score every chunk and group."""
        norms = self._norms = self._norms or LengthNorms.of(arrays)
        found = self._find(tx, asked.terms)
        scores = bm25.score(arrays, norms, found, asked.budget)
        if scores.deferred and not _is_enough(scores, asked):
            return bm25.score(arrays, norms, found, EVERY)
        return scores

    def find(self, tx: Transaction, term: str) -> QueryTerm:
        """Return a term with all its postings, sealed and waiting."""
        return self._find(tx, (term,))[0]

    def _find(self, tx: Transaction, terms: Sequence[str]) -> list[QueryTerm]:
        """Return terms with what can be read of them; a damaged row costs its chunks this term."""
        sealed: dict[str, tuple[int, list[tuple[int, bytes]]]] = {}
        found = tx.all(_POSTINGS, (self._partition, msgspec.json.encode(terms).decode()))
        for row in typed_rows(found, _Posted):
            rows = sealed.setdefault(row.term, (row.number, []))[1]
            if row.key is None or row.data is None:
                continue
            try:
                rows.append((row.key & postings.FIRST_MASK, without_sum(row.data)))
            except StoreCorrupt:
                self.is_damaged = True
        for _, rows in sealed.values():
            rows.sort()
        return [
            QueryTerm(term, self._waiting.of_term(*sealed.get(term, _UNKNOWN))) for term in terms
        ]


class _Posted(msgspec.Struct, frozen=True, array_like=True):
    """A term of the dictionary with one of its rows of postings, if a segment holds any."""

    term: str
    number: int
    key: int | None
    data: bytes | None


_UNKNOWN: tuple[int, list[tuple[int, bytes]]] = (-1, [])
"""What is found of a term that no chunk holds."""
_POSTINGS = (
    "SELECT t.term, t.id, p.id, p.data FROM terms t"
    " LEFT JOIN postings p ON p.id BETWEEN t.id << 32 AND (t.id << 32) + 4294967295"
    " WHERE t.partition_id = ? AND t.term IN (SELECT value FROM json_each(?))"
)
