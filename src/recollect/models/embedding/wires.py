"""The wire formats of embeddings: the requests and answers of each provider.

A wire knows paths, bodies and limits of one provider. It sends nothing itself.

Source: the API references of OpenAI ("Create embeddings"), Gemini ("Embeddings", November 2026) and
Voyage AI ("Text embedding models", November 2026).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol
from urllib.parse import quote

import msgspec

from recollect.models.embedding.raw_vectors import Row, VectorReply
from recollect.models.hints import EMBEDDING
from recollect.models.http.client import decode_answer

Purpose = Literal["query", "document"]
"""The purpose of an embedding; some models treat questions and texts differently."""


class WireRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request: its path after the base URL, and its body before it becomes JSON."""

    path: str
    body: Mapping[str, object]


class Wire(Protocol):
    """One provider's wire format."""

    @property
    def provider(self) -> str:
        """Return the provider's name."""

    @property
    def model(self) -> str:
        """Return the model's name, as the provider knows it."""

    @property
    def max_texts(self) -> int:
        """Return the most texts that a request may have."""

    @property
    def known_dimensions(self) -> int:
        """Return the size of the vectors, or 0 where only the provider knows it."""

    @property
    def identity(self) -> Mapping[str, object]:
        """Return what else decides the vectors: dimensions asked for, input types."""

    def request(self, texts: Sequence[str], purpose: Purpose) -> WireRequest:
        """Return the request for the vectors of ``texts``; a query is always alone."""

    def read(self, body: bytes, purpose: Purpose) -> VectorReply:
        """Return the vectors in an answer, and the tokens that it bills.

        Raises:
            ProviderUnavailable: it cannot be read.
        """


class ModelWire(msgspec.Struct, frozen=True, kw_only=True):
    """The common part of wires, about the model; a provider adds its requests and answers.

    Attributes:
        model: The model's name.
        dimensions: Size to ask for; 0 is the model's own.
    """

    model: str
    dimensions: int = 0

    provider: ClassVar[str]
    default_model: ClassVar[str]
    max_texts: ClassVar[int]
    """The most texts of a request."""
    sizes: ClassVar[Mapping[str, int]]
    """Sizes of the vectors of known models."""

    @property
    def known_dimensions(self) -> int:
        """Return the dimensions asked for, else the model's own where they are known, else 0."""
        return self.dimensions or self.sizes.get(self.model, 0)


class _Item(msgspec.Struct, frozen=True):
    embedding: Row
    index: int | None = None


class _Usage(msgspec.Struct, frozen=True):
    total_tokens: int | None = None


class _Body(msgspec.Struct, frozen=True):
    data: list[_Item]
    usage: _Usage | None = None


class OpenAIWire(ModelWire, frozen=True, kw_only=True):
    """Speaks to OpenAI and compatible servers: Ollama, LM Studio, vLLM and many others.

    ``POST {base}/embeddings`` with ``model``, ``input`` and ``encoding_format``; further fields
    only when they are set, as not every compatible server takes them. The limits are OpenAI's.

    Attributes:
        query_type: Sent as ``input_type`` with a question, where a server supports that.
        document_type: The same for texts to index.
    """

    query_type: str | None = None
    document_type: str | None = None

    provider = "openai"
    default_model = "text-embedding-3-small"
    max_texts = 2_048
    size_name: ClassVar[str] = "dimensions"
    """The field for the requested size."""
    fixed: ClassVar[Mapping[str, object]] = {"encoding_format": "float"}
    """Fields of every request."""
    sizes = {
        "text-embedding-3-small": 1_536,
        "text-embedding-3-large": 3_072,
        "text-embedding-ada-002": 1_536,
    }

    @property
    def identity(self) -> Mapping[str, object]:
        """Return the dimensions asked for and the input types."""
        return {
            "dimensions": self.dimensions,
            "query_type": self.query_type,
            "document_type": self.document_type,
        }

    def request(self, texts: Sequence[str], purpose: Purpose) -> WireRequest:
        """Return the request for the vectors of ``texts``."""
        input_type = self.query_type if purpose == "query" else self.document_type
        more = {self.size_name: self.dimensions, "input_type": input_type}
        body: dict[str, object] = {"model": self.model, "input": list(texts), **self.fixed}
        body |= {name: value for name, value in more.items() if value}
        return WireRequest(path="embeddings", body=body)

    def read(self, body: bytes, purpose: Purpose) -> VectorReply:
        """Return the vectors in the order of the texts, and the tokens billed."""
        answer = decode_answer(self.provider, body, _Body)
        items = answer.data
        if any(item.index is not None for item in items):
            item_at = {item.index: item for item in items}
            if set(item_at) != set(range(len(items))):
                raise EMBEDDING.unreadable(self.provider)
            items = [item_at[number] for number in range(len(items))]
        tokens = answer.usage.total_tokens if answer.usage else None
        return VectorReply(rows=[item.embedding for item in items], tokens=tokens)


