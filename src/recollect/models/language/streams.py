"""The streams of language models: requests with tools, and answers that arrive as events.

A dialect knows what one provider adds to its wire format for a stream. It sends nothing itself.

Source: the API references of OpenAI ("Streaming", "Function calling") and Anthropic ("Streaming
messages", "Tool use").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import ProviderUnavailable
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import decode_answer
from recollect.models.http.error_mapping import map_error
from recollect.models.language.model import Prompt, ToolOutcome, ToolSpec
from recollect.models.language.spoken import ThoughtFilter
from recollect.models.language.tools import FunctionCall, ToolRound
from recollect.models.language.wires import (
    NOTHING,
    AnthropicMessages,
    LanguageReply,
    OpenAIChat,
    chat_finish,
    chat_use,
    message_finish,
    use_of,
)

T = TypeVar("T")


class ToolRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a request with tools has besides its prompt.

    Attributes:
        specs: The tools; none makes it a request without tools.
        rounds: The calls so far.
        is_last: Whether the model must answer without another call.
    """

    specs: Sequence[ToolSpec] = ()
    rounds: Sequence[ToolRound] = ()
    is_last: bool = False


class StreamedReply(Protocol):
    """A reply that is being received.

    Attributes:
        is_over: Whether no event follows.
        written: All that the model wrote so far, its reasoning and calls included.
    """

    is_over: bool
    written: str

    @property
    def is_complete(self) -> bool:
        """Return whether the model said that its reply ended."""

    def take(self, event: bytes) -> str:
        """Return the text that the data of an event adds to the answer.

        Raises:
            ProviderError: it is an error, or it cannot be read.
        """

    def reply(self) -> LanguageReply:
        """Return the reply so far."""


class Dialect(Protocol):
    """What a provider adds to its wire format for streams."""

    def body(self, prompt: Prompt, tools: ToolRequest) -> Mapping[str, object]:
        """Return a request before it becomes JSON."""

    def receive(self) -> StreamedReply:
        """Return a reply that is empty so far."""


class OpenAIDialect:
    """Streams of OpenAI and compatible servers.

    Args:
        wire: The wire format.
    """

    def __init__(self, wire: OpenAIChat) -> None:
        self._wire = wire

    def body(self, prompt: Prompt, tools: ToolRequest) -> Mapping[str, object]:
        """Return a request; only OpenAI's own address surely knows how to report the tokens."""
        body: dict[str, Any] = {**self._wire.body(prompt, "words"), "stream": True}
        if self._wire.is_own:
            body["stream_options"] = {"include_usage": True}
        if prompt.thinking is not None:
            least = "minimal" if self._wire.is_own else "none"
            body["reasoning_effort"] = least if prompt.thinking == "off" else prompt.thinking
        if tools.specs:
            body["tools"] = [_function(spec) for spec in tools.specs]
            body["tool_choice"] = "none" if tools.is_last else "auto"
        for each in tools.rounds:
            calls = [_called(call) for call in each.calls]
            message = {"role": "assistant", "content": each.text or None, "tool_calls": calls}
            body["messages"] += [message, *map(_tool_message, each.calls, each.outcomes)]
        return body

    def receive(self) -> StreamedReply:
        """Return a reply that is empty so far."""
        return _ChatReply()


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


_THOUGHT_TOKENS = {"low": 1_024, "medium": 4_096, "high": 16_384}
"""Of Anthropic: 1,024 is the least that it takes; the others are those of Claude Code."""


