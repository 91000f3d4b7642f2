"""Sessions as a caller hears them: which there are, and what was said in one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from recollect.caller import Caller
from recollect.core.clock import to_iso
from recollect.core.errors import NotFound
from recollect.core.numbers import show_number
from recollect.mcp.asking import hears_all
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.text.tokens import estimate_tokens

TRANSCRIPT_TOKENS = 8_000
"""What a transcript costs at most: a third of the 25,000 that Claude Code takes of one answer."""
_NEWEST = 200
"""Messages that are looked at for a transcript, and sessions for a list."""


def heard_sessions(caller: Caller, most: int) -> list[Session]:
    """Return sessions that a caller hears, the last used first."""
    return list(islice(_heard(caller), most))


def _heard(caller: Caller) -> Iterator[Session]:
    is_operator = hears_all(caller)
    for session in caller.memory.sessions.list(limit=_NEWEST):
        if is_operator:
            yield session
            continue
        with suppress(NotFound):
            caller.for_session(session.id)
            yield session


def transcript(caller: Caller, name: str, budget_tokens: int = TRANSCRIPT_TOKENS) -> str:
    """Return the newest of what was said in a session, oldest first, within a budget.

    Args:
        caller: Who asks. Of a session that several people share, they read what they hear.
        name: Its id, title or key.
        budget_tokens: What the lines may cost.

    Raises:
        NotFound: there is no such session, or the caller does not hear it.
    """
    sessions = caller.memory.sessions
    asked = caller.for_session(name)
    session = sessions.find(name if asked is None else asked)
    group = None if hears_all(caller) else sessions.visibility_group(session.id)
    lines: list[str] = []
    for message in reversed(sessions.messages(session.id, limit=_NEWEST)):
        if group is not None and sessions.message_group(message) != group:
            continue
        line = _line(message)
        budget_tokens -= estimate_tokens(line)
        if budget_tokens < 0:
            lines.append("… earlier messages are left out; memory_search finds them")
            break
        if message.text:
            lines.append(line)
    head = f"Session {session.id}, begun {to_iso(session.created_at)}, {session.status}"
    title = f": {session.title}" if session.title else ""
    return "\n\n".join([head + title, *reversed(lines)])


def _line(message: Message) -> str:
    who = message.role if message.name is None else f"{message.role} {message.name}"
    name, at = show_number("message", message.number), to_iso(message.created_at)[:16]
    return f"[{name} {at} {who}] {message.text}"
