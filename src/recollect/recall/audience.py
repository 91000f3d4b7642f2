"""On whose behalf is searched and read: what a session may hear, as the index understands it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from recollect.core.errors import Denied, NotFound
from recollect.core.scope import Scope
from recollect.index.model.visibility import Audience, SeqRange
from recollect.sessions.record.session_key import GROUPS

if TYPE_CHECKING:  # imported with the first session that is asked for
    from recollect.sessions.sessions import Sessions

Asked: TypeAlias = "Callable[[], Sessions]"
"""Returns the sessions; called only where one of them is asked for."""


def audience_of(sessions: Asked, session_id: str | None) -> Audience | None:
    """Return what a session may hear; None where no session asks.

    Raises:
        NotFound: there is no such session in the scope.
    """
    if session_id is None:
        return None
    visibility_group = sessions().visibility_group(session_id)
    return Audience(visibility_group=visibility_group.name, sees_files=visibility_group.is_private)


def stretches_of(sessions: Asked, session_id: str | None) -> tuple[SeqRange, ...] | None:
    """Return which messages a session consists of, those that a fork shares included.

    None where no session is asked for; nothing where there is none with this id.
    """
    if session_id is None:
        return None
    try:
        parts = sessions().parts(session_id)
    except NotFound:
        return ()
    shared = [part for part in parts if part.session_id != session_id]
    return (
        *(SeqRange(session=part.session_id, last=part.last) for part in shared),
        # Without an end: a message that arrives just now is found too.
        SeqRange(session=session_id),
    )


def check_may_read(sessions: Asked, session_id: str | None) -> None:
    """Refuse memory files to a session that is not one person's.

    Raises:
        Denied: more than one person may read what it is told.
        NotFound: there is no such session in the scope.
    """
    if session_id is not None and not sessions().visibility_group(session_id).is_private:
        raise Denied(
            "a group does not see memory files",
            hint="read them in a direct chat, or without for_session as their owner",
        )


def shows_citations(
    setting: str, sessions: Asked, scope: Scope, for_session: str | None = None
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
        return sessions().get(reader).chat_type not in GROUPS
    except NotFound:  # then there is nothing to cite either
        return True
