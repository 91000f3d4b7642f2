"""Content blocks: the parts of a message, and their text that can be read and searched.

Blocks come in the spellings of Anthropic, OpenAI and OpenClaw and leave in one: text, thinking,
tool_use, tool_result, image, and `OtherBlock` for whatever else there is, kept as it came. The
bytes of an image are never kept here, only its description. Knows no storage and no redaction.

Calls to this memory, and their results, are not part of the text of a message. The calls stay in
the content, so that the transcript can be sent to a model again; an answer stays as an empty block.
A function that the composition root passes decides which calls these are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from recollect.core.errors import InvalidInput
from recollect.text.json_value import JsonValue

TOOL_TEXT_CHARS = 500
"""How much of a tool's input, and of its output, is readable text of the message.

Whole outputs would drown what people said: OpenClaw searches none of them, and the first lines
name the files, commands and errors that a question is about. The rest stays in `content`.
"""


class TextBlock(msgspec.Struct, frozen=True, kw_only=True, tag="text", gc=False):
    """Text of the speaker."""

    text: str


class ThinkingBlock(msgspec.Struct, frozen=True, kw_only=True, tag="thinking", omit_defaults=True):
    """What the model thought; kept, but not part of the readable text of the message.

    Attributes:
        thinking: The thought.
        signature: Anthropic's proof that it is unchanged; None once a word of it was changed.
    """

    thinking: str
    signature: str | None = None


class ImageBlock(msgspec.Struct, frozen=True, kw_only=True, tag="image", omit_defaults=True):
    """The description of an image that was there.

    Attributes:
        media_type: Such as ``image/png``, where it is known.
        alt: A caption or alternative text.
        url: Where it can be fetched; never a ``data:`` address.
        size_bytes: Size of the image that was passed inline.
        sha256: Hex digest of the image that was passed inline, as its base64 text.
    """

    media_type: str | None = None
    alt: str | None = None
    url: str | None = None
    size_bytes: int | None = None
    sha256: str | None = None


class OtherBlock(msgspec.Struct, frozen=True, kw_only=True, tag="other"):
    """A block of a kind that has no meaning here."""

    kind: str
    value: dict[str, Any]


PlainBlock: TypeAlias = TextBlock | ImageBlock | OtherBlock


class ToolUseBlock(msgspec.Struct, frozen=True, kw_only=True, tag="tool_use", gc=False):
    """The model asked for a tool.

    Attributes:
        name: Of the tool.
        input: The arguments: an object; a text for a custom tool, and where they were not JSON.
        id: The id that its result refers to.
        is_custom: True of a custom tool of OpenAI, whose input is any text.
    """

    name: str
    input: Any = msgspec.field(default_factory=dict)
    id: str | None = None
    is_custom: bool | msgspec.UnsetType = msgspec.UNSET


class ToolResultBlock(msgspec.Struct, frozen=True, kw_only=True, tag="tool_result", gc=False):
    """The result of a tool."""

    content: tuple[PlainBlock, ...] = ()
    tool_use_id: str | None = None
    name: str | None = None
    is_error: bool = False


ContentBlock: TypeAlias = (
    TextBlock | ThinkingBlock | ImageBlock | ToolUseBlock | ToolResultBlock | OtherBlock
)
Content: TypeAlias = "str | bytes | ContentBlock | Mapping[str, Any] | Sequence[Any]"
"""What callers may pass: a text, a block, or several, as blocks or in a known spelling."""

_HINT = "Pass a text, or a list of content blocks such as {'type': 'text', 'text': '…'}."
_TEXT_KINDS = frozenset({"text", "input_text", "output_text", "refusal"})
_CUSTOM = "custom_tool_call"
_TOOL_USE_KINDS = frozenset({"tool_use", "toolCall", "tool_call", "function_call", _CUSTOM})
_TOOL_RESULT_KINDS = frozenset(
    {"tool_result", "toolResult", "function_call_output", "custom_tool_call_output"}
)
_IMAGE_KINDS = frozenset({"image", "image_url", "input_image"})


def parse_content(content: Content | None) -> tuple[ContentBlock, ...]:
    """Return the blocks of a message's content; a text is one text block, nothing is none.

    Raises:
        InvalidInput: it is neither text nor blocks.
    """
    if isinstance(content, list):
        return tuple(map(parse_block, content))  # most are
    if content is None:
        return ()
    if isinstance(content, str | bytes):
        return (TextBlock(text=_as_text(content)),)
    if isinstance(content, ContentBlock | Mapping):
        return (parse_block(content),)
    if isinstance(content, Sequence):
        return tuple(parse_block(item) for item in content)
    raise InvalidInput("the content of a message is neither text nor blocks", hint=_HINT)


def parse_block(block: object) -> ContentBlock:
    """Return one block, whatever its spelling.

    Raises:
        InvalidInput: it is neither a text nor an object.
    """
    if type(block) is dict:
        return _parse_mapping(block)  # most are
    if isinstance(block, ContentBlock):
        return block
    if isinstance(block, str | bytes):
        return TextBlock(text=_as_text(block))
    if not isinstance(block, Mapping):
        raise InvalidInput("a content block is neither text nor an object", hint=_HINT)
    return _parse_mapping(block)


def _parse_mapping(block: Mapping[str, Any]) -> ContentBlock:
    kind = block.get("type")
    if kind in _TEXT_KINDS and (text := _text_of(block, "text", "refusal")) is not None:
        return TextBlock(text=text)
    if kind == "thinking" and (text := _text_of(block, "thinking", "text")) is not None:
        return ThinkingBlock(thinking=text, signature=_text_of(block, "signature") or None)
    if kind in _IMAGE_KINDS and not _is_uploaded(block):
        return _image(block)
    if kind in _TOOL_USE_KINDS and isinstance(block.get("name"), str):
        return _tool_use(block)
    if kind in _TOOL_RESULT_KINDS:
        return _tool_result(block)
    if kind == "other" and isinstance(block.get("value"), dict):
        return OtherBlock(kind=str(block.get("kind", "")), value=block["value"])
    return OtherBlock(kind=kind if isinstance(kind, str) else "", value=dict(block))


def _is_uploaded(image: Mapping[str, Any]) -> bool:
    """Return whether an image refers to a file at the provider by its id."""
    source = image.get("source")
    fields = source if isinstance(source, Mapping) else image
    return isinstance(fields.get("file_id"), str)


def _tool_use(block: Mapping[str, Any]) -> ToolUseBlock:
    arguments = block.get("input", block.get("arguments", {}))
    if isinstance(arguments, str) and "input" not in block:
        arguments = _parsed_arguments(arguments) if arguments.strip() else {}
    is_custom = block.get("type") == _CUSTOM or block.get("is_custom") is True
    return ToolUseBlock(
        name=block["name"],
        input=arguments,
        id=_text_of(block, "call_id", "id", "toolCallId"),
        is_custom=is_custom or msgspec.UNSET,
    )


def _parsed_arguments(text: str) -> JsonValue:
    """Return the arguments that OpenAI writes as JSON inside a text; other text stays text."""
    try:
        parsed: JsonValue = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return text
    return parsed


def _tool_result(block: Mapping[str, Any]) -> ToolResultBlock:
    content = block.get("content", block.get("output", ()))
    if isinstance(content, str):
        blocks: tuple[ContentBlock, ...] = (TextBlock(text=content),)  # most are
    elif isinstance(content, bytes | Mapping | Sequence | None):
        blocks = parse_content(content)
    else:
        blocks = parse_content(str(content))
    return ToolResultBlock(
        content=tuple(b if isinstance(b, PlainBlock) else _as_other(b) for b in blocks),
        tool_use_id=_text_of(block, "tool_use_id", "toolCallId", "call_id"),
        name=_text_of(block, "name", "toolName"),
        is_error=bool(block.get("is_error", block.get("isError", False))),
    )


def _as_other(block: ContentBlock) -> OtherBlock:
    value: dict[str, Any] = msgspec.to_builtins(block)
    return OtherBlock(kind=value["type"], value=value)


def _image(block: Mapping[str, Any]) -> ImageBlock:
    source = block.get("source", block.get("image_url", block))
    if isinstance(source, str):
        source = {"url": source}
    elif not isinstance(source, Mapping):
        source = block
    data, url = source.get("data"), _text_of(source, "url")
    media_type = _text_of(source, "media_type", "mimeType", "mime_type")
    if url is not None and url.startswith("data:"):
        head, _, data = url.partition(",")
        media_type, url = media_type or head[5:].partition(";")[0] or None, None
    inline = data if isinstance(data, str) else None
    return ImageBlock(
        media_type=media_type,
        alt=_text_of(block, "alt", "caption", "alt_text", "title"),
        url=url,
        size_bytes=_text_of_int(block, "size_bytes") if inline is None else _decoded_size(inline),
        sha256=_text_of(block, "sha256") if inline is None else _digest(inline),
    )


def rewritten(
    block: ContentBlock, text: Callable[[str], str], value: Callable[[JsonValue], JsonValue]
) -> ContentBlock:
    """Return a block whose texts and JSON values went through two functions; names are values."""
    match block:
        case TextBlock():
            words = text(block.text)
            return block if words is block.text else TextBlock(text=words)
        case ThinkingBlock():
            thinking = text(block.thinking)
            signature = block.signature if thinking == block.thinking else None
            return ThinkingBlock(thinking=thinking, signature=signature)
        case ImageBlock():
            alt, url = (None if words is None else text(words) for words in (block.alt, block.url))
            kind = value(block.media_type)
            return msgspec.structs.replace(block, alt=alt, url=url, media_type=kind)
        case ToolUseBlock():
            name, call, arguments = value(block.name), value(block.id), value(block.input)
            return msgspec.structs.replace(block, name=name, id=call, input=arguments)
        case ToolResultBlock():
            inner = tuple(rewritten(each, text, value) for each in block.content)
            name, call = value(block.name), value(block.tool_use_id)
            return msgspec.structs.replace(block, content=inner, name=name, tool_use_id=call)
        case OtherBlock():
            kind, payload = value(block.kind), value(block.value)
            return msgspec.structs.replace(block, kind=kind, value=payload)


def _decoded_size(base64_text: str) -> int:
    return len(base64_text) * 3 // 4 - base64_text[-2:].count("=")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _text_of_int(block: Mapping[str, Any], key: str) -> int | None:
    value = block.get(key)
    return value if isinstance(value, int) else None


def _text_of(block: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first of ``keys`` that holds a text."""
    for key in keys:
        if isinstance(value := block.get(key), str):
            return value
    return None