class AnthropicDialect:
    """Streams of Anthropic and compatible servers.

    Args:
        wire: The wire format.
    """

    def __init__(self, wire: AnthropicMessages) -> None:
        self._wire = wire

    def body(self, prompt: Prompt, tools: ToolRequest) -> Mapping[str, object]:
        """Return a request."""
        body: dict[str, Any] = {**self._wire.body(prompt, "words"), "stream": True}
        if thought := _THOUGHT_TOKENS.get(prompt.thinking or "off"):
            body["thinking"] = {"type": "enabled", "budget_tokens": thought}
            body["max_tokens"] += thought
            body.pop("temperature", None)  # refused beside thinking
        if tools.specs:
            body["tools"] = [_tool(spec) for spec in tools.specs]
            body["tool_choice"] = {"type": "none" if tools.is_last else "auto"}
        for each in tools.rounds:
            texts = [{"type": "text", "text": each.text}] if each.text.strip() else []
            uses = [_tool_use(call) for call in each.calls]
            results = [*map(_tool_result, each.calls, each.outcomes)]
            body["messages"] += [
                {"role": "assistant", "content": [*each.thoughts, *texts, *uses]},
                {"role": "user", "content": results},
            ]
        return body

    def receive(self) -> StreamedReply:
        """Return a reply that is empty so far."""
        return MessageReply(self._wire.provider)


def _tool(spec: ToolSpec) -> Mapping[str, object]:
    return {"name": spec.name, "description": spec.description, "input_schema": spec.schema}


def _tool_use(call: FunctionCall) -> Mapping[str, object]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.decoded or {}}


def _tool_result(call: FunctionCall, outcome: ToolOutcome) -> Mapping[str, object]:
    failed = {"is_error": True} if outcome.is_error else {}
    result = {"type": "tool_result", "tool_use_id": call.id, "content": outcome.text}
    return {**result, **failed}


def _decode(provider: str, event: bytes, shape: type[T]) -> T:
    error = map_error(200, event)
    if error is not None:
        raise error.error(provider, None, LANGUAGE)
    return decode_answer(provider, event, shape, LANGUAGE)


class _PartialCall:
    """A call that is being received."""

    def __init__(self, call_id: str, name: str) -> None:
        self.id = call_id
        self.name = name
        self.arguments = ""

    def call(self) -> FunctionCall:
        return FunctionCall(id=self.id, name=self.name, arguments=self.arguments)


class _Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: str | None = None


class _CallPart(msgspec.Struct, frozen=True):
    index: int | None = None
    id: str | None = None
    function: _Function = _Function()


class _ChatDelta(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_CallPart] | None = None


class _ChatChoice(msgspec.Struct, frozen=True):
    delta: _ChatDelta | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct, frozen=True):
    choices: list[_ChatChoice] | None = None
    model: str | None = None
    usage: msgspec.Raw = NOTHING


class _ChatReply:
    """A reply of OpenAI."""

    def __init__(self) -> None:
        self.is_over = False
        self.written = ""
        self._text = ""
        self._thoughts = ThoughtFilter()
        self._calls: list[_PartialCall] = []
        self._calls_by_index: dict[int, _PartialCall] = {}
        self._use: TokenUse | None = None
        self._model = ""
        self._finish: str | None = None
        self._is_refused = False

    @property
    def is_complete(self) -> bool:
        return self.is_over or self._finish is not None

    def take(self, event: bytes) -> str:
        if event.strip() == b"[DONE]":
            self.is_over = True
            return ""
        chunk = _decode(OpenAIChat.provider, event, _Chunk)
        self._model = chunk.model or self._model
        self._use = chat_use(chunk.usage) or self._use
        choice = chunk.choices[0] if chunk.choices else _ChatChoice()
        self._finish = choice.finish_reason or self._finish
        return self._take_delta(choice.delta or _ChatDelta())

    def _take_delta(self, delta: _ChatDelta) -> str:
        self._is_refused |= bool(delta.refusal)
        for part in delta.tool_calls or ():
            self._take_call(part)
        self.written += delta.content or ""
        piece = self._thoughts.take(delta.content or "")
        self._text += piece
        return piece

    def _take_call(self, part: _CallPart) -> None:
        """Add a piece of a call; servers that send whole calls may give them all one index."""
        index = len(self._calls) - 1 if part.index is None else part.index
        call = self._calls_by_index.get(index)
        if call is None or (part.id and part.id != call.id):
            name = part.function.name or ""
            call = _PartialCall(part.id or f"call_{len(self._calls)}", name)
            self._calls_by_index[index] = call
            self._calls.append(call)
        call.arguments += part.function.arguments or ""
        self.written += part.function.arguments or ""

    def reply(self) -> LanguageReply:
        return LanguageReply(
            text=self._text,
            use=self._use,
            model=self._model,
            finish=chat_finish(self._finish),
            is_declined=self._is_refused or self._finish == "content_filter",
            calls=tuple(call.call() for call in self._calls),
        )


