"""Digests of tables that must not go back in time: revoked tokens, erased records, unlinked people.

A page that is an older copy of itself is sound to SQLite. The digest of a table is the sum of its
rows; it is stored on another page, in the transaction that changes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, LiteralString, TypeAlias, get_args

from recollect.core.errors import StoreCorrupt
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import SqlValue, Transaction

Digested: TypeAlias = Literal["tokens", "tombstones", "identities"]
"""The tables."""
DIGESTED: tuple[Digested, ...] = get_args(Digested)
_MASK = (1 << 56) - 1
_BYTES = 7
_ROWS: dict[Digested, LiteralString] = {
    "tokens": "SELECT created_at + 3 * coalesce(revoked_at, 0) + 5 * coalesce(expires_at, 0)"
    " FROM tokens",
    "tombstones": "SELECT hash FROM tombstones",
    "identities": "SELECT hash FROM identities",
}
_FIND: LiteralString = "SELECT digest FROM digests WHERE name = ?"
_ADD: LiteralString = "UPDATE digests SET digest = (digest + ?) & 72057594037927935 WHERE name = ?"


def note_digest(
    tx: Transaction, table: Digested, cells: list[SqlValue], removed: Sequence[SqlValue] = ()
) -> None:
    """Add the change of its rows to the digest of a table, and take off that of removed ones."""
    tx.execute(_ADD, ((sum(map(_part, cells)) - sum(map(_part, removed))) & _MASK, table))


def stored_digest(tx: Transaction, table: Digested) -> int:
    """Return the stored digest of a table."""
    return first_integer(tx.row(_FIND, (table,)))


def check_digest(tx: Transaction, table: Digested) -> None:
    """Compare a table with its digest, row by row.

    Raises:
        StoreCorrupt: rows are missing, or differ from those that were stored.
    """
    rows = typed_rows(tx.all(_ROWS[table]), tuple[bytes | int | None])
    if sum(_part(cell) for (cell,) in rows) & _MASK != stored_digest(tx, table):
        raise StoreCorrupt(
            f"rows of {table} are missing, or are not what was stored",
            hint="look with `recollect doctor`; restore a backup with `recollect restore FILE`,"
            " or run `recollect recover`",
        )


def _part(cell: SqlValue) -> int:
    return int.from_bytes(cell[:_BYTES], "big") if isinstance(cell, bytes) else int(cell or 0)
