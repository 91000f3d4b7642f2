"""File chunks: what the index made of a memory file."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.index.model.chunk_record import chunk_id
from recollect.index.model.file_names import PATH, folded
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

_OF_FILE: LiteralString = """
    SELECT d.ref, c.id, c.start_line, c.end_line, c.text
    FROM file_names f JOIN documents d ON d.id = f.document
    JOIN chunks c ON c.id BETWEEN ?1 + d.first_chunk AND ?1 + d.first_chunk + d.chunk_count - 1
    WHERE f.partition_id = ?2 AND f.rank = ?3 AND f.name = ?4 ORDER BY d.ref, c.id
"""


class IndexedChunk(msgspec.Struct, frozen=True, array_like=True):
    """A chunk of an indexed file, by the ref of that.

    Attributes:
        ref: Of the file.
        id: Until the index is built again.
        start_line: Of its first line, from 1.
        end_line: Of its last line.
        text: As it is searched: with the headings above it, without secrets.
    """

    ref: str
    id: int
    start_line: int
    end_line: int
    text: str


def chunks_of_file(tx: Transaction, partition: int, path: str) -> list[IndexedChunk]:
    """Return the chunks of the files with a path, in their order."""
    params = (chunk_id(partition, 0), partition, PATH, folded(path))
    return typed_rows(tx.all(_OF_FILE, params), IndexedChunk)
