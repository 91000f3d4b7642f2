"""Prompts: a view as the requests of OpenAI and Anthropic take it, as plain JSON.

What one provider wrote is sent in the format of another: calls and results with their ids,
arguments as text or object, instructions where they belong. What only its own provider reads again
(signed thoughts, reasoning items, calls of the provider's own tools) goes back to that one and to
no other.

Source: the API references of both, and the types of their SDKs, November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import msgspec

from recollect.sessions.context.prompt_turns import PromptTurn, turns_of
from recollect.sessions.record.chat_message import OPENAI_ITEM
from recollect.sessions.record.content import (
    ContentBlock,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    readable_text,
)
from recollect.sessions.record.message import Message

Json: TypeAlias = dict[str, Any]
Spell: TypeAlias = "Callable[[ContentBlock], Json | None]"
"""Returns a block in the format of a provider; None if that has none for it."""

EARLIER = "(earlier messages are not shown)"
SUMMARY = "Summary of the conversation so far, written by a program:\n\n"
"""The text before a summary. It is a user's message, as data: it repeats what people said,
and must not become an instruction."""

_CHAT_NAME = re.compile(r"[^\s<|\\/>]{1,64}")
_CHAT_PARTS = frozenset({"file", "input_audio"})
_RESPONSES_PARTS = frozenset({"input_file", "input_image"})
_RESPONSES_ITEM = re.compile(r"\w+_call|\w+_call_output|mcp_\w+|reasoning|compaction|program\w*")
_DOCUMENTS = frozenset({"document", "search_result", "container_upload", "image"})
_SERVER_RESULT = re.compile(r"\w+_tool_result")
_UNSAID = frozenset({"redacted_thinking", "reasoning"})


def as_openai(messages: Sequence[Message], summary: str | None, system: str | None) -> list[Json]:
    """Return the ``messages`` of a request to chat completions; see `ContextView.as_openai`."""
    payload = [{"role": "system", "content": system}] if system else []
    if summary:
        payload.append({"role": "user", "content": SUMMARY + summary})
    for asks, group in groupby(_turns(messages), key=_is_assistant):
        turns = list(group)
        if asks and any(_calls(turn.blocks) for turn in turns):
            payload += _chat_assistant([block for turn in turns for block in turn.blocks])
            continue
        for turn in turns:
            payload += _chat(turn)
    return payload


def as_openai_responses(
    messages: Sequence[Message], summary: str | None, system: str | None
) -> list[Json]:
    """Return the ``input`` of a request to Responses; see `ContextView.as_openai_responses`."""
    head = [{"role": "system", "content": system}] if system else []
    if summary:
        head.append({"role": "user", "content": SUMMARY + summary})
    turns = _turns(messages)
    paired = _paired_items(turns)
    calls = [call for turn in turns for call in _calls(turn.blocks)]
    custom = {call.id for call in calls if call.is_custom is True}
    items = [item for turn in turns for item in _items(turn, paired, custom)]
    accepted: list[Json] = []
    for item in reversed(items):
        after = accepted[-1] if accepted else {"role": "user"}
        # The API refuses reasoning that is not followed by anything of the assistant.
        if item.get("type") != "reasoning" or after.get("role") in {None, "assistant"}:
            accepted.append(item)
    return head + accepted[::-1]


def as_anthropic(messages: Sequence[Message], summary: str | None, system: str | None) -> Json:
    """Return ``messages`` and ``system`` of a request; see `ContextView.as_anthropic`."""
    turns = _turns(messages)
    instructions = [system] if system else []
    instructions += [_text(turn.blocks) for turn in turns if turn.role == "system"]
    entries: list[tuple[str, list[Json]]] = []
    if summary:
        entries.append(("user", [{"type": "text", "text": SUMMARY + summary}]))
    spoken = (turn for turn in turns if turn.role != "system")
    for asks, group in groupby(spoken, key=_is_assistant):
        blocks = [block for turn in group for block in turn.blocks]
        parts = _of_assistant(blocks) if asks else [*_written(blocks, _anthropic_part)]
        if not parts:
            continue
        role = "assistant" if asks else "user"
        if entries and entries[-1][0] == role:
            entries[-1][1].extend(parts)
        else:
            entries.append((role, parts))
    if entries and entries[0][0] == "assistant":
        entries.insert(0, ("user", [{"type": "text", "text": EARLIER}]))
    payload = [{"role": role, "content": _plain(content)} for role, content in entries]
    request: Json = {"messages": payload}
    return request | {"system": "\n\n".join(instructions)} if instructions else request


def _turns(messages: Sequence[Message]) -> list[PromptTurn]:
    """Return turns that say something; where several people speak, each text names its speaker."""
    speakers = {message.name for message in messages if message.role == "user"} - {None}
    turns = []
    for turn in turns_of(messages):
        blocks = tuple(b for b in turn.blocks if not (type(b) is TextBlock and _is_blank(b.text)))
        if blocks and len(speakers) > 1 and turn.role == "user":
            blocks = _named(blocks, turn.message)
        if blocks:
            turns.append(msgspec.structs.replace(turn, blocks=blocks))
    return turns


def _named(blocks: tuple[ContentBlock, ...], message: Message | None) -> tuple[ContentBlock, ...]:
    first = blocks[0]
    if message is None or not message.name or not isinstance(first, TextBlock):
        return blocks
    return TextBlock(text=f"{message.name}: {first.text}"), *blocks[1:]


def _is_assistant(turn: PromptTurn) -> bool:
    return turn.role == "assistant"


def _is_blank(text: str) -> bool:
    return not text.strip()


def _calls(blocks: Iterable[ContentBlock]) -> list[ToolUseBlock]:
    return [block for block in blocks if isinstance(block, ToolUseBlock)]


def _text(blocks: Iterable[ContentBlock]) -> str:
    """Return blocks as text, without those that have none; images by their description."""
    return "\n".join(text for block in blocks if (text := _words(block)))


def _words(block: ContentBlock) -> str:
    if isinstance(block, ImageBlock):
        facts = [block.media_type, block.alt, block.url]
        return f"[{' '.join(['image', *(fact for fact in facts if fact)])}]"
    if isinstance(block, OtherBlock) and block.kind in _UNSAID:
        return ""
    if isinstance(block, OtherBlock) and block.kind == "document":
        return _document_text(block.value)
    return readable_text((block,))


def _document_text(document: Json) -> str:
    source = document.get("source")
    data = source.get("data") if isinstance(source, dict) and source.get("type") == "text" else None
    title = document.get("title")
    return data if isinstance(data, str) else f"[document {title or ''}".rstrip() + "]"


def _written(blocks: Iterable[ContentBlock], spell: Spell) -> Iterator[Json]:
    """Yield blocks in the format of a provider; those that it has none for become texts."""
    for block in blocks:
        if isinstance(block, TextBlock) and _is_blank(block.text):
            continue
        part = spell(block)
        if part is None and not _is_blank(text := _words(block)):
            part = spell(TextBlock(text=text))
        if part is not None:
            yield part


def _plain(content: list[Json]) -> str | list[Json]:
    """Return content as a text where it is nothing else, otherwise its parts."""
    if len(content) == 1 and content[0].keys() == {"type", "text"}:
        text: str = content[0]["text"]
        return text
    return content


def _arguments(call: ToolUseBlock) -> str:
    if isinstance(call.input, str):
        return call.input
    return msgspec.json.encode(call.input).decode()


def _chat(turn: PromptTurn) -> Iterator[Json]:
    if turn.role == "tool":
        for result in turn.blocks:
            if isinstance(result, ToolResultBlock):
                answered = {"tool_call_id": result.tool_use_id, "content": _text(result.content)}
                yield {"role": "tool", **answered}
    elif turn.role == "user":
        content = [*_written(turn.blocks, _chat_part)]
        name = None if turn.message is None else turn.message.name
        name_field = {"name": name} if name and _CHAT_NAME.fullmatch(name) else {}
        if content:
            yield {"role": "user", "content": _plain(content), **name_field}
    elif turn.role == "assistant":
        yield from _chat_assistant(turn.blocks)
    elif text := _text(turn.blocks):
        yield {"role": "system", "content": text}


def _chat_assistant(blocks: Sequence[ContentBlock]) -> Iterator[Json]:
    calls = [_chat_call(call) for call in _calls(blocks)]
    text = _text(_spoken_blocks(blocks))
    if calls:
        yield {"role": "assistant", "content": text or None, "tool_calls": calls}
    elif text:
        yield {"role": "assistant", "content": text}


def _chat_call(call: ToolUseBlock) -> Json:
    if call.is_custom is True:
        custom = {"name": call.name, "input": _arguments(call)}
        return {"id": call.id, "type": "custom", "custom": custom}
    function = {"name": call.name, "arguments": _arguments(call)}
    return {"id": call.id, "type": "function", "function": function}


def _spoken_blocks(blocks: Iterable[ContentBlock]) -> list[ContentBlock]:
    """Return the blocks of an assistant without its calls and thoughts."""
    return [block for block in blocks if not isinstance(block, ToolUseBlock | ThinkingBlock)]


def _chat_part(block: ContentBlock) -> Json | None:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text}
        case ImageBlock(url=str(url)):
            return {"type": "image_url", "image_url": {"url": url}}
        case OtherBlock() if block.kind in _CHAT_PARTS:
            return dict(block.value)
        case _:
            return None


def _paired_items(turns: Sequence[PromptTurn]) -> set[str]:
    """Return the ids of calls of the provider's own tools that are there with their result."""
    kinds: dict[str, set[str]] = {}
    for block in (block for turn in turns for block in turn.blocks):
        if isinstance(block, OtherBlock) and isinstance(block.value.get("call_id"), str):
            kinds.setdefault(block.value["call_id"], set()).add(block.kind)
    return {id_ for id_, block_kinds in kinds.items() if len(block_kinds) > 1}


