"""Withdrawn messages: a rewind takes a range out of a session, and an undo returns it.

Plain functions of a transaction, so that a rewind of files ends in the same commit. The rows of the
messages stay, and `lineage` knows who shows them. What was derived from them is hidden by a row of
`withdrawn_records`: facts, observations and episodes keep their ids, pins and edits for the undo.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import LiteralString

import msgspec

from recollect.core.errors import Conflict, InvalidInput, RewindConflict
from recollect.core.events import MessagesReturned, MessagesWithdrawn
from recollect.core.scope import Scope
from recollect.sessions.endings import note_end
from recollect.sessions.lease import check_change
from recollect.sessions.record.lineage import (
    READER,
    SHOWN_BY,
    WITHDRAWN,
    Withdrawal,
    insert_withdrawal,
    last_shown,
    segments,
    touch_range,
    withdrawals_of,
    withdrawn_from,
    withdrawn_spans,
    within,
)
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import (
    Session,
    find_session,
    note_change,
    owner_of,
    require_living,
)
from recollect.store.columns import integer, text
from recollect.store.engine import Transaction
from recollect.store.journal import record_change, record_event

_RETURN: LiteralString = """
    UPDATE withdrawn_ranges SET returned_at = ? WHERE operation_id = ? AND returned_at IS NULL
"""
_RECOUNT: LiteralString = f"""
    UPDATE sessions SET message_count = (
        SELECT count(*) FROM messages t WHERE t.session_id = sessions.id AND NOT {WITHDRAWN})
    WHERE id = ?
"""  # noqa: S608  # literals
_FIRST: LiteralString = """
    SELECT min(created_at), min(recorded_at) FROM messages WHERE session_id = ? AND seq = ?
"""
_FLUSH_AGAIN: LiteralString = """
    UPDATE sessions SET flushed_seq = 0, flush_compaction_count = NULL
    WHERE id = ? AND flushed_seq > ?
"""
"""Its notes are hidden by their time: those of what stays are written again."""
_GONE: LiteralString = f"""
    SELECT t.id FROM messages t JOIN withdrawn_ranges r ON r.session_id = t.session_id
    AND t.seq BETWEEN r.from_seq AND r.to_seq
    WHERE r.operation_id = ?1 AND {READER} IS NULL
"""  # noqa: S608  # literals
"""The messages of an operation that no fork shows."""
_HIDE: LiteralString = (
    "INSERT INTO withdrawn_records (kind, ref, operation_id, session_id, was) SELECT "
)
_HIDE_FACTS: LiteralString = f"""
    {_HIDE} 'fact', d.id, ?1, ?2, NULL FROM facts d
    WHERE d.message_id IN ({_GONE}) AND NOT EXISTS (
        SELECT 1 FROM fact_sources o JOIN messages t ON t.id = o.message_id
        JOIN sessions s ON s.id = t.session_id WHERE o.fact_id = d.id AND {SHOWN_BY} IS NOT NULL)
    ON CONFLICT DO NOTHING
"""  # noqa: S608  # literals
"""Those that no other message says."""
_HIDE_OBSERVATIONS: LiteralString = f"""
    {_HIDE} 'observation', d.id, ?1, ?2, NULL FROM observations d
    WHERE d.message_id IN ({_GONE})
        OR d.session_id = ?2 AND d.message_id IS NULL AND d.created_at BETWEEN ?3 AND ?4
    ON CONFLICT DO NOTHING
"""  # literals
"""Those without a message by their time."""
_HIDE_EPISODES: LiteralString = f"""
    {_HIDE} 'episode', d.id, ?1, ?2, d.extent FROM episodes d
    WHERE d.session_id = ?2 AND d.extent = 'session' AND coalesce(d.through_seq, ?3) >= ?3
    ON CONFLICT DO NOTHING
"""  # literals
_SET_APART: LiteralString = """
    UPDATE episodes SET extent = 'part' WHERE id IN (
        SELECT ref FROM withdrawn_records WHERE operation_id = ? AND kind = 'episode') RETURNING 1
"""
"""A session has one summary of the whole: it can be written again meanwhile."""
_DROP_LATER: LiteralString = """
    DELETE FROM episodes WHERE session_id = ? AND extent = 'session' AND created_at >= ?
    RETURNING tenant, id
"""
_SET_BACK: LiteralString = """
    UPDATE episodes SET extent = 'session' WHERE id IN (
        SELECT ref FROM withdrawn_records WHERE operation_id = ? AND kind = 'episode') RETURNING 1
"""
_NOT_DUE: LiteralString = "DELETE FROM endings WHERE session_id = ? AND at = ?"
_UNHIDE: LiteralString = (
    "DELETE FROM withdrawn_records WHERE operation_id = ? AND kind <> 'reopened'"
)
_TOUCH_RECORDS: LiteralString = """
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT ?, kind, ref, 'put', ? FROM withdrawn_records
    WHERE operation_id = ? AND kind <> 'reopened'