class VoyageWire(OpenAIWire, frozen=True, kw_only=True):
    """Speaks to Voyage, which answers like OpenAI and has its own input types and names."""

    query_type: str | None = "query"
    document_type: str | None = "document"

    provider = "voyage"
    default_model = "voyage-4-large"
    max_texts = 1_000
    size_name = "output_dimension"
    fixed = {}
    sizes = dict.fromkeys(
        [
            *("voyage-4-large", "voyage-4", "voyage-4-lite", "voyage-code-3"),
            *("voyage-3-large", "voyage-3.5", "voyage-3.5-lite"),
        ],
        1_024,
    )


_TASK_TYPES: Mapping[Purpose, str] = {
    "query": "RETRIEVAL_QUERY",
    "document": "RETRIEVAL_DOCUMENT",
}


class _Values(msgspec.Struct, frozen=True):
    values: Row


class _One(msgspec.Struct, frozen=True):
    embedding: _Values


class _Many(msgspec.Struct, frozen=True):
    embeddings: list[_Values]


class GeminiWire(ModelWire, frozen=True, kw_only=True):
    """Speaks to Gemini; the model's name is without ``models/``.

    ``embedContent`` for a question, ``batchEmbedContents`` for texts, distinguished by task types.
    Vectors of fewer dimensions than the model's own come unnormalised; they are normalised where
    all vectors are.
    """

    provider = "gemini"
    default_model = "gemini-embedding-001"
    max_texts = 100  # as stated in the error for the 101st
    sizes = {"gemini-embedding-001": 3_072, "gemini-embedding-2": 3_072}

    @property
    def identity(self) -> Mapping[str, object]:
        """Return the dimensions asked for and the task types."""
        return {"dimensions": self.dimensions, "task_types": _TASK_TYPES}

    def request(self, texts: Sequence[str], purpose: Purpose) -> WireRequest:
        """Return the request for the vectors of ``texts``; a question is always alone."""
        if purpose == "query":
            return WireRequest(path=self.path("embedContent"), body=self.content(texts[0], purpose))
        requests = [self.content(text, purpose) for text in texts]
        return WireRequest(path=self.path("batchEmbedContents"), body={"requests": requests})

    def path(self, verb: str) -> str:
        """Return the path of a method of the model."""
        return f"models/{quote(self.model, safe='')}:{verb}"

    def content(self, text: str, purpose: Purpose) -> dict[str, object]:
        """Return the request for one text, as in both kinds of requests and in batch files."""
        body: dict[str, object] = {
            "model": f"models/{self.model}",
            "content": {"parts": [{"text": text}]},
            "taskType": _TASK_TYPES[purpose],
        }
        if self.dimensions:
            body["outputDimensionality"] = self.dimensions
        return body

    def read(self, body: bytes, purpose: Purpose) -> VectorReply:
        """Return the vectors in the order of the texts; Gemini does not report billed tokens."""
        if purpose == "query":
            return VectorReply(rows=[decode_answer(self.provider, body, _One).embedding.values])
        answer = decode_answer(self.provider, body, _Many)
        return VectorReply(rows=[one.values for one in answer.embeddings])
