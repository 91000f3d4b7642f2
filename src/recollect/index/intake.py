"""New chunks of one transaction: gathered document by document, then stored together."""

from __future__ import annotations

import numpy as np

from recollect.index.annotations import add_annotations, annotation_row
from recollect.index.circles import PART_BITS
from recollect.index.document import FILES, SOURCES
from recollect.index.document_rows import add_documents, document_row, next_document
from recollect.index.file_names import add_file_names, file_name_rows
from recollect.index.layout import LAYOUT, chunk_id
from recollect.index.lexical.port import Fresh, WordWriter
from recollect.index.origin import path_of
from recollect.index.pieces import Piece, Prepared
from recollect.index.register import Belonging, Register
from recollect.store.engine import SqlValue, Transaction

MOST_PARTS = 0xFFFF
"""Chunks of a document that keep their order; more of them stand in the order of their numbers."""


class Intake:
    """Takes documents into a partition.

    Args:
        partition: The row of `partitions`.
        first: The number of the first new chunk.
        words: Stores the words.
        register: Numbers names and groups.
    """

    def __init__(self, partition: int, first: int, words: WordWriter, register: Register) -> None:
        self._partition = partition
        self._first = first
        self._words = words
        self._register = register
        self._next = 0
        self._documents: list[tuple[SqlValue, ...]] = []
        self._records: list[tuple[int, ...]] = []
        self._chunks: list[tuple[SqlValue, ...]] = []
        self._annotations: list[tuple[SqlValue, ...]] = []
        self._file_names: list[tuple[SqlValue, ...]] = []
        self._terms: list[str] = []
        self.hashes: set[bytes] = set()
        """Hashes of the new chunks' texts."""

    def __len__(self) -> int:
        return len(self._records)

    def add(self, tx: Transaction, prepared: Prepared) -> None:
        """Gather a document and its chunks."""
        belonging = self._register.enter(tx, prepared.document)
        number = self._first + len(self)
        if not self._documents:
            self._next = next_document(tx)
        row = self._next + len(self._documents)
        self._documents.append(document_row(row, self._partition, prepared, belonging, number))
        if prepared.document.source == FILES:
            path = path_of(prepared.document.ref)
            self._file_names += file_name_rows(self._partition, path, row)
        for place, piece in enumerate(prepared.pieces):
            order = prepared.document.order << PART_BITS | min(place, MOST_PARTS)
            self._records.append(_record(prepared, piece, belonging, order))
            self._add_chunk(number + place, row, piece)

    def store(self, tx: Transaction, *, embed: bool) -> None:
        """Write what was gathered.

        Args:
            tx: The write transaction.
            embed: Whether the chunks wait for an embedder.
        """
        add_documents(tx, self._documents)
        add_file_names(tx, self._file_names)
        if not self._records:
            return
        tx.executemany(
            "INSERT INTO chunks (id, document, start_line, end_line, hash, text)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            self._chunks,
        )
        add_annotations(tx, self._annotations)
        if embed:
            queued = [(chunk[0],) for chunk in self._chunks]
            tx.executemany("INSERT INTO vector_queue (id) VALUES (?)", queued)
        records = np.array(self._records, LAYOUT)
        self._words.add(tx, Fresh(first=self._first, records=records, terms=self._terms))

    def _add_chunk(self, number: int, document: int, piece: Piece) -> None:
        self._terms += piece.terms
        self.hashes.add(piece.hash)
        key = chunk_id(self._partition, number)
        self._chunks.append(
            (key, document, piece.start_line, piece.end_line, piece.hash, piece.text)
        )
        if piece.annotation is not None:
            self._annotations.append(annotation_row(key, piece.annotation))


def _record(prepared: Prepared, piece: Piece, belonging: Belonging, order: int) -> tuple[int, ...]:
    """Return the fields of `LAYOUT` in order."""
    return (
        belonging.group,
        order,
        prepared.document.at,
        len(piece.terms),
        belonging.agent,
        belonging.user,
        belonging.project,
        belonging.speaker,
        piece.head,
        SOURCES.index(prepared.document.source),
        piece.flags,
        piece.capitals,
    )