def _items(turn: PromptTurn, paired: set[str], custom: set[str | None]) -> Iterator[Json]:
    if turn.role == "tool":
        for result in turn.blocks:
            if isinstance(result, ToolResultBlock):
                output = _plain_input([*_written(result.content, _input_part)])
                of = "custom_tool" if result.tool_use_id in custom else "function"
                yield {"type": f"{of}_call_output", "call_id": result.tool_use_id,
                       "output": output}  # fmt: skip
        return
    for is_item, group in groupby(turn.blocks, key=lambda block: _is_item(block, paired)):
        blocks = list(group)
        if is_item:
            yield from (_item(block, turn.message) for block in blocks)
        elif turn.role == "assistant":
            yield from _assistant_item(blocks, turn.message)
        elif content := [*_written(blocks, _input_part)]:
            yield {"role": turn.role, "content": _plain_input(content)}


def _is_item(block: ContentBlock, paired: set[str]) -> bool:
    if isinstance(block, OtherBlock) and _RESPONSES_ITEM.fullmatch(block.kind):
        return "call_id" not in block.value or block.value["call_id"] in paired
    return isinstance(block, ToolUseBlock)


def _item(block: ContentBlock, message: Message | None) -> Json:
    if isinstance(block, OtherBlock):
        return dict(block.value)
    if not isinstance(block, ToolUseBlock):
        raise TypeError(block)
    is_custom = block.is_custom is True
    kind, field = ("custom_tool", "input") if is_custom else ("function", "arguments")
    call = {"call_id": block.id, "name": block.name, field: _arguments(block)}
    return {"type": f"{kind}_call", **call, **_facts(message, "id", "status", "namespace")}


