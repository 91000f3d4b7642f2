"""Checks whether a database is sound: its structure, and every byte of its rows."""

from __future__ import annotations

from recollect.store.columns import text
from recollect.store.engine import Database, Transaction


def find_damage(database: Database) -> list[str]:
    """Return the damage of a database, at most five messages of SQLite; empty when sound.

    Reads the whole file twice: SQLite compares tables and indexes, and not the bytes of texts.

    Raises:
        StoreError: it is so damaged that it cannot be read.
    """
    return database.read(damage_in)


def damage_in(tx: Transaction) -> list[str]:
    """Return the result of `find_damage` for the database of a transaction."""
    messages = [text(row[0]) for row in tx.rows("PRAGMA integrity_check(5)")]
    if messages != ["ok"]:
        return messages
    _read_all(tx)
    return []


def _read_all(tx: Transaction) -> None:
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for name in [text(row[0]) for row in tx.rows(tables)]:
        for _ in tx.rows(f'SELECT * FROM "{name}"'):  # noqa: S608  # a name of our own schema
            pass
