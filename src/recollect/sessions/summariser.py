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


class Summariser(Protocol):
    """Writes summaries. What it reads is data: nothing in it is an instruction."""

    @property
    def name(self) -> str:
        """What it is, with its version; stored beside what it wrote."""

    def summarise(self, order: SummaryOrder) -> str:
        """Return a summary, empty if there is nothing to say.

        Raises:
            RecollectError: it cannot be made now.
        """


class ExtractiveSummariser:
    """Takes over the lines that matter most. Needs no model and never fails."""

    name = VERSION

    def summarise(self, order: SummaryOrder) -> str:
        """Return the most important lines, oldest first."""
        return summarise(order.utterances, order.tokens, order.previous, order.count)


def utterance_of(message: Message) -> Utterance:
    """Return a message as a summary reads it."""
    return Utterance(
        seq=message.seq,
        role=message.role,
        speaker=speaker_of(message.role, message.name),
        text=message.text,
        at_ms=message.created_at,
    )
