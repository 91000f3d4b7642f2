"""Recalled: calls that asked this memory, and their answers. Neither is text of a message.

The calls stay in the content, so that the transcript can be sent to a model again; an answer stays
as an empty block. A function that the composition root passes decides which calls these are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from recollect.sessions.record.content import (
    ContentBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)

IsRecall: TypeAlias = "Callable[[str | None, object], bool]"
"""Returns whether a tool, given these arguments, asks this memory."""

RECALLED = "recalled"
"""The key in a message's metadata that names the calls of ours in it, asked or answered."""
ANSWER = TextBlock(text="(recalled, and not stored again)")


def never(tool_name: str | None, arguments: object) -> bool:
    """Return False: no call is ours."""
    return False


def recalled_in(metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the ids of the calls of ours in a message."""
    named = metadata.get(RECALLED)
    return frozenset(map(str, named)) if isinstance(named, list) else frozenset()


def calls_of_ours(blocks: Iterable[ContentBlock], is_recall: IsRecall) -> list[str]:
    """Return the ids of the calls of ours in a message; an empty one for a call without an id."""
    return [
        block.id or ""
        for block in blocks
        if isinstance(block, ToolUseBlock) and is_recall(block.name, block.input)
    ]


def is_answer(block: ContentBlock, calls: Collection[str], is_recall: IsRecall = never) -> bool:
    """Return whether a block is the answer of one of some calls, or of a tool of ours by name."""
    return isinstance(block, ToolResultBlock) and (
        block.tool_use_id in calls or (block.name is not None and is_recall(block.name, None))
    )


def emptied(block: ContentBlock) -> ContentBlock:
    """Return an answer without its content."""
    if isinstance(block, ToolResultBlock):
        return msgspec.structs.replace(block, content=(ANSWER,))
    return ANSWER


def spoken(blocks: Iterable[ContentBlock], calls: Collection[str]) -> list[ContentBlock]:
    """Return the blocks that have readable text: neither calls of ours nor their answers."""
    return [
        block
        for block in blocks
        if not (isinstance(block, ToolUseBlock) and (block.id or "") in calls)
        and not (
            block == ANSWER or (isinstance(block, ToolResultBlock) and ANSWER in block.content)
        )
    ]
