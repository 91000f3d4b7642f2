"""The cost of a message in a prompt, and the cost at which a view is flushed and compacted.

All of a message counts, also the long outputs that no search reads: by the estimate of
`recollect.text.tokens` and its margin, or by a counter of the caller's. Knows no storage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from recollect.core.settings.sessions import ContextSettings
from recollect.sessions.record.content import (
    ContentBlock,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from recollect.sessions.record.message import Message
from recollect.text.tokens import estimate_tokens

CountTokens = Callable[[str], int]
"""Returns the tokens that a text costs in the prompt of the caller's model."""

MARGIN = 1.1
"""The estimate is within 14 % for most texts; see `recollect.text.tokens`."""
PER_MESSAGE = 4
"""Role and separators, as in the chat format of OpenAI."""
PER_IMAGE = 1_600
"""An image of the size that Anthropic shrinks larger ones to."""
PER_TOOL = 16
"""The id of a call, and the marks around its input or result."""
_CUT = "…"
"""The end of an input or output that is cut in the text of its message."""
_PIECE = 16_384
"""Characters that are counted at once."""


class Sizer:
    """Counts tokens.

    Args:
        count: An exact counter; the estimate with its margin if not given.
    """

    def __init__(self, count: CountTokens | None = None) -> None:
        self._exact = count

    def text(self, text: str) -> int:
        """Return the tokens that a text costs."""
        if self._exact is not None:
            return self._exact(text)
        return -int(-estimate_tokens(text) * MARGIN // 1)

    def message(self, message: Message, enough: int | None = None) -> int:
        """Return the tokens that a message costs; beyond ``enough``, counting may stop."""
        if self._exact is None and message.tokens and _is_readable(message):
            tools = sum(type(block) is not TextBlock for block in message.blocks)
            return PER_MESSAGE + PER_TOOL * tools + -int(-message.tokens * MARGIN // 1)
        size = PER_MESSAGE
        for part in _parts(message):
            size += part if isinstance(part, int) else self.text(part)
            if enough is not None and size > enough:
                break
        return size


def _is_readable(message: Message) -> bool:
    """Return whether the text of a message is all of it: no image, and no output cut short."""
    if all(type(block) is TextBlock for block in message.blocks):
        return True
    return _CUT not in message.text and all(_is_text(block) for block in message.blocks)


def _is_text(block: ContentBlock) -> bool:
    if type(block) is ToolResultBlock:
        return all(type(inner) is TextBlock for inner in block.content)
    return type(block) in {TextBlock, ToolUseBlock}


def _parts(message: Message) -> Iterator[str | int]:
    for block in message.blocks:
        for part in texts(block):
            if isinstance(part, int):
                yield part
            else:
                yield from (part[at : at + _PIECE] for at in range(0, len(part), _PIECE))


def texts(block: ContentBlock) -> Iterator[str | int]:
    """Yield the parts of a block that cost tokens: texts, and the tokens of what is not text."""
    match block:
        case TextBlock():
            yield block.text
        case ThinkingBlock():
            yield block.thinking
        case ImageBlock():
            yield PER_IMAGE
            yield block.alt or ""
        case ToolUseBlock():
            yield f"{block.name} {block.id or ''} {msgspec.json.encode(block.input).decode()}"
        case ToolResultBlock():
            yield block.tool_use_id or ""
            for inner in block.content:
                yield from texts(inner)
        case OtherBlock():
            yield msgspec.json.encode(block.value).decode()


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """Where a window ends for us, in tokens.

    Attributes:
        window: The tokens that the model can read at once.
        reserve: The tokens kept free after the compaction.
        soft: The distance from the compaction at which memory is flushed.
    """

    window: int
    reserve: int
    soft: int

    @property
    def compact(self) -> int:
        """The cost from which on a view is compacted."""
        return self.window - self.reserve

    @property
    def flush(self) -> int:
        """The cost from which on memory is flushed."""
        return max(0, self.compact - self.soft)


def openclaw_thresholds(window: int, reserve: int, soft: int) -> Thresholds:
    """Return the thresholds as OpenClaw has them: small windows keep most of themselves.

    Source: OpenClaw 2026.9: the reserve is a quarter of the window at most, the margin of the flush
    half of what is left at most.

    >>> openclaw_thresholds(8_192, 20_000, 4_000).compact
    6144
    """
    capped = min(max(0, reserve), window // 4)
    return Thresholds(window=window, reserve=capped, soft=_soft(window - capped, soft))


def thresholds_of(settings: ContextSettings, window: int | None = None) -> Thresholds:
    """Return the thresholds of the settings, for their window or another one."""
    size = settings.window_tokens if window is None else window
    if settings.reserve_tokens:
        return openclaw_thresholds(size, settings.reserve_tokens, settings.flush_soft_tokens)
    compact = int(size * settings.compact_at)
    return Thresholds(
        window=size, reserve=size - compact, soft=_soft(compact, settings.flush_soft_tokens)
    )


def _soft(available: int, soft: int) -> int:
    return min(max(0, soft), available // 2)
