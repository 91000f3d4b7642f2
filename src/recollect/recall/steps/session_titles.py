"""Titles of sessions, as shown to people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from recollect.core.errors import NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.record.session import Session
    from recollect.sessions.sessions import Sessions

FIRST = 10
"""First messages that are searched for words of the user as a title."""
_SUBSTANCE = 2
"""Telling words of a title: with fewer it is small talk ("how are you?")."""
_GREETINGS = (
    r"good (?:morning|afternoon|evening)|howdy|moin|servus|guten (?:morgen|tag|abend)"
    r"|gr[uü](?:ss|ß) (?:gott|dich)|buen(?:os|as) (?:d[ií]as|tardes|noches)|bonjour|ciao|buongiorno"
    r"|how are you|what's up|wie geht(?:'s| es)(?: dir| ihnen)?|ça va|qué tal|come va"
    r"|你好|您好|早上好|谢谢|こんにちは|おはよう|안녕하세요|привет|здравствуйте|مرحبا|السلام عليكم"
)
"""Beside those of the languages, which come before a name."""
TITLE = 60
"""Characters of such a title."""


def title_of(sessions: Sessions, session: Session) -> str:
    """Return the title of a session, or its key, or how it begins."""
    name = session.title or session.key
    if name is not None:
        return name
    first = sessions.messages(session.id, FIRST, after_seq=0)
    texts = [" ".join(message.text.split()) for message in first if message.role == "user"]
    lines = [line for line in map(_without_greeting, texts) if _is_of_work(line)]
    line = next(iter(lines or filter(None, texts)), "")
    short = line if len(line) <= TITLE else f"{line[: TITLE - 1].rstrip()}…"
    return short or session.project or "untitled"


def _without_greeting(line: str) -> str:
    """Return what follows a greeting and the name in it.

    >>> [_without_greeting(line) for line in ("Hi Claude, fix the parser", "你好！请修复解析器")]
    ['fix the parser', '请修复解析器']
    """
    return line[match.end() :] if (match := _greeting().match(line)) else line


def _is_of_work(line: str) -> bool:
    from recollect.text.keywords import telling  # the languages, which `--help` does without
    from recollect.text.terms import query_terms

    return len(set(telling(query_terms(line)))) >= _SUBSTANCE


@cache
def _greeting() -> re.Pattern[str]:
    from recollect.text.languages import all_languages

    words = "|".join(filter(None, (*(each.greetings for each in all_languages()), _GREETINGS)))
    name, end = r"(?:\s+\w+(?=[,.!;:，！])|\s+there)?", r"(?:[\s,.!?;:–—…，。！？、~]+|$)"
    return re.compile(rf"(?:(?:{words}){name}{end})+", re.IGNORECASE)


def titles_of(sessions: Sessions, session_ids: Iterable[str]) -> dict[str, str]:
    """Return the titles of sessions, by id; what was erased meanwhile is left out."""
    titles: dict[str, str] = {}
    for session_id in session_ids:
        with suppress(NotFound):
            titles[session_id] = title_of(sessions, sessions.get(session_id))
    return titles
