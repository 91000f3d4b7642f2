"""Makes the vectors of chunks that wait for one: from the cache, or from the embedder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.embedding_cache import add_cached, find_cached
from recollect.index.generations import partition_numbers
from recollect.index.layout import NUMBER_MASK, PARTITION_SHIFT, chunk_ids
from recollect.index.report import Progress, Watch
from recollect.index.vectors.code_rows import add_codes, encode
from recollect.index.vectors.vector_rows import add_vectors
from recollect.models.embedder import Embedder, checked_vectors
from recollect.store.cell import blob, first_integer, integer, text
from recollect.store.engine import Database, Transaction
from recollect.store.lock import WriteQueue

BATCH = 256
"""Chunks per transaction: large enough to sort by length, small enough to lose little to a kill."""


PATIENCE_S = 600.0
"""How long to wait for the batch of another process: the slowest provider's, with retries."""


class Waiting(msgspec.Struct, frozen=True):
    """A chunk without a vector: its key, the SHA-256 of its text, and the text."""

    key: int
    hash: bytes
    text: str


class EmbeddingQueue:
    """Works off `vector_queue` of one generation.

    Args:
        database: index.db.
        embedder: Makes the vectors.
        turns: Taken for each batch, so that two who embed at once share the work.
    """

    def __init__(self, database: Database, embedder: Embedder, turns: WriteQueue) -> None:
        self._database = database
        self._embedder = embedder
        self._turns = turns

    def work(self, generation: int, watch: Watch, patience_s: float = PATIENCE_S) -> int:
        """Give every waiting chunk of a generation its vector and return how many there were.

        Args:
            generation: Whose chunks.
            watch: Told after every batch.
            patience_s: How long to wait for somebody else's batch.

        Raises:
            EmbeddingError: the embedder failed; what was made before is kept.
            StoreBusy: somebody else's batch took longer.
        """
        done, left = 0, self._database.read(lambda tx: count_waiting(tx, generation))
        while not watch.stopping():
            made = self._make_batch(generation, patience_s)
            if not made:
                break
            done += made
            watch.tell(Progress(stage="embedding", done=done, left=max(left - done, 0)))
        return done

    def _make_batch(self, generation: int, patience_s: float) -> int:
        with self._turns.turn(patience_s):
            waiting = self._database.read(lambda tx: self._take(tx, generation))
            if waiting:
                halves = self._vectors(waiting).astype("<f2")
                self._database.write(partial(self._store, waiting=waiting, halves=halves))
        return len(waiting)

    def _take(self, tx: Transaction, generation: int) -> list[Waiting]:
        """Return the first waiting chunks of the first partition that has some, in order."""
        for partition in partition_numbers(tx, generation):
            rows = list(tx.rows(_TAKE, (*chunk_ids(partition), BATCH)))
            if rows:
                return [Waiting(integer(k), blob(digest), text(t)) for k, digest, t in rows]
        return []

    def _vectors(self, waiting: Sequence[Waiting]) -> NDArray[np.float32]:
        hashes = {chunk.hash for chunk in waiting}
        known = self._database.read(lambda tx: find_cached(tx, self._embedder.fingerprint, hashes))
        missing = {chunk.hash: chunk.text for chunk in waiting if chunk.hash not in known}
        if missing:
            made = self._embedder.embed_documents(list(missing.values()))
            made = checked_vectors(made, len(missing), self._embedder.dimensions)
            known |= dict(zip(missing, made, strict=True))
        return np.stack([known[chunk.hash] for chunk in waiting])

    def _store(
        self, tx: Transaction, waiting: Sequence[Waiting], halves: NDArray[np.float16]
    ) -> None:
        """Write vectors, codes and cache rows of the chunks that still wait.

        The others were removed, or another process was faster.
        """
        by_partition: dict[int, list[int]] = defaultdict(list)
        for place, chunk in enumerate(waiting):
            if tx.row("DELETE FROM vector_queue WHERE id = ? RETURNING id", (chunk.key,)):
                by_partition[chunk.key >> PARTITION_SHIFT].append(place)
                add_cached(tx, self._embedder.fingerprint, chunk.hash, halves[place])
        for partition, places in by_partition.items():
            numbers = [waiting[place].key & NUMBER_MASK for place in places]
            add_vectors(tx, partition, numbers, halves[places])
            add_codes(tx, partition, numbers, encode(halves[places]))
            tx.execute("UPDATE partitions SET revision = revision + 1 WHERE id = ?", (partition,))


def queue_all(tx: Transaction, generation: int) -> None:
    """Let every chunk of a generation wait for a vector."""
    for partition in partition_numbers(tx, generation):
        tx.execute(
            "INSERT INTO vector_queue (id) SELECT id FROM chunks WHERE id BETWEEN ? AND ?"
            " ON CONFLICT DO NOTHING",
            chunk_ids(partition),
        )


def count_waiting(tx: Transaction, generation: int, most: int = 1 << 40) -> int:
    """Return how many chunks of a generation wait for a vector; counts no further than ``most``."""
    total = 0
    for partition in partition_numbers(tx, generation):
        total += first_integer(tx.row(_COUNT, (*chunk_ids(partition), most - total)))
    return total


_TAKE = (
    "SELECT c.id, c.hash, c.text FROM vector_queue q JOIN chunks c ON c.id = q.id"
    " WHERE q.id BETWEEN ? AND ? ORDER BY q.id LIMIT ?"
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM vector_queue WHERE id BETWEEN ? AND ? LIMIT ?)"
