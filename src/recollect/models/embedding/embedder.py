"""The embedder port, which turns texts into vectors, and the check that every adapter applies.

The index knows embedders only through `Embedder`. The registry knows the adapters; the index stores
and searches the vectors. An embedder of another package is an entry point of the group
``recollect.embedders``, and needs nothing of ours but what is defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from recollect.core.errors import DimensionMismatch, EmbeddingError, ProviderError
from recollect.models.embedding.raw_vectors import Row, Vectors, sound_vectors

__all__ = [
    "Embedder",
    "EmbeddingInterrupted",
    "Progress",
    "Row",
    "Vectors",
    "checked_vectors",
    "sound_vectors",
]

Progress = Callable[[int], None]
"""Called in the caller's thread with the number of texts done since the last call."""

UNIT_TOLERANCE = 1e-3
"""How far from 1 the length of a stored vector may be: f16 storage alone costs 5e-4."""


class Embedder(Protocol):
    """Turns texts into L2-normalised vectors of one size.

    Attributes:
        model: ``provider:model``, for people: ``"local:all-MiniLM-L6-v2"``.
        fingerprint: sha256 over everything that decides the vector space; vectors of different
            fingerprints must never meet in one index.
        dimensions: Size of every vector.
        is_remote: Whether texts leave the machine and cost money or time: not used while a search
            waits.
    """

    @property
    def model(self) -> str:
        """Return ``provider:model``."""

    @property
    def fingerprint(self) -> str:
        """Return the identity of the vector space, 64 hexadecimal digits."""

    @property
    def dimensions(self) -> int:
        """Return the size of every vector; a remote model of unknown size is asked once.

        Raises:
            ProviderError: it could not be asked.
        """

    @property
    def is_remote(self) -> bool:
        """Return whether texts leave this process for a provider."""

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return ``(len(texts), dimensions)`` float32, L2-normalised, finite, in input order.

        Raises:
            EmbeddingInterrupted: some texts have no vector; those that have one come with it.
            ProviderError: no vector was made.
        """

    def embed_query(self, text: str) -> Vectors:
        """Return ``(dimensions,)`` float32, L2-normalised and finite."""

    def close(self) -> None:
        """Release the embedder's resources; a second call does nothing."""


class EmbeddingInterrupted(EmbeddingError):
    """An embedder stopped part of the way; finished vectors, perhaps paid for, are not lost.

    Args:
        reason: Why it stopped.
        vectors: Index in the input -> its checked vector.
        refused: Indexes of texts that the provider will never accept.
    """

    def __init__(
        self,
        reason: ProviderError,
        vectors: Mapping[int, Vectors],
        refused: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__(reason.message, hint=reason.hint, **reason.facts)
        self.reason = reason
        self.vectors = vectors
        self.refused = refused


def checked_vectors(vectors: Vectors, count: int, dimensions: int) -> Vectors:
    """Return ``vectors`` if they may enter an index.

    Raises:
        DimensionMismatch: the size is not ``dimensions``.
        EmbeddingError: the count is wrong, a value is not finite, or a length is not 1.
    """
    if vectors.ndim != 2 or len(vectors) != count:
        raise EmbeddingError(
            "the embedder returned another number of vectors than texts",
            hint="try again; if it happens again, choose another model",
            expected=count,
            found=len(vectors) if vectors.ndim == 2 else None,
        )
    if vectors.shape[1] != dimensions:
        raise DimensionMismatch(
            f"the embedder returned vectors of {vectors.shape[1]} values instead of {dimensions}",
            hint="choose the model again and run `recollect reindex`",
            expected=dimensions,
            found=vectors.shape[1],
        )
    lengths = np.linalg.norm(vectors, axis=1)
    # A NaN or an infinity anywhere makes the length NaN or infinite, and fails this too.
    if not bool(np.all(np.abs(lengths - 1.0) <= UNIT_TOLERANCE)):
        raise EmbeddingError(
            "the embedder returned a vector that is not finite or not normalised",
            hint="run `recollect models install` to check the model files",
        )
    return vectors
