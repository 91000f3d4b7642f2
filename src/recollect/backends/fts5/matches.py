"""Questions as FTS5 queries, and their matches in the tables of a partition.

As in OpenClaw, each token is quoted, so no operator in a question reaches the parser. Its first
rule for ranks gave every hit 1.0, because they are negative; this one is that of its later
versions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, LiteralString

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.backends.fts5.tables import are_there, of_partition
from recollect.index.lexical.port import EVERY, NUMBER_MASK, Floats, Ints, chunk_id
from recollect.store.columns import first_integer, integer, text
from recollect.store.engine import Row, Transaction

NO_RANK = 0.001
"""The score of a rank that is not finite."""


def build_query(tokens: Iterable[str], operator: Literal["AND", "OR"] = "AND") -> str | None:
    """Return the expression that finds all (AND) or any (OR) of ``tokens``; None without any.

    >>> build_query(["foo", "NEAR"])
    '"foo" AND "NEAR"'
    """
    # SQLite ends a text at a NUL, which would leave a quote open.
    quoted = ['"' + token.replace("\0", "").replace('"', '""') + '"' for token in tokens]
    return f" {operator} ".join(quoted) or None


def scores_of_ranks(ranks: Floats) -> Floats:
    """Return the scores in [0, 1] of ranks of FTS5, where less is better.

    >>> scores_of_ranks(np.array([-1.0, 3.0, np.nan]))
    array([0.5  , 0.25 , 0.001])
    """
    size = np.abs(ranks)
    with np.errstate(invalid="ignore"):  # infinity by infinity; its score is not used
        scores = np.where(ranks <= 0, size, 1) / (1 + size)
    finite: Floats = np.where(np.isfinite(ranks), scores, NO_RANK).astype(ranks.dtype)
    return finite


_COUNT: LiteralString = (
    "SELECT count(*) FROM (SELECT 1 FROM chunks_fts_# WHERE chunks_fts_# MATCH ? LIMIT ?)"
)
_MATCHES: LiteralString = "SELECT rowid, rank FROM chunks_fts_# WHERE chunks_fts_# MATCH ?"
_AMONG: LiteralString = " AND +rowid IN (SELECT value FROM json_each(?))"
"""The plus keeps it a filter: FTS5 walks the matches once and ranks only what passes. As a lookup
it would count all documents of every term again for each row."""
_WORDS: LiteralString = (
    "SELECT chunk, text FROM chunk_words_# WHERE chunk IN (SELECT value FROM json_each(?))"
)


class Matches(msgspec.Struct, frozen=True):
    """Chunk numbers with their scores in [0, 1]."""

    numbers: Ints
    scores: Floats


NONE = Matches(np.zeros(0, np.int64), np.zeros(0, np.float32))


class FoundWord(msgspec.Struct, frozen=True):
    """Implements `recollect.index.lexical.port.FoundTerm`."""

    term: str
    frequency: int
    words: WordCounts

    def counts(self, numbers: Ints) -> Floats:
        """Return the occurrences of the term in each of ``numbers``."""
        return self.words.of_term(self.term, numbers)


class Tables:
    """The tables of a partition as one transaction sees them."""

    def __init__(self, tx: Transaction, partition: int) -> None:
        self.tx = tx
        self._partition = partition
        self._are_there = are_there(tx, partition)

    def frequency(self, term: str, most: int = EVERY) -> int:
        """Return the number of chunks that hold a term, ``most`` at most."""
        if not self._are_there:
            return 0
        return first_integer(self.tx.row(self._sql(_COUNT), (build_query((term,)), most)))

    def find(self, query: str, among: Ints | None = None) -> Matches:
        """Return the matches of a query, among some chunks or among all."""
        if not self._are_there:
            return NONE
        if among is None:
            rows = self.tx.rows(self._sql(_MATCHES), (query,))
        else:
            rows = self.tx.rows(self._sql(_MATCHES + _AMONG), (query, self._ids(among)))
        return _matches(list(rows))

    def words(self, numbers: Ints) -> dict[int, list[str]]:
        """Return the words of some chunks."""
        if not self._are_there:
            return {}
        rows = self.tx.rows(self._sql(_WORDS), (self._ids(numbers),))
        return {integer(key) & NUMBER_MASK: text(words).split() for key, words in rows}

    def _ids(self, numbers: Ints) -> str:
        ids = numbers + chunk_id(self._partition, 0)
        return msgspec.json.encode(ids.tolist()).decode()

    def _sql(self, statement: LiteralString) -> LiteralString:
        return of_partition(statement, self._partition)


class WordCounts:
    """The words of the chunks that feedback reads, read once for all its terms."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._counted: dict[int, Counter[str]] = {}

    def of_term(self, term: str, numbers: Ints) -> Floats:
        """Return the occurrences of a term in each of ``numbers``."""
        unknown = [n for n in numbers.tolist() if n not in self._counted]
        if unknown:
            self._read(unknown)
        return np.array([self._counted[n][term] for n in numbers.tolist()], np.float32)

    def _read(self, numbers: Iterable[int]) -> None:
        keys = np.array(list(numbers), np.int64)
        words_of = self.tables.words(keys)
        self._counted |= {n: Counter(words_of.get(n, ())) for n in keys.tolist()}


def _matches(rows: Sequence[Row]) -> Matches:
    ranks: NDArray[np.float64] = np.array(rows, np.float64).reshape(-1, 2)
    numbers = np.array([integer(key) & NUMBER_MASK for key, _ in rows], np.int64)
    return Matches(numbers, scores_of_ranks(ranks[:, 1].astype(np.float32)))
