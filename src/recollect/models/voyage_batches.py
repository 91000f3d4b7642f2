"""Batches of Voyage: those of OpenAI, but a line holds its text alone.

Model, input type and dimensions stand once, in the ``request_params`` of the batch.

Source: the documentation of Voyage, "Batch Inference".
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.models.openai_batches import ENDPOINT

TEXTS = "input"
"""The field of a request that holds the texts; all others belong to the batch."""


class VoyageDialect:
    """What Voyage wants in a line, and at the start of a batch."""

    def line(self, key: str, body: Mapping[str, object]) -> object:
        """Return the text under a custom id."""
        return {"custom_id": key, "body": {TEXTS: body[TEXTS]}}

    def start(self, body: Mapping[str, object]) -> Mapping[str, object]:
        """Return the endpoint, the only window that there is, and what holds for every text."""
        params = {name: value for name, value in body.items() if name != TEXTS}
        return {"endpoint": ENDPOINT, "completion_window": "12h", "request_params": params}
