"""Messages and the summaries of sessions, as each surface answers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from recollect.sessions.context.episode import Episode
from recollect.sessions.record.message import Message


class MessageList(msgspec.Struct, frozen=True, kw_only=True):
    """Messages, oldest first."""

    session_id: str
    messages: tuple[Message, ...]


class EpisodeList(msgspec.Struct, frozen=True, kw_only=True):
    """Summaries of sessions, the newest first."""

    episodes: tuple[Episode, ...]


class MessageAround(msgspec.Struct, frozen=True, kw_only=True):
    """A message among its neighbours.

    Attributes:
        message: The one that was asked for.
        before: Those before it, oldest first.
        after: Those after it.
        tokens: About what all of it costs in a prompt.
    """

    message: Message
    before: Sequence[Message]
    after: Sequence[Message]
    tokens: int


class ExportedLines(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript in the form of a program."""

    session_id: str
    format: str
    lines: list[Any]
