"""Vectors of questions, from whichever embedder fits the generation that answers.

A local model is asked in the caller's thread. A remote provider gets so long and no longer, however
it hangs; while it still owes the answer to an earlier question nobody waits for it at all.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout

import msgspec
import numpy as np

from recollect.core.errors import EmbeddingError, ProviderUnavailable
from recollect.index.embedders import Embedders
from recollect.index.generations import Identity
from recollect.models.embedder import Embedder, Vectors, checked_vectors


class QuestionVector(msgspec.Struct, frozen=True):
    """The unit vector of a question and the fingerprint of the embedder that made it."""

    vector: Vectors
    embedder: str


class QuestionVectors:
    """Embeds questions. Threads may share it.

    Args:
        embedders: Those of the index.
        timeout_s: Longest a search waits for a remote one.
    """

    def __init__(self, embedders: Embedders, timeout_s: float) -> None:
        self._embedders = embedders
        self._timeout_s = timeout_s
        self._mutex = threading.Lock()
        self._late = 0

    @property
    def has_embedder(self) -> bool:
        """Whether there is anybody to ask."""
        return self._embedders.first is not None or self._embedders.fallback is not None

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
        made = self._ask(embedder, text) if embedder.is_remote else embedder.embed_query(text)
        checked = checked_vectors(made[np.newaxis], 1, identity.dimensions)[0]
        return QuestionVector(checked, embedder.fingerprint)

    def _ask(self, embedder: Embedder, text: str) -> Vectors:
        if self._late:
            raise self._too_late(embedder, "still owes the answer to an earlier question")
        answer: Future[Vectors] = Future()
        threading.Thread(
            target=_answer, args=(embedder, text, answer), name="recollect-question", daemon=True
        ).start()
        try:
            return answer.result(self._timeout_s)
        except FutureTimeout:
            self._count(1)
            answer.add_done_callback(lambda _: self._count(-1))
        raise self._too_late(embedder, "did not answer in time")

    def _count(self, change: int) -> None:
        with self._mutex:
            self._late += change

    def _too_late(self, embedder: Embedder, what: str) -> ProviderUnavailable:
        provider = embedder.model.partition(":")[0]
        return ProviderUnavailable(
            f"{provider} {what}",
            hint="it is asked again later; embedding.remote.query_timeout_s is how long",
        )


def _answer(embedder: Embedder, text: str, answer: Future[Vectors]) -> None:
    try:
        answer.set_result(embedder.embed_query(text))
    except BaseException as error:  # noqa: BLE001  # raised again in the thread that waits
        answer.set_exception(error)
