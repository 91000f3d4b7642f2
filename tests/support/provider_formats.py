"""The wire formats of OpenAI, Gemini and Voyage from the server's side, strict about requests.

A vector follows from its text alone (`vector_of`) and is not normalised. A request that the real
provider would refuse is refused here, in its words and its shape of errors.

Source: the API references of the three, November 2026.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from recollect.models.embedding.embedder import Vectors


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it came; header names are in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the body decoded."""
        return msgspec.json.decode(self.body)


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """An answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({"content-type": "application/json"})


class Refused(Exception):
    """A request that the provider does not take.

    Args:
        status: HTTP status.
        code: The provider's short code.
        words: What it says.
    """

    def __init__(self, status: int, code: str, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.code = code
        self.words = words


def vector_of(text: str, dimensions: int) -> list[float]:
    """Return the vector that the server sends for ``text``: not normalised, never zero."""
    raw = hashlib.shake_256(text.encode()).digest(2 * dimensions)
    values = np.frombuffer(raw, "<i2").astype(np.float64) / 1_000
    values[0] += 40.0
    return [round(value, 3) for value in values.tolist()]


def unit_vector(text: str, dimensions: int) -> Vectors:
    """Return what an adapter must make of `vector_of`: float32, length 1."""
    values = np.array(vector_of(text, dimensions))
    vector: Vectors = (values / np.linalg.norm(values)).astype(np.float32)
    return vector


class Format(ABC):
    """One provider's side; a service of `ProviderServer`.

    Args:
        key: Needed with every request; None takes everybody.
        dimensions: Size of vectors where a request asks for none.
        max_texts: Texts of a request; 0 sets no limit but the provider's own.
        max_bytes: Sum of their bytes; 0 sets no limit.
    """

    prefix = ""
    own_max_texts = 0

    def __init__(
        self, *, key: str | None, dimensions: int, max_texts: int = 0, max_bytes: int = 0
    ) -> None:
        self.refused: set[str] = set()
        self._key = key
        self._dimensions = dimensions
        self._max_texts = max_texts or self.own_max_texts
        self._max_bytes = max_bytes

    def answer(self, received: Received) -> Response | None:
        """Return the answer to a request for embeddings of this provider."""
        if received.method != "POST" or not self._is_mine(received.path):
            return None
        try:
            self._check_key(received)
            return json_response(self.reply(received))
        except Refused as error:
            return self.error(error.status, error.code, error.words)

    def texts(self, received: Received) -> list[str]:
        """Return the texts of a request; none when it cannot be read."""
        if not self._is_mine(received.path):
            return []
        try:
            return self.inputs(received)
        except (Refused, msgspec.MsgspecError):
            return []

    def check_texts(self, texts: Sequence[str]) -> None:
        """Refuse what the provider would.

        Raises:
            Refused: too many, too large, empty, or one that `refused` names.
        """
        if self._max_texts and len(texts) > self._max_texts:
            raise Refused(400, "invalid_request_error", "too many inputs in one request")
        if self._max_bytes and sum(len(text.encode()) for text in texts) > self._max_bytes:
            raise Refused(400, "max_tokens_per_request", "maximum context length exceeded")
        if not texts or not all(texts) or self.refused & set(texts):
            raise Refused(400, "invalid_request_error", "'$.input' is invalid")

    def vectors(self, texts: Sequence[str], dimensions: int | None) -> list[list[float]]:
        """Return the vectors of ``texts``."""
        return [vector_of(text, dimensions or self._dimensions) for text in texts]

    @abstractmethod
    def reply(self, received: Received) -> object:
        """Return what is answered, before it becomes JSON."""

    @abstractmethod
    def inputs(self, received: Received) -> list[str]:
        """Return the texts of a request."""

    @abstractmethod
    def error(self, status: int, code: str, words: str) -> Response:
        """Return an error in the provider's shape."""

    def key_of(self, received: Received) -> str | None:
        """Return the key that came with a request."""
        return received.headers.get("authorization", "").removeprefix("Bearer ") or None

    def _is_mine(self, path: str) -> bool:
        return path == f"{self.prefix}/embeddings"

    def _check_key(self, received: Received) -> None:
        if self._key is not None and self.key_of(received) != self._key:
            raise Refused(401, "invalid_api_key", "Incorrect API key provided")


class _OpenAIBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: str
    input: list[str] | str
    encoding_format: str = "float"
    dimensions: int | None = None
    input_type: str | None = None
    user: str | None = None


