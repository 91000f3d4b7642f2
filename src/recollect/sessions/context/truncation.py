"""Truncation: head and tail of what is too long for a prompt, with a mark of what is left out.

Of a message the blocks stay, so that a call keeps its result: their longest texts give way first.
Pure functions of messages; knows no storage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from recollect.sessions.context.size import PER_IMAGE, Sizer, texts
from recollect.sessions.record.content import (
    ContentBlock,
    ImageBlock,
    OtherBlock,
    PlainBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    readable_text,
)
from recollect.sessions.record.message import Message
from recollect.text.boundaries import safe_cut

IMAGE = "[… an image left out …]"
LONGEST_MARK = 15
"""Tokens of a mark, as the estimate has it."""

_IMAGE_CHARS = 4 * PER_IMAGE
"""An image gives way like a text that costs as much."""
_CLOSE = 16
"""What fills all but a sixteenth of the budget, or of what fits, is good enough."""

T = TypeVar("T")


def truncate(text: str, limit: int) -> str:
    """Return a text of at most about ``limit`` characters, the mark not counted.

    >>> truncate("0123456789", 4)
    '01[… 6 characters left out …]89'
    """
    if len(text) <= limit:
        return text
    head = safe_cut(text, (limit + 1) // 2)
    tail = max(head, safe_cut(text, len(text) - limit // 2))
    return f"{text[:head]}[… {tail - head:,} characters left out …]{text[tail:]}"


def truncate_text(text: str, budget: int, count: Callable[[str], int]) -> str | None:
    """Return as much of a text as a budget of tokens holds; None where it holds no mark."""
    return _largest(lambda limit: truncate(text, limit), count, len(text), budget)


def truncate_messages(
    messages: Sequence[Message], budget: int, sizer: Sizer
) -> tuple[Message, ...] | None:
    """Return messages within a budget; those that are whole are the same objects.

    Every text has the same limit, so the short ones stay whole. None where the ids of calls and the
    marks alone are too much.
    """
    return _largest(
        lambda limit: tuple(_truncated(message, limit) for message in messages),
        lambda made: sum(sizer.message(message, budget) for message in made),
        max(len(msgspec.json.encode(message.content)) for message in messages) + _IMAGE_CHARS,
        budget,
    )


def truncate_to_text(message: Message, budget: int, sizer: Sizer) -> Message | None:
    """Return a message as one text within a budget: no call and no result; None if none fits."""
    parts = [part for block in message.content for part in texts(block)]
    whole = "\n".join(IMAGE if isinstance(part, int) else part for part in parts if part)
    return _largest(
        lambda limit: _with(message, (TextBlock(text=truncate(whole, limit)),)),
        lambda made: sizer.message(made, budget),
        len(whole),
        budget,
    )


def _largest(
    make: Callable[[int], T], cost: Callable[[T], int], most: int, budget: int
) -> T | None:
    """Return what is made with about the greatest limit whose cost a budget holds."""
    whole = make(most)
    if cost(whole) <= budget:
        return whole
    best = make(0)
    if cost(best) > budget:
        return None
    low, high, limit = 0, most, min(budget, most - 1)
    while high - low > 1 + low // _CLOSE:
        made = make(limit)
        spent = cost(made)
        if spent <= budget:
            best, low = made, limit
            if spent > budget - budget // _CLOSE:
                break
            limit = limit * budget // max(1, spent)
        else:
            high = limit
        if not low + low // _CLOSE < limit < high:
            limit = (low + high) // 2
    return best


def _truncated(message: Message, limit: int) -> Message:
    content = tuple(_block(block, limit) for block in message.content)
    return message if content == message.content else _with(message, content)


def _with(message: Message, content: tuple[ContentBlock, ...]) -> Message:
    text = readable_text(content)
    return msgspec.structs.replace(message, content=content, text=text, tokens=0)


def _block(block: ContentBlock, limit: int) -> ContentBlock:
    match block:
        case ThinkingBlock():
            return ThinkingBlock(thinking=truncate(block.thinking, limit))
        case ToolUseBlock():
            spelled = msgspec.json.encode(block.input).decode()
            if len(spelled) <= limit:
                return block
            return msgspec.structs.replace(block, input={"truncated": truncate(spelled, limit)})
        case ToolResultBlock():
            content = tuple(_plain_block(inner, limit) for inner in block.content)
            return msgspec.structs.replace(block, content=content)
        case TextBlock() | ImageBlock() | OtherBlock():
            return _plain_block(block, limit)


def _plain_block(block: PlainBlock, limit: int) -> PlainBlock:
    match block:
        case TextBlock():
            return TextBlock(text=truncate(block.text, limit))
        case ImageBlock():
            return block if limit >= _IMAGE_CHARS else TextBlock(text=IMAGE)
        case OtherBlock():
            spelled = msgspec.json.encode(block.value).decode()
            return block if len(spelled) <= limit else TextBlock(text=truncate(spelled, limit))
