"""Events: the actions of recollect itself, as typed values.

A feature makes an event, `recollect.store.journal` stores it in the transaction of the action,
streams deliver it. An event has ids and counts; it never contains a user's text.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import get_args

from msgspec import Struct

from recollect.core.checks import check_texts
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope


class Event(Struct, frozen=True, kw_only=True, tag_field="type"):
    """The common fields of all events."""

    scope: Scope
    """Its owner; ``session`` is the session that it belongs to."""
    at: int
    """Ms UTC."""


class SessionCreated(Event, frozen=True, kw_only=True, tag="session.created"):
    """A session began."""

    key: str | None = None
    source: str | None = None
    """The program it was imported from; None for one of our own."""


class SessionForked(Event, frozen=True, kw_only=True, tag="session.forked"):
    """A session began as a branch of another."""

    parent_id: str
    at_seq: int


class SessionReset(Event, frozen=True, kw_only=True, tag="session.reset"):
    """A session began that replaces the one with its key."""

    previous_id: str
    reason: str
    """``idle``, ``daily``, or the caller's reason, such as ``new``."""


class SessionResumed(Event, frozen=True, kw_only=True, tag="session.resumed"):
    """A program continued a session."""

    fence: int | None = None
    """Of the lease that it took; None without one."""


class SessionEnded(Event, frozen=True, kw_only=True, tag="session.ended"):
    """A session ended, for now: its summary is written; it may continue."""

    last_seq: int
    """Its newest message then."""


class SessionChanged(Event, frozen=True, kw_only=True, tag="session.changed"):
    """A session has another status or title."""

    status: str


class MessagesAppended(Event, frozen=True, kw_only=True, tag="messages.appended"):
    """Messages were stored in one transaction."""

    first_seq: int
    count: int


class MessageFinished(Event, frozen=True, kw_only=True, tag="message.finished"):
    """A message that arrived in pieces is complete; its first lines had events of their own."""

    seq: int


class ToolsCalled(Event, frozen=True, kw_only=True, tag="tools.called"):
    """The agent used tools, in messages that were stored in one transaction."""

    count: int
    names: tuple[str, ...]
    """Each tool once, in the order of its first call."""


class ToolsFinished(Event, frozen=True, kw_only=True, tag="tools.finished"):
    """Results of tools were stored in one transaction."""

    count: int
    failed: int
    """Results that are errors."""


class ObservationsRecorded(Event, frozen=True, kw_only=True, tag="observations.recorded"):
    """Observations of a session were stored in one transaction."""

    numbers: tuple[int, ...]


class ObservationForgotten(Event, frozen=True, kw_only=True, tag="observation.forgotten"):
    """An observation was hidden everywhere until it is restored."""

    number: int


class ObservationRestored(Event, frozen=True, kw_only=True, tag="observation.restored"):
    """A forgotten observation is back."""

    number: int


class ObservationUpdated(Event, frozen=True, kw_only=True, tag="observation.updated"):
    """The words, the type or the importance of an observation were changed by hand."""

    number: int


class FactsRemembered(Event, frozen=True, kw_only=True, tag="facts.remembered"):
    """Facts were stored that were not known."""

    numbers: tuple[int, ...]


class FactChanged(Event, frozen=True, kw_only=True, tag="fact.changed"):
    """A fact was changed by hand, made way for another, counts again, or was said again."""

    number: int
    action: str
    """``corrected``, ``replaced``, ``forgotten``, ``restored``, ``pinned``, ``unpinned``,
    ``archived``, ``known``."""


class MessagesWithdrawn(Event, frozen=True, kw_only=True, tag="messages.withdrawn"):
    """A rewind took messages out of a session; they stay stored."""

    first_seq: int
    last_seq: int
    rewind_id: str


class MessagesReturned(Event, frozen=True, kw_only=True, tag="messages.returned"):
    """A rewind was undone: the messages that it took out of a session are back."""

    first_seq: int
    last_seq: int
    rewind_id: str


class MessagesPruned(Event, frozen=True, kw_only=True, tag="messages.pruned"):
    """Retention removed the oldest messages of a session; the rest keeps its seq."""

    through_seq: int
    """The newest removed one."""
    count: int
    has_episode: bool = True
    """Whether their episode is kept."""


class SessionPruned(Event, frozen=True, kw_only=True, tag="session.pruned"):
    """Retention removed a session with its messages."""

    reason: str
    """``age`` or ``sessions``: the cap that it was above."""
    messages: int
    has_episode: bool = True
    """Whether their episode is kept: not where no person said anything, or episodes are off."""


class RecordsPruned(Event, frozen=True, kw_only=True, tag="records.pruned"):
    """Retention removed the oldest records of a kind: observations, blobs or events."""

    kind: str
    count: int


