"""On whose behalf is searched and read: what a session may hear, as the index understands it."""

from __future__ import annotations

from recollect.core.errors import Denied, NotFound
from recollect.index.circles import Audience, Stretch
from recollect.sessions.sessions import Sessions


def audience_of(sessions: Sessions, session_id: str | None) -> Audience | None:
    """Return what a session may hear; None where no session asks.

    Raises:
        NotFound: there is no such session in the scope.
    """
    if session_id is None:
        return None
    circle = sessions.circle(session_id)
    return Audience(circle=circle.name, sees_files=circle.is_private)


def stretches_of(sessions: Sessions, session_id: str | None) -> tuple[Stretch, ...] | None:
    """Return which messages a session consists of, those that a fork shares included.

    None where no session is asked for; nothing where there is none with this id.
    """
    if session_id is None:
        return None
    try:
        parts = sessions.parts(session_id)
    except NotFound:
        return ()
    shared = [part for part in parts if part.session_id != session_id]
    return (
        *(Stretch(session=part.session_id, last=part.last) for part in shared),
        # Without an end: a message that arrives just now is found too.
        Stretch(session=session_id),
    )


def check_may_read(sessions: Sessions, session_id: str | None) -> None:
    """Refuse memory files to a session that is not one person's.

    Raises:
        Denied: more than one person may read what it is told.
        NotFound: there is no such session in the scope.
    """
    if session_id is not None and not sessions.circle(session_id).is_private:
        raise Denied(
            "a group does not see memory files",
            hint="read them in a direct chat, or without for_session as their owner",
        )