def _assistant_item(blocks: Sequence[ContentBlock], message: Message | None) -> Iterator[Json]:
    text, facts = _text(_spoken_blocks(blocks)), _facts(message, "id", "status", "phase")
    if not text:
        return
    if {"id", "status"} <= facts.keys():
        content = [{"type": "output_text", "text": text, "annotations": []}]
        yield {"type": "message", "role": "assistant", "content": content, **facts}
    else:
        yield {"role": "assistant", "content": text}


def _facts(message: Message | None, *names: str) -> Json:
    facts = {} if message is None else message.metadata.get(OPENAI_ITEM, {})
    return {name: facts[name] for name in names if name in facts} if isinstance(facts, dict) else {}


def _input_part(block: ContentBlock) -> Json | None:
    match block:
        case TextBlock():
            return {"type": "input_text", "text": block.text}
        case ImageBlock(url=str(url)):
            return {"type": "input_image", "image_url": url, "detail": "auto"}
        case OtherBlock() if block.kind in _RESPONSES_PARTS:
            return dict(block.value)
        case _:
            return None


def _plain_input(content: list[Json]) -> str | list[Json]:
    if not content:
        return ""
    if len(content) == 1 and content[0]["type"] == "input_text":
        text: str = content[0]["text"]
        return text
    return content


