"""A scripted embedder for load runs: clustered unit vectors from the hash of a text, at no cost.

It says nothing about quality. It fills the vector index with something shaped like real vectors
(clusters, not noise) and gives every query a vector near its message, so that what is measured is
the index and not a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384
"""Of all-MiniLM-L6-v2, the default local model."""

CLUSTERS = 2_048
NOISES = 512

_SPREAD = 0.55
"""Length of each of the two noise parts beside a centre of length 1: neighbours inside a cluster
have a cosine of about .6, as messages of one topic have under MiniLM."""

_QUERY_SPREAD = 0.8
"""Length of the noise that parts a query from its message: a cosine of about .78."""


class ClusteredEmbedder:
    """Embeds by hash.

    Args:
        seed: The same seed gives the same vectors, in any process.
        near: For a query, the text whose vector it is to be near.
    """

    model = "bench:clustered"
    dimensions = DIMENSIONS
    is_remote = False

    def __init__(self, seed: int, near: Mapping[str, str] | None = None) -> None:
        random = np.random.default_rng(seed)
        self.fingerprint = hashlib.sha256(f"{self.model} {seed}".encode()).hexdigest()
        self._centres = _unit(random.standard_normal((CLUSTERS, DIMENSIONS), dtype=np.float32))
        self._noises = _unit(random.standard_normal((NOISES, DIMENSIONS), dtype=np.float32))
        self._near = dict(near or {})

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Return unit vectors, ``(len(texts), 384)`` float32, in input order."""
        picks = np.array([_hashed(text) for text in texts], dtype=np.uint32).reshape(-1, 3)
        noise = self._noises[picks[:, 1] % NOISES] - self._noises[picks[:, 2] % NOISES]
        vectors = _unit(self._centres[picks[:, 0] % CLUSTERS] + _SPREAD * noise)
        if progress is not None:
            progress(len(texts))
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a unit vector, ``(384,)`` float32, near that of the query's message."""
        target = self.embed_documents([self._near.get(text, text)])[0]
        noise = self._noises[_hashed(text)[1] % NOISES]
        mixed: NDArray[np.float32] = _unit((target + _QUERY_SPREAD * noise)[np.newaxis])[0]
        return mixed

    def close(self) -> None:
        """Nothing is held."""


def _hashed(text: str) -> tuple[int, int, int]:
    whole = hashlib.blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=12).digest()
    return (
        int.from_bytes(whole[:4], "big"),
        int.from_bytes(whole[4:8], "big"),
        int.from_bytes(whole[8:], "big"),
    )


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-12))
    return unit
