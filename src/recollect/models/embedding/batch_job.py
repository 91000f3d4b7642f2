"""Asynchronous batches: upload a file of texts, download a file of vectors.

Providers embed such a batch with a delay and for about half the price. The job is the same for all
of them; paths, requests and answers are those of a `BatchDialect`. Nothing here knows the index or
the database: `recollect.index.embedding.batch_jobs` keeps track of pending texts, also over a
restart. A job makes one request and does not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable
from urllib.parse import quote

import msgspec

from recollect.models.budget import DailyBudget
from recollect.models.embedding.embedder import Vectors
from recollect.models.http.client import Call, ProviderClient
from recollect.models.http.retry import RetryPolicy

MAX_TEXTS = 50_000
"""Requests in one batch at most: the limit of OpenAI, the lowest of the three."""
MAX_BYTES = 50_000_000
"""Size of one file at most; all three take more, but Gemini's is uploaded from memory."""

LISTED = 100
"""Batches on a page of the provider's list."""
_PAGES = 5
"""Pages that are searched for a batch: the newest 500 of the account."""
_FETCHES = 3
"""Attempts to fetch a file of results that is not valid."""

BatchState = Literal["running", "completed", "failed", "expired", "cancelled"]

ASKING = RetryPolicy()
"""The same limits as for a request for vectors."""
STARTING = RetryPolicy(tries=1)
"""A batch whose start was not confirmed may exist and cost money: it is searched for, not started
again. "Too many requests" is a definite refusal, and is retried."""
SENDING = RetryPolicy(attempt_s=600.0)
"""For a file of 100 MB at 200 kB/s."""
FETCHING = RetryPolicy(attempt_s=1_800.0)
"""For the results of 50,000 texts, 1 to 2 GB, at 1 MB/s."""
TIDYING = RetryPolicy(attempt_s=20.0, tries=2, limited_tries=2)
"""Clean-up may fail."""


class RemoteBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch as its provider sees it.

    Attributes:
        id: The provider's name for it.
        state: An expired or cancelled batch may have results of some of its texts.
        results: Files with results, by the provider's names.
        other_files: Its other files, such as a file of errors.
        reason: The provider's short code for why it failed; empty where it gives none.
    """

    id: str
    state: BatchState
    results: tuple[str, ...] = ()
    other_files: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_over(self) -> bool:
        """Return whether it is final."""
        return self.state != "running"


BatchResult = tuple[str, Vectors | None]
"""The key of a text, and its unit vector; None where the provider made no valid one."""


class BatchPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a provider's list.

    Attributes:
        batches: The names they were started with, and the batches.
        next: The token of the next page; empty at the end.
    """

    batches: Sequence[tuple[frozenset[str], RemoteBatch]]
    next: str


