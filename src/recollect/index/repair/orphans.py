"""Rows of index.db that belong to nothing: what they are, how many, and their removal.

Every write keeps the tables together in one transaction, so such rows come only from outside: a
tool, a disk, an older mistake. While a retired generation is being removed (see `retired`) there
are some that do not count.
"""

from __future__ import annotations

from functools import partial
from typing import LiteralString

import msgspec

from recollect.index.build import retired
from recollect.index.build.retired import KeyedTable
from recollect.store.engine import Database, Transaction

ROWS = 2_000
"""Rows removed in one transaction, so that no other write waits for long."""


class Orphans(msgspec.Struct, frozen=True):
    """A kind of them: its name for people, the table, and what is true of each."""

    name: str
    table: KeyedTable
    condition: LiteralString


_NO_PARTITION = "partition_id NOT IN (SELECT id FROM partitions)"
_NO_PARTITION_OF_CHUNK = "id >> 40 NOT IN (SELECT id FROM partitions)"
_NO_CHUNK = "id NOT IN (SELECT id FROM chunks)"
_NAMES_IN_USE = (
    "SELECT agent_id FROM documents UNION SELECT user_id FROM documents"
    " UNION SELECT project_id FROM documents UNION SELECT speaker_id FROM documents"
)

KINDS = (
    Orphans("documents of no partition", retired.DOCUMENTS, _NO_PARTITION),
    Orphans("chunks of no partition", retired.CHUNKS, _NO_PARTITION_OF_CHUNK),
    Orphans("vectors without a chunk", retired.VECTORS, _NO_CHUNK),
    Orphans("waiting vectors without a chunk", retired.VECTOR_QUEUE, _NO_CHUNK),
    Orphans("refused vectors without a chunk", retired.VECTOR_REFUSED, _NO_CHUNK),
    Orphans("annotations without a chunk", retired.ANNOTATIONS, _NO_CHUNK),
    Orphans(
        "postings without a term",
        KeyedTable("postings"),
        "id >> 32 NOT IN (SELECT id FROM terms)",
    ),
    Orphans(
        "groups without a document",
        retired.CHUNK_GROUPS,
        "(partition_id, number) NOT IN (SELECT partition_id, group_number FROM documents)",
    ),
    Orphans("names without a document", retired.NAMES, "id NOT IN (" + _NAMES_IN_USE + ")"),
    Orphans(
        "file names without a document",
        retired.FILE_NAMES,
        "document NOT IN (SELECT id FROM documents)",
    ),
    Orphans("terms of no partition", KeyedTable("terms"), _NO_PARTITION),
    Orphans("segments of no partition", retired.SEGMENTS, _NO_PARTITION),
    Orphans("waiting words of no partition", retired.TAIL, _NO_PARTITION_OF_CHUNK),
    Orphans("codes of no partition", retired.CODE_ROWS, _NO_PARTITION),
    Orphans("blocks of codes of no partition", retired.CODE_BLOCKS, _NO_PARTITION),
    Orphans("removals of no partition", retired.REMOVALS, _NO_PARTITION),
    Orphans(
        "cursors of no generation",
        KeyedTable("cursors", ("generation", "feed")),
        "generation NOT IN (SELECT id FROM generations)",
    ),
)
"""In an order in which the removal of one kind leaves those that follow right."""

ALL = -1
"""As a limit."""


def count_orphans(tx: Transaction) -> dict[str, int]:
    """Return the kinds that there are, and how many of each; none beside a retired generation."""
    if tx.row("SELECT 1 FROM generations WHERE status = 'retired'"):
        return {}
    counted = {kind.name: len(kind.table.page(tx, kind.condition, (ALL,))) for kind in KINDS}
    return {name: number for name, number in counted.items() if number}


def remove_orphans(database: Database) -> int:
    """Remove all of them in small transactions, and return how many rows that were."""
    removed = 0
    for kind in KINDS:
        while step := database.write(partial(_remove_some, kind=kind)):
            removed += step
    return removed


def _remove_some(tx: Transaction, kind: Orphans) -> int:
    found = kind.table.page(tx, kind.condition, (ROWS,))
    kind.table.remove(tx, found)
    return len(found)
