"""The view of a session: a summary of what is long ago, and the newest messages as they were said.

Reads only the end of a transcript, as much as the budget holds, and never cuts between a tool call
and its result. What is newest is shown in any case, in part where it is too long. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from recollect.sessions.context.compaction import Compaction
from recollect.sessions.context.size import PER_MESSAGE, Sizer
from recollect.sessions.context.truncation import (
    LONGEST_MARK,
    truncate_messages,
    truncate_text,
    truncate_to_text,
)
from recollect.sessions.record.content import ContentBlock, TextBlock
from recollect.sessions.record.message import Message
from recollect.sessions.record.token_usage import read_usage
from recollect.sessions.record.tool_pairs import pairs, spans
from recollect.text.summary import shortened

ReadNewest = Callable[[int | None, int], list[Message]]
"""Returns the newest messages ahead of a seq, or of all, so many at most, oldest first."""

_BATCH = 64
_LARGEST_BATCH = 512
_LOOK_BACK = 512
"""So many messages ahead of the view are read to find the calls of its results."""
SMALLEST_BUDGET = 2 * (PER_MESSAGE + LONGEST_MARK + 1)
"""Tokens: half of it holds a summary, or a message, of which nothing but the mark is left."""


class ContextView(msgspec.Struct, frozen=True, kw_only=True):
    """What of a session stands in the prompt.

    Attributes:
        session_id: Whose view it is.
        summary: What was said up to ``through_seq``; None before the first compaction.
        messages: What was said since, oldest first, as much of it as the budget holds.
        tokens: What both cost in a prompt, the margin of the estimate included.
        through_seq: The last message that the summary stands for; 0 without one.
        omitted: Messages behind ``through_seq`` that are not shown: ahead of the first one shown
            because of the budget, or results of a call that is not shown.
        truncated: The seqs of messages that are shown in part, because the newest ones alone were
            too long: their longest texts are head and tail, with a mark of what is left out.
        is_full: A compaction is due.
    """

    session_id: str
    summary: str | None
    messages: tuple[Message, ...]
    tokens: int
    through_seq: int
    omitted: int
    truncated: tuple[int, ...] = ()
    is_full: bool


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a transcript.

    Attributes:
        messages: What of it fits into the budget, oldest first: no pair is torn, and no result
            stands there whose call does not.
        tokens: What they cost.
        is_all: There is nothing ahead of them, and all of them is there.
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


def read_tail(read: ReadNewest, budget: int, sizer: Sizer) -> Tail:
    """Return the newest messages that fit into a budget, with what is needed to know their pairs.

    Args:
        read: Gives the messages.
        budget: Tokens; what does not fit as a whole is left out, and everything ahead of it. Where
            nothing fits, the newest message is there in part, with the call that it answers.
        sizer: Counts tokens.
    """
    found: list[Message] = []
    costs: list[int] = []  # of the newest first
    size, is_whole, is_over = _BATCH, False, False
    while not (is_whole or is_over):
        batch = read(found[0].seq if found else None, size)
        found = [*batch, *found]
        is_whole = len(batch) < size
        fresh = _costs(batch, budget - sum(costs), sizer)
        is_over = len(fresh) < len(batch)
        costs += fresh
        size = min(2 * size, _LARGEST_BATCH)
    place = len(found) - len(costs)
    tools, lost = _tools(found)
    if not is_whole and any(message.seq in lost for message in found[place:]):
        more = read(found[0].seq, _LOOK_BACK)
        found, place = [*more, *found], place + len(more)
        tools, lost = _tools(found)
    place = _whole_from(found, tools, place)
    kept = zip(found[place:], costs[: len(found) - place][::-1], strict=True)
    shown = [(message, cost) for message, cost in kept if message.seq not in lost]
    tail = Tail(
        messages=tuple(message for message, _ in shown),
        tokens=sum(cost for _, cost in shown),
        is_all=is_whole and place == 0,
    )
    return tail if shown or not found else _in_part(tail, found, lost, (budget, sizer))


def told_tokens(messages: Sequence[Message], after_seq: int, sizer: Sizer) -> int:
    """Return what the next prompt holds as a provider told of the last one; 0 if none did.

    Source: OpenClaw: the usage of the last answer, and an estimate of what came behind it.

    Args:
        messages: Of a view, oldest first.
        after_seq: Answers up to here were given to another view.
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


def _in_part(tail: Tail, found: Sequence[Message], lost: set[int], room: tuple[int, Sizer]) -> Tail:
    """Return a tail with the newest message in it, where none fits as a whole.

    What its calls and results need stays with it. Where even that does not fit, and for a result
    of no call, it is a text.
    """
    budget, sizer = room
    newest = next((m for m in reversed(found) if m.seq not in lost), found[-1])
    span = spans(found)[newest.seq]
    together = [m for m in found if span.first <= m.seq <= span.last and m.seq not in lost]
    made = truncate_messages(together, budget, sizer) if together else None
    if made is None:
        together, text = [newest], truncate_to_text(newest, budget, sizer)
        made = () if text is None else (text,)
    both = zip(made, together, strict=bool(made))
    return msgspec.structs.replace(
        tail,
        messages=made,
        tokens=sum(map(sizer.message, made)),
        truncated=tuple(shown.seq for shown, whole in both if shown is not whole),
    )


def _costs(messages: Sequence[Message], budget: int, sizer: Sizer) -> list[int]:
    """Return what the newest messages cost, newest first, as many as fit into the budget."""
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
        message for message in messages if message.role == "tool" or not _is_text(message.content)
    ]
    return tools, stranded(tools)


def _is_text(content: tuple[ContentBlock, ...]) -> bool:
    return len(content) == 1 and type(content[0]) is TextBlock


def _whole_from(messages: Sequence[Message], tools: Sequence[Message], place: int) -> int:
    """Return the first index from ``place`` on where the messages can be cut."""
    if place in {0, len(messages)} or not tools:
        return place
    cut = messages[place].seq
    ends = [pair.result_seq for pair in pairs(tools) if (pair.call_seq or cut) < cut]
    if all(end is not None and end < cut for end in ends):
        return place
    span = spans(messages)[cut]
    if span.first == cut:
        return place
    return next((i for i, m in enumerate(messages) if m.seq > span.last), len(messages))


def stranded(messages: Sequence[Message]) -> set[int]:
    """Return the seqs of messages whose results all answer calls that are not here."""
    found = pairs(messages)
    joined = {pair.result_seq for pair in found if pair.call_seq is not None}
    return {
        pair.result_seq
        for pair in found
        if pair.call_seq is None and pair.call_id is not None and pair.result_seq is not None
    } - joined
