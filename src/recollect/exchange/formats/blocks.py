"""Content blocks as others write them: in the formats of Anthropic and of OpenClaw.

The reverse of `recollect.sessions.record.content.parse_content`. Further fields of a foreign block
are kept as `block_extras` and laid over the written block again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from recollect.core.errors import InvalidInput
from recollect.sessions.record import content as ours

Spelling: TypeAlias = "Callable[[ours.ContentBlock], dict[str, Any]]"

_SAID = frozenset(
    {
        "arguments",
        "content",
        "data",
        "image_url",
        "input",
        "output",
        "source",
        "text",
        "thinking",
        "url",
    }
)
"""Fields that the block itself replaces; the bytes of an image are not kept."""


def anthropic_block(block: ours.ContentBlock) -> dict[str, Any]:
    """Return a block as the API of Anthropic and Claude Code write it."""
    match block:
        case ours.TextBlock():
            return {"type": "text", "text": block.text}
        case ours.ThinkingBlock():
            return {"type": "thinking", "thinking": block.thinking} | _told(
                {"signature": block.signature}
            )
        case ours.ImageBlock():
            return _image(block)
        case ours.ToolUseBlock():
            return _told({"type": "tool_use", "id": block.id, "name": block.name}) | {
                "input": block.input
            }
        case ours.ToolResultBlock():
            head = {"type": "tool_result", "tool_use_id": block.tool_use_id, "name": block.name}
            error = {"is_error": True} if block.is_error else {}
            return _told(head) | {"content": plain_content(block.content, anthropic_block)} | error
        case ours.OtherBlock():
            return dict(block.value)


def openclaw_block(block: ours.ContentBlock) -> dict[str, Any]:
    """Return a block as OpenClaw writes it."""
    match block:
        case ours.ToolUseBlock():
            head = _told({"type": "toolCall", "id": block.id, "name": block.name})
            return head | {"arguments": block.input}
        case ours.ToolResultBlock():
            head = {"type": "toolResult", "toolCallId": block.tool_use_id, "toolName": block.name}
            content = [openclaw_block(each) for each in block.content]
            return _told(head) | {"content": content, "isError": block.is_error}
        case _:
            return anthropic_block(block)


def plain_content(
    blocks: Sequence[ours.ContentBlock], spell: Spelling
) -> str | list[dict[str, Any]]:
    """Return a content: a text where it is one, otherwise a list of blocks."""
    if len(blocks) == 1 and isinstance(blocks[0], ours.TextBlock):
        return blocks[0].text
    return [spell(block) for block in blocks]


def in_blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a written content as blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def with_texts(content: Any, convert: Callable[[str], str]) -> Any:
    """Return blocks with each text as ``convert`` gives it; those without text left are gone."""
    if not isinstance(content, list):
        return content
    blocks: list[Any] = []
    for block in content:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            text = convert(block["text"])
            blocks += [block | {"text": text}] if text else []
        else:
            blocks.append(block)
    return blocks


def block_extras(
    content: list[Any], spell: Spelling, *, is_always_list: bool
) -> dict[str, dict[str, Any]]:
    """Return, by index, the fields of the blocks of a foreign content that our blocks do not keep.

    A single text in a list is named even if there is nothing more, as it looks like a plain text;
    no need to say so where such a content is always a list.
    """
    extras = {str(index): _extra(block, spell) for index, block in enumerate(content)}
    is_one = len(content) == 1 and not is_always_list
    is_text = is_one and isinstance(content[0], dict) and "text" in content[0]
    return {index: extra for index, extra in extras.items() if extra or is_text}


def with_extras(content: Any, extras: object) -> Any:
    """Return a written content with `block_extras` laid over it."""
    if not isinstance(extras, Mapping):
        return content
    content = in_blocks(content)
    by_block = [extras.get(str(index)) for index in range(len(content))]
    return [
        block | extra if isinstance(extra, Mapping) else block
        for block, extra in zip(content, by_block, strict=True)
    ]


def _extra(raw: object, spell: Spelling) -> dict[str, Any]:
    if not isinstance(raw, dict) or (raw.get("type") == "text" and len(raw) == 2 and "text" in raw):
        return {}  # most are a text and nothing else
    try:
        written_block = spell(ours.parse_block(raw))
    except (InvalidInput, RecursionError):
        return {}
    return {
        key: raw[key]
        for key in raw
        if key not in _SAID and (key not in written_block or written_block[key] != raw[key])
    }


def _image(block: ours.ImageBlock) -> dict[str, Any]:
    source: dict[str, Any]
    if block.url is not None:
        source = {"type": "url", "url": block.url}
    else:
        source = {"type": "base64", "media_type": block.media_type, "data": ""}
    facts = {"alt": block.alt, "size_bytes": block.size_bytes, "sha256": block.sha256}
    return {"type": "image", "source": source, **_told(facts)}


def _told(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}
