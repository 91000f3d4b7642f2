"""On whose behalf one searches and reads: what a session may hear, as the index understands it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from recollect.core.errors import Denied, NotFound
from recollect.index.model.visibility import Audience, SeqRange
from recollect.sessions.policy.owner import is_owners
from recollect.sessions.record.session_key import GROUPS

if TYPE_CHECKING:  # imported with the first session that is asked for
    from recollect.sessions.sessions import Sessions

Asked: TypeAlias = "Callable[[], Sessions]"
"""Returns the sessions; called only where one of them is asked for."""


def audience_of(sessions: Asked, session_id: str) -> Audience:
    """Return what a session may hear.

    Raises:
        NotFound: there is no such session in the scope.
    """
    asked = sessions()
    visibility_group = asked.visibility_group(session_id)
    return Audience(
        visibility_group=visibility_group.name,
        sees_files=visibility_group.is_private,
        sees_notes=is_owners(asked.get(session_id), asked.owner),
    )


def stretches_of(sessions: Asked, session_id: str) -> tuple[SeqRange, ...]:
    """Return which messages a session consists of, those that a fork shares included.

    Nothing where there is none with this id.
    """
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
        Denied: more than one person may read what it says.
        NotFound: there is no such session in the scope.
    """
    if session_id is not None and not sessions().visibility_group(session_id).is_private:
        raise Denied(
            "a group does not see memory files",
            hint="read them in a direct chat, or without for_session as their owner",
        )


def shows_citations(setting: str, sessions: Asked, session_id: str) -> bool:
    """Return whether hits are cited to a session.

    Args:
        setting: ``on``, ``off``, or ``auto``: unless the answer is read in a group chat.
        sessions: Where the session is.
        session_id: Which reads the answer.

    Raises:
        StoreError: the session cannot be read.
    """
    if setting != "auto":
        return setting == "on"
    try:
        return sessions().get(session_id).chat_type not in GROUPS
    except NotFound:  # then there is nothing to cite either
        return True
