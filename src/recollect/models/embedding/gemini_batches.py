"""Batches of Gemini: a file goes up, ``asyncBatchEmbedContent`` starts a long operation over it.

``POST upload/v1beta/files`` (multipart/related), ``POST models/{model}:asyncBatchEmbedContent``,
``GET batches/{id}`` until it is done, ``GET download/v1beta/{file}:download``. The display name of
a batch is ours. Uploads and downloads have their own root in front of the version of the API.

Source: the API reference of Gemini, "Batch API", "Embeddings" and "Files".
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec

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
from recollect.models.embedding.gemini import GeminiWire
from recollect.models.embedding.raw_vectors import Row, decode_answer, sound_vectors
from recollect.models.http.client import ProviderClient
from recollect.models.http.request import Call

_LISTED, _PAGES = 100, 5
"""A batch is looked for among the newest of the account."""
_ENDINGS: Mapping[str, BatchState] = {
    "SUCCEEDED": "completed",
    "FAILED": "failed",
    "EXPIRED": "expired",
    "CANCELLED": "cancelled",
}

T = TypeVar("T")


class _File(msgspec.Struct, frozen=True):
    name: str


class _Uploaded(msgspec.Struct, frozen=True):
    file: _File


class _Output(msgspec.Struct, frozen=True, rename="camel"):
    responses_file: str | None = None


class _Metadata(msgspec.Struct, frozen=True, rename="camel"):
    state: str | None = None
    display_name: str | None = None
    output: _Output | None = None


class _Trouble(msgspec.Struct, frozen=True):
    status: str | None = None
    code: int | None = None


class _Operation(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    done: bool = False
    state: str | None = None
    display_name: str | None = None
    metadata: _Metadata | None = None
    output: _Output | None = None
    response: _Output | None = None
    error: _Trouble | None = None

    def seen(self) -> RemoteBatch:
        """Return it as the port shows it; what the operation says counts before its metadata."""
        inside = self.metadata or _Metadata()
        outputs = (self.output, self.response, inside.output)
        files = [found.responses_file for found in outputs if found and found.responses_file]
        trouble = self.error
        return RemoteBatch(
            id=self.name,
            state=self._state(self.state or inside.state or "", has_results=bool(files)),
            results=tuple(files[:1]),
            reason=(trouble.status or str(trouble.code or "")) if trouble else "",
        )

    def has_name(self, name: str) -> bool:
        """Tell whether it was started under our name."""
        inside = self.metadata.display_name if self.metadata else None
        return name in {self.display_name, inside}

    def _state(self, state: str, *, has_results: bool) -> BatchState:
        if self.error is not None:
            return "failed"
        ending = _ENDINGS.get(state.rpartition("_")[2])
        if ending is not None:
            return ending
        if not self.done:
            return "running"
        return "completed" if has_results else "failed"


class _Page(msgspec.Struct, frozen=True, rename="camel"):
    operations: list[_Operation] = []
    next_page_token: str = ""


class _Embedding(msgspec.Struct, frozen=True):
    values: Row = []


class _Response(msgspec.Struct, frozen=True):
    embedding: _Embedding | None = None


class _Line(msgspec.Struct, frozen=True):
    key: str
    response: _Response | None = None


class GeminiBatches:
    """Implements `EmbeddingBatches` for Gemini.

    Args:
        client: Asks the provider.
        wire: Requests as they are sent directly, so that the vectors are the same.
        budget: Limits the tokens of a day; None where nobody bills.
        base_url: Where the client's paths start; ends with the version of the API.
    """

    def __init__(
        self, client: ProviderClient, wire: GeminiWire, budget: DailyBudget | None, base_url: str
    ) -> None:
        self._client = client
        self._wire = wire
        self._base_url = base_url
        self.budget = budget

    @property
    def provider(self) -> str:
        """Return the provider's name."""
        return self._wire.provider

    def line(self, key: str, text: str) -> bytes:
        """Return the line of the file that asks for the vector of ``text``."""
        request = self._wire.content(text, "document")
        return msgspec.json.encode({"key": key, "request": request}) + b"\n"

    def upload(self, name: str, file: Path) -> str:
        """Send a file and return its name."""
        boundary = secrets.token_hex(16)
        about = {"file": {"displayName": name, "mimeType": "application/jsonl"}}
        call = Call(
            method="POST",
            path=f"{self._root('upload')}/files?uploadType=multipart",
            content=_related(boundary, msgspec.json.encode(about), file.read_bytes()),
            headers={
                "content-type": f"multipart/related; boundary={boundary}",
                "x-goog-upload-protocol": "multipart",
            },
        )
        read = self._reader(_Uploaded)
        return self._client.ask(call, lambda answer: read(answer.body), SENDING).file.name

    def create(self, name: str, file: str) -> RemoteBatch:
        """Start a batch over an uploaded file, once."""
        body = {"batch": {"displayName": name, "inputConfig": {"fileName": file}}}
        path = f"models/{quote(self._wire.model, safe='')}:asyncBatchEmbedContent"
        return self._client.post(path, body, self._reader(_Operation), STARTING).seen()

    def find(self, name: str) -> RemoteBatch | None:
        """Return the batch with our display name, among the newest 500 of the account."""
        token = ""
        for _ in range(_PAGES):
            page = self._client.get(
                f"batches?pageSize={_LISTED}{token}", self._reader(_Page), ASKING
            )
            for operation in page.operations:
                if operation.has_name(name):
                    return operation.seen()
            if not page.next_page_token:
                break
            token = f"&pageToken={quote(page.next_page_token, safe='')}"
        return None

    def look(self, batch: str) -> RemoteBatch:
        """Return how far a batch is."""
        # An operation that failed names an error: it is its news and refuses nothing.
        call = Call(method="GET", path=quote(batch), tells_errors=True)
        read = self._reader(_Operation)
        return self._client.ask(call, lambda answer: read(answer.body), ASKING).seen()

    def read(self, batch: RemoteBatch, scratch: Path) -> Iterator[Result]:
        """Yield the results of a batch that is over."""
        for file in batch.results:
            path = f"{self._root('download')}/{quote(file)}:download?alt=media"
            fetch = partial(self._client.download, path, scratch, FETCHING)
            yield from map(_result, fetched_lines(fetch, scratch, _Line))

    def cancel(self, batch: str) -> None:
        """Ask the provider to stop a batch."""
        call = Call(method="POST", path=f"{quote(batch)}:cancel")
        self._client.ask(call, lambda _: None, TIDYING)

    def discard(self, file: str) -> None:
        """Let the provider delete a file."""
        self._client.ask(Call(method="DELETE", path=quote(file)), lambda _: None, TIDYING)

    def _root(self, service: str) -> str:
        """Return ``https://host/upload/v1beta`` for a base of ``https://host/v1beta``."""
        parts = urlsplit(self._base_url)
        prefix, _, version = parts.path.rstrip("/").rpartition("/")
        return urlunsplit((parts.scheme, parts.netloc, f"{prefix}/{service}/{version}", "", ""))

    def _reader(self, shape: type[T]) -> Callable[[bytes], T]:
        return partial(decode_answer, self.provider, shape=shape)


def _related(boundary: str, about: bytes, content: bytes) -> bytes:
    edge = f"--{boundary}\r\n".encode()
    return b"".join(
        (
            edge,
            b"Content-Type: application/json; charset=UTF-8\r\n\r\n",
            about,
            b"\r\n",
            edge,
            b"Content-Type: application/jsonl\r\n\r\n",
            content,
            f"\r\n--{boundary}--\r\n".encode(),
        )
    )


def _result(line: _Line) -> Result:
    embedding = line.response.embedding if line.response else None
    (vector,) = sound_vectors([embedding.values if embedding else []])
    return line.key, vector
