"""Sessions: begun, read and changed; see docs/http.md."""

from __future__ import annotations

from recollect.answers.session import (
    SessionAnswer,
    SessionEntry,
    SessionLineage,
    SessionList,
    WorkingMemoryAnswer,
    lineage_answer,
    session_answer,
    session_entry,
    working_memory_answer,
)
from recollect.caller import Caller
from recollect.core.checks import RowCount
from recollect.core.errors import InvalidInput
from recollect.server.route import Created, Fields, Routes
from recollect.server.values import Cursor, moment_of, page_of
from recollect.sessions.context.view import ContextView
from recollect.sessions.context.working_memory import WorkStep
from recollect.sessions.record.session import Session

PAGE = 100
"""Sessions, messages or episodes of an answer, unless more are asked for."""

ROUTES = Routes()


class SessionOrder(Fields, frozen=True, kw_only=True):
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


class OneSession(Fields, frozen=True, kw_only=True):
    """A session, by its key or id."""

    key: str


class SessionFilter(Fields, frozen=True, kw_only=True):
    """Which sessions; all but the deleted if nothing is given.

    Attributes:
        title: Only those whose title holds this text.
    """

    session_key: str | None = None
    project: str | None = None
    agent: str | None = None
    status: str | None = None
    title: str | None = None
    date_from: str | None = None
    date_to: str | None = None
    limit: RowCount = PAGE
    cursor: Cursor | None = None


class SessionChange(OneSession, frozen=True, kw_only=True):
    """What to change of a session: what is not given stays.

    Attributes:
        status: ``active``, ``archived`` or ``deleted``.
    """

    title: str | None = None
    status: str | None = None


class ForkOrder(OneSession, frozen=True, kw_only=True):
    """Where to fork a session."""

    at_seq: int | None = None
    title: str | None = None


class NewState(OneSession, frozen=True, kw_only=True):
    """What the agent works on in a session: what is not given stays.

    Attributes:
        task: What it works on.
        steps: All of its steps.
    """

    task: str | None = None
    steps: tuple[WorkStep, ...] | None = None


class Look(OneSession, frozen=True, kw_only=True):
    """How much of a session's prompt to show."""

    budget_tokens: int | None = None


def summary_of(caller: Caller, session: Session) -> str | None:
    """Return the summary of a session as far as the caller may read it; None before the first."""
    audience = caller.for_session()
    episodes = caller.memory.sessions.episodes(session.id, for_session=audience, limit=PAGE)
    whole = [episode.text for episode in reversed(episodes) if episode.extent == "session"]
    return "\n\n".join(filter(None, whole)) or None


def answer_of(caller: Caller, session: Session) -> SessionAnswer:
    """Return a session as it is sent."""
    return session_answer(session, summary_of(caller, session))


@ROUTES.add("POST", "/api/sessions", "capture")
def create(caller: Caller, fields: SessionOrder) -> Created[SessionAnswer] | SessionAnswer:
    """Begin a session under a key; return the one that goes on there, where there is one."""
    hooked = caller.hooked(fields.session_key, fields.project_path, "start", owner=fields.owner)
    answer = answer_of(caller, hooked.session)
    return Created(answer) if hooked.became == "began" else answer


@ROUTES.add("GET", "/api/sessions/{key}", "read")
def get(caller: Caller, fields: OneSession) -> SessionAnswer:
    """Get a session by its key, or by its id."""
    return answer_of(caller, caller.session(fields.key))


@ROUTES.add("GET", "/api/sessions", "read")
def list_sessions(caller: Caller, fields: SessionFilter) -> SessionList:
    """List sessions, the last used first."""

    def read(until: int | None, most: int) -> list[Session]:
        return caller.sessions(
            key=fields.session_key,
            project=fields.project,
            agent=fields.agent,
            status=fields.status,
            title=fields.title,
            since=None if fields.date_from is None else moment_of(fields.date_from),
            until=until,
            limit=most,
        )

    until = None if fields.date_to is None else moment_of(fields.date_to, through=True)
    page, cursor = page_of(read, _position, fields.limit, fields.cursor, until)
    return SessionList(sessions=tuple(map(session_entry, page)), cursor=cursor)


def _position(session: Session) -> tuple[int, str]:
    return session.updated_at, session.id


@ROUTES.add("PATCH", "/api/sessions/{key}", "write")
def change(caller: Caller, fields: SessionChange) -> SessionEntry:
    """Rename a session, or archive, delete or restore it."""
    session = _writable(caller, fields.key)
    if fields.title is None and fields.status is None:
        raise InvalidInput("at least one change must be given", hint="give a title or a status")
    if fields.title is not None:
        session = caller.memory.sessions.rename(session.id, fields.title or None)
    if fields.status is not None:
        session = caller.memory.sessions.set_status(session.id, fields.status)
    return session_entry(session)


@ROUTES.add("POST", "/api/sessions/{key}/resume", "write")
def resume(caller: Caller, fields: OneSession) -> SessionAnswer:
    """Go on with a session, active again if it had ended."""
    session = _writable(caller, fields.key)
    return answer_of(caller, caller.memory.sessions.resume(session.id))


@ROUTES.add("POST", "/api/sessions/{key}/end", "write")
def end(caller: Caller, fields: OneSession) -> SessionAnswer:
    """End a session, and summarise it."""
    session = _writable(caller, fields.key)
    return answer_of(caller, caller.memory.sessions.set_status(session.id, "archived"))


@ROUTES.add("POST", "/api/sessions/{key}/fork", "write")
def fork(caller: Caller, fields: ForkOrder) -> Created[SessionEntry]:
    """Begin a session with the messages of another."""
    session = _writable(caller, fields.key)
    forked = caller.memory.sessions.fork(session.id, fields.at_seq, title=fields.title)
    return Created(session_entry(forked))


@ROUTES.add("GET", "/api/sessions/{key}/lineage", "read")
def lineage(caller: Caller, fields: OneSession) -> SessionLineage:
    """List the tree of forks and resets that a session belongs to."""
    session = caller.session(fields.key)
    tree = caller.memory.sessions.lineage(session.id, for_session=caller.for_session())
    return lineage_answer(session.id, tree)


@ROUTES.add("GET", "/api/sessions/{key}/state", "read")
def state(caller: Caller, fields: OneSession) -> WorkingMemoryAnswer:
    """Show what the agent works on in a session: its task and its steps."""
    session = caller.session(fields.key)
    return working_memory_answer(session.id, caller.memory.sessions.state(session.id))


@ROUTES.add("PATCH", "/api/sessions/{key}/state", "write")
def set_state(caller: Caller, fields: NewState) -> WorkingMemoryAnswer:
    """Set the task or the steps, until a todo tool is called again."""
    session = _writable(caller, fields.key)
    working_memory = caller.memory.sessions.set_state(session.id, fields.task, fields.steps)
    return working_memory_answer(session.id, working_memory)


@ROUTES.add("GET", "/api/sessions/{key}/view", "read")
def view(caller: Caller, fields: Look) -> ContextView:
    """Show what of a session is in its prompt."""
    session = caller.session(fields.key)
    return caller.memory.sessions.view(session.id, fields.budget_tokens)


def _writable(caller: Caller, key: str) -> Session:
    """Return a session that is there, and that the caller may change."""
    return caller.writable(caller.session(key))
