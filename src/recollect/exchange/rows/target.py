"""Where the next records of an import go, and how their seqs move."""

from __future__ import annotations

from typing import Literal

import msgspec

from recollect.core.clock import moved_id
from recollect.sessions.record.lineage import Withdrawal, withdrawals_of
from recollect.sessions.record.session import Session
from recollect.sessions.withdrawals import restore_withdrawals
from recollect.store.engine import Transaction


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The session that the next records belong to.

    Attributes:
        foreign_id: Its id in the document.
        session: The session here; None where it is left out.
        refused: Why it is left out.
        shifts: Seqs of the document with those here, from each point where the difference changes.
    """

    foreign_id: str
    session: Session | None = None
    refused: str = ""
    shifts: tuple[tuple[int, int], ...] = ()

    def seq(self, old: int) -> int:
        """Return the seq here of the last message up to a seq of the document."""
        shift = next((each for each in reversed(self.shifts) if each[0] <= old), (0, 0))
        following = next((new for other, new in self.shifts if other > old), None)
        seq = old + shift[1] - shift[0]
        return seq if following is None else min(seq, following - 1)

    def shifted(self, old: int, new: int) -> Target:
        """Return the target after a message of the document got a seq here."""
        is_same = self.seq(old) == new
        return self if is_same else msgspec.structs.replace(self, shifts=(*self.shifts, (old, new)))


def take_withdrawal(
    tx: Transaction, item: Withdrawal, target: Target, *, dry_run: bool
) -> Literal["withdrawal", "known"]:
    """Take out of a session here what a rewind had taken out there; return what it counts as."""
    session = target.session
    if session is None:
        return "known"
    first, last = target.seq(item.from_seq - 1) + 1, target.seq(item.to_seq)
    ranges = withdrawals_of(tx, session.tenant, item.id)
    is_known = any(each.session_id == session.id for each in ranges)
    if is_known or first > min(last, session.last_seq):
        return "known"
    if not dry_run:
        id_ = moved_id(item.id, session.id) if ranges else item.id
        span = {"from_seq": first, "to_seq": min(last, session.last_seq)}
        moved = msgspec.structs.replace(item, id=id_, session_id=session.id, **span)
        restore_withdrawals(tx, session, [moved])
    return "withdrawal"
