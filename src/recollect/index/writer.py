"""Puts documents into a partition and takes them out, inside one write transaction of index.db."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from recollect.index import layout
from recollect.index.document import SOURCES, Document
from recollect.index.layout import LAYOUT, chunk_id
from recollect.index.lexical.dictionary import Dictionary
from recollect.index.lexical.postings import Occurrences
from recollect.index.lexical.segments import (
    SEAL_CHUNKS,
    SEAL_ENTRIES,
    Segment,
    remove_postings,
    sealed_end,
    write_segment,
)
from recollect.index.pieces import Analysis, Piece, analyse, pieces_of
from recollect.index.vectors.code_rows import forget_codes
from recollect.store.cell import blob, integer, text
from recollect.store.engine import Transaction
from recollect.text.terms import terms


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What one call changed: documents put, left alone and removed; chunks added."""

    put: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0


class PartitionWriter:
    """Writes one partition. Keep it from one transaction to the next: it caches numbers.

    Args:
        partition: The row of `partitions`.
        tokens: Chunk size of files, in tokens of four characters.
        overlap: Overlap of files' chunks, likewise.
        embed: Whether chunks are queued for an embedder.
    """

    def __init__(self, partition: int, *, tokens: int, overlap: int, embed: bool) -> None:
        self.partition = partition
        self._tokens = tokens
        self._overlap = overlap
        self._embed = embed
        self._dictionary = Dictionary(partition)
        self._names: dict[tuple[str, str], int] = {}
        self._groups: dict[tuple[str, str], int] = {}

    def forget(self) -> None:
        """Drop what was cached; call it after a transaction that failed."""
        self._dictionary.forget()
        self._names.clear()
        self._groups.clear()

    def put(self, tx: Transaction, documents: Sequence[Document]) -> Applied:
        """Add documents or replace their older versions; those of equal digest are left alone."""
        latest = {(d.source, d.ref): (d, d.digest()) for d in documents}
        known = {key: self._digest(tx, *key) for key in latest}
        fresh = {key: pair for key, pair in latest.items() if known[key] != pair[1]}
        self._take_out(tx, [key for key in fresh if known[key] is not None])
        run = _Run(self, tx)
        for document, digest in fresh.values():
            run.add(document, digest)
        run.store()
        self._restamp(tx, [d for key, (d, _) in latest.items() if key not in fresh and d.stamp])
        return Applied(
            put=len(fresh), unchanged=len(latest) - len(fresh), chunks=len(run.records)
        )

    def remove(self, tx: Transaction, keys: Sequence[tuple[str, str]]) -> Applied:
        """Remove documents given as (source, ref) for good; unknown ones are passed over."""
        return Applied(removed=self._take_out(tx, keys))

    def analyse(self, piece: Piece, role: str | None) -> Analysis:
        """Return the terms and cues of a chunk."""
        return analyse(piece.text, role)

    def pieces(self, document: Document) -> list[Piece]:
        """Return the chunks of a document."""
        return pieces_of(document, self._tokens, self._overlap)

    def term_ids(self, tx: Transaction, found: Iterable[str]) -> dict[str, int]:
        """Return the numbers of terms, new ones included."""
        return self._dictionary.add(tx, found)

    @property
    def embeds(self) -> bool:
        """Whether chunks are queued for an embedder."""
        return self._embed

    def name_id(self, tx: Transaction, kind: str, value: str | None) -> int:
        """Return the number of an owner or speaker; 0 for nobody."""
        if not value:
            return 0
        if (kind, value) not in self._names:
            row = tx.row(
                "SELECT id FROM names WHERE partition_id = ? AND kind = ? AND value = ?",
                (self.partition, kind, value),
            ) or tx.row(
                "INSERT INTO names (partition_id, kind, value) VALUES (?, ?, ?) RETURNING id",
                (self.partition, kind, value),
            )
            self._names[kind, value] = integer(row[0]) if row else 0
        return self._names[kind, value]

    def group_number(self, tx: Transaction, source: str, ref: str) -> int:
        """Return the number of a group, a new one when it is not known."""
        if (source, ref) not in self._groups:
            row = tx.row(
                "SELECT number FROM chunk_groups WHERE partition_id = ? AND source = ? AND ref = ?",
                (self.partition, source, ref),
            ) or self._new_group(tx, source, ref)
            self._groups[source, ref] = integer(row[0]) if row else 0
        return self._groups[source, ref]

    def _new_group(self, tx: Transaction, source: str, ref: str) -> tuple[int]:
        row = tx.row(
            "UPDATE partitions SET groups = groups + 1 WHERE id = ? RETURNING groups - 1",
            (self.partition,),
        )
        number = integer(row[0]) if row else 0
        tx.execute(
            "INSERT INTO chunk_groups (partition_id, number, source, ref) VALUES (?, ?, ?, ?)",
            (self.partition, number, source, ref),
        )
        return (number,)

    def _digest(self, tx: Transaction, source: str, ref: str) -> bytes | None:
        row = tx.row(
            "SELECT hash FROM documents WHERE partition_id = ? AND source = ? AND ref = ?",
            (self.partition, source, ref),
        )
        return blob(row[0]) if row else None

    def _restamp(self, tx: Transaction, documents: Sequence[Document]) -> None:
        tx.executemany(
            "UPDATE documents SET stamp = ? WHERE partition_id = ? AND source = ? AND ref = ?",
            [(d.stamp, self.partition, d.source, d.ref) for d in documents],
        )

    def _take_out(self, tx: Transaction, keys: Sequence[tuple[str, str]]) -> int:
        spans: list[tuple[int, int]] = []
        for source, ref in keys:
            row = tx.row(
                "DELETE FROM documents WHERE partition_id = ? AND source = ? AND ref = ?"
                " RETURNING first_chunk, chunk_count",
                (self.partition, source, ref),
            )
            if row:
                spans.append((integer(row[0]), integer(row[1])))
        numbers = [n for first, count in spans for n in range(first, first + count)]
        if numbers:
            self._remove_chunks(tx, numbers)
        return len(spans)

    def _remove_chunks(self, tx: Transaction, numbers: list[int]) -> None:
        ids = [(chunk_id(self.partition, number),) for number in numbers]
        remove_postings(tx, self._sealed_terms(tx, numbers))
        tx.executemany("DELETE FROM tail WHERE id = ?", ids)
        tx.executemany("DELETE FROM chunks WHERE id = ?", ids)
        tx.executemany("DELETE FROM vectors WHERE id = ?", ids)
        tx.executemany("DELETE FROM vector_queue WHERE id = ?", ids)
        forget_codes(tx, self.partition, numbers)
        tx.executemany(
            "INSERT INTO removals (partition_id, chunk) VALUES (?, ?)",
            [(self.partition, number) for number in numbers],
        )
        _bump(tx, self.partition)

    def _sealed_terms(self, tx: Transaction, numbers: list[int]) -> dict[int, list[int]]:
        end = sealed_end(tx, self.partition)
        held: dict[int, list[int]] = defaultdict(list)
        for number in numbers:
            row = tx.row("SELECT text FROM chunks WHERE id = ?", (chunk_id(self.partition, number),))
            if number < end and row:
                found = set(terms(text(row[0])))
                for term in self._dictionary.find(tx, found).values():
                    held[term].append(number)
        return held


