"""Seals: whether the rows of a checkpoint are all there, and what was stored.

SQLite seldom notices a page that is damaged, or an older copy of itself. A checkpoint carries the
sum of the hashes of its own cells and of what belongs to it on other pages: the states before and
after, and the rewind whose rescue point it is. So no damaged row says what is written into a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import LiteralString

from recollect.core.errors import StoreCorrupt
from recollect.store.columns import first_integer, text
from recollect.store.engine import Row, Transaction

_MASK = (1 << 56) - 1
_ROWS: tuple[LiteralString, ...] = (
    "SELECT 'checkpoint', tenant, number, session_id, seq, kind, root, created_at"
    " FROM checkpoints WHERE id = ?",
    "SELECT 'before', path, existed_before, backup_blob, before FROM checkpoint_files"
    " WHERE checkpoint_id = ?",
    "SELECT 'after', path, after_blob, after FROM checkpoint_writes WHERE checkpoint_id = ?",
    "SELECT 'rewind', id, session_id, root, type, target_id, status, changes, first_seq, last_seq"
    " FROM rewinds"
    " WHERE rescue_id = ?",
)
_SEAL: LiteralString = "UPDATE checkpoints SET seal = ? WHERE id = ?"
_SEALED: LiteralString = "SELECT seal FROM checkpoints WHERE id = ?"
_STRAYS: LiteralString = """
    SELECT 1 FROM checkpoint_files f WHERE f.checkpoint_id >= ?
        AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.id = f.checkpoint_id) LIMIT 1
"""
_IDS: LiteralString = "SELECT id FROM checkpoints WHERE tenant = ?"
_HINT = "look with `recollect checkpoint fsck`; restore a backup with `recollect restore FILE`"


def seal(tx: Transaction, checkpoint_id: str) -> None:
    """Store the sum of what belongs to a checkpoint, after each change of it."""
    tx.execute(_SEAL, (_sum(tx, checkpoint_id), checkpoint_id))


def check_seal(tx: Transaction, checkpoint_id: str) -> None:
    """Compare what belongs to a checkpoint with its seal.

    Raises:
        StoreCorrupt: rows are missing, or are not what was stored.
    """
    if first_integer(tx.row(_SEALED, (checkpoint_id,))) != _sum(tx, checkpoint_id):
        message = "rows of a checkpoint are missing, or are not what was stored"
        raise StoreCorrupt(message, hint=_HINT, checkpoint=checkpoint_id)


def check_strays(tx: Transaction, first_id: str = "") -> None:
    """Raise where a checkpoint from an id on is missing whose states are there.

    Raises:
        StoreCorrupt: one is.
    """
    if tx.row(_STRAYS, (first_id,)) is not None:
        raise StoreCorrupt("a checkpoint is missing whose files are there", hint=_HINT)


def broken_seals(tx: Transaction, tenant: str) -> Iterator[str]:
    """Yield the ids of the checkpoints of a tenant with rows that are not what was stored."""
    for id_ in [text(row[0]) for row in tx.all(_IDS, (tenant,))]:
        try:
            check_seal(tx, id_)
        except StoreCorrupt:
            yield id_


def _sum(tx: Transaction, checkpoint_id: str) -> int:
    rows = (row for statement in _ROWS for row in tx.rows(statement, (checkpoint_id,)))
    return sum(map(_hash, rows)) & _MASK


def _hash(row: Row) -> int:
    return int.from_bytes(hashlib.blake2b(repr(row).encode(), digest_size=7).digest())
