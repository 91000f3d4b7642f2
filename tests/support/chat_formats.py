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

from tests.support.chat_streams import (
    Calling,
    anthropic_events,
    check_anthropic_tools,
    check_openai_tools,
    event_stream,
    openai_events,
)
from tests.support.provider_formats import Received, Refused, Response, json_response


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What the model says.

    Attributes:
        text: The answer.
        finish: The provider's own word for why it ended; empty for its usual one.
        cached: Tokens of the prompt that came from the cache.
        declined: It will not answer.
        calls: Tools that it calls, in a stream.
        counts: The answer tells its tokens.
    """

    text: str
    finish: str = ""
    cached: int = 0
    declined: bool = False
    calls: tuple[Calling, ...] = ()
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
        self.takes_tools = True

    def answer(self, received: Received) -> Response | None:
        """Return the answer to a request of this provider."""
        if received.method != "POST" or received.path != self.prefix + self.path:
            return None
        try:
            self.check(received)
            body = received.json
            return self.stream(body) if body.get("stream") else json_response(self.reply(body))
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
    def stream(self, body: Any) -> Response:
        """Return what is answered, as a stream."""

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
        fields |= {"stream", "stream_options", "tools", "tool_choice"}
        unknown = set(body) - fields - {"response_format"}
        if unknown or not body.get("messages"):
            raise Refused(400, "invalid_request_error", f"unknown fields {unknown}")
        if "tools" in body and not self.takes_tools:
            raise Refused(400, "api_error", "this model does not support tools")
        check_openai_tools(body)
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
        return found | ({"usage": self._usage(said, body)} if said.counts else {})

    def stream(self, body: Any) -> Response:
        """Return chunks; the tokens are told where the request asks for them."""
        said = self.said(body["messages"])
        is_asked = bool(body.get("stream_options", {}).get("include_usage"))
        usage = self._usage(said, body) if said.counts and is_asked else None
        return event_stream(openai_events(said, f"{body['model']}-2026", usage))

    def _usage(self, said: Said, body: Any) -> dict[str, Any]:
        read, written = _tokens(str(body["messages"])), _tokens(said.text)
        return {
            "prompt_tokens": read + said.cached,
            "completion_tokens": written,
            "total_tokens": read + said.cached + written,
            "prompt_tokens_details": {"cached_tokens": said.cached},
        }

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
        fields = {"model", "messages", "max_tokens", "system", "temperature", "stream"}
        unknown = set(body) - fields - {"tools", "tool_choice"}
        if unknown or body.get("max_tokens", 0) < 1:
            raise Refused(400, "invalid_request_error", f"unknown fields {unknown}")
        roles = [each["role"] for each in body["messages"]]
        if roles != [("user", "assistant")[position % 2] for position in range(len(roles))]:
            raise Refused(400, "invalid_request_error", "roles must alternate")
        if "tools" in body and not (self.takes_tools and "schema" in self.knows):
            raise Refused(400, "invalid_request_error", "tools are not supported")
        check_anthropic_tools(body)

    def reply(self, body: Any) -> object:
        """Return blocks of text, or the use of the tool that had to be used."""
        said = self.said(body["messages"])
        block: dict[str, object] = {"type": "text", "text": said.text}
        usual = "end_turn"
        if "tools" in body:
            given = msgspec.json.decode(said.text)
            block = {"type": "tool_use", "id": "t1", "name": "answer", "input": given}
            usual = "tool_use"
        usage = self._usage(said, body)
        return {
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [] if said.declined else [block],
            "stop_reason": "refusal" if said.declined else said.finish or usual,
            **({"usage": usage} if said.counts else {}),
        }

    def stream(self, body: Any) -> Response:
        """Return the events of a message."""
        said = self.said(body["messages"])
        usage = self._usage(said, body) if said.counts else {}
        return event_stream(anthropic_events(said, body["model"], usage))

    def _usage(self, said: Said, body: Any) -> dict[str, Any]:
        return {
            "input_tokens": _tokens(str(body["messages"])),
            "output_tokens": _tokens(said.text),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": said.cached,
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
