"""The back end sqlite-vec: float vectors in virtual tables of index.db, one table a generation.

Each change is part of the transaction of our own row. Any SQLite that loads the extension can read
the tables ``near_<generation>``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import LiteralString

import numpy as np

from recollect.core.errors import StoreError
from recollect.index.vectors.port import (
    Floats,
    Ints,
    Part,
    VectorChange,
    VectorContext,
    chunk_ids,
)
from recollect.store.columns import integer, text
from recollect.store.engine import ExtensibleDatabase, SqlValue, Transaction

MOST_NEAREST = 4_096
"""The most hits that the extension returns at once."""

_TABLE = re.compile(r"near_(\d+)")
_DELETE_ALL = "DELETE FROM "
_PART_OF_TABLE = re.compile(r"near_\d+_(chunks|rowids|vector_chunks\d+)")


def create(context: VectorContext) -> SqliteVec:
    """Return the back end of an index."""
    return SqliteVec(context.database, context.settings.extension_path)


class SqliteVec:
    """Implements `VectorBackend`.

    Args:
        database: index.db.
        extension_path: File of the extension; None for that of the package.
    """

    name = "sqlite-vec"
    place = ""
    is_inside = True

    def __init__(self, database: ExtensibleDatabase, extension_path: str | None) -> None:
        self._database = database
        self.library = extension_path

    def open(self) -> None:
        """Load the extension."""
        if self.library is None:
            self.library = _packaged()
        self._database.load_extension(self.library)
        self._database.read(lambda tx: tx.row("SELECT vec_version()"))

    def apply(self, tx: Transaction, change: VectorChange) -> None:
        """Store and remove vectors."""
        generation = change.part.generation
        if not _exists(tx, generation):
            if not change.put:
                return
            _create(tx, change.part)
        tx.executemany(
            _on(generation, "DELETE FROM near WHERE rowid = ?"),
            [(chunk,) for chunk in (*change.put, *change.gone)],
        )
        tx.executemany(
            _on(generation, "INSERT INTO near (rowid, partition_id, embedding) VALUES (?, ?, ?)"),
            [
                (chunk, change.part.number, vector.tobytes())
                for chunk, vector in zip(change.put, change.vectors, strict=True)
            ],
        )

    def nearest(self, tx: Transaction, part: Part, vector: Floats, most: int) -> Ints:
        """Return the ids of the nearest vectors; no more than `MOST_NEAREST`."""
        statement: LiteralString = (
            "SELECT rowid FROM near WHERE embedding MATCH ? AND k = ? AND partition_id = ?"
            " ORDER BY distance"
        )
        values = (vector.astype("<f4").tobytes(), min(most, MOST_NEAREST), part.number)
        return np.array(_integers(tx, part, statement, values), np.int64)

    def ids(self, tx: Transaction, part: Part) -> Ints:
        """Return the ids of the vectors of a partition."""
        statement: LiteralString = "SELECT rowid FROM near_rowids WHERE rowid BETWEEN ? AND ?"
        return np.array(_integers(tx, part, statement, chunk_ids(part.number)), np.int64)

    def count(self, tx: Transaction, part: Part) -> int:
        """Return the number of vectors of a partition."""
        statement: LiteralString = "SELECT count(*) FROM near_rowids WHERE rowid BETWEEN ? AND ?"
        return sum(_integers(tx, part, statement, chunk_ids(part.number)))

    def keep_only(self, tx: Transaction, parts: Sequence[Part]) -> None:
        """Drop the tables of other generations; partitions go one by one with their rows."""
        generations = {part.generation for part in parts}
        present = {int(match[1]) for name in _tables(tx) if (match := _TABLE.fullmatch(name))}
        for generation in present - generations:
            tx.execute(_on(generation, "DROP TABLE near"))

    def leave(self, tx: Transaction) -> None:
        """Drop all tables; where the extension cannot be loaded, empty them."""
        try:
            self.keep_only(tx, ())
        except StoreError:
            _empty(tx)

    def close(self) -> None:
        """Do nothing: the extension stays with the connections."""


def _create(tx: Transaction, part: Part) -> None:
    layout: LiteralString = (
        "CREATE VIRTUAL TABLE near USING vec0("
        "partition_id INTEGER PARTITION KEY, embedding FLOAT[size] distance_metric=cosine)"
    )
    tx.execute(_on(part.generation, layout).replace("size", str(part.dimensions)))


def _on(generation: int, statement: LiteralString) -> LiteralString:
    """Return a statement for the table of a generation; a number is as safe as a literal."""
    return statement.replace("near", f"near_{generation}")


def _integers(
    tx: Transaction, part: Part, statement: LiteralString, values: Sequence[SqlValue]
) -> list[int]:
    """Return the first column of the rows of a generation's table; empty without a table."""
    if not _exists(tx, part.generation):
        return []
    return [integer(value) for (value,) in tx.rows(_on(part.generation, statement), values)]


def _exists(tx: Transaction, generation: int) -> bool:
    name = (f"near_{generation}",)
    return tx.row("SELECT 1 FROM sqlite_schema WHERE name = ?", name) is not None


def _tables(tx: Transaction) -> list[str]:
    rows = tx.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'near%'")
    return [text(name) for (name,) in rows]


def _empty(tx: Transaction) -> None:
    """Delete the content of the tables, from the ordinary tables that each one consists of.

    These have to stay: with the extension the table can be dropped only as long as they exist.
    """
    for name in _tables(tx):
        if _PART_OF_TABLE.fullmatch(name):
            tx.execute(_DELETE_ALL + name)


def _packaged() -> str:
    if find_spec("sqlite_vec") is None:
        raise StoreError(
            "the package sqlite-vec is not installed",
            hint='run `pip install "recollect[sqlite-vec]"`, or set search.vector.extension_path',
        )
    import sqlite_vec  # type: ignore[import-untyped]  # it has no types

    return str(sqlite_vec.loadable_path())
