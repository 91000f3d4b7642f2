"""Generations: a rebuild fills a new one beside the one that answers, then flips in one commit."""

from __future__ import annotations

import msgspec

from recollect.index import layout
from recollect.index.lexical.postings import TERM_SHIFT
from recollect.store.cell import integer, text
from recollect.store.engine import Transaction

DROP_ROWS = 2_000
"""Rows of a retired generation deleted per transaction: about 10 ms of the write lock."""


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What an index was built with. Another identity needs another generation.

    Attributes:
        terms: Version of the rules that make terms.
        pieces: Version of the rules that cut and describe chunks.
        tokens: Chunk size of files, in tokens of four characters.
        overlap: Their overlap, likewise.
        embedder: Fingerprint of the embedder, empty without one.
        dimensions: Size of its vectors, 0 without one.
    """

    terms: int
    pieces: int
    tokens: int
    overlap: int
    embedder: str = ""
    dimensions: int = 0


class Generation(msgspec.Struct, frozen=True):
    """A row of `generations`."""

    number: int
    identity: Identity


def find_generation(tx: Transaction, status: str) -> Generation | None:
    """Return the newest generation with a status (``serving``, ``building``), or None."""
    row = tx.row(
        "SELECT id, identity FROM generations WHERE status = ? ORDER BY id DESC LIMIT 1", (status,)
    )
    if row is None:
        return None
    return Generation(integer(row[0]), msgspec.json.decode(text(row[1]), type=Identity))


def create_generation(tx: Transaction, identity: Identity, status: str, at: int) -> Generation:
    """Start an empty generation."""
    row = tx.row(
        "INSERT INTO generations (status, identity, created_at) VALUES (?, ?, ?) RETURNING id",
        (status, msgspec.json.encode(identity).decode(), at),
    )
    return Generation(integer(row[0]) if row else 0, identity)


def set_identity(tx: Transaction, generation: int, identity: Identity) -> None:
    """Change what a generation is built with: only where its rows stay right (a first embedder)."""
    tx.execute(
        "UPDATE generations SET identity = ? WHERE id = ?",
        (msgspec.json.encode(identity).decode(), generation),
    )


def flip(tx: Transaction, building: int) -> None:
    """Let a built generation answer from now on and retire the one before."""
    tx.execute("UPDATE generations SET status = 'retired' WHERE status = 'serving'")
    tx.execute("UPDATE generations SET status = 'serving' WHERE id = ?", (building,))


def retire_unfinished(tx: Transaction) -> None:
    """Give up generations that are being built; `drop_some` removes them."""
    tx.execute("UPDATE generations SET status = 'retired' WHERE status = 'building'")


def cursor(tx: Transaction, generation: int, feed: str) -> int:
    """Return how far a generation has read a feed; 0 at the start."""
    row = tx.row("SELECT seq FROM cursors WHERE generation = ? AND feed = ?", (generation, feed))
    return integer(row[0]) if row else 0


def set_cursor(tx: Transaction, generation: int, feed: str, seq: int) -> None:
    """Note how far a generation has read a feed."""
    tx.execute(
        "INSERT INTO cursors (generation, feed, seq) VALUES (?, ?, ?)"
        " ON CONFLICT (generation, feed) DO UPDATE SET seq = excluded.seq",
        (generation, feed, seq),
    )


def partition_number(tx: Transaction, generation: int, tenant: str) -> int | None:
    """Return the partition of a tenant, or None when nothing of it is indexed."""
    row = tx.row(
        "SELECT id FROM partitions WHERE generation = ? AND tenant = ?", (generation, tenant)
    )
    return integer(row[0]) if row else None


def partition_numbers(tx: Transaction, generation: int) -> list[int]:
    """Return the partitions of a generation, ascending."""
    rows = tx.rows("SELECT id FROM partitions WHERE generation = ? ORDER BY id", (generation,))
    return [integer(row[0]) for row in rows]


def ensure_partition(tx: Transaction, generation: int, tenant: str) -> int:
    """Return the partition of a tenant, a new one when there is none."""
    known = partition_number(tx, generation, tenant)
    if known is not None:
        return known
    row = tx.row(
        "INSERT INTO partitions (generation, tenant) VALUES (?, ?) RETURNING id",
        (generation, tenant),
    )
    return integer(row[0]) if row else 0


def drop_some(tx: Transaction) -> bool:
    """Delete some rows of a retired generation; return whether there may be more."""
    row = tx.row(
        "SELECT p.id FROM partitions p JOIN generations g ON g.id = p.generation"
        " WHERE g.status = 'retired' LIMIT 1"
    )
    if row is None:
        tx.execute(
            "DELETE FROM cursors WHERE generation IN"
            " (SELECT id FROM generations WHERE status = 'retired')"
        )
        tx.execute("DELETE FROM generations WHERE status = 'retired'")
        return False
    _drop_from_partition(tx, integer(row[0]))
    return True


def _drop_from_partition(tx: Transaction, partition: int) -> None:
    terms = list(
        tx.rows("SELECT id FROM terms WHERE partition_id = ? LIMIT ?", (partition, DROP_ROWS))
    )
    for (term,) in terms:
        low = integer(term) << TERM_SHIFT
        tx.execute(
            "DELETE FROM postings WHERE id BETWEEN ? AND ?", (low, low | (1 << TERM_SHIFT) - 1)
        )
        tx.execute("DELETE FROM terms WHERE id = ?", (term,))
    chunks = list(
        tx.rows(
            "SELECT id FROM chunks WHERE id BETWEEN ? AND ? LIMIT ?",
            (*layout.chunk_ids(partition), DROP_ROWS),
        )
    )
    for statement in _BY_CHUNK:
        tx.executemany(statement, chunks)
    if terms or chunks:
        return
    for statement in _BY_PARTITION:
        tx.execute(statement, (partition,))


_BY_CHUNK = (
    "DELETE FROM chunks WHERE id = ?",
    "DELETE FROM tail WHERE id = ?",
    "DELETE FROM vectors WHERE id = ?",
    "DELETE FROM vector_queue WHERE id = ?",
)
_BY_PARTITION = (
    "DELETE FROM code_rows WHERE partition_id = ?",
    "DELETE FROM code_blocks WHERE partition_id = ?",
    "DELETE FROM removals WHERE partition_id = ?",
    "DELETE FROM segments WHERE partition_id = ?",
    "DELETE FROM documents WHERE partition_id = ?",
    "DELETE FROM chunk_groups WHERE partition_id = ?",
    "DELETE FROM names WHERE partition_id = ?",
    "DELETE FROM partitions WHERE id = ?",
)
