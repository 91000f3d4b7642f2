"""Puts the vectors of a batch into the index, group by group, and crosses their texts off the job.

A group is one transaction, so that a process that is killed while it reads goes on with the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice

import msgspec
import numpy as np

from recollect.index.embedding import EmbeddingQueue, Made, Waiting
from recollect.index.generations import find_generation, partition_numbers
from recollect.index.job_rows import Job, settle_texts, texts_of
from recollect.index.layout import chunk_ids
from recollect.models.embedder import Vectors, checked_vectors
from recollect.models.remote_batches import Result
from recollect.store.cell import blob, integer
from recollect.store.engine import Database, Transaction

GROUP = 256
"""Vectors of one transaction: as many as the queue writes at once."""


class Collected(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch brought.

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
        fingerprint: Whose vectors they are.
        dimensions: Their size.
    """

    def __init__(
        self, database: Database, queue: EmbeddingQueue, fingerprint: str, dimensions: int
    ) -> None:
        self._database = database
        self._queue = queue
        self._fingerprint = fingerprint
        self._dimensions = dimensions

    def store(self, job: Job, results: Iterable[Result]) -> Collected:
        """Store what is right of the results of a job; keys that it does not owe are ignored."""
        owed = {digest.hex(): digest for digest in self._database.read(self._owed(job))}
        if not owed:
            # A process was killed behind the last group: the file may be gone already.
            return Collected(vectors=0, texts=0, owed=frozenset())
        waiting = self._database.read(self._waiting)
        vectors = texts = 0
        for group in _groups(results):
            made = {owed[key]: vector for key, vector in self._right(group) if key in owed}
            for digest in made:
                del owed[digest.hex()]
            unit = partial(self._keep, job=job, made=made, waiting=waiting)
            vectors += self._database.write(unit)
            texts += len(made)
        return Collected(vectors=vectors, texts=texts, owed=frozenset(owed.values()))

    def _owed(self, job: Job) -> partial[set[bytes]]:
        return partial(texts_of, number=job.number)

    def _right(self, group: Iterable[Result]) -> Iterator[tuple[str, Vectors]]:
        for key, vector in group:
            if vector is not None and vector.shape == (self._dimensions,):
                yield key, vector

    def _waiting(self, tx: Transaction) -> dict[bytes, list[int]]:
        """Return the chunks that wait for a vector of this embedder, by the hash of their text."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for status in ("serving", "building"):
            generation = find_generation(tx, status)
            if generation is None or generation.identity.embedder != self._fingerprint:
                continue
            for partition in partition_numbers(tx, generation.number):
                for key, digest in tx.rows(_WAITING, chunk_ids(partition)):
                    found[blob(digest)].append(integer(key))
        return found

    def _keep(
        self,
        tx: Transaction,
        job: Job,
        made: Mapping[bytes, Vectors],
        waiting: Mapping[bytes, list[int]],
    ) -> int:
        if not made:
            return 0
        checked = checked_vectors(np.stack(list(made.values())), len(made), self._dimensions)
        fresh = dict(zip(made, checked, strict=True))
        chunks = [Waiting(key, digest, "") for digest in made for key in waiting.get(digest, ())]
        settle_texts(tx, job.number, made.keys())
        return self._queue.store(tx, chunks, Made(known={}, fresh=fresh)).stored


def _groups(results: Iterable[Result]) -> Iterator[list[Result]]:
    left = iter(results)
    while group := list(islice(left, GROUP)):
        yield group


_WAITING = (
    "SELECT q.id, c.hash FROM vector_queue q JOIN chunks c ON c.id = q.id"
    " WHERE q.id BETWEEN ? AND ?"
)
