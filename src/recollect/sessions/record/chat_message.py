"""Chat messages as programs hold them: dicts of OpenAI and Anthropic, and objects of their SDKs.

Chat completions, items of the Responses API and messages of Anthropic become the arguments of one
message of ours. What a view needs to write an item of Responses again beyond its content is kept in
the metadata. Knows no SDK: its objects return themselves as JSON.
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
    given = item if isinstance(item, Mapping) else plain_object(item)
    if not isinstance(given, Mapping):
        raise InvalidInput("a message is neither a pair nor a dict", hint=_hint([]))
    given = _as_ours(given) if _CHAT_FIELDS.intersection(given) else dict(given)
    unknown = [key for key in given if key not in ITEM_FIELDS]
    if unknown or "role" not in given or "content" not in given:
        raise InvalidInput("a message has unknown or missing fields", hint=_hint(unknown))
    given["role"] = _ROLES.get(str(given["role"]), given["role"])
    model, usage = given.pop("model", None), given.pop("usage", None)
    given["metadata"] = with_usage(given.get("metadata") or {}, model, usage)
    return given


def _as_ours(given: Mapping[str, Any]) -> dict[str, Any]:
    kind = given.get("type")
    if kind is None or (kind == "message" and "role" in given):
        return _message(given)
    if "role" in given or not (_is_text(kind) and _ITEM_KIND.fullmatch(kind)):
        raise InvalidInput(
            "a message must have a role, or be an item of Responses",
            hint="put content blocks into the content of a message",
        )
    if kind in _CALLS:
        role: str = "assistant"
    else:
        role = "tool" if kind.endswith(("_output", "_response")) else "assistant"
    ours = {key: given[key] for key in ("at", "event_id") if key in given}
    facts = _item_facts(given) if kind in _CALLS | _ANSWERS else {}
    return {"role": role, "content": [dict(given)], "metadata": facts, **ours}


def _message(given: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: given[key] for key in ITEM_FIELDS if key in given}
    content: Any = given.get("content")
    if given.get("role") in {"tool", "function"}:
        answer = {"type": "tool_result", "content": content if content is not None else ""}
        answer |= {"tool_use_id": given.get("tool_call_id"), "name": given.get("name")}
        return kept | {"content": [answer]}
    said = [*_said(given), *map(_call, _calls(given))]
    facts = _item_facts(given) if given.get("status") is not None else {}
    if facts:
        kept["metadata"] = {**(given.get("metadata") or {}), **facts}
    if not said:
        return kept | {"content": content if content is not None else []}
    if isinstance(content, str):
        content = [{"type": "text", "text": content}] if content else []
    return kept | {"content": [*(content or ()), *said]}


def _said(given: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield blocks for what a message says beside its content: a refusal, or audio."""
    audio = given.get("audio")
    transcript = audio.get("transcript") if isinstance(audio, Mapping) else None
    for text in (given.get("refusal"), transcript):
        if _is_text(text) and text:
            yield {"type": "text", "text": text}


def _calls(given: Mapping[str, Any]) -> list[Any]:
    one = given.get("function_call")
    many = given.get("tool_calls") or ()
    return [*([{"function": one}] if isinstance(one, Mapping) else ()), *many]


def _call(given: object) -> dict[str, Any]:
    call = given if isinstance(given, Mapping) else plain_object(given)
    told = {} if call is None else call.get("function") or call.get("custom")
    if not isinstance(told, Mapping) or not _is_text(told.get("name")):
        raise InvalidInput(
            "a tool call must have a function with a name",
            hint="pass the tool_calls of a chat completion as they came",
        )
    kind = "function_call" if call.get("function") else "custom_tool_call"
    named = {"type": kind, "call_id": call.get("id"), "name": told["name"]}
    return named | {key: told[key] for key in ("input", "arguments") if key in told}


def _item_facts(given: Mapping[str, Any]) -> dict[str, Any]:
    told = {key: given[key] for key in _OF_ITEM if _is_text(given.get(key))}
    return {OPENAI_ITEM: told} if told else {}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _hint(unknown: Iterable[object]) -> str:
    near = [
        match for key in unknown for match in difflib.get_close_matches(str(key), ITEM_FIELDS, 1)
    ]
    asked = f"Did you mean {near[0]}? " if near else ""
    return (
        f"{asked}Pass (role, content), a dict of {', '.join(ITEM_FIELDS)}, "
        "or a message of OpenAI or Anthropic."
    )
