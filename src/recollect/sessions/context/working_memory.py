"""The working memory of a session: its task and its open steps. A part of `memory.sessions`.

Filled by the agent's todo list, as its tool was called last, and by callers; what is newer counts.
The calls are in the records already: only what a caller sets is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal, LiteralString, TypeAlias, get_args

import msgspec

from recollect.audience.people import People
from recollect.audience.visibility import EVERY_TURN, Audience, HeardTurns
from recollect.core.checks import check_most, check_text, checked
from recollect.core.decoding import convert_value, decode_json
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.sessions.policy.turns import answered_group, heard_turns
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import WITHDRAWN, segments
from recollect.sessions.record.session import Session, note_change, require_living
from recollect.sessions.record.transcript_rows import newest_turn
from recollect.store.columns import (
    Condition,
    integer,
    is_record_out,
    is_time_out,
    listed,
    text,
    text_or_none,
)
from recollect.store.engine import Row, Transaction
from recollect.store.twins import compared_rows

StepStatus: TypeAlias = Literal["pending", "in_progress", "completed"]

MOST_STEPS = 100
_MOST_CHARS = 2_000
_TOOLS = ("TodoWrite", "todo_write", "todowrite", "update_plan", "write_todos")
"""Of Claude Code, Codex and Gemini; each call has the whole list."""
_LISTS, _WORDS = ("todos", "plan"), ("content", "step", "description")
_DONE = {"done": "completed", "complete": "completed", "in-progress": "in_progress"}
_STORED: LiteralString = "task, steps, source, updated_at"
_STATES: LiteralString = "FROM session_states INDEXED BY session_states_twin WHERE "
_NOT_OUT: LiteralString = f" AND NOT {is_time_out('session_states.session_id', 'updated_at')}"
_OF_ONE: LiteralString = "session_id = ? ORDER BY turn_sender"
_CALLED: LiteralString = f"""
    SELECT c.input, c.tool_name, c.created_at FROM tool_calls c
    JOIN messages t ON t.id = c.message_id AND NOT {WITHDRAWN}
    WHERE c.session_id = ? AND c.tool_name IN (SELECT value FROM json_each(?))"""  # noqa: S608
_OBSERVED: LiteralString = f"""
    SELECT input, tool_name, created_at FROM observations
    WHERE session_id = ? AND tool_name IN (SELECT value FROM json_each(?))
        AND agent_id IS NULL AND input_blob IS NULL AND is_forgotten = 0
        AND NOT {is_record_out("observation", "id")}"""  # noqa: S608  # literals
"""A sub-agent has a list of its own."""
_DROP: LiteralString = "DELETE FROM session_states WHERE session_id = ? AND turn_sender IS ?"
_STORE: LiteralString = """
    INSERT INTO session_states (session_id, tenant, turn_sender, task, steps, source, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""


class WorkStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a task.

    Attributes:
        text: What is to be done.
        status: ``pending``, ``in_progress`` or ``completed``.
    """

    text: str
    status: StepStatus = "pending"


class SessionState(msgspec.Struct, frozen=True, kw_only=True):
    """The working memory of a session.

    Attributes:
        session_id: Which session.
        task: What the agent works on; empty where that is not known.
        steps: In the order of the list.
        source: The tool whose call had the steps; ``caller``.
        updated_at: Ms UTC.
    """

    session_id: str
    task: str = ""
    steps: tuple[WorkStep, ...] = ()
    source: str = "caller"
    updated_at: int = 0

    @property
    def open_steps(self) -> tuple[WorkStep, ...]:
        """The steps that are not completed, those in progress first."""
        steps = [step for step in self.steps if step.status != "completed"]
        return tuple(sorted(steps, key=lambda step: step.status != "in_progress"))


class StateLine(msgspec.Struct, frozen=True, kw_only=True):
    """A working memory as a caller set it, in an export; fields as in `SessionState`.

    Attributes:
        turn_sender: The sender that it belongs to, in a session that people share.
    """

    turn_sender: str | None = None
    task: str
    steps: tuple[WorkStep, ...]
    source: str
    updated_at: int


@checked
class WorkingMemory:
    """Reads and sets the working memory of sessions.

    Args:
        access: The records, and their owner.
        owner: The owner of the agent.
    """

    _access: SessionAccess
    _people: People

    def state(self, session_id: str, *, for_sender: str | None = None) -> SessionState | None:
        """Return what the agent works on in a session; None where that is not known.

        In a session that several people share, only the state of the person it answers.

        Args:
            session_id: Which one.
            for_sender: Whom it answers; the sender of the newest turn if not given.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``for_sender`` cannot be an account.
        """

        def read(tx: Transaction, session: Session) -> SessionState | None:
            owner = self._people.at(tx, session.tenant)
            audience = Audience(owner=owner, group=answered_group(tx, session, owner, for_sender))
            return read_state(tx, session, heard_turns(tx, session, audience))

        return self._access.read_session(session_id, read)

    def set_state(
        self,
        session_id: str,
        task: str | None = None,
        steps: Iterable[str | WorkStep | Mapping[str, Any]] | None = None,
    ) -> SessionState:
        """Set what the agent works on in a session; return it once it is durable.

        The steps hold until a todo tool is called again, the task after that, too.

        Args:
            session_id: Which one.
            task: What it works on; as it is if not given.
            steps: All of its steps: texts, `WorkStep`, or ``{"text", "status"}``; as they are if
                not given.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
            InvalidInput: a text is too long, there are too many steps, or one is not understood.
        """
        drafts, now = self._access.drafts, self._access.clock.now_ms()
        new_task = None if task is None else _short(drafts.redacted(check_text(task, "task")))
        new_steps = None
        if steps is not None:
            new_steps = tuple(
                msgspec.structs.replace(step, text=_short(drafts.redacted(step.text)))
                for step in map(_step, steps)
            )
            check_most(len(new_steps), MOST_STEPS, "a number of steps")

        def unit(tx: Transaction) -> SessionState:
            session = require_living(tx, self._access.scope, session_id)
            owner = self._people.at(tx, session.tenant)
            audience = Audience(owner=owner, group=answered_group(tx, session, owner))
            before = read_state(tx, session, heard_turns(tx, session, audience))
            current = before or SessionState(session_id=session.id)
            state = SessionState(
                session_id=session.id,
                task=current.task if new_task is None else new_task,
                steps=current.steps if new_steps is None else new_steps,
                updated_at=now,
            )
            is_own = audience.hears(session)
            sender = None if is_own else newest_turn(tx, segments(tx, session))
            _store(tx, session, sender, state)
            return state

        return self._access.database.write(unit)


def state_lines(tx: Transaction, session_id: str) -> list[StateLine]:
    """Return the states that callers set, one for each sender in the session."""
    rows = tx.all("SELECT turn_sender, " + _STORED + " " + _STATES + _OF_ONE, (session_id,))
    return [StateLine(turn_sender=text_or_none(row[0]), **_fields(row[1:])) for row in rows]


def restore_state(tx: Transaction, session: Session, line: StateLine) -> bool:
    """Store a line, unless what is there is as new; return whether it was stored."""
    times = {each.turn_sender: each.updated_at for each in state_lines(tx, session.id)}
    if times.get(line.turn_sender, -1) >= line.updated_at:
        return False
    state = SessionState(
        session_id=session.id,
        task=line.task,
        steps=line.steps,
        source=line.source,
        updated_at=line.updated_at,
    )
    _store(tx, session, line.turn_sender, state)
    return True


def read_state(
    tx: Transaction, session: Session, turns: HeardTurns = EVERY_TURN
) -> SessionState | None:
    """Return the working memory in some turns of a session; None without any."""
    where = Condition(Scope(tenant=session.tenant)).also("session_id = ?", session.id)
    turns.narrow(where)
    where.sql += _NOT_OUT
    of: LiteralString = _STATES + where.sql + " ORDER BY updated_at DESC, turn_sender LIMIT 1"
    rows = compared_rows(tx, _STORED, of, where.params)
    manual = SessionState(session_id=session.id, **_fields(rows[0])) if rows else None
    called = _called(tx, session, turns)
    if manual is None or called is None:
        return manual or called
    if called.updated_at <= manual.updated_at:
        return manual
    return msgspec.structs.replace(called, task=manual.task or called.task)


def _called(tx: Transaction, session: Session, turns: HeardTurns) -> SessionState | None:
    """Return the state of the newest call of a todo tool."""
    rows: list[Row] = []
    for sql in (_CALLED, _OBSERVED):
        where = Condition(Scope(tenant=session.tenant))
        where.sql, where.params = sql, [session.id, listed(_TOOLS)]
        turns.narrow(where)
        newest: LiteralString = where.sql + " ORDER BY 3 DESC LIMIT 1"
        rows += tx.all(newest, where.params)
    for row in sorted(rows, key=lambda row: -integer(row[2])):
        steps = steps_of(text(row[0]))
        if steps is not None:
            doing = [step.text for step in steps if step.status == "in_progress"]
            return SessionState(
                session_id=session.id,
                task=session.title or (doing or [""])[0],
                steps=steps,
                source=text(row[1]),
                updated_at=integer(row[2]),
            )
    return None


def steps_of(arguments: str) -> tuple[WorkStep, ...] | None:
    """Return the steps in the arguments of a todo tool, a JSON object; None where it has none.

    >>> steps_of('{"todos": [{"content": "Sand the boat", "status": "pending"}]}')
    (WorkStep(text='Sand the boat', status='pending'),)
    """
    with suppress(msgspec.DecodeError):
        value = msgspec.json.decode(arguments)
        fields = value if isinstance(value, dict) else {}
        entries = next((fields[name] for name in _LISTS if name in fields), None)
        if isinstance(entries, list):
            with suppress(InvalidInput):
                return tuple(_step(each) for each in entries[:MOST_STEPS])
    return None


def _step(value: object) -> WorkStep:
    """Return a step from the value that a caller or a tool passes.

    Raises:
        InvalidInput: it is not understood.
    """
    if isinstance(value, WorkStep):
        return value
    if isinstance(value, str):
        return WorkStep(text=value)
    if isinstance(value, Mapping):
        words = next((value[name] for name in ("text", *_WORDS) if name in value), None)
        status = value.get("status", "pending")
        with suppress(msgspec.ValidationError):
            step = {"text": words, "status": _DONE.get(str(status), status)}
            return convert_value(step, WorkStep)
    hint = f"give texts, or objects with text and status: {', '.join(get_args(StepStatus))}"
    raise InvalidInput("a step is not understood", hint=hint)


def _short(words: str) -> str:
    flat = " ".join(words.encode("utf-8", "replace").decode().split())
    if len(flat) > _MOST_CHARS:
        raise InvalidInput(
            f"a task or a step must not be longer than {_MOST_CHARS:,} characters",
            hint="use fewer words",
        )
    return flat


def _fields(row: Row) -> dict[str, Any]:
    """Return the columns `_STORED`, by field."""
    task, steps, source, at = row
    return {
        "task": text(task),
        "steps": decode_json(text(steps), tuple[WorkStep, ...]),
        "source": text(source),
        "updated_at": integer(at),
    }


def _store(tx: Transaction, session: Session, sender: str | None, state: SessionState) -> None:
    tx.execute(_DROP, (session.id, sender))
    steps = msgspec.json.encode(state.steps).decode()
    cells = (state.task, steps, state.source, state.updated_at)
    tx.execute(_STORE, (session.id, session.tenant, sender, *cells))
    note_change(tx, session, state.updated_at)
