"""How OpenAI, Voyage and Gemini say what belongs to a batch; strict about requests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from email.message import Message
from typing import TYPE_CHECKING, Any

import msgspec

from tests.support.provider_formats import Received

if TYPE_CHECKING:
    from tests.support.batch_server import Job


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A line of an uploaded file: a text under a key, and the size of vector that it asks for."""

    key: str
    text: str
    dimensions: int | None = None


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What starts a batch: its file, our name for it, and what holds for all lines."""

    file: str
    name: str
    params: Mapping[str, Any] = {}


class BatchFormat(ABC):
    """One provider's side."""

    provider = ""
    file_prefix = ""
    batch_prefix = "batch-"
    has_error_file = True

    @abstractmethod
    def upload_name(self, parts: Sequence[Message[str, str]]) -> str:
        """Return the name of an uploaded file; its content is the last of the parts."""

    @abstractmethod
    def uploaded(self, name: str) -> object:
        """Return the answer to an upload."""

    @abstractmethod
    def start(self, received: Received) -> Start:
        """Return what a request to start a batch says."""

    @abstractmethod
    def question(self, line: bytes, start: Start) -> Question:
        """Return what a line of an uploaded file says."""

    @abstractmethod
    def shown(self, job: Job) -> object:
        """Return a batch as it is shown."""

    @abstractmethod
    def listed(self, shown: list[object]) -> object:
        """Return the list of batches."""

    @abstractmethod
    def result(self, key: str, vector: list[float]) -> object:
        """Return the line of a result."""

    @abstractmethod
    def failed(self, key: str) -> object:
        """Return the line of a text that could not be embedded."""


class _OpenAIBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: str
    input: list[str]
    encoding_format: str = "float"
    dimensions: int | None = None


class _OpenAILine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    custom_id: str
    method: str
    url: str
    body: _OpenAIBody


class _OpenAIStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    input_file_id: str
    endpoint: str
    completion_window: str
    metadata: dict[str, str]


class OpenAIBatchFormat(BatchFormat):
    """``POST /v1/files``, ``POST /v1/batches`` and what follows."""

    provider = "openai"

    def upload_name(self, parts: Sequence[Message[str, str]]) -> str:
        """Return the file name of the form's last part; the first one says what it is for."""
        fields = {_field(part): part.get_payload() for part in parts[:-1]}
        assert fields == {"purpose": "batch"}, fields
        return parts[-1].get_filename() or ""

    def uploaded(self, name: str) -> object:
        """Return the file."""
        return {"id": name, "object": "file", "purpose": "batch"}

    def start(self, received: Received) -> Start:
        """Return file and name."""
        body = msgspec.json.decode(received.body, type=_OpenAIStart)
        assert (body.endpoint, body.completion_window) == ("/v1/embeddings", "24h")
        return Start(file=body.input_file_id, name=body.metadata["recollect"])

    def question(self, line: bytes, start: Start) -> Question:
        """Return the text of a whole request."""
        found = msgspec.json.decode(line, type=_OpenAILine)
        assert (found.method, found.url) == ("POST", "/v1/embeddings")
        (text,) = found.body.input
        return Question(key=found.custom_id, text=text, dimensions=found.body.dimensions)

    def shown(self, job: Job) -> object:
        """Return the batch."""
        errors = {"object": "list", "data": [{"code": job.plan.reason, "message": "no", "line": 1}]}
        return {
            "id": job.id,
            "object": "batch",
            "endpoint": "/v1/embeddings",
            "status": "in_progress" if job.state == "running" else job.state,
            "errors": errors if job.state == "failed" else None,
            "output_file_id": job.results or None,
            "error_file_id": job.errors or None,
            "metadata": {"recollect": job.name},
        }

    def listed(self, shown: list[object]) -> object:
        """Return the newest first."""
        return {"object": "list", "data": shown[::-1], "has_more": False}

    def result(self, key: str, vector: list[float]) -> object:
        """Return a response of 200."""
        data = [{"object": "embedding", "index": 0, "embedding": vector}]
        body = {"object": "list", "data": data, "model": "m", "usage": {"total_tokens": 1}}
        return {
            "id": f"req-{key[:8]}",
            "custom_id": key,
            "response": {"status_code": 200, "request_id": "r", "body": body},
            "error": None,
        }

    def failed(self, key: str) -> object:
        """Return a response of 400."""
        body = {"error": {"message": "no", "code": "invalid_request_error"}}
        return {
            "id": f"req-{key[:8]}",
            "custom_id": key,
            "response": {"status_code": 400, "request_id": "r", "body": body},
            "error": None,
        }


