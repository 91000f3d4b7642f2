"""The wire formats of language models from the server's side, strict about requests.

Services for `ProviderServer`: OpenAI's chat completions and Anthropic's messages. What the model
says comes from the test. A request that the real provider would refuse is refused here, in its
shape of errors.

Source: the API references of the two, November 2026.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from tests.support.provider_formats import Received, Refused, Response, json_response


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What the model says.

    Attributes:
        text: The answer.
        finish: The provider's own word for why it ended; empty for its usual one.
        cached: Tokens of the prompt that came from the cache.
        declined: It will not answer.
        counts: The answer tells its tokens.
    """

    text: str
    finish: str = ""
    cached: int = 0
    declined: bool = False
    counts: bool = True


Speak = Callable[[Sequence[Mapping[str, Any]]], "Said | str"]
"""Returns the answer to the messages of a request: each has ``role`` and ``content``."""


class _ChatFormat(ABC):
    """What both have in common.

    Args:
        speak: What the model says.
        key: Needed with every request; None takes everybody.
        knows: Ways to ask for JSON that the server takes: ``schema``, ``object``.
    """

    prefix = ""
    path = ""

    def __init__(
        self,
        speak: Speak,
        *,
        key: str | None = None,
        knows: Sequence[str] = ("schema", "object"),
    ) -> None:
        self._speak = speak
        self._key = key
        self.knows = knows

    def answer(self, received: Received) -> Response | None:
        """Return the answer to a request of this provider."""
        if received.method != "POST" or received.path != self.prefix + self.path:
            return None
        try:
            self.check(received)
            return json_response(self.reply(received.json))
        except Refused as error:
            return self.error(error.status, error.code, error.words)

    def said(self, messages: Sequence[Mapping[str, Any]]) -> Said:
        """Return what the model says to ``messages``."""
        said = self._speak(messages)
        return Said(text=said) if isinstance(said, str) else said

    @abstractmethod
    def check(self, received: Received) -> None:
        """Refuse what the provider would, whatever the body holds."""

    @abstractmethod
    def reply(self, body: Any) -> object:
        """Return what is answered, before it becomes JSON."""

    @abstractmethod
    def error(self, status: int, code: str, words: str) -> Response:
        """Return an error in the provider's shape."""

    def require_key(self, given: str | None) -> None:
        """Refuse a wrong key.

        Raises:
            Refused: it is not the right one.
        """
        if self._key is not None and given != self._key:
            raise Refused(401, "invalid_api_key", "Incorrect API key provided")


class OpenAIChatFormat(_ChatFormat):
    """``POST /openai/v1/chat/completions``."""

    prefix = "/openai/v1"
    path = "/chat/completions"

    def check(self, received: Received) -> None:
        """Refuse unknown fields and schemas that are not strict."""
        self.require_key(received.headers.get("authorization", "").removeprefix("Bearer ") or None)
        body = received.json
        fields = {"model", "messages", "max_tokens", "max_completion_tokens", "temperature"}
        unknown = set(body) - fields - {"response_format"}
        if unknown or not body.get("messages"):
            raise Refused(400, "invalid_request_error", f"unknown fields {unknown}")
        asked = body.get("response_format", {})
        if asked.get("type") == "json_schema":
            self._require("schema")
            _require_strict(asked["json_schema"]["schema"])
        if asked.get("type") == "json_object":
            self._require("object")
            if "json" not in str(body["messages"]).lower():
                raise Refused(400, "invalid_request_error", "messages must contain the word json")

    def reply(self, body: Any) -> object:
        """Return one choice."""
        said = self.said(body["messages"])
        message = {"role": "assistant", "content": None if said.declined else said.text}
        if said.declined:
            message["refusal"] = "I cannot help with that"
        choice = {"index": 0, "message": message, "finish_reason": said.finish or "stop"}
        found = {"object": "chat.completion", "model": f"{body['model']}-2026", "choices": [choice]}
        read, written = _tokens(str(body["messages"])), _tokens(said.text)
        usage = {
            "prompt_tokens": read + said.cached,
            "completion_tokens": written,
            "total_tokens": read + said.cached + written,
            "prompt_tokens_details": {"cached_tokens": said.cached},
        }
        return found | ({"usage": usage} if said.counts else {})

    def error(self, status: int, code: str, words: str) -> Response:
        """Return ``{"error": {...}}``."""
        found = {"message": words, "type": code, "param": None, "code": code}
        return json_response({"error": found}, status)

    def _require(self, way: str) -> None:
        if way not in self.knows:
            raise Refused(400, "invalid_request_error", "response_format is not supported")


class AnthropicFormat(_ChatFormat):
    """``POST /anthropic/v1/messages``."""

    prefix = "/anthropic"
    path = "/v1/messages"

    def check(self, received: Received) -> None:
        """Refuse a missing version, unknown fields, and messages that do not alternate."""
        self.require_key(received.headers.get("x-api-key"))
        body = received.json
        if received.headers.get("anthropic-version") != "2023-06-01":
            raise Refused(400, "invalid_request_error", "anthropic-version: header is required")
        fields = {"model", "messages", "max_tokens", "system", "temperature"}
        unknown = set(body) - fields - {"tools", "tool_choice"}
        if unknown or body.get("max_tokens", 0) < 1:
            raise Refused(400, "invalid_request_error", f"unknown fields {unknown}")
        roles = [each["role"] for each in body["messages"]]
        if roles != [("user", "assistant")[position % 2] for position in range(len(roles))]:
            raise Refused(400, "invalid_request_error", "roles must alternate")
        if "tools" in body and "schema" not in self.knows:
            raise Refused(400, "invalid_request_error", "tools are not supported")

    def reply(self, body: Any) -> object:
        """Return blocks of text, or the use of the tool that had to be used."""
        said = self.said(body["messages"])
        block: dict[str, object] = {"type": "text", "text": said.text}
        usual = "end_turn"
        if "tools" in body:
            given = msgspec.json.decode(said.text)
            block = {"type": "tool_use", "id": "t1", "name": "answer", "input": given}
            usual = "tool_use"
        usage = {
            "input_tokens": _tokens(str(body["messages"])),
            "output_tokens": _tokens(said.text),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": said.cached,
        }
        return {
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [] if said.declined else [block],
            "stop_reason": "refusal" if said.declined else said.finish or usual,
            **({"usage": usage} if said.counts else {}),
        }

    def error(self, status: int, code: str, words: str) -> Response:
        """Return ``{"type": "error", "error": {...}}``."""
        return json_response({"type": "error", "error": {"type": code, "message": words}}, status)


def _tokens(text: str) -> int:
    return len(text.encode()) // 4 + 1


def _require_strict(schema: Any) -> None:
    """Refuse an object of a schema that leaves something open, as strict mode does."""
    if isinstance(schema, list):
        for each in schema:
            _require_strict(each)
    if not isinstance(schema, Mapping):
        return
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema.get("properties", {}))
    ):
        raise Refused(400, "invalid_json_schema", "additionalProperties must be false")
    for each in schema.values():
        _require_strict(each)
