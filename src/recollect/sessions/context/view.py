"""The view of a session: a summary of the older messages, and the newest ones as they were said.

Reads only the end of a transcript, as much as the budget holds, and never cuts between a tool call
and its result. What is newest is shown in any case; where it is too long as head and tail, with a
mark of what is left out: the longest texts of a message give way first, and its blocks stay, so
that a call keeps its result. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from recollect.sessions.context.compaction import Compaction
from recollect.sessions.context.size import PER_IMAGE, PER_MESSAGE, Sizer, texts
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
from recollect.sessions.record.token_usage import read_usage
from recollect.sessions.record.tool_call import pairs, spans
from recollect.text.boundaries import brief_repr, safe_cut
from recollect.text.summary.extractive import shortened

ReadNewest = Callable[[int | None, int], list[Message]]
"""Returns at most so many of the newest messages before a seq, or of all, oldest first."""

_BATCH = 64
_LARGEST_BATCH = 512
_LOOK_BACK = 512
"""Messages before the view that are read to find the calls of its results."""
IMAGE = "[… an image left out …]"
LONGEST_MARK = 15
"""Tokens of a mark, as estimated."""

_IMAGE_CHARS = 4 * PER_IMAGE
"""An image is shortened like a text that costs as much."""
_CLOSE = 16
"""A result within a sixteenth of the budget, or of the greatest limit, is good enough."""

T = TypeVar("T")
SMALLEST_BUDGET = 2 * (PER_MESSAGE + LONGEST_MARK + 1)
"""Tokens: half of it holds a summary, or a message, of which nothing but the mark is left."""


class ContextView(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a session that is in the prompt.

    Attributes:
        session_id: The session of the view.
        summary: What was said up to ``through_seq``; None before the first compaction.
        messages: What was said since, oldest first, as much of it as the budget holds.
        tokens: What both cost in a prompt, the margin of the estimate included.
        through_seq: The last message that the summary replaces; 0 without one.
        omitted: Messages after ``through_seq`` that are not shown: before the first one shown
            because of the budget, or results of a call that is not shown.
        truncated: The seqs of messages that are shown in part, because the newest ones alone were
            too long: their longest texts are head and tail, with a mark of what is left out.
        is_full: A compaction is due.
    """

    __repr__ = brief_repr

    session_id: str
    summary: str | None
    messages: tuple[Message, ...]
    tokens: int
    through_seq: int
    omitted: int
    truncated: tuple[int, ...] = ()
    is_full: bool

    def as_openai(self, system: str | None = None) -> list[dict[str, Any]]:
        """Return the ``messages`` of a request to OpenAI's chat completions, as plain JSON.

        The summary is a message of the user's at the beginning. Results of tools follow their call;
        a call that the conversation left behind without a result gets one that says so, those at
        the end stay open. Ids of calls that OpenAI or Anthropic would refuse are replaced, by the
        same ones each time.

        Args:
            system: Instructions that come first.
        """
        from recollect.sessions.context.prompt import as_openai

        return as_openai(self.messages, self.summary, system)

    def as_openai_responses(self, system: str | None = None) -> list[dict[str, Any]]:
        """Return the ``input`` of a request to OpenAI's Responses, as plain JSON.

        As `as_openai`; items of Responses keep their ids, and reasoning precedes what it led
        to.

        Args:
            system: Instructions that come first.
        """
        from recollect.sessions.context.prompt import as_openai_responses

        return as_openai_responses(self.messages, self.summary, system)

    def as_anthropic(self, system: str | None = None) -> dict[str, Any]:
        """Return ``messages``, and ``system`` where there are instructions, of a request.

        As `as_openai`; the user speaks first, and then roles alternate. Messages with the role
        ``system`` are instructions. Thoughts are there where their signature is.

        Args:
            system: Instructions that come first.
        """
        from recollect.sessions.context.prompt import as_anthropic

        return as_anthropic(self.messages, self.summary, system)


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a transcript.

    Attributes:
        messages: The part that fits into the budget, oldest first: no pair is torn, and no result
            is there without its call.
        tokens: What they cost.
        is_all: There is nothing before them, and all of them is there.
        truncated: The seqs of those that are there in part.
    """

    messages: tuple[Message, ...]
    tokens: int
    is_all: bool
    truncated: tuple[int, ...] = ()


def summary_within(compaction: Compaction | None, budget: int, sizer: Sizer) -> str | None:
    """Return the summary of a view; in a small budget the half of it that matters most."""
    if compaction is None:
        return None
    room, whole = budget // 2, compaction.summary
    return shortened(whole, room, sizer.text) or truncate_text(whole, room, sizer.text)


def read_tail(read_newest: ReadNewest, budget: int, sizer: Sizer, most: int | None = None) -> Tail:
    """Return the newest messages that fit into a budget, with what is needed to know their pairs.

    Args:
        read_newest: Reads the messages.
        budget: Tokens; what does not fit as a whole is left out, and everything before it. Where
            nothing fits, the newest message is there in part, with the call that it answers.
        sizer: Counts tokens.
        most: Messages at most; None for any number.
    """
    messages: list[Message] = []
    costs: list[int] = []  # of the newest first
    size, is_whole, is_over = _BATCH if most is None else min(_BATCH, most + 1), False, False
    while not (is_whole or is_over):
        batch = read_newest(messages[0].seq if messages else None, size)
        messages = [*batch, *messages]
        is_whole = len(batch) < size
        fresh = _costs(batch, budget - sum(costs), sizer)
        fresh = fresh if most is None else fresh[: most - len(costs)]
        is_over = len(fresh) < len(batch)
        costs += fresh
        size = min(2 * size, _LARGEST_BATCH)
    start = len(messages) - len(costs)
    tools, orphans = _tools(messages)
    if not is_whole and any(message.seq in orphans for message in messages[start:]):
        more = read_newest(messages[0].seq, _LOOK_BACK)
        messages, start = [*more, *messages], start + len(more)
        tools, orphans = _tools(messages)
    start = _whole_from(messages, tools, start)
    with_costs = zip(messages[start:], costs[: len(messages) - start][::-1], strict=True)
    visible = [(message, cost) for message, cost in with_costs if message.seq not in orphans]
    tail = Tail(
        messages=tuple(message for message, _ in visible),
        tokens=sum(cost for _, cost in visible),
        is_all=is_whole and start == 0,
    )
    return tail if visible or not messages else _in_part(tail, messages, orphans, (budget, sizer))


def reported_tokens(messages: Sequence[Message], after_seq: int, sizer: Sizer) -> int:
    """Return the tokens of the next prompt, from a provider's count of the last; 0 without one.

    Source: OpenClaw: the usage of the last answer, and an estimate of what came after it.

    Args:
        messages: Of a view, oldest first.
        after_seq: Answers up to here belong to another view.
        sizer: Counts tokens.
    """
    later = 0
    for message in reversed(messages):
        if message.seq <= after_seq:
            break
        usage = read_usage(message.metadata)
        if usage is not None and usage.in_context:
            return usage.in_context + usage.output + later
        later += sizer.message(message)
    return 0


def _in_part(
    tail: Tail, messages: Sequence[Message], orphans: set[int], room: tuple[int, Sizer]
) -> Tail:
    """Return a tail with the newest message in it, where none fits as a whole.

    What its calls and results need stays with it. Where even that does not fit, and for a result
    of no call, it is a text.
    """
    budget, sizer = room
    newest = next((m for m in reversed(messages) if m.seq not in orphans), messages[-1])
    span = spans(messages)[newest.seq]
    together = [m for m in messages if span.first <= m.seq <= span.last and m.seq not in orphans]
    fitting = truncate_messages(together, budget, sizer) if together else None
    if fitting is None:
        together, text = [newest], truncate_to_text(newest, budget, sizer)
        fitting = () if text is None else (text,)
    both = zip(fitting, together, strict=bool(fitting))
    return msgspec.structs.replace(
        tail,
        messages=fitting,
        tokens=sum(map(sizer.message, fitting)),
        truncated=tuple(part.seq for part, whole in both if part != whole),
    )


def _costs(messages: Sequence[Message], budget: int, sizer: Sizer) -> list[int]:
    """Return the costs of the newest messages, newest first, as many as fit into the budget."""
    costs: list[int] = []
    for message in reversed(messages):
        cost = sizer.message(message, budget)
        if cost > budget:
            break
        costs.append(cost)
        budget -= cost
    return costs


def _tools(messages: Sequence[Message]) -> tuple[list[Message], set[int]]:
    """Return the messages that pairs depend on, and the seqs of those with results of no call."""
    tools = [
        message for message in messages if message.role == "tool" or not _is_text(message.blocks)
    ]
    return tools, stranded(tools)


def _is_text(content: tuple[ContentBlock, ...]) -> bool:
    return len(content) == 1 and type(content[0]) is TextBlock


def _whole_from(messages: Sequence[Message], tools: Sequence[Message], start: int) -> int:
    """Return the first index from ``place`` on where the messages can be cut."""
    if start in {0, len(messages)} or not tools:
        return start
    cut = messages[start].seq
    ends = [pair.result_seq for pair in pairs(tools) if (pair.call_seq or cut) < cut]
    if all(end is not None and end < cut for end in ends):
        return start
    span = spans(messages)[cut]
    if span.first == cut:
        return start
    return next((i for i, m in enumerate(messages) if m.seq > span.last), len(messages))


def stranded(messages: Sequence[Message]) -> set[int]:
    """Return the seqs of messages whose results all answer calls that are not here."""
    tool_pairs = pairs(messages)
    joined = {pair.result_seq for pair in tool_pairs if pair.call_seq is not None}
    return {
        pair.result_seq
        for pair in tool_pairs
        if pair.call_seq is None and pair.call_id is not None and pair.result_seq is not None
    } - joined


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
        lambda candidate: sum(sizer.message(message, budget) for message in candidate),
        max(len(msgspec.json.encode(message.blocks)) for message in messages) + _IMAGE_CHARS,
        budget,
    )


def truncate_to_text(message: Message, budget: int, sizer: Sizer) -> Message | None:
    """Return a message as one text within a budget: no call and no result; None if none fits."""
    parts = [part for block in message.blocks for part in texts(block)]
    whole = "\n".join(IMAGE if isinstance(part, int) else part for part in parts if part)
    return _largest(
        lambda limit: _with(message, (TextBlock(text=truncate(whole, limit)),)),
        lambda candidate: sizer.message(candidate, budget),
        len(whole),
        budget,
    )


def _largest(
    make: Callable[[int], T], cost: Callable[[T], int], most: int, budget: int
) -> T | None:
    """Return the result of about the greatest limit whose cost fits a budget; None if none does."""
    whole = make(most)
    if cost(whole) <= budget:
        return whole
    best = make(0)
    if cost(best) > budget:
        return None
    low, high, limit = 0, most, min(budget, most - 1)
    while high - low > 1 + low // _CLOSE:
        candidate = make(limit)
        spent = cost(candidate)
        if spent <= budget:
            best, low = candidate, limit
            if spent > budget - budget // _CLOSE:
                break
            limit = limit * budget // max(1, spent)
        else:
            high = limit
        if not low + low // _CLOSE < limit < high:
            limit = (low + high) // 2
    return best


def _truncated(message: Message, limit: int) -> Message:
    content = tuple(_block(block, limit) for block in message.blocks)
    return message if content == message.blocks else _with(message, content)


def _with(message: Message, content: tuple[ContentBlock, ...]) -> Message:
    text = readable_text(content)
    return msgspec.structs.replace(message, blocks=content, text=text, tokens=0)


def _block(block: ContentBlock, limit: int) -> ContentBlock:
    match block:
        case ThinkingBlock():
            if len(block.thinking) <= limit:
                return block
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
