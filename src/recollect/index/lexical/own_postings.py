"""Our own postings as a back end: exact BM25 with neighbours and sessions, in rows of blobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from recollect.core.errors import StoreCorrupt
from recollect.index.lexical import bm25, postings
from recollect.index.lexical.bm25 import LexicalScores, QueryTerm
from recollect.index.lexical.dictionary import Dictionary
from recollect.index.lexical.port import EVERY, Asked, Fresh
from recollect.index.lexical.postings import Occurrences, Postings
from recollect.index.lexical.segments import (
    SegmentRun,
    count_damaged,
    decoded,
    is_sealed,
    remove_postings,
    rows_of,
    sealed_end,
)
from recollect.index.lexical.tail import TailRow, entries_of, read_tail, store_run
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.store.columns import integer
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
        """Remove those terms that stand nowhere any more."""
        unsealed = [term for term in left if not is_sealed(tx, term)]
        if unsealed:
            waiting = np.unique(entries_of(read_tail(tx, self._partition, 0)).terms)
            self._dictionary.remove(tx, np.setdiff1d(unsealed, waiting).tolist())


class OwnReader:
    """Implements `recollect.index.lexical.port.WordReader`."""

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._waiting = entries_of([])
        self._is_damaged = False

    @property
    def is_damaged(self) -> bool:
        """Whether a row of postings could not be read."""
        return self._is_damaged

    def hold(self, waiting: Sequence[TailRow]) -> None:
        """Take in the chunks that no segment holds."""
        self._waiting = entries_of(waiting)

    def score(self, tx: Transaction, arrays: ChunkArrays, asked: Asked) -> LexicalScores:
        """Score every chunk and group."""
        numbers = Dictionary(self._partition).find(tx, asked.terms)
        found = [self._query_term(tx, term, numbers.get(term)) for term in asked.terms]
        scores = bm25.score(arrays, found, asked.budget)
        if scores.deferred and not _is_enough(scores, asked):
            return bm25.score(arrays, found, EVERY)
        return scores

    def find(self, tx: Transaction, term: str) -> QueryTerm:
        """Return a term with all its postings, sealed and waiting."""
        return self._query_term(tx, term, Dictionary(self._partition).find(tx, (term,)).get(term))

    def _query_term(self, tx: Transaction, term: str, number: int | None) -> QueryTerm:
        if number is None:
            return QueryTerm(term, [])
        rows = self._sealed(tx, number)
        waiting = self._waiting.of_term(number)
        return QueryTerm(term, [*rows, waiting] if len(waiting) else rows)

    def _sealed(self, tx: Transaction, number: int) -> list[Postings]:
        """Return what can be read of a term; a damaged row costs its chunks this term."""
        found = []
        for row in rows_of(tx, number):
            try:
                found.append(decoded(row))
            except StoreCorrupt:
                self._is_damaged = True
        return found
