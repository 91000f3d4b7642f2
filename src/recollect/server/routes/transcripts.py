"""Transcripts: what is in a session beside its words, for who shows one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from recollect.answers.transcript import (
    CompactionList,
    TakenList,
    ToolCallList,
    UsageList,
    compaction_entries,
    taken_range,
    tool_call_entry,
)
from recollect.caller import Caller
from recollect.core.checks import HitCount
from recollect.server.route import Routes
from recollect.server.routes.sessions import PAGE, OneSession

MOST_COUNTED = 10_000
"""Messages of a page of usage: where no provider counted, it reads all before it, so few pages are
cheaper."""

ROUTES = Routes()


class TranscriptPage(OneSession, frozen=True, kw_only=True):
    """Which part of a session: the first after a seq."""

    limit: HitCount = PAGE
    after_seq: int | None = None


class UsagePage(OneSession, frozen=True, kw_only=True):
    """Which part of a session: the first after a seq."""

    limit: Annotated[int, Meta(ge=1, le=MOST_COUNTED)] = PAGE
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


@ROUTES.add("GET", "/api/sessions/{key}/compactions", "read")
def compactions(caller: Caller, fields: OneSession) -> CompactionList:
    """List the compactions of a session, oldest first, with those that a fork sees."""
    session = caller.session(fields.key)
    summaries = caller.memory.sessions.compactions(
        session.id, shared=True, for_session=caller.for_session()
    )
    return CompactionList(session_id=session.id, compactions=tuple(compaction_entries(summaries)))


@ROUTES.add("GET", "/api/sessions/{key}/rewinds", "read")
def rewinds(caller: Caller, fields: OneSession) -> TakenList:
    """List what rewinds took out of a session, oldest first; also what returned since."""
    session = caller.session(fields.key)
    ranges = caller.memory.sessions.rewinds(session.id)
    return TakenList(session_id=session.id, rewinds=tuple(map(taken_range, ranges)))


@ROUTES.add("GET", "/api/sessions/{key}/usage", "read")
def usage(caller: Caller, fields: UsagePage) -> UsageList:
    """List what each message of a session costs in tokens, and how the prompt grew."""
    session, most = caller.session(fields.key), fields.limit
    messages = caller.memory.sessions.usage(
        session.id, most + 1, after_seq=fields.after_seq, for_session=caller.for_session()
    )
    return UsageList(
        session_id=session.id,
        window_tokens=caller.memory.settings.sessions.context.window_tokens,
        messages=tuple(messages[:most]),
        next_after=messages[most - 1].seq if len(messages) > most else None,
    )
