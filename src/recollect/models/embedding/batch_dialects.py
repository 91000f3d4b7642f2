"""The batch APIs of OpenAI, Voyage and Gemini.

At OpenAI, and compatible servers: ``POST files`` (a form with ``purpose=batch``), ``POST batches``,
``GET batches/{id}``, ``GET files/{id}/content``. The ``metadata`` of a batch has our name for it.
Voyage has its own form of lines and starts.

At Gemini: ``POST upload/v1beta/files`` (multipart/related), ``POST
models/{model}:asyncBatchEmbedContent``, ``GET batches/{id}`` until the operation is done, ``GET
download/v1beta/{file}:download``. The display name of a batch is our name. Uploads and downloads
have their own root before the version of the API.

Source: the API references of OpenAI ("Batch", "Files") and Gemini ("Batch API", "Embeddings",
"Files").
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import msgspec

from recollect.core.decoding import json_decoder
from recollect.core.errors import ProviderError
from recollect.models.embedding.batch_job import (
    LISTED,
    BatchDialect,
    BatchPage,
    BatchResult,
    BatchState,
    RemoteBatch,
)
from recollect.models.embedding.raw_vectors import Row, sound_vectors
from recollect.models.embedding.wires import GeminiWire, OpenAIWire, VoyageWire, Wire
from recollect.models.http.client import Call, FileUpload, decode_answer

_ENDPOINT = "/v1/embeddings"
_MARK = "recollect"
"""The key of our name in the ``metadata``."""
_ENDINGS: Mapping[str, BatchState] = {
    "completed": "completed",
    "succeeded": "completed",
    "failed": "failed",
    "expired": "expired",
    "cancelled": "cancelled",
}
"""The last word of a state, in lower case; any other state is not final."""


def dialect_of(wire: Wire, base_url: str) -> BatchDialect | None:
    """Return the dialect of a provider's batches; None where it has none.

    Args:
        wire: Requests as they are sent directly, so that the vectors are the same.
        base_url: The base of its paths.
    """
    match wire:
        case GeminiWire():
            return _gemini(wire, base_url)
        case VoyageWire():
            params = {**wire.request([], "document").body}
            del params["input"]  # per line; all other fields belong to the batch
            terms = {"completion_window": "12h", "request_params": params}
            return _openai(wire, terms, lambda text: {"body": {"input": [text]}})
        case OpenAIWire():
            request = {"method": "POST", "url": _ENDPOINT}
            return _openai(
                wire,
                {"completion_window": "24h"},
                lambda text: request | {"body": wire.request([text], "document").body},
            )
        case _:
            return None


class _Named(msgspec.Struct, frozen=True):
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

    def names(self) -> frozenset[str]:
        """Return our name for it, if it has one."""
        return frozenset({str((self.metadata or {}).get(_MARK, ""))})

    def seen(self) -> RemoteBatch:
        """Return it as a `RemoteBatch`."""
        problems = (self.errors.data if self.errors else None) or []
        return RemoteBatch(
            id=self.id,
            state=_ENDINGS.get(self.status, "running"),
            results=(self.output_file_id,) if self.output_file_id else (),
            other_files=(self.error_file_id,) if self.error_file_id else (),
            reason=next((problem.code for problem in problems if problem.code), ""),
        )


class _Batches(msgspec.Struct, frozen=True):
    data: list[_Batch]
    has_more: bool = False

    def page(self) -> BatchPage:
        """Return batches with our names for them, from their metadata."""
        return BatchPage(
            batches=[(batch.names(), batch.seen()) for batch in self.data],
            next=self.data[-1].id if self.has_more and self.data else "",
        )


class _Response(msgspec.Struct, frozen=True):
    status_code: int
    body: msgspec.Raw


class _Line(msgspec.Struct, frozen=True):
    custom_id: str
    response: _Response | None = None


_LINE = json_decoder(_Line)


def _openai(
    wire: OpenAIWire, terms: Mapping[str, object], line: Callable[[str], dict[str, object]]
) -> BatchDialect:
    """Return the dialect of OpenAI.

    Args:
        wire: Requests and answers.
        terms: Fields of the start of a batch besides file, endpoint and name.
        line: Returns the fields of a line besides its id.
    """

    def upload(name: str, file: Path) -> Call:
        form = FileUpload(file=file, name=f"{name}.jsonl", fields={"purpose": "batch"})
        return Call(method="POST", path="files", upload=form)

    def start(name: str, file: str) -> tuple[str, object]:
        metadata = {_MARK: name}
        body = {"input_file_id": file, "metadata": metadata, "endpoint": _ENDPOINT, **terms}
        return "batches", body

    def read_line(content: bytes) -> BatchResult:
        line = _LINE.decode(content)
        if line.response is None or line.response.status_code != 200:
            return line.custom_id, None
        try:
            rows = wire.read(bytes(line.response.body), "document").rows
        except ProviderError:
            return line.custom_id, None
        return line.custom_id, next(iter(sound_vectors(rows[:1])), None)

    return BatchDialect(
        line=lambda key, text: {"custom_id": key, **line(text)},
        upload=upload,
        start=start,
        listing=f"batches?limit={LISTED}",
        next_page="&after={}",
        batch="batches/{}",
        cancel="batches/{}/cancel",
        file="files/{}",
        content="files/{}/content",
        read_upload=lambda body: decode_answer(wire.provider, body, _Named).id,
        read_batch=lambda body: decode_answer(wire.provider, body, _Batch).seen(),
        read_page=lambda body: decode_answer(wire.provider, body, _Batches).page(),
        read_line=read_line,
    )


class _File(msgspec.Struct, frozen=True):
    name: str


class _Uploaded(msgspec.Struct, frozen=True):
    file: _File


class _Output(msgspec.Struct, frozen=True, rename="camel"):
    responses_file: str | None = None


class _Error(msgspec.Struct, frozen=True):
    status: str | None = None
    code: int | None = None


class _Metadata(msgspec.Struct, frozen=True, rename="camel"):
    state: str | None = None
    display_name: str | None = None
    output: _Output | None = None


class _Operation(_Metadata, frozen=True, rename="camel", kw_only=True):
    name: str
    done: bool = False
    metadata: _Metadata | None = None
    response: _Output | None = None
    error: _Error | None = None

    def seen(self) -> RemoteBatch:
        """Return it as a `RemoteBatch`; the operation takes precedence over its metadata."""
        inside = self.metadata or _Metadata()
        outputs = (self.output, self.response, inside.output)
        files = [output.responses_file for output in outputs if output and output.responses_file]
        return RemoteBatch(
            id=self.name,
            state=self._ending(self.state or inside.state or "", has_results=bool(files)),
            results=tuple(files[:1]),
            reason=(self.error.status or str(self.error.code or "")) if self.error else "",
        )

    def names(self) -> frozenset[str]:
        """Return the names that it was started under."""
        inside = self.metadata.display_name if self.metadata else None
        return frozenset(filter(None, (self.display_name, inside)))

    def _ending(self, state: str, *, has_results: bool) -> BatchState:
        if self.error is not None:
            return "failed"
        ending = _ENDINGS.get(state.rpartition("_")[2].lower())
        if ending is not None:
            return ending
        if not self.done:
            return "running"
        return "completed" if has_results else "failed"


class _Operations(msgspec.Struct, frozen=True, rename="camel"):
    operations: list[_Operation] = []
    next_page_token: str = ""

    def page(self) -> BatchPage:
        """Return operations with our names, from their display names."""
        batches = [(operation.names(), operation.seen()) for operation in self.operations]
        return BatchPage(batches=batches, next=self.next_page_token)


class _Embedding(msgspec.Struct, frozen=True):
    values: Row = []


class _EmbedResponse(msgspec.Struct, frozen=True):
    embedding: _Embedding | None = None


class _KeyedLine(msgspec.Struct, frozen=True):
    key: str
    response: _EmbedResponse | None = None


_KEYED_LINE = json_decoder(_KeyedLine)


def _gemini(wire: GeminiWire, base_url: str) -> BatchDialect:
    """Return the dialect of Gemini; the base ends with the version of the API."""

    def upload(name: str, file: Path) -> Call:
        boundary = secrets.token_hex(16)
        about = {"file": {"displayName": name, "mimeType": "application/jsonl"}}
        return Call(
            method="POST",
            path=f"{_root(base_url, 'upload')}/files?uploadType=multipart",
            content=_related(boundary, msgspec.json.encode(about), file.read_bytes()),
            headers={
                "content-type": f"multipart/related; boundary={boundary}",
                "x-goog-upload-protocol": "multipart",
            },
        )

    def start(name: str, file: str) -> tuple[str, object]:
        body = {"batch": {"displayName": name, "inputConfig": {"fileName": file}}}
        return wire.path("asyncBatchEmbedContent"), body

    def read_line(content: bytes) -> BatchResult:
        line = _KEYED_LINE.decode(content)
        embedding = line.response.embedding if line.response else None
        (vector,) = sound_vectors([embedding.values if embedding else []])
        return line.key, vector

    return BatchDialect(
        line=lambda key, text: {"key": key, "request": wire.content(text, "document")},
        upload=upload,
        start=start,
        listing=f"batches?pageSize={LISTED}",
        next_page="&pageToken={}",
        batch="{}",
        cancel="{}:cancel",
        file="{}",
        content=f"{_root(base_url, 'download')}/{{}}:download?alt=media",
        safe="/",
        read_upload=lambda body: decode_answer(wire.provider, body, _Uploaded).file.name,
        read_batch=lambda body: decode_answer(wire.provider, body, _Operation).seen(),
        read_page=lambda body: decode_answer(wire.provider, body, _Operations).page(),
        read_line=read_line,
    )


def _root(base_url: str, service: str) -> str:
    """Return ``https://host/upload/v1beta`` for a base of ``https://host/v1beta``."""
    parts = urlsplit(base_url)
    prefix, _, version = parts.path.rstrip("/").rpartition("/")
    return urlunsplit((parts.scheme, parts.netloc, f"{prefix}/{service}/{version}", "", ""))


def _related(boundary: str, about: bytes, content: bytes) -> bytes:
    """Return the body of an upload with two parts, built in memory."""
    edge = f"--{boundary}".encode()
    part = b"%s\r\nContent-Type: %s\r\n\r\n%s\r\n"
    about = part % (edge, b"application/json; charset=UTF-8", about)
    return about + part % (edge, b"application/jsonl", content) + edge + b"--\r\n"