"""
_TOUCH_FACTS: LiteralString = f"""
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT d.tenant, 'fact', d.id, 'put', ?2 FROM facts d WHERE d.message_id IN ({_GONE})
"""  # noqa: S608  # literals


def withdraw(
    tx: Transaction,
    tenant: str,
    session_id: str,
    after_seq: int,
    *,
    operation_id: str,
    at: int,
    lease: object = None,
) -> Withdrawal | None:
    """Take what a session shows after a seq out of it; None where that is nothing.

    A fork that was made before keeps it. What was derived from it is hidden in the same commit.

    Args:
        tx: A transaction of ``records.db``.
        tenant: The owner of the session.
        session_id: The session.
        after_seq: The last message that stays; 0 for none.
        operation_id: What `give_back` takes.
        at: Now, ms UTC.
        lease: The right to go on with the session, where the caller took one.

    Raises:
        NotFound: the session does not exist.
        Conflict: it was deleted, or another program holds it.
        InvalidInput: it does not show a message with this seq.
    """
    session = require_living(tx, Scope(tenant=tenant), session_id)
    check_change(tx, session.id, lease, at)
    check_position(tx, session, after_seq)
    parts = within(segments(tx, session), after_seq, None)
    if not parts:
        return None
    said_at, stored_at = _moment(tx, parts[0].session_id, parts[0].first, at)
    withdrawal = Withdrawal(
        id=operation_id,
        session_id=session.id,
        from_seq=after_seq + 1,
        to_seq=session.last_seq,
        said_at=said_at,
        stored_at=stored_at,
        at=at,
    )
    add_withdrawal(tx, session, withdrawal)
    return withdrawal


def add_withdrawal(tx: Transaction, session: Session, withdrawal: Withdrawal) -> None:
    """Store the range of a withdrawal, hide what was derived from it, and tell index and mirror."""
    w = withdrawal
    insert_withdrawal(tx, session.tenant, w)
    _hide(tx, session, w)
    record_event(
        tx,
        MessagesWithdrawn(
            scope=owner_of(session),
            at=w.at,
            first_seq=w.from_seq,
            last_seq=w.to_seq,
            rewind_id=w.id,
        ),
    )


def give_back(
    tx: Transaction, tenant: str, operation_id: str, *, at: int, lease: object = None
) -> Withdrawal | None:
    """Return what `withdraw` took out; None where it took out nothing, or the session was erased.

    Args:
        tx: A transaction of ``records.db``.
        tenant: The owner of the session.
        operation_id: As for `withdraw`.
        at: Now, ms UTC.
        lease: The right to go on with the session, where the caller took one.

    Raises:
        RewindConflict: there are newer messages in the session.
        Conflict: it was undone before, the session was deleted, or another program holds it.
    """
    ranges = withdrawals_of(tx, tenant, operation_id)
    session = find_session(tx, Scope(tenant=tenant), ranges[0].session_id) if ranges else None
    if session is None:
        return None
    require_living(tx, Scope(tenant=tenant), session.id)
    check_change(tx, session.id, lease, at)
    _check_undo(tx, session, ranges)
    first, last = ranges[0], ranges[-1]
    tx.execute(_RETURN, (at, operation_id))
    tx.execute(_RECOUNT, (session.id,))
    _restore_episodes(tx, session, first)
    _touch(tx, session, first, at)
    tx.execute(_UNHIDE, (operation_id,))
    record_event(
        tx,
        MessagesReturned(
            scope=owner_of(session),
            at=at,
            first_seq=first.from_seq,
            last_seq=last.to_seq,
            rewind_id=first.id,
        ),
    )
    return msgspec.structs.replace(first, to_seq=last.to_seq, returned_at=at)


def restore_withdrawals(
    tx: Transaction, session: Session, withdrawals: Iterable[Withdrawal]
) -> None:
    """Store what a mirror or an export knows of rewinds, after all that they may hide."""
    keys = {(each.id, each.from_seq) for each in withdrawn_from(tx, session.id)}
    for each in withdrawals:
        if (each.id, each.from_seq) not in keys:
            insert_withdrawal(tx, session.tenant, each)
            if each.returned_at is None:
                _hide(tx, session, each)


def withdraw_late(tx: Transaction, session: Session, messages: Sequence[Message]) -> int:
    """Take out messages that a transcript brings only now, but that a rewind had taken out.

    They were said between the first message of a withdrawal and the rewind.

    Args:
        tx: The transaction that stored them.
        session: Their session.
        messages: In the order of their seqs.

    Returns:
        Their number.
    """
    out = [each for each in withdrawn_from(tx, session.id) if each.returned_at is None]
    late = [(message, each) for message in messages if (each := _covering(out, message))]
    for run in _runs(late):
        span = {"from_seq": run[0][0].seq, "to_seq": run[-1][0].seq}
        add_withdrawal(tx, session, msgspec.structs.replace(run[0][1], **span))
    return len(late)


def _covering(out: Iterable[Withdrawal], message: Message) -> Withdrawal | None:
    return next((each for each in out if each.said_at <= message.created_at <= each.at), None)


def _runs(late: Iterable[tuple[Message, Withdrawal]]) -> list[list[tuple[Message, Withdrawal]]]:
    """Return messages that follow each other and belong to one withdrawal, together."""
    runs: list[list[tuple[Message, Withdrawal]]] = []
    for message, of in late:
        before = runs[-1][-1] if runs else None
        if before is not None and (before[0].seq + 1, before[1]) == (message.seq, of):
            runs[-1].append((message, of))
        else:
            runs.append([(message, of)])
    return runs


def _hide(tx: Transaction, session: Session, withdrawal: Withdrawal) -> None:
    w = withdrawal
    tx.execute(_RECOUNT, (session.id,))
    tx.execute(_FLUSH_AGAIN, (session.id, w.from_seq - 1))
    tx.execute(_HIDE_FACTS, (w.id, session.id))
    tx.execute(_HIDE_OBSERVATIONS, (w.id, session.id, w.said_at, w.at))
    tx.execute(_HIDE_EPISODES, (w.id, session.id, w.from_seq))
    if tx.row(_SET_APART, (w.id,)) is not None:
        note_end(tx, session, w.at)
    _touch(tx, session, w, w.at)


def check_position(tx: Transaction, session: Session, after_seq: int) -> None:
    """Check that a session can be rewound to a message.

    Raises:
        InvalidInput: it does not show a message with this seq.
    """
    if isinstance(after_seq, bool) or after_seq not in range(session.last_seq + 1):
        raise InvalidInput(
            "the session has no message with this seq",
            hint=f"use 0 to {last_shown(tx, session)}; 0 takes out all of them",
        )
    if 0 < after_seq < session.pruned_seq:
        raise InvalidInput(
            "the messages up to this seq were removed",
            hint=f"use {session.pruned_seq} to {last_shown(tx, session)}, or 0",
        )
    newest = last_shown(tx, session, after_seq)
    if newest != after_seq:
        raise InvalidInput(
            "a rewind has taken this message out",
            hint=f"use {newest}, or undo that rewind first",
        )


def _check_undo(tx: Transaction, session: Session, ranges: Sequence[Withdrawal]) -> None:
    if ranges[0].returned_at is not None:
        raise Conflict("the rewind was undone before", hint="use the id of a later rewind")
    end = ranges[0].to_seq
    for each in ranges[1:]:
        end = each.to_seq if each.from_seq == end + 1 else end
    if session.last_seq > end:
        at_seq = _head_before(tx, ranges[0])
        raise RewindConflict(
            "the session has newer messages than the rewind",
            hint=f"fork it at {at_seq}: the fork shows what was taken out",
            session_id=session.id,
            at_seq=at_seq,
            paths=(),
        )


def _head_before(tx: Transaction, withdrawal: Withdrawal) -> int:
    """Return the newest message that a session showed when a rewind took it out.

    Rewinds before that one took out ranges that lie within its own.
    """
    seq = withdrawal.to_seq
    for first, last in reversed(withdrawn_spans(tx, withdrawal.session_id)):
        if withdrawal.from_seq < first <= seq <= last <= withdrawal.to_seq:
            seq = first - 1
    return seq


def _moment(tx: Transaction, session_id: str, seq: int, now: int) -> tuple[int, int]:
    """Return when a message was said and stored; now where it was removed meanwhile."""
    row = tx.row(_FIRST, (session_id, seq))
    said_at, stored_at = (now, now) if row is None else (row[0] or now, row[1] or now)
    return min(integer(said_at), now), min(integer(stored_at), now)


def _restore_episodes(tx: Transaction, session: Session, withdrawal: Withdrawal) -> None:
    """Bring the summaries back that a rewind hid, in place of those that were written since."""
    tx.execute(_NOT_DUE, (session.id, withdrawal.at))
    for tenant, id_ in tx.all(_DROP_LATER, (session.id, withdrawal.at)):
        ref = text(id_)
        record_change(
            tx, tenant=text(tenant), kind="episode", ref=ref, op="delete", at=withdrawal.at
        )
    if tx.row(_SET_BACK, (withdrawal.id,)) is None:
        tx.execute("DELETE FROM summarised WHERE session_id = ?", (session.id,))


def _touch(tx: Transaction, session: Session, withdrawal: Withdrawal, at: int) -> None:
    """Tell index and mirror what comes or goes, while the records are still noted as hidden."""
    touch_range(tx, session, withdrawal.from_seq - 1, at)
    tx.execute(_TOUCH_RECORDS, (session.tenant, at, withdrawal.id))
    tx.execute(_TOUCH_FACTS, (withdrawal.id, at))
    note_change(tx, session, at)
