"""The rows of `documents`: which version of a thing is indexed, and where its chunks are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from recollect.index.build.prepared_chunk import PreparedDocument
from recollect.index.model.document import FILES, Document
from recollect.index.model.file_names import file_name_rows, remove_file_names
from recollect.index.model.name_table import OwnerIds
from recollect.index.model.origin import path_of
from recollect.store.columns import blob, first_integer, integer, text
from recollect.store.engine import SqlValue, Transaction

Key = tuple[str, str]
"""Source and ref."""


class Removed(msgspec.Struct, frozen=True):
    """What a removed document had: chunk numbers from ``first`` on, and what it belonged to."""

    first: int
    count: int
    belonging: OwnerIds


def find_digests(tx: Transaction, partition: int, keys: Iterable[Key]) -> dict[Key, bytes]:
    """Return the digests of those of ``keys`` that are indexed."""
    by_source: dict[str, list[str]] = defaultdict(list)
    for source, ref in keys:
        by_source[source].append(ref)
    found: dict[Key, bytes] = {}
    for source, refs in by_source.items():
        rows = tx.all(
            "SELECT ref, hash FROM documents WHERE partition_id = ? AND source = ?"
            " AND ref IN (SELECT value FROM json_each(?))",
            (partition, source, msgspec.json.encode(refs).decode()),
        )
        found |= {(source, text(ref)): blob(digest) for ref, digest in rows}
    return found


def find_versions(
    tx: Transaction, generation: int, source: str, tenant: str
) -> list[tuple[str, str, bytes]]:
    """Return ref, stamp (empty where none is) and digest of a tenant's documents of one source."""
    rows = tx.all(
        "SELECT d.ref, coalesce(d.stamp, ''), d.hash FROM documents d"
        " JOIN partitions p ON p.id = d.partition_id"
        " WHERE p.generation = ? AND p.tenant = ? AND d.source = ?",
        (generation, tenant, source),
    )
    return [(text(ref), text(stamp), blob(digest)) for ref, stamp, digest in rows]


def next_document(tx: Transaction) -> int:
    """Return a row id from which on none is taken."""
    return first_integer(tx.row("SELECT coalesce(max(id), 0) + 1 FROM documents"))


def document_row(
    number: int, partition: int, prepared: PreparedDocument, belonging: OwnerIds, first: int
) -> tuple[SqlValue, ...]:
    """Return the row of a document, for `add_documents`.

    Args:
        number: Its row id.
        partition: Whose it is.
        prepared: The document and its pieces.
        belonging: Its group and names.
        first: Its chunks have the numbers from here on.
    """
    document = prepared.document
    return (
        number,
        partition,
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


def add_documents(tx: Transaction, rows: Sequence[Sequence[SqlValue]]) -> None:
    """Write the rows of new documents."""
    tx.executemany(
        "INSERT INTO documents (id, partition_id, source, ref, group_number, hash, first_chunk,"
        " chunk_count, at, agent_id, user_id, project_id, speaker_id, role, stamp)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def remove_document(tx: Transaction, partition: int, key: Key) -> Removed | None:
    """Delete the row of a document and return what it had, or None when there is none."""
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
    belonging = OwnerIds(group=group, agent=agent, user=user, project=project, speaker=speaker)
    return Removed(first, count, belonging)


def restamp(tx: Transaction, partition: int, documents: Sequence[Document]) -> None:
    """Note the new stamps of documents whose content is as it was."""
    tx.executemany(
        "UPDATE documents SET stamp = ? WHERE partition_id = ? AND source = ? AND ref = ?",
        [(d.stamp, partition, d.source, d.ref) for d in documents if d.stamp],
    )
