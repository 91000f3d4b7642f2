"""The wire format of Voyage AI: ``POST {base}/embeddings`` with input types of its own.

Source: the API reference of Voyage AI, "Text embedding models", November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from recollect.models.openai import read_embeddings
from recollect.models.raw_vectors import Reply
from recollect.models.wire import Purpose, Request

PROVIDER = "voyage"
BASE_URL = "https://api.voyageai.com/v1"
DEFAULT_MODEL = "voyage-4-large"

_MAX_TEXTS = 1_000
"""Texts that a request may have. Source: the API reference."""
_DIMENSIONS = {
    "voyage-4-large": 1_024,
    "voyage-4": 1_024,
    "voyage-4-lite": 1_024,
    "voyage-3-large": 1_024,
    "voyage-3.5": 1_024,
    "voyage-3.5-lite": 1_024,
    "voyage-code-3": 1_024,
}


class VoyageWire(msgspec.Struct, frozen=True, kw_only=True):
    """Speaks to Voyage.

    Attributes:
        model: The model's name.
        dimensions: Size to ask for; 0 is the model's own.
        query_type: ``input_type`` of a question.
        document_type: ``input_type`` of texts to index.
    """

    model: str
    dimensions: int = 0
    query_type: str = "query"
    document_type: str = "document"

    @property
    def provider(self) -> str:
        """Return ``voyage``."""
        return PROVIDER

    @property
    def max_texts(self) -> int:
        """Return 1,000."""
        return _MAX_TEXTS

    @property
    def known_dimensions(self) -> int:
        """Return what is asked for, else the model's own size where it is known, else 0."""
        return self.dimensions or _DIMENSIONS.get(self.model, 0)

    @property
    def identity(self) -> Mapping[str, object]:
        """Return the dimensions asked for and the input types."""
        return {
            "dimensions": self.dimensions,
            "query_type": self.query_type,
            "document_type": self.document_type,
        }

    def request(self, texts: Sequence[str], purpose: Purpose) -> Request:
        """Return the request for the vectors of ``texts``."""
        body: dict[str, object] = {
            "model": self.model,
            "input": list(texts),
            "input_type": self.query_type if purpose == "query" else self.document_type,
        }
        if self.dimensions:
            body["output_dimension"] = self.dimensions
        return Request(path="embeddings", body=body)

    def read(self, body: bytes, purpose: Purpose) -> Reply:
        """Return the vectors in the order of the texts, and the tokens billed."""
        return read_embeddings(PROVIDER, body)
