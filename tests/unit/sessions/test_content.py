"""Content blocks: the spellings that come in, and what of them is readable."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput
from recollect.sessions.record.content import (
    TOOL_TEXT_CHARS,
    ContentBlock,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    parse_block,
    parse_content,
    readable_text,
)

PLAIN = st.one_of(
    st.builds(TextBlock, text=st.text()),
    st.builds(ImageBlock, alt=st.none() | st.text(), size_bytes=st.none() | st.integers(0, 2**40)),
    st.builds(OtherBlock, kind=st.text(), value=st.dictionaries(st.text(), st.text())),
)
BLOCK = st.one_of(
    PLAIN,
    st.builds(ThinkingBlock, thinking=st.text()),
    st.builds(ToolUseBlock, name=st.text(), id=st.none() | st.text()),
    st.builds(ToolResultBlock, content=st.lists(PLAIN).map(tuple), is_error=st.booleans()),
)


def test_a_text_is_one_text_block() -> None:
    """Most messages are plain text."""
    assert parse_content("hello") == (TextBlock(text="hello"),)
    assert parse_content(b"caf\xe9") == (TextBlock(text="caf\ufffd"),)


def test_nothing_is_no_block() -> None:
    """OpenClaw writes messages without content."""
    assert parse_content(None) == parse_content([]) == ()
    assert readable_text(()) == ""


@pytest.mark.parametrize(
    ("spelling", "block"),
    [
        ("hi", TextBlock(text="hi")),
        ({"type": "text", "text": "hi"}, TextBlock(text="hi")),
        ({"type": "input_text", "text": "hi"}, TextBlock(text="hi")),
        ({"type": "refusal", "refusal": "no"}, TextBlock(text="no")),
        (
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            ThinkingBlock(thinking="hm", signature="x"),
        ),
        (
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            ToolUseBlock(id="t1", name="Bash", input={"command": "ls"}),
        ),
        (
            {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"path": "a"}},
            ToolUseBlock(id="t1", name="read", input={"path": "a"}),
        ),
        (
            {"type": "function_call", "call_id": "t1", "name": "f", "arguments": '{"a":1}'},
            ToolUseBlock(id="t1", name="f", input={"a": 1}),
        ),
        (
            {"type": "function_call", "name": "f", "arguments": "{broken"},
            ToolUseBlock(name="f", input="{broken"),
        ),
        (
            {"type": "tool_result", "tool_use_id": "t1", "content": "out", "is_error": True},
            ToolResultBlock(tool_use_id="t1", content=(TextBlock(text="out"),), is_error=True),
        ),
        (
            {"type": "toolResult", "toolCallId": "t1", "content": [{"type": "text", "text": "o"}]},
            ToolResultBlock(tool_use_id="t1", content=(TextBlock(text="o"),)),
        ),
        (
            {"type": "function_call_output", "call_id": "t1", "output": 7},
            ToolResultBlock(tool_use_id="t1", content=(TextBlock(text="7"),)),
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://a/b.png"}, "alt": "cat"},
            ImageBlock(url="https://a/b.png", alt="cat"),
        ),
        ({"type": "input_image", "image_url": "https://a/b"}, ImageBlock(url="https://a/b")),
        ({"type": "image", "source": 3}, ImageBlock()),
        (
            {"type": "document", "title": "Lease"},
            OtherBlock(kind="document", value={"type": "document", "title": "Lease"}),
        ),
        ({"text": "bare"}, OtherBlock(kind="", value={"text": "bare"})),
        ({"type": "tool_use"}, OtherBlock(kind="tool_use", value={"type": "tool_use"})),
    ],
)
def test_known_spellings_become_our_blocks(spelling: object, block: ContentBlock) -> None:
    """Anthropic, OpenAI and OpenClaw write the same things differently."""
    assert parse_block(spelling) == block


@pytest.mark.parametrize(
    "spelling",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
        {"type": "image", "data": "QUJD", "mimeType": "image/png"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
    ],
)
def test_the_bytes_of_an_image_are_not_kept(spelling: dict[str, Any]) -> None:
    """A placeholder says what it was: type, size, digest."""
    block = parse_block(spelling)
    assert isinstance(block, ImageBlock)
    assert (block.media_type, block.size_bytes, block.url) == ("image/png", 3, None)
    assert "QUJD" not in msgspec.json.encode(block).decode()
    assert parse_block(msgspec.to_builtins(block)) == block


@pytest.mark.parametrize("content", [42, 3.5, True, object(), [42], [["nested"]]])
def test_what_is_no_content_is_refused(content: Any) -> None:
    """A number is the caller's mistake; the error says what to pass."""
    with pytest.raises(InvalidInput) as caught:
        parse_content(content)
    assert "block" in caught.value.hint


@given(st.lists(BLOCK, max_size=4))
def test_our_own_blocks_round_trip_through_json(blocks: list[Any]) -> None:
    """What is stored reads back as what it was, also through the parser of spellings."""
    stored = msgspec.json.encode(blocks)
    assert msgspec.json.decode(stored, type=list[ContentBlock]) == blocks
    assert list(parse_content(msgspec.json.decode(stored))) == blocks


def test_readable_text_has_words_and_tools_but_no_thoughts() -> None:
    """Captions, tool names, inputs and outputs are found; thinking is not searched."""
    blocks = parse_content(
        [
            {"type": "thinking", "thinking": "secret plan"},
            {"type": "text", "text": "Renaming."},
            {"type": "image", "alt": "a red fox", "data": "QUJD"},
            {"type": "tool_use", "name": "Edit", "input": {"file": "a.py", "lines": [1, 2]}},
            {"type": "tool_use", "name": "Stop", "input": {}},
            {"type": "tool_result", "content": "done"},
            {"type": "document", "title": "Lease"},
        ]
    )
    assert readable_text(blocks).split("\n") == [
        "Renaming.",
        "a red fox",
        "Edit: file=a.py lines=[1,2]",
        "Stop",
        "done",
        "Lease",
    ]


def test_long_tool_output_is_cut_in_the_readable_text_only() -> None:
    """The whole output stays in the content."""
    blocks = parse_content([{"type": "tool_result", "content": "x" * 9_000}])
    assert len(readable_text(blocks)) == TOOL_TEXT_CHARS
    assert isinstance(blocks[0], ToolResultBlock)
    assert blocks[0].content == (TextBlock(text="x" * 9_000),)


def test_an_answer_inside_an_answer_is_kept_as_it_came() -> None:
    """A tool result holds plain blocks; others are kept without meaning."""
    block = parse_block({"type": "tool_result", "content": [{"type": "tool_use", "name": "x"}]})
    assert isinstance(block, ToolResultBlock)
    assert isinstance(block.content[0], OtherBlock)
