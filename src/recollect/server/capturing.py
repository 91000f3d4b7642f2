"""Reports of clients about an agent's work, as far as they can be stored: hooks and observations.

Nothing is refused for its content: a field that cannot be stored is repaired or left out, and what
was not understood is kept as text. The usual rules decide who hears it, and whether it is captured
at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import msgspec

from recollect.answers.observation import ReportNote
from recollect.caller import Caller
from recollect.core.checks import MAX_LABEL_CHARS, check_event_id
from recollect.core.clock import check_time
from recollect.core.errors import Denied, InvalidInput, RecollectError
from recollect.observations.draft import GivenObservation
from recollect.observations.observation import Made, Observation
from recollect.observations.recalled import RECALLED
from recollect.observations.rows import Recorded
from recollect.server.route import LenientFields
from recollect.server.values import moment_of
from recollect.sessions.lifecycle import Hooked, Moment
from recollect.sessions.record.session import Session
from recollect.text.injected import TAG

UNNAMED = "unnamed"
"""The session key of reports that name no session, or one that is not a valid key."""
NO_SESSION, UNREAD = "no_session", "unread"
"""Reasons why something is not stored where, or as, the client meant it."""


class Report(LenientFields, frozen=True, kw_only=True):
    """What every hook tells.

    Attributes:
        session_key: Who and where.
        session_id: The id of a session that is there; else another name for ``session_key``.
        project_path: The folder in which the agent works.
        created_at: When it happened, ISO 8601 or ms; now if not given.
    """

    session_key: str | None = None
    session_id: str | None = None
    project_path: str | None = None
    created_at: int | str | None = None


class ToolReport(Report, frozen=True, kw_only=True):
    """What an agent did or saw; fields as in `Observations.record`."""

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


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a report.

    Attributes:
        observation: What is stored now.
        is_new: Whether this report made it.
        session: Of which session.
        note: What was left out of it, or is elsewhere than meant; None: nothing.
    """

    observation: Observation
    is_new: bool
    session: Hooked
    note: ReportNote | None


_LABEL_IS_IN = 64 * MAX_LABEL_CHARS
"""Characters that are searched for a name: 16 MB of them took a thread a second each time."""

_Target: TypeAlias = tuple[Hooked, ReportNote | None]
"""The session of a report, and why it is not the one named."""


def label_of(text: str | None) -> str | None:
    """Return a name in a form that can be stored; None if nothing is left of it."""
    printable = "".join(c if c.isprintable() else " " for c in (text or "")[:_LABEL_IS_IN])
    return " ".join(printable.split())[:MAX_LABEL_CHARS].rstrip() or None


def event_id_of(text: str | None) -> str | None:
    """Return an id that can be stored: for an invalid one its digest, the same each time."""
    if not text:
        return None
    try:
        return check_event_id(text)
    except InvalidInput:
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def time_of(value: int | str | None) -> int | None:
    """Return the time of an event, ms UTC; None where it cannot be understood."""
    try:
        return None if value is None else check_time(moment_of(value))
    except InvalidInput:
        return None


def check_captured(caller: Caller, report: Report) -> None:
    """Refuse a report that is not to be captured; for an observation that is counted.

    Raises:
        Denied: it is not captured; the fact ``reason`` has the reason.
    """
    memory, tool, tool_input = caller.memory, None, None
    if isinstance(report, ToolReport):
        tool, tool_input = label_of(report.tool_name), report.input
        if memory.observations.own_calls.includes(tool, tool_input):
            raise Denied("a call of our own makes no observation", reason=RECALLED)
    project, at = label_of(report.project_path), time_of(report.created_at)
    refusal = memory.capture.refusal(project, tool, tool_input, at)
    if refusal is not None:
        memory.capture.count({refusal.reason: int(isinstance(report, ToolReport))})
        raise Denied(f"not captured: {refusal.why}", reason=refusal.reason)


def hooked_of(
    caller: Caller, report: Report, moment: Moment, beginning: Callable[[], None] = lambda: None
) -> tuple[Hooked, ReportNote | None]:
    """Return the session of a report; if it names no valid one, the one for all such reports.

    Args:
        caller: The reporting caller.
        report: The report.
        moment: Its moment.
        beginning: Called before a session begins; its errors prevent that.

    Raises:
        Denied: the caller may not write there.
        NotFound: it is the id of a session that the caller may not write into.
    """
    if report.session_key is None and report.session_id is not None:
        session = caller.memory.sessions.known(report.session_id)
        if session is not None and session.id == report.session_id:
            return _by_id(caller, session.id, moment), None
    project, at = label_of(report.project_path), time_of(report.created_at)
    name, problem = report.session_key or report.session_id, "no session_key was given"
    if name is not None:
        try:
            return caller.hooked(name, project, moment, at, beginning=beginning), None
        except InvalidInput as error:
            problem = error.message
    hooked = caller.hooked(UNNAMED, project, moment, at, beginning=beginning)
    return hooked, ReportNote(reason=NO_SESSION, why=f"{problem}: it is in the session {UNNAMED}")


