"""Sessions: begun and read as seed 001 has it, and what else a session can do."""

from __future__ import annotations

from recollect.answers.session import (
    SessionAnswer,
    SessionEntry,
    SessionList,
    session_answer,
    session_entry,
)
from recollect.caller import Caller
from recollect.core.checks import RowCount
from recollect.core.errors import InvalidInput
from recollect.server.route import Created, Given, Route
from recollect.server.values import moment_of
from recollect.sessions.context.view import ContextView
from recollect.sessions.record.session import Session

PAGE = 100
"""Sessions, messages or episodes of an answer, unless more are asked for."""


class SessionOrder(Given, frozen=True, kw_only=True):
    """A session to begin.

    Attributes:
        session_key: Who and where. A plain name, such as ``alice``, is a person with an audience
            of its own; the setting ``sessions.plain_keys`` may say otherwise.
        project_path: What it is about.
        owner: Whether a plain name is a session of the owner's; for the owner's token only.
    """

    session_key: str
    project_path: str | None = None
    owner: bool = False


class OneSession(Given, frozen=True, kw_only=True):
    """A session, by its key or id."""

    key: str


class SessionFilter(Given, frozen=True, kw_only=True):
    """Which sessions; all but the deleted if nothing is given."""

    session_key: str | None = None
    project: str | None = None
    status: str | None = None
    title: str | None = None
    date_from: str | None = None
    date_to: str | None = None
    limit: RowCount = PAGE


class SessionChange(OneSession, frozen=True, kw_only=True):
    """What to change of a session: what is not given stays."""

    title: str | None = None
    status: str | None = None


class ForkOrder(OneSession, frozen=True, kw_only=True):
    """Where to fork a session."""

    at_seq: int | None = None
    title: str | None = None


class Look(OneSession, frozen=True, kw_only=True):
    """How much of a session's prompt to show."""

    budget_tokens: int | None = None


def summary_of(caller: Caller, session: Session) -> str | None:
    """Return what stays of a session, as far as the caller hears it; None for nothing yet."""
    heard = caller.for_session()
    known = caller.memory.sessions.episodes(session.id, for_session=heard, limit=PAGE)
    whole = [episode.text for episode in reversed(known) if episode.extent == "session"]
    return "\n\n".join(filter(None, whole)) or None


def answer_of(caller: Caller, session: Session) -> SessionAnswer:
    """Return a session as it is sent."""
    return session_answer(session, summary_of(caller, session))


def create(caller: Caller, given: SessionOrder) -> Created[SessionAnswer] | SessionAnswer:
    """Begin a session under a key; return the one that goes on there, where there is one."""
    found = caller.hooked(given.session_key, given.project_path, "start", owner=given.owner)
    answer = answer_of(caller, found.session)
    return Created(answer) if found.became == "began" else answer


def get(caller: Caller, given: OneSession) -> SessionAnswer:
    """Return a session by its key, or by its id."""
    return answer_of(caller, caller.session(given.key))


def list_sessions(caller: Caller, given: SessionFilter) -> SessionList:
    """Return sessions, the last used first."""
    found = caller.sessions(
        key=given.session_key,
        project=given.project,
        status=given.status,
        title=given.title,
        since=None if given.date_from is None else moment_of(given.date_from),
        until=None if given.date_to is None else moment_of(given.date_to, through=True),
        limit=given.limit,
    )
    return SessionList(sessions=tuple(map(session_entry, found)))


def change(caller: Caller, given: SessionChange) -> SessionEntry:
    """Give a session another title, or another status."""
    session = _writable(caller, given.key)
    if given.title is None and given.status is None:
        raise InvalidInput("nothing is to be changed", hint="give a title or a status")
    if given.title is not None:
        session = caller.memory.sessions.rename(session.id, given.title or None)
    if given.status is not None:
        session = caller.memory.sessions.set_status(session.id, given.status)
    return session_entry(session)


def resume(caller: Caller, given: OneSession) -> SessionAnswer:
    """Go on with a session, active again if it had ended."""
    session = _writable(caller, given.key)
    return answer_of(caller, caller.memory.sessions.resume(session.id))


def end(caller: Caller, given: OneSession) -> SessionAnswer:
    """End a session, and summarise it."""
    session = _writable(caller, given.key)
    return answer_of(caller, caller.memory.sessions.set_status(session.id, "archived"))


def fork(caller: Caller, given: ForkOrder) -> Created[SessionEntry]:
    """Begin a session with the messages of another."""
    session = _writable(caller, given.key)
    forked = caller.memory.sessions.fork(session.id, given.at_seq, title=given.title)
    return Created(session_entry(forked))


def view(caller: Caller, given: Look) -> ContextView:
    """Return what of a session is in its prompt."""
    session = caller.session(given.key)
    return caller.memory.sessions.view(session.id, given.budget_tokens)


def _writable(caller: Caller, key: str) -> Session:
    """Return a session that is there, and that the caller may change."""
    return caller.writable(caller.session(key))


ROUTES = (
    Route(
        method="POST",
        path="/api/sessions",
        summary="Begin a session, or get the one that goes on under the key",
        right="capture",
        given=SessionOrder,
        call=create,
        answer=SessionAnswer,
        status=201,
    ),
    Route(
        method="GET",
        path="/api/sessions",
        summary="List sessions, the last used first",
        right="read",
        given=SessionFilter,
        call=list_sessions,
        answer=SessionList,
    ),
    Route(
        method="GET",
        path="/api/sessions/{key}",
        summary="Get a session by its key or id",
        right="read",
        given=OneSession,
        call=get,
        answer=SessionAnswer,
    ),
    Route(
        method="PATCH",
        path="/api/sessions/{key}",
        summary="Rename a session, or archive, delete or restore it",
        right="write",
        given=SessionChange,
        call=change,
        answer=SessionEntry,
    ),
    Route(
        method="POST",
        path="/api/sessions/{key}/resume",
        summary="Go on with a session that ended",
        right="write",
        given=OneSession,
        call=resume,
        answer=SessionAnswer,
    ),
    Route(
        method="POST",
        path="/api/sessions/{key}/end",
        summary="End a session and summarise it",
        right="write",
        given=OneSession,
        call=end,
        answer=SessionAnswer,
    ),
    Route(
        method="POST",
        path="/api/sessions/{key}/fork",
        summary="Begin a session with the messages of another",
        right="write",
        given=ForkOrder,
        call=fork,
        answer=SessionEntry,
        status=201,
    ),
    Route(
        method="GET",
        path="/api/sessions/{key}/view",
        summary="Show what of a session is in its prompt",
        right="read",
        given=Look,
        call=view,
        answer=ContextView,
    ),
)
