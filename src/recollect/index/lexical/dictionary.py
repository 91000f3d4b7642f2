"""The dictionary of a partition: each term once, under a number that never changes."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.store.cell import first_integer
from recollect.store.engine import Transaction

CACHED_TERMS = 400_000
"""About 50 MB at most; then the cache starts anew (real vocabularies stay below it)."""


class Dictionary:
    """Numbers of terms, with a cache that a writer keeps from one transaction to the next.

    The cache is right only while nobody else writes the partition and no transaction fails:
    whoever keeps a dictionary calls `forget` otherwise.

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
        ids = self._ids
        for term in terms:
            if term not in ids:
                ids[term] = self._find(tx, term) or self._create(tx, term)
        return ids

    def find(self, tx: Transaction, terms: Iterable[str]) -> dict[str, int]:
        """Return the numbers of those of ``terms`` that are known; creates nothing."""
        known = {term: self._ids.get(term) or self._find(tx, term) for term in terms}
        return {term: number for term, number in known.items() if number}

    def remove(self, tx: Transaction, numbers: Iterable[int]) -> None:
        """Delete terms that no chunk holds any more."""
        rows = [(number,) for number in numbers]
        if rows:
            tx.executemany("DELETE FROM terms WHERE id = ?", rows)
            self.forget()

    def _find(self, tx: Transaction, term: str) -> int:
        row = tx.row(
            "SELECT id FROM terms WHERE partition_id = ? AND term = ?", (self._partition, term)
        )
        return first_integer(row)

    def _create(self, tx: Transaction, term: str) -> int:
        row = tx.row(
            "INSERT INTO terms (partition_id, term) VALUES (?, ?) RETURNING id",
            (self._partition, term),
        )
        return first_integer(row)
