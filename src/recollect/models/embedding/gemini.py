"""The wire format of Gemini: ``embedContent`` for a question, ``batchEmbedContents`` for texts.

Task types tell the model which is which. Vectors of fewer dimensions than the model's own come
unnormalised; they are normalised where all vectors are.

Source: the API reference of Gemini, "Embeddings", November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

import msgspec

from recollect.models.embedding.raw_vectors import Row, VectorReply, decode_answer
from recollect.models.embedding.wire import ModelWire, Purpose, WireRequest

PROVIDER = "gemini"
DEFAULT_MODEL = "gemini-embedding-001"

_DIMENSIONS = {"gemini-embedding-001": 3_072, "gemini-embedding-2": 3_072}
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
    """Speaks to Gemini; the model's name is without ``models/``."""

    provider = PROVIDER
    max_texts = 100  # it says so in the error of the 101st
    sizes = _DIMENSIONS

    @property
    def identity(self) -> Mapping[str, object]:
        """Return the dimensions asked for and the task types."""
        return {"dimensions": self.dimensions, "task_types": _TASK_TYPES}

    def request(self, texts: Sequence[str], purpose: Purpose) -> WireRequest:
        """Return the request for the vectors of ``texts``; a question comes alone."""
        path = f"models/{quote(self.model, safe='')}"
        if purpose == "query":
            return WireRequest(path=f"{path}:embedContent", body=self.content(texts[0], purpose))
        requests = [self.content(text, purpose) for text in texts]
        return WireRequest(path=f"{path}:batchEmbedContents", body={"requests": requests})

    def content(self, text: str, purpose: Purpose) -> dict[str, object]:
        """Return the request for one text: the unit of both ways to ask, and of batch files."""
        body: dict[str, object] = {
            "model": f"models/{self.model}",
            "content": {"parts": [{"text": text}]},
            "taskType": _TASK_TYPES[purpose],
        }
        if self.dimensions:
            body["outputDimensionality"] = self.dimensions
        return body

    def read(self, body: bytes, purpose: Purpose) -> VectorReply:
        """Return the vectors in the order of the texts; Gemini does not say what it bills."""
        if purpose == "query":
            return VectorReply(rows=[decode_answer(PROVIDER, body, _One).embedding.values])
        answer = decode_answer(PROVIDER, body, _Many)
        return VectorReply(rows=[one.values for one in answer.embeddings])
