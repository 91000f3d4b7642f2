"""Servers of one's own that speak OpenAI's wire format: Ollama and llama.cpp, without keys.

They differ in their errors: Ollama names the model that it has not got, llama.cpp's numbers are in
``code``, and a text beyond its batch is a 500.

Source: `openai/openai.go` of Ollama; `tools/server` of llama.cpp and its issues 11105 and 12836.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.support.onnx_export import table_of
from tests.support.provider_formats import (
    OpenAIFormat,
    Received,
    Refused,
    Response,
    json_response,
)

MODEL = "nomic-embed-text"
BATCH_TOKENS = 512


class OllamaFormat(OpenAIFormat):
    """``POST /ollama/v1/embeddings``; knows one model."""

    prefix = "/ollama/v1"

    def reply(self, received: Received) -> object:
        """Return what OpenAI would, for the model that was pulled."""
        model = received.json["model"]
        if model != MODEL:
            words = f'model "{model}" not found, try pulling it first'
            raise Refused(404, "not_found_error", words)
        return super().reply(received)

    def error(self, status: int, code: str, words: str) -> Response:
        """Return ``{"error": {...}}``; there is never a code."""
        found = {"message": words, "type": code, "param": None, "code": None}
        return json_response({"error": found}, status)


class MultilingualFormat(OpenAIFormat):
    """``POST /bge/v1/embeddings``: words of one meaning have one vector, in any language."""

    prefix = "/bge/v1"

    def vectors(self, texts: Sequence[str], dimensions: int | None) -> list[list[float]]:
        """Return the sum of the meanings of each text's words."""
        size = dimensions or self._dimensions
        found = [table_of(re.findall(r"\w+", text.lower()), size) for text in texts]
        return [[float(value) for value in rows.sum(axis=0)] for rows in found]


class LlamaFormat(OpenAIFormat):
    """``POST /llama/v1/embeddings``; first loads its model for so many requests."""

    prefix = "/llama/v1"
    loading = 0

    def reply(self, received: Received) -> object:
        """Return what OpenAI would, once the model is loaded, for texts that fit."""
        if self.loading:
            self.loading -= 1
            raise Refused(503, "unavailable_error", "Loading model")
        for text in self.inputs(received):
            tokens = len(text) // 4
            if tokens > BATCH_TOKENS:
                words = f"input ({tokens} tokens) is too large to process. increase the physical"
                raise Refused(500, "server_error", f"{words} batch size (current batch size: 512)")
        return super().reply(received)

    def error(self, status: int, code: str, words: str) -> Response:
        """Return ``{"error": {...}}``; the code is a number."""
        return json_response({"error": {"code": status, "message": words, "type": code}}, status)
