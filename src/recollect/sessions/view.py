"""The view of a session: a summary of what is long ago, and the newest messages as they were said.

Reads only the end of a transcript, as much as the budget holds, and never cuts between a tool call
and its result. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from recollect.sessions.compaction import Compaction
from recollect.sessions.message import Message
from recollect.sessions.size import Sizer
from recollect.sessions.tool_pairs import pairs, spans
from recollect.text.summary import shortened

ReadNewest = Callable[[int | None, int], list[Message]]
"""Returns the newest messages ahead of a seq, or of all, so many at most, oldest first."""

_BATCH = 64
_LARGEST_BATCH = 1_024
_LOOK_BACK = 512
"""So many messages ahead of the view are read to find the calls of its results."""


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
        is_full: A compaction is due.
    """

    session_id: str
    summary: str | None
    messages: tuple[Message, ...]
    tokens: int
    through_seq: int
    omitted: int
    is_full: bool


class Tail(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a transcript.

    Attributes:
        messages: What of it fits into the budget, oldest first, no pair torn.
        ahead: What was read ahead of them.
        costs: What each of ``messages`` costs, in tokens.
        is_whole: Nothing stands ahead of what was read.
    """

    messages: Sequence[Message]
    ahead: Sequence[Message]
    costs: Sequence[int]
    is_whole: bool

    def shown(self) -> tuple[list[Message], int]:
        """Return the messages and their cost, without results of calls that are not there."""
        lost = stranded([*self.ahead, *self.messages])
        kept = [
            (message, cost)
            for message, cost in zip(self.messages, self.costs, strict=True)
            if message.seq not in lost
        ]
        return [message for message, _ in kept], sum(cost for _, cost in kept)


def summary_within(compaction: Compaction | None, budget: int, sizer: Sizer) -> str | None:
    """Return the summary of a view; in a small budget the half of it that matters most."""
    if compaction is None:
        return None
    return shortened(compaction.summary, budget // 2, sizer.text) or None


def read_tail(read: ReadNewest, budget: int, sizer: Sizer) -> Tail:
    """Return the newest messages that fit into a budget, with what is needed to know their pairs.

    Args:
        read: Gives the messages.
        budget: Tokens; what does not fit as a whole is left out, and everything ahead of it.
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
    if not is_whole and stranded(found) & {message.seq for message in found[place:]}:
        more = read(found[0].seq, _LOOK_BACK)
        found, place, is_whole = [*more, *found], place + len(more), len(more) < _LOOK_BACK
    place = _whole_from(found, place)
    kept = costs[: len(found) - place][::-1]
    return Tail(messages=found[place:], ahead=found[:place], costs=kept, is_whole=is_whole)


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


def _whole_from(messages: Sequence[Message], place: int) -> int:
    """Return the first index from ``place`` on where the messages can be cut."""
    if place == len(messages):
        return place
    span = spans(messages)[messages[place].seq]
    if span.first == messages[place].seq:
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


def limit_turns(messages: Sequence[Message], turns: int | None) -> list[Message]:
    """Return the last turns of a list of messages: that many of the user's, with all behind them.

    Args:
        messages: Oldest first.
        turns: How many; 0 or None for all.
    """
    if not turns or turns < 0:
        return list(messages)
    starts = [index for index, message in enumerate(messages) if message.role == "user"]
    return list(messages[starts[-turns] :]) if len(starts) > turns else list(messages)
