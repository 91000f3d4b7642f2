"""What was said in a session, as a caller hears it."""

from __future__ import annotations

from recollect.caller import Caller
from recollect.core.clock import to_iso
from recollect.core.numbers import show_number
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.text.tokens import estimate_tokens

TRANSCRIPT_TOKENS = 8_000
"""What a transcript costs at most: a third of the 25,000 that Claude Code takes of one answer."""
_NEWEST = 200
"""Messages that are looked at for a transcript."""
_RECENT = 20
"""Sessions among which the owner's last one is looked for."""


def last_session(caller: Caller, project: str | None) -> str | None:
    """Return the owner's session that was used last, an ended one too; None without any.

    Args:
        caller: The operator.
        project: Only of this project: a path of it.
    """
    sessions = caller.memory.sessions
    recent = sessions.list(project=project, automatic=False, limit=_RECENT)
    return next((s.id for s in recent if sessions.visibility_group(s.id).is_owners), None)


def transcript(caller: Caller, session: Session, budget_tokens: int = TRANSCRIPT_TOKENS) -> str:
    """Return the newest messages of a session within a budget, oldest first.

    Args:
        caller: Who asks. Of a session that several people share, they read what they hear.
        session: One that the caller hears.
        budget_tokens: What the lines may cost.
    """
    lines: list[str] = []
    hears = caller.for_session()
    newest = caller.memory.sessions.messages(session.id, limit=_NEWEST, for_session=hears)
    for message in reversed(newest):
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
