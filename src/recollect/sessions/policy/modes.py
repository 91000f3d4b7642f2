"""What an agent may do in a session, by who can read it.

The rules are advice, not enforced: tools and browsers are the agent's. What it may remember is
enforced, by the search on behalf of the session (see `visibility_group`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from recollect.audience.session_key import GROUPS
from recollect.audience.visibility import VisibilityGroup
from recollect.core.settings.sessions import GroupSettings
from recollect.sessions.record.session import Session
from recollect.text.terms import is_unspaced


class ModeRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one session.

    Attributes:
        mode: ``main``, ``group`` or ``queue``.
        tools: The tools that may be used; None for all.
        sandbox: Whether code runs in a sandbox only.
        file_access: Whether personal files may be read, memory files among them.
        browser_access: Whether a browser may also write, or only read.
        cross_user_memory: Whether what other people said elsewhere may be recalled: never.
        needs_call: Whether the agent answers only who calls it by name or replies to it.
        one_at_a_time: Whether each message is answered before the next one is begun.
    """

    mode: str
    tools: tuple[str, ...] | None = None
    sandbox: bool = False
    file_access: bool = True
    browser_access: Literal["full", "read_only"] = "full"
    cross_user_memory: bool = False
    needs_call: bool = False
    one_at_a_time: bool = False

    def allows(self, tool: str) -> bool:
        """Return whether a tool may be used."""
        return self.tools is None or tool in self.tools


def mode_rules(
    session: Session, visibility_group: VisibilityGroup, settings: GroupSettings
) -> ModeRules:
    """Return the rules of a session.

    Whatever is not known to be one person's is treated like a group: sub-agents, hooks and kinds of
    chat that are not understood.
    """
    queued = session.mode == "queue"
    if visibility_group.is_private:
        files = visibility_group.is_owners
        return ModeRules(mode=session.mode, file_access=files, one_at_a_time=queued)
    return ModeRules(
        mode=session.mode,
        tools=settings.tools,
        sandbox=True,
        file_access=False,
        browser_access="read_only",
        needs_call=session.chat_type in GROUPS,
        one_at_a_time=queued,
    )


def calls(text: str, names: Iterable[str]) -> bool:
    """Return whether one of some names is in a text as a word.

    >>> calls("Hey @Tea, what now?", ["@tea"]), calls("teapot", ["tea"])
    (True, False)
    """
    folded = _folded(text)
    return any(
        _is_bounded(folded, start, start + len(name))
        for name in map(_folded, names)
        for start in _places(folded, name)
    )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _places(text: str, name: str) -> Iterator[int]:
    start = text.find(name) if name else -1
    while start >= 0:
        yield start
        start = text.find(name, start + 1)


def _is_bounded(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    return not (_joins(before) and not is_unspaced(first)) and not (_joins(after) and _joins(last))


def _joins(character: str) -> bool:
    """Return whether a character continues a word of a script that puts spaces between words."""
    return (character.isalnum() or character == "_") and not is_unspaced(character)
