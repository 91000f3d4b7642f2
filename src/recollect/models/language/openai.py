"""The wire format of OpenAI, and of the many servers that are compatible with it.

Source: the API reference of OpenAI ("Create chat completion", "Streaming", "Function calling").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.models.hints import LANGUAGE
from recollect.models.language.model import Finish, Prompt, ToolOutcome, ToolSpec
from recollect.models.language.spoken import ThoughtFilter
from recollect.models.language.tools import FunctionCall
from recollect.models.language.wires import (
    NOTHING,
    JsonWay,
    LanguageReply,
    ToolRequest,
    counted,
    decode_usage,
    strict_schema,
    system_with_schema,
)

_FINISHES: Mapping[str, Finish] = {"stop": "stop", "tool_calls": "stop", "length": "length"}


class OpenAIChat(msgspec.Struct, frozen=True, kw_only=True):
    """Speaks to OpenAI and compatible servers: Ollama, vLLM, OpenRouter and many others.

    ``POST {base}/chat/completions``. OpenAI's own models take ``max_completion_tokens``, as they
    reason before they write; compatible servers know ``max_tokens``. JSON is requested with the
    schema, then as any object, then in words: not every server supports the first two.

    Attributes:
        model: The model's name.
        is_own: Whether the address is OpenAI's.
    """

    model: str
    is_own: bool = True

    provider: ClassVar[str] = "openai"
    default_model: ClassVar[str] = "gpt-5-mini"
    path: ClassVar[str] = "chat/completions"
    json_ways: ClassVar[Sequence[JsonWay]] = ("schema", "object", "words")

    def body(self, prompt: Prompt, way: JsonWay) -> dict[str, Any]:
        """Return a request before it becomes JSON."""
        system = prompt.system if way == "schema" else system_with_schema(prompt)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": each.role, "content": each.text} for each in prompt.messages]
        limit = "max_completion_tokens" if self.is_own else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            limit: prompt.max_output_tokens,
        }
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.schema is not None and way != "words":
            body["response_format"] = _format(prompt.schema, way)
        return body

    def read(self, body: bytes) -> ChatReply:
        """Return the reply in an answer: what a stream says in pieces, at once."""
        reply = self.receive()
        if not reply.take_chunk(body):
            raise LANGUAGE.unreadable(self.provider)
        return reply

    def stream_body(self, prompt: Prompt, tools: ToolRequest) -> dict[str, Any]:
        """Return a request; only OpenAI's own address surely knows how to report the tokens."""
        body = {**self.body(prompt, "words"), "stream": True}
        if self.is_own:
            body["stream_options"] = {"include_usage": True}
        if prompt.thinking is not None:
            least = "minimal" if self.is_own else "none"
            body["reasoning_effort"] = least if prompt.thinking == "off" else prompt.thinking
        if tools.specs:
            body["tools"] = [_function(spec) for spec in tools.specs]
            body["tool_choice"] = "none" if tools.is_last else "auto"
        for each in tools.rounds:
            calls = [_called(call) for call in each.calls]
            message = {"role": "assistant", "content": each.text or None, "tool_calls": calls}
            body["messages"] += [message, *map(_tool_message, each.calls, each.outcomes)]
        return body

    def receive(self) -> ChatReply:
        """Return a reply that is empty so far."""
        return ChatReply(self.provider)


def _format(schema: Mapping[str, object], way: JsonWay) -> dict[str, object]:
    if way == "object":
        return {"type": "json_object"}
    schema_format = {"name": "answer", "strict": True, "schema": strict_schema(schema)}
    return {"type": "json_schema", "json_schema": schema_format}


def _function(spec: ToolSpec) -> Mapping[str, object]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.schema}
    return {"type": "function", "function": function}


def _called(call: FunctionCall) -> Mapping[str, object]:
    # Servers decode the arguments for their templates: what is not JSON would be refused.
    arguments = call.arguments if call.decoded else "{}"
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _tool_message(call: FunctionCall, outcome: ToolOutcome) -> Mapping[str, object]:
    text = f"Error: {outcome.text}" if outcome.is_error else outcome.text
    return {"role": "tool", "tool_call_id": call.id, "content": text}


class _Part(msgspec.Struct, frozen=True):
    text: str = ""


class _Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: str | None = None


class _CallPart(msgspec.Struct, frozen=True):
    index: int | None = None
    id: str | None = None
    function: _Function = _Function()


class _Message(msgspec.Struct, frozen=True):
    """A message, or what a chunk adds to it."""

    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_CallPart] | None = None

    @property
    def said(self) -> str:
        """Its text; some servers send a list."""
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class _Choice(msgspec.Struct, frozen=True):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct, frozen=True):
    """An answer, or a part of its stream."""

    choices: list[_Choice] | None = None
    model: str | None = None
    usage: msgspec.Raw = NOTHING


class _Details(msgspec.Struct, frozen=True):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class ChatReply(LanguageReply):
    """A reply of OpenAI."""

    def __init__(self, provider: str) -> None:
        super().__init__(provider)
        self._thoughts = ThoughtFilter()
        self._calls_by_index: dict[int, FunctionCall] = {}

    def take(self, event: bytes) -> str:
        """Return the text that an event adds to the answer."""
        before = len(self.text)
        if event.strip() == b"[DONE]":
            self.is_over, self.finish = True, self.finish or "other"
        else:
            self.take_chunk(event)
        return self.text[before:]

    def take_chunk(self, event: bytes) -> bool:
        """Add a chunk, or a whole answer; return whether it has a choice."""
        chunk = self.decoded(event, _Chunk)
        self.model = chunk.model or self.model
        self.use = _use_of(chunk.usage) or self.use
        for choice in (chunk.choices or ())[:1]:
            if choice.finish_reason:
                self.finish = _FINISHES.get(choice.finish_reason, "other")
            self.is_declined |= choice.finish_reason == "content_filter"
            self._add(choice.delta or choice.message or _Message())
        return bool(chunk.choices)

    def _add(self, message: _Message) -> None:
        self.is_declined |= bool(message.refusal)
        for part in message.tool_calls or ():
            self._add_call(part)
        self.written += message.said
        self.text += self._thoughts.take(message.said)

    def _add_call(self, part: _CallPart) -> None:
        """Add a piece of a call; servers that send whole calls may give them all one index."""
        index = len(self.calls) - 1 if part.index is None else part.index
        call = self._calls_by_index.get(index)
        if call is None or (part.id and part.id != call.id):
            name = part.function.name or ""
            call = FunctionCall(id=part.id or f"call_{len(self.calls)}", name=name)
            self._calls_by_index[index] = call
            self.calls.append(call)
        call.arguments += part.function.arguments or ""
        self.written += part.function.arguments or ""


def _use_of(raw: msgspec.Raw) -> TokenUse | None:
    """Return the tokens of an answer; None if not reported."""
    usage = decode_usage(raw, _Usage)
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    cached = counted(details.cached_tokens if details else None)
    return TokenUse(
        input=counted(counted(usage.prompt_tokens) - cached),
        output=counted(usage.completion_tokens),
        cache_read=cached,
    )
