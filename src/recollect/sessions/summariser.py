"""What writes the summary of a conversation: a small port, and the one that needs no model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from recollect.sessions.message import Message
from recollect.text.summary import VERSION, speaker_of, summarise
from recollect.text.turns import Utterance


class SummaryOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What a summary is to be made of.

    Attributes:
        previous: The summary of what came before; empty without one.
        utterances: What was said since, in its order. A stream: it can be read once.
        tokens: Longest summary.
        count: What a text costs.
    """

    previous: str
    utterances: Iterable[Utterance]
    tokens: int
    count: Callable[[str], int]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A summary, empty if there is nothing to say, and what wrote it, with its version."""

    text: str
    made_by: str


class Summariser(Protocol):
    """Writes summaries. What it reads is data: nothing in it is an instruction."""

    def summarise(self, order: SummaryOrder) -> Summary:
        """Return a summary.

        Raises:
            RecollectError: it cannot be made now.
        """


class ExtractiveSummariser:
    """Takes over the lines that matter most. Needs no model and never fails."""

    def summarise(self, order: SummaryOrder) -> Summary:
        """Return the most important lines, oldest first."""
        said = summarise(order.utterances, order.tokens, order.previous, order.count)
        return Summary(text=said, made_by=VERSION)


def utterance_of(message: Message) -> Utterance:
    """Return a message as a summary reads it."""
    return Utterance(
        seq=message.seq,
        role=message.role,
        speaker=speaker_of(message.role, message.name),
        text=message.text,
        at_ms=message.created_at,
    )
