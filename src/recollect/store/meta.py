"""Values that a database keeps under keys, and random numbers that are drawn once."""

from __future__ import annotations

import secrets
from typing import LiteralString

from recollect.store.columns import text
from recollect.store.engine import Database, Transaction

REDACTION_SALT = "redaction.salt"
"""The key of the random number that marks of secrets are made with."""
EPOCH = "events.epoch"
"""The key of the random number of a journal: what a restore puts in its place has another."""
PLAIN_KEYS = "sessions.plain_keys"
"""The key of whose plain names were in a home of before the setting of this name."""
OWNERS = "owner"
"""They were the owner's, and the settings are to say so."""
UNTOLD = "untold"
"""The settings say so; no status did yet."""
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
    """Keep a value under ``key``, in place of the one before."""
    tx.execute(_SET, (key, value))


def drop_value(tx: Transaction, key: str) -> None:
    """Keep no value under ``key`` any more."""
    tx.execute("DELETE FROM meta WHERE key = ?", (key,))


def new_epoch() -> str:
    """Draw what `EPOCH` is the key of, 8 hex digits."""
    return secrets.token_hex(4)


def persisted_random(records: Database, key: str) -> str:
    """Return the random number of a home under ``key``, as 64 hex digits."""
    return records.read(lambda tx: find_value(tx, key)) or records.write(lambda tx: _draw(tx, key))


def _draw(tx: Transaction, key: str) -> str:
    tx.execute(ADD_VALUE, (key, secrets.token_hex(32)))
    return find_value(tx, key) or ""
