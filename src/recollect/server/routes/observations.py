"""Observations: stored and read, changed by hand, and taken out of everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from recollect.answers.observation import (
    BatchAnswer,
    ObservationAnswer,
    ObservationPage,
    StoredObservation,
    observation_answer,
    stored_answer,
)
from recollect.audience.session_key import parse_key
from recollect.caller import Caller
from recollect.core.checks import MOST_IDS, RowCount, check_event_id, check_share
from recollect.core.clock import check_time
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.observations.observation import Observation
from recollect.observations.observations import DETAIL_TOKENS
from recollect.server.capturing import Stored, ToolReport, store_each
from recollect.server.route import KEPT_BODY, Created, Fields, Routes
from recollect.server.routes.sessions import PAGE
from recollect.server.values import Cursor, moment_of, name_of, page_of
from recollect.text.redaction.redactor import marked_kinds

ROUTES = Routes()


class OneObservation(Fields, frozen=True, kw_only=True):
    """An observation, by its number or id.

    Attributes:
        full: All of input and output, also where only head and tail are in the row.
        max_tokens: What it may cost; input and output are shortened to that.
    """

    id: int | str
    full: bool = False
    max_tokens: int = DETAIL_TOKENS


class ObservationFilter(Fields, frozen=True, kw_only=True):
    """Which observations; all that the token hears if nothing is given.

    Attributes:
        session_key: Of this session, by its key or id.
        type: Only these types: decision, prompt, answer … or one of your own.
        project: Only of this project: a path of it, its name or its id.
        tool_name: Only of this tool.
        date_from: Only from then on, ISO 8601 or ms.
        date_to: Only up to then, inclusive: of a day the whole.
        min_importance: Only those that are at least so important, 0 to 1.
        limit: Of a page.
        cursor: Of the page before: only what is older.
        for_session: Only what this session may hear, by its key or id.
    """

    session_key: str | None = None
    type: list[str] | None = None
    project: str | None = None
    tool_name: str | None = None
    date_from: int | str | None = None
    date_to: int | str | None = None
    min_importance: float | None = None
    limit: RowCount = PAGE
    cursor: Cursor | None = None
    for_session: str | None = None


class Batch(Fields, frozen=True, kw_only=True):
    """Observations, by number or id; each may cost ``max_tokens``.

    Attributes:
        for_session: Only what this session may hear, by its key or id.
    """

    ids: Annotated[list[int | str], Meta(max_length=MOST_IDS)]
    full: bool = False
    max_tokens: int = DETAIL_TOKENS
    for_session: str | None = None


class OneId(Fields, frozen=True, kw_only=True):
    """An observation, by its number or id."""

    id: int | str


class ObservationUpdate(OneId, frozen=True, kw_only=True):
    """What to change of an observation; what is not given stays.

    Attributes:
        title: One line.
        summary: A few words; may be empty.
        type: One of the nine, or your own.
        importance: 0 to 1.
    """

    title: str | None = None
    summary: str | None = None
    type: str | None = None
    importance: float | None = None


class NewObservation(Fields, frozen=True, kw_only=True):
    """What an agent did or saw, or a note; it must say something.

    Attributes:
        session_key: Who and where; begun where it is not there.
        session_id: The id of a session that is there, instead of its key.
        project_path: The folder in which the agent works.
        created_at: When it happened, ISO 8601 or ms; now if not given.
        tool_name: Of the tool that was used; without one it is a note, which a pause does not stop.
        type: One of the nine, or your own; found out if not given.
        input: What the tool was given: a text or any JSON.
        output: What came back, likewise.
        summary: A few words; made if not given.
        importance: 0 to 1; found out if not given.
        event_id: The same one again stores nothing, and answers the first observation.
        title: One line; made if not given.
        files: Paths of files that it is about.
        error: Why the tool failed.
        tool_use_id: Of the call, as the agent's API names it.
        agent_id: Of the sub-agent that did it.
    """

    session_key: str | None = None
    session_id: str | None = None
    project_path: str | None = None
    created_at: int | str | None = None
    tool_name: str | None = None
    type: str | None = None
    input: Any = None
    output: Any = None
    summary: str | None = None
    importance: float | None = None
    event_id: str | None = None
    title: str | None = None
    files: list[str] | None = None
    error: str | None = None
    tool_use_id: str | None = None
    agent_id: str | None = None

    def report(self) -> ToolReport:
        """Return the report to be stored.

        Raises:
            InvalidInput: it says nothing, or its time, key, event id or importance cannot be one.
        """
        content = (self.tool_name, self.title, self.summary, self.input, self.output, self.error)
        if not any(each.strip() if isinstance(each, str) else each for each in content):
            hint = "give a summary, or a tool_name with its input and output"
            raise InvalidInput("an observation must say something", hint=hint)
        if self.importance is not None:
            check_share(self.importance, "importance")
        if self.created_at is not None:
            check_time(moment_of(self.created_at))
        if self.event_id is not None:
            check_event_id(self.event_id)
        if self.session_key is not None:
            parse_key(self.session_key)
        return ToolReport(**msgspec.structs.asdict(self))


@ROUTES.add("POST", "/api/observations", "capture", max_body=KEPT_BODY)
def create(
    caller: Caller, fields: Sequence[NewObservation]
) -> list[Created[StoredObservation] | StoredObservation | RecollectError]:
    """Store an observation; return the first one where its event id is there already."""
    reports = [_checked(each) for each in fields]
    outcome = iter(
        store_each(
            caller,
            [each for each in reports if isinstance(each, ToolReport)],
            check=lambda report: _check_session(caller, report),
        )
    )
    return [
        _created(caller, one, next(outcome)) if isinstance(report, ToolReport) else report
        for one, report in zip(fields, reports, strict=True)
    ]


def _checked(fields: NewObservation) -> ToolReport | RecollectError:
    try:
        return fields.report()
    except RecollectError as error:
        return error


def _check_session(caller: Caller, report: ToolReport) -> ToolReport:
    if report.session_key is not None or report.session_id is None:
        return report
    return msgspec.structs.replace(report, session_id=caller.session(report.session_id).id)


def _created(
    caller: Caller, fields: NewObservation, outcome: Stored | RecollectError
) -> Created[StoredObservation] | StoredObservation | RecollectError:
    if isinstance(outcome, RecollectError):
        return outcome
    if outcome.is_new:
        kinds = _redacted_kinds(fields, outcome.observation)
        return Created(stored_answer(outcome.observation, kinds, outcome.note))
    # Who may write to a session need not hear it: an event id must not read it.
    try:
        audible = caller.memory.observations.heard(outcome.observation, caller.for_session())
    except RecollectError as error:
        return error
    return stored_answer(audible or _unheard(outcome.observation))


def _redacted_kinds(fields: NewObservation, observation: Observation) -> tuple[str, ...]:
    """Return the kinds of redactions in the stored observation that the request did not have."""
    marks = marked_kinds(
        " ".join((observation.title, observation.summary, observation.input, observation.output))
    )
    if not marks:
        return ()
    came = marked_kinds(msgspec.json.encode(fields).decode())
    return tuple(sorted(marks - came))


@ROUTES.add("GET", "/api/observations/{id}", "read")
def get(caller: Caller, fields: OneObservation) -> ObservationAnswer:
    """Get an observation by its number or id."""
    return observation_answer(_observation_of(caller, fields))


@ROUTES.add("GET", "/api/observations", "read")
def list_observations(caller: Caller, fields: ObservationFilter) -> ObservationPage:
    """List observations, the newest first; a cursor gets the next page."""
    session = None if fields.session_key is None else caller.session(fields.session_key).id
    project = None if fields.project is None else caller.projects.path(fields.project)

    def read(until: int | None, most: int) -> list[Observation]:
        return caller.memory.observations.list(
            session_id=session,
            types=fields.type,
            project=project,
            tool_name=fields.tool_name,
            since=None if fields.date_from is None else moment_of(fields.date_from),
            until=until,
            min_importance=fields.min_importance,
            limit=most,
            for_session=caller.for_session(fields.for_session),
        )

    until = None if fields.date_to is None else moment_of(fields.date_to, through=True)
    page, cursor = page_of(read, _position, fields.limit, fields.cursor, until)
    return ObservationPage(observations=tuple(map(observation_answer, page)), cursor=cursor)


def _position(of: Observation) -> tuple[int, str]:
    return of.created_at, f"{of.number:015}"


@ROUTES.add("POST", "/api/observations/batch", "read")
def batch(caller: Caller, fields: Batch) -> BatchAnswer:
    """Get observations by id, in the order of the ids."""
    details = caller.memory.observations.get(
        [name_of(each) for each in fields.ids],
        None if fields.full else fields.max_tokens,
        for_session=caller.for_session(fields.for_session),
    )
    missing = set(details.missing)
    return BatchAnswer(
        observations=tuple(map(observation_answer, details.found)),
        missing=tuple(each for each in fields.ids if name_of(each) in missing),
        tokens=details.tokens,
    )


@ROUTES.add("PATCH", "/api/observations/{id}", "write")
def update(caller: Caller, fields: ObservationUpdate) -> ObservationAnswer:
    """Change the words, the type or the importance of an observation."""
    id_ = name_of(fields.id)
    _check_writable(caller, id_)
    observation = caller.memory.observations.update(
        id_,
        title=fields.title,
        summary=fields.summary,
        type=fields.type,
        importance=fields.importance,
        for_session=caller.for_session(),
    )
    caller.memory.audit.record("observation.update", target=observation.id)
    return observation_answer(observation)


@ROUTES.add("DELETE", "/api/observations/{id}", "write")
def delete(caller: Caller, fields: OneId) -> ObservationAnswer:
    """Take an observation out of everything, as forget does: it can be restored."""
    return forget(caller, fields)


@ROUTES.add("POST", "/api/observations/{id}/forget", "write")
def forget(caller: Caller, fields: OneId) -> ObservationAnswer:
    """Take an observation out of everything, until it is restored."""
    observation = _observation_of(caller, OneObservation(id=fields.id))
    _check_writable(caller, observation.id)
    caller.memory.audit.record("forget", target=observation.id)
    forgotten = caller.memory.observations.forget(observation.id, for_session=caller.for_session())
    return observation_answer(forgotten)


@ROUTES.add("POST", "/api/observations/{id}/restore", "write")
def restore(caller: Caller, fields: OneId) -> ObservationAnswer:
    """Bring a forgotten observation back."""
    id_ = name_of(fields.id)
    _check_writable(caller, id_)
    restored = caller.memory.observations.restore(id_, for_session=caller.for_session())
    return observation_answer(restored)


def _check_writable(caller: Caller, id_: str) -> None:
    """Refuse to change an observation of a session that the token may not write into."""
    observations, audience = caller.memory.observations, caller.for_session()
    for observation in observations.get(id_, forgotten=True, for_session=audience).found:
        caller.writable(caller.memory.sessions.get(observation.session_id))


def _unheard(of: Observation) -> Observation:
    """Return an observation without its text, for a caller that may not read it.

    Its importance follows from the type, and its tokens from the text: they are hidden as well.
    """
    blank = msgspec.structs.replace(of, title="", summary="", input="", output="", files=())
    return msgspec.structs.replace(blank, tool_name=None, type="tool_use", importance=0.0, tokens=0)


def _observation_of(caller: Caller, fields: OneObservation) -> Observation:
    most = None if fields.full else fields.max_tokens
    observations, audience = caller.memory.observations, caller.for_session()
    for observation in observations.get(name_of(fields.id), most, for_session=audience).found:
        return observation
    raise _no_such()


def _no_such() -> NotFound:
    return NotFound("the observation does not exist", hint="take an id from /api/search")
