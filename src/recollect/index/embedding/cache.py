"""Vectors by the space they live in and the hash of their text: none is made twice.

The vectors of chunks are found through the texts of the chunks. Beside them the cache keeps those
that no chunk has: of an embedder that was replaced, of a text that is removed and added again in
one transaction, of a damaged index. Its key of four is provider, model, provider key and hash; the
first three are a `Space`. A row goes when a chunk has its vector again, when its text goes, or when
the cap is reached, the oldest first. A rebuild with other chunks leaves rows behind that belong to
no chunk; `sweep` finds them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import LiteralString

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.settings.embedding import CacheSettings
from recollect.index.model.generation import Identity
from recollect.index.model.sync_report import Watch
from recollect.models.embedding.embedder import UNIT_TOLERANCE, Embedder, Vectors
from recollect.store.columns import first_integer, integer, json_cell, typed_rows
from recollect.store.engine import Database, Row, Transaction

LOOKUP_GROUP = 400
"""Hashes of one statement."""
EVICTED_ROWS = 100
"""Rows that one transaction removes beyond the cap."""
SWEPT_ROWS = 5_000
"""Rows that one transaction of a sweep removes."""

Half = NDArray[np.float16]


class Space(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Where vectors can be compared: the same provider, model and provider key.

    Attributes:
        provider: Such as ``openai``.
        model: Such as ``text-embedding-3-small``.
        provider_key: The embedder's fingerprint: all that decides the vectors, no secret.
    """

    provider: str
    model: str
    provider_key: str


def space_of(embedder: Embedder) -> Space:
    """Return the space of an embedder; asks no provider."""
    return _space(embedder.model, embedder.fingerprint)


def space_of_identity(tx: Transaction, identity: Identity) -> Space | None:
    """Return the space of a generation's vectors; None without vectors, or when it is unknown."""
    if not identity.embedder:
        return None
    if identity.model:
        return _space(identity.model, identity.embedder)
    # Older generations did not note the model; their cache did.
    rows = tx.all(_SPACES_BY_KEY, (identity.embedder,))
    return next(iter(typed_rows(rows, Space)), None)


def _space(name: str, fingerprint: str) -> Space:
    provider, _, model = name.partition(":")
    return Space(provider=provider, model=model, provider_key=fingerprint)


class EmbeddingCache:
    """The vectors of one space. Every method is a step of the caller's transaction.

    Args:
        space: The space of the vectors.
        settings: The section ``embedding.cache``; when disabled, nothing is found or kept.
    """

    def __init__(self, space: Space, settings: CacheSettings) -> None:
        self._space = space
        self._settings = settings

    def find(
        self, tx: Transaction, hashes: Collection[bytes], dimensions: int
    ) -> dict[bytes, Vectors]:
        """Return the vectors of those of ``hashes`` that are known; 400 in a statement.

        An invalid one (by its size, its length, a value that is not finite) is left out, so that it
        is made again.
        """
        rows = self._lookup(tx, _HELD, self._space.provider_key, hashes)
        vectors = sound_vectors(rows, dimensions)
        space = self._number(tx)
        if space is None:
            return vectors
        missing = [digest for digest in hashes if digest not in vectors]
        return vectors | sound_vectors(self._lookup(tx, _KEPT, space, missing), dimensions)

    def missing(self, tx: Transaction, hashes: Collection[bytes], dimensions: int) -> set[bytes]:
        """Return those of ``hashes`` without a usable vector."""
        return set(hashes).difference(self.find(tx, hashes, dimensions))

    def known(self, tx: Transaction, hashes: Collection[bytes]) -> set[bytes]:
        """Return those of ``hashes`` that have a vector, valid or not; for estimates."""
        rows = self._lookup(tx, _HELD, self._space.provider_key, hashes)
        space = self._number(tx)
        if space is not None:
            rows += self._lookup(tx, _KEPT, space, hashes)
        return {digest for digest, _ in rows}

    def release(self, tx: Transaction, hashes: Collection[bytes]) -> None:
        """Remove vectors that chunks have now."""
        space = self._number(tx)
        if space is not None:
            tx.executemany(_RELEASE, [(digest, space) for digest in hashes])

    def excess(self, tx: Transaction) -> int:
        """Return how many rows of all spaces are beyond the cap: all, when it is switched off."""
        settings = self._settings
        if settings.enabled and settings.max_entries == 0:
            return 0
        return max(0, count_cached(tx) - (settings.max_entries if settings.enabled else 0))

    def _lookup(
        self, tx: Transaction, sql: LiteralString, of: str | int, hashes: Collection[bytes]
    ) -> list[tuple[bytes, bytes]]:
        if not self._settings.enabled:
            return []
        pages = (tx.all(sql, (of, group)) for group in _groups(hashes))
        rows = (row for page in pages for row in typed_rows(page, tuple[bytes, bytes | None]))
        return [(digest, data) for digest, data in rows if data is not None]

    def _number(self, tx: Transaction) -> int | None:
        row = tx.row(_FIND_SPACE, msgspec.structs.astuple(self._space))
        return integer(row[0]) if row else None


