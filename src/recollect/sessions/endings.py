"""The end of a session: noted with its cause, and summarised at once or by the next program.

The note is one row in the transaction of the end itself, so that a program which is killed before
the summary is written leaves no session without one. A session that rests counts as one that ended:
no hook reports that, so a program that has the home open looks for such sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, LiteralString

from recollect.core.checks import check_count, checked
from recollect.core.clock import MINUTE_MS
from recollect.core.events import SessionEnded
from recollect.core.scope import Scope
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.session import Session, find_session, owner_of, require_living
from recollect.store.columns import integer, text
from recollect.store.engine import Transaction
from recollect.store.journal import record_event

if TYPE_CHECKING:  # imported with the first session that ends
    from recollect.sessions.context.episode_writer import EpisodeWriter

_NOTE: LiteralString = """
    INSERT INTO endings (session_id, tenant, at) VALUES (?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET at = max(excluded.at, at + 1)
"""
"""Later than the end before: a summary of that one does not settle it."""
MOST_IDLE = 20
"""Sessions that rest, noted at once: an import brings thousands, and indexing waits for them."""
_IDLE_MINUTES = 240
"""Where sessions stay fresh for ever."""
_RESTS: LiteralString = """
    SELECT id FROM sessions
    WHERE tenant = ? AND status = 'active' AND updated_at < ? AND last_seq > pruned_seq
        AND NOT EXISTS (SELECT 1 FROM summarised t
            WHERE t.session_id = sessions.id AND t.through_seq >= sessions.last_seq)
        AND NOT EXISTS (SELECT 1 FROM endings e WHERE e.session_id = sessions.id)
    ORDER BY updated_at DESC LIMIT ?
"""
_SUMMARISED: LiteralString = """
    INSERT INTO summarised (session_id, through_seq) VALUES (?, ?)
    ON CONFLICT (session_id) DO UPDATE SET through_seq = excluded.through_seq
"""
_DUE: LiteralString = """
    SELECT session_id, at FROM endings WHERE tenant = ? ORDER BY at, session_id LIMIT ?
"""
_DUE_NEAR: LiteralString = """
    SELECT e.session_id, e.at FROM endings e CROSS JOIN sessions s ON s.id = e.session_id
    WHERE s.tenant = ? AND (s.id IN (?, ?) OR s.project = ?)
    ORDER BY s.id IN (?, ?) DESC, e.at DESC LIMIT 3
"""
"""What a change of a session ended, itself and the one before it, and what its context block needs:
the last session of its project, which may have been interrupted.
"""
_DONE: LiteralString = "DELETE FROM endings WHERE session_id = ? AND at = ? RETURNING 1"


def note_end(tx: Transaction, session: Session, at: int) -> None:
    """Record that a session ended: a summary of it is due."""
    tx.execute(_NOTE, (session.id, session.tenant, at))


@checked
class Endings:
    """Ends sessions, and writes the summaries that are due.

    Args:
        access: The records, and their owner.
        make_writer: Returns the writer of the summaries; None for none.
    """

    def __init__(
        self, access: SessionAccess, make_writer: Callable[[], EpisodeWriter] | None
    ) -> None:
        self._access = access
        self._make_writer = make_writer
        self._looked_at = 0

    def end(self, session_id: str) -> Session:
        """End a session for now, and summarise it; it may go on, and end again.

        The summary replaces the one of its last end. Nothing else changes: it stays active, and is
        still the current session of its key.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        now = self._access.clock.now_ms()

        def unit(tx: Transaction) -> Session:
            session = require_living(tx, self._access.scope, session_id)
            note_end(tx, session, now)
            event = SessionEnded(scope=owner_of(session), at=now, last_seq=session.last_seq)
            record_event(tx, event)
            return session

        return self._change(unit)

    def summarise(self, session_id: str) -> Session:
        """Write the summaries of a session as it is now; it goes on. Return the session.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        now = self._access.clock.now_ms()

        def unit(tx: Transaction) -> Session:
            session = require_living(tx, self._access.scope, session_id)
            note_end(tx, session, now)
            return session

        return self._change(unit)

    def note_idle(self, most: int = MOST_IDLE) -> int:
        """Note sessions that rest as ended, the newest first; return how many were noted.

        They have no message since ``sessions.fresh.idle_minutes``, and are archived then if
        ``sessions.idle_archives`` is set. Cheap to call: it looks once a minute.

        Args:
            most: How many at once; the next call notes more.

        Raises:
            InvalidInput: the number is below 1.
        """
        check_count(most, "a number of sessions", 1)
        access, now = self._access, self._access.clock.now_ms()
        if now < self._looked_at + MINUTE_MS:
            return 0
        minutes = access.settings.fresh.idle_minutes or _IDLE_MINUTES
        about = (access.scope.tenant, now - minutes * MINUTE_MS, most)
        resting = [text(row[0]) for row in access.database.read(lambda tx: tx.all(_RESTS, about))]
        if resting:
            access.write(lambda tx: self._note_resting(tx, resting, now))
        if len(resting) < most:
            self._looked_at = now
        return len(resting)

    def _note_resting(self, tx: Transaction, resting: Sequence[str], now: int) -> None:
        from recollect.sessions.lifecycle import set_status

        for session_id in resting:
            session = find_session(tx, Scope(tenant=self._access.scope.tenant), session_id)
            if session is None or session.status != "active":
                continue
            if self._access.settings.idle_archives:
                set_status(tx, session, "archived", now)
            else:
                note_end(tx, session, now)

    def finish_endings(self, most: int | None = None) -> int:
        """Write the summaries that are due, the oldest first; return the number of sessions.

        Args:
            most: How many at once; None for all.

        Raises:
            InvalidInput: the number is below 1.
        """
        check_count(most, "a number of sessions", 1)
        return self._finish(_DUE, (self._access.scope.tenant, -1 if most is None else most))

    def _change(self, unit: Callable[[Transaction], Session]) -> Session:
        """Change a session, and write the summaries that it needs.

        The rest is left to the background: in the morning twenty may be due, which takes a second.
        """
        session = self._access.write(unit)
        own = (session.id, session.previous_id)
        self._finish(_DUE_NEAR, (session.tenant, *own, session.project, *own))
        return session

    def _finish(self, select: LiteralString, about: Sequence[str | int | None]) -> int:
        scope = Scope(tenant=self._access.scope.tenant)
        due = self._access.database.read(lambda tx: tx.all(select, about))
        for session_id, at in due:
            self._summarise(text(session_id), integer(at), scope)
        return len(due)

    def _summarise(self, session_id: str, at: int, scope: Scope) -> None:
        """Write the summary of an end; one that goes on meanwhile ends again some day."""
        from recollect.sessions.context.episode import store_episode

        database = self._access.database
        session = database.read(lambda tx: find_session(tx, scope, session_id))
        episodes = []
        if session is not None and self._make_writer is not None:
            episodes = self._make_writer().write(session, session.last_seq)

        def unit(tx: Transaction) -> None:
            if tx.row(_DONE, (session_id, at)) is None:
                return  # somebody else wrote it, it ended again, or was erased meanwhile
            for episode in episodes:
                store_episode(tx, episode)
            if session is not None:
                tx.execute(_SUMMARISED, (session.id, session.last_seq))

        self._access.write(unit)
