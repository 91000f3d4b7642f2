"""The texts that go into a batch: those that wait, that no one else sends, that no cache has."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from recollect.index.embedding.agreed import OF_AGREED, as_json
from recollect.index.embedding.batch_job_rows import BatchJob, in_flight, settle_texts, texts_of
from recollect.index.embedding.cache import EmbeddingCache
from recollect.index.embedding.queue import EmbeddedTexts, EmbeddingQueue, Waiting
from recollect.index.model.chunk_record import chunk_ids
from recollect.index.model.document import SOURCES
from recollect.index.model.generation import find_generation, partition_numbers
from recollect.models.embedding import batch_job
from recollect.models.embedding.batch_job import BatchResult
from recollect.models.embedding.embedder import Embedder, Vectors, checked_vectors
from recollect.store.columns import typed_rows
from recollect.store.engine import Database, Transaction
from recollect.store.failures import translate_os
from recollect.text.tokens import estimate_tokens

TEXTS_AT_ONCE = 500
"""Waiting chunks that are read in one transaction."""

Line = Callable[[str, str], bytes]
Text = tuple[bytes, str]
"""A text and its hash."""


class BatchDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A file of texts, ready to be sent.

    Attributes:
        file: Its path.
        hashes: The hashes of its texts, each once.
        tokens: Estimated tokens of all.
    """

    file: Path
    hashes: tuple[bytes, ...]
    tokens: int


class BatchTexts:
    """Finds texts for batches.

    Args:
        database: index.db.
        cache: Vectors that were made before.
        embedder: Who is to make the others.
        sources: The kinds of memory that it may get.
    """

    def __init__(
        self,
        database: Database,
        cache: EmbeddingCache,
        embedder: Embedder,
        sources: Sequence[str] = SOURCES,
    ) -> None:
        self._sources = as_json(sources)
        self._database = database
        self._cache = cache
        self._embedder = embedder

    def draft(
        self,
        generation: int,
        line: Line,
        file: Path,
        *,
        left_out: Collection[bytes] = (),
        most_tokens: int | None = None,
    ) -> BatchDraft:
        """Write waiting texts of a generation to ``file``, as many as a batch may hold.

        Args:
            generation: The generation of the chunks.
            line: Makes the line of a text out of its key, the hash in hexadecimal, and the text.
            file: Overwritten.
            left_out: Hashes of texts that are to be sent directly.
            most_tokens: Tokens that may be spent; None for no limit.

        Raises:
            StoreError: the file cannot be written.
        """
        most = math.inf if most_tokens is None else most_tokens
        hashes: list[bytes] = []
        tokens = size = 0
        try:
            with file.open("wb") as lines:
                file.chmod(0o600)
                for digest, content in self._texts(generation, set(left_out)):
                    entry, cost = line(digest.hex(), content), estimate_tokens(content)
                    if (
                        tokens + cost > most
                        or len(hashes) >= batch_job.MAX_TEXTS
                        or size + len(entry) > batch_job.MAX_BYTES
                    ):
                        break
                    size += lines.write(entry)
                    tokens += cost
                    hashes.append(digest)
        except OSError as error:
            raise translate_os(error, file) from error
        return BatchDraft(file=file, hashes=tuple(hashes), tokens=tokens)

    def _texts(self, generation: int, passed: set[bytes]) -> Iterator[Text]:
        """Yield each text once; ``passed`` takes those that were read."""
        numbers = self._database.read(lambda tx: partition_numbers(tx, generation))
        for partition in numbers:
            after, last = chunk_ids(partition)
            span = partial(_page, last=last, sources=self._sources)
            while page := self._database.read(partial(span, after=after)):
                after = page[-1][0] + 1
                fresh = {digest: content for _, digest, content in page if digest not in passed}
                passed |= fresh.keys()
                yield from self._unmade(fresh)

    def _unmade(self, fresh: dict[bytes, str]) -> list[Text]:
        dimensions, fingerprint = self._embedder.dimensions, self._embedder.fingerprint

        def find_unmade(tx: Transaction) -> set[bytes]:
            missing = self._cache.missing(tx, fresh.keys(), dimensions)
            return missing - in_flight(tx, missing, fingerprint)

        unmade = self._database.read(find_unmade)
        return [(d, content) for d, content in fresh.items() if d in unmade and content.strip()]