def count_cached(tx: Transaction) -> int:
    """Return how many vectors of all spaces are kept that no chunk has."""
    return first_integer(tx.row("SELECT count(*) FROM embedding_cache"))


def remove_cached(tx: Transaction, hashes: Collection[bytes]) -> None:
    """Remove the vectors of texts, of every space."""
    tx.executemany("DELETE FROM embedding_cache WHERE hash = ?", [(digest,) for digest in hashes])


def keep_vectors(tx: Transaction, partition: int, chunks: Sequence[tuple[int, bytes]]) -> None:
    """Keep the vectors of chunks that are about to go, while their texts stay.

    Args:
        tx: The write transaction.
        partition: Where the chunks are.
        chunks: Their keys, and the hashes of their texts.
    """
    rows = tx.all(_GENERATION, (partition,)) if chunks else []
    for built_with, created_at in typed_rows(rows, tuple[str, int]):
        space = space_of_identity(tx, json_cell(built_with, Identity))
        if space is not None:
            tx.execute(ADD_SPACE, msgspec.structs.astuple(space))
            number = first_integer(tx.row(_FIND_SPACE, msgspec.structs.astuple(space)))
            values = [(digest, number, created_at, key) for key, digest in chunks]
            tx.executemany(_KEEP, values)


def keep_abandoned(tx: Transaction, partition: int, first: int, last: int) -> None:
    """Keep those vectors of a retired generation that cost something and are nowhere else.

    That is: a living chunk has the text, and none of them has its vector by the same embedder.

    Args:
        tx: The write transaction, which removes them.
        partition: Of the retired generation.
        first: The first key of the chunks that go.
        last: The last one.
    """
    rows = tx.all(_ABANDONED, (first, last, partition))
    keep_vectors(tx, partition, typed_rows(rows, tuple[int, bytes]))


def evict(database: Database, cache: EmbeddingCache, watch: Watch) -> int:
    """Remove rows beyond the cap, the oldest first; return how many.

    In groups of 100, so that no other write waits for it; never while a search waits.
    """
    excess = database.read(cache.excess)
    removed = 0
    while removed < excess and not watch.stopping():
        most = min(EVICTED_ROWS, excess - removed)
        database.write(partial(_evict, most=most))
        removed += most
    return removed


def _evict(tx: Transaction, most: int) -> None:
    tx.execute(_EVICT, (most,))


def sweep(database: Database) -> int:
    """Remove the vectors of texts that no chunk holds, and return how many.

    Works in small transactions, so that writers need not wait. A text that comes back meanwhile may
    lose its row; that costs one embedding.
    """
    swept, after = 0, 0
    while unused := database.read(partial(_unused, after=after)):
        database.write(partial(_remove, rows=unused))
        swept, after = swept + len(unused), integer(unused[-1][0])
    return swept


def _unused(tx: Transaction, after: int) -> list[Row]:
    return tx.all(_UNUSED, (after, SWEPT_ROWS))


def _remove(tx: Transaction, rows: Sequence[Row]) -> None:
    tx.executemany("DELETE FROM embedding_cache WHERE id = ?", rows)


