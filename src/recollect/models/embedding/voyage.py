"""The wire format of Voyage AI: ``POST {base}/embeddings`` with input types of its own.

Source: the API reference of Voyage AI, "Text embedding models", November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.models.embedding.openai import OpenAIWire
from recollect.models.embedding.openai_batches import ENDPOINT, OpenAIDialect
from recollect.models.embedding.wire import Purpose, WireRequest

PROVIDER = "voyage"
BASE_URL = "https://api.voyageai.com/v1"
DEFAULT_MODEL = "voyage-4-large"

_DIMENSIONS = {
    "voyage-4-large": 1_024,
    "voyage-4": 1_024,
    "voyage-4-lite": 1_024,
    "voyage-3-large": 1_024,
    "voyage-3.5": 1_024,
    "voyage-3.5-lite": 1_024,
    "voyage-code-3": 1_024,
}


class VoyageWire(OpenAIWire, frozen=True, kw_only=True):
    """Speaks to Voyage, which answers as OpenAI does; limits are those of its API reference."""

    query_type: str | None = "query"
    document_type: str | None = "document"

    provider = PROVIDER
    max_texts = 1_000
    sizes = _DIMENSIONS

    def request(self, texts: Sequence[str], purpose: Purpose) -> WireRequest:
        """Return the request for the vectors of ``texts``."""
        body: dict[str, object] = {
            "model": self.model,
            "input": list(texts),
            "input_type": self.query_type if purpose == "query" else self.document_type,
        }
        if self.dimensions:
            body["output_dimension"] = self.dimensions
        return WireRequest(path="embeddings", body=body)


_TEXTS = "input"
"""The field of a request that holds the texts; all others belong to the batch."""


class VoyageDialect(OpenAIDialect):
    """What Voyage wants in a line and at the start of a batch; the rest is as at OpenAI."""

    def line(self, key: str, text: str) -> object:
        """Return the text under a custom id."""
        return {"custom_id": key, "body": {_TEXTS: self.body(text)[_TEXTS]}}

    def terms(self) -> Mapping[str, object]:
        """Return the endpoint, the only window that there is, and what holds for every text."""
        params = {name: value for name, value in self.body("").items() if name != _TEXTS}
        return {"endpoint": ENDPOINT, "completion_window": "12h", "request_params": params}
