"""The wire format of OpenAI's embeddings, spoken by Ollama, LM Studio, vLLM and many others.

``POST {base}/embeddings`` with ``model``, ``input`` and ``encoding_format``; further fields only
when they are set, for not every compatible server takes them.

Source: the API reference of OpenAI, "Create embeddings".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from recollect.models.embedding.raw_vectors import Row, VectorReply, decode_answer
from recollect.models.embedding.wire import ModelWire, Purpose, WireRequest
from recollect.models.hints import EMBEDDING

PROVIDER = "openai"
DEFAULT_MODEL = "text-embedding-3-small"

_DIMENSIONS = {
    "text-embedding-3-small": 1_536,
    "text-embedding-3-large": 3_072,
    "text-embedding-ada-002": 1_536,
}


class _Item(msgspec.Struct, frozen=True):
    embedding: Row
    index: int | None = None


class _Usage(msgspec.Struct, frozen=True):
    total_tokens: int | None = None


class _Body(msgspec.Struct, frozen=True):
    data: list[_Item]
    usage: _Usage | None = None


class OpenAIWire(ModelWire, frozen=True, kw_only=True):
    """Speaks to OpenAI and what is compatible; limits are those of its API reference.

    Attributes:
        query_type: Sent as ``input_type`` with a question, where a server knows that.
        document_type: The same, with texts to index.
    """

    query_type: str | None = None
    document_type: str | None = None

    provider = PROVIDER
    max_texts = 2_048
    sizes = _DIMENSIONS

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
        body: dict[str, object] = {
            "model": self.model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self.dimensions:
            body["dimensions"] = self.dimensions
        input_type = self.query_type if purpose == "query" else self.document_type
        if input_type:
            body["input_type"] = input_type
        return WireRequest(path="embeddings", body=body)

    def read(self, body: bytes, purpose: Purpose) -> VectorReply:
        """Return the vectors in the order of the texts, and the tokens billed."""
        answer = decode_answer(self.provider, body, _Body)
        items = answer.data
        if any(item.index is not None for item in items):
            items = _in_order(self.provider, items)
        tokens = answer.usage.total_tokens if answer.usage else None
        return VectorReply(rows=[item.embedding for item in items], tokens=tokens)


def _in_order(provider: str, items: list[_Item]) -> list[_Item]:
    places = {item.index: item for item in items}
    if set(places) != set(range(len(items))):
        raise EMBEDDING.unreadable(provider)
    return [places[number] for number in range(len(items))]
