"""Decides whether hits name their places: in a group that tells paths to strangers."""

from __future__ import annotations

from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.sessions.keys import GROUPS
from recollect.sessions.sessions import Sessions


def shows_citations(
    setting: str, sessions: Sessions, scope: Scope, for_session: str | None = None
) -> bool:
    """Return whether hits are cited.

    Args:
        setting: ``on``, ``off``, or ``auto``: unless the answer is read in a group chat.
        sessions: Where the session is.
        scope: Of the search.
        for_session: On whose behalf is searched; the session of the scope if not given.

    Raises:
        StoreError: the session cannot be read.
    """
    if setting != "auto":
        return setting == "on"
    reader = for_session or scope.session
    if reader is None:
        return True
    try:
        return sessions.get(reader).chat_type not in GROUPS
    except NotFound:  # then there is nothing to cite either
        return True
