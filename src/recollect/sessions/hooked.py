"""Sessions of hooks: a client tells when one starts and ends, and how fresh it is does not matter.

A hook may come late, twice or not at all, and several come at once; each must find its session.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from recollect.core.errors import InvalidInput
from recollect.core.events import SessionResumed
from recollect.core.scope import Scope
from recollect.sessions.lifecycle import set_status
from recollect.sessions.record.session import (
    Session,
    add_session,
    owner_of,
    select_sessions,
)
from recollect.store.columns import Condition
from recollect.store.engine import Transaction
from recollect.store.journal import record_event

Moment = Literal["start", "resume", "during", "end"]
"""Of what in the life of a session a hook tells."""
Became = Literal["began", "resumed", "went on", "was over"]
"""What that made of the session."""


class Hooked(msgspec.Struct, frozen=True, kw_only=True):
    """The session that a hook is of.

    Attributes:
        session: As it is now.
        became: ``began``: it is new. ``resumed``: it had ended, and goes on. ``went on``: it was
            there. ``was over``: it had ended, and what happened belongs to it.
    """

    session: Session
    became: Became


def check_moment(moment: object) -> None:
    """Refuse what is not a `Moment`.

    Raises:
        InvalidInput: it is none.
    """
    if moment not in get_args(Moment):
        raise InvalidInput(
            "unknown moment of a session", hint=f"use one of {', '.join(get_args(Moment))}"
        )


def known_hooked(
    tx: Transaction, wanted: Session, scope: Scope, moment: Moment, at: int | None
) -> Hooked | None:
    """Return the session that a hook is of; None where one begins, or goes on again.

    Args:
        tx: A transaction.
        wanted: What would begin, with its key and project.
        scope: Whose sessions.
        moment: What the hook tells.
        at: When it happened, ms UTC; now if not given.
    """
    running = _newest(tx, wanted, scope, moment, "active")
    if running is not None:
        return Hooked(session=running, became="went on")
    if moment in {"start", "resume"} or (moment == "during" and at is None):
        return None
    over = _newest(tx, wanted, scope, moment, "archived")
    if over is None or (at is not None and at > (over.ended_at or over.updated_at)):
        return None
    return Hooked(session=over, became="was over")


def hook_session(
    tx: Transaction, wanted: Session, scope: Scope, moment: Moment, at: int | None
) -> Hooked:
    """Return the session that a hook is of, begun or opened again where that is needed.

    Arguments as for `known_hooked`.

    Raises:
        Conflict: another program holds what would be opened again.
    """
    known = known_hooked(tx, wanted, scope, moment, at)
    if known is not None:
        return known
    over = _newest(tx, wanted, scope, moment, "archived") if moment == "resume" else None
    if over is None:
        return Hooked(session=add_session(tx, wanted), became="began")
    session = set_status(tx, over, "active", wanted.updated_at)
    record_event(tx, SessionResumed(scope=owner_of(session), at=wanted.updated_at))
    return Hooked(session=session, became="resumed")


def _newest(
    tx: Transaction, wanted: Session, scope: Scope, moment: Moment, status: str
) -> Session | None:
    """Return the session of the key that was used last: in the project, where there is one.

    One of another project serves as well, unless something starts: agents change their folder.
    """

    def under_key(project: str | None) -> Session | None:
        where = Condition(scope).equal("key", wanted.key).equal("status", status)
        return next(iter(select_sessions(tx, where.equal("project", project), 1)), None)

    found = under_key(wanted.project)
    is_any = found is not None or wanted.project is None or moment == "start"
    return found if is_any else under_key(None)
