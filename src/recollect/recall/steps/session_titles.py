"""Titles of sessions, as shown to people."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect.core.errors import NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.record.session import Session
    from recollect.sessions.sessions import Sessions

FIRST = 5
"""First messages that are searched for words of the user as a title."""
TITLE = 60
"""Characters of such a title."""


def title_of(sessions: Sessions, session: Session) -> str:
    """Return the title of a session, or its key, or how it begins."""
    named = session.title or session.key
    if named is not None:
        return named
    first = sessions.messages(session.id, FIRST, after_seq=0)
    said = next((message.text for message in first if message.role == "user"), "")
    line = " ".join(said.split())
    short = line if len(line) <= TITLE else f"{line[: TITLE - 1].rstrip()}…"
    return short or session.project or "untitled"


def titles_of(sessions: Sessions, session_ids: Iterable[str]) -> dict[str, str]:
    """Return the titles of sessions, by id; what was erased meanwhile is left out."""
    found: dict[str, str] = {}
    for session_id in session_ids:
        with suppress(NotFound):
            found[session_id] = title_of(sessions, sessions.get(session_id))
    return found
