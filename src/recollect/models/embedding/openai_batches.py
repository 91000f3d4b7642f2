"""Batches of OpenAI and of what takes the same requests: files, batches, files of results.

``POST files`` (a form with ``purpose=batch``), ``POST batches``, ``GET batches/{id}``,
``GET files/{id}/content``. The ``metadata`` of a batch holds our name for it. Voyage has lines and
starts of its own.

Source: the API reference of OpenAI, "Batch" and "Files".
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import msgspec

from recollect.core.errors import ProviderError
from recollect.models.embedding.batch_job import (
    LISTED,
    BatchPage,
    BatchState,
    RemoteBatch,
    Result,
)
from recollect.models.embedding.raw_vectors import decode_answer, sound_vectors
from recollect.models.embedding.wire import Wire
from recollect.models.http.request import Call, FileUpload

ENDPOINT = "/v1/embeddings"
_MARK = "recollect"
"""Key of the ``metadata`` that holds our name."""
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

    def names(self) -> frozenset[str]:
        """Return our name for it, if it has one."""
        return frozenset({str((self.metadata or {}).get(_MARK, ""))})

    def seen(self) -> RemoteBatch:
        """Return it as a job sees it."""
        problems = (self.errors.data if self.errors else None) or []
        return RemoteBatch(
            id=self.id,
            state=_STATES.get(self.status, "running"),
            results=(self.output_file_id,) if self.output_file_id else (),
            other_files=(self.error_file_id,) if self.error_file_id else (),
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


_LINE = msgspec.json.Decoder(_Line)


class OpenAIDialect:
    """Implements `BatchDialect` for OpenAI: every line is a whole request.

    Args:
        wire: Requests as they are sent directly, so that the vectors are the same.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def line(self, key: str, text: str) -> object:
        """Return method, path and body under a custom id."""
        return {"custom_id": key, "method": "POST", "url": ENDPOINT, "body": self.body(text)}

    def terms(self) -> Mapping[str, object]:
        """Return what starts a batch beside its file: the endpoint and the only window there is."""
        return {"endpoint": ENDPOINT, "completion_window": "24h"}

    def body(self, text: str) -> Mapping[str, object]:
        """Return the body of a request for one text alone."""
        return self._wire.request([text], "document").body

    def upload(self, name: str, file: Path) -> Call:
        """Return the form that sends a file."""
        form = FileUpload(file=file, name=f"{name}.jsonl", fields={"purpose": "batch"})
        return Call(method="POST", path="files", upload=form)

    def start(self, name: str, file: str) -> tuple[str, object]:
        """Return path and body of what starts a batch."""
        body = {"input_file_id": file, "metadata": {_MARK: name}, **self.terms()}
        return "batches", body

    def list_path(self, page: str) -> str:
        """Return where batches are listed, after the batch ``page``."""
        after = f"&after={quote(page, safe='')}" if page else ""
        return f"batches?limit={LISTED}{after}"

    def batch_path(self, batch: str) -> str:
        """Return where a batch is."""
        return f"batches/{quote(batch, safe='')}"

    def cancel_path(self, batch: str) -> str:
        """Return where a batch is stopped."""
        return f"{self.batch_path(batch)}/cancel"

    def file_path(self, file: str) -> str:
        """Return where a file is."""
        return f"files/{quote(file, safe='')}"

    def content_path(self, file: str) -> str:
        """Return where the content of a file is."""
        return f"{self.file_path(file)}/content"

    def read_upload(self, body: bytes) -> str:
        """Return the id of a file."""
        return self._read(body, _File).id

    def read_batch(self, body: bytes) -> RemoteBatch:
        """Return how far a batch is."""
        return self._read(body, _Batch).seen()

    def read_page(self, body: bytes) -> BatchPage:
        """Return batches, whose metadata hold our names for them."""
        page = self._read(body, _Page)
        return BatchPage(
            batches=[(batch.names(), batch.seen()) for batch in page.data],
            next=page.data[-1].id if page.has_more and page.data else "",
        )

    def read_line(self, line: bytes) -> Result:
        """Return key and vector of a line, whose body is an answer to a direct request."""
        found = _LINE.decode(line)
        if found.response is None or found.response.status_code != 200:
            return found.custom_id, None
        try:
            rows = self._wire.read(bytes(found.response.body), "document").rows
        except ProviderError:
            return found.custom_id, None
        (vector,) = sound_vectors(rows[:1]) or [None]
        return found.custom_id, vector

    def _read(self, body: bytes, shape: type[T]) -> T:
        return decode_answer(self._wire.provider, body, shape)
