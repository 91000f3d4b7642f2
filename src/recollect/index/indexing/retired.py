"""Removes retired generations, some rows at a time, so that no other write waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from recollect.index.embedding.cache import keep_abandoned
from recollect.index.lexical.choice import backend
from recollect.index.lexical.port import Backend
from recollect.index.model.chunk_record import chunk_ids
from recollect.index.model.generation import Identity
from recollect.store.columns import integer, json_cell
from recollect.store.engine import Row, SqlValue, Transaction

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
    identity = json_cell(row[1], Identity)
    _drop_from(tx, integer(row[0]), backend(identity.lexical))
    return True


def _drop_from(tx: Transaction, partition: int, words: Backend) -> None:
    """Delete rows of the first kind that has any, at last the partition itself."""
    if words.drop_some(tx, partition, DROP_ROWS) or _drop_chunks(tx, partition):
        return
    if not any(_drop_kind(tx, partition, *kind) for kind in _BY_PARTITION):
        tx.execute("DELETE FROM partitions WHERE id = ?", (partition,))


def _drop_chunks(tx: Transaction, partition: int) -> list[Row]:
    first, last = chunk_ids(partition)
    keys = CHUNKS.page(tx, "id BETWEEN ? AND ? ORDER BY id", (first, last, DROP_ROWS))
    if keys:
        keep_abandoned(tx, partition, integer(keys[0][0]), integer(keys[-1][0]))
    for table in (CHUNKS, *BY_CHUNK):
        table.remove(tx, keys)
    return keys


def _drop_kind(tx: Transaction, partition: int, table: KeyedTable, weight: int) -> list[Row]:
    most = max(1, DROP_ROWS // weight)
    keys = table.page(tx, "partition_id = ?", (partition, most))
    table.remove(tx, keys)
    return keys


class KeyedTable(msgspec.Struct, frozen=True):
    """A table of index.db whose rows are removed by their key, and the columns of the key."""

    name: LiteralString
    key: tuple[LiteralString, ...] = ("id",)

    def page(
        self, tx: Transaction, condition: LiteralString, params: Sequence[SqlValue]
    ) -> list[Row]:
        """Return the keys of rows that meet a condition; the last parameter is the limit."""
        parts = ("SELECT", ", ".join(self.key), "FROM", self.name, "WHERE", condition, "LIMIT ?")
        return tx.all(" ".join(parts), params)

    def remove(self, tx: Transaction, keys: Sequence[Row]) -> None:
        """Delete rows by their keys."""
        if keys:
            condition = " AND ".join([f"{column} = ?" for column in self.key])
            tx.executemany(" ".join(("DELETE FROM", self.name, "WHERE", condition)), keys)


CHUNKS = KeyedTable("chunks")
TAIL = KeyedTable("tail")
ANNOTATIONS = KeyedTable("annotations")
VECTORS = KeyedTable("vectors")
VECTOR_QUEUE = KeyedTable("vector_queue")
VECTOR_REFUSED = KeyedTable("vector_refused")
BY_CHUNK = (TAIL, ANNOTATIONS, VECTORS, VECTOR_QUEUE, VECTOR_REFUSED)
"""The rows of a chunk in other tables than its own."""
CODE_ROWS = KeyedTable("code_rows")
CODE_BLOCKS = KeyedTable("code_blocks", ("partition_id", "block"))
REMOVALS = KeyedTable("removals")
SEGMENTS = KeyedTable("segments", ("partition_id", "first_chunk"))
FILE_NAMES = KeyedTable("file_names", ("partition_id", "name", "rank", "document"))
MENTIONS = KeyedTable("mentions", ("partition_id", "number", "document", "line"))
DOCUMENTS = KeyedTable("documents")
CHUNK_GROUPS = KeyedTable("chunk_groups", ("partition_id", "number"))
NAMES = KeyedTable("names")
_BY_PARTITION = (
    (CODE_ROWS, 1),
    (CODE_BLOCKS, 100),
    (REMOVALS, 1),
    (SEGMENTS, 1_000),
    (FILE_NAMES, 1),
    (MENTIONS, 1),
    (DOCUMENTS, 1),
    (CHUNK_GROUPS, 1),
    (NAMES, 1),
)
"""Each with the number of small rows that one of its rows is worth."""
