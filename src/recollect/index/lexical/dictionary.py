"""The dictionary of a partition: each term once, under a number that never changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

CACHED_TERMS = 400_000
"""About 50 MB at most; then the cache starts again (real vocabularies stay below it)."""


class Dictionary:
    """Numbers of terms, with a cache that a writer keeps from one transaction to the next.

    The cache is right only while no other writes the partition and no transaction fails:
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
        unknown = set(terms) - self._ids.keys()
        self._ids |= self._select(tx, unknown)
        new = sorted(unknown - self._ids.keys())
        if new:
            tx.executemany(
                "INSERT INTO terms (partition_id, term) VALUES (?, ?)",
                [(self._partition, term) for term in new],
            )
            self._ids |= self._select(tx, new)
        return self._ids

    def find(self, tx: Transaction, terms: Iterable[str]) -> dict[str, int]:
        """Return the numbers of those of ``terms`` that are known; creates nothing."""
        wanted = set(terms)
        known = {term: self._ids[term] for term in wanted & self._ids.keys()}
        return known | self._select(tx, wanted - known.keys())

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
