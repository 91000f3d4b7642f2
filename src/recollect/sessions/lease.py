"""Leases: one program at a time goes on with a session, and a late one cannot write into it.

A lease runs out by itself, so that a killed program locks no other out. Its fence grows with every
holder: whoever lost the session without noticing still carries the old one and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import LiteralString

import msgspec

from recollect.core.errors import Conflict
from recollect.core.settings import SessionSettings
from recollect.sessions.record.draft import Item
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.columns import decode
from recollect.store.engine import Transaction

_FIND: LiteralString = "SELECT holder, fence, expires_at FROM leases WHERE session_id = ?"
_TAKE: LiteralString = """
    INSERT INTO leases (session_id, holder, fence, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET holder = excluded.holder, fence = excluded.fence,
        expires_at = excluded.expires_at
"""
_LET_GO: LiteralString = """
    UPDATE leases SET expires_at = 0 WHERE session_id = ? AND holder = ? AND fence = ?
"""


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """The right to go on with a session.

    Attributes:
        session_id: Which one.
        holder: Who has it; any text that no other program uses.
        fence: Grows with every holder.
        expires_at: Until when, without a sign of life, ms UTC.
    """

    session_id: str
    holder: str
    fence: int
    expires_at: int


def find_lease(tx: Transaction, session_id: str, now: int) -> Lease | None:
    """Return the lease that is in force."""
    found = _stored(tx, session_id)
    return found if found is not None and found.expires_at > now else None


def take_lease(tx: Transaction, session_id: str, holder: str, now: int, lasts_ms: int) -> Lease:
    """Return a lease for ``holder``; its own one is made longer.

    Raises:
        Conflict: another program holds the session.
    """
    known = _stored(tx, session_id)
    is_held = known is not None and known.expires_at > now
    if known is not None and is_held and known.holder != holder:
        seconds = max(1, round((known.expires_at - now) / 1000))
        raise Conflict(
            "another program is using the session",
            hint=f"fork it, or wait: without a sign of life it is free in {seconds} s",
            session_id=session_id,
            free_in_s=seconds,
        )
    fence = (known.fence if known is not None else 0) + (0 if is_held else 1)
    lease = Lease(session_id=session_id, holder=holder, fence=fence, expires_at=now + lasts_ms)
    tx.execute(_TAKE, (session_id, holder, fence, lease.expires_at))
    return lease


def check_lease(tx: Transaction, lease: Lease, now: int, lasts_ms: int) -> None:
    """Make a lease longer, if no other program took the session over meanwhile.

    A lease that ran out is still good while no other program came.

    Raises:
        Conflict: another program has the session now.
    """
    known = _stored(tx, lease.session_id)
    if known is None or (known.holder, known.fence) != (lease.holder, lease.fence):
        raise Conflict(
            "another program has gone on with the session",
            hint="fork the session, or resume it again when the other one is finished",
            session_id=lease.session_id,
        )
    tx.execute(_TAKE, (lease.session_id, lease.holder, lease.fence, now + lasts_ms))


def release_lease(tx: Transaction, lease: Lease) -> None:
    """Give a session back; the fence stays, so that it goes on growing."""
    tx.execute(_LET_GO, (lease.session_id, lease.holder, lease.fence))


def lease_ms(settings: SessionSettings) -> int:
    """Return how long a lease lasts, in ms."""
    return round(settings.lease_s * 1000)


def _stored(tx: Transaction, session_id: str) -> Lease | None:
    row = tx.row(_FIND, (session_id,))
    if row is None:
        return None
    return decode(Lease, ("holder", "fence", "expires_at"), row, session_id=session_id)


class LeasedSession:
    """The right to go on with a session. A context manager.

    Each message is a sign of life. A program that was away for too long, so that another one took
    over, is refused with `Conflict` at its next message and has written nothing.

    Attributes:
        session: As it was when it was taken: the one asked for, or a fork of it.
        lease: The right itself, with its fence.
        append: Stores a message in the session, as `Transcripts.append` does.
        append_many: Stores messages in one transaction, as `Transcripts.append_many` does.
        release: Gives the session back. Again does no harm.
    """

    def __init__(
        self,
        session: Session,
        lease: Lease,
        *,
        append: Callable[..., Message],
        append_many: Callable[[Iterable[Item]], list[Message]],
        release: Callable[[], None],
    ) -> None:
        self.session = session
        self.lease = lease
        self.append = append
        self.append_many = append_many
        self.release = release

    def __enter__(self) -> LeasedSession:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def renew(self) -> None:
        """Give a sign of life without a message.

        Raises:
            Conflict: another program has taken the session over.
        """
        self.append_many([])
