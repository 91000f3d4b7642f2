"""Compactions: a summary that replaces older messages in the view. The messages stay.

The rows, which of them a session sees, and how one is stored with its event and its line in the
mirror. The text of a summary is made in `summary`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import LiteralString

import msgspec

from recollect.core.events import SessionCompacted
from recollect.core.scope import Scope
from recollect.sessions.record.lineage import rows_of, shows, stored_ancestors
from recollect.sessions.record.session import Session, owner_of
from recollect.store.columns import Condition, columns_of, decode, insert_into
from recollect.store.engine import Transaction
from recollect.store.journal import record_change, record_event
from recollect.store.twins import each_compared

COMPACTION_KIND = "compaction"
"""The kind of a compaction in the outbox."""

_FROM: LiteralString = "FROM compactions INDEXED BY compactions_twin WHERE "
_COUNT: LiteralString = (
    "UPDATE sessions SET compaction_count = compaction_count + 1, flush_failures = 0 WHERE id = ?"
)


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """A summary in place of messages; its fields are in the order of the columns.

    Attributes:
        id: Sorts by the time of making.
        session_id: The session that was compacted; a fork may see those of its parents.
        through_seq: The last message that it replaces; with all before it.
        last_seq: The newest message when it was made.
        summary: The summary of these messages.
        made_by: What wrote it, with its version.
        tokens_before: The cost of the view before.
        tokens_after: The cost of the view after.
        created_at: Ms UTC.
        turn_sender: For whom it was made, in a session that several people share; None where it
            is for whoever the session is with.
    """

    id: str
    session_id: str
    through_seq: int
    last_seq: int
    summary: str
    made_by: str
    tokens_before: int
    tokens_after: int
    created_at: int
    turn_sender: str | None = None


_COLUMNS = columns_of(Compaction)
_INSERT = insert_into("compactions", "tenant, agent, user_id, project, " + _COLUMNS)

Hears = Callable[[str | None], bool]
"""Returns whether the turns of a sender are heard."""


def visible_compaction(
    tx: Transaction, scope: Scope, session: Session, hears: Hears
) -> Compaction | None:
    """Return the newest compaction in the view of a session that was made for the listener.

    A fork sees those of its parents up to the message where it branched off, as they were then:
    what the parent does later changes no fork.

    Raises:
        StoreCorrupt: the chain of parents is broken or leads back to itself, or a compaction is not
            what was stored.
    """

    def is_seen(each: Compaction) -> bool:
        # What is before a message that a session shows is as it was then: so is its summary.
        through = each.through_seq
        is_there = through <= session.pruned_seq or shows(tx, session, through)
        return is_there and hears(each.turn_sender)

    compaction = _newest(tx, rows_of(scope, session.id), session.last_seq, is_seen)
    if compaction is not None:
        return compaction
    until = session.created_at
    for kin, last in stored_ancestors(tx, session):
        where = rows_of(scope, kin.id).also("created_at <= ?", until)
        compaction = _newest(tx, where, last, is_seen)
        if compaction is not None:
            return compaction
        until = min(until, kin.created_at)
    return None


def _newest(
    tx: Transaction, where: Condition, last: int, is_seen: Callable[[Compaction], bool]
) -> Compaction | None:
    where.also("through_seq <= ?", last)
    every = _select(tx, where, " ORDER BY through_seq DESC")
    return next(filter(is_seen, every), None)


def _select(tx: Transaction, where: Condition, order: LiteralString) -> Iterator[Compaction]:
    """Yield the compactions of a session that meet a condition, each compared with its twin."""
    for row in each_compared(tx, _COLUMNS, _FROM + where.sql + order, where.params):
        yield decode(Compaction, Compaction.__struct_fields__, row)


def select_compactions(tx: Transaction, scope: Scope, session_id: str) -> list[Compaction]:
    """Return the compactions of one session, its parents' not included, oldest first.

    Raises:
        StoreCorrupt: one is missing, or is not what was stored.
    """
    return list(_select(tx, rows_of(scope, session_id), " ORDER BY through_seq"))


def compactions_along(tx: Transaction, scope: Scope, session: Session) -> list[Compaction]:
    """Return the compactions that a session may see, those of its parents first, oldest first.

    Of a parent they are those from before the fork, and end where it branched off.
    """
    along, until = select_compactions(tx, scope, session.id), session.created_at
    for kin, last in stored_ancestors(tx, session):
        along[:0] = [
            msgspec.structs.replace(each, last_seq=min(each.last_seq, last))
            for each in select_compactions(tx, scope, kin.id)
            if each.through_seq <= last and each.created_at <= until
        ]
        until = min(until, kin.created_at)
    return along


def store_compaction(tx: Transaction, session: Session, compaction: Compaction) -> None:
    """Store a compaction, count it on its session, and record its event, in one transaction."""
    c, owner = compaction, (session.tenant, session.agent, session.user, session.project)
    tx.execute(_INSERT, (*owner, *msgspec.structs.astuple(c)))
    tx.execute(_COUNT, (session.id,))
    record_change(
        tx, tenant=session.tenant, kind=COMPACTION_KIND, ref=c.id, op="put", at=c.created_at
    )
    record_event(
        tx,
        SessionCompacted(
            scope=owner_of(session),
            at=c.created_at,
            through_seq=c.through_seq,
            tokens_before=c.tokens_before,
            tokens_after=c.tokens_after,
            made_by=c.made_by,
        ),
    )