def _anthropic_part(block: ContentBlock) -> Json | None:
    match block:
        case TextBlock():
            return {"type": "text", "text": block.text}
        case ImageBlock(url=str(url)):
            return {"type": "image", "source": {"type": "url", "url": url}}
        case ToolResultBlock():
            content = [*_written(block.content, _anthropic_part)]
            if block.is_error and not content:
                content = [{"type": "text", "text": "error"}]
            error = {"is_error": True} if block.is_error else {}
            fields = {"tool_use_id": block.tool_use_id, "content": _plain(content) or ""}
            return {"type": "tool_result", **fields, **error}
        case OtherBlock() if block.kind in _DOCUMENTS:
            return dict(block.value)
        case _:
            return None


def _of_assistant(blocks: Sequence[ContentBlock]) -> list[Json]:
    """Return the content of an assistant in Anthropic's format; it never ends with a thought."""
    paired = _server_calls(blocks)

    def spell(block: ContentBlock) -> Json | None:
        match block:
            case TextBlock():
                return {"type": "text", "text": block.text}
            case ThinkingBlock(signature=str(signature)):
                return {"type": "thinking", "thinking": block.thinking, "signature": signature}
            case ToolUseBlock():
                arguments = block.input if isinstance(block.input, dict) else {"input": block.input}
                return {"type": "tool_use", "id": block.id, "name": block.name, "input": arguments}
            case OtherBlock(kind="redacted_thinking"):
                return dict(block.value)
            case OtherBlock() if _server_call(block) in paired:
                return dict(block.value)
            case _:
                return None

    parts = [*_written(blocks, spell)]
    while parts and parts[-1]["type"] in {"thinking", "redacted_thinking"}:
        parts.pop()
    if parts and parts[-1]["type"] == "text":
        parts[-1] = parts[-1] | {"text": parts[-1]["text"].rstrip()}
    return parts


def _server_call(block: ContentBlock) -> str | None:
    """Return the id of the call of Anthropic's own tools that a block makes or answers."""
    if not isinstance(block, OtherBlock):
        return None
    is_call = block.kind == "server_tool_use"
    if not is_call and not _SERVER_RESULT.fullmatch(block.kind):
        return None
    id_ = block.value.get("id" if is_call else "tool_use_id")
    return id_ if isinstance(id_, str) else None


def _server_calls(blocks: Iterable[ContentBlock]) -> set[str | None]:
    """Return the ids of the calls that are there with their result."""
    kinds: dict[str | None, set[str]] = {}
    for block in blocks:
        if isinstance(block, OtherBlock):
            kinds.setdefault(_server_call(block), set()).add(block.kind)
    return {id_ for id_, block_kinds in kinds.items() if id_ is not None and len(block_kinds) > 1}
