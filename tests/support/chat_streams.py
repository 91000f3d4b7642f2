"""The streams of OpenAI and Anthropic from the server's side, event by event, and checks of tools.

Source: the API references of the two ("Streaming", "Function calling"; "Streaming messages", "Tool
use"), November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tests.support.provider_formats import Refused, Response

if TYPE_CHECKING:
    from tests.support.chat_formats import Said

_WORDS = re.compile(r"\s*\S+|\s+$")
_PIECE = 7
"""Characters of a piece of JSON: providers cut anywhere."""


class Calling(msgspec.Struct, frozen=True):
    """A call of a tool in an answer; ``arguments`` is JSON, or what is meant to be."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


def event_stream(events: Iterator[str]) -> Response:
    """Return a whole stream as an answer."""
    headers = {"content-type": "text/event-stream; charset=utf-8"}
    return Response(body="".join(events).encode(), headers=headers)


def openai_events(said: Said, model: str, usage: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the chunks of ``chat.completion.chunk``, then ``[DONE]``."""

    def chunk(**choice: Any) -> str:
        whole = {"id": "c1", "object": "chat.completion.chunk", "model": model}
        choices = [{"index": 0, "logprobs": None, "finish_reason": None} | choice] if choice else []
        options = {"usage": None} if usage is not None else {}
        return _data(whole | {"choices": choices} | options)

    yield chunk(delta={"role": "assistant", "content": "", "refusal": None})
    for word in _WORDS.findall(said.text):
        yield chunk(delta={"content": word})
    if said.declined:
        yield chunk(delta={"refusal": "I cannot help with that"})
    for index, call in enumerate(said.calls):
        function = {"name": call.name, "arguments": ""}
        head = {"index": index, "id": call.id, "type": "function", "function": function}
        yield chunk(delta={"tool_calls": [head]})
        for piece in _cut(call.arguments):
            yield chunk(delta={"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    usual = "tool_calls" if said.calls else "stop"
    yield chunk(delta={}, finish_reason=said.finish or usual)
    if usage is not None:
        yield _data({"id": "c1", "model": model, "choices": [], "usage": usage})
    yield "data: [DONE]\n\n"


def anthropic_events(said: Said, model: str, usage: dict[str, Any]) -> Iterator[str]:
    """Yield the events of a message, with a ping."""
    head = {"id": "m1", "type": "message", "role": "assistant", "model": model, "content": []}
    start = usage | {"output_tokens": min(1, usage.get("output_tokens", 0))} if usage else {}
    yield _event("message_start", message=head | ({"usage": start} if usage else {}))
    yield _event("ping")
    blocks: list[Any] = [said.text] if said.text and not said.declined else []
    for index, block in enumerate([*blocks, *said.calls]):
        yield from _block_events(index, block)
    usual = "tool_use" if said.calls else "end_turn"
    stop = "refusal" if said.declined else said.finish or usual
    counts = {"usage": {"output_tokens": usage["output_tokens"]}} if usage else {}
    yield _event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, **counts)
    yield _event("message_stop")


def _block_events(index: int, block: str | Calling) -> Iterator[str]:
    if isinstance(block, str):
        empty: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": word} for word in _WORDS.findall(block)]
    else:
        empty = {"type": "tool_use", "id": block.id, "name": block.name, "input": {}}
        pieces = _cut(block.arguments)
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces]]
    yield _event("content_block_start", index=index, content_block=empty)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def check_openai_tools(body: Mapping[str, Any]) -> None:
    """Refuse tools without a schema, and results that answer no call.

    Raises:
        Refused: as the provider would.
    """
    for tool in body.get("tools", ()):
        function = tool["function"]
        _must(tool["type"] == "function" and function["parameters"]["type"] == "object", "tools")
    _must("tool_choice" not in body or "tools" in body, "tool_choice without tools")
    open_calls: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            _must(message["tool_call_id"] in open_calls, "a result without its call")
            open_calls.remove(message["tool_call_id"])
            continue
        _must(not open_calls, "a call without its result")
        calls = message.get("tool_calls", ())
        for call in calls:
            msgspec.json.decode(call["function"]["arguments"], type=dict[str, Any])
        open_calls = [call["id"] for call in calls]
    _must(not open_calls, "a call without its result")


def check_anthropic_tools(body: Mapping[str, Any]) -> None:
    """Refuse what `check_openai_tools` does, and blocks of tools without tools.

    Raises:
        Refused: as the provider would.
    """
    for tool in body.get("tools", ()):
        _must(tool["input_schema"]["type"] == "object", "tools")
    open_calls: list[str] = []
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [each["tool_use_id"] for each in blocks if each["type"] == "tool_result"]
        _must(sorted(results) == sorted(open_calls), "tool_use without tool_result")
        used = [each for each in blocks if each["type"] == "tool_use"]
        _must(not used or "tools" in body, "tool_use without tools")
        _must(all(isinstance(each["input"], dict) for each in used), "input: not an object")
        texts = [each["text"] for each in blocks if each["type"] == "text"]
        _must(all(text.strip() for text in texts), "text content blocks must be non-empty")
        open_calls = [each["id"] for each in used]


def results_of(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, bool]]:
    """Return the results of tools in a request, and whether each is an error."""
    results = []
    for message in messages:
        if message["role"] == "tool":
            text = message["content"]
            results.append((text.removeprefix("Error: "), text.startswith("Error: ")))
        elif isinstance(message["content"], list):
            blocks = [each for each in message["content"] if each["type"] == "tool_result"]
            results += [(each["content"], each.get("is_error", False)) for each in blocks]
    return results


def _must(is_so: bool, words: str) -> None:
    if not is_so:
        raise Refused(400, "invalid_request_error", words)


def _cut(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def _data(value: object) -> str:
    return f"data: {msgspec.json.encode(value).decode()}\n\n"


def _event(name: str, **more: object) -> str:
    return f"event: {name}\n{_data({'type': name, **more})}"
