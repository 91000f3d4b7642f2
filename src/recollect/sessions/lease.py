"""Leases: one program at a time goes on with a session, and a late one cannot write into it.

A lease runs out by itself, so that a killed program locks no other out. Its fence grows with every
holder: a program that lost the session without noticing still carries the old one and is refused.

While a session is held, only its holder changes what is in its view. Plain appends of others go
through, unless the session is served as a queue or is held exclusively; imports always do.
"""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.core.errors import Conflict, InvalidInput
from recollect.core.settings import SessionSettings
from recollect.sessions.record.session import Session
from recollect.store.columns import decode
from recollect.store.engine import Transaction

_FIND: LiteralString = (
    "SELECT holder, fence, expires_at, is_exclusive FROM leases WHERE session_id = ?"
)
_TAKE: LiteralString = """
    INSERT INTO leases (session_id, holder, fence, expires_at, is_exclusive) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET holder = excluded.holder, fence = excluded.fence,
        expires_at = excluded.expires_at, is_exclusive = excluded.is_exclusive
"""
_RENEW: LiteralString = "UPDATE leases SET expires_at = ? WHERE session_id = ?"
DISTURBS: LiteralString = (
    "SELECT 1 FROM leases WHERE session_id = ? AND (is_exclusive = 1 OR ? = 'queue')"
)
"""Whether a plain append may disturb the holder of a session, by its id and its mode."""
GIVEN_BACK = 0
"""The expiry of a lease that was released."""
_LET_GO: LiteralString = """
    UPDATE leases SET expires_at = 0 WHERE session_id = ? AND holder = ? AND fence = ?
"""


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """The right to go on with a session.

    Attributes:
        session_id: The session.
        holder: Who has it; any text that no other program uses.
        fence: Grows with every holder.
        expires_at: Until when, without a sign of life, ms UTC.
        is_exclusive: Whether others may not even append.
    """

    session_id: str
    holder: str
    fence: int
    expires_at: int
    is_exclusive: bool = False


def find_lease(tx: Transaction, session_id: str, now: int) -> Lease | None:
    """Return the lease that is in force."""
    lease = _stored(tx, session_id)
    return lease if lease is not None and lease.expires_at > now else None


def take_lease(tx: Transaction, request: Lease, now: int) -> Lease:
    """Return a lease for the holder of ``request``; one that it has is extended.

    Raises:
        Conflict: another program holds the session.
    """
    current = _stored(tx, request.session_id)
    is_held = current is not None and current.expires_at > now
    if current is not None and is_held and current.holder != request.holder:
        raise lease_conflict(current, now)
    fence = (current.fence if current is not None else 0) + (0 if is_held else 1)
    lease = msgspec.structs.replace(request, fence=fence)
    row = (lease.session_id, lease.holder, fence, lease.expires_at, int(lease.is_exclusive))
    tx.execute(_TAKE, row)
    return lease


def check_lease(tx: Transaction, lease: object) -> None:
    """Refuse a lease that is not the caller's any more.

    An expired lease stays valid until another program takes the session.

    Raises:
        Conflict: another program has the session now, or it was released.
        InvalidInput: it is not a lease.
    """
    if not isinstance(lease, Lease):  # lower layers pass on any object
        raise InvalidInput("lease must be a Lease", hint="pass what `hold` gave: its .lease")
    current = _stored(tx, lease.session_id)
    if current is None or (current.holder, current.fence) != (lease.holder, lease.fence):
        raise Conflict(
            "another program has gone on with the session",
            hint="fork the session, or resume it again when the other one is finished",
            session_id=lease.session_id,
        )
    if current.expires_at == GIVEN_BACK:
        raise Conflict(
            "the session was released", hint="hold it again", session_id=lease.session_id
        )


def check_change(tx: Transaction, session_id: str, lease: object, now: int) -> None:
    """Refuse to change what is in the view of a session that another program holds.

    Raises:
        Conflict: another program holds it; the facts ``expires_at`` and ``free_in_s`` say how long.
    """
    if lease is not None:
        check_lease(tx, lease)
    elif (current := find_lease(tx, session_id, now)) is not None:
        raise lease_conflict(current, now)


def check_append(
    tx: Transaction, session: Session, lease: Lease | None, now: int, lasts_ms: int
) -> None:
    """Refuse a message that would disturb another program; a lease is extended by it.

    Called with a lease, or if `DISTURBS` finds one.

    Raises:
        Conflict: another program took the session over, or it holds one that is a queue, or holds
            it exclusively.
    """
    check_change(tx, session.id, lease, now)
    if lease is not None:
        tx.execute(_RENEW, (now + lasts_ms, lease.session_id))


def lease_conflict(lease: Lease, now: int, instead: str = "fork it") -> Conflict:
    """Return the error for a caller kept out by another program's lease; ``instead`` is a hint."""
    seconds = max(1, round((lease.expires_at - now) / 1000))
    return Conflict(
        "another program is using the session",
        hint=f"{instead}, or wait: without a sign of life it is free in {seconds} s",
        session_id=lease.session_id,
        expires_at=lease.expires_at,
        free_in_s=seconds,
    )


def release_lease(tx: Transaction, lease: Lease) -> None:
    """Give a session back; the fence stays, so that it goes on growing."""
    tx.execute(_LET_GO, (lease.session_id, lease.holder, lease.fence))


def lease_ms(settings: SessionSettings) -> int:
    """Return the duration of a lease, in ms."""
    return round(settings.lease_s * 1000)


def _stored(tx: Transaction, session_id: str) -> Lease | None:
    row = tx.row(_FIND, (session_id,))
    if row is None:
        return None
    fields = ("holder", "fence", "expires_at")
    return decode(Lease, fields, row, session_id=session_id, is_exclusive=bool(row[3]))