class SessionsErased(Event, frozen=True, kw_only=True, tag="sessions.erased"):
    """Sessions were removed with all their content; their own events were removed too."""

    erasure_id: str
    sessions: int
    messages: int


class FactsErased(Event, frozen=True, kw_only=True, tag="facts.erased"):
    """Facts were removed with all that they were before."""

    erasure_id: str
    facts: int


class SessionCompacted(Event, frozen=True, kw_only=True, tag="session.compacted"):
    """A summary replaces the older messages in the view of a session."""

    through_seq: int
    """The last message that it replaces."""
    tokens_before: int
    tokens_after: int
    made_by: str
    """What wrote the summary, with its version."""


class MemoryFlushed(Event, frozen=True, kw_only=True, tag="memory.flushed"):
    """Lasting facts were written into notes, before a compaction."""

    path: str
    """Relative to the workspace; a guest's, with the prefix ``notes/``, to the home."""
    lines: int
    """New ones; 0 when nothing had to be added."""


class MemoryFlushFailed(Event, frozen=True, kw_only=True, tag="memory.flush_failed"):
    """The notes could not be written."""

    error: str
    """The code of the error."""
    failures: int
    """Of this compaction cycle."""


class CheckpointTaken(Event, frozen=True, kw_only=True, tag="checkpoint.taken"):
    """What files were is kept."""

    number: int
    """Of the checkpoint, shown as ``c12``."""
    kind: str
    """``message``, ``tool``, ``manual`` or ``rescue``."""
    files: int
    """How many paths it has the state of."""
    uncaptured: int
    """How many of them could not be kept."""


class RewindBegan(Event, frozen=True, kw_only=True, tag="rewind.began"):
    """Files are about to be put back."""

    rewind_id: str
    kind: str
    """``rewind``, ``undo`` or ``redo``."""
    files: int


class RewindEnded(Event, frozen=True, kw_only=True, tag="rewind.ended"):
    """Files were put back, or are as they were before."""

    rewind_id: str
    kind: str
    """``rewind``, ``undo`` or ``redo``."""
    status: str
    """``done``, ``rolled_back``, or ``interrupted``."""
    files: int


class ImportFinished(Event, frozen=True, kw_only=True, tag="import.finished"):
    """Foreign files were read."""

    source: str
    sessions: int
    messages: int
    malformed: int
    """Lines that could not be read."""


class IdentityLinked(Event, frozen=True, kw_only=True, tag="identity.linked"):
    """An account was linked to a person, the user of the scope."""


class IdentityUnlinked(Event, frozen=True, kw_only=True, tag="identity.unlinked"):
    """An account was taken from a person, the user of the scope."""


class HomeBackedUp(Event, frozen=True, kw_only=True, tag="home.backed_up"):
    """The whole home was copied into one file."""

    path: str
    bytes: int


class HomeExported(Event, frozen=True, kw_only=True, tag="home.exported"):
    """What a scope has, or what one session may hear, was exported."""

    id: str
    """Of the document."""
    audience: str
    """``operator`` or ``session``."""


class HomeRestored(Event, frozen=True, kw_only=True, tag="home.restored"):
    """The home was made from a backup."""

    path: str
    """Of the backup."""
    backup_at: int
    """When it was made, ms UTC."""


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
    | SessionEnded
    | SessionChanged
    | MessagesAppended
    | MessageFinished
    | ToolsCalled
    | ToolsFinished
    | ObservationsRecorded
    | ObservationForgotten
    | ObservationRestored
    | ObservationUpdated
    | FactsRemembered
    | FactChanged
    | MessagesWithdrawn
    | MessagesReturned
    | MessagesPruned
    | RecordsPruned
    | SessionPruned
    | SessionsErased
    | FactsErased
    | SessionCompacted
    | MemoryFlushed
    | MemoryFlushFailed
    | CheckpointTaken
    | RewindBegan
    | RewindEnded
    | ImportFinished
    | IdentityLinked
    | IdentityUnlinked
    | HomeBackedUp
    | HomeExported
    | HomeRestored
)
"""Every event that is stored, by its tag."""

EVENT_TYPES: tuple[str, ...] = tuple(kind.__struct_config__.tag for kind in get_args(AnyEvent))
"""The types of all events, as stored."""


def check_types(types: Sequence[str]) -> tuple[str, ...]:
    """Return the requested types of events.

    Raises:
        InvalidInput: a type is unknown.
    """
    types = check_texts(types, "the types of events")
    for name in types:
        if name not in EVENT_TYPES:
            near = difflib.get_close_matches(name, EVENT_TYPES, 1)
            suggestion = f"did you mean {near[0]}? " if near else ""
            raise InvalidInput(
                "unknown type of events", hint=f"{suggestion}use {', '.join(EVENT_TYPES)}"
            )
    return tuple(types)
