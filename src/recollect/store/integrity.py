"""Whether a database file is sound, by SQLite's own checks."""

from __future__ import annotations

from recollect.store.cell import text
from recollect.store.engine import Database, Transaction

MOST_REPORTED = 5


def quick_check(database: Database) -> list[str]:
    """Return what is wrong with a database, in SQLite's words and at most five; empty when sound.

    Reads the whole file: about a second for a gigabyte that is cached.

    Raises:
        StoreError: it is so damaged that it cannot be read.
    """
    return database.read(_check)


def _check(tx: Transaction) -> list[str]:
    said = [text(row[0]) for row in tx.rows("PRAGMA quick_check(5)")]
    return [] if said == ["ok"] else said[:MOST_REPORTED]
