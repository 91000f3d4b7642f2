"""Makes the vectors of chunks that wait for one: from the cache, or from the embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.clock import Clock
from recollect.core.errors import DimensionMismatch
from recollect.index.generations import partition_numbers
from recollect.index.layout import NUMBER_MASK, PARTITION_SHIFT, chunk_ids
from recollect.index.vectors.code_rows import add_codes, encode
from recollect.index.vectors.vector_rows import add_vectors
from recollect.models.embedder import Embedder
from recollect.store.cell import blob, integer, text
from recollect.store.engine import Database, Transaction

BATCH = 256
"""Chunks per transaction: large enough to sort by length, small enough to lose little to a kill."""


class Waiting(msgspec.Struct, frozen=True):
    """A chunk without a vector: its key, the SHA-256 of its text, and the text."""

    key: int
    hash: bytes
    text: str


class EmbeddingQueue:
    """Works off `vector_queue` of one generation.

    Args:
        database: index.db.
        clock: Dates the rows of the cache.
        embedder: Makes the vectors.
    """

    def __init__(self, database: Database, clock: Clock, embedder: Embedder) -> None:
        self._database = database
        self._clock = clock
        self._embedder = embedder

    def work(self, generation: int, on_progress: Callable[[int, int], None]) -> int:
        """Give every waiting chunk its vector and return how many there were.

        Raises:
            EmbeddingError: the embedder failed; what was made before is kept.
        """
        done, left = 0, self._database.read(lambda tx: count_waiting(tx, generation))
        while waiting := self._database.read(lambda tx: self._take(tx, generation)):
            vectors = self._vectors(waiting)
            self._database.write(lambda tx, w=waiting, v=vectors: self._store(tx, w, v))
            done += len(waiting)
            on_progress(done, max(left - done, 0))
        return done

    def _take(self, tx: Transaction, generation: int) -> list[Waiting]:
        """Return the first waiting chunks of the first partition that has some, in order."""
        for partition in partition_numbers(tx, generation):
            rows = list(tx.rows(_TAKE, (*chunk_ids(partition), BATCH)))
            if rows:
                return [Waiting(integer(k), blob(digest), text(t)) for k, digest, t in rows]
        return []

    def _vectors(self, waiting: Sequence[Waiting]) -> NDArray[np.float32]:
        known = self._database.read(lambda tx: self._cached(tx, {w.hash for w in waiting}))
        missing = {w.hash: w.text for w in waiting if w.hash not in known}
        if missing:
            made = self._embedder.embed_documents(list(missing.values()))
            self._check(made, len(missing))
            known |= dict(zip(missing, made, strict=True))
        return np.stack([known[w.hash] for w in waiting])

    def _check(self, made: NDArray[np.float32], expected: int) -> None:
        if made.shape != (expected, self._embedder.dimensions) or not np.isfinite(made).all():
            raise DimensionMismatch(
                "the embedder returned vectors of another number or size than it promises",
                hint="run `recollect models` to see which embedder is in use",
            )

    def _cached(self, tx: Transaction, hashes: set[bytes]) -> dict[bytes, NDArray[np.float32]]:
        found = {}
        for digest in hashes:
            row = tx.row(
                "SELECT data FROM embedding_cache WHERE fingerprint = ? AND hash = ?",
                (self._embedder.fingerprint, digest),
            )
            if row:
                found[digest] = np.frombuffer(blob(row[0]), "<f2").astype(np.float32)
        return found

    def _store(
        self, tx: Transaction, waiting: Sequence[Waiting], vectors: NDArray[np.float32]
    ) -> None:
        """Write vectors and codes of chunks that are still there, and the cache rows of all."""
        halves, now = vectors.astype("<f2"), self._clock.now_ms()
        tx.executemany(
            "INSERT INTO embedding_cache (fingerprint, hash, data, updated_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (fingerprint, hash) DO UPDATE SET updated_at = excluded.updated_at",
            [
                (self._embedder.fingerprint, w.hash, row.tobytes(), now)
                for w, row in zip(waiting, halves, strict=True)
            ],
        )
        by_partition: dict[int, list[int]] = {}
        for place, chunk in enumerate(waiting):
            row = tx.row("DELETE FROM vector_queue WHERE id = ? RETURNING id", (chunk.key,))
            if row:
                by_partition.setdefault(chunk.key >> PARTITION_SHIFT, []).append(place)
        for partition, places in by_partition.items():
            numbers = [waiting[place].key & NUMBER_MASK for place in places]
            kept = halves[places].astype(np.float32)
            add_vectors(tx, partition, numbers, kept)
            add_codes(tx, partition, numbers, encode(kept))
            tx.execute("UPDATE partitions SET revision = revision + 1 WHERE id = ?", (partition,))


def count_waiting(tx: Transaction, generation: int) -> int:
    """Return how many chunks of a generation wait for a vector."""
    counts = (
        tx.row("SELECT count(*) FROM vector_queue WHERE id BETWEEN ? AND ?", chunk_ids(partition))
        for partition in partition_numbers(tx, generation)
    )
    return sum(integer(row[0]) for row in counts if row)


_TAKE = (
    "SELECT c.id, c.hash, c.text FROM vector_queue q JOIN chunks c ON c.id = q.id"
    " WHERE q.id BETWEEN ? AND ? ORDER BY q.id LIMIT ?"
)