def sound_vectors(rows: Sequence[tuple[bytes, bytes]], dimensions: int) -> dict[bytes, Vectors]:
    """Return by hash the vectors of those rows, hash and data, that may be used."""
    sized = [(digest, data) for digest, data in rows if len(data) == 2 * dimensions]
    if not sized:
        return {}
    joined = b"".join(data for _, data in sized)
    vectors = np.frombuffer(joined, "<f2").reshape(len(sized), dimensions).astype(np.float32)
    # Anything that is not finite gives a length that is not either, and fails the comparison.
    with np.errstate(over="ignore", invalid="ignore"):
        good = np.abs(np.linalg.norm(vectors, axis=1) - 1.0) <= UNIT_TOLERANCE
    return {sized[position][0]: vectors[position] for position in np.flatnonzero(good).tolist()}


def _groups(hashes: Collection[bytes]) -> Iterator[str]:
    """Yield JSON lists of at most 400 hexadecimal hashes."""
    names = [digest.hex() for digest in hashes]
    for start in range(0, len(names), LOOKUP_GROUP):
        yield msgspec.json.encode(names[start : start + LOOKUP_GROUP]).decode()


# Texts are found by the index `chunks_by_text`: six bytes tell a million of them apart.
_HELD: LiteralString = """
    SELECT asked.hash, (
        SELECT v.data FROM chunks c CROSS JOIN vectors v ON v.id = c.id
        WHERE substr(c.hash, 1, 6) = substr(asked.hash, 1, 6) AND c.hash = asked.hash
            AND c.id >> 40 IN (
                SELECT p.id FROM partitions p JOIN generations g ON g.id = p.generation
                WHERE json_extract(g.identity, '$.embedder') = ?1)
        LIMIT 1)
    FROM (SELECT unhex(value) AS hash FROM json_each(?2)) asked
"""
_KEPT: LiteralString = """
    SELECT hash, data FROM embedding_cache
    WHERE space = ? AND hash IN (SELECT unhex(value) FROM json_each(?))
"""
_ABANDONED: LiteralString = """
    WITH living AS (
        SELECT p.id, json_extract(g.identity, '$.embedder') AS embedder
        FROM partitions p JOIN generations g ON g.id = p.generation WHERE g.status <> 'retired')
    SELECT c.id, c.hash FROM chunks c CROSS JOIN vectors v ON v.id = c.id
    WHERE c.id BETWEEN ? AND ?
        AND EXISTS (
            SELECT 1 FROM chunks o
            WHERE substr(o.hash, 1, 6) = substr(c.hash, 1, 6) AND o.hash = c.hash
                AND o.id >> 40 IN (SELECT id FROM living))
        AND NOT EXISTS (
            SELECT 1 FROM chunks o CROSS JOIN vectors w ON w.id = o.id
            WHERE substr(o.hash, 1, 6) = substr(c.hash, 1, 6) AND o.hash = c.hash
                AND o.id >> 40 IN (
                    SELECT l.id FROM living l WHERE l.embedder = (
                        SELECT json_extract(g.identity, '$.embedder')
                        FROM partitions p JOIN generations g ON g.id = p.generation
                        WHERE p.id = ?)))
"""
_UNUSED: LiteralString = """
    SELECT e.id FROM embedding_cache e
    WHERE e.id > ? AND NOT EXISTS (
        SELECT 1 FROM chunks c
        WHERE substr(c.hash, 1, 6) = substr(e.hash, 1, 6) AND c.hash = e.hash)
    ORDER BY e.id LIMIT ?
"""
_GENERATION: LiteralString = (
    "SELECT g.identity, g.created_at FROM partitions p JOIN generations g ON g.id = p.generation"
    " WHERE p.id = ?"
)
_KEEP: LiteralString = (
    "INSERT INTO embedding_cache (hash, space, updated_at, data)"
    " SELECT ?, ?, ?, data FROM vectors WHERE id = ? ON CONFLICT DO NOTHING"
)
_RELEASE: LiteralString = "DELETE FROM embedding_cache WHERE hash = ? AND space = ?"
ADD_SPACE: LiteralString = (
    "INSERT INTO embedding_spaces (provider, model, provider_key) VALUES (?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)
_FIND_SPACE: LiteralString = (
    "SELECT id FROM embedding_spaces WHERE provider = ? AND model = ? AND provider_key = ?"
)
_SPACES_BY_KEY: LiteralString = (
    "SELECT provider, model, provider_key FROM embedding_spaces WHERE provider_key = ? ORDER BY id"
)
_EVICT = (
    "DELETE FROM embedding_cache WHERE id IN"
    " (SELECT id FROM embedding_cache ORDER BY updated_at, id LIMIT ?)"
)
