"""Batches of Gemini: a file goes up, ``asyncBatchEmbedContent`` starts a long operation over it.

``POST upload/v1beta/files`` (multipart/related), ``POST models/{model}:asyncBatchEmbedContent``,
``GET batches/{id}`` until it is done, ``GET download/v1beta/{file}:download``. The display name of
a batch is ours. Uploads and downloads have their own root in front of the version of the API.

Source: the API reference of Gemini, "Batch API", "Embeddings" and "Files".
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec

from recollect.models.embedding.batch_job import (
    LISTED,
    BatchPage,
    BatchState,
    RemoteBatch,
    Result,
)
from recollect.models.embedding.gemini import PROVIDER, GeminiWire
from recollect.models.embedding.raw_vectors import Row, decode_answer, sound_vectors
from recollect.models.http.request import Call

_ENDINGS: Mapping[str, BatchState] = {
    "SUCCEEDED": "completed",
    "FAILED": "failed",
    "EXPIRED": "expired",
    "CANCELLED": "cancelled",
}


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


class _Error(msgspec.Struct, frozen=True):
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
    error: _Error | None = None

    def seen(self) -> RemoteBatch:
        """Return it as a job sees it; what the operation says counts before its metadata."""
        inside = self.metadata or _Metadata()
        outputs = (self.output, self.response, inside.output)
        files = [found.responses_file for found in outputs if found and found.responses_file]
        return RemoteBatch(
            id=self.name,
            state=self._state(self.state or inside.state or "", has_results=bool(files)),
            results=tuple(files[:1]),
            reason=(self.error.status or str(self.error.code or "")) if self.error else "",
        )

    def names(self) -> frozenset[str]:
        """Return the names that it was started under."""
        inside = self.metadata.display_name if self.metadata else None
        return frozenset(filter(None, (self.display_name, inside)))

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


_LINE = msgspec.json.Decoder(_Line)


class GeminiDialect:
    """Implements `BatchDialect` for Gemini.

    Args:
        wire: Requests as they are sent directly, so that the vectors are the same.
        base_url: Where paths start; ends with the version of the API.
    """

    def __init__(self, wire: GeminiWire, base_url: str) -> None:
        self._wire = wire
        self._base_url = base_url

    def line(self, key: str, text: str) -> object:
        """Return a request under a key."""
        return {"key": key, "request": self._wire.content(text, "document")}

    def upload(self, name: str, file: Path) -> Call:
        """Return the call that sends a file; its two parts are put together in memory."""
        boundary = secrets.token_hex(16)
        about = {"file": {"displayName": name, "mimeType": "application/jsonl"}}
        return Call(
            method="POST",
            path=f"{self._root('upload')}/files?uploadType=multipart",
            content=_related(boundary, msgspec.json.encode(about), file.read_bytes()),
            headers={
                "content-type": f"multipart/related; boundary={boundary}",
                "x-goog-upload-protocol": "multipart",
            },
        )

    def start(self, name: str, file: str) -> tuple[str, object]:
        """Return path and body of what starts a batch."""
        body = {"batch": {"displayName": name, "inputConfig": {"fileName": file}}}
        return f"models/{quote(self._wire.model, safe='')}:asyncBatchEmbedContent", body

    def list_path(self, page: str) -> str:
        """Return where operations are listed, from the token ``page`` on."""
        token = f"&pageToken={quote(page, safe='')}" if page else ""
        return f"batches?pageSize={LISTED}{token}"

    def batch_path(self, batch: str) -> str:
        """Return where an operation is: its name."""
        return quote(batch)

    def cancel_path(self, batch: str) -> str:
        """Return where an operation is stopped."""
        return f"{quote(batch)}:cancel"

    def file_path(self, file: str) -> str:
        """Return where a file is: its name."""
        return quote(file)

    def content_path(self, file: str) -> str:
        """Return where the content of a file is."""
        return f"{self._root('download')}/{quote(file)}:download?alt=media"

    def read_upload(self, body: bytes) -> str:
        """Return the name of a file."""
        return decode_answer(PROVIDER, body, _Uploaded).file.name

    def read_batch(self, body: bytes) -> RemoteBatch:
        """Return how far an operation is."""
        return decode_answer(PROVIDER, body, _Operation).seen()

    def read_page(self, body: bytes) -> BatchPage:
        """Return operations, whose display names are ours."""
        page = decode_answer(PROVIDER, body, _Page)
        batches = [(operation.names(), operation.seen()) for operation in page.operations]
        return BatchPage(batches=batches, next=page.next_page_token)

    def read_line(self, line: bytes) -> Result:
        """Return key and vector of a line."""
        found = _LINE.decode(line)
        embedding = found.response.embedding if found.response else None
        (vector,) = sound_vectors([embedding.values if embedding else []])
        return found.key, vector

    def _root(self, service: str) -> str:
        """Return ``https://host/upload/v1beta`` for a base of ``https://host/v1beta``."""
        parts = urlsplit(self._base_url)
        prefix, _, version = parts.path.rstrip("/").rpartition("/")
        return urlunsplit((parts.scheme, parts.netloc, f"{prefix}/{service}/{version}", "", ""))


def _related(boundary: str, about: bytes, content: bytes) -> bytes:
    edge = f"--{boundary}".encode()
    part = b"%s\r\nContent-Type: %s\r\n\r\n%s\r\n"
    about = part % (edge, b"application/json; charset=UTF-8", about)
    return about + part % (edge, b"application/jsonl", content) + edge + b"--\r\n"
