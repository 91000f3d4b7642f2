"""Changes the documents of a partition, inside one write transaction of index.db."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec
import numpy as np

from recollect.index.embedding.cache import keep_vectors, remove_cached
from recollect.index.indexing.prepared_chunk import PreparedChunk, PreparedDocument
from recollect.index.indexing.retired import BY_CHUNK
from recollect.index.lexical.choice import BUILTIN_LEXICAL, backend
from recollect.index.lexical.port import Fresh, WordWriter
from recollect.index.model.annotations import add_annotations, annotation_row
from recollect.index.model.chunk_record import LAYOUT, chunk_id
from recollect.index.model.document import FILES, SOURCES, Document
from recollect.index.model.file_names import add_file_names, file_name_rows, remove_file_names
from recollect.index.model.name_table import NameTable, OwnerIds
from recollect.index.model.origin import path_of
from recollect.index.model.sync_report import SyncReport
from recollect.index.model.visibility import PART_BITS
from recollect.index.vectors.codes import forget_codes
from recollect.store.columns import first_integer, integer, typed_rows
from recollect.store.engine import SqlValue, Transaction

DocumentKey = tuple[str, str]
"""Source and ref."""


class WriteStep(msgspec.Struct, frozen=True, kw_only=True):
    """Documents to put, to leave alone but for their stamps, and to remove."""

    changed: Sequence[PreparedDocument] = ()
    unchanged: Sequence[Document] = ()
    removed: Sequence[DocumentKey] = ()


class PartitionWriter:
    """Writes one partition. Kept from one transaction to the next, because it remembers numbers.

    The numbers are used only when the partition is as this writer left it: after a transaction that
    failed or was run twice, or when another process has written, they are read again.

    Args:
        partition: The row of `partitions`.
        lexical: The lexical back end, by name.
    """

    def __init__(self, partition: int, lexical: str = BUILTIN_LEXICAL) -> None:
        self._partition = partition
        self._signature = secrets.randbits(62)
        self._left_at = -1
        self._words = backend(lexical).writer(partition)
        self._register = NameTable(partition)

    def apply(self, tx: Transaction, step: WriteStep, *, embed: bool) -> SyncReport:
        """Put documents or replace their older versions, and remove others for good.

        Args:
            tx: The write transaction.
            step: What to do; a document that is put and removed is put.
            embed: Whether new chunks wait for an embedder.
        """
        first = self._begin(tx)
        stamped = [document for document in step.unchanged if document.stamp]
        if stamped:
            tx.executemany(
                "UPDATE documents SET stamp = ? WHERE partition_id = ? AND source = ? AND ref = ?",
                [(d.stamp, self._partition, d.source, d.ref) for d in stamped],
            )
        changed = {(p.document.source, p.document.ref): p for p in step.changed}
        digests = find_digests(tx, self._partition, changed)
        fresh = {key: p for key, p in changed.items() if digests.get(key) != p.digest}
        clearance = DocumentDeleter(self._partition, self._words, self._register)
        clearance.take(tx, [key for key in fresh if key in digests])
        removed = clearance.take(tx, [key for key in step.removed if key not in changed])
        intake = DocumentInserter(self._partition, first, self._words, self._register)
        for prepared in fresh.values():
            intake.add(tx, prepared)
        if fresh or removed:
            clearance.store(tx, intake.hashes, embed=embed)
            intake.store(tx, embed=embed)
            self._register.store(tx)
            clearance.sweep(tx)
            self._finish(tx, len(intake))
        unchanged = len(step.unchanged) + len(step.changed) - len(fresh)
        return SyncReport(put=len(fresh), unchanged=unchanged, removed=removed, chunks=len(intake))

    def _begin(self, tx: Transaction) -> int:
        """Return the number of the next chunk; forget cached numbers that may be outdated."""
        row = tx.row(
            "SELECT chunks, revision, writer FROM partitions WHERE id = ?", (self._partition,)
        )
        chunks, revision, writer = map(integer, row or (0, 0, 0))
        if (revision, writer) != (self._left_at, self._signature):
            self._words.forget()
            self._register.forget()
        return chunks

    def _finish(self, tx: Transaction, added: int) -> None:
        self._left_at = first_integer(
            tx.row(
                "UPDATE partitions SET chunks = chunks + ?, revision = revision + 1, writer = ?"
                " WHERE id = ? RETURNING revision",
                (added, self._signature, self._partition),
            )
        )


MOST_PARTS = 0xFFFF
"""Chunks of a document whose order is exact; further ones are ordered by their numbers."""


class DocumentInserter:
    """Takes documents into a partition.

    Args:
        partition: The row of `partitions`.
        first: The number of the first new chunk.
        words: Stores the words.
        register: Numbers names and groups.
    """

    def __init__(self, partition: int, first: int, words: WordWriter, register: NameTable) -> None:
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
        self._mentions: list[tuple[SqlValue, ...]] = []
        self._terms: list[str] = []
        self.hashes: set[bytes] = set()
        """Hashes of the new chunks' texts."""

    def __len__(self) -> int:
        return len(self._records)

    def add(self, tx: Transaction, prepared: PreparedDocument) -> None:
        """Collect a document and its chunks."""
        belonging = self._register.enter(tx, prepared.document)
        number = self._first + len(self)
        if not self._documents:
            newest = tx.row("SELECT coalesce(max(id), 0) FROM documents")
            self._next = first_integer(newest) + 1
        row = self._next + len(self._documents)
        self._documents.append(self._document_row(row, prepared, belonging, number))
        if prepared.document.source == FILES:
            path = path_of(prepared.document.ref)
            self._file_names += file_name_rows(self._partition, path, row)
            mentions = prepared.document.mentions
            self._mentions += [
                (self._partition, mentioned, row, line) for line, mentioned in mentions
            ]
        for position, piece in enumerate(prepared.pieces):
            order = prepared.document.order << PART_BITS | min(position, MOST_PARTS)
            self._records.append(_record(prepared, piece, belonging, order))
            self._add_chunk(number + position, row, piece)

    def store(self, tx: Transaction, *, embed: bool) -> None:
        """Write the collected documents.

        Args:
            tx: The write transaction.
            embed: Whether the chunks wait for an embedder.
        """
        tx.executemany(
            "INSERT INTO documents (id, partition_id, source, ref, group_number, hash, first_chunk,"
            " chunk_count, at, agent_id, user_id, project_id, speaker_id, role, stamp)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self._documents,
        )
        add_file_names(tx, self._file_names)
        tx.executemany(
            "INSERT INTO mentions (partition_id, number, document, line) VALUES (?, ?, ?, ?)",
            self._mentions,
        )
        if not self._records:
            return
        tx.executemany(
            "INSERT INTO chunks (id, document, start_line, end_line, hash, text)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            self._chunks,
        )
        if self._annotations:
            add_annotations(tx, self._annotations)
        if embed:
            queued = [(chunk[0],) for chunk in self._chunks]
            tx.executemany("INSERT INTO vector_queue (id) VALUES (?)", queued)
        records = np.array(self._records, LAYOUT)
        self._words.add(tx, Fresh(first=self._first, records=records, terms=self._terms))

    def _document_row(
        self, row: int, prepared: PreparedDocument, belonging: OwnerIds, first: int
    ) -> tuple[SqlValue, ...]:
        document = prepared.document
        return (
            row,
            self._partition,
            document.source,
            document.ref,
            belonging.group,
            prepared.digest,
            first,
            len(prepared.pieces),
            document.at,
            belonging.agent,
            belonging.user,
            belonging.project,
            belonging.speaker,
            document.role,
            document.stamp,
        )

    def _add_chunk(self, number: int, document: int, piece: PreparedChunk) -> None:
        self._terms += piece.terms
        self.hashes.add(piece.hash)
        key = chunk_id(self._partition, number)
        self._chunks.append(
            (key, document, piece.start_line, piece.end_line, piece.hash, piece.text)
        )
        if piece.annotation is not None:
            self._annotations.append(annotation_row(key, piece.annotation))


