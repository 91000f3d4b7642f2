"""Units of work on the table ``notes``."""

from __future__ import annotations

from collections.abc import Callable

from recollect.store.engine import Row, SqlValue, Transaction


def add(words: SqlValue, number: int | None = None) -> Callable[[Transaction], int]:
    """Return the unit that adds a note and returns its number."""

    def unit(tx: Transaction) -> int:
        row = tx.row("INSERT INTO notes VALUES (?, ?) RETURNING id", (number, words))
        assert row is not None
        assert isinstance(row[0], int)
        return row[0]

    return unit


def words(tx: Transaction) -> list[SqlValue]:
    """Return the words of all notes in order."""
    return [row[0] for row in tx.rows("SELECT words FROM notes ORDER BY id")]


def one(tx: Transaction) -> Row | None:
    """Read something cheap."""
    return tx.row("SELECT 1")
