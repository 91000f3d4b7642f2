"""Blobs of observations: kept as long as a row names them.

Whoever writes a row looks within its transaction whether the blob is still there, and whoever
removes one looks within a transaction whether a row names it. Writers come one after the other,
those of other processes included, so neither can pass the other.
"""

from __future__ import annotations

from typing import LiteralString

from recollect.observations.payload import Payload
from recollect.store.blobs import Blobs
from recollect.store.engine import Database, Transaction

_IS_NAMED: LiteralString = """
    SELECT 1 FROM observations WHERE input_blob = ?
    UNION ALL SELECT 1 FROM observations WHERE output_blob = ? LIMIT 1
"""
_BATCH = 100
"""Blobs that one transaction looks at."""


def store(blobs: Blobs, *payloads: Payload) -> None:
    """Store the whole of payloads whose row has only head and tail, durably.

    Also of those that are there: who wrote one may have been killed before its name was synced.

    Raises:
        StoreError: it could not be written.
    """
    for payload in payloads:
        if payload.whole is not None:
            blobs.put(payload.whole)


def keep(blobs: Blobs, *payloads: Payload) -> None:
    """Store those of the payloads again that were removed since `store`; asked within the write.

    Raises:
        StoreError: it could not be written.
    """
    for payload in payloads:
        digest = payload.digest
        if digest is not None and payload.whole is not None and not blobs.has(digest):
            blobs.put(payload.whole)


def remove_unused(database: Database, blobs: Blobs) -> int:
    """Remove the blobs that no row names; return how many went.

    Raises:
        StoreError: one cannot be removed; the others are.
    """
    digests = blobs.digests()
    removed = 0
    for start in range(0, len(digests), _BATCH):
        some = digests[start : start + _BATCH]

        def unit(tx: Transaction, some: list[str] = some) -> int:
            unnamed = [each for each in some if tx.row(_IS_NAMED, (each, each)) is None]
            return sum(map(blobs.remove, unnamed))

        removed += database.write(unit)
    return removed