class BatchDialect(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of one provider's batch API, and how to read its answers.

    In a path, ``{}`` is the name of a batch, file or page. Functions that read an answer raise
    `ProviderUnavailable` where it cannot be read.

    Attributes:
        line: Returns the request for the vector of a text with a key, before it becomes JSON.
        upload: Returns the call that sends a file of lines with a name of ours.
        start: Returns path and body of the start of a batch with such a name for such a file.
        listing: The path of the list of batches.
        next_page: The suffix of it for pages after the first.
        batch: The path of a batch.
        cancel: The path to stop a batch.
        file: The path of a file.
        content: The path of the content of a file.
        safe: Characters that are not quoted in names of batches and files.
        read_upload: Returns the provider's name of an uploaded file.
        read_batch: Returns the state of a batch.
        read_page: Returns a page of the list of batches.
        read_line: Returns the result in a line; raises a msgspec or Unicode error if it is not one.
    """

    line: Callable[[str, str], object]
    upload: Callable[[str, Path], Call]
    start: Callable[[str, str], tuple[str, object]]
    listing: str
    next_page: str
    batch: str
    cancel: str
    file: str
    content: str
    safe: str = ""
    read_upload: Callable[[bytes], str]
    read_batch: Callable[[bytes], RemoteBatch]
    read_page: Callable[[bytes], BatchPage]
    read_line: Callable[[bytes], BatchResult]


class EmbeddingBatches:
    """The batches of one embedder at its provider. Vectors are those that the embedder would make.

    Every method raises `ProviderError`: `ProviderUnavailable` if trying later may help,
    `ProviderRejected` if it never will.

    Args:
        client: Sends the requests.
        dialect: The API of the provider.
        budget: Limits the tokens of a day; None if they are free.
    """

    def __init__(
        self, client: ProviderClient, dialect: BatchDialect, budget: DailyBudget | None
    ) -> None:
        self._client = client
        self._dialect = dialect
        self.provider = client.provider
        self.budget = budget

    def line(self, key: str, text: str) -> bytes:
        """Return the line of the file for the vector of ``text``, with its line end."""
        return msgspec.json.encode(self._dialect.line(key, text)) + b"\n"

    def upload(self, name: str, file: Path) -> str:
        """Upload a file of lines and return the provider's name of it."""
        call = self._dialect.upload(name, file)
        return self._client.ask(call, self._dialect.read_upload, SENDING)

    def create(self, name: str, file: str) -> RemoteBatch:
        """Start a batch for an uploaded file, once: a request without an answer is not repeated.

        Args:
            name: Our name; the provider stores it with the batch.
            file: What `upload` returned.
        """
        path, body = self._dialect.start(name, file)
        return self._client.post(path, body, self._dialect.read_batch, STARTING)

    def find(self, name: str) -> RemoteBatch | None:
        """Return the batch started with our name; None if it is not among the newest."""
        path = self._dialect.listing
        for _ in range(_PAGES):
            page = self._client.ask(Call(path=path), self._dialect.read_page, ASKING)
            for names, batch in page.batches:
                if name in names:
                    return batch
            if not page.next:
                break
            path = self._dialect.listing + _path(self._dialect.next_page, page.next)
        return None

    def look(self, batch: str) -> RemoteBatch:
        """Return the state of a batch."""
        # The errors of a failed batch are part of its state: this call has not failed.
        path = _path(self._dialect.batch, batch, self._dialect.safe)
        call = Call(path=path, tells_errors=True)
        return self._client.ask(call, self._dialect.read_batch, ASKING)

    def read(self, batch: RemoteBatch, scratch: Path) -> Iterator[BatchResult]:
        """Yield the existing results of a finished batch, in any order.

        Keys may be missing and unknown ones may occur; unreadable lines are skipped.

        Args:
            batch: As `look` returned it.
            scratch: A temporary path for the file of results; gigabytes.

        Raises:
            StoreError: it cannot be written there.
        """
        for file in batch.results:
            path = _path(self._dialect.content, file, self._dialect.safe)
            fetch = partial(self._client.download, path, scratch, FETCHING)
            yield from _fetched_results(fetch, scratch, self._dialect.read_line)

    def cancel(self, batch: str) -> None:
        """Ask the provider to stop a batch; it may take minutes."""
        path = _path(self._dialect.cancel, batch, self._dialect.safe)
        self._client.ask(Call(method="POST", path=path, tells_errors=True), len, TIDYING)

    def discard(self, file: str) -> None:
        """Let the provider delete a file of ours or of its own."""
        path = _path(self._dialect.file, file, self._dialect.safe)
        self._client.ask(Call(method="DELETE", path=path), len, TIDYING)


@runtime_checkable
class OffersBatches(Protocol):
    """An embedder whose provider has batches."""

    def batches(self) -> EmbeddingBatches | None:
        """Return the batches whose vectors are those of this embedder now, or None."""


def batches_of(embedder: object) -> EmbeddingBatches | None:
    """Return the batches of an embedder; None where its provider has none."""
    return embedder.batches() if isinstance(embedder, OffersBatches) else None


def _fetched_results(
    fetch: Callable[[], object], file: Path, read_line: Callable[[bytes], BatchResult]
) -> Iterator[BatchResult]:
    """Yield the results in a file; unreadable lines are skipped.

    A vector with a NaN is not JSON and is skipped too. A file without any result, or one that ends
    within a line, is fetched again up to twice; results may then be repeated.
    """
    for _ in range(_FETCHES):
        fetch()
        is_whole = False
        with file.open("rb") as lines:
            for line in lines:
                try:
                    result = read_line(line)
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    is_whole = is_whole and line.endswith(b"\n")
                    continue
                is_whole = True
                yield result
        if is_whole:
            return


def _path(template: str, name: str, safe: str = "") -> str:
    return template.replace("{}", quote(name, safe=safe))
