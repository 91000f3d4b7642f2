"""Random numbers of a home: drawn when they are asked for first, then always the same."""

from __future__ import annotations

import secrets

from recollect.store.columns import text
from recollect.store.engine import Database, Transaction


def persisted_random(records: Database, key: str) -> str:
    """Return the random number of a home under ``key``, as 64 hex digits."""
    return records.read(lambda tx: _find(tx, key)) or records.write(lambda tx: _draw(tx, key))


def _find(tx: Transaction, key: str) -> str:
    row = tx.row("SELECT value FROM meta WHERE key = ?", (key,))
    return text(row[0]) if row else ""


def _draw(tx: Transaction, key: str) -> str:
    tx.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
        (key, secrets.token_hex(32)),
    )
    return _find(tx, key)
