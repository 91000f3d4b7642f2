"""FTS5 as a back end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import LiteralString

import msgspec

from recollect.backends.fts5.matches import FoundWord, Tables, WordCounts
from recollect.backends.fts5.scoring import Fts5Scores, score
from recollect.backends.fts5.tables import are_there, drop_tables, ensure_tables, of_partition
from recollect.core.errors import StoreCorrupt
from recollect.index.lexical.port import (
    Asked,
    ChunkArrays,
    Fresh,
    TailRow,
    chunk_id,
    store_records,
)
from recollect.store.engine import Database, Transaction

_PUT: LiteralString = "INSERT INTO chunk_words_# (chunk, text) VALUES (?, ?)"
_REMOVE: LiteralString = "DELETE FROM chunk_words_# WHERE chunk = ?"
_CHECK: LiteralString = (
    "INSERT INTO chunks_fts_# (chunks_fts_#, rank) VALUES ('integrity-check', 1)"
)


class Fts5:
    """Implements `recollect.index.lexical.port.Backend`."""

    name = "fts5"

    def unavailable(self, database: Database) -> str | None:
        """Return the reason it cannot be used, or None: some builds of SQLite lack FTS5."""
        return None if database.read(has_fts5) else "this SQLite was built without FTS5"

    def writer(self, partition: int) -> Fts5Writer:
        """Return the writing side of a partition."""
        return Fts5Writer(partition)

    def reader(self, partition: int) -> Fts5Reader:
        """Return the reading side of a partition."""
        return Fts5Reader(partition)

    def drop_some(self, tx: Transaction, partition: int, most: int) -> bool:
        """Delete the tables of a retired partition, all at once whatever ``most`` says."""
        if not are_there(tx, partition):
            return False
        drop_tables(tx, partition)
        return True

    def count_damage(self, database: Database, partition: int) -> int:
        """Return 1 when FTS5 finds that its index does not match the words, else 0."""

        def check(tx: Transaction) -> None:
            if are_there(tx, partition):
                tx.execute(of_partition(_CHECK, partition))

        try:
            database.write(check)  # changes nothing, but in the syntax of FTS5 it is an INSERT
        except StoreCorrupt:
            return 1
        return 0


def has_fts5(tx: Transaction) -> bool:
    """Return whether the SQLite library was built with FTS5."""
    return tx.row("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") is not None


class Fts5Writer:
    """Implements `recollect.index.lexical.port.WordWriter`."""

    def __init__(self, partition: int) -> None:
        self._partition = partition

    def forget(self) -> None:
        """Do nothing: the writer keeps no state."""

    def add(self, tx: Transaction, fresh: Fresh) -> None:
        """Store the words and the records of new chunks; triggers index the words."""
        ensure_tables(tx, self._partition)
        tx.executemany(of_partition(_PUT, self._partition), self._rows(fresh))
        store_records(tx, self._partition, fresh.first, fresh.records)

    def remove(self, tx: Transaction, texts: Mapping[int, str]) -> Collection[int]:
        """Take chunks out; triggers take their words out of the index."""
        if are_there(tx, self._partition):
            ids = [(chunk_id(self._partition, number),) for number in texts]
            tx.executemany(of_partition(_REMOVE, self._partition), ids)
        return ()

    def sweep(self, tx: Transaction, terms: Collection[int]) -> None:
        """Do nothing: FTS5 keeps no list of terms beside its index."""

    def _rows(self, fresh: Fresh) -> Iterator[tuple[int, str]]:
        edges = accumulate(fresh.records["length"].tolist(), initial=0)
        for number, (start, end) in enumerate(pairwise(edges), start=fresh.first):
            yield chunk_id(self._partition, number), " ".join(fresh.terms[start:end])


class Fts5Reader:
    """Implements `recollect.index.lexical.port.WordReader`."""

    is_damaged = False
    """Always False: FTS5 reports damage by itself, as `StoreCorrupt`."""

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self._counts: WordCounts | None = None

    def hold(self, waiting: Sequence[TailRow]) -> None:
        """Do nothing: the words of waiting chunks are in the tables too."""

    def whole(self, arrays: ChunkArrays) -> Fts5Words:
        """Return the words of all chunks."""
        return Fts5Words(self, arrays)

    def find(self, tx: Transaction, term: str) -> FoundWord:
        """Return a term."""
        counts = self.counts(tx)
        return FoundWord(term, counts.tables.frequency(term), counts)

    def counts(self, tx: Transaction) -> WordCounts:
        """Return the word counts of a transaction."""
        if self._counts is None or self._counts.tables.tx is not tx:
            self._counts = WordCounts(Tables(tx, self._partition))
        return self._counts


class Fts5Words(msgspec.Struct, frozen=True):
    """Implements `recollect.index.lexical.port.Words`: of all chunks."""

    reader: Fts5Reader
    arrays: ChunkArrays

    def score(self, tx: Transaction, query: Asked) -> Fts5Scores:
        """Score every chunk and group."""
        return score(self.reader.counts(tx).tables, self.arrays, query)

    def find(self, tx: Transaction, term: str) -> FoundWord:
        """Return a term."""
        return self.reader.find(tx, term)
