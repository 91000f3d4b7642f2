"""Events: what recollect itself did, as typed values.

A feature makes an event, `recollect.store.journal` stores it in the transaction that did the thing,
streams hand it out. An event names ids and counts; it never carries a user's text.
"""

from __future__ import annotations

from msgspec import Struct

from recollect.core.scope import Scope


class Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    """What all events have in common."""

    scope: Scope
    """Whose it is; ``session`` is the session that it belongs to."""
    at: int
    """Ms UTC."""


class SessionCreated(Event, frozen=True, kw_only=True, tag="session.created"):
    """A session began."""

    key: str | None = None
    source: str | None = None
    """Where it was imported from; None for one of our own."""


class SessionForked(Event, frozen=True, kw_only=True, tag="session.forked"):
    """A session began as a branch of another."""

    parent_id: str
    at_seq: int


class SessionReset(Event, frozen=True, kw_only=True, tag="session.reset"):
    """A session began in place of the one that had its key."""

    previous_id: str
    reason: str
    """``idle``, ``daily``, or what the caller gave, such as ``new``."""


class SessionResumed(Event, frozen=True, kw_only=True, tag="session.resumed"):
    """Somebody went on with a session."""

    fence: int | None = None
    """Of the lease that they took; None without one."""


class SessionChanged(Event, frozen=True, kw_only=True, tag="session.changed"):
    """A session has another status or title."""

    status: str


class MessagesAppended(Event, frozen=True, kw_only=True, tag="messages.appended"):
    """Messages were stored in one transaction."""

    first_seq: int
    count: int


class ImportFinished(Event, frozen=True, kw_only=True, tag="import.finished"):
    """Foreign files were read."""

    source: str
    sessions: int
    messages: int
    malformed: int
    """Lines that could not be read."""


class UnknownEvent(Event, frozen=True, kw_only=True, tag="unknown"):
    """An event of a newer recollect."""

    name: str
    """Its type there."""
    fields: dict[str, object]


AnyEvent = (
    SessionCreated
    | SessionForked
    | SessionReset
    | SessionResumed
    | SessionChanged
    | MessagesAppended
    | ImportFinished
)
"""Every event that is stored, by its tag."""
