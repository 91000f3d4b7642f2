"""Messages, as each surface answers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from recollect.sessions.record.message import Message


class MessageList(msgspec.Struct, frozen=True, kw_only=True):
    """Messages, oldest first."""

    session_id: str
    messages: tuple[Message, ...]


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