class _VoyageBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    input: list[str]


class _VoyageLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    custom_id: str
    body: _VoyageBody


class _VoyageParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: str
    input_type: str | None = None
    output_dimension: int | None = None
    truncation: bool | None = None
    output_dtype: str | None = None
    encoding_format: str | None = None


class _VoyageStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    input_file_id: str
    endpoint: str
    completion_window: str
    request_params: _VoyageParams
    metadata: dict[str, str] = {}


class VoyageBatchFormat(OpenAIBatchFormat):
    """As OpenAI's, but what holds for all lines is said once."""

    provider = "voyage"

    def start(self, received: Received) -> Start:
        """Return file, name and the parameters of all requests."""
        body = msgspec.json.decode(received.body, type=_VoyageStart)
        assert (body.endpoint, body.completion_window) == ("/v1/embeddings", "12h")
        params = msgspec.to_builtins(body.request_params)
        return Start(file=body.input_file_id, name=body.metadata["recollect"], params=params)

    def question(self, line: bytes, start: Start) -> Question:
        """Return the text; its size is that of the batch."""
        found = msgspec.json.decode(line, type=_VoyageLine)
        (text,) = found.body.input
        return Question(key=found.custom_id, text=text, dimensions=start.params["output_dimension"])


class _GeminiPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


class _GeminiContent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parts: list[_GeminiPart]


class _GeminiRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    content: _GeminiContent
    model: str
    task_type: str | None = None
    output_dimensionality: int | None = None


class _GeminiLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    key: str
    request: _GeminiRequest


class _GeminiInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    file_name: str


class _GeminiBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    display_name: str
    input_config: _GeminiInput


class _GeminiStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    batch: _GeminiBatch


class GeminiBatchFormat(BatchFormat):
    """``POST upload/v1beta/files``, ``:asyncBatchEmbedContent`` and what follows."""

    provider = "gemini"
    file_prefix = "files/"
    batch_prefix = "batches/"
    has_error_file = False

    def upload_name(self, parts: Sequence[Message[str, str]]) -> str:
        """Return the display name in the part before the content."""
        about = msgspec.json.decode(str(parts[0].get_payload()))
        return str(about["file"]["displayName"])

    def uploaded(self, name: str) -> object:
        """Return the file."""
        return {"file": {"name": name, "mimeType": "application/jsonl", "state": "ACTIVE"}}

    def start(self, received: Received) -> Start:
        """Return file and display name."""
        batch = msgspec.json.decode(received.body, type=_GeminiStart).batch
        return Start(file=batch.input_config.file_name, name=batch.display_name)

    def question(self, line: bytes, start: Start) -> Question:
        """Return the text of a whole request."""
        found = msgspec.json.decode(line, type=_GeminiLine)
        (part,) = found.request.content.parts
        size = found.request.output_dimensionality
        return Question(key=found.key, text=part.text, dimensions=size)

    def shown(self, job: Job) -> object:
        """Return the operation."""
        words = {"running": "RUNNING", "completed": "SUCCEEDED"}
        state = f"BATCH_STATE_{words.get(job.state, job.state.upper())}"
        output = {"responsesFile": job.results} if job.results else None
        found: dict[str, object] = {
            "name": job.id,
            "done": job.state != "running",
            "metadata": {"displayName": job.name, "state": state, "output": output},
        }
        if job.state == "failed":
            found["error"] = {"code": 3, "message": "no", "status": job.plan.reason}
        elif output is not None:
            found["response"] = output
        return found

    def listed(self, shown: list[object]) -> object:
        """Return the operations."""
        return {"operations": shown[::-1]}

    def result(self, key: str, vector: list[float]) -> object:
        """Return an embedding."""
        return {"key": key, "response": {"embedding": {"values": vector}}}

    def failed(self, key: str) -> object:
        """Return an error."""
        return {"key": key, "error": {"code": 3, "message": "no", "status": "INVALID_ARGUMENT"}}


FORMATS: Mapping[str, BatchFormat] = {
    "openai": OpenAIBatchFormat(),
    "voyage": VoyageBatchFormat(),
    "gemini": GeminiBatchFormat(),
}


def _field(part: Message[str, str]) -> str:
    return str(part.get_param("name", header="content-disposition"))
