"""The wire format of Anthropic, and of servers that are compatible with it.

Source: the API reference of Anthropic ("Create a Message", "Streaming messages", "Tool use").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from recollect.core.bill import TokenUse
from recollect.models.language.model import Finish, Prompt, ToolOutcome, ToolSpec
from recollect.models.language.tools import FunctionCall
from recollect.models.language.wires import (
    NOTHING,
    JsonWay,
    LanguageReply,
    ToolRequest,
    counted,
    decode_usage,
    system_with_schema,
)

_TOOL = "answer"
FINISHES: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
_THOUGHT_TOKENS = {"low": 1_024, "medium": 4_096, "high": 16_384}
"""1,024 is the least that Anthropic takes; the others are those of Claude Code."""


class AnthropicMessages(msgspec.Struct, frozen=True, kw_only=True):
    """Speaks to Anthropic and compatible servers.

    ``POST {base}/v1/messages``. JSON is requested as the input of a tool that the model must call,
    which every model and gateway supports, then in words.

    Attributes:
        model: The model's name.
    """

    model: str

    provider: ClassVar[str] = "anthropic"
    default_model: ClassVar[str] = "claude-haiku-4-5"
    path: ClassVar[str] = "v1/messages"
    json_ways: ClassVar[Sequence[JsonWay]] = ("schema", "words")

    def body(self, prompt: Prompt, way: JsonWay) -> dict[str, Any]:
        """Return a request before it becomes JSON."""
        system = prompt.system if way == "schema" else system_with_schema(prompt)
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": prompt.max_output_tokens,
            "messages": [{"role": each.role, "content": each.text} for each in prompt.messages],
        }
        if system:
            body["system"] = system
        if prompt.temperature is not None:
            body["temperature"] = prompt.temperature
        if prompt.schema is not None and way == "schema":
            about = "Takes the answer."
            tool = {"name": _TOOL, "description": about, "input_schema": prompt.schema}
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
        return body

    def read(self, body: bytes) -> MessageReply:
        """Return the reply in an answer; the input of the tool as JSON."""
        reply = self.receive()
        reply.take_message(reply.decoded(body, _Message))
        return reply

    def stream_body(self, prompt: Prompt, tools: ToolRequest) -> dict[str, Any]:
        """Return a request whose answer is a stream."""
        body = {**self.body(prompt, "words"), "stream": True}
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

    def receive(self) -> MessageReply:
        """Return a reply that is empty so far."""
        return MessageReply(self.provider)


def _tool(spec: ToolSpec) -> Mapping[str, object]:
    return {"name": spec.name, "description": spec.description, "input_schema": spec.schema}


def _tool_use(call: FunctionCall) -> Mapping[str, object]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.decoded or {}}


def _tool_result(call: FunctionCall, outcome: ToolOutcome) -> Mapping[str, object]:
    failed = {"is_error": True} if outcome.is_error else {}
    result = {"type": "tool_result", "tool_use_id": call.id, "content": outcome.text}
    return {**result, **failed}


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
    id: str = ""
    name: str = ""
    text: str = ""
    data: str = ""
    input: msgspec.Raw = msgspec.Raw(b"{}")


class _Message(msgspec.Struct, frozen=True):
    """A message; at the start of a stream it is empty."""

    content: list[_Block] = []
    model: str | None = None
    stop_reason: str | None = None
    usage: msgspec.Raw = NOTHING


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


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class MessageReply(LanguageReply):
    """A reply of Anthropic; its command prints the same events."""

    def __init__(self, provider: str) -> None:
        super().__init__(provider)
        self._blocks: dict[int, FunctionCall | dict[str, str]] = {}
        """The calls and thoughts by their index."""

    def take(self, event: bytes) -> str:
        """Return the text that an event adds to the answer."""
        decoded, before = self.decoded(event, _Event), len(self.text)
        match decoded.type:
            case "message_start":
                self.take_message(decoded.message)
            case "content_block_start":
                self._begin_block(decoded.index, decoded.content_block)
            case "content_block_delta":
                self._take_delta(decoded.index, decoded.delta)
            case "message_delta":
                self._end(decoded.delta.stop_reason, decoded.usage)
            case "message_stop":
                self.is_over = True
        return self.text[before:]

    def take_message(self, message: _Message) -> None:
        """Take a message in; of one with a call that is the answer."""
        self.model = message.model or ""
        self._end(message.stop_reason, message.usage)
        calls = [bytes(each.input).decode() for each in message.content if each.type == "tool_use"]
        texts = (each.text for each in message.content if each.type == "text")
        self._add(calls[0] if calls else "".join(texts))

    def _begin_block(self, index: int, block: _Block) -> None:
        if block.type == "tool_use":
            self.calls.append(FunctionCall(id=block.id, name=block.name))
            self._blocks[index] = self.calls[-1]
        elif block.type == "thinking":
            self.thoughts.append({"type": "thinking", "thinking": "", "signature": ""})
            self._blocks[index] = self.thoughts[-1]
        elif block.type == "redacted_thinking":
            self.thoughts.append({"type": "redacted_thinking", "data": block.data})
        self._add(block.text)

    def _take_delta(self, index: int, delta: _BlockDelta) -> None:
        block = self._blocks.get(index)
        if isinstance(block, FunctionCall):
            block.arguments += delta.partial_json
        elif block is not None and "signature" in block:
            block["thinking"] += delta.thinking
            block["signature"] += delta.signature
        self.written += delta.partial_json + delta.thinking
        self._add(delta.text)

    def _add(self, text: str) -> None:
        self.written += text
        self.text += text

    def _end(self, reason: str | None, usage: msgspec.Raw) -> None:
        """Note why it ended, and its tokens: those at the end leave out what the first ones say."""
        if reason is not None:
            self.finish = FINISHES.get(reason, "other")
            self.is_declined = reason == "refusal"
        last, first = use_of(usage), self.use
        if last is None or first is None:
            self.use = last or first
            return
        self.use = TokenUse(
            input=last.input or first.input,
            output=last.output or first.output,
            cache_read=last.cache_read or first.cache_read,
            cache_write=last.cache_write or first.cache_write,
        )


def use_of(raw: msgspec.Raw) -> TokenUse | None:
    """Return the tokens of an answer; None if not reported."""
    usage = decode_usage(raw, _Usage)
    if usage is None:
        return None
    return TokenUse(
        input=counted(usage.input_tokens),
        output=counted(usage.output_tokens),
        cache_read=counted(usage.cache_read_input_tokens),
        cache_write=counted(usage.cache_creation_input_tokens),
    )
