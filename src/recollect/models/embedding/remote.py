"""The embedder for all remote providers: batches, pool, splitting, a budget, checked vectors.

The specifics of a provider are in its `Wire`; tries and deadlines are the client's. A vector with
the wrong size, a NaN or at the wrong position never leaves this module.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TypeVar

import msgspec
import numpy as np

from recollect.core.errors import DimensionMismatch, ProviderError, ProviderRejected
from recollect.core.settings import RemoteSettings
from recollect.models.budget import DailyBudget
from recollect.models.embedding.batch_dialects import dialect_of
from recollect.models.embedding.batch_job import EmbeddingBatches
from recollect.models.embedding.embedder import EmbeddingInterrupted, Progress, Vectors
from recollect.models.embedding.raw_vectors import (
    Row,
    check_count,
    check_dimensions,
    sound_vectors,
)
from recollect.models.embedding.wires import Purpose, Wire
from recollect.models.hints import EMBEDDING
from recollect.models.http.auth import is_private, plain_address
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryPolicy, query_policy
from recollect.models.worker_pool import WorkerPool
from recollect.text.tokens import estimate_tokens

_PROBE = "memory"
"""A word to embed for the size of an unknown model; it distinguishes a bad text from a bad
setup."""
_NO_DIRECTION = "has no usable vector: the model's numbers are not finite"
_TEXT_REFUSALS = frozenset({400, 413, 422})
"""Statuses that can concern one text; the others concern the key, the model or the address."""


class EmbeddedBatch(msgspec.Struct, kw_only=True):
    """The result for some texts.

    Attributes:
        vectors: Text -> its vector.
        refused: Texts that the provider will never accept.
        reason: Why other texts have no vector; None when all are accounted for.
    """

    vectors: dict[str, Vectors] = {}
    refused: set[str] = set()
    reason: ProviderError | None = None

    def absorb(self, other: EmbeddedBatch) -> None:
        """Add the result for other texts; the first reason stays."""
        self.vectors.update(other.vectors)
        self.refused.update(other.refused)
        self.reason = self.reason or other.reason


class RemoteEmbedder:
    """Embeds texts at a provider. Safe to share between threads.

    Args:
        wire: The provider's format.
        client: Sends the requests; closed with the embedder.
        headers: Header name -> value, without secrets, for the fingerprint.
        limits: The sizes of requests, and deadlines.
        budget: Limits the tokens sent to a paid provider in a day; None if it is free.

    Attributes:
        is_paid: Whether tokens are billed: not on this machine or network.
    """

    is_remote = True

    def __init__(
        self,
        wire: Wire,
        client: ProviderClient,
        *,
        headers: Mapping[str, str] | None = None,
        limits: RemoteSettings | None = None,
        budget: DailyBudget | None = None,
    ) -> None:
        self.wire = wire
        self.model = f"{wire.provider}:{wire.model}"
        self.client = client
        self.is_paid = not is_private(client.base_url)
        self._headers = {name.lower(): value for name, value in (headers or {}).items()}
        self._limits = limits or RemoteSettings()
        self._budget = budget
        self._lock = threading.Lock()
        self._dimensions = wire.known_dimensions
        self._is_proven = False
        self._is_doubted = False
        """Whether vectors with a size other than before were received."""

    @property
    def fingerprint(self) -> str:
        """Return the provider key: SHA-256 over what decides the vectors, without secrets."""
        parts = {
            "provider": self.wire.provider,
            "base_url": plain_address(self.client.base_url),
            "model": self.wire.model,
            "identity": self.wire.identity,
            "headers": self._headers,
        }
        return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()

    @property
    def dimensions(self) -> int:
        """Return the size of every vector; a model of unknown size is asked once.

        Raises:
            ProviderError: it could not be asked.
        """
        if self._is_doubted:
            self._dimensions, self._is_doubted = self.wire.known_dimensions, False
        if not self._dimensions:
            self._ask([_PROBE], "document")
        return self._dimensions

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one vector per text, in order: ``(len(texts), dimensions)`` float32, normalised.

        Equal texts are sent once. Nothing that was paid for is lost: vectors finished before a
        failure come with the error.

        Raises:
            EmbeddingInterrupted: some texts have no vector.
            ProviderError: none has.
        """
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        batch = self._embed_distinct(texts, progress)
        if len(batch.vectors) == len(set(texts)):
            return np.stack([batch.vectors[text] for text in texts])
        raise self._incomplete(texts, batch)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question: ``(dimensions,)`` float32, normalised.

        Raises:
            ProviderUnavailable: there was none within the time limit of a search.
            ProviderError: the provider refused, or sent nothing usable.
        """
        (vector,) = self._ask([text], "query")
        if vector is None:
            raise self._refusal(f"{self.wire.provider}: the question {_NO_DIRECTION}")
        return vector

    def batches(self) -> EmbeddingBatches | None:
        """Return the provider's batches; None where it has none. Sends nothing."""
        dialect = dialect_of(self.wire, self.client.base_url)
        return EmbeddingBatches(self.client, dialect, self._budget) if dialect else None

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def _embed_distinct(self, texts: Sequence[str], progress: Progress | None) -> EmbeddedBatch:
        counts = Counter(texts)
        # A text without any letter has no meaning either, and providers refuse it.
        total = EmbeddedBatch(refused={text for text in counts if not text.strip()})
        distinct = [text for text in counts if text not in total.refused]

        def embed(batch: Sequence[str]) -> EmbeddedBatch:
            embedded = self._embed_batch(batch)
            if embedded.reason is not None:
                pool.stop()  # here, so that this worker starts nothing more
            return embedded

        costs = [estimate_tokens(text) for text in distinct]
        most = self._limits.batch_tokens
        ranges = plan_batches(costs, max_tokens=most, max_texts=self.wire.max_texts)
        batches = [distinct[span.start : span.stop] for span in ranges]
        pool = WorkerPool(batches, embed, self._limits.concurrency)
        for embedded in pool.results():
            total.absorb(embedded)
            if progress is not None:
                progress(sum(counts[text] for text in embedded.vectors))
        return total

    def _embed_batch(self, texts: Sequence[str]) -> EmbeddedBatch:
        try:
            vectors = self._ask(texts, "document")
        except ProviderRejected as error:
            return self._divide(texts, error)
        except ProviderError as error:
            return EmbeddedBatch(reason=error)
        pairs = zip(texts, vectors, strict=True)
        sound = {text: vector for text, vector in pairs if vector is not None}
        return EmbeddedBatch(vectors=sound, refused={text for text in texts if text not in sound})

    def _divide(self, texts: Sequence[str], error: ProviderRejected) -> EmbeddedBatch:
        """Find the texts that cause the refusal of a batch; the others get their vectors."""
        is_alone = len(texts) == 1
        if error.facts.get("status") not in _TEXT_REFUSALS:
            return EmbeddedBatch(reason=error)
        # Gemini answers 400 to an expired key. A text must not be blamed for that: it would be left
        # out permanently.
        if is_alone or not self._is_proven:
            try:
                self._ask([_PROBE], "document")
            except ProviderError as reason:
                return EmbeddedBatch(reason=reason)
        if is_alone:
            return EmbeddedBatch(refused=set(texts))
        first_half, second_half = halves(texts)
        embedded = self._embed_batch(first_half)
        if embedded.reason is None:
            embedded.absorb(self._embed_batch(second_half))
        return embedded

    def _ask(self, texts: Sequence[str], purpose: Purpose) -> list[Vectors | None]:
        """Return the vectors of ``texts``, of the right count and size; None for unsound ones."""
        estimate = sum(map(estimate_tokens, texts))

        def read_rows(body: bytes) -> list[Row]:
            reply = self.wire.read(body, purpose)
            if self._budget is not None:
                self._budget.add(estimate if reply.tokens is None else reply.tokens)
            self._check(reply.rows, len(texts))
            return reply.rows

        if purpose == "query":
            policy = query_policy(self._limits.query_timeout_s)
        else:
            policy = RetryPolicy(attempt_s=self._limits.timeout_s)
        request = self.wire.request(texts, purpose)
        try:
            with self._budget.hold(estimate) if self._budget else nullcontext():
                rows = self.client.post(request.path, request.body, read_rows, policy)
        except DimensionMismatch:
            self._is_doubted = True  # the next caller asks again
            raise
        self._is_proven = True
        return sound_vectors(rows)

    def _check(self, rows: Sequence[Row], count: int) -> None:
        check_count(self.wire.provider, rows, count)
        with self._lock:
            # The first answer of a model of unknown size has the size.
            self._dimensions = self._dimensions or len(rows[0])
        if not self._dimensions:
            raise EMBEDDING.unreadable(self.wire.provider)
        check_dimensions(self.wire.provider, rows, self._dimensions)

    def _incomplete(self, texts: Sequence[str], embedded: EmbeddedBatch) -> ProviderError:
        reason = embedded.reason or self._refusal(
            f"{self.wire.provider} has no vector for some texts and never will"
        )
        if not embedded.vectors and not embedded.refused:
            return reason
        positions = range(len(texts))
        return EmbeddingInterrupted(
            reason,
            {n: embedded.vectors[texts[n]] for n in positions if texts[n] in embedded.vectors},
            frozenset(n for n in positions if texts[n] in embedded.refused),
        )

    def _refusal(self, message: str) -> ProviderRejected:
        return ProviderRejected(
            message,
            hint="choose another model, which may take it; it is found by words",
            model=self.model,
        )


T = TypeVar("T")


def plan_batches(tokens: Sequence[int], *, max_tokens: int, max_texts: int) -> list[range]:
    """Return consecutive ranges that cover all indexes once, in order.

    A range has at most ``max_texts`` texts and ``max_tokens`` tokens; a text with more tokens is
    alone in its range.

    Args:
        tokens: Estimated tokens of each text.
        max_tokens: At least 1.
        max_texts: At least 1.

    >>> plan_batches([3, 3, 9, 1], max_tokens=6, max_texts=10)
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    batches: list[range] = []
    start = total = 0
    for position, cost in enumerate(tokens):
        if position > start and (total + cost > max_tokens or position - start == max_texts):
            batches.append(range(start, position))
            start, total = position, 0
        total += cost
    if start < len(tokens):
        batches.append(range(start, len(tokens)))
    return batches


def halves(items: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """Return the two halves of ``items``; the left one is the larger.

    >>> halves([1, 2, 3])
    ([1, 2], [3])
    """
    middle = math.ceil(len(items) / 2)
    return items[:middle], items[middle:]