class OpenAIFormat(Format):
    """``POST /openai/v1/embeddings``."""

    prefix = "/openai/v1"
    own_max_texts = 2_048

    def inputs(self, received: Received) -> list[str]:
        """Return ``input`` as a list."""
        found = _decode(received, _OpenAIBody).input
        return [found] if isinstance(found, str) else found

    def reply(self, received: Received) -> object:
        """Return ``data`` and ``usage``."""
        body, texts = _decode(received, _OpenAIBody), self.inputs(received)
        self.check_texts(texts)
        return _listed(self.vectors(texts, body.dimensions), body.model, texts)

    def error(self, status: int, code: str, words: str) -> Response:
        """Return ``{"error": {...}}``."""
        found = {"message": words, "type": code, "param": None, "code": code}
        return json_response({"error": found}, status)


class _VoyageBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: str
    input: list[str] | str
    input_type: str | None = None
    truncation: bool = True
    output_dimension: int | None = None
    output_dtype: str = "float"
    encoding_format: str | None = None


class VoyageFormat(Format):
    """``POST /voyage/v1/embeddings``."""

    prefix = "/voyage/v1"
    own_max_texts = 1_000

    def inputs(self, received: Received) -> list[str]:
        """Return ``input`` as a list."""
        found = _decode(received, _VoyageBody).input
        return [found] if isinstance(found, str) else found

    def reply(self, received: Received) -> object:
        """Return ``data`` and ``usage``."""
        body, texts = _decode(received, _VoyageBody), self.inputs(received)
        if body.input_type not in {None, "query", "document"}:
            raise Refused(400, "", "input_type must be query or document")
        self.check_texts(texts)
        return _listed(self.vectors(texts, body.output_dimension), body.model, texts)

    def error(self, status: int, code: str, words: str) -> Response:
        """Return ``{"detail": ...}``: Voyage has no codes."""
        return json_response({"detail": f"{words} {code}".strip()}, status)


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


class _Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parts: list[_Part]
    role: str | None = None


class _GeminiOne(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    content: _Content
    model: str | None = None
    task_type: str | None = None
    title: str | None = None
    output_dimensionality: int | None = None


class _GeminiMany(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    requests: list[_GeminiOne]


class GeminiFormat(Format):
    """``POST /gemini/v1beta/models/NAME:embedContent`` and ``:batchEmbedContents``."""

    prefix = "/gemini/v1beta"
    own_max_texts = 100

    def inputs(self, received: Received) -> list[str]:
        """Return the text of each request."""
        return [one.content.parts[0].text for one in self._requests(received)]

    def reply(self, received: Received) -> object:
        """Return ``embedding`` or ``embeddings``."""
        requests, texts = self._requests(received), self.inputs(received)
        self.check_texts(texts)
        if _is_batch(received) and any(one.model != _model(received) for one in requests):
            raise Refused(400, "INVALID_ARGUMENT", "each request must name the model")
        rows = self.vectors(texts, requests[0].output_dimensionality)
        if not _is_batch(received):
            return {"embedding": {"values": rows[0]}}
        return {"embeddings": [{"values": row} for row in rows]}

    def error(self, status: int, code: str, words: str) -> Response:
        """Return ``{"error": {"code": 429, "message", "status"}}``."""
        named = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}
        found = {"code": status, "message": f"{words} {code}", "status": named.get(status, "OTHER")}
        return json_response({"error": found}, status)

    def key_of(self, received: Received) -> str | None:
        """Return the header ``x-goog-api-key``."""
        return received.headers.get("x-goog-api-key")

    def _is_mine(self, path: str) -> bool:
        return bool(re.fullmatch(self.prefix + _GEMINI_PATH, path))

    def _requests(self, received: Received) -> list[_GeminiOne]:
        if _is_batch(received):
            many: list[_GeminiOne] = _decode(received, _GeminiMany).requests
            return many
        return [_decode(received, _GeminiOne)]


_GEMINI_PATH = r"/(models/[\w.-]+):(embedContent|batchEmbedContents)"

FORMATS: Mapping[str, type[Format]] = {
    "openai": OpenAIFormat,
    "gemini": GeminiFormat,
    "voyage": VoyageFormat,
}


def json_response(value: object, status: int = 200) -> Response:
    """Return an answer with ``value`` as JSON."""
    return Response(status=status, body=msgspec.json.encode(value))


def not_found() -> Response:
    """Return what a server says to an unknown path."""
    return json_response({"error": {"message": "not found", "code": "not_found"}}, 404)


def _is_batch(received: Received) -> bool:
    return received.path.endswith(":batchEmbedContents")


def _model(received: Received) -> str:
    result = re.search(_GEMINI_PATH, received.path)
    return result[1] if result else ""


def _decode(received: Received, shape: type[Any]) -> Any:
    try:
        return msgspec.json.decode(received.body, type=shape)
    except msgspec.MsgspecError as error:
        raise Refused(400, "invalid_request_error", str(error)) from error


def _listed(rows: list[list[float]], model: str, texts: Sequence[str]) -> object:
    items = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    tokens = sum(len(text.encode()) // 4 + 1 for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": items, "model": model, "usage": usage}
