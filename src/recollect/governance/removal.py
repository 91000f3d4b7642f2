"""Removes rows of sessions in batches, so that no writer waits long and a kill loses nothing.

The first transaction fixes what is removed: it stores the episodes, hides the messages and writes
the event. From then on any later process finishes the removal. Rows are overwritten by the database
when they are deleted; index and mirrors learn of it from the outbox. An erasure is a removal that
nothing stops and of which nothing is kept: its sessions are hidden as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import msgspec

from recollect.checkpoints.record.removal import checkpoints_of_sessions, remove_checkpoints
from recollect.core.clock import Clock
from recollect.core.errors import StoreBusy
from recollect.core.events import MessagesPruned, SessionPruned
from recollect.core.scope import Scope
from recollect.governance.plan import SessionRemoval
from recollect.governance.sweep import mark_unswept
from recollect.knowledge.erased import drop_said
from recollect.knowledge.rows import note_lost_sources
from recollect.observations.projects import forget_project
from recollect.observations.rows import KIND as OBSERVATION_KIND
from recollect.sessions.context.episode import Episode, store_episode
from recollect.sessions.lifecycle import set_status
from recollect.sessions.mirror.mirror import SESSION_KIND
from recollect.sessions.record.lineage import (
    find_children,
    find_one,
    last_read,
    touch_episodes,
    touch_facts,
    touch_shared,
)
from recollect.sessions.record.message_rows import note_removed, remove_messages
from recollect.sessions.record.session import (
    CHANGED_KIND,
    Session,
    note_change,
    owner_of,
    require_session,
)
from recollect.sessions.record.transcript_rows import MESSAGE_KIND
from recollect.store.columns import integer, text
from recollect.store.engine import Database, Transaction
from recollect.store.journal import cut_references, record_change, record_changes, record_event
from recollect.store.locks import OwnerLock
from recollect.store.recognised import drop_recognised

MESSAGES_AT_ONCE = 500
"""Messages that one transaction removes. While 65,600 were removed, a concurrent writer waited 14
ms at the median, 122 ms at the 99th percentile and 408 ms at most, including the rewrite at the
end."""
CHECKPOINTS_AT_ONCE = 50
"""Checkpoints that one transaction removes; each may name thousands of paths."""
LOCK_FILE = "erase.lock"
"""In a home: held during an erasure."""

ERASED_TENANT = "(erased)"
"""The tenant of a session during its erasure: no scope sees it, and nothing can be added to it."""

NOTE_ERASURE: LiteralString = """
    INSERT INTO erasures (id, tenant, counts, session_ids, at) VALUES (?, ?, ?, ?, ?)
"""
_NOTE: LiteralString = """
    INSERT INTO prunings (session_id, is_whole, at, erasure_id) VALUES (?, ?, ?, ?)
    ON CONFLICT (session_id)
    DO UPDATE SET is_whole = excluded.is_whole, erasure_id = excluded.erasure_id
"""
_HIDE: LiteralString = "UPDATE sessions SET pruned_seq = ? WHERE id = ? AND pruned_seq < ?"
_UNFINISHED: LiteralString = """
    SELECT s.id, coalesce(e.tenant, s.tenant), iif(e.id IS NULL, s.pruned_seq, s.last_seq),
        p.is_whole, e.id IS NOT NULL
    FROM prunings p JOIN sessions s ON s.id = p.session_id
    LEFT JOIN erasures e ON e.id = p.erasure_id
    ORDER BY p.at, s.id
"""
_NEXT: LiteralString = """
    SELECT id FROM messages WHERE session_id = ? AND seq <= ? ORDER BY seq LIMIT ?
"""
_OBSERVED: LiteralString = "SELECT id FROM observations WHERE session_id = ? LIMIT ?"
_FOLLOWED: LiteralString = """
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT ?, ?, id, 'put', ? FROM sessions WHERE previous_id = ?
"""
_IS_HELD: LiteralString = "SELECT 1 FROM leases WHERE session_id = ? AND expires_at > ?"
_IS_BEGUN: LiteralString = "SELECT 1 FROM prunings WHERE session_id = ?"
_LINK: LiteralString = "UPDATE sessions SET parent_id = ?, forked_at_seq = ? WHERE id = ?"
_KIN: LiteralString = "SELECT id FROM sessions WHERE parent_id = ? OR previous_id = ?"
_FORGET_KIN: LiteralString = """
    UPDATE events SET payload = replace(payload, json_quote(?), '""')
    WHERE session_id = ? AND type IN ('session.forked', 'session.reset')
