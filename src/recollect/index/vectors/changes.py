"""The outbox of vectors: the chunks that changed since the back end last caught up.

It exists only while a back end beside our rows is registered, and is kept by triggers, so that it
misses nothing, whichever process writes and whatever its settings are. A row names a chunk, not its
change: the reader uses the row of the vector as it is then.
"""

from __future__ import annotations

import msgspec
import numpy as np

from recollect.index.model.chunk_record import PARTITION_SHIFT, Ints, chunk_ids
from recollect.index.model.generation import Identity
from recollect.index.vectors.port import Part, VectorChange
from recollect.store.columns import first_integer, integer, json_cell, typed_rows
from recollect.store.engine import Row, Transaction


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """The back end that the outbox is for, and its location."""

    name: str
    place: str


def find_registration(tx: Transaction) -> Registration | None:
    """Return the registered back end, or None."""
    if tx.row("SELECT 1 FROM sqlite_schema WHERE name = 'vector_backend'") is None:
        return None
    rows = typed_rows(tx.all("SELECT name, place FROM vector_backend"), tuple[str, str])
    return Registration(name=rows[0][0], place=rows[0][1]) if rows else None


def register(tx: Transaction, registration: Registration) -> None:
    """Start an outbox that lists every existing vector."""
    unregister(tx)
    for statement in _CREATE:
        tx.execute(statement)
    tx.execute(
        "INSERT INTO vector_backend (name, place) VALUES (?, ?)",
        (registration.name, registration.place),
    )
    tx.execute("INSERT INTO vector_changes (chunk) SELECT id FROM vectors ORDER BY id")


def unregister(tx: Transaction) -> None:
    """End the outbox."""
    for trigger in ("vector_added", "vector_changed", "vector_removed"):
        tx.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    for table in ("vector_changes", "vector_backend"):
        tx.execute(f"DROP TABLE IF EXISTS {table}")


def is_behind(tx: Transaction) -> bool:
    """Return whether anything waits."""
    return tx.row("SELECT 1 FROM vector_changes LIMIT 1") is not None


def count_changes(tx: Transaction) -> int:
    """Return the number of waiting changes."""
    return first_integer(tx.row("SELECT count(*) FROM vector_changes"))


def next_changes(tx: Transaction, most: int) -> tuple[int, list[VectorChange]]:
    """Return the number of the last of up to ``most`` changes, 0 for none, and the changes."""
    waiting = tx.all("SELECT id, chunk FROM vector_changes ORDER BY id LIMIT ?", (most,))
    rows = typed_rows(waiting, tuple[int, int])
    if not rows:
        return 0, []
    chunks = sorted({chunk for _, chunk in rows})
    vectors = tx.all(
        "SELECT id, data FROM vectors WHERE id IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(chunks).decode(),),
    )
    there = dict(typed_rows(vectors, tuple[int, bytes]))
    return rows[-1][0], [
        _change(part, chunks, there)
        for number in sorted({chunk >> PARTITION_SHIFT for chunk in chunks})
        if (part := find_part(tx, number)) is not None
    ]


def forget_changes(tx: Transaction, last: int) -> None:
    """Remove the changes up to number ``last``."""
    tx.execute("DELETE FROM vector_changes WHERE id <= ?", (last,))


def add_changes(tx: Transaction, chunks: Ints) -> None:
    """Queue chunks to be brought over again."""
    tx.executemany(
        "INSERT INTO vector_changes (chunk) VALUES (?)", [(chunk,) for chunk in chunks.tolist()]
    )


def find_part(tx: Transaction, number: int) -> Part | None:
    """Return a partition, or None when it is gone or of a retired generation."""
    return next(iter(_parts(tx.all(f"{_PARTS} AND p.id = ?", (number,)))), None)


def live_parts(tx: Transaction) -> list[Part]:
    """Return the partitions of all generations that are not retired."""
    return _parts(tx.all(f"{_PARTS} ORDER BY p.id"))


def stored_ids(tx: Transaction, part: Part) -> Ints:
    """Return the ids of all stored vectors of a partition, ascending."""
    rows = tx.rows(
        "SELECT id FROM vectors WHERE id BETWEEN ? AND ? ORDER BY id", chunk_ids(part.number)
    )
    return np.array([integer(key) for (key,) in rows], np.int64)


def count_stored(tx: Transaction, part: Part) -> int:
    """Return the number of stored vectors of a partition."""
    return first_integer(
        tx.row("SELECT count(*) FROM vectors WHERE id BETWEEN ? AND ?", chunk_ids(part.number))
    )


def _parts(rows: list[Row]) -> list[Part]:
    return [
        Part(
            number=number,
            generation=generation,
            dimensions=json_cell(built_with, Identity).dimensions,
        )
        for number, generation, built_with in typed_rows(rows, tuple[int, int, str])
    ]


def _change(part: Part, chunks: list[int], there: dict[int, bytes]) -> VectorChange:
    """Return the share of ``part`` in the changes; a vector of another size counts as none."""
    ours = [chunk for chunk in chunks if chunk >> PARTITION_SHIFT == part.number]
    upserts = [chunk for chunk in ours if len(there.get(chunk, b"")) == 2 * part.dimensions]
    halves = np.frombuffer(b"".join(there[chunk] for chunk in upserts), "<f2")
    return VectorChange(
        part=part,
        put=upserts,
        vectors=halves.astype(np.float32).reshape(len(upserts), part.dimensions),
        gone=sorted({*ours} - {*upserts}),
    )


_PARTS = (
    "SELECT p.id, g.id, g.identity FROM partitions p JOIN generations g ON g.id = p.generation"
    " WHERE g.status <> 'retired'"
)

_CREATE = (
    "CREATE TABLE vector_backend (name TEXT PRIMARY KEY, place TEXT NOT NULL)"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE vector_changes (id INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL)"
    " STRICT",
    "CREATE TRIGGER vector_added AFTER INSERT ON vectors"
    " BEGIN INSERT INTO vector_changes (chunk) VALUES (NEW.id); END",
    "CREATE TRIGGER vector_changed AFTER UPDATE ON vectors"
    " BEGIN INSERT INTO vector_changes (chunk) VALUES (NEW.id); END",
    "CREATE TRIGGER vector_removed AFTER DELETE ON vectors"
    " BEGIN INSERT INTO vector_changes (chunk) VALUES (OLD.id); END",
)
