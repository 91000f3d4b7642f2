"""The cache of vectors, by the space they live in and the hash of their text: none is made twice.

Its key of four is provider, model, provider key and hash; the first three are a `Space`. A row goes
when its text goes (see `clearance`), or when the cap is reached and it was not used for longest. A
rebuild with other chunks leaves rows behind that belong to no chunk; `sweep` finds them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import LiteralString

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.clock import DAY_MS, Clock
from recollect.core.settings.embedding import CacheSettings
from recollect.index.model.sync_report import Watch
from recollect.models.embedding.embedder import UNIT_TOLERANCE, Embedder, Vectors
from recollect.store.columns import blob, first_integer, integer, typed_rows
from recollect.store.engine import Database, Row, Transaction

LOOKUP_GROUP = 400
"""Hashes of one statement."""
EVICTED_ROWS = 100
"""Rows that one transaction removes beyond the cap."""
SWEPT_ROWS = 5_000
"""Rows that are read, or deleted, in one transaction of a sweep."""
FRESH_MS = DAY_MS
"""A use is noted only when the last one is a day ago, so that reading seldom writes."""

Half = NDArray[np.float16]


class Space(msgspec.Struct, frozen=True, kw_only=True):
    """Where vectors can be compared: the same provider, model and provider key.

    Attributes:
        provider: Such as ``openai``.
        model: Such as ``text-embedding-3-small``.
        provider_key: The embedder's fingerprint: all that decides the vectors, no secret.
    """

    provider: str
    model: str
    provider_key: str


class Cached(msgspec.Struct, frozen=True):
    """What a lookup found: vectors by hash, and the hashes whose use should be noted."""

    vectors: dict[bytes, Vectors]
    aged: frozenset[bytes]


def space_of(embedder: Embedder) -> Space:
    """Return the space of an embedder; asks no provider."""
    provider, _, model = embedder.model.partition(":")
    return Space(provider=provider, model=model, provider_key=embedder.fingerprint)


class EmbeddingCache:
    """The rows of one space. Every method is a step of the caller's transaction.

    Args:
        space: Whose vectors.
        settings: The section ``embedding.cache``; switched off, nothing is found or kept.
        clock: Dates the uses.
    """

    def __init__(self, space: Space, settings: CacheSettings, clock: Clock) -> None:
        self._space = space
        self._settings = settings
        self._clock = clock

    def find(self, tx: Transaction, hashes: Collection[bytes], dimensions: int) -> Cached:
        """Return the vectors of those of ``hashes`` that are known; one statement for 400 of them.

        A row that cannot be right (its size, its length, a value that is not finite) is not found,
        so that it is made again.
        """
        space = self._number(tx) if self._settings.enabled else None
        if space is None:
            return Cached({}, frozenset())
        pages = (tx.all(_FIND, (space, group)) for group in _groups(hashes))
        rows = [row for page in pages for row in typed_rows(page, tuple[bytes, int, bytes])]
        sound = sound_vectors([(digest, data) for digest, _, data in rows], dimensions)
        oldest = self._clock.now_ms() - FRESH_MS
        aged = frozenset(digest for digest, used, _ in rows if used < oldest and digest in sound)
        return Cached(sound, aged)

    def missing(self, tx: Transaction, hashes: Collection[bytes], dimensions: int) -> set[bytes]:
        """Return those of ``hashes`` whose vector would have to be made."""
        return set(hashes).difference(self.find(tx, hashes, dimensions).vectors)

    def known(self, tx: Transaction, hashes: Collection[bytes]) -> set[bytes]:
        """Return those of ``hashes`` that have a row, whatever is in it; for estimates."""
        space = self._number(tx) if self._settings.enabled else None
        if space is None:
            return set()
        groups = _groups(hashes)
        return {blob(digest) for group in groups for (digest,) in tx.rows(_KNOWN, (space, group))}

    def add(self, tx: Transaction, vectors: Mapping[bytes, Half]) -> None:
        """Keep half-precision vectors by the hash of their text; one that is there is replaced."""
        if not (self._settings.enabled and vectors):
            return
        space, now = self._number(tx, create=True), self._clock.now_ms()
        tx.executemany(
            "INSERT INTO embedding_cache (hash, space, updated_at, data) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (hash, space)"
            " DO UPDATE SET data = excluded.data, updated_at = excluded.updated_at",
            [
                (digest, space, now, half.astype("<f2").tobytes())
                for digest, half in vectors.items()
            ],
        )

    def touch(self, tx: Transaction, hashes: Collection[bytes]) -> None:
        """Note that vectors were used now."""
        space, now = self._number(tx), self._clock.now_ms()
        for group in _groups(hashes):
            tx.execute(_TOUCH, (now, space, group))

    def excess(self, tx: Transaction) -> int:
        """Return how many rows of all spaces are beyond the cap: all, when it is switched off."""
        settings = self._settings
        if settings.enabled and settings.max_entries == 0:
            return 0
        return max(0, count_cached(tx) - (settings.max_entries if settings.enabled else 0))

    def _number(self, tx: Transaction, *, create: bool = False) -> int | None:
        key = msgspec.structs.astuple(self._space)
        row = tx.row(
            "SELECT id FROM embedding_spaces WHERE provider = ? AND model = ? AND provider_key = ?",
            key,
        )
        if row is None and create:
            row = tx.row(
                "INSERT INTO embedding_spaces (provider, model, provider_key) VALUES (?, ?, ?)"
                " RETURNING id",
                key,
            )
        return integer(row[0]) if row else None


def count_cached(tx: Transaction) -> int:
    """Return how many vectors of all spaces are kept."""
    return first_integer(tx.row("SELECT count(*) FROM embedding_cache"))


def remove_cached(tx: Transaction, hashes: Collection[bytes]) -> None:
    """Forget the vectors of texts, whoever made them."""
    tx.executemany("DELETE FROM embedding_cache WHERE hash = ?", [(digest,) for digest in hashes])


def evict(database: Database, cache: EmbeddingCache, watch: Watch) -> int:
    """Remove what is beyond the cap, the rows not used for longest first; return how many.

    In groups of 100, so that no other write waits for it; never while a search waits.
    """
    left = database.read(cache.excess)
    removed = 0
    while removed < left and not watch.stopping():
        most = min(EVICTED_ROWS, left - removed)
        database.write(partial(_evict, most=most))
        removed += most
    return removed


def _evict(tx: Transaction, most: int) -> None:
    tx.execute(_EVICT, (most,))


def sweep(database: Database) -> int:
    """Remove the vectors of texts that no chunk holds, and return of how many texts.

    Works in small transactions, so that writers need not wait. A text that comes back meanwhile may
    lose its row; that costs one embedding.
    """
    used = np.unique(np.fromiter((_prefix(h) for h in _chunk_hashes(database)), np.uint64))
    swept = 0
    for page in _cached_hashes(database):
        prefixes = np.fromiter(map(_prefix, page), np.uint64, len(page))
        unused = [page[place] for place in np.flatnonzero(~np.isin(prefixes, used)).tolist()]
        database.write(partial(remove_cached, hashes=unused))
        swept += len(unused)
    return swept


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
    return {sized[place][0]: vectors[place] for place in np.flatnonzero(good).tolist()}


def _groups(hashes: Collection[bytes]) -> Iterator[str]:
    """Yield JSON lists of at most 400 hexadecimal hashes."""
    names = [digest.hex() for digest in hashes]
    for start in range(0, len(names), LOOKUP_GROUP):
        yield msgspec.json.encode(names[start : start + LOOKUP_GROUP]).decode()


def _prefix(digest: bytes) -> int:
    """Eight bytes tell a million texts apart; two that share them only keep a row for longer."""
    return int.from_bytes(digest[:8])


def _chunk_hashes(database: Database) -> Iterator[bytes]:
    sql = "SELECT id, hash FROM chunks WHERE id > ? ORDER BY id LIMIT ?"
    after = -1
    while rows := database.read(partial(_rows, sql=sql, after=after)):
        page = typed_rows(rows, tuple[int, bytes])
        yield from (digest for _, digest in page)
        after = page[-1][0]


def _cached_hashes(database: Database) -> Iterator[list[bytes]]:
    sql = "SELECT DISTINCT hash FROM embedding_cache WHERE hash > ? ORDER BY hash LIMIT ?"
    after = b""
    while rows := database.read(partial(_rows, sql=sql, after=after)):
        page = [digest for (digest,) in typed_rows(rows, tuple[bytes])]
        yield page
        after = page[-1]


def _rows(tx: Transaction, sql: LiteralString, after: int | bytes) -> list[Row]:
    return tx.all(sql, (after, SWEPT_ROWS))


_AMONG: LiteralString = " WHERE space = ? AND hash IN (SELECT unhex(value) FROM json_each(?))"
_FIND: LiteralString = "SELECT hash, updated_at, data FROM embedding_cache" + _AMONG  # noqa: S608  # literals
_KNOWN: LiteralString = "SELECT hash FROM embedding_cache" + _AMONG  # noqa: S608  # literals
_TOUCH: LiteralString = "UPDATE embedding_cache SET updated_at = ?" + _AMONG  # noqa: S608  # literals
_EVICT = (
    "DELETE FROM embedding_cache WHERE id IN"
    " (SELECT id FROM embedding_cache ORDER BY updated_at, id LIMIT ?)"
)