def _page(tx: Transaction, after: int, last: int, sources: str) -> list[tuple[int, bytes, str]]:
    rows = tx.all(
        "SELECT c.id, c.hash, c.text FROM vector_queue q JOIN chunks c ON c.id = q.id"  # noqa: S608  # literals
        " WHERE q.id BETWEEN ? AND ?" + OF_AGREED + " ORDER BY q.id LIMIT ?",
        (after, last, sources, TEXTS_AT_ONCE),
    )
    return typed_rows(rows, tuple[int, bytes, str])


RESULTS_AT_ONCE = 256
"""Vectors of one transaction: as many as the queue writes at once."""


class Collected(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a batch.

    Attributes:
        vectors: Chunks that got one.
        texts: Texts that did.
        owed: Hashes of the texts that got none.
    """

    vectors: int
    texts: int
    owed: frozenset[bytes]


class BatchResults:
    """Stores results.

    Args:
        database: index.db.
        queue: Writes vectors where their chunks still wait.
        fingerprint: The embedder of the vectors.
        dimensions: Their size.
    """

    def __init__(
        self, database: Database, queue: EmbeddingQueue, fingerprint: str, dimensions: int
    ) -> None:
        self._database = database
        self._queue = queue
        self._fingerprint = fingerprint
        self._dimensions = dimensions

    def store(self, job: BatchJob, results: Iterable[BatchResult]) -> Collected:
        """Store the valid results of a job; keys that it does not owe are ignored."""
        hashes = self._database.read(partial(texts_of, number=job.number))
        owed = {digest.hex(): digest for digest in hashes}
        if not owed:
            # A process was killed after the last group: the file may be gone already.
            return Collected(vectors=0, texts=0, owed=frozenset())
        waiting = self._database.read(self._waiting)
        vectors = texts = 0
        for group in _groups(results):
            vectors_of = {
                owed[key]: vector
                for key, vector in group
                if key in owed and vector is not None and vector.shape == (self._dimensions,)
            }
            for digest in vectors_of:
                del owed[digest.hex()]
            keep = partial(self._keep, job=job, vectors_of=vectors_of, waiting=waiting)
            vectors += self._database.write(keep)
            texts += len(vectors_of)
        return Collected(vectors=vectors, texts=texts, owed=frozenset(owed.values()))

    def _waiting(self, tx: Transaction) -> dict[bytes, list[int]]:
        """Return the chunks that wait for a vector of this embedder, by the hash of their text."""
        chunks_of: dict[bytes, list[int]] = defaultdict(list)
        for status in ("serving", "building"):
            generation = find_generation(tx, status)
            if generation is None or generation.identity.embedder != self._fingerprint:
                continue
            for partition in partition_numbers(tx, generation.number):
                rows = tx.all(_WAITING_CHUNKS, chunk_ids(partition))
                for key, digest in typed_rows(rows, tuple[int, bytes]):
                    chunks_of[digest].append(key)
        return chunks_of

    def _keep(
        self,
        tx: Transaction,
        job: BatchJob,
        vectors_of: Mapping[bytes, Vectors],
        waiting: Mapping[bytes, list[int]],
    ) -> int:
        if not vectors_of:
            return 0
        checked = checked_vectors(
            np.stack(list(vectors_of.values())), len(vectors_of), self._dimensions
        )
        fresh = dict(zip(vectors_of, checked, strict=True))
        chunks = [
            Waiting(key, digest, "") for digest in vectors_of for key in waiting.get(digest, ())
        ]
        settle_texts(tx, job.number, vectors_of.keys())
        return self._queue.store(tx, chunks, EmbeddedTexts(cached={}, fresh=fresh)).vectors


def _groups(results: Iterable[BatchResult]) -> Iterator[list[BatchResult]]:
    remaining = iter(results)
    while group := list(islice(remaining, RESULTS_AT_ONCE)):
        yield group


_WAITING_CHUNKS = (
    "SELECT q.id, c.hash FROM vector_queue q JOIN chunks c ON c.id = q.id"
    " WHERE q.id BETWEEN ? AND ?"
)