class _Message(msgspec.Struct, frozen=True):
    model: str | None = None
    usage: msgspec.Raw = NOTHING


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
    id: str = ""
    name: str = ""
    text: str = ""
    data: str = ""


class _BlockDelta(msgspec.Struct, frozen=True):
    text: str = ""
    partial_json: str = ""
    thinking: str = ""
    signature: str = ""
    stop_reason: str | None = None


class _Event(msgspec.Struct, frozen=True):
    type: str
    index: int = 0
    message: _Message = _Message()
    content_block: _Block = _Block()
    delta: _BlockDelta = _BlockDelta()
    usage: msgspec.Raw = NOTHING


class MessageReply:
    """A reply of Anthropic; its command prints the same events.

    Args:
        provider: For errors.
    """

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self.is_over = False
        self.written = ""
        self._text = ""
        self._calls: dict[int, _PartialCall] = {}
        self._thoughts: dict[int, dict[str, str]] = {}
        self._use: TokenUse | None = None
        self._model = ""
        self._stop: str | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether the model said why it stopped."""
        return self._stop is not None

    def take(self, event: bytes) -> str:
        """Return the text that an event adds to the answer."""
        decoded = _decode(self._provider, event, _Event)
        if decoded.type == "message_start":
            self._model = decoded.message.model or ""
            self._use = use_of(decoded.message.usage)
        elif decoded.type == "content_block_start":
            return self._begin_block(decoded.index, decoded.content_block)
        elif decoded.type == "content_block_delta":
            return self._take_delta(decoded.index, decoded.delta)
        elif decoded.type == "message_delta":
            self._stop = decoded.delta.stop_reason or self._stop
            self._use = _later(self._use, use_of(decoded.usage))
        elif decoded.type == "message_stop":
            self.is_over = True
        return ""

    def _begin_block(self, index: int, block: _Block) -> str:
        if block.type == "tool_use":
            self._calls[index] = _PartialCall(block.id, block.name)
        elif block.type == "thinking":
            self._thoughts[index] = {"type": "thinking", "thinking": "", "signature": ""}
        elif block.type == "redacted_thinking":
            self._thoughts[index] = {"type": "redacted_thinking", "data": block.data}
        return self._add(block.text)

    def _take_delta(self, index: int, delta: _BlockDelta) -> str:
        if index in self._calls:
            self._calls[index].arguments += delta.partial_json
        elif "signature" in (thought := self._thoughts.get(index, {})):
            thought["thinking"] += delta.thinking
            thought["signature"] += delta.signature
        self.written += delta.partial_json + delta.thinking
        return self._add(delta.text)

    def _add(self, text: str) -> str:
        self.written += text
        self._text += text
        return text

    def reply(self) -> LanguageReply:
        """Return the reply so far."""
        return LanguageReply(
            text=self._text,
            use=self._use,
            model=self._model,
            finish=message_finish(self._stop),
            is_declined=self._stop == "refusal",
            calls=tuple(call.call() for call in self._calls.values()),
            thoughts=tuple(self._thoughts.values()),
        )


def _later(first: TokenUse | None, last: TokenUse | None) -> TokenUse | None:
    """Return the counts at the end of a reply, which leave out what the first ones said."""
    if first is None or last is None:
        return first or last
    return TokenUse(
        input=last.input or first.input,
        output=last.output or first.output,
        cache_read=last.cache_read or first.cache_read,
        cache_write=last.cache_write or first.cache_write,
    )


def broken_off(provider: str) -> ProviderUnavailable:
    """Return the error for a reply without an end."""
    return ProviderUnavailable(
        f"{provider} broke the answer off", hint=f"ask again; check {LANGUAGE.setting('base_url')}"
    )
