"""Makes the vectors of chunks that wait for one: from the cache, or from the embedder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import LiteralString

import msgspec
import numpy as np

from recollect.core.errors import BudgetSpent, EmbeddingError, ProviderError, ProviderRejected
from recollect.index.embedding.agreed import OF_AGREED, as_json
from recollect.index.embedding.cache import EmbeddingCache, Half, evict
from recollect.index.model.chunk_record import NUMBER_MASK, PARTITION_SHIFT, chunk_ids
from recollect.index.model.document import SOURCES
from recollect.index.model.generation import partition_numbers
from recollect.index.model.sync_report import Progress, SyncReport, Watch
from recollect.index.vectors.codes import add_codes, encode_codes
from recollect.index.vectors.vector_rows import add_vectors
from recollect.models.embedding.embedder import (
    Embedder,
    EmbeddingInterrupted,
    Vectors,
    checked_vectors,
)
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import Database, Transaction
from recollect.store.locks import WriteQueue

CHUNKS_AT_ONCE = 256
"""Chunks per transaction: enough to sort by length, few enough to lose little to a kill."""
EVICT_EVERY = 20
"""Batches after which the cache is cut to its cap, so that one long sync stays near it."""

SYNC_PATIENCE_S = 600.0
"""How long to wait for the batch of another process: the slowest provider's, with retries."""
SEARCH_PATIENCE_S = 2.0
"""How long a search waits for another one's batch of embeddings before it answers without."""


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """A chunk without a vector: its key, the SHA-256 of its text, and the text."""

    key: int
    hash: bytes
    text: str


