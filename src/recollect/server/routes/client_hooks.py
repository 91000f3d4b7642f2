"""Hooks of agent programs: what each reports, read by its room in `integrations`, takes one path.

Answers what the hook is to print. What cannot be stored is left out and the answer is ``{}``: only
a caller without the right, and a store that cannot write, get an error, so that the client may try
again. Messages come from the transcript of the program where that is followed; elsewhere prompt and
answer replace it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from recollect.caller import Caller
from recollect.core.checks import MOST_QUESTION
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound, RecollectError
from recollect.integrations.claude_code.payloads import ClaudeCodeHooks
from recollect.integrations.codex.payloads import CodexHooks
from recollect.integrations.gemini.payloads import GeminiHooks
from recollect.integrations.hook_event import ClientHooks, HookAnswer, HookEvent
from recollect.integrations.hook_event import Moment as HookMoment
from recollect.observations.controls import DROPPED
from recollect.observations.observation import Made, Observation, event_key
from recollect.recall.followed import FollowedFile
from recollect.server.capturing import (
    UNNAMED,
    Report,
    ToolReport,
    check_captured,
    event_id_of,
    given_of,
    label_of,
    time_of,
)
from recollect.server.route import PayloadGiven, Routes
from recollect.server.routes.hooks import StartReport, block_of
from recollect.sessions.lifecycle import ForeignName, Moment
from recollect.sessions.record.message import Part, StandIn
from recollect.sessions.record.session import LIST_THEM, Session
from recollect.text.redaction.blocks import is_private

CLIENTS: Mapping[str, ClientHooks] = {
    each.name: each for each in (ClaudeCodeHooks(), CodexHooks(), GeminiHooks())
}
"""What reads the events of each program, by the name in the address."""
_OF_A_TURN = 1_000
"""Newest observations: a turn has fewer."""

ROUTES = Routes()


class ClientReport(PayloadGiven, frozen=True, kw_only=True):
    """An event of an agent program: the body is its payload as it comes.

    Attributes:
        client: The program.
        event: What it calls the event; as the payload says if not given.
        at: When it happened, ISO 8601 or ms, where the payload does not say; now if not given.
    """

    client: str = ""
    event: str = ""
    at: int | str | None = None


@ROUTES.add("POST", "/api/hooks/{client}", "hooks")
def answer(caller: Caller, report: ClientReport) -> HookAnswer:
    """Take in what a hook reports, and return what it is to print.

    Raises:
        NotFound: the program is none that is known.
        RecollectError: as `take`.
    """
    hooks, event = _read(report)
    return hooks.answer(event, take(caller, event))


def take_late(caller: Caller, report: ClientReport) -> None:
    """Take in what a hook reported a while ago; it has ended, so there is nothing to print.

    Raises:
        NotFound: the program is none that is known.
        RecollectError: as `take`.
    """
    take(caller, _read(report)[1], is_late=True)


def _read(report: ClientReport) -> tuple[ClientHooks, HookEvent]:
    hooks = CLIENTS.get(report.client)
    if hooks is None:
        raise NotFound("the client is unknown", hint=f"use one of {', '.join(CLIENTS)}")
    event = hooks.read(report.event, report.payload)
    if event.at is None:
        event = msgspec.structs.replace(event, at=report.at)
    return hooks, event


def take(caller: Caller, event: HookEvent, *, is_late: bool = False) -> str:
    """Store what an event tells, and return the context that its prompt is given; may be empty.

    Args:
        caller: Who reports it.
        event: What happened.
        is_late: The prompt was sent long ago: no context is made, nor recorded as injected.

    Raises:
        Denied: the caller may not write there.
        StoreError: nothing was stored; the same event again does no harm.
    """
    kept = _KEPT.get(event.moment)
    if kept is None:
        return ""
    try:
        return kept(_Hook(caller, event, is_late=is_late))
    except Denied as error:
        if "reason" not in error.facts:  # not what is left out, but who calls
            caller.memory.capture.count({DROPPED: 1})
            raise
    except (Conflict, InvalidInput, NotFound):
        # It was deleted, is not for this token, or cannot be stored: the agent goes on. With the
        # end of a session that never began nothing is lost.
        caller.memory.capture.count({DROPPED: int(event.moment != "end")})
    return ""


class _Hook:
    """One event on its way into the memory."""

    def __init__(self, caller: Caller, event: HookEvent, *, is_late: bool) -> None:
        self._is_late = is_late
        self._caller, self._event, self._memory = caller, event, caller.memory
        self._at, self._prompt_id = time_of(event.at), event_id_of(event.prompt_id)

    def start(self) -> str:
        """Begin a session, or go on with it; return the block of its first prompt."""
        source, client = self._event.source, self._event.client
        session, _ = self._session("resume" if source == "resume" else "start", self._report())
        # Who may write there need not hear it.
        if self._is_late or not self._caller.hears(session.id):
            return ""
        report = StartReport(source=source, client=client)
        return block_of(self._caller, report, session.id).text

    def prompt(self) -> str:
        """Store what was asked; return what answers it, where the settings want that."""
        text = self._event.text or ""
        session, file = self._session("resume", self._observed("prompt"))
        if not text.strip() or is_private(text):
            return ""
        told = self._stand_in("prompt", text, session, file)
        self._observe("prompt", self._observed("prompt", input=text), session, told)
        if self._is_late or not self._caller.hears(session.id):
            return ""
        context = self._memory.context
        return context(session.id, text[:MOST_QUESTION], None, "prompt", self._event.client).text

    def tool(self) -> str:
        """Store what a tool did."""
        event = self._event
        if event.tool_name is None and event.input is None and event.output is None:
            return ""
        report = self._observed(
            "tool",
            tool_name=event.tool_name,
            tool_use_id=event.tool_use_id,
            input=event.input,
            output=event.output,
        )
        self._observe("tool", report, self._session("during", report)[0])
        return ""

    def said(self) -> str:
        """Store the end of a turn or of a sub-agent, or the summary of a compaction."""
        event, made = self._event, _MADE[self._event.moment]
        text = event.text or ""
        if event.error is None and not text.strip():
            return ""
        session, file = self._session("during", self._observed(made))
        told = self._stand_in("answer", text, session, file) if made == "answer" else None
        report = self._observed(made, input=event.agent_type or None, output=text)
        self._observe(made, report, session, told)
        return ""

    def before_compaction(self) -> str:
        """Write what must last into the notes."""
        session, _ = self._session("end", self._report(), is_awaited=True)
        self._memory.sessions.flush(session.id, again=True)
        return ""

    def end(self) -> str:
        """Archive the session, unless it went on since."""
        session, _ = self._session("end", self._report(), is_awaited=True)
        if self._at is None or session.updated_at <= self._at:
            self._memory.sessions.set_status(session.id, "archived")
        return ""

    def _report(self) -> Report:
        return Report(project_path=self._event.project_path, created_at=self._event.at)

    def _observed(self, made: Made, **told: Any) -> ToolReport:
        event, prompt, agent = self._event, self._prompt_id, self._event.agent_id
        if prompt is None and self._at is not None:
            prompt = str(self._at)  # what is delivered again has the same time
        return ToolReport(
            project_path=event.project_path,
            created_at=event.at,
            event_id=event_key(made, prompt, agent),
            agent_id=agent,
            error=event.error,
            **told,
        )

    def _session(
        self, moment: Moment, report: Report, *, is_awaited: bool = False
    ) -> tuple[Session, FollowedFile | None]:
        """Return the session, and its transcript where that is followed, which is read on.

        Raises:
            Denied: it is not captured, or the caller may not write there.
            NotFound: it ends, and was never heard of.
        """
        event, file = self._event, None
        check_captured(self._caller, report)
        if event.transcript_path is not None:
            grew = self._memory.transcript_grew
            file = grew(event.transcript_path, event.client, is_awaited=is_awaited)
        name = ForeignName(
            source=event.client,
            id=event_id_of(event.foreign_id) or UNNAMED,
            place=None if file is None else file.place,
        )
        project, beginning = (
            label_of(event.project_path),
            _unheard_of if moment == "end" else _begun,
        )
        hooked = self._caller.hooked(name, project, moment, self._at, beginning=beginning)
        return hooked.session, file

    def _stand_in(
        self, part: Part, text: str, session: Session, file: FollowedFile | None
    ) -> str | None:
        """Return the id of a message stored until the transcript has it; None: that is followed.

        A program writes its file after the first prompt. Where there is none by the answer, it
        keeps none, and both are stored.
        """
        if file is not None and (file.is_there or part == "prompt"):
            return None
        if file is not None and (asked := self._asked(session)) is not None:
            self._tell("prompt", asked.input, session, asked.created_at)
        return self._tell(part, text, session, self._at)

    def _asked(self, session: Session) -> Observation | None:
        """Return what was asked in the turn."""
        key = event_key("prompt", self._prompt_id)
        known = self._memory.observations.list(session_id=session.id, limit=_OF_A_TURN)
        return next((each for each in known if key is not None and each.event_id == key), None)

    def _tell(self, part: Part, text: str, session: Session, at: int | None) -> str | None:
        of = StandIn(prompt=self._prompt_id, role=part)
        message = self._memory.sessions.stand_in(session.id, of, text, at)
        return None if message is None else message.id

    def _observe(
        self, made: Made, report: ToolReport, session: Session, message_id: str | None = None
    ) -> None:
        """Store an observation, unless a rule leaves it out."""
        given, _ = given_of(report, session, made)
        given = msgspec.structs.replace(given, message_id=message_id)
        (outcome,) = self._memory.observations.record_each([given])
        if isinstance(outcome, RecollectError) and "reason" not in outcome.facts:
            raise outcome


_MADE: Mapping[HookMoment, Made] = {
    "answer": "answer",
    "subagent": "subagent",
    "compaction": "compaction",
    "interrupted": "interrupted",
}
_KEPT: Mapping[HookMoment, Callable[[_Hook], str]] = {
    "start": _Hook.start,
    "prompt": _Hook.prompt,
    "tool": _Hook.tool,
    **dict.fromkeys(_MADE, _Hook.said),
    "before_compaction": _Hook.before_compaction,
    "end": _Hook.end,
}
"""What is done at each moment; at any other nothing: it is answered at once."""


def _begun() -> None:
    pass


def _unheard_of() -> None:
    raise NotFound("a session ends that was not heard of", hint=LIST_THEM)
