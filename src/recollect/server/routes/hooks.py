"""Hooks of a client's life: a session starts, a tool gave something back, the session ends.

Each answers 200 and says what happened: also where nothing was stored. Only a caller without the
right, and a store that cannot write, get an error, so that the client may try again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar, get_args

import msgspec

from recollect.answers.context import context_answer
from recollect.answers.hook import EndAnswer, HookAnswer, StartAnswer, ToolAnswer
from recollect.answers.observation import ReportNote
from recollect.caller import Caller
from recollect.core.checks import MOST_QUESTION
from recollect.core.clock import to_iso
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound, RecollectError
from recollect.recall.context.block import ContextBlock, Reason
from recollect.server.capturing import (
    Report,
    Stored,
    ToolReport,
    check_captured,
    hooked_of,
    store_each,
)
from recollect.server.route import Routes
from recollect.server.routes.sessions import summary_of

ROUTES = Routes()


class StartReport(Report, frozen=True, kw_only=True):
    """A session starts.

    Attributes:
        source: What started it, as Claude Code says it: ``startup``, ``resume``, ``clear``,
            ``compact`` or ``fork``.
        query: A question; what answers it comes first in the context.
        max_tokens: What the context may cost; ``context.budget_tokens`` if not given.
        client: The program that reads it, see `Contexts.block`.
    """

    source: str | None = None
    query: str | None = None
    max_tokens: int | None = None
    client: str | None = None


Answer = TypeVar("Answer", bound=HookAnswer)
_SOURCES: Mapping[str | None, Reason] = {it: it for it in get_args(Reason) if it != "prompt"}
"""What can start a session, as a client names it."""


def _answering(kind: type[Answer], use: Callable[[], Answer]) -> Answer:
    """Return the result of ``use``, or the reason why nothing was stored."""
    try:
        return use()
    except Denied as error:
        if "reason" not in error.facts:  # not what is left out, but who calls
            raise
        why = error.message.removeprefix("not captured: ")
        return kind(status="not_captured", reason=str(error.facts["reason"]), why=why)
    except (Conflict, InvalidInput, NotFound) as error:
        return kind(status="refused", reason=error.code, why=error.message)


@ROUTES.add("POST", "/api/hooks/session-start", "capture")
def start(caller: Caller, report: StartReport) -> StartAnswer:
    """Begin a session, or go on with it, and return what its prompt is given."""

    def use() -> StartAnswer:
        check_captured(caller, report)
        moment: Literal["start", "resume"] = "resume" if report.source == "resume" else "start"
        hooked, note = hooked_of(caller, report, moment)
        is_heard = caller.hears(hooked.session.id)  # who may write there need not hear it
        context = block_of(caller, report, hooked.session.id) if is_heard else ContextBlock()
        block = context_answer(context)
        return StartAnswer(
            status=hooked.became,
            session_id=hooked.session.id,
            session_key=hooked.session.key,
            context=block.text,
            tokens=block.tokens,
            items=block.items,
            **_note_fields(note),
        )

    return _answering(StartAnswer, use)


@ROUTES.add("POST", "/api/hooks/tool-result", "capture")
def tool_results(
    caller: Caller, reports: Sequence[ToolReport]
) -> list[ToolAnswer | RecollectError]:
    """Store what a tool did."""
    outcomes = store_each(caller, list(map(_usable, reports)), "tool")
    return [_tool_answer(outcome) for outcome in outcomes]


def _usable(report: ToolReport) -> ToolReport:
    importance = report.importance
    if importance is None or 0 <= importance <= 1:
        return report
    return msgspec.structs.replace(report, importance=None)


def _tool_answer(outcome: Stored | RecollectError) -> ToolAnswer | RecollectError:
    def use() -> ToolAnswer:
        if isinstance(outcome, RecollectError):
            raise outcome
        session = outcome.session.session
        return ToolAnswer(
            status="stored" if outcome.is_new else "duplicate",
            session_id=session.id,
            session_key=session.key,
            observation_id=outcome.observation.number,
            **_note_fields(outcome.note),
        )

    try:
        return _answering(ToolAnswer, use)
    except RecollectError as error:
        return error


@ROUTES.add("POST", "/api/hooks/session-end", "capture")
def end(caller: Caller, report: Report) -> EndAnswer:
    """End a session, and return what stays of it."""

    def use() -> EndAnswer:
        check_captured(caller, report)
        hooked, note = hooked_of(caller, report, "end")
        session = caller.memory.sessions.set_status(hooked.session.id, "archived")
        return EndAnswer(
            status="over" if hooked.became == "over" else "ended",
            session_id=session.id,
            session_key=session.key,
            summary=summary_of(caller, session),
            ended_at=None if session.ended_at is None else to_iso(session.ended_at),
            **_note_fields(note),
        )

    return _answering(EndAnswer, use)


def block_of(caller: Caller, report: StartReport, session_id: str) -> ContextBlock:
    """Return the context for the prompt; unusable fields of the report are ignored."""
    reason = _SOURCES.get(report.source, "startup")
    most = report.max_tokens if report.max_tokens is not None and report.max_tokens > 0 else None
    context = caller.memory.context
    query = None if report.query is None else report.query[:MOST_QUESTION]
    try:
        return context(session_id, query, most, reason, report.client)
    except InvalidInput:
        return context(session_id, reason=reason)


def _note_fields(note: ReportNote | None) -> dict[str, str]:
    return {} if note is None else msgspec.structs.asdict(note)
