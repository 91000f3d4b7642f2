"""Blobs of observations: there as long as a row names them, and no sooner.

A writer of a row stores its blob afterwards, in the same transaction; a blob is removed within
a transaction that checks that no row names it. Writers run one after the other, those of other
processes included, so neither can pass the other. What has no row, because its session was erased,
deleted or is another's, never reaches the disk.
"""

from __future__ import annotations

from collections.abc import Iterable
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


def store_named(tx: Transaction, blobs: Blobs, payloads: Iterable[Payload]) -> None:
    """Store the whole of payloads that a row names, durably; the only way into the blobs.

    Also of those that are there: who wrote one may have been killed before its name was synced.

    Args:
        tx: The transaction that wrote the rows.
        blobs: The store of blobs.
        payloads: Those of which a row has only head and tail.

    Raises:
        StoreError: it could not be written.
    """
    for payload in payloads:
        digest = payload.digest
        if digest is not None and payload.whole is not None and _is_named(tx, digest):
            blobs.put(payload.whole)


def _is_named(tx: Transaction, digest: str) -> bool:
    return tx.row(_IS_NAMED, (digest, digest)) is not None


def remove_unused(database: Database, blobs: Blobs) -> int:
    """Remove the blobs that no row names; return their number.

    Raises:
        StoreError: one cannot be removed; the others are.
    """
    digests = blobs.digests()
    removed = 0
    for start in range(0, len(digests), _BATCH):
        some = digests[start : start + _BATCH]

        def remove_unnamed(tx: Transaction, some: list[str] = some) -> int:
            unnamed = [each for each in some if not _is_named(tx, each)]
            return sum(map(blobs.remove, unnamed))

        removed += database.write(remove_unnamed)
    return removed
