"""A message that came in from a channel, as the responder takes it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from recollect.audience.account import sender_of
from recollect.audience.session_key import parse_key
from recollect.core.checks import check_event_id
from recollect.core.clock import check_time

MEDIA = "(media)"
"""The text of a message that has none, such as a picture; the words of seed 000."""


class Inbound(msgspec.Struct, frozen=True, kw_only=True):
    """A message that came in.

    Attributes:
        key: The session key: who and where.
        text: What was said; empty for a message without a text.
        sender: The account that said it, ``telegram:42``, as elsewhere.
        event_id: Its id on the channel, unique within the conversation: the same id twice is one
            message with one answer. One is made if not given.
        edits: The event id of the message that this one replaces.
        name: The speaker, where it is known.
        at: When it was said, ms UTC or datetime; now if not given.
        reply_to_agent: Whether it replies to something that the agent said: in a group that calls
            the agent.
    """

    key: str
    text: str = ""
    sender: str | None = None
    event_id: str | None = None
    edits: str | None = None
    name: str | None = None
    at: int | datetime | None = None
    reply_to_agent: bool = False

    def checked(self) -> Inbound:
        """Return it with its key and account as they are stored.

        Raises:
            InvalidInput: the key, the account, an event id or the time cannot be stored.
        """
        for event_id in (self.event_id, self.edits):
            if event_id is not None:
                check_event_id(event_id)
        return msgspec.structs.replace(
            self,
            key=parse_key(self.key).text,
            sender=None if self.sender is None else sender_of(self.sender),
            at=None if self.at is None else check_time(self.at),
        )

    @property
    def said(self) -> str:
        """What was said, or `MEDIA`."""
        return self.text if self.text.strip() else MEDIA