class EmbeddedTexts(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a batch, by the hash of the text.

    Attributes:
        cached: Vectors that the cache had.
        fresh: Vectors that the embedder made.
        refused: Hashes of texts that the provider will never accept.
        reason: Why the embedder stopped, or why it refused; None when all went well.
    """

    cached: Mapping[bytes, Vectors]
    fresh: Mapping[bytes, Vectors]
    refused: frozenset[bytes] = frozenset()
    reason: ProviderError | None = None

    @property
    def is_over(self) -> bool:
        """Whether to fail here; a refused text or a spent limit does not count."""
        only_refused = self.refused and isinstance(self.reason, ProviderRejected)
        return not (only_refused or isinstance(self.reason, BudgetSpent))

    def halves(self) -> dict[bytes, Half]:
        """Return all vectors as they are stored."""
        every = {**self.cached, **self.fresh}
        return {digest: vector.astype("<f2") for digest, vector in every.items()}


class QueueProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one or more batches: chunks taken, those with a vector now, those refused.

    ``reason`` says why the embedder stopped, or why it refused.
    """

    chunks: int = 0
    vectors: int = 0
    refused: int = 0
    reason: ProviderError | None = None

    @property
    def spent(self) -> BudgetSpent | None:
        """The daily limit that was reached, if one was; the rest waits for the next day."""
        return self.reason if isinstance(self.reason, BudgetSpent) else None

    def plus(self, batch: QueueProgress) -> QueueProgress:
        """Return the sum, with the reason of the later one."""
        return QueueProgress(
            chunks=self.chunks + batch.chunks,
            vectors=self.vectors + batch.vectors,
            refused=self.refused + batch.refused,
            reason=batch.reason,
        )

    def report(self) -> SyncReport:
        """Return the outcome as a sync report."""
        spent = self.spent
        return SyncReport(
            vectors=self.vectors,
            refused=self.refused,
            paused=spent is not None,
            warnings=() if spent is None else (f"{spent.message}: {spent.hint}",),
        )


class Meter:
    """Reports the progress of a batch: texts that are embedded but not stored yet.

    Args:
        watch: Gets the progress.
        done: Vectors stored before.
        left: Chunks that waited when the batch began.
    """

    def __init__(self, watch: Watch, count: int, remaining: int) -> None:
        self._watch = watch
        self._embedded_count = count
        self._remaining = remaining

    def add(self, texts: int) -> None:
        """Report some more texts."""
        self._embedded_count, self._remaining = (
            self._embedded_count + texts,
            max(self._remaining - texts, 0),
        )
        self._watch.tell(
            Progress(stage="embedding", done=self._embedded_count, left=self._remaining)
        )


class EmbeddingQueue:
    """Works off `vector_queue` of one generation.

    Args:
        database: index.db.
        embedder: Makes the vectors.
        turns: Taken for each batch, so that two processes that embed at once share the work.
        cache: Finds vectors that were made before.
        sources: The kinds of memory that the embedder may get.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        turns: WriteQueue,
        cache: EmbeddingCache,
        sources: Sequence[str] = SOURCES,
    ) -> None:
        self._sources = None if set(SOURCES) <= set(sources) else as_json(sources)
        self._database = database
        self._embedder = embedder
        self._turns = turns
        self._cache = cache

    def sync(self, generation: int, watch: Watch) -> QueueProgress:
        """Make the vector of every waiting chunk of a generation.

        A chunk whose text the provider refuses waits no longer; status counts it. When the daily
        limit is reached, the rest goes on waiting.

        Args:
            generation: The generation of the chunks.
            watch: Called after every batch. While a search waits, it waits less long for another
                process's batch, and the cache is not cut.

        Raises:
            ProviderError: the embedder failed; vectors made before are kept, to the last one.
            StoreBusy: another process's batch took longer.
        """
        total, batches, is_answer = QueueProgress(), 0, watch.mode == "answer"
        patience_s = SEARCH_PATIENCE_S if is_answer else SYNC_PATIENCE_S
        remaining = self._database.read(lambda tx: count_waiting(tx, generation))
        while total.spent is None and not watch.stopping():
            meter = Meter(watch, total.vectors, remaining)
            batch = self._make_batch(generation, patience_s, meter)
            if not batch.chunks:
                break
            total, remaining, batches = total.plus(batch), remaining - batch.chunks, batches + 1
            watch.tell(Progress(stage="embedding", done=total.vectors, left=max(remaining, 0)))
            if batches % EVICT_EVERY == 0 and not is_answer:
                evict(self._database, self._cache, watch)
        return total

    def store(
        self, tx: Transaction, waiting: Sequence[Waiting], outcome: EmbeddedTexts
    ) -> QueueProgress:
        """Write vectors and codes of the chunks that still wait.

        The others were removed, or another process was faster.
        """
        halves = outcome.halves()
        chunks_of: dict[int, list[Waiting]] = defaultdict(list)
        refused = 0
        for chunk in waiting:
            if chunk.hash in outcome.refused:
                refused += _refuse(tx, chunk.key, outcome.reason)
            elif chunk.hash in halves and _leave_queue(tx, chunk.key):
                chunks_of[chunk.key >> PARTITION_SHIFT].append(chunk)
        for partition, chunks in chunks_of.items():
            _add(tx, partition, chunks, halves)
        there = {chunk.hash for chunks in chunks_of.values() for chunk in chunks}
        self._cache.release(tx, there & outcome.cached.keys())
        return QueueProgress(
            chunks=len(waiting),
            vectors=sum(map(len, chunks_of.values())),
            refused=refused,
            reason=outcome.reason,
        )

    def _make_batch(self, generation: int, patience_s: float, meter: Meter) -> QueueProgress:
        with self._turns.turn(patience_s):
            waiting = self._database.read(lambda tx: self._take(tx, generation))
            if not waiting:
                return QueueProgress()
            outcome = self._make(waiting, meter)
            batch = self._database.write(partial(self.store, waiting=waiting, outcome=outcome))
        if outcome.reason is not None and outcome.is_over:
            raise outcome.reason
        return batch

    def _take(self, tx: Transaction, generation: int) -> list[Waiting]:
        """Return the first waiting chunks of the first partition that has some, in order."""
        for partition in partition_numbers(tx, generation):
            span = (*chunk_ids(partition), self._embedder.fingerprint)
            rows = (
                tx.all(_TAKE, (*span, CHUNKS_AT_ONCE))
                if self._sources is None
                else tx.all(_TAKE_AGREED, (*span, self._sources, CHUNKS_AT_ONCE))
            )
            if chunks := typed_rows(rows, Waiting):
                return chunks
        return []

    def _make(self, waiting: Sequence[Waiting], meter: Meter) -> EmbeddedTexts:
        hashes = {chunk.hash for chunk in waiting}
        dimensions = self._embedder.dimensions
        cached = self._database.read(lambda tx: self._cache.find(tx, hashes, dimensions))
        # The longest first: threads and requests then end at about the same time.
        longest = sorted(waiting, key=lambda chunk: len(chunk.text), reverse=True)
        missing = {c.hash: c.text for c in longest if c.hash not in cached}
        outcome = EmbeddedTexts(cached=cached, fresh={})
        return self._embed(outcome, missing, meter) if missing else outcome

    def _embed(
        self, outcome: EmbeddedTexts, missing: Mapping[bytes, str], meter: Meter
    ) -> EmbeddedTexts:
        hashes, dimensions = list(missing), self._embedder.dimensions
        try:
            vectors = self._embedder.embed_documents(list(missing.values()), meter.add)
        except EmbeddingInterrupted as interrupted:
            positions = sorted(interrupted.vectors)
            fresh: list[Vectors] = [interrupted.vectors[position] for position in positions]
            valid: Sequence[Vectors] = []
            if fresh:
                valid = list(checked_vectors(np.stack(fresh), len(fresh), dimensions))
            return msgspec.structs.replace(
                outcome,
                fresh={hashes[position]: valid[n] for n, position in enumerate(positions)},
                refused=frozenset(hashes[position] for position in interrupted.refused),
                reason=interrupted.reason,
            )
        except BudgetSpent as spent:
            return msgspec.structs.replace(outcome, reason=spent)
        checked = checked_vectors(vectors, len(missing), dimensions)
        return msgspec.structs.replace(outcome, fresh=dict(zip(hashes, checked, strict=True)))


def queue_all(tx: Transaction, generation: int) -> None:
    """Let every chunk of a generation wait for a vector."""
    for partition in partition_numbers(tx, generation):
        tx.execute(
            "INSERT INTO vector_queue (id) SELECT id FROM chunks WHERE id BETWEEN ? AND ?"
            " ON CONFLICT DO NOTHING",
            chunk_ids(partition),
        )


def count_waiting(
    tx: Transaction, generation: int, most: int = 1 << 40, unsent_by: str | None = None
) -> int:
    """Return the number of chunks of a generation that wait for a vector, ``most`` at most.

    Args:
        tx: Any transaction.
        generation: The generation of the chunks.
        most: Where to stop.
        unsent_by: Leave out those that a batch of the embedder with this fingerprint has.
    """
    sql, of = (_COUNT, ()) if unsent_by is None else (_COUNT_UNSENT, (unsent_by,))
    total = 0
    for partition in partition_numbers(tx, generation):
        total += first_integer(tx.row(sql, (*chunk_ids(partition), *of, most - total)))
    return total


def count_refused(tx: Transaction, generation: int) -> int:
    """Return how many chunks of a generation have a text that the provider refused."""
    spans = map(chunk_ids, partition_numbers(tx, generation))
    return sum(first_integer(tx.row(_COUNT_REFUSED, span)) for span in spans)


def _add(
    tx: Transaction, partition: int, chunks: Sequence[Waiting], halves: Mapping[bytes, Half]
) -> None:
    numbers = [chunk.key & NUMBER_MASK for chunk in chunks]
    vectors = np.stack([halves[chunk.hash] for chunk in chunks])
    add_vectors(tx, partition, numbers, vectors)
    add_codes(tx, partition, numbers, encode_codes(vectors))
    tx.execute("UPDATE partitions SET revision = revision + 1 WHERE id = ?", (partition,))


def _leave_queue(tx: Transaction, key: int) -> bool:
    return tx.row("DELETE FROM vector_queue WHERE id = ? RETURNING id", (key,)) is not None


def _refuse(tx: Transaction, key: int, reason: ProviderError | None) -> bool:
    """Take a chunk out of the queue for good: its text is not sent, nor paid for, again."""
    is_there = _leave_queue(tx, key)
    if is_there:
        row = (key, (reason or EmbeddingError).code)
        tx.execute(
            "INSERT INTO vector_refused (id, code) VALUES (?, ?) ON CONFLICT DO NOTHING", row
        )
    return is_there


_UNSENT: LiteralString = (
    " FROM vector_queue q JOIN chunks c ON c.id = q.id WHERE q.id BETWEEN ? AND ?"
    " AND NOT EXISTS (SELECT 1 FROM embedding_job_texts t JOIN embedding_jobs j ON j.id = t.job"
    " WHERE t.hash = c.hash AND j.fingerprint = ?)"
)
"""A text that is under way with a batch is not made a second time."""
_WAITING: LiteralString = "SELECT c.id, c.hash, c.text" + _UNSENT
_TAKE: LiteralString = _WAITING + " ORDER BY q.id LIMIT ?"
_TAKE_AGREED: LiteralString = _WAITING + OF_AGREED + " ORDER BY q.id LIMIT ?"
_COUNT: LiteralString = (
    "SELECT count(*) FROM (SELECT 1 FROM vector_queue WHERE id BETWEEN ? AND ? LIMIT ?)"
)
_COUNT_UNSENT: LiteralString = "SELECT count(*) FROM (SELECT 1" + _UNSENT + " LIMIT ?)"  # noqa: S608  # literals
_COUNT_REFUSED = "SELECT count(*) FROM vector_refused WHERE id BETWEEN ? AND ?"
