"""The base of embedders on this machine: loaded at the first text, several texts in parallel.

Every text runs alone on one core. That is faster than padded batches (see
`recollect.models.local.graph`) and makes a vector a function of its text alone: not of its
neighbours, their order or the number of threads.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np

from recollect.core.errors import InvalidInput
from recollect.core.threads import ThreadFuture, ThreadPool, completed
from recollect.models.embedding.embedder import Progress, Vectors, checked_vectors
from recollect.models.embedding.wires import Purpose


class TextModel(Protocol):
    """A loaded model."""

    def embed(self, text: str, purpose: Purpose) -> Vectors:
        """Return the vector of one text: ``(dimensions,)`` float32, normalised."""


class ThreadedEmbedder(ABC):
    """Embeds texts on this machine. Safe to share between threads.

    Args:
        dimensions: Size of the vectors.
        threads: Cores that `embed_documents` may keep busy; a query takes one.
        batch_size: Texts handed to a thread at once, and the step of the progress.

    Attributes:
        languages: The languages of the model, as BCP 47 tags; empty where its files do not state
            them.
    """

    is_remote = False
    languages: tuple[str, ...] = ()

    def __init__(self, dimensions: int, *, threads: int, batch_size: int) -> None:
        if threads < 1 or batch_size < 1:
            raise InvalidInput(
                "the local embedder needs at least one thread and one text a batch",
                hint="check embedding.threads and embedding.batch_size",
            )
        self.dimensions = dimensions
        self._threads = threads
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._loaded: tuple[TextModel, ThreadPool] | None = None

    @abstractmethod
    def open_model(self) -> TextModel:
        """Return the model, loaded.

        Raises:
            ModelMissing: the model or its runtime is not installed.
            EmbeddingError: the runtime failed.
        """

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one vector per text, in order: ``(len(texts), dimensions)`` float32, normalised.

        Interrupting it (Ctrl-C) stops after the texts in progress, within milliseconds.

        Raises:
            ModelMissing: the model or its runtime is not installed.
            EmbeddingError: the runtime failed.
        """
        model, pool = self._load()
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        starts = range(0, len(texts), self._batch_size)

        def embed_batch(start: int) -> int:
            batch = texts[start : start + self._batch_size]
            for row, text in enumerate(batch, start):
                vectors[row] = model.embed(text, "document")
            return len(batch)

        _run_all([pool.submit(partial(embed_batch, start)) for start in starts], progress)
        return checked_vectors(vectors, len(texts), self.dimensions)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question: ``(dimensions,)`` float32, normalised.

        Raises:
            ModelMissing: the model or its runtime is not installed.
            EmbeddingError: the runtime failed.
        """
        vectors = self._load()[0].embed(text, "query")[np.newaxis]
        checked: Vectors = checked_vectors(vectors, 1, self.dimensions)[0]
        return checked

    def close(self) -> None:
        """Free the model's memory once the calls in progress are done.

        A later call loads it again.
        """
        # The last call that holds the model drops it; its idle threads end with it.
        with self._lock:
            self._loaded = None

    def _load(self) -> tuple[TextModel, ThreadPool]:
        with self._lock:
            if self._loaded is None:
                pool = ThreadPool("recollect-embed", self._threads)
                self._loaded = (self.open_model(), pool)
            return self._loaded


def _run_all(batches: list[ThreadFuture[int]], progress: Progress | None) -> None:
    try:
        for batch in completed(batches):
            count = batch.result()
            if progress is not None:
                progress(count)
    finally:
        for batch in batches:
            batch.cancel()
