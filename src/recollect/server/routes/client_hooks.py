"""Hooks of agent programs: what each reports, read by its room in `integrations`, takes one path.

Answers what the hook is to print. What cannot be stored is left out and the answer is ``{}``: only
a caller without the right, and a store that cannot write, get an error, so that the client may try
again. Messages come from the transcript of the program where that is followed; elsewhere prompt and
answer replace it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from recollect.caller import Caller
from recollect.checkpoints.capture.file_calls import FileCall, FileCalls
from recollect.core.checks import MOST_QUESTION
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound, RecollectError
from recollect.integrations.claude_code.payloads import ClaudeCodeHooks
from recollect.integrations.codex.payloads import CodexHooks
from recollect.integrations.copilot.payloads import CopilotHooks
from recollect.integrations.cursor.payloads import CursorHooks
from recollect.integrations.gemini.payloads import GeminiHooks
from recollect.integrations.hook_event import ClientHooks, HookAnswer, HookEvent
from recollect.integrations.hook_event import Moment as HookMoment
from recollect.integrations.opencode.payloads import OpenCodeHooks
from recollect.integrations.windsurf.payloads import WindsurfHooks
from recollect.observations.controls import DROPPED
from recollect.observations.observation import Made, Observation, event_key
from recollect.recall.followed import FollowedFile
from recollect.server.capturing import (
    UNNAMED,
    Report,
    ToolReport,
    check_captured,
    draft_of,
    event_id_of,
    label_of,
    time_of,
)
from recollect.server.route import PayloadFields, Routes
from recollect.server.routes.hooks import StartReport, block_of
from recollect.sessions.lifecycle import ForeignName, Moment
from recollect.sessions.record.message import Part, StandIn
from recollect.sessions.record.session import LIST_THEM, Session
from recollect.text.redaction.blocks import is_private

CLIENTS: Mapping[str, ClientHooks] = {
    each.name: each
    for each in (
        ClaudeCodeHooks(),
        CodexHooks(),
        CopilotHooks(),
        CursorHooks(),
        GeminiHooks(),
        OpenCodeHooks(),
        WindsurfHooks(),
    )
}
"""What reads the events of each program, by the name in the address."""
OUTSIDE = "outside_roots"
"""The reason under which files are counted that no root of checkpoints contains."""
_OF_A_TURN = 1_000
"""Newest observations: a turn has fewer."""

ROUTES = Routes()
_log = logging.getLogger("recollect.server")


class ClientReport(PayloadFields, frozen=True, kw_only=True):
    """An event of an agent program: the body is its payload as it comes.

    Attributes:
        client: The program.
        event: What it calls the event; as the payload says if not given.
        at: When it happened, ISO 8601 or ms, where the payload does not say; now if not given.
        waits_until: How long the program waits, ms UTC; for the answer if not given.
    """

    client: str = ""
    event: str = ""
    at: int | str | None = None
    waits_until: int | None = None


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
    at = report.at if event.at is None else event.at
    return hooks, msgspec.structs.replace(event, at=at, until=report.waits_until)


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
    handler = _HANDLERS.get(event.moment)
    if handler is None:
        return ""
    try:
        return handler(_Hook(caller, event, is_late=is_late))
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
        session, _ = self._session("start", self._report())
        # Who may write there need not hear it.
        if self._is_late or not self._caller.hears(session.id):
            return ""
        report = StartReport(source=source, client=client)
        return block_of(self._caller, report, session.id).text

    def prompt(self) -> str:
        """Store what was asked; return what answers it, where the settings want that."""
        text = self._event.text or ""
        self._close_calls()
        session, file = self._session("resume", self._tool_report("prompt"))
        if not text.strip() or is_private(text):
            return ""
        message_id = self._stand_in("prompt", text, session, file)
        self._observe("prompt", self._tool_report("prompt", input=text), session, message_id)
        if self._is_late or not self._caller.hears(session.id):
            return ""
        context = self._memory.context
        return context(session.id, text[:MOST_QUESTION], None, "prompt", self._event.client).text

    def before_tool(self) -> str:
        """Keep what a tool is about to change."""
        if not self._is_late:
            self._keep_files(FileCalls.before)
        return ""

    def tool(self) -> str:
        """Store what a tool did, and first what it left."""
        event = self._event
        if event.tool_name is None and event.input is None and event.output is None:
            return ""
        self._keep_files(FileCalls.after)
        report = self._tool_report(
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
        event, kind = self._event, _OBSERVED[self._event.moment]
        text = event.text or ""
        if kind != "compaction":
            self._close_calls()
        if event.error is None and not text.strip():
            return ""
        session, file = self._session("during", self._tool_report(kind))
        message_id = self._stand_in("answer", text, session, file) if kind == "answer" else None
        report = self._tool_report(kind, input=event.agent_type or None, output=text)
        self._observe(kind, report, session, message_id)
        return ""

    def before_compaction(self) -> str:
        """Write what must last into the notes."""
        session, _ = self._session("end", self._report(), is_awaited=True)
        self._memory.sessions.flush(session.id, again=True)
        return ""

    def end(self) -> str:
        """Archive the session, unless it went on since."""
        self._close_calls(all_actors=True)
        session, _ = self._session("end", self._report(), is_awaited=True)
        if self._at is None or session.updated_at <= self._at:
            self._memory.sessions.set_status(session.id, "archived")
        return ""

    def _keep_files(self, keep: Callable[[FileCalls, FileCall, int | None], int]) -> None:
        """Take the checkpoint of a call that changes files; without one the agent goes on."""
        memory, event = self._memory, self._event
        if not memory.settings.checkpoints.enabled or event.tool_name is None:
            return
        reach = memory.file_calls.tools.reach(event.client, event.tool_name, event.input)
        tool, folder = label_of(event.tool_name), event.project_path
        if reach is None or memory.observations.own_calls.includes(tool, event.input):
            return
        if memory.capture.refusal(label_of(folder), tool, event.input, self._at) is not None:
            memory.file_calls.discard(event_id_of(event.tool_use_id))
            return
        is_awaited = event.moment == "before_tool"  # its message is in the transcript
        session, _ = self._session("during", self._tool_report("tool"), is_awaited=is_awaited)
        call = FileCall(
            session_id=session.id,
            tool=tool or "",
            reach=reach,
            use_id=event_id_of(event.tool_use_id),
            pair_id=event.pair_id,
            actor=event_id_of(event.agent_id),
            folder=folder,
        )
        try:
            until = 0 if self._is_late else event.until
            memory.capture.count({OUTSIDE: keep(memory.file_calls, call, until)})
        except (Denied, InvalidInput, NotFound) as error:
            _log.warning("a call of %s has no checkpoint: %s", call.tool, error.message)

    def _close_calls(self, *, all_actors: bool = False) -> None:
        """End the calls whose end nothing said, at the end of the turn that made them."""
        if not self._memory.settings.checkpoints.enabled:
            return
        with suppress(NotFound):  # it never began
            session, _ = self._session("end", self._report())
            actor = event_id_of(self._event.agent_id)
            self._memory.file_calls.close(session.id, actor, all_actors=all_actors)

    def _report(self) -> Report:
        return Report(project_path=self._event.project_path, created_at=self._event.at)

    def _tool_report(self, kind: Made, **fields: Any) -> ToolReport:
        event, prompt, agent = self._event, self._prompt_id, self._event.agent_id
        if prompt is None and self._at is not None:
            prompt = str(self._at)  # what is delivered again has the same time
        return ToolReport(
            project_path=event.project_path,
            created_at=event.at,
            event_id=event_key(kind, prompt, agent),
            agent_id=agent,
            error=event.error,
            **fields,
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
        if file is not None and (prompt := self._prompt_of_turn(session)) is not None:
            self._tell("prompt", prompt.input, session, prompt.created_at)
        return self._tell(part, text, session, self._at)

    def _prompt_of_turn(self, session: Session) -> Observation | None:
        """Return the prompt of the current turn; None if it was not recorded."""
        key = event_key("prompt", self._prompt_id)
        rows = self._memory.observations.list(session_id=session.id, limit=_OF_A_TURN)
        return next((each for each in rows if key is not None and each.event_id == key), None)

    def _tell(self, part: Part, text: str, session: Session, at: int | None) -> str | None:
        of = StandIn(prompt=self._prompt_id, role=part)
        message = self._memory.sessions.stand_in(session.id, of, text, at)
        return None if message is None else message.id

    def _observe(
        self, kind: Made, report: ToolReport, session: Session, message_id: str | None = None
    ) -> None:
        """Store an observation, unless a rule leaves it out."""
        draft, _ = draft_of(report, session, kind)
        draft = msgspec.structs.replace(draft, message_id=message_id)
        (outcome,) = self._memory.observations.record_each([draft])
        if isinstance(outcome, RecollectError) and "reason" not in outcome.facts:
            raise outcome


_OBSERVED: Mapping[HookMoment, Made] = {
    "answer": "answer",
    "subagent": "subagent",
    "compaction": "compaction",
    "interrupted": "interrupted",
}
_HANDLERS: Mapping[HookMoment, Callable[[_Hook], str]] = {
    "start": _Hook.start,
    "prompt": _Hook.prompt,
    "before_tool": _Hook.before_tool,
    "tool": _Hook.tool,
    **dict.fromkeys(_OBSERVED, _Hook.said),
    "before_compaction": _Hook.before_compaction,
    "end": _Hook.end,
}
"""What is done at each moment; at any other nothing: it is answered at once."""


def _begun() -> None:
    pass


def _unheard_of() -> None:
    raise NotFound("the session that ends is not known", hint=LIST_THEM)
