"""Mentions: the lines of memory files that name an observation, looked up from both sides."""

from __future__ import annotations

from collections.abc import Collection
from typing import LiteralString

import msgspec

from recollect.index.model.file_names import PATH, folded
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

_COLUMNS: LiteralString = """
    SELECT d.ref, m.line, m.number FROM mentions m JOIN documents d ON d.id = m.document
    WHERE m."""
_OF_NUMBERS: LiteralString = f"""
    {_COLUMNS}partition_id = ? AND m.number IN (SELECT value FROM json_each(?))
    ORDER BY d.ref, m.line
"""  # noqa: S608  # literals
_OF_FILES: LiteralString = f"""
    {_COLUMNS}document IN (
        SELECT f.document FROM json_each(?) k
        JOIN file_names f ON f.partition_id = ? AND f.rank = ? AND f.name = k.value)
    ORDER BY d.ref, m.line
"""  # noqa: S608  # literals


class FoundMention(msgspec.Struct, frozen=True, array_like=True):
    """A line of an indexed file, by its ref, that names an observation."""

    ref: str
    line: int
    number: int


def mentions_of(tx: Transaction, partition: int, numbers: Collection[int]) -> list[FoundMention]:
    """Return the lines that name some observations, by file and line."""
    encoded = msgspec.json.encode(list(numbers)).decode()
    return typed_rows(tx.all(_OF_NUMBERS, (partition, encoded)), FoundMention)


def mentions_in(tx: Transaction, partition: int, paths: Collection[str]) -> list[FoundMention]:
    """Return the mentions in the files with some paths, by file and line."""
    encoded = msgspec.json.encode([folded(path) for path in paths]).decode()
    return typed_rows(tx.all(_OF_FILES, (encoded, partition, PATH)), FoundMention)
