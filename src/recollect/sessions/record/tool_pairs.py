"""Tool pairs: which messages of a transcript belong to each other because one answers the other.

A call without its result, or a result without its call, is refused by every model. Code that shows
or removes a part of a transcript therefore cuts only where `spans` allows it. Pure functions of
messages; knows no storage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from recollect.sessions.record.content import TextBlock, ToolResultBlock, ToolUseBlock
from recollect.sessions.record.message import Message


class ToolPair(msgspec.Struct, frozen=True, kw_only=True):
    """A call and its result.

    Attributes:
        call_id: The id that the model gave the call, where it gave one.
        tool_name: What was called, where it is known.
        call_seq: The message that asked; None for a result without a call.
        result_seq: The message that answered; None while the call is pending.
    """

    call_id: str | None
    tool_name: str | None
    call_seq: int | None = None
    result_seq: int | None = None


class Span(msgspec.Struct, frozen=True):
    """Messages that stay together: from the seq ``first`` to the seq ``last`` included."""

    first: int
    last: int


def pairs(messages: Iterable[Message]) -> tuple[ToolPair, ...]:
    """Return the calls of messages with their results, in the order in which they began.

    A result belongs to the newest call before it with the same id, as ids are used again by some
    providers; where it came first, to the next such call. A result without an id belongs to the
    newest call that nothing answered yet. A second result of one call is a pair of its own with
    the same call.
    """
    book = _Book()
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolUseBlock):
                book.call(block, message.seq)
            elif isinstance(block, ToolResultBlock):
                book.result(block, message.seq)
        if _answers_in_plain_text(message):
            book.result(ToolResultBlock(name=message.name), message.seq)
    return tuple(book.pairs())


def pending_calls(messages: Iterable[Message]) -> tuple[ToolPair, ...]:
    """Return the calls that have no result yet."""
    return tuple(pair for pair in pairs(messages) if pair.result_seq is None)


def spans(messages: Sequence[Message]) -> dict[int, Span]:
    """Return for the seq of each message the messages that must stay together with it.

    A call stays with its result and with all that is between them. A call that is still to be
    answered stays with everything after it: it is still to be answered while no user message came
    after it. A message without tools is a span of its own.
    """
    found = {message.seq: Span(message.seq, message.seq) for message in messages}
    for span in _merged(_reaches(messages)):
        found |= {seq: span for seq in range(span.first, span.last + 1) if seq in found}
    return found


def cut_before(messages: Sequence[Message], seq: int) -> int:
    """Return the greatest seq up to ``seq`` before which the messages may be cut in two."""
    for span in _merged(_reaches(messages)):
        if span.first < seq <= span.last:
            return span.first
    return seq


class _Book:
    """The calls and results that were seen, by the id of the call."""

    def __init__(self) -> None:
        self._pairs: list[ToolPair] = []
        self._newest: dict[str, int] = {}
        """The index of the newest call of an id, or of a result that waits for one."""
        self._open: list[int] = []
        """The indices of calls without a result, oldest first."""

    def call(self, block: ToolUseBlock, seq: int) -> None:
        """Note a call; a result of it that came before is joined."""
        known = None if block.id is None else self._newest.get(block.id)
        if known is not None and self._pairs[known].call_seq is None:
            self._pairs[known] = msgspec.structs.replace(
                self._pairs[known], call_seq=seq, tool_name=block.name
            )
            return
        place = self._add(ToolPair(call_id=block.id, tool_name=block.name, call_seq=seq))
        self._open.append(place)

    def result(self, block: ToolResultBlock, seq: int) -> None:
        """Note a result."""
        place = self._asked(block)
        if place is None:
            self._add(ToolPair(call_id=block.tool_use_id, tool_name=block.name, result_seq=seq))
        elif self._pairs[place].result_seq is None:
            self._pairs[place] = msgspec.structs.replace(self._pairs[place], result_seq=seq)
            self._open.remove(place)
        else:
            self._pairs.append(msgspec.structs.replace(self._pairs[place], result_seq=seq))

    def pairs(self) -> Iterator[ToolPair]:
        """Yield the pairs by the first of their messages."""
        yield from sorted(self._pairs, key=_first)

    def _asked(self, block: ToolResultBlock) -> int | None:
        """Return the index of the call that a result answers."""
        if block.tool_use_id is not None:
            return self._newest.get(block.tool_use_id)
        return next((p for p in reversed(self._open) if self._may_be(p, block.name)), None)

    def _may_be(self, place: int, name: str | None) -> bool:
        return name is None or self._pairs[place].tool_name == name

    def _add(self, pair: ToolPair) -> int:
        self._pairs.append(pair)
        if pair.call_id is not None:
            self._newest[pair.call_id] = len(self._pairs) - 1
        return len(self._pairs) - 1


def _answers_in_plain_text(message: Message) -> bool:
    """Whether a tool spoke without naming the call that it answers."""
    return (
        message.role == "tool"
        and not any(isinstance(block, ToolResultBlock) for block in message.blocks)
        and any(isinstance(block, TextBlock) for block in message.blocks)
    )


def _first(pair: ToolPair) -> int:
    return min(seq for seq in (pair.call_seq, pair.result_seq) if seq is not None)


def _reaches(messages: Sequence[Message]) -> list[Span]:
    """Return the span of each pair, sorted by first message."""
    prompts = [m.seq for m in messages if m.role == "user" and not _has_results(m)]
    last_prompt = max(prompts, default=0)
    end = max((message.seq for message in messages), default=0)
    found: list[Span] = []
    for pair in pairs(messages):
        if pair.call_seq is None:
            continue
        answered = pair.result_seq
        if answered is None:
            answered = end if pair.call_seq > last_prompt else pair.call_seq
        found.append(Span(min(pair.call_seq, answered), max(pair.call_seq, answered)))
    return sorted(found, key=lambda span: (span.first, span.last))


def _has_results(message: Message) -> bool:
    return any(isinstance(block, ToolResultBlock) for block in message.blocks)


def _merged(reaches: list[Span]) -> list[Span]:
    """Return spans that share no message."""
    found: list[Span] = []
    for span in reaches:
        if found and span.first <= found[-1].last:
            found[-1] = Span(found[-1].first, max(found[-1].last, span.last))
        else:
            found.append(span)
    return found
