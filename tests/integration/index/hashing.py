"""A deterministic embedder without a model: a text's vector is drawn from its SHA-256.

It writes down what it embeds, in a file that outlives the process, so that a test can say that
nothing was embedded twice.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recollect.models.embedding.embedder import Progress, Vectors

DIMENSIONS = 32


class HashingEmbedder:
    """Gives equal texts the same unit vector, and others unrelated ones.

    Args:
        version: Another version is another fingerprint.
        log: Gets the digest of every embedded text, a line each; None for no log.
    """

    dimensions = DIMENSIONS
    is_remote = False

    def __init__(self, version: str, log: Path | None = None) -> None:
        self.model = f"hashing:{version}"
        self.fingerprint = hashlib.sha256(version.encode()).hexdigest()
        self._log = log

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return the vectors of texts; one write to the log, which a kill does not take back."""
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        if self._log is not None:
            lines = "".join(f"{digest.hex()}\n" for digest in digests).encode()
            log = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(log, lines)
            os.close(log)
        if progress is not None:
            progress(len(texts))
        return np.stack([self._vector(digest) for digest in digests])

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question; it is not written down."""
        return self._vector(hashlib.sha256(text.encode()).digest())

    def close(self) -> None:
        """Hold nothing."""

    def _vector(self, digest: bytes) -> Vectors:
        seed = hashlib.sha256(bytes.fromhex(self.fingerprint) + digest).digest()
        drawn = np.random.default_rng(int.from_bytes(seed)).standard_normal(self.dimensions)
        vector: Vectors = (drawn / np.linalg.norm(drawn)).astype(np.float32)
        return vector
