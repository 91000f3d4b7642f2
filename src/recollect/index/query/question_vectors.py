"""Vectors of questions, from the embedder that fits the serving generation.

A local model is asked in the caller's thread. A remote provider has a deadline, however it hangs;
after a miss it is not asked for a while, and searches answer by words at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future

import msgspec
import numpy as np

from recollect.core.errors import EmbeddingError, ProviderError, ProviderUnavailable, StoreError
from recollect.core.threads import ThreadDied, run_on_thread
from recollect.index.embedding.service import Embedders
from recollect.index.model.generation import Identity
from recollect.models.embedding.embedder import Embedder, Vectors, checked_vectors

REST = 10
"""A late provider is not asked again for this multiple of the longest wait: while it hangs, one
search in ten seconds waits for it, not every one."""


class QuestionVector(msgspec.Struct, frozen=True):
    """The unit vector of a question and the fingerprint of the embedder that made it."""

    vector: Vectors
    embedder: str


class QuestionVectors:
    """Embeds questions. Threads may share it.

    Args:
        embedders: Those of the index.
        timeout_s: Longest a search waits for a remote one.
        elapsed: Seconds that only go forward.
    """

    def __init__(
        self,
        embedders: Embedders,
        timeout_s: float,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedders = embedders
        self.has_embedder = embedders.first is not None or embedders.fallback is not None
        """Whether there is an embedder that could be asked."""
        self.is_off = embedders.is_off
        """Whether the settings disable embedding."""
        self._timeout_s = timeout_s
        self._elapsed = elapsed
        self._rests_until = 0.0

    def fits(self, identity: Identity) -> bool:
        """Return whether one of the embedders made the vectors of a generation."""
        return bool(identity.dimensions) and self._embedders.fitting(identity.embedder) is not None

    def vector(self, identity: Identity, text: str) -> QuestionVector:
        """Return the vector of a question for a generation that fits.

        Raises:
            ProviderError: there is none, or not in time.
        """
        embedder = self._embedders.fitting(identity.embedder)
        if embedder is None:
            raise EmbeddingError(
                "no embedder fits the index", hint="check embedding.provider, or rebuild the index"
            )
        vector = self._ask(embedder, text) if embedder.is_remote else embedder.embed_query(text)
        checked = checked_vectors(vector[np.newaxis], 1, identity.dimensions)[0]
        return QuestionVector(checked, embedder.fingerprint)

    def _ask(self, embedder: Embedder, text: str) -> Vectors:
        if self._elapsed() < self._rests_until:
            raise self._too_late(embedder, "did not answer an earlier question in time")
        began = self._elapsed()
        try:
            answer = run_on_thread("recollect-question", lambda: embedder.embed_query(text))
        except StoreError as error:
            raise self._too_late(embedder, "was not asked, for want of a thread") from error
        try:
            return answer.result(self._timeout_s)
        except ThreadDied as error:
            raise self._too_late(embedder, "was not asked, as the thread died") from error
        except TimeoutError:
            self._rest()
            answer.add_done_callback(self._wake)
            raise self._too_late(embedder, "did not answer in time") from None
        except ProviderError:
            # Its own deadline is about ours: a long call is late, whichever deadline noticed first.
            if self._elapsed() - began >= self._timeout_s / 2:
                self._rest()
            raise

    def _wake(self, answer: Future[Vectors]) -> None:
        """End the rest when the missing answer came after all."""
        if answer.exception() is None:
            self._rests_until = 0.0

    def _rest(self) -> None:
        self._rests_until = self._elapsed() + REST * self._timeout_s

    def _too_late(self, embedder: Embedder, what: str) -> ProviderUnavailable:
        provider = embedder.model.partition(":")[0]
        return ProviderUnavailable(
            f"{provider} {what}",
            hint="wait, it is asked again later; embedding.remote.query_timeout_s is how long",
        )