def _record(
    prepared: PreparedDocument, piece: PreparedChunk, belonging: OwnerIds, order: int
) -> tuple[int, ...]:
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


class Removed(msgspec.Struct, frozen=True):
    """A removed document: its chunk numbers from ``first`` on, and its group and names."""

    first: int
    count: int
    belonging: OwnerIds


class DocumentDeleter:
    """Takes documents out of a partition.

    Args:
        partition: The row of `partitions`.
        words: Takes the words out.
        register: Counts names and groups off.
    """

    def __init__(self, partition: int, words: WordWriter, register: NameTable) -> None:
        self._partition = partition
        self._words = words
        self._register = register
        self._texts: dict[int, str] = {}
        self._hashes: dict[int, bytes] = {}
        self._terms_to_sweep: Collection[int] = ()
        self._hashes_to_drop: set[bytes] = set()

    def take(self, tx: Transaction, keys: Iterable[DocumentKey]) -> int:
        """Remove the rows of documents and their texts; return how many documents there were."""
        removed = [_remove_document(tx, self._partition, key) for key in keys]
        there = [document for document in removed if document is not None]
        for document in there:
            self._register.leave(document.belonging)
            self._take_chunks(tx, document)
        return len(there)

    def store(self, tx: Transaction, hashes: Collection[bytes], *, embed: bool) -> None:
        """Remove terms, vectors and codes of the chunks, and note that they are gone.

        Args:
            tx: The write transaction.
            hashes: Of texts that are added again in this transaction: their vectors are kept.
            embed: Whether the generation has an embedder; only then it has codes.
        """
        self._hashes_to_drop = set(self._hashes.values()).difference(hashes)
        if not self._texts:
            return
        self._terms_to_sweep = self._words.remove(tx, self._texts)
        first = chunk_id(self._partition, 0)
        ids = [(first + number,) for number in self._texts]
        reused = [(first + n, digest) for n, digest in self._hashes.items() if digest in hashes]
        keep_vectors(tx, self._partition, reused)
        for table in BY_CHUNK:
            table.remove(tx, ids)
        if embed:
            forget_codes(tx, self._partition, list(self._texts))
        tx.executemany(
            "INSERT INTO removals (partition_id, chunk) VALUES (?, ?)",
            [(self._partition, number) for number in self._texts],
        )

    def sweep(self, tx: Transaction) -> None:
        """Remove terms that no chunk holds any more, and the texts' vectors from the cache.

        Call it when the new chunks of the transaction are stored.
        """
        self._words.sweep(tx, self._terms_to_sweep)
        remove_cached(tx, self._hashes_to_drop)

    def _take_chunks(self, tx: Transaction, document: Removed) -> None:
        first = chunk_id(self._partition, document.first)
        rows = tx.all(
            "DELETE FROM chunks WHERE id BETWEEN ? AND ? RETURNING id, hash, text",
            (first, first + document.count - 1),
        )
        for key, digest, content in typed_rows(rows, tuple[int, bytes, str]):
            number = document.first + key - first
            self._texts[number], self._hashes[number] = content, digest


