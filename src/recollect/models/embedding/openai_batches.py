"""Batches of OpenAI and of what takes the same requests: files, batches, files of results.

``POST files`` (a form with ``purpose=batch``), ``POST batches``, ``GET batches/{id}``,
``GET files/{id}/content``. How a line and the start of a batch look is a `Dialect`; Voyage has its
own. The ``metadata`` of a batch holds our name for it.

Source: the API reference of OpenAI, "Batch" and "Files"; a line's limits are in `remote_batches`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import quote

import msgspec

from recollect.core.errors import ProviderError
from recollect.models.budget import DailyBudget
from recollect.models.embedding.batch_job import (
    ASKING,
    FETCHING,
    SENDING,
    STARTING,
    TIDYING,
    BatchState,
    RemoteBatch,
    Result,
    fetched_lines,
)
from recollect.models.embedding.raw_vectors import decode_answer, sound_vectors
from recollect.models.embedding.wire import Wire
from recollect.models.http.client import ProviderClient
from recollect.models.http.request import Call, FileUpload

ENDPOINT = "/v1/embeddings"
_MARK = "recollect"
"""Key of the ``metadata`` that holds our name."""
_LISTED, _PAGES = 100, 5
"""A batch is looked for among the newest of the account."""
_STATES: Mapping[str, BatchState] = {
    "completed": "completed",
    "failed": "failed",
    "expired": "expired",
    "cancelled": "cancelled",
}

T = TypeVar("T")


class _File(msgspec.Struct, frozen=True):
    id: str


class _Problem(msgspec.Struct, frozen=True):
    code: str | None = None


class _Problems(msgspec.Struct, frozen=True):
    data: list[_Problem] | None = None


class _Batch(msgspec.Struct, frozen=True):
    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: _Problems | None = None
    metadata: dict[str, object] | None = None

    def seen(self) -> RemoteBatch:
        """Return it as the port shows it."""
        problems = (self.errors.data if self.errors else None) or []
        return RemoteBatch(
            id=self.id,
            state=_STATES.get(self.status, "running"),
            results=(self.output_file_id,) if self.output_file_id else (),
            leavings=(self.error_file_id,) if self.error_file_id else (),
            reason=next((problem.code for problem in problems if problem.code), ""),
        )


class _Page(msgspec.Struct, frozen=True):
    data: list[_Batch]
    has_more: bool = False


class _Response(msgspec.Struct, frozen=True):
    status_code: int
    body: msgspec.Raw


class _Line(msgspec.Struct, frozen=True):
    custom_id: str
    response: _Response | None = None


class Dialect(Protocol):
    """What differs between the providers."""

    def line(self, key: str, body: Mapping[str, object]) -> object:
        """Return the line for a text, given the body of a request for it alone."""

    def start(self, body: Mapping[str, object]) -> Mapping[str, object]:
        """Return what starts a batch beside its file, given such a body."""


class OpenAIDialect:
    """Every line is a whole request."""

    def line(self, key: str, body: Mapping[str, object]) -> object:
        """Return method, path and body under a custom id."""
        return {"custom_id": key, "method": "POST", "url": ENDPOINT, "body": body}

    def start(self, body: Mapping[str, object]) -> Mapping[str, object]:
        """Return the endpoint and the only window that there is."""
        return {"endpoint": ENDPOINT, "completion_window": "24h"}


class OpenAIBatches:
    """Implements `EmbeddingBatches` for the shape of OpenAI.

    Args:
        client: Asks the provider.
        wire: Requests as they are sent directly, so that the vectors are the same.
        budget: Limits the tokens of a day; None where nobody bills.
        dialect: How the provider differs.
    """

    def __init__(
        self, client: ProviderClient, wire: Wire, budget: DailyBudget | None, dialect: Dialect
    ) -> None:
        self._client = client
        self._wire = wire
        self._dialect = dialect
        self.budget = budget

    @property
    def provider(self) -> str:
        """Return the provider's name."""
        return self._wire.provider

    def line(self, key: str, text: str) -> bytes:
        """Return the line of the file that asks for the vector of ``text``."""
        return msgspec.json.encode(self._dialect.line(key, self._body(text))) + b"\n"

    def upload(self, name: str, file: Path) -> str:
        """Send a file and return its id."""
        upload = FileUpload(file=file, name=f"{name}.jsonl", fields={"purpose": "batch"})
        return self._client.upload("files", upload, self._reader(_File), SENDING).id

    def create(self, name: str, file: str) -> RemoteBatch:
        """Start a batch over an uploaded file, once."""
        body = {
            "input_file_id": file,
            "metadata": {_MARK: name},
            **self._dialect.start(self._body("")),
        }
        return self._client.post("batches", body, self._reader(_Batch), STARTING).seen()

    def find(self, name: str) -> RemoteBatch | None:
        """Return the batch whose metadata holds our name, among the newest 500 of the account."""
        after = ""
        for _ in range(_PAGES):
            page = self._client.get(f"batches?limit={_LISTED}{after}", self._reader(_Page), ASKING)
            for batch in page.data:
                if (batch.metadata or {}).get(_MARK) == name:
                    return batch.seen()
            if not page.has_more or not page.data:
                break
            after = f"&after={quote(page.data[-1].id, safe='')}"
        return None

    def look(self, batch: str) -> RemoteBatch:
        """Return how far a batch is."""
        # The body of a batch that failed names errors: they are its news and refuse nothing.
        call = Call(method="GET", path=f"batches/{quote(batch, safe='')}", tells_errors=True)
        read = self._reader(_Batch)
        return self._client.ask(call, lambda answer: read(answer.body), ASKING).seen()

    def read(self, batch: RemoteBatch, scratch: Path) -> Iterator[Result]:
        """Yield the results of a batch that is over."""
        for file in batch.results:
            path = f"files/{quote(file, safe='')}/content"
            fetch = partial(self._client.download, path, scratch, FETCHING)
            yield from map(self._result, fetched_lines(fetch, scratch, _Line))

    def cancel(self, batch: str) -> None:
        """Ask the provider to stop a batch."""
        call = Call(
            method="POST", path=f"batches/{quote(batch, safe='')}/cancel", tells_errors=True
        )
        self._client.ask(call, lambda _: None, TIDYING)

    def discard(self, file: str) -> None:
        """Let the provider delete a file."""
        call = Call(method="DELETE", path=f"files/{quote(file, safe='')}")
        self._client.ask(call, lambda _: None, TIDYING)

    def _body(self, text: str) -> Mapping[str, object]:
        return self._wire.request([text], "document").body

    def _reader(self, shape: type[T]) -> Callable[[bytes], T]:
        return partial(decode_answer, self.provider, shape=shape)

    def _result(self, line: _Line) -> Result:
        response = line.response
        if response is None or response.status_code != 200:
            return line.custom_id, None
        try:
            rows = self._wire.read(bytes(response.body), "document").rows
        except ProviderError:
            return line.custom_id, None
        (vector,) = sound_vectors(rows[:1]) or [None]
        return line.custom_id, vector
