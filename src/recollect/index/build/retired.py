"""Removes retired generations, some rows at a time, so that no other write waits for it."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.index.lexical.choice import backend
from recollect.index.lexical.port import Backend
from recollect.index.model.chunk_record import chunk_ids
from recollect.index.model.generation import Identity
from recollect.store.columns import integer, text
from recollect.store.engine import Row, Transaction

DROP_ROWS = 2_000
"""Rows deleted per transaction, of each kind: about 10 ms of the write lock."""


def drop_some(tx: Transaction) -> bool:
    """Delete some rows of a retired generation; return whether there may be more."""
    row = tx.row(
        "SELECT p.id, g.identity FROM partitions p JOIN generations g ON g.id = p.generation"
        " WHERE g.status = 'retired' LIMIT 1"
    )
    if row is None:
        tx.execute(
            "DELETE FROM cursors WHERE generation IN"
            " (SELECT id FROM generations WHERE status = 'retired')"
        )
        tx.execute("DELETE FROM generations WHERE status = 'retired'")
        return False
    identity = msgspec.json.decode(text(row[1]), type=Identity)
    _drop_from(tx, integer(row[0]), backend(identity.lexical))
    return True


def _drop_from(tx: Transaction, partition: int, words: Backend) -> None:
    """Delete rows of the first kind that has any, at last the partition itself."""
    if words.drop_some(tx, partition, DROP_ROWS) or _drop_chunks(tx, partition):
        return
    for kind in _BY_PARTITION:
        found = list(tx.rows(kind.find, (partition, max(1, DROP_ROWS // kind.weight))))
        if found:
            tx.executemany(kind.remove, found)
            return
    tx.execute("DELETE FROM partitions WHERE id = ?", (partition,))


def _drop_chunks(tx: Transaction, partition: int) -> list[Row]:
    limits = (*chunk_ids(partition), DROP_ROWS)
    chunks = list(tx.rows("SELECT id FROM chunks WHERE id BETWEEN ? AND ? LIMIT ?", limits))
    for statement in _BY_CHUNK:
        tx.executemany(statement, chunks)
    return chunks


_BY_CHUNK: tuple[LiteralString, ...] = (
    "DELETE FROM chunks WHERE id = ?",
    "DELETE FROM tail WHERE id = ?",
    "DELETE FROM annotations WHERE id = ?",
    "DELETE FROM vectors WHERE id = ?",
    "DELETE FROM vector_queue WHERE id = ?",
    "DELETE FROM vector_refused WHERE id = ?",
)


class _Kind(msgspec.Struct, frozen=True):
    """How to find some rows of a kind, how to delete one, and how many small rows one is worth."""

    find: LiteralString
    remove: LiteralString
    weight: int = 1


_BY_PARTITION = (
    _Kind(
        "SELECT id FROM code_rows WHERE partition_id = ? LIMIT ?",
        "DELETE FROM code_rows WHERE id = ?",
    ),
    _Kind(
        "SELECT partition_id, block FROM code_blocks WHERE partition_id = ? LIMIT ?",
        "DELETE FROM code_blocks WHERE partition_id = ? AND block = ?",
        weight=100,
    ),
    _Kind(
        "SELECT id FROM removals WHERE partition_id = ? LIMIT ?",
        "DELETE FROM removals WHERE id = ?",
    ),
    _Kind(
        "SELECT partition_id, first_chunk FROM segments WHERE partition_id = ? LIMIT ?",
        "DELETE FROM segments WHERE partition_id = ? AND first_chunk = ?",
        weight=1_000,
    ),
    _Kind(
        "SELECT partition_id, name, rank, document FROM file_names WHERE partition_id = ? LIMIT ?",
        "DELETE FROM file_names WHERE partition_id = ? AND name = ? AND rank = ? AND document = ?",
    ),
    _Kind(
        "SELECT id FROM documents WHERE partition_id = ? LIMIT ?",
        "DELETE FROM documents WHERE id = ?",
    ),
    _Kind(
        "SELECT partition_id, number FROM chunk_groups WHERE partition_id = ? LIMIT ?",
        "DELETE FROM chunk_groups WHERE partition_id = ? AND number = ?",
    ),
    _Kind(
        "SELECT id FROM names WHERE partition_id = ? LIMIT ?",
        "DELETE FROM names WHERE id = ?",
    ),
)
