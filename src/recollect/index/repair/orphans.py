"""Rows of index.db that belong to nothing: what they are, how many, and their removal.

Every write keeps the tables together in one transaction, so such rows come only from outside: a
tool, a disk, an older mistake. While a retired generation is being removed (see `retired`) there
are some that do not count.
"""

from __future__ import annotations

from functools import partial
from typing import LiteralString

import msgspec

from recollect.store.engine import Database, Transaction

ROWS = 2_000
"""Rows removed in one transaction, so that no other write waits for long."""


class Orphans(msgspec.Struct, frozen=True):
    """A kind of them: its name for people, how to find so many, and how to remove one."""

    name: str
    find: LiteralString
    remove: LiteralString


KINDS = (
    Orphans(
        "documents of no partition",
        "SELECT id FROM documents WHERE partition_id NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM documents WHERE id = ?",
    ),
    Orphans(
        "chunks of no partition",
        "SELECT id FROM chunks WHERE id >> 40 NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM chunks WHERE id = ?",
    ),
    Orphans(
        "vectors without a chunk",
        "SELECT id FROM vectors WHERE id NOT IN (SELECT id FROM chunks) LIMIT ?",
        "DELETE FROM vectors WHERE id = ?",
    ),
    Orphans(
        "waiting vectors without a chunk",
        "SELECT id FROM vector_queue WHERE id NOT IN (SELECT id FROM chunks) LIMIT ?",
        "DELETE FROM vector_queue WHERE id = ?",
    ),
    Orphans(
        "refused vectors without a chunk",
        "SELECT id FROM vector_refused WHERE id NOT IN (SELECT id FROM chunks) LIMIT ?",
        "DELETE FROM vector_refused WHERE id = ?",
    ),
    Orphans(
        "annotations without a chunk",
        "SELECT id FROM annotations WHERE id NOT IN (SELECT id FROM chunks) LIMIT ?",
        "DELETE FROM annotations WHERE id = ?",
    ),
    Orphans(
        "postings without a term",
        "SELECT id FROM postings WHERE id >> 32 NOT IN (SELECT id FROM terms) LIMIT ?",
        "DELETE FROM postings WHERE id = ?",
    ),
    Orphans(
        "groups without a document",
        "SELECT partition_id, number FROM chunk_groups WHERE (partition_id, number) NOT IN"
        " (SELECT partition_id, group_number FROM documents) LIMIT ?",
        "DELETE FROM chunk_groups WHERE partition_id = ? AND number = ?",
    ),
    Orphans(
        "names without a document",
        "SELECT id FROM names WHERE id NOT IN"
        " (SELECT agent_id FROM documents UNION SELECT user_id FROM documents"
        " UNION SELECT project_id FROM documents UNION SELECT speaker_id FROM documents) LIMIT ?",
        "DELETE FROM names WHERE id = ?",
    ),
    Orphans(
        "file names without a document",
        "SELECT partition_id, name, rank, document FROM file_names"
        " WHERE document NOT IN (SELECT id FROM documents) LIMIT ?",
        "DELETE FROM file_names WHERE partition_id = ? AND name = ? AND rank = ? AND document = ?",
    ),
    Orphans(
        "terms of no partition",
        "SELECT id FROM terms WHERE partition_id NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM terms WHERE id = ?",
    ),
    Orphans(
        "segments of no partition",
        "SELECT partition_id, first_chunk FROM segments"
        " WHERE partition_id NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM segments WHERE partition_id = ? AND first_chunk = ?",
    ),
    Orphans(
        "waiting words of no partition",
        "SELECT id FROM tail WHERE id >> 40 NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM tail WHERE id = ?",
    ),
    Orphans(
        "codes of no partition",
        "SELECT id FROM code_rows WHERE partition_id NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM code_rows WHERE id = ?",
    ),
    Orphans(
        "blocks of codes of no partition",
        "SELECT partition_id, block FROM code_blocks"
        " WHERE partition_id NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM code_blocks WHERE partition_id = ? AND block = ?",
    ),
    Orphans(
        "removals of no partition",
        "SELECT id FROM removals WHERE partition_id NOT IN (SELECT id FROM partitions) LIMIT ?",
        "DELETE FROM removals WHERE id = ?",
    ),
    Orphans(
        "cursors of no generation",
        "SELECT generation, feed FROM cursors"
        " WHERE generation NOT IN (SELECT id FROM generations) LIMIT ?",
        "DELETE FROM cursors WHERE generation = ? AND feed = ?",
    ),
)
"""In an order in which the removal of one kind leaves those that follow right."""

ALL = -1
"""As a limit."""


def count_orphans(tx: Transaction) -> dict[str, int]:
    """Return the kinds that there are, and how many of each; none beside a retired generation."""
    if tx.row("SELECT 1 FROM generations WHERE status = 'retired'"):
        return {}
    counted = {kind.name: sum(1 for _ in tx.rows(kind.find, (ALL,))) for kind in KINDS}
    return {name: number for name, number in counted.items() if number}


def remove_orphans(database: Database) -> int:
    """Remove all of them in small transactions, and return how many rows that were."""
    removed = 0
    for kind in KINDS:
        while step := database.write(partial(_remove_some, kind=kind)):
            removed += step
    return removed


def _remove_some(tx: Transaction, kind: Orphans) -> int:
    found = list(tx.rows(kind.find, (ROWS,)))
    tx.executemany(kind.remove, found)
    return len(found)
