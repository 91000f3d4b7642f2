"""What is sound of the cache of vectors of a damaged index: some of it was paid for.

It is read row by row around what is damaged, into a file without a name, and written into the index
that takes its place. Everything else of an index is derived from what is there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, LiteralString, Protocol, TypeVar, cast

import msgspec

from recollect.core.errors import RecollectError
from recollect.index.embedding.cache import sound_vectors
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import Database, Transaction

T = TypeVar("T")

_ROWS = 256
"""Of one statement; where it fails, each is asked for alone."""
_LEAST_BYTES = 64
"""No row takes less; tells how many there can be where the last one cannot be read."""
_LAST: LiteralString = "SELECT coalesce(max(id), 0) FROM embedding_cache"
_READ: LiteralString = (
    "SELECT e.hash, s.provider, s.model, s.provider_key, e.updated_at, e.data"
    " FROM embedding_cache e JOIN embedding_spaces s ON s.id = e.space"
    " WHERE e.id > ? AND e.id <= ?"
)
_ADD_SPACE: LiteralString = (
    "INSERT INTO embedding_spaces (provider, model, provider_key) VALUES (?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)
_ADD: LiteralString = (
    "INSERT INTO embedding_cache (hash, space, updated_at, data)"
    " SELECT ?, id, ?, ? FROM embedding_spaces"
    " WHERE provider = ? AND model = ? AND provider_key = ? ON CONFLICT DO NOTHING"
)


class _Row(msgspec.Struct, frozen=True, array_like=True):
    hash: bytes
    provider: str
    model: str
    provider_key: str
    updated_at: int
    data: bytes


class Readable(Protocol):
    """A damaged index. What fails ends a transaction, and so each read has one of its own."""

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Return what a unit of work finds."""


def save_vectors(index: Readable, folder: Path, size: int) -> BinaryIO:
    """Return the sound rows of a cache as an open file without a name.

    Args:
        index: The damaged one.
        folder: Where the disk has room.
        size: Of the index, in bytes.
    """
    stream = cast("BinaryIO", tempfile.TemporaryFile(dir=folder))  # noqa: SIM115  # the caller's
    for start in range(0, _last(index, size), _ROWS):
        for row in _sound(index, start):
            part = msgspec.msgpack.encode(row)
            stream.write(len(part).to_bytes(4) + part)
    stream.seek(0)
    return stream


def put_vectors_back(database: Database, stream: BinaryIO) -> int:
    """Write saved rows into an index, and return how many there were."""
    total = 0
    rows = _rows(stream)
    while page := list(islice(rows, _ROWS)):
        database.write(partial(_add, rows=page))
        total += len(page)
    return total


def _last(index: Readable, size: int) -> int:
    try:
        return index.read(lambda tx: first_integer(tx.row(_LAST)))
    except RecollectError:
        return size // _LEAST_BYTES


def _sound(index: Readable, start: int) -> Iterator[_Row]:
    try:
        yield from _found(index, start, start + _ROWS)
    except RecollectError:
        for one in range(start, start + _ROWS):
            try:
                yield from _found(index, one, one + 1)
            except RecollectError:
                continue


def _found(index: Readable, after: int, through: int) -> list[_Row]:
    rows = index.read(lambda tx: typed_rows(tx.all(_READ, (after, through)), _Row))
    return [row for row in rows if sound_vectors([(row.hash, row.data)], len(row.data) // 2)]


def _rows(stream: BinaryIO) -> Iterator[_Row]:
    while size := int.from_bytes(stream.read(4)):
        yield msgspec.msgpack.decode(stream.read(size), type=_Row)


def _add(tx: Transaction, rows: list[_Row]) -> None:
    spaces = {(row.provider, row.model, row.provider_key) for row in rows}
    tx.executemany(_ADD_SPACE, sorted(spaces))
    tx.executemany(
        _ADD,
        [
            (row.hash, row.updated_at, row.data, row.provider, row.model, row.provider_key)
            for row in rows
        ],
    )