"""
_FORGET_HISTORY: LiteralString = """
    DELETE FROM pending_messages
    WHERE tenant = ? AND key = (SELECT key FROM sessions WHERE id = ?)
"""
_FORGET_DELIVERIES: LiteralString = """
    DELETE FROM deliveries
    WHERE tenant = ? AND key = (SELECT key FROM sessions WHERE id = ?)
"""
_BLANK: LiteralString = """
    UPDATE sessions SET tenant = ?, status = 'deleted', key = NULL, title = NULL, source = NULL,
        foreign_id = NULL, place = NULL, previous_id = NULL, parent_id = NULL, forked_at_seq = NULL
    WHERE id = ?
"""


@contextmanager
def without_erasures(home: Path, clock: Clock) -> Iterator[None]:
    """Block erasures while the caller copies a home, or replaces it with a copy.

    An erasure meanwhile would miss the copy, and its receipt could not name it.

    Raises:
        StoreBusy: a program is erasing.
        StoreError: the lock file cannot be opened.
    """
    with OwnerLock(home / LOCK_FILE, clock).kept_free() as is_free:
        if not is_free:
            raise StoreBusy("a program is erasing", hint="try again when it is finished")
        yield


def begin(
    tx: Transaction,
    removal: SessionRemoval,
    session: Session,
    episodes: Sequence[Episode],
    now: int,
) -> bool:
    """Hide what is to be removed, and store what is kept of it; remove it at once if it is little.

    Returns:
        False, with nothing changed, when the session has changed since the plan: another program
        wrote to it, holds it, or forked it.
    """
    if not _is_as_planned(tx, removal, session, now):
        return False
    for episode in episodes:
        store_episode(tx, episode)
    mark_unswept(tx)
    tx.execute(_NOTE, (session.id, int(removal.is_whole), now, None))
    tx.execute(_HIDE, (removal.through_seq, session.id, removal.through_seq))
    if removal.is_whole:
        tx.execute("UPDATE sessions SET status = 'deleted' WHERE id = ?", (session.id,))
    touch_shared(tx, session, now)
    note_change(tx, session, now)
    record_event(tx, _event(removal, session, now, has_episode=bool(episodes)))
    if removal.messages <= MESSAGES_AT_ONCE:
        opened = OpenRemoval(
            session.id, session.tenant, removal.through_seq, removal.is_whole, False
        )
        while _remove_some(tx, opened, now):
            pass
        _close(tx, opened, now)
    return True


def begin_erasure(
    tx: Transaction, erasure_id: str, tenant: str, session_ids: Sequence[str], now: int
) -> None:
    """Hide sessions as a whole; remaining forks lose what they share with them."""
    mark_unswept(tx)
    for session_id in session_ids:
        touch_shared(tx, require_session(tx, Scope(tenant=tenant), session_id), now)
        tx.execute(_NOTE, (session_id, 1, now, erasure_id))
        tx.execute(_FORGET_HISTORY, (tenant, session_id))
        tx.execute(_FORGET_DELIVERIES, (tenant, session_id))
        kin = [text(row[0]) for row in tx.all(_KIN, (session_id, session_id))]
        tx.executemany(_FORGET_KIN, [(session_id, id_) for id_ in kin])
        record_changes(tx, tenant=tenant, kind=SESSION_KIND, refs=kin, op="put", at=now)
        _part_from_kin(tx, session_id, tenant, now)
        forget_project(tx, tenant, session_id)
        tx.execute(_BLANK, (ERASED_TENANT, session_id))


def erase_files_of(tx: Transaction, erasure_id: str, session_ids: Sequence[str], now: int) -> None:
    """Let the next opening erase, from files of the home, sessions that have no rows."""
    encoded = msgspec.json.encode(session_ids).decode()
    mark_unswept(tx)
    tx.execute(NOTE_ERASURE, (erasure_id, ERASED_TENANT, "{}", encoded, now))


class OpenRemoval(msgspec.Struct, frozen=True):
    """A removal in progress: of everything in a session up to a seq, or of the session as well."""

    session_id: str
    tenant: str
    through: int
    is_whole: bool
    is_erased: bool


def finish_all(
    database: Database,
    clock: Clock,
    stopping: Callable[[], bool],
    on_batch: Callable[[int], object] = lambda _: None,
) -> None:
    """Remove the rows of all removals in progress, also those of killed processes.

    Args:
        database: ``records.db``.
        clock: Tells the time.
        stopping: Asked between two batches; after True the rest is left for the next time.
        on_batch: Called after each batch with the number of its messages.
    """
    while not stopping():
        removed = database.write(lambda tx: _step(tx, clock.now_ms()))
        if removed is None:
            return
        on_batch(removed)


def _step(tx: Transaction, now: int) -> int | None:
    """Remove a batch, or close a session whose messages are gone.

    Returns:
        The number of removed messages; None at the end.
    """
    row = tx.row(_UNFINISHED)
    if row is None:
        return None
    id_, tenant, through, is_whole, is_erased = row
    opened = OpenRemoval(text(id_), text(tenant), integer(through), bool(is_whole), bool(is_erased))
    removed = _remove_some(tx, opened, now)
    if not removed:
        _close(tx, opened, now)
    return removed


def _is_as_planned(tx: Transaction, removal: SessionRemoval, session: Session, now: int) -> bool:
    present = find_one(tx, session.id, session.tenant)
    if present is None or present.last_seq != removal.last_seq:
        return False
    if tx.row(_IS_HELD, (present.id, now)) or tx.row(_IS_BEGUN, (present.id,)):
        return False
    first = 1 if removal.is_whole else present.first_seq
    return removal.through_seq >= first - 1 and last_read(tx, present.id) < first


def _remove_some(tx: Transaction, opened: OpenRemoval, now: int) -> int:
    ids = [
        text(row[0]) for row in tx.all(_NEXT, (opened.session_id, opened.through, MESSAGES_AT_ONCE))
    ]
    each = [(id_,) for id_ in ids]
    tx.executemany("DELETE FROM tool_calls WHERE message_id = ?", each)
    tx.executemany("DELETE FROM tool_calls WHERE result_id = ?", each)
    remove_messages(tx, opened.tenant, opened.session_id, ids)
    cut_references(tx, ids)
    record_changes(tx, tenant=opened.tenant, kind=MESSAGE_KIND, refs=ids, op="delete", at=now)
    if ids:
        note_lost_sources(tx, ids, now)
        return len(ids)
    removed = 0
    if opened.is_whole:
        removed = _remove_observations(tx, opened, now) or _remove_checkpoints(tx, opened)
    return removed or (
        drop_said(tx, opened.session_id, MESSAGES_AT_ONCE, now) if opened.is_erased else 0
    )


def _remove_observations(tx: Transaction, opened: OpenRemoval, now: int) -> int:
    """Remove a batch of the observations of a session that is removed as a whole."""
    ids = [text(row[0]) for row in tx.all(_OBSERVED, (opened.session_id, MESSAGES_AT_ONCE))]
    tx.executemany("DELETE FROM observations WHERE id = ?", [(id_,) for id_ in ids])
    cut_references(tx, ids)
    record_changes(tx, tenant=opened.tenant, kind=OBSERVATION_KIND, refs=ids, op="delete", at=now)
    return len(ids)


def _remove_checkpoints(tx: Transaction, opened: OpenRemoval) -> int:
    """Remove a batch of the checkpoints of a session that is removed as a whole."""
    ids = checkpoints_of_sessions(tx, [opened.session_id])[:CHECKPOINTS_AT_ONCE]
    remove_checkpoints(tx, ids)
    return len(ids)


def _close_part(tx: Transaction, opened: OpenRemoval, now: int) -> None:
    """Drop the summaries that newer ones replaced; the last one is still in the view."""
    tx.execute(
        "DELETE FROM compactions WHERE session_id = ? AND through_seq <= ? AND through_seq <"
        " (SELECT max(c.through_seq) FROM compactions c WHERE c.session_id = ?)",
        (opened.session_id, opened.through, opened.session_id),
    )
    tx.execute("DELETE FROM prunings WHERE session_id = ?", (opened.session_id,))
    record_change(
        tx, tenant=opened.tenant, kind=SESSION_KIND, ref=opened.session_id, op="put", at=now
    )


def _close(tx: Transaction, opened: OpenRemoval, now: int) -> None:
    """Remove the session; retention keeps it if there were new messages meanwhile."""
    session_id, tenant = opened.session_id, opened.tenant
    if not opened.is_whole:
        _close_part(tx, opened, now)
        return
    present = None if opened.is_erased else find_one(tx, session_id, tenant)
    if present is not None and (present.last_seq > opened.through or last_read(tx, session_id)):
        # The index has skipped what was said while the session counted as deleted.
        set_status(tx, require_session(tx, Scope(tenant=tenant), session_id), "active", now)
        _close_part(tx, opened, now)
        return
    _part_from_kin(tx, session_id, tenant, now)
    tx.execute("UPDATE imports SET session_id = NULL WHERE session_id = ?", (session_id,))
    drop_recognised(tx, session_id)
    touch_episodes(tx, session_id, now)  # of an erased one they are gone then
    for statement in (*_DEPENDENT, *(_TOLD if opened.is_erased else ())):
        tx.execute(statement, (session_id,))
    tx.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
    touch_facts(tx, session_id, now)
    record_change(tx, tenant=tenant, kind=SESSION_KIND, ref=session_id, op="delete", at=now)


def _part_from_kin(tx: Transaction, session_id: str, tenant: str, now: int) -> None:
    """Separate a session from its forks.

    A fork that shares only messages of the session's own parent becomes a fork of that.
    """
    session = find_one(tx, session_id, tenant)
    for child in find_children(tx, session_id):
        link: tuple[str | None, int | None] = (None, None)
        if (
            session is not None
            and session.parent_id
            and 0 < child.forked_at_seq <= session.forked_at_seq
        ):
            link = (session.parent_id, child.forked_at_seq)
        elif child.forked_at_seq:
            note_removed(tx, child.id, 1, child.forked_at_seq)
        tx.execute(_LINK, (*link, child.id))
        record_change(tx, tenant=tenant, kind=SESSION_KIND, ref=child.id, op="put", at=now)
    tx.execute(_FOLLOWED, (tenant, CHANGED_KIND, now, session_id))
    tx.execute("UPDATE sessions SET previous_id = NULL WHERE previous_id = ?", (session_id,))


_DEPENDENT: tuple[LiteralString, ...] = (
    "DELETE FROM compactions WHERE session_id = ?",
    "DELETE FROM endings WHERE session_id = ?",
    "DELETE FROM leases WHERE session_id = ?",
    "DELETE FROM injections WHERE session_id = ?",
    "DELETE FROM tool_calls WHERE session_id = ?",
    "DELETE FROM prunings WHERE session_id = ?",
    "DELETE FROM removed_seqs WHERE session_id = ?",
    "DELETE FROM withdrawn_ranges WHERE session_id = ?",
    "DELETE FROM injected_items WHERE kind = 'state' AND ref = ?",
    "DELETE FROM never_injected WHERE kind = 'state' AND ref = ?",
    "DELETE FROM session_states WHERE session_id = ?",
    "DELETE FROM summarised WHERE session_id = ?",
)
_TOLD: tuple[LiteralString, ...] = (
    "DELETE FROM injected_items WHERE ref IN (SELECT id FROM episodes WHERE session_id = ?)",
    "DELETE FROM never_injected WHERE ref IN (SELECT id FROM episodes WHERE session_id = ?)",
    "DELETE FROM episodes WHERE session_id = ?",
    "DELETE FROM withdrawn_records WHERE session_id = ?",
    "DELETE FROM events WHERE session_id = ?",
)
"""Deletes what retention keeps and an erasure does not."""


def _event(
    removal: SessionRemoval, session: Session, now: int, *, has_episode: bool
) -> MessagesPruned | SessionPruned:
    facts: dict[str, Any] = {"scope": owner_of(session), "at": now, "has_episode": has_episode}
    if removal.is_whole:
        return SessionPruned(reason=removal.reason, messages=removal.messages, **facts)
    return MessagesPruned(through_seq=removal.through_seq, count=removal.messages, **facts)
