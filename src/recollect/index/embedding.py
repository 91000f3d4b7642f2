"""Makes the vectors of chunks that wait for one: from the cache, or from the embedder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from recollect.core.errors import EmbeddingError, ProviderRejected
from recollect.index.embedding_cache import EmbeddingCache, Half, evict
from recollect.index.generations import partition_numbers
from recollect.index.layout import NUMBER_MASK, PARTITION_SHIFT, chunk_ids
from recollect.index.report import Progress, Watch
from recollect.index.vectors.code_rows import add_codes, encode
from recollect.index.vectors.vector_rows import add_vectors
from recollect.models.embedder import Embedder, EmbeddingInterrupted, Vectors, checked_vectors
from recollect.store.cell import blob, first_integer, integer, text
from recollect.store.engine import Database, Transaction
from recollect.store.lock import WriteQueue

BATCH = 256
"""Chunks per transaction: large enough to sort by length, small enough to lose little to a kill."""
EVICT_EVERY = 20
"""Batches after which the cache is cut to its cap, so that one long sync stays near it."""

PATIENCE_S = 600.0
"""How long to wait for the batch of another process: the slowest provider's, with retries."""


class Waiting(msgspec.Struct, frozen=True):
    """A chunk without a vector: its key, the SHA-256 of its text, and the text."""

    key: int
    hash: bytes
    text: str


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a batch, by the hash of the text.

    Attributes:
        known: Vectors that the cache had.
        fresh: Vectors that the embedder made.
        aged: Hashes of ``known`` whose use is to be noted.
        refused: Hashes of texts that the provider will never accept.
        reason: Why the embedder stopped, or why it refused; None when all went well.
    """

    known: Mapping[bytes, Vectors]
    fresh: Mapping[bytes, Vectors]
    aged: frozenset[bytes] = frozenset()
    refused: frozenset[bytes] = frozenset()
    reason: EmbeddingError | None = None

    @property
    def is_over(self) -> bool:
        """Whether to stop here; a text that is refused stops nothing."""
        only_refused = self.refused and isinstance(self.reason, ProviderRejected)
        return self.reason is not None and not only_refused

    def halves(self) -> dict[bytes, Half]:
        """Return all vectors as they are stored."""
        every = {**self.known, **self.fresh}
        return {digest: vector.astype("<f2") for digest, vector in every.items()}


class EmbeddingQueue:
    """Works off `vector_queue` of one generation.

    Args:
        database: index.db.
        embedder: Makes the vectors.
        turns: Taken for each batch, so that two who embed at once share the work.
        cache: Vectors that were made before.
    """

    def __init__(
        self, database: Database, embedder: Embedder, turns: WriteQueue, cache: EmbeddingCache
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._turns = turns
        self._cache = cache

    def work(self, generation: int, watch: Watch, patience_s: float = PATIENCE_S) -> int:
        """Give every waiting chunk of a generation its vector and return how many got one.

        A chunk whose text the provider refuses waits no longer; status counts it.

        Args:
            generation: Whose chunks.
            watch: Told after every batch.
            patience_s: How long to wait for somebody else's batch.

        Raises:
            EmbeddingError: the embedder failed; what was made before is kept, to the last vector.
            StoreBusy: somebody else's batch took longer.
        """
        done, left = 0, self._database.read(lambda tx: count_waiting(tx, generation))
        batches = 0
        while not watch.stopping():
            taken, stored = self._make_batch(generation, patience_s)
            if not taken:
                break
            done, left, batches = done + stored, left - taken, batches + 1
            watch.tell(Progress(stage="embedding", done=done, left=max(left, 0)))
            if batches % EVICT_EVERY == 0:
                self.evict(watch)
        return done

    def evict(self, watch: Watch) -> int:
        """Cut the cache to its cap; not for somebody who waits for an answer."""
        return evict(self._database, self._cache, watch)

    def _make_batch(self, generation: int, patience_s: float) -> tuple[int, int]:
        """Return how many chunks were looked at and how many of them have a vector now."""
        with self._turns.turn(patience_s):
            waiting = self._database.read(lambda tx: self._take(tx, generation))
            if not waiting:
                return 0, 0
            made = self._make(waiting)
            stored = self._database.write(partial(self._store, waiting=waiting, made=made))
        if made.reason is not None and made.is_over:
            raise made.reason
        return len(waiting), stored

    def _take(self, tx: Transaction, generation: int) -> list[Waiting]:
        """Return the first waiting chunks of the first partition that has some, in order."""
        for partition in partition_numbers(tx, generation):
            rows = list(tx.rows(_TAKE, (*chunk_ids(partition), BATCH)))
            if rows:
                return [Waiting(integer(k), blob(digest), text(t)) for k, digest, t in rows]
        return []

    def _make(self, waiting: Sequence[Waiting]) -> Made:
        hashes = {chunk.hash for chunk in waiting}
        dimensions = self._embedder.dimensions
        found = self._database.read(lambda tx: self._cache.find(tx, hashes, dimensions))
        missing = {c.hash: c.text for c in waiting if c.hash not in found.vectors}
        made = Made(known=found.vectors, fresh={}, aged=found.aged)
        return self._embed(made, missing) if missing else made

    def _embed(self, made: Made, missing: Mapping[bytes, str]) -> Made:
        hashes = list(missing)
        try:
            vectors = self._embedder.embed_documents(list(missing.values()))
        except EmbeddingInterrupted as interrupted:
            places = sorted(interrupted.vectors)
            fresh: list[Vectors] = [interrupted.vectors[place] for place in places]
            checked = self._checked(np.stack(fresh), len(fresh)) if fresh else []
            return msgspec.structs.replace(
                made,
                fresh={hashes[place]: checked[n] for n, place in enumerate(places)},
                refused=frozenset(hashes[place] for place in interrupted.refused),
                reason=interrupted.reason,
            )
        checked = self._checked(vectors, len(missing))
        return msgspec.structs.replace(made, fresh=dict(zip(hashes, checked, strict=True)))

    def _checked(self, vectors: Vectors, count: int) -> Vectors:
        return checked_vectors(vectors, count, self._embedder.dimensions)

    def _store(self, tx: Transaction, waiting: Sequence[Waiting], made: Made) -> int:
        """Write vectors, codes and cache rows of the chunks that still wait; return how many.

        The others were removed, or another process was faster.
        """
        halves = made.halves()
        stored: dict[int, list[Waiting]] = defaultdict(list)
        for chunk in waiting:
            if chunk.hash in made.refused:
                _refuse(tx, chunk.key, made.reason)
            elif chunk.hash in halves and _leave_queue(tx, chunk.key):
                stored[chunk.key >> PARTITION_SHIFT].append(chunk)
        for partition, chunks in stored.items():
            _add(tx, partition, chunks, halves)
        there = {chunk.hash for chunks in stored.values() for chunk in chunks}
        self._cache.add(tx, {d: halves[d] for d in made.fresh if d in there})
        self._cache.touch(tx, made.aged)
        return sum(map(len, stored.values()))


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


def count_refused(tx: Transaction, generation: int) -> int:
    """Return how many chunks of a generation have a text that the provider refused."""
    return sum(
        first_integer(tx.row(_COUNT_REFUSED, chunk_ids(partition)))
        for partition in partition_numbers(tx, generation)
    )


def _add(
    tx: Transaction, partition: int, chunks: Sequence[Waiting], halves: Mapping[bytes, Half]
) -> None:
    numbers = [chunk.key & NUMBER_MASK for chunk in chunks]
    vectors = np.stack([halves[chunk.hash] for chunk in chunks])
    add_vectors(tx, partition, numbers, vectors)
    add_codes(tx, partition, numbers, encode(vectors))
    tx.execute("UPDATE partitions SET revision = revision + 1 WHERE id = ?", (partition,))


def _leave_queue(tx: Transaction, key: int) -> bool:
    return tx.row("DELETE FROM vector_queue WHERE id = ? RETURNING id", (key,)) is not None


def _refuse(tx: Transaction, key: int, reason: EmbeddingError | None) -> None:
    """Take a chunk out of the queue for good: its text is not sent, nor paid for, again."""
    if _leave_queue(tx, key):
        code = (reason or EmbeddingError).code
        tx.execute(
            "INSERT INTO vector_refused (id, code) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (key, code),
        )


_TAKE = (
    "SELECT c.id, c.hash, c.text FROM vector_queue q JOIN chunks c ON c.id = q.id"
    " WHERE q.id BETWEEN ? AND ? ORDER BY q.id LIMIT ?"
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM vector_queue WHERE id BETWEEN ? AND ? LIMIT ?)"
_COUNT_REFUSED = "SELECT count(*) FROM vector_refused WHERE id BETWEEN ? AND ?"
