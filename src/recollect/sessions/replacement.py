"""Which messages a compaction replaces by a summary, and which of the newest stay as they are.

A tool call stays with its result, and a call that still waits for one stays with the end. Knows how
to read a transcript from its end, no storage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from recollect.sessions.compaction import Compaction
from recollect.sessions.message import Message
from recollect.sessions.session import Session
from recollect.sessions.size import Sizer
from recollect.sessions.summariser import utterance_of
from recollect.sessions.tool_pairs import cut_before, pending_calls, spans
from recollect.sessions.view import ReadNewest, stranded
from recollect.text.turns import Utterance

_LOOK_BACK = 200
"""Messages ahead of those that stay which are read at first, for calls of results among these."""
_FARTHEST = 4_096
"""Results without a call so far ahead never had one."""
_MOST_KEPT = 0.75
_KEPT_INSTEAD = 0.5
"""Where the messages that stay are more than three quarters of the room, half of it stays: with
more, the next message would ask for the next compaction."""


class Keeping(msgspec.Struct, frozen=True):
    """How much stays: so many messages, within a limit of tokens."""

    messages: int
    limit: int
    sizer: Sizer


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """What a summary is to stand for: ``previous``, and the messages up to ``through_seq``."""

    session_id: str
    previous: Compaction | None
    through_seq: int
    kept_tokens: int

    @property
    def after_seq(self) -> int:
        """The last message that the summary before stands for."""
        return 0 if self.previous is None else self.previous.through_seq


class Reading:
    """Messages as a summary reads them, each once; counts what they cost."""

    def __init__(self, messages: Iterator[Message], sizer: Sizer) -> None:
        self._messages = messages
        self._sizer = sizer
        self.tokens = 0

    def __iter__(self) -> Iterator[Utterance]:
        for message in self._messages:
            self.tokens += self._sizer.message(message)
            yield utterance_of(message)


def plan_replacement(
    session: Session, previous: Compaction | None, read: ReadNewest, keeping: Keeping
) -> Replacement | None:
    """Return what can be replaced; None where everything stays.

    Args:
        session: Whose messages.
        previous: The compaction in its view.
        read: Gives the messages behind that.
        keeping: What stays.
    """
    size = keeping.messages + _LOOK_BACK
    while True:
        messages = read(None, size)
        cut = _cut(messages, keeping)
        if len(messages) < size or (cut > messages[0].seq and _has_calls(messages, cut, size)):
            break
        size *= 2
    if not messages or cut == messages[0].seq:
        return None
    kept = sum(keeping.sizer.message(message) for message in messages if message.seq >= cut)
    return Replacement(
        session_id=session.id, previous=previous, through_seq=cut - 1, kept_tokens=kept
    )


def _has_calls(messages: Sequence[Message], cut: int, looked: int) -> bool:
    """Return whether no result that stays may still find its call further ahead."""
    return looked > _FARTHEST or all(seq < cut for seq in stranded(messages))


def _cut(messages: Sequence[Message], keeping: Keeping) -> int:
    """Return the seq of the first message that stays; one behind the last where none does."""
    if not messages:
        return 0
    end = messages[-1].seq
    kept = _kept(messages, keeping)
    cut = cut_before(messages, messages[-kept].seq) if kept else end + 1
    together = spans(messages)
    waiting = [pair.call_seq for pair in pending_calls(messages) if pair.call_seq is not None]
    return min([cut, *(together[seq].first for seq in waiting if together[seq].last == end)])


def _kept(messages: Sequence[Message], keeping: Keeping) -> int:
    """Return how many of the newest messages stay; the newest one does if any may."""
    newest = messages[::-1][: keeping.messages]
    costs = [keeping.sizer.message(message, keeping.limit) for message in newest]
    if sum(costs) <= keeping.limit * _MOST_KEPT:
        return len(newest)
    kept, left = 1, keeping.limit * _KEPT_INSTEAD - costs[0]
    while kept < len(costs) and costs[kept] <= left:
        left -= costs[kept]
        kept += 1
    return kept
