"""Whether a database file is sound, by SQLite's own checks and by reading every row."""

from __future__ import annotations

from recollect.store.cell import text
from recollect.store.engine import Database, Transaction

MOST_REPORTED = 5


def quick_check(database: Database) -> list[str]:
    """Return what is wrong with a database, in SQLite's words and at most five; empty when sound.

    Reads the whole file twice: SQLite looks at its structure, and not at the bytes of its texts.

    Raises:
        StoreError: it is so damaged that it cannot be read.
    """
    said = database.read(_check)
    if not said:
        database.read(_read_all)
    return said


def _check(tx: Transaction) -> list[str]:
    said = [text(row[0]) for row in tx.rows("PRAGMA quick_check(5)")]
    return [] if said == ["ok"] else said[:MOST_REPORTED]


def _read_all(tx: Transaction) -> None:
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for name in [text(row[0]) for row in tx.rows(tables)]:
        for _ in tx.rows(f'SELECT * FROM "{name}"'):  # noqa: S608  # a name of our own schema
            pass
