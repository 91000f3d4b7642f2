"""Decides whether hits name their places: in a group that tells paths to strangers."""

from __future__ import annotations

from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.sessions.sessions import Sessions

GROUPS = frozenset(("group", "channel", "room", "thread"))
"""Chat types in which more than one person reads the answer."""


def shows_citations(setting: str, sessions: Sessions, scope: Scope) -> bool:
    """Return whether hits are cited.

    Args:
        setting: ``on``, ``off``, or ``auto``: unless the session of the scope is a group chat.
        sessions: Where the session is.
        scope: Of the search.

    Raises:
        StoreError: the session cannot be read.
    """
    if setting != "auto":
        return setting == "on"
    if scope.session is None:
        return True
    try:
        return sessions.get(scope.session).chat_type not in GROUPS
    except NotFound:  # then there is nothing to cite either
        return True
