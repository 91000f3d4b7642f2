"""Chat messages as programs hold them: dicts of OpenAI and Anthropic, and objects of their SDKs.

Chat completions, items of the Responses API and messages of Anthropic become the arguments of one
message of ours. What a view needs to write an item of Responses again beyond its content is kept in
the metadata. Depends on no SDK: their objects return themselves as JSON.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias

from recollect.core.errors import InvalidInput
from recollect.sessions.record.content import Content
from recollect.sessions.record.token_usage import with_usage
from recollect.text.json_value import plain_object


class SdkObject(Protocol):
    """A message of an SDK: an object that returns itself as JSON, as those of pydantic do."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return the message as JSON."""


ChatMessage: TypeAlias = Mapping[str, Any] | SdkObject
"""A message of OpenAI or Anthropic, as a dict or as its SDK has it."""
Item: TypeAlias = "tuple[str, Content] | ChatMessage"
"""A message for `append_many`: role and content; a dict with the argument names of `append`; or a
message of OpenAI or Anthropic."""

ITEM_FIELDS = ("role", "content", "name", "at", "metadata", "event_id", "model", "usage", "sender")
OPENAI_ITEM = "openai_item"
"""The key in metadata for the fields of an item of Responses beside its content."""

_OF_ITEM = ("id", "status", "phase", "namespace")
_CHAT_FIELDS = frozenset(
    {"type", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations"}
)
"""Each marks a dict as a message of a provider, which may have any other fields."""
_ROLES = {"developer": "system", "function": "tool"}
_ITEM_KIND = re.compile(r"\w+_call|\w+_output|mcp_\w+|reasoning|compaction|item_reference|program")
_CALLS = frozenset({"function_call", "custom_tool_call"})
_ANSWERS = frozenset({"function_call_output", "custom_tool_call_output"})


def arguments_of(item: object) -> dict[str, Any]:
    """Return the arguments for one draft, from what `append_many` takes.

    Raises:
        InvalidInput: it cannot be a message, or a field of it is unknown.
    """
    if isinstance(item, tuple | list) and len(item) == 2:
        return {"role": item[0], "content": item[1]}
    fields = item if isinstance(item, Mapping) else plain_object(item)
    if not isinstance(fields, Mapping):
        raise InvalidInput("a message is neither a pair nor a dict", hint=_hint([]))
    fields = _as_ours(fields) if _CHAT_FIELDS.intersection(fields) else dict(fields)
    unknown = [key for key in fields if key not in ITEM_FIELDS]
    if unknown or "role" not in fields or "content" not in fields:
        raise InvalidInput("a message has unknown or missing fields", hint=_hint(unknown))
    fields["role"] = _ROLES.get(str(fields["role"]), fields["role"])
    model, usage = fields.pop("model", None), fields.pop("usage", None)
    fields["metadata"] = with_usage(fields.get("metadata") or {}, model, usage)
    return fields


def _as_ours(item: Mapping[str, Any]) -> dict[str, Any]:
    kind = item.get("type")
    if kind is None or (kind == "message" and "role" in item):
        return _message(item)
    if "role" in item or not (_is_text(kind) and _ITEM_KIND.fullmatch(kind)):
        raise InvalidInput(
            "a message must have a role, or be an item of Responses",
            hint="put content blocks into the content of a message",
        )
    if kind in _CALLS:
        role: str = "assistant"
    else:
        role = "tool" if kind.endswith(("_output", "_response")) else "assistant"
    ours = {key: item[key] for key in ("at", "event_id") if key in item}
    facts = _item_facts(item) if kind in _CALLS | _ANSWERS else {}
    return {"role": role, "content": [dict(item)], "metadata": facts, **ours}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    fields = {key: message[key] for key in ITEM_FIELDS if key in message}
    content: Any = message.get("content")
    if message.get("role") in {"tool", "function"}:
        answer = {"type": "tool_result", "content": content if content is not None else ""}
        answer |= {"tool_use_id": message.get("tool_call_id"), "name": message.get("name")}
        return fields | {"content": [answer]}
    blocks = [*_spoken_blocks(message), *map(_call, _calls(message))]
    facts = _item_facts(message) if message.get("status") is not None else {}
    if facts:
        fields["metadata"] = {**(message.get("metadata") or {}), **facts}
    if not blocks:
        return fields | {"content": content if content is not None else []}
    if isinstance(content, str):
        content = [{"type": "text", "text": content}] if content else []
    return fields | {"content": [*(content or ()), *blocks]}


def _spoken_blocks(message: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield blocks for the words of a message outside its content: a refusal, or audio."""
    audio = message.get("audio")
    transcript = audio.get("transcript") if isinstance(audio, Mapping) else None
    for text in (message.get("refusal"), transcript):
        if _is_text(text) and text:
            yield {"type": "text", "text": text}


def _calls(message: Mapping[str, Any]) -> list[Any]:
    one = message.get("function_call")
    many = message.get("tool_calls") or ()
    return [*([{"function": one}] if isinstance(one, Mapping) else ()), *many]


def _call(tool_call: object) -> dict[str, Any]:
    call = tool_call if isinstance(tool_call, Mapping) else plain_object(tool_call)
    function = {} if call is None else call.get("function") or call.get("custom")
    if not isinstance(function, Mapping) or not _is_text(function.get("name")):
        raise InvalidInput(
            "a tool call must have a function with a name",
            hint="pass the tool_calls of a chat completion as they came",
        )
    kind = "function_call" if call.get("function") else "custom_tool_call"
    block = {"type": kind, "call_id": call.get("id"), "name": function["name"]}
    return block | {key: function[key] for key in ("input", "arguments") if key in function}


def _item_facts(item: Mapping[str, Any]) -> dict[str, Any]:
    facts = {key: item[key] for key in _OF_ITEM if _is_text(item.get(key))}
    return {OPENAI_ITEM: facts} if facts else {}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _hint(unknown: Iterable[object]) -> str:
    near = [
        match for key in unknown for match in difflib.get_close_matches(str(key), ITEM_FIELDS, 1)
    ]
    question = f"Did you mean {near[0]}? " if near else ""
    return (
        f"{question}Pass (role, content), a dict of {', '.join(ITEM_FIELDS)}, "
        "or a message of OpenAI or Anthropic."
    )
