"""Saves the sound vectors of a damaged index: some of them were paid for.

They are read row by row around the damage, into a file without a name, and written into the cache
of the index that replaces it. Everything else of an index can be derived again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, LiteralString, Protocol, TypeVar, cast

import msgspec

from recollect.core.decoding import decode_msgpack
from recollect.core.errors import RecollectError
from recollect.index.embedding.cache import ADD_SPACE, sound_vectors, space_of_identity
from recollect.index.model.chunk_record import chunk_id
from recollect.index.model.generation import Identity
from recollect.store.columns import first_integer, json_cell, typed_rows
from recollect.store.engine import Database, SqlValue, Transaction

T = TypeVar("T")

_ROWS = 256
"""Rows of one statement; when it fails, each is read alone."""
_LEAST_BYTES = 64
"""The smallest size of a row; bounds their number when the last one cannot be read."""
_LAST: LiteralString = "SELECT coalesce(max(id), 0) FROM embedding_cache"
_READ: LiteralString = (
    "SELECT e.hash, s.provider, s.model, s.provider_key, e.updated_at, e.data"
    " FROM embedding_cache e JOIN embedding_spaces s ON s.id = e.space"
    " WHERE e.id > ? AND e.id <= ?"
)
_PARTITIONS: LiteralString = (
    "SELECT p.id, p.chunks, g.identity, g.created_at"
    " FROM partitions p JOIN generations g ON g.id = p.generation"
)
_READ_CHUNKS: LiteralString = (
    "SELECT c.hash, ?3, ?4, ?5, ?6, v.data FROM vectors v CROSS JOIN chunks c ON c.id = v.id"
    " WHERE v.id > ?1 AND v.id <= ?2"
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


class _Span(msgspec.Struct, frozen=True):
    """Rows between two ids, and the statement that reads some of them."""

    first: int
    last: int
    sql: LiteralString
    more: tuple[SqlValue, ...] = ()


class Readable(Protocol):
    """A damaged index. An error ends a transaction, so each read has one of its own."""

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Return the result of a unit of work."""


def save_vectors(index: Readable, folder: Path, size: int) -> BinaryIO:
    """Return the sound vectors of an index, of chunks and kept ones, as a file without a name.

    Args:
        index: The damaged one.
        folder: Where the disk has room.
        size: Of the index, in bytes.
    """
    stream = cast("BinaryIO", tempfile.TemporaryFile(dir=folder))  # noqa: SIM115  # the caller's
    for span in (_kept(index, size), *_of_chunks(index)):
        for start in range(span.first, span.last, _ROWS):
            for row in _sound(index, span, start):
                part = msgspec.msgpack.encode(row)
                stream.write(len(part).to_bytes(4) + part)
    stream.seek(0)
    return stream


def put_vectors_back(database: Database, stream: BinaryIO) -> int:
    """Write saved rows into the cache of an index, and return how many there were."""
    total = 0
    rows = _rows(stream)
    while page := list(islice(rows, _ROWS)):
        database.write(partial(_add, rows=page))
        total += len(page)
    return total


def _kept(index: Readable, size: int) -> _Span:
    try:
        last = index.read(lambda tx: first_integer(tx.row(_LAST)))
    except RecollectError:
        last = size // _LEAST_BYTES
    return _Span(0, last, _READ)


def _of_chunks(index: Readable) -> list[_Span]:
    """Return the vectors of each partition; none when their embedder is unknown."""
    try:
        return index.read(_partitions)
    except RecollectError:
        return []


def _partitions(tx: Transaction) -> list[_Span]:
    spans = []
    for partition, chunks, built_with, at in typed_rows(
        tx.all(_PARTITIONS), tuple[int, int, str, int]
    ):
        space = space_of_identity(tx, json_cell(built_with, Identity))
        if space is not None:
            first = chunk_id(partition, 0) - 1
            more = (*msgspec.structs.astuple(space), at)
            spans.append(_Span(first, first + chunks, _READ_CHUNKS, more))
    return spans


def _sound(index: Readable, span: _Span, start: int) -> Iterator[_Row]:
    end = min(start + _ROWS, span.last)
    try:
        yield from _found(index, span, start, end)
    except RecollectError:
        for one in range(start, end):
            try:
                yield from _found(index, span, one, one + 1)
            except RecollectError:
                continue


def _found(index: Readable, span: _Span, after: int, through: int) -> list[_Row]:
    parameters = (after, through, *span.more)
    rows = index.read(lambda tx: typed_rows(tx.all(span.sql, parameters), _Row))
    return [row for row in rows if sound_vectors([(row.hash, row.data)], len(row.data) // 2)]


def _rows(stream: BinaryIO) -> Iterator[_Row]:
    while size := int.from_bytes(stream.read(4)):
        yield decode_msgpack(stream.read(size), _Row)


def _add(tx: Transaction, rows: list[_Row]) -> None:
    spaces = {(row.provider, row.model, row.provider_key) for row in rows}
    tx.executemany(ADD_SPACE, sorted(spaces))
    tx.executemany(
        _ADD,
        [
            (row.hash, row.updated_at, row.data, row.provider, row.model, row.provider_key)
            for row in rows
        ],
    )
