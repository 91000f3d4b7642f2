"""The port of lexical back ends: one side writes and removes words, the other scores chunks.

The search, the writer of a partition and the removal of retired generations know this port only.
Our own postings implement it, and so do the entry points of ``recollect.lexical_backends``, such as
SQLite's FTS5, which need only the names of this module. All of them store the records of chunks by
`store_records` or as `tail` does, and live in the transactions of index.db, so that they follow
every write, removal, crash and snapshot.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from recollect.index.lexical.segments import TailRow, store_records
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import NUMBER_MASK, Floats, Ints, Mask, Records, chunk_id
from recollect.store.engine import Database, Transaction

__all__ = [
    "EVERY",
    "NUMBER_MASK",
    "Asked",
    "Backend",
    "ChunkArrays",
    "Floats",
    "FoundTerm",
    "Fresh",
    "Ints",
    "Mask",
    "NarrowingReader",
    "Records",
    "Scores",
    "TailRow",
    "WordReader",
    "WordWriter",
    "Words",
    "chunk_id",
    "store_records",
]

EVERY = 1 << 62
"""A budget without a limit."""


class Fresh(msgspec.Struct, frozen=True, kw_only=True):
    """New chunks of one transaction, numbered without a gap.

    Attributes:
        first: The number of the first one.
        records: One for each; ``length`` says how many of the terms are its own.
        terms: The terms of all of them, one after another, repeated as they repeat.
    """

    first: int
    records: Records
    terms: Sequence[str]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The words to search for.

    Attributes:
        terms: Distinct terms in the order of the question.
        budget: Matches to read for the scores of chunks, rarest terms first.
        visible: The chunks to search; None for all living ones.
        most: How many hits are wanted.
    """

    terms: Sequence[str]
    budget: int
    visible: Mask | None
    most: int


class Scores(Protocol):
    """How well the words match, as shares of the best possible score, in [0, 1]."""

    @property
    def chunks(self) -> Floats:
        """One for each chunk of the partition; 0 for those without a match, or not read."""

    @property
    def groups(self) -> Floats:
        """One for each group (a session, a file)."""

    @property
    def respelled(self) -> Mapping[str, str]:
        """The replacements of terms that no chunk holds; empty for none."""

    def complete(self, numbers: Ints) -> Floats:
        """Return the scores of a few chunks with all terms that the budget left out."""


class FoundTerm(Protocol):
    """A term of the index."""

    @property
    def term(self) -> str:
        """As `recollect.text.terms` makes it."""

    @property
    def frequency(self) -> int:
        """How many chunks hold it."""

    def counts(self, numbers: Ints) -> Floats:
        """Return the occurrences of the term in each of ``numbers``."""


class Words(Protocol):
    """The words of all chunks of a partition, or of those that a caller may hear."""

    def score(self, tx: Transaction, query: Asked) -> Scores:
        """Score each of the chunks, and each group."""

    def find(self, tx: Transaction, term: str) -> FoundTerm:
        """Return a term; its frequency is 0 when none of the chunks holds it."""


class WordReader(Protocol):
    """The reading side of one partition; used under the lock of the partition."""

    @property
    def is_damaged(self) -> bool:
        """Whether anything could not be read since the reader was made."""

    def hold(self, waiting: Sequence[TailRow]) -> None:
        """Add the chunks that no segment holds; called with each new state of the index."""

    def whole(self, arrays: ChunkArrays) -> Words:
        """Return the words of all chunks, for callers that may hear the whole partition.

        For others a reader that is no `NarrowingReader` is only asked how often a term is in the
        chunks that they hear: see `recollect.index.lexical.counted_words`.
        """

    def find(self, tx: Transaction, term: str) -> FoundTerm:
        """Return a term with all chunks that hold it."""


@runtime_checkable
class NarrowingReader(WordReader, Protocol):
    """A reader that can exclude chunks that a caller may not hear from all its counts."""

    def within(self, arrays: ChunkArrays, numbers: Ints | None) -> Words:
        """Return the words of some chunks alone: other chunks do not influence any answer.

        Args:
            arrays: The chunks, numbered from 0.
            numbers: Their numbers in the partition, ascending; None where they are the same.
        """


class WordWriter(Protocol):
    """The writing side of one partition. Kept from one transaction to the next."""

    def forget(self) -> None:
        """Drop cached state: another writer changed the partition, or a transaction failed."""

    def add(self, tx: Transaction, fresh: Fresh) -> None:
        """Store the words and the records of new chunks."""

    def remove(self, tx: Transaction, texts: Mapping[int, str]) -> Collection[int]:
        """Remove chunks for good.

        Args:
            tx: The write transaction.
            texts: The text of each removed chunk.

        Returns: The terms that `sweep` is to check.
        """

    def sweep(self, tx: Transaction, terms: Collection[int]) -> None:
        """Remove terms that no chunk needs any more; called when new chunks are stored."""


class Backend(Protocol):
    """A lexical back end."""

    name: str

    def unavailable(self, database: Database) -> str | None:
        """Return the reason it cannot work in this database; None when it can.

        Raises:
            StoreError: the database could not be read.
        """

    def writer(self, partition: int) -> WordWriter:
        """Return the writing side of a partition."""

    def reader(self, partition: int) -> WordReader:
        """Return the reading side of a partition."""

    def drop_some(self, tx: Transaction, partition: int, most: int) -> bool:
        """Delete about ``most`` rows of a retired partition; return whether any were deleted."""

    def count_damage(self, database: Database, partition: int) -> int:
        """Return the number of damaged rows; reads them all.

        Raises:
            StoreError: the index could not be read.
        """