def _remove_document(tx: Transaction, partition: int, key: DocumentKey) -> Removed | None:
    """Delete the row of a document and return its values, or None when there is none."""
    row = tx.row(
        "DELETE FROM documents WHERE partition_id = ? AND source = ? AND ref = ?"
        " RETURNING id, first_chunk, chunk_count, group_number,"
        " agent_id, user_id, project_id, speaker_id",
        (partition, *key),
    )
    if row is None:
        return None
    document, first, count, group, agent, user, project, speaker = map(integer, row)
    source, ref = key
    if source == FILES:
        remove_file_names(tx, file_name_rows(partition, path_of(ref), document))
        tx.execute("DELETE FROM mentions WHERE document = ?", (document,))
    belonging = OwnerIds(group=group, agent=agent, user=user, project=project, speaker=speaker)
    return Removed(first, count, belonging)


def find_digests(
    tx: Transaction, partition: int, keys: Iterable[DocumentKey]
) -> dict[DocumentKey, bytes]:
    """Return the digests of those of ``keys`` that are indexed."""
    by_source: dict[str, list[str]] = defaultdict(list)
    for source, ref in keys:
        by_source[source].append(ref)
    digests_of: dict[DocumentKey, bytes] = {}
    for source, refs in by_source.items():
        rows = tx.all(
            "SELECT ref, hash FROM documents WHERE partition_id = ? AND source = ?"
            " AND ref IN (SELECT value FROM json_each(?))",
            (partition, source, msgspec.json.encode(refs).decode()),
        )
        digests = typed_rows(rows, tuple[str, bytes])
        digests_of |= {(source, ref): digest for ref, digest in digests}
    return digests_of


def find_versions(
    tx: Transaction, generation: int, source: str, tenant: str
) -> list[tuple[str, str, bytes]]:
    """Return ref, stamp (empty without one) and digest of a tenant's documents of one source."""
    rows = tx.all(
        "SELECT d.ref, coalesce(d.stamp, ''), d.hash FROM documents d"
        " JOIN partitions p ON p.id = d.partition_id"
        " WHERE p.generation = ? AND p.tenant = ? AND d.source = ?",
        (generation, tenant, source),
    )
    return typed_rows(rows, tuple[str, str, bytes])
