"""Transcripts: what is in a session beside its words, for who shows one."""

from __future__ import annotations

from recollect.answers.transcript import ToolCallList, tool_call_entry
from recollect.caller import Caller
from recollect.core.checks import HitCount
from recollect.server.route import Routes
from recollect.server.routes.sessions import PAGE, OneSession

ROUTES = Routes()


class TranscriptPage(OneSession, frozen=True, kw_only=True):
    """Which part of a session: the first after a seq."""

    limit: HitCount = PAGE
    after_seq: int | None = None


@ROUTES.add("GET", "/api/sessions/{key}/tool-calls", "read")
def tool_calls(caller: Caller, fields: TranscriptPage) -> ToolCallList:
    """List the tool calls of a session, oldest first."""
    session = caller.session(fields.key)
    calls = caller.memory.sessions.tool_calls(
        session.id, after_seq=fields.after_seq, for_session=caller.for_session()
    )
    page = list(calls[: fields.limit])
    page += [call for call in calls[fields.limit :] if call.seq == page[-1].seq]
    return ToolCallList(
        session_id=session.id,
        calls=tuple(map(tool_call_entry, page)),
        next_after=page[-1].seq if len(calls) > len(page) else None,
    )
