"""The port of asynchronous batches: a file of texts goes up, a file of vectors comes back.

Providers embed such a batch in their own time and for half the price or so. The port knows neither
the index nor the database: which texts are under way, and what happens after a restart, is the
business of `recollect.index.embedding.batch_jobs`. An adapter asks once and does not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, Protocol, TypeVar, runtime_checkable

import msgspec

from recollect.models.budget import DailyBudget
from recollect.models.embedding.embedder import Vectors
from recollect.models.http.retry import RetryPolicy

MAX_TEXTS = 50_000
"""Requests in one batch at most: the limit of OpenAI, the lowest of the three."""
MAX_BYTES = 50_000_000
"""Size of one file at most; all three take more, but Gemini's goes up from memory."""

_FETCHES = 3
"""How often a file of results is fetched that does not look like one."""

T = TypeVar("T")

BatchState = Literal["running", "completed", "failed", "expired", "cancelled"]

ASKING = RetryPolicy()
"""A question about a batch is as patient as a request for vectors."""
STARTING = RetryPolicy(tries=1)
"""A batch whose start was not confirmed may exist and cost: it is looked for, not started again.
"Too many requests" is a clear no, and is waited for."""
SENDING = RetryPolicy(attempt_s=600.0)
"""For a file of 100 MB at 200 kB/s."""
FETCHING = RetryPolicy(attempt_s=1_800.0)
"""For the results of 50,000 texts, 1 to 2 GB, at 1 MB/s."""
TIDYING = RetryPolicy(attempt_s=20.0, tries=2, limited_tries=2)
"""What is only cleaned up may fail."""


class RemoteBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch as its provider sees it.

    Attributes:
        id: The provider's name for it.
        state: An expired or cancelled batch may have results of some of its texts.
        results: Files with results, as the provider calls them.
        leavings: Other files that it made, such as that of errors.
        reason: The provider's short code for why it failed; empty where it gives none.
    """

    id: str
    state: BatchState
    results: tuple[str, ...] = ()
    leavings: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_over(self) -> bool:
        """Tell whether nothing will be added to it."""
        return self.state != "running"


Result = tuple[str, Vectors | None]
"""The key of a text, and its unit vector; None where the provider made none that can be right."""


class EmbeddingBatches(Protocol):
    """The batches of one embedder at its provider. Vectors are those that the embedder would make.

    Every method raises `ProviderError`: `ProviderUnavailable` where trying later may help,
    `ProviderRejected` where it never will.
    """

    @property
    def provider(self) -> str:
        """Return the provider's name, such as ``openai``."""

    @property
    def budget(self) -> DailyBudget | None:
        """Return what limits the tokens of a day; None where nobody bills."""

    def line(self, key: str, text: str) -> bytes:
        """Return the line of the file that asks for the vector of ``text``, with its line end."""

    def upload(self, name: str, file: Path) -> str:
        """Send a file of lines and return what the provider calls it."""

    def create(self, name: str, file: str) -> RemoteBatch:
        """Start a batch over an uploaded file, once: a lost answer is not asked for again.

        Args:
            name: Ours; the provider keeps it with the batch.
            file: What `upload` returned.
        """

    def find(self, name: str) -> RemoteBatch | None:
        """Return the batch that was started under our name, or None if there is none."""

    def look(self, batch: str) -> RemoteBatch:
        """Return how far a batch is."""

    def read(self, batch: RemoteBatch, scratch: Path) -> Iterator[Result]:
        """Yield what is there of a batch that is over, in any order.

        Keys may be missing and unknown ones may come; a line that cannot be read is left out.

        Args:
            batch: As `look` returned it.
            scratch: Where the file of results lies while it is read; gigabytes.

        Raises:
            StoreError: it cannot be written there.
        """

    def cancel(self, batch: str) -> None:
        """Ask the provider to stop a batch; it may take minutes until it is over."""

    def discard(self, file: str) -> None:
        """Let the provider delete a file of ours or of its own."""


@runtime_checkable
class OffersBatches(Protocol):
    """An embedder whose provider has batches."""

    def batches(self) -> EmbeddingBatches | None:
        """Return the batches whose vectors are those of this embedder now, or None."""


def batches_of(embedder: object) -> EmbeddingBatches | None:
    """Return the batches of an embedder; None where its provider has none."""
    return embedder.batches() if isinstance(embedder, OffersBatches) else None


def fetched_lines(fetch: Callable[[], object], file: Path, shape: type[T]) -> Iterator[T]:
    """Yield the lines of a file of results as ``shape``; one that has another is left out.

    A vector with a NaN is no JSON and is left out too. A file without any such line, or one that
    ends within a line, is fetched again up to twice; lines may come a second time then.

    Args:
        fetch: Writes the file.
        file: Where it lies.
        shape: What a line holds.
    """
    decoder = msgspec.json.Decoder(shape)
    for _ in range(_FETCHES):
        fetch()
        lines = _Lines(file)
        yield from lines.decoded(decoder)
        if lines.are_whole:
            return


class _Lines:
    """The lines of a file, and whether it looks as it should."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.are_whole = False

    def decoded(self, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
        """Yield what can be read."""
        with self._file.open("rb") as lines:
            for line in lines:
                try:
                    found = decoder.decode(line)
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    self.are_whole = self.are_whole and line.endswith(b"\n")
                    continue
                self.are_whole = True
                yield found
