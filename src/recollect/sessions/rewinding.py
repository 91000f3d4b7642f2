"""Rewinds of conversations: the last messages of a session are taken out, and come back on undo."""

from __future__ import annotations

from recollect.core.checks import checked
from recollect.core.errors import InvalidInput, NotFound
from recollect.sessions.lease import Lease
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import Withdrawal, withdrawals_of, withdrawn_from
from recollect.sessions.record.session import require_session
from recollect.sessions.withdrawals import give_back, withdraw
from recollect.store.engine import Transaction


@checked
class SessionRewinds:
    """Takes messages out of sessions, and returns them.

    Args:
        access: The records, and their owner.
    """

    def __init__(self, access: SessionAccess) -> None:
        self._access = access

    def rewind(self, session_id: str, to_seq: int, *, lease: Lease | None = None) -> Withdrawal:
        """Take the messages after a seq out of a session; they stay stored, and can come back.

        They leave views, searches and counts, and what was derived from them is hidden. New
        messages get the next seq. A fork that was made before keeps them.

        Args:
            session_id: Which one.
            to_seq: The last message that stays; 0 for none.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or another program holds it.
            InvalidInput: it does not show a message with that seq, or none after it.
        """
        access, rewind_id = self._access, self._access.ids.new()

        def unit(tx: Transaction) -> Withdrawal | None:
            session, now = require_session(tx, access.scope, session_id), access.clock.now_ms()
            return withdraw(
                tx,
                session.tenant,
                session.id,
                to_seq,
                operation_id=rewind_id,
                at=now,
                lease=lease,
            )

        withdrawal = access.write(unit)
        if withdrawal is None:
            raise InvalidInput("the session has no message after this seq", hint="use a lower one")
        return withdrawal

    def undo_rewind(self, rewind_id: str, *, lease: Lease | None = None) -> Withdrawal:
        """Return the messages that a rewind took out of a session.

        Args:
            rewind_id: The id of the rewind.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such rewind, or its session was erased.
            RewindConflict: there are newer messages; a fork at its fact ``at_seq`` shows the old.
            Conflict: it was undone before, or another program holds the session.
        """
        access = self._access

        def unit(tx: Transaction) -> Withdrawal | None:
            scope = access.scope
            for each in withdrawals_of(tx, scope.tenant, rewind_id)[:1]:
                require_session(tx, scope, each.session_id)
            now = access.clock.now_ms()
            return give_back(tx, scope.tenant, rewind_id, at=now, lease=lease)

        withdrawal = access.write(unit)
        if withdrawal is None:
            raise NotFound("the rewind does not exist", hint="take the id of a rewind")
        return withdrawal

    def rewinds(self, session_id: str) -> tuple[Withdrawal, ...]:
        """Return what was ever taken out of a session, oldest first.

        Raises:
            NotFound: the scope has no such session.
        """
        return self._access.read_session(
            session_id,
            lambda tx, session: tuple(withdrawn_from(tx, session.id)),
        )
