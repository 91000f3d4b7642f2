"""What the real APIs refuse in a request, checked strictly: order, ids, emptiness, types.

Source: the API references of OpenAI and Anthropic, November 2026. The types are those of the SDKs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

Json = dict[str, Any]

_CHAT: TypeAdapter[Any] = TypeAdapter(list[ChatCompletionMessageParam])
_ITEMS: TypeAdapter[Any] = TypeAdapter(list[ResponseInputItemParam])
_CLAUDE: TypeAdapter[Any] = TypeAdapter(list[MessageParam])


class RefusedPrompt(Exception):
    """The real API answers 400."""


def must(holds: object, words: str) -> None:
    """Refuse a request with the words of an API."""
    if not holds:
        raise RefusedPrompt(words)


def check_chat(messages: list[Json], *, is_open: bool = False) -> None:
    """Refuse what chat completions refuse; with ``is_open`` calls at the end may be open."""
    _exhausted(_CHAT.validate_python(json.loads(json.dumps(messages))))
    waiting: list[str] = []
    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            must(message["tool_call_id"] in waiting, "a tool message follows its tool_calls")
            waiting.remove(message["tool_call_id"])
            must(isinstance(content, str), "content of a tool is a string")
            continue
        must(not waiting, "tool_calls must be followed by tool messages")
        calls = message.get("tool_calls", [])
        must(role == "assistant" or not calls, "only an assistant calls")
        must("tool_calls" not in message or calls, "tool_calls: empty array")
        must(calls or content, "content is required")
        waiting = [call["id"] for call in calls]
        must(len(set(waiting)) == len(waiting), "ids of calls are unique")
        must(all(len(id_) <= 40 for id_ in waiting), "tool_calls.id: at most 40 characters")
        must("name" not in message or re.fullmatch(r"[^\s<|\\/>]+", message["name"]), "name")
    must(is_open or not waiting, "tool_calls must be followed by tool messages")


def check_items(items: list[Json], *, is_open: bool = False) -> None:
    """Refuse what Responses refuses."""
    _exhausted(_ITEMS.validate_python(json.loads(json.dumps(items))))
    called: set[str] = set()
    waiting: set[str] = set()
    for position, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "function_call":
            must(item["call_id"] not in called, "call_id is unique")
            called.add(item["call_id"])
            waiting.add(item["call_id"])
        elif kind == "function_call_output":
            must(item["call_id"] in waiting, "No tool call found for function call output")
            waiting.discard(item["call_id"])
        elif kind == "message":
            must(item["content"], "content is required")
        elif kind == "reasoning":
            after = items[position + 1] if position + 1 < len(items) else {"role": "user"}
            must(after.get("role", "assistant") == "assistant", "reasoning without its item")
    must(is_open or not waiting, "No tool output found for function call")


def check_claude(request: Json, *, is_open: bool = False) -> None:
    """Refuse what the messages of Anthropic refuse."""
    must(request.keys() <= {"messages", "system"}, "unknown field")
    messages = request["messages"]
    _exhausted(_CLAUDE.validate_python(json.loads(json.dumps(messages))))
    must("system" not in request or request["system"].strip(), "system: empty")
    asked: list[str] = []
    known: set[str] = set()
    for position, message in enumerate(messages):
        must(message["role"] == ("assistant" if position % 2 else "user"), "roles must alternate")
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        must(blocks, "content: empty")
        _check_blocks(blocks)
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        must(results == asked, "tool_use ids were found without tool_result blocks after")
        first = [block["type"] for block in blocks][: len(results)]
        must(set(first) <= {"tool_result"}, "tool_result blocks come first")
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        must(not known.intersection(asked), "tool_use ids must be unique")
        must(len(set(asked)) == len(asked), "tool_use ids must be unique")
        known.update(asked)
        if message["role"] == "assistant":
            must("thinking" not in blocks[-1]["type"], "final block cannot be thinking")
            text = blocks[-1].get("text", "")
            must(text == text.rstrip(), "final content cannot end with trailing whitespace")
        else:
            must(not asked, "a user does not call")
    must(is_open or not asked, "tool_use ids were found without tool_result blocks after")


def _check_blocks(blocks: Iterable[Json]) -> None:
    served: set[str] = set()
    for block in blocks:
        kind = block["type"]
        must(kind != "text" or block["text"].strip(), "text content blocks must be non-empty")
        must(kind != "thinking" or block["signature"], "signature: required")
        if kind == "tool_use":
            must(re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]), "id: pattern")
            must(isinstance(block["input"], dict), "input: must be an object")
        elif kind == "server_tool_use":
            served.add(block["id"])
        elif kind == "tool_result":
            must(not block.get("is_error") or block["content"], "content of an error")
            if isinstance(block["content"], list):
                _check_blocks(block["content"])
        elif kind.endswith("_tool_result"):
            must(block["tool_use_id"] in served, "server tool result without its call")
            served.discard(block["tool_use_id"])
    must(not served, "server tool use without its result")


def _exhausted(value: object) -> None:
    """Read every part: the SDKs' types have iterables, which pydantic checks as they are read."""
    if isinstance(value, Mapping):
        for each in value.values():
            _exhausted(each)
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for each in cast("Iterable[object]", value):
            _exhausted(each)