class _Run:
    """Consecutive new chunks of one transaction, gathered and then stored together."""

    def __init__(self, writer: PartitionWriter, tx: Transaction) -> None:
        self._writer = writer
        self._tx = tx
        row = tx.row("SELECT chunks FROM partitions WHERE id = ?", (writer.partition,))
        self._first = integer(row[0]) if row else 0
        self.records: list[tuple[int, ...]] = []
        self._chunks: list[tuple[int, int, int, int, bytes, str]] = []
        self._terms: list[int] = []

    def add(self, document: Document, digest: bytes) -> None:
        writer, tx = self._writer, self._tx
        pieces = writer.pieces(document)
        group = writer.group_number(tx, document.source, document.group)
        number = self._first + len(self.records)
        row = tx.row(
            _INSERT_DOCUMENT,
            (
                writer.partition, document.source, document.ref, group, digest, number, len(pieces),
                document.at, document.role, document.name, document.stamp,
            ),
        )  # fmt: skip
        owner = integer(row[0]) if row else 0
        common = self._common(document, group)
        for ordinal, piece in enumerate(pieces):
            self._add_piece(document, owner, common, ordinal, piece)

    def _common(self, document: Document, group: int) -> tuple[int, ...]:
        writer, tx, scope = self._writer, self._tx, document.scope
        return (
            group,
            SOURCES.index(document.source),
            writer.name_id(tx, "agent", scope.agent),
            writer.name_id(tx, "user", scope.user),
            writer.name_id(tx, "project", scope.project),
            writer.name_id(tx, "speaker", document.name),
        )

    def _add_piece(
        self, document: Document, owner: int, common: tuple[int, ...], ordinal: int, piece: Piece
    ) -> None:
        analysis = self._writer.analyse(piece, document.role)
        ids = self._writer.term_ids(self._tx, analysis.terms)
        self._terms.extend([ids[term] for term in analysis.terms])
        group, source, agent, user, project, speaker = common
        order = document.order << 16 | min(ordinal, 0xFFFF)
        number = self._first + len(self.records)
        self.records.append(
            (
                group, order, document.at, len(analysis.terms), agent, user, project, speaker,
                analysis.head, source, analysis.flags, analysis.capitals,
            )
        )  # fmt: skip
        key = chunk_id(self._writer.partition, number)
        self._chunks.append(
            (key, owner, piece.start_line, piece.end_line, piece.hash, piece.text)
        )

    def store(self) -> None:
        if not self.records:
            return
        tx, partition = self._tx, self._writer.partition
        records = np.array(self.records, LAYOUT)
        tx.executemany(_INSERT_CHUNK, self._chunks)
        if self._writer.embeds:
            tx.executemany(
                "INSERT INTO vector_queue (id) VALUES (?)", [(row[0],) for row in self._chunks]
            )
        found = Occurrences.count(
            self._terms, records["length"].tolist(), records["head"].tolist(), self._first
        )
        self._store_postings(records, found)
        tx.execute(
            "UPDATE partitions SET chunks = chunks + ?, revision = revision + 1 WHERE id = ?",
            (len(records), partition),
        )

    def _store_postings(self, records: layout.Records, found: Occurrences) -> None:
        partition, end = self._writer.partition, self._first + len(records)
        waiting = read_tail(self._tx, partition, 0)
        entries = sum(len(row.postings) // 5 for row in waiting) + len(found.terms)
        start = sealed_end(self._tx, partition)
        if end - start < SEAL_CHUNKS and entries < SEAL_ENTRIES:
            self._append_tail(records, found)
            return
        seal(self._tx, partition, start, waiting, (self._first, records, found))

    def _append_tail(self, records: layout.Records, found: Occurrences) -> None:
        blobs = found.by_chunk(self._first, len(records))
        rows = [
            (chunk_id(self._writer.partition, self._first + n), records[n : n + 1].tobytes(), data)
            for n, data in enumerate(blobs)
        ]
        self._tx.executemany("INSERT INTO tail (id, layout, postings) VALUES (?, ?, ?)", rows)


class TailRow(msgspec.Struct, frozen=True):
    """A chunk that no segment holds yet."""

    number: int
    layout: bytes
    postings: bytes


def read_tail(tx: Transaction, partition: int, start: int) -> list[TailRow]:
    """Return the waiting chunks from number ``start`` on, ascending."""
    rows = tx.rows(
        "SELECT id, layout, postings FROM tail WHERE id BETWEEN ? AND ? ORDER BY id",
        layout.chunk_ids(partition, start),
    )
    return [
        TailRow(integer(key) & layout.NUMBER_MASK, blob(record), blob(data))
        for key, record, data in rows
    ]


def seal(
    tx: Transaction,
    partition: int,
    start: int,
    waiting: list[TailRow],
    newest: tuple[int, layout.Records, Occurrences],
) -> None:
    """Write one segment of the waiting chunks and the newest ones; removed numbers stay empty."""
    first, records, found = newest
    old = Occurrences.of_tail([(row.number, row.postings) for row in waiting])
    whole = np.zeros(first + len(records) - start, LAYOUT)
    for row in waiting:
        whole[row.number - start] = layout.decode(row.layout)[0]
    whole[first - start :] = records
    everything = Occurrences(
        np.concatenate([old.terms, found.terms]),
        np.concatenate([old.chunks, found.chunks]),
        np.concatenate([old.packed, found.packed]),
    )
    write_segment(
        tx, partition, Segment(start, start + len(whole)), layout.encode(whole), everything
    )
    tx.execute("DELETE FROM tail WHERE id BETWEEN ? AND ?", layout.chunk_ids(partition))


def _bump(tx: Transaction, partition: int) -> None:
    tx.execute("UPDATE partitions SET revision = revision + 1 WHERE id = ?", (partition,))


_INSERT_DOCUMENT = (
    "INSERT INTO documents (partition_id, source, ref, group_number, hash, first_chunk,"
    " chunk_count, at, role, name, stamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"
)
_INSERT_CHUNK = (
    "INSERT INTO chunks (id, document, start_line, end_line, hash, text) VALUES (?, ?, ?, ?, ?, ?)"
)
