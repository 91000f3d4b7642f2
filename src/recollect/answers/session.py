"""A session, as each surface answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from recollect.core.clock import to_iso
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.context.working_memory import SessionState, WorkStep
from recollect.sessions.lease import Lease
from recollect.sessions.record.lineage import Branch
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session


class SessionEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a list, or as it was changed.

    Attributes:
        id: A UUID.
        session_key: Who and where; null of one without a key.
        project_path: The folder that it is about.
        started_at: ISO 8601 UTC.
        ended_at: Likewise; null while it goes on.
        updated_at: Likewise: the time of its newest message.
        title: What it is called.
        status: ``active``, ``archived`` or ``deleted``.
        message_count: Messages of its own.
        last_seq: The seq of its newest message; 0 without one.
        parent_id: The session that it was forked from.
        forked_at_seq: How many messages of that it shares.
        agent: The agent that it belongs to.
        source: The program that it came from, such as ``claude-code``; null of one of ours.
        foreign_id: Its id there.
    """

    id: str
    session_key: str | None
    project_path: str | None
    started_at: str
    ended_at: str | None
    updated_at: str
    title: str | None
    status: str
    message_count: int
    last_seq: int
    parent_id: str | None
    forked_at_seq: int | None
    agent: str | None
    source: str | None
    foreign_id: str | None


class SessionAnswer(SessionEntry, frozen=True, kw_only=True):
    """A session alone.

    Attributes:
        summary: What stays of it; null before its first end, and where nothing was said or done.
    """

    summary: str | None


class SessionList(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions, the last used first.

    Attributes:
        sessions: Of this page.
        cursor: For ``cursor`` of the next page; null where there is none.
    """

    sessions: tuple[SessionEntry, ...]
    cursor: str | None


class LineageEntry(SessionEntry, frozen=True, kw_only=True):
    """A session in a tree.

    Attributes:
        relation: ``root``; ``fork``; ``reset``: it followed the one above under its key.
        above_id: The session that it is a branch of; null of the root.
    """

    relation: str
    above_id: str | None


class SessionLineage(msgspec.Struct, frozen=True, kw_only=True):
    """The tree that a session belongs to.

    Attributes:
        session_id: The session that was asked for.
        sessions: Each before its branches, and those oldest first.
    """

    session_id: str
    sessions: tuple[LineageEntry, ...]


class ListedSessions(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions, and whether there are more."""

    sessions: Sequence[Session]
    more: bool


class ShownSession(Session, frozen=True, kw_only=True):
    """A session with what is known beside its row.

    Attributes:
        lease: Who holds it.
        compactions: The summaries that stand for older messages.
        grown: Ids of its forks, and of those that followed it under its key.
    """

    lease: Lease | None
    compactions: Sequence[Compaction]
    grown: dict[str, list[str]]


class SessionBranch(msgspec.Struct, frozen=True, kw_only=True):
    """A session of a tree."""

    depth: int
    relation: str
    session: Session


class SessionTree(msgspec.Struct, frozen=True, kw_only=True):
    """The forks and resets that a session belongs to."""

    session: str
    branches: Sequence[SessionBranch]


class SessionTranscript(msgspec.Struct, frozen=True, kw_only=True):
    """What was said in a session."""

    session: Session
    messages: Sequence[Message]


class WorkingMemoryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent works on in a session.

    Attributes:
        session_id: The session.
        task: Empty where that is not known.
        steps: In the order of the list.
        source: The tool whose call had the steps; ``caller``; null where nothing is known.
        updated_at: ISO 8601 UTC; null where nothing is known.
    """

    session_id: str
    task: str = ""
    steps: tuple[WorkStep, ...] = ()
    source: str | None = None
    updated_at: str | None = None


def session_answer(session: Session, summary: str | None) -> SessionAnswer:
    """Return a session as HTTP answers it."""
    return SessionAnswer(**_entry(session), summary=summary)


def session_entry(session: Session) -> SessionEntry:
    """Return a session as lists have it."""
    return SessionEntry(**_entry(session))


def lineage_answer(session_id: str, root: Branch) -> SessionLineage:
    """Return the tree of a session as HTTP answers it: a list, as a tree may be very deep."""
    entries: list[LineageEntry] = []
    waiting = [root]
    while waiting:
        branch = waiting.pop()
        above = None if branch is root else branch.session.above_id
        entry = _entry(branch.session)
        entries.append(LineageEntry(**entry, relation=branch.relation, above_id=above))
        waiting += reversed(branch.branches)
    return SessionLineage(session_id=session_id, sessions=tuple(entries))


def working_memory_answer(session_id: str, of: SessionState | None) -> WorkingMemoryAnswer:
    """Return a working memory as it is answered; one without anything where none is known."""
    if of is None:
        return WorkingMemoryAnswer(session_id=session_id)
    return WorkingMemoryAnswer(
        session_id=of.session_id,
        task=of.task,
        steps=of.steps,
        source=of.source,
        updated_at=to_iso(of.updated_at),
    )


def _entry(session: Session) -> dict[str, Any]:
    own = set(SessionEntry.__struct_fields__) & set(Session.__struct_fields__)
    return {name: getattr(session, name) for name in own} | {
        "session_key": session.key,
        "project_path": session.project,
        "started_at": to_iso(session.created_at),
        "ended_at": None if session.ended_at is None else to_iso(session.ended_at),
        "updated_at": to_iso(session.updated_at),
    }
