"""Our own postings as a back end: exact BM25 with neighbours and sessions, in rows of blobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from recollect.core.errors import StoreCorrupt
from recollect.index.lexical import bm25, postings
from recollect.index.lexical.bm25 import HELD_NUMBERS, Impacts, LexicalScores, QueryTerm
from recollect.index.lexical.port import EVERY, Asked, Fresh
from recollect.index.lexical.postings import Occurrences, among, without_sum
from recollect.index.lexical.segments import (
    SegmentRun,
    TailRow,
    count_damaged,
    entries_of,
    read_tail,
    remove_postings,
    sealed_end,
    store_run,
    unsealed,
)
from recollect.index.lexical.spelling import (
    MOST_READ,
    MOST_WORDS,
    may_be_mistyped,
    near_terms,
    parts_of,
)
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import Ints
from recollect.store.columns import integer, typed_rows
from recollect.store.engine import Database, Transaction
from recollect.text.terms import terms

CACHED_TERMS = 32_768
"""About 5 MB at most; then the cache is emptied, see ``docs/experiments.md``."""
HELD_POSTINGS = 1_000_000
"""Of the terms of questions, in memory at most, about: 5 MB. The least recently used goes."""
HELD_POSTINGS_OF_VIEW, HELD_NUMBERS_OF_VIEW = HELD_POSTINGS // 4, HELD_NUMBERS // 4
"""The most postings, and values in `Impacts`, that are held for a part of the chunks."""


class OwnPostings:
    """Implements `recollect.index.lexical.port.Backend`."""

    name = "postings"

    def unavailable(self, database: Database) -> str | None:
        """Return None: it needs only tables."""
        return None

    def writer(self, partition: int) -> OwnWriter:
        """Return the writing side of a partition."""
        return OwnWriter(partition)

    def reader(self, partition: int) -> OwnReader:
        """Return the reading side of a partition."""
        return OwnReader(partition)

    def drop_some(self, tx: Transaction, partition: int, most: int) -> bool:
        """Delete up to ``most`` terms with their postings; return whether any were deleted."""
        rows = list(
            tx.rows("SELECT id FROM terms WHERE partition_id = ? LIMIT ?", (partition, most))
        )
        keys = [postings.key(integer(term), 0) for (term,) in rows]
        tx.executemany(
            "DELETE FROM postings WHERE id BETWEEN ? AND ?",
            [(key, key | postings.FIRST_MASK) for key in keys],
        )
        tx.executemany("DELETE FROM terms WHERE id = ?", rows)
        return bool(rows)

    def count_damage(self, database: Database, partition: int) -> int:
        """Return the number of damaged rows of postings."""
        return database.read(partial(count_damaged, partition=partition))


class Dictionary:
    """Numbers of the terms of a partition: each once, and its number never changes.

    Has a cache that a writer keeps from one transaction to the next. It is right only while no
    other writes the partition and no transaction fails: call `forget` otherwise.

    Args:
        partition: The row of `partitions`.
    """

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._ids: dict[str, int] = {}

    def forget(self) -> None:
        """Drop the cache."""
        self._ids.clear()

    def add(self, tx: Transaction, terms: Iterable[str]) -> dict[str, int]:
        """Return a mapping that holds every one of ``terms``; new terms get a number."""
        if len(self._ids) > CACHED_TERMS:
            self.forget()
        unknown = set(terms) - self._ids.keys()
        self._ids |= self._select(tx, unknown)
        new = sorted(unknown - self._ids.keys())
        if new:
            rows = tx.executemany(
                "INSERT INTO terms (partition_id, term) VALUES (?, ?) RETURNING id",
                [(self._partition, term) for term in new],
            )
            numbers = typed_rows(rows, tuple[int])
            self._ids |= {term: number for term, (number,) in zip(new, numbers, strict=True)}
        return self._ids

    def find(self, tx: Transaction, terms: Iterable[str]) -> dict[str, int]:
        """Return the numbers of those of ``terms`` that are known; creates nothing."""
        distinct = set(terms)
        cached = {term: self._ids[term] for term in distinct & self._ids.keys()}
        return cached | self._select(tx, distinct - cached.keys())

    def remove(self, tx: Transaction, numbers: Iterable[int]) -> None:
        """Delete terms that no chunk holds any more."""
        rows = [(number,) for number in numbers]
        if rows:
            tx.executemany("DELETE FROM terms WHERE id = ?", rows)
            self.forget()

    def _select(self, tx: Transaction, terms: Collection[str]) -> dict[str, int]:
        if not terms:
            return {}
        rows = tx.all(
            "SELECT term, id FROM terms"
            " WHERE partition_id = ? AND term IN (SELECT value FROM json_each(?))",
            (self._partition, msgspec.json.encode(list(terms)).decode()),
        )
        return dict(typed_rows(rows, tuple[str, int]))


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
        term_numbers = [numbers[term] for term in fresh.terms]
        entries = Occurrences.count(term_numbers, lengths, heads, fresh.first)
        store_run(tx, self._partition, SegmentRun(fresh.first, fresh.records, entries))

    def remove(self, tx: Transaction, texts: Mapping[int, str]) -> Collection[int]:
        """Take chunks out of the postings; return the terms that they held."""
        chunks_of: dict[int, list[int]] = defaultdict(list)
        for number, text in texts.items():
            for term in self._dictionary.find(tx, set(terms(text))).values():
                chunks_of[term].append(number)
        end = sealed_end(tx, self._partition)
        sealed = {term: [n for n in chunks if n < end] for term, chunks in chunks_of.items()}
        remove_postings(tx, {term: chunks for term, chunks in sealed.items() if chunks})
        return chunks_of.keys()

    def sweep(self, tx: Transaction, terms: Collection[int]) -> None:
        """Remove those terms that no chunk holds any more."""
        unused = unsealed(tx, terms)
        if unused:
            waiting = np.unique(entries_of(read_tail(tx, self._partition, 0)).terms)
            self._dictionary.remove(tx, np.setdiff1d(unused, waiting).tolist())


class OwnReader:
    """Implements `recollect.index.lexical.port.NarrowingReader`."""

    def __init__(self, partition: int) -> None:
        self.partition = partition
        self._waiting = entries_of([])
        self._forget()
        self.is_damaged = False
        """Whether a row of postings could not be read."""

    def hold(self, waiting: Sequence[TailRow]) -> None:
        """Add the chunks that no segment holds; the cache of an older state is dropped."""
        self._waiting = entries_of(waiting)
        self._forget()

    def _forget(self) -> None:
        self._terms: dict[str, QueryTerm] = {}
        self._posting_count = 0

    def whole(self, arrays: ChunkArrays) -> OwnWords:
        """Return the words of all chunks."""
        return OwnWords(self, Impacts(arrays), None, MOST_READ)

    def within(self, arrays: ChunkArrays, numbers: Ints | None) -> OwnWords:
        """Return the words of some chunks alone."""
        return OwnWords(self, Impacts(arrays, HELD_NUMBERS_OF_VIEW), numbers, EVERY)

    def find(self, tx: Transaction, term: str) -> QueryTerm:
        """Return a term with all its postings, sealed and waiting."""
        return self.find_all(tx, (term,))[0]

    def find_all(self, tx: Transaction, terms: Sequence[str]) -> list[QueryTerm]:
        """Return terms with their postings, without rows that cannot be read.

        Those cached for this state are not read again.
        """
        hits = {term: self._terms.pop(term) for term in terms if term in self._terms}
        missing = [term for term in terms if term not in hits]
        for term in self._read(tx, missing) if missing else ():
            hits[term.term] = term
            self._posting_count += term.frequency
        self._terms |= hits
        while self._posting_count > HELD_POSTINGS and len(self._terms) > len(hits):
            self._posting_count -= self._terms.pop(next(iter(self._terms))).frequency
        return [hits[term] for term in terms]

    def _read(self, tx: Transaction, terms: Sequence[str]) -> list[QueryTerm]:
        """Return terms with their postings; a damaged row costs its chunks this term."""
        sealed: dict[str, tuple[int, list[tuple[int, bytes]]]] = {}
        rows = tx.all(_POSTINGS, (self.partition, msgspec.json.encode(terms).decode()))
        for term, number, key, data in typed_rows(rows, tuple[str, int, int | None, bytes | None]):
            parts = sealed.setdefault(term, (number, []))[1]
            if key is None or data is None:
                continue
            try:
                parts.append((key & postings.FIRST_MASK, without_sum(data)))
            except StoreCorrupt:
                self.is_damaged = True
        for _, parts in sealed.values():
            parts.sort()
        return [
            QueryTerm(term, self._waiting.of_term(*sealed.get(term, _UNKNOWN))) for term in terms
        ]


class OwnWords:
    """Implements `recollect.index.lexical.port.Words`: of all chunks, or of some of them.

    Of some, frequencies, lengths and spelling come from these alone.

    Args:
        reader: Reads postings.
        impacts: Of the chunks; numbered from 0 as in ``numbers``.
        numbers: The numbers of the chunks in the partition, ascending; None for all.
        most_read: Words of the dictionary read for each way a mistyped word may begin.
    """

    def __init__(
        self, reader: OwnReader, impacts: Impacts, numbers: Ints | None, most_read: int
    ) -> None:
        self._reader = reader
        self._impacts = impacts
        self._numbers = numbers
        self._most_read = most_read
        self._terms: dict[str, QueryTerm] = {}
        self._posting_count = 0
        self._corrections: dict[str, str | None] = {}

    def score(self, tx: Transaction, query: Asked) -> LexicalScores:
        """Score every chunk and group."""
        hits, respelled = self._respelled(tx, self._find(tx, query.terms))
        scores = bm25.score(self._impacts, hits, query.budget, respelled)
        # The rare words alone may find too little in a scope that lacks them.
        if scores.deferred and not _find_enough(hits, scores, query):
            return bm25.score(self._impacts, hits, EVERY, respelled)
        return scores

    def find(self, tx: Transaction, term: str) -> QueryTerm:
        """Return a term with its postings in these chunks."""
        return self._find(tx, (term,))[0]

    def _find(self, tx: Transaction, terms: Sequence[str]) -> list[QueryTerm]:
        if self._numbers is None:
            return self._reader.find_all(tx, terms)
        missing = [term for term in terms if term not in self._terms]
        fresh = self._reader.find_all(tx, missing) if missing else ()
        hits = {term: self._terms.pop(term) for term in terms if term in self._terms}
        for whole in fresh:
            narrowed = hits[whole.term] = QueryTerm(
                whole.term, among(whole.postings, self._numbers)
            )
            self._posting_count += narrowed.frequency
        self._terms |= hits
        while self._posting_count > HELD_POSTINGS_OF_VIEW and len(self._terms) > len(hits):
            self._posting_count -= self._terms.pop(next(iter(self._terms))).frequency
        return [hits[term] for term in terms]

    def _respelled(
        self, tx: Transaction, terms: list[QueryTerm]
    ) -> tuple[list[QueryTerm], dict[str, str]]:
        """Return likely corrections of terms that no chunk holds, and which replaced which."""
        unknown = [e.term for e in terms if not e.frequency and may_be_mistyped(e.term)]
        present, respelled = {each.term for each in terms}, dict[str, str]()
        for term in unknown[:MOST_WORDS]:
            correction = self._meant_by(tx, term)
            if correction is not None and correction not in present:
                present.add(correction)
                respelled[term] = correction
        if not respelled:
            return terms, {}
        near = dict(zip(respelled, self._find(tx, tuple(respelled.values())), strict=True))
        return [near.get(each.term, each) for each in terms], respelled

    def _meant_by(self, tx: Transaction, term: str) -> str | None:
        """Return the most frequent of the terms that are nearest to ``term``, if there are any."""
        if term not in self._corrections:
            if len(self._corrections) >= MOST_MEANT:
                self._corrections.clear()
            near = near_terms(tx, self._reader.partition, term, self._most_read)
            parts = ([part] for part in parts_of(tx, self._reader.partition, term))
            hits = next(filter(None, (self._held_of(tx, e) for e in (*near, *parts))), [])
            best = max(hits, key=lambda each: (each.frequency, each.term), default=None)
            self._corrections[term] = None if best is None else best.term
        return self._corrections[term]

    def _held_of(self, tx: Transaction, terms: Sequence[str]) -> list[QueryTerm]:
        """Return the first `MOST_NEAR` of some terms that are in any of the chunks."""
        hits: list[QueryTerm] = []
        for start in range(0, len(terms), MOST_NEAR):
            candidates = self._find(tx, terms[start : start + MOST_NEAR])
            hits += [each for each in candidates if each.frequency]
            if len(hits) >= MOST_NEAR:
                break
        return hits[:MOST_NEAR]


def _find_enough(terms: Sequence[QueryTerm], scores: LexicalScores, query: Asked) -> bool:
    """Return whether the scored terms occur in as many visible chunks as are wanted."""
    later = {term.term for term, _ in scores.deferred}
    visible = slice(None) if query.visible is None else query.visible
    for term in terms:
        # Nearly always one term is in enough of them, so not every chunk is examined.
        if term.term not in later and term.frequency >= query.most:
            chunks = term.postings.chunks
            if query.visible is not None:
                chunks = chunks[query.visible.take(chunks)]
            if len(chunks) >= query.most:
                return True
    return int(np.count_nonzero((scores.chunks > 0)[visible])) >= query.most


MOST_MEANT = 1_000
"""Misspelled words that are remembered for a state of the index."""
MOST_NEAR = 8
"""Equally near terms whose frequencies are compared."""
_UNKNOWN: tuple[int, list[tuple[int, bytes]]] = (-1, [])
"""The entry of a term that no chunk holds."""
_POSTINGS = (
    "SELECT t.term, t.id, p.id, p.data FROM terms t"
    " LEFT JOIN postings p ON p.id BETWEEN t.id << 32 AND (t.id << 32) + 4294967295"
    " WHERE t.partition_id = ? AND t.term IN (SELECT value FROM json_each(?))"
)