def _as_text(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode("utf-8", "replace")


def readable_text(blocks: Sequence[ContentBlock]) -> str:
    """Return the text of the blocks that can be read and searched, one line or more for each.

    Texts are whole. An image gives its caption, a tool its name and the first `TOOL_TEXT_CHARS`
    characters of its input or output, thinking nothing.
    """
    return "\n".join(text for block in blocks if (text := _readable(block)))


def only_said(text: str, blocks: Sequence[ContentBlock]) -> str:
    r"""Return the readable text of blocks with spaces for everything that the speaker did not say.

    The length is the same: inputs and outputs of tools, and pictures, are blanked out.

    >>> call = ToolUseBlock(id=None, name="ls", input={})
    >>> only_said("ls\nDone.", [call, TextBlock(text="Done.")])
    '   Done.'
    """
    parts: list[str] = []
    end = 0
    for block in blocks:
        if isinstance(block, TextBlock) and (at := text.find(block.text, end)) >= 0:
            parts += [" " * (at - end), block.text]
            end = at + len(block.text)
    return "".join(parts) + " " * (len(text) - end)


def _readable(block: ContentBlock) -> str:
    match block:
        case TextBlock():
            return block.text
        case ImageBlock():
            return block.alt or ""
        case ToolUseBlock():
            return f"{block.name}: {_shortened(_flat(block.input))}".removesuffix(": ")
        case ToolResultBlock():
            return _shortened(readable_text(block.content))
        case OtherBlock():
            return _text_of(block.value, "text", "title", "summary") or _titles(block.value)
        case ThinkingBlock():
            return ""


def _titles(value: Mapping[str, Any]) -> str:
    """Return the titles in the results of a provider's own tool, such as a web search."""
    content = value.get("content")
    parts = content if isinstance(content, list) else ()
    titles = [_text_of(part, "title", "text") for part in parts if isinstance(part, Mapping)]
    return _shortened("\n".join(name for name in titles if name))


def _shortened(text: str) -> str:
    return text if len(text) <= TOOL_TEXT_CHARS else text[: TOOL_TEXT_CHARS - 1] + "…"


def _flat(value: JsonValue) -> str:
    """Return a tool's input as words: ``key=value`` for an object, JSON for what is inside it."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return " ".join(f"{key}={_flat(item)}" for key, item in value.items())
    return msgspec.json.encode(value).decode()


IsRecall: TypeAlias = "Callable[[str | None, object], bool]"
"""Returns whether a tool, given these arguments, asks this memory."""

RECALLED = "recalled"
"""The key in a message's metadata for the calls to this memory in it, made or answered."""
ANSWER = TextBlock(text="(recalled, and not stored again)")


def never(tool_name: str | None, arguments: object) -> bool:
    """Return False: no call is one to this memory."""
    return False


def recalled_in(metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the ids of the calls to this memory that a message's metadata name."""
    ids = metadata.get(RECALLED)
    return frozenset(map(str, ids)) if isinstance(ids, list) else frozenset()


def calls_of_ours(blocks: Iterable[ContentBlock], is_recall: IsRecall) -> list[str]:
    """Return the ids of the calls to this memory in a message; empty for a call without one."""
    return [
        block.id or ""
        for block in blocks
        if isinstance(block, ToolUseBlock) and is_recall(block.name, block.input)
    ]


def is_answer(block: ContentBlock, calls: Collection[str], is_recall: IsRecall = never) -> bool:
    """Return whether a block is the result of one of some calls, or of a tool of this memory."""
    return isinstance(block, ToolResultBlock) and (
        block.tool_use_id in calls or (block.name is not None and is_recall(block.name, None))
    )


def emptied(block: ContentBlock) -> ContentBlock:
    """Return a result without its content."""
    if isinstance(block, ToolResultBlock):
        return msgspec.structs.replace(block, content=(ANSWER,))
    return ANSWER


def spoken(blocks: Iterable[ContentBlock], calls: Collection[str]) -> list[ContentBlock]:
    """Return the blocks that have readable text: neither calls to this memory nor their results."""
    return [
        block
        for block in blocks
        if not (isinstance(block, ToolUseBlock) and (block.id or "") in calls)
        and not (
            block == ANSWER or (isinstance(block, ToolResultBlock) and ANSWER in block.content)
        )
    ]
