"""Values that a database stores under keys, and random numbers that are drawn once."""

from __future__ import annotations

import secrets
from typing import LiteralString

from recollect.store.columns import text
from recollect.store.engine import Database, Transaction

REDACTION_SALT = "redaction.salt"
"""The key of the random number that keys the marks of secrets."""
EPOCH = "events.epoch"
"""The key of the random number of a journal; a restored journal has another."""
KEPT = ("sessions.plain_keys", "apart")
"""The keys of settings that are younger than some homes, of which each keeps what it did before: a
value that the settings must say; empty where they said something else."""
UNTOLD = "untold"
"""The settings say it, but no status has reported it yet."""
FIND_VALUE: LiteralString = "SELECT value FROM meta WHERE key = ?"
ADD_VALUE: LiteralString = (
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
)
_SET: LiteralString = """
    INSERT INTO meta (key, value) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""


def find_value(tx: Transaction, key: str) -> str | None:
    """Return the value under ``key``; None without any."""
    row = tx.row(FIND_VALUE, (key,))
    return text(row[0]) if row else None


def set_value(tx: Transaction, key: str, value: str) -> None:
    """Store a value under ``key``, in place of the one before."""
    tx.execute(_SET, (key, value))


def drop_value(tx: Transaction, key: str) -> None:
    """Remove the value under ``key``."""
    tx.execute("DELETE FROM meta WHERE key = ?", (key,))


def new_epoch() -> str:
    """Return a new random number for `EPOCH`, 8 hex digits."""
    return secrets.token_hex(4)


def persisted_random(records: Database, key: str) -> str:
    """Return the random number of a home under ``key``, as 64 hex digits."""
    return records.read(lambda tx: find_value(tx, key)) or records.write(lambda tx: _draw(tx, key))


def _draw(tx: Transaction, key: str) -> str:
    tx.execute(ADD_VALUE, (key, secrets.token_hex(32)))
    return find_value(tx, key) or ""
