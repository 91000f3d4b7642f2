"""Sessions as a caller hears them: which there are, and what was said in one."""

from __future__ import annotations

from itertools import islice

from recollect.caller import Caller
from recollect.core.clock import to_iso
from recollect.core.numbers import show_number
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.text.tokens import estimate_tokens

TRANSCRIPT_TOKENS = 8_000
"""What a transcript costs at most: a third of the 25,000 that Claude Code takes of one answer."""
_NEWEST = 200
"""Messages that are looked at for a transcript, and sessions for a list."""


def heard_sessions(caller: Caller, most: int) -> list[Session]:
    """Return sessions that a caller hears, the last used first."""
    known = caller.memory.sessions.list(limit=_NEWEST)
    return list(islice((each for each in known if caller.hears(each.id)), most))


def transcript(caller: Caller, session: Session, budget_tokens: int = TRANSCRIPT_TOKENS) -> str:
    """Return the newest of what was said in a session, oldest first, within a budget.

    Args:
        caller: Who asks. Of a session that several people share, they read what they hear.
        session: One that the caller hears.
        budget_tokens: What the lines may cost.
    """
    lines: list[str] = []
    newest = caller.memory.sessions.messages(session.id, limit=_NEWEST)
    for message in filter(caller.hears_message, reversed(newest)):
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