def _by_id(caller: Caller, session_id: str, moment: Moment) -> Hooked:
    session = caller.writes_to(session_id)
    if session.status != "archived":
        return Hooked(session=session, became="continued")
    if moment in {"start", "resume"}:
        return Hooked(session=caller.memory.sessions.resume(session.id), became="resumed")
    return Hooked(session=session, became="over")


def store_each(
    caller: Caller,
    reports: Sequence[ToolReport],
    event: Literal["tool"] | None = None,
    check: Callable[[ToolReport], ToolReport] = lambda report: report,
) -> list[Stored | RecollectError]:
    """Store what an agent did or saw in one transaction; return the outcome of each report.

    The session of a key is looked up once for all of them. An outcome is what is stored, or:
    `Denied`, the caller may not write there, or, with the fact ``reason``, it is not captured;
    `NotFound`, it is the id of a session that the caller may not write into; `InvalidInput`, a
    number is out of range; or what ``check`` raises.

    Args:
        caller: The reporting caller.
        reports: The reports, in the order of storing.
        event: The event that made them, if known.
        check: Returns a report as it is meant, before its session is looked up; its errors prevent
            that.

    Raises:
        StoreError: nothing is stored of any, unless the fact ``outcome`` says ``"unknown"``.
    """
    targets = _Targets(caller, event)
    drafts: list[tuple[_Target, GivenObservation, ReportNote | None] | RecollectError] = []
    for raw in reports:
        try:
            report = check(raw)
            target = targets.of(report)
            drafts.append((target, *draft_of(report, target[0].session, event)))
        except RecollectError as error:
            drafts.append(error)
    observations = [each[1] for each in drafts if not isinstance(each, RecollectError)]
    outcomes = iter(caller.memory.observations.record_each(observations) if observations else ())
    return [
        each if isinstance(each, RecollectError) else _stored(next(outcomes), each[0], each[2])
        for each in drafts
    ]


class _Targets:
    """The sessions of the reports of a batch: each is looked up once."""

    def __init__(self, caller: Caller, event: Literal["tool"] | None) -> None:
        self._caller = caller
        self._event = event
        self._open: dict[tuple[str | None, ...], _Target] = {}

    def of(self, report: ToolReport) -> _Target:
        """Return the session of a report, as `hooked_of` does."""
        project = label_of(report.project_path)
        names = (report.session_key, report.session_id, project)
        if (target := self._open.get(names)) is not None:
            return target
        is_by_hand = self._event is None and label_of(report.tool_name) is None
        beginning = _nothing if is_by_hand else partial(check_captured, self._caller, report)
        target = hooked_of(self._caller, report, "during", beginning)
        if target[0].became != "over":  # to which one it belongs then depends on its time
            self._open[names] = target
        return target


def _nothing() -> None:
    pass


def draft_of(
    report: ToolReport, session: Session, event: Made | None
) -> tuple[GivenObservation, ReportNote | None]:
    """Return a report as recorded in a session, and a note about it."""
    project = label_of(report.project_path)
    texts, note = _understood(report)
    failed = report.error is not None and event == "tool"
    observation = GivenObservation(
        session_id=session.id,
        tool_name=label_of(report.tool_name),
        type=label_of(report.type),
        input=texts["input"],
        output=texts["output"],
        summary=report.summary,
        importance=report.importance,
        event_id=event_id_of(report.event_id),
        title=report.title,
        files=report.files,
        error=report.error,
        tool_use_id=event_id_of(report.tool_use_id),
        agent_id=event_id_of(report.agent_id),
        event="tool_failed" if failed else event,
        at=time_of(report.created_at),
        project=None if project == session.project else project,
    )
    return observation, note


def _stored(
    outcome: Recorded | RecollectError, target: _Target, report_note: ReportNote | None
) -> Stored | RecollectError:
    if isinstance(outcome, RecollectError):
        return outcome
    session, note = target
    observation, is_new = outcome.observation, outcome.is_new
    return Stored(observation=observation, is_new=is_new, session=session, note=report_note or note)


def _understood(report: ToolReport) -> tuple[Mapping[str, Any], ReportNote | None]:
    """Return input and output, with the unreadable part of the report, and a note about it."""
    texts = {"input": report.input, "output": report.output}
    if report.unread is not None:
        free = next((name for name in ("output", "input") if texts[name] is None), None)
        if free is None:
            texts["output"] = {"output": report.output, "unread": report.unread}
        else:
            texts[free] = report.unread
        return texts, ReportNote(reason=UNREAD, why="what could not be read is kept as text")
    if report.left_out:
        why = f"{report.left_out} bytes in the middle were left out"
        return texts, ReportNote(reason="too_large", why=why)
    if any(isinstance(text, str) and TAG in text for text in texts.values()):
        why = "what this memory had put into the prompt was left out"
        return texts, ReportNote(reason=RECALLED, why=why)
    return texts, None
