"""What an erasure takes of the facts: all that only the erased session said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from recollect.core.scope import Scope
from recollect.knowledge.rows import delete_facts, facts_by_id, renew_fact
from recollect.knowledge.storing import reopen
from recollect.store.columns import text
from recollect.store.engine import Row, Transaction

_SAID: LiteralString = "SELECT tenant, id FROM facts WHERE session_id = ? ORDER BY id LIMIT ?"
_DROP_SOURCES: LiteralString = "DELETE FROM fact_sources WHERE session_id = ?"
_DROP_SOURCE: LiteralString = "DELETE FROM fact_sources WHERE message_id = ?"
_FORGET_SESSION: LiteralString = "UPDATE value_sentences SET session_id = '' WHERE session_id = ?"
"""The sentences themselves, which are hashes, go when their messages are read again."""
_SAID_BY: LiteralString = "SELECT id FROM facts WHERE message_id = ?"
_NEXT_SOURCE: LiteralString = """
    SELECT o.message_id, o.session_id, o.start_at, o.end_at, s.agent, s.user_id, s.project,
        s.channel, s.account, s.chat_type, s.peer, m.turn_sender
    FROM fact_sources o JOIN sessions s ON s.id = o.session_id
    JOIN messages m ON m.id = o.message_id
    WHERE o.fact_id = ? AND s.status <> 'deleted' ORDER BY o.said_at LIMIT 1
"""
_MOVE: LiteralString = """
    UPDATE facts SET message_id = ?, session_id = ?, start_at = ?, end_at = ?, agent = ?,
        user_id = ?, project = ?, channel = ?, account = ?, chat_type = ?, peer = ?, turn_sender = ?
    WHERE id = ?
"""


def drop_said(tx: Transaction, session_id: str, most: int, at: int) -> int:
    """Remove facts that only a session said; one that was also said elsewhere moves there.

    Args:
        tx: A transaction.
        session_id: The session that is erased.
        most: How many facts at most.
        at: The time of the change, ms UTC.

    Returns:
        The number of facts that were removed or moved; 0 at the end.
    """
    tx.execute(_DROP_SOURCES, (session_id,))
    tx.execute(_FORGET_SESSION, (session_id,))
    rows = tx.all(_SAID, (session_id, most))
    orphan_ids: list[str] = []
    for _, id_ in rows:
        source = tx.row(_NEXT_SOURCE, (id_,))
        if source is None:
            orphan_ids.append(text(id_))
        else:
            _move(tx, text(id_), source, at)
    if orphan_ids:
        remove_facts(tx, text(rows[0][0]), orphan_ids, at)
    return len(rows)


def drop_of_messages(tx: Transaction, message_ids: Sequence[str], at: int) -> set[str]:
    """Move facts that some messages said to another message that says them too.

    Args:
        tx: A transaction, before the messages are removed.
        message_ids: The messages, which go.
        at: The time of the change, ms UTC.

    Returns:
        The ids of the facts that moved, which stay for that reason.
    """
    fact_ids: set[str] = set()
    tx.executemany(_DROP_SOURCE, [(id_,) for id_ in message_ids])
    for id_ in message_ids:
        for (fact,) in tx.all(_SAID_BY, (id_,)):
            source = tx.row(_NEXT_SOURCE, (fact,))
            if source is not None:
                _move(tx, text(fact), source, at)
                fact_ids.add(text(fact))
    return fact_ids


def remove_facts(tx: Transaction, tenant: str, ids: list[str], at: int) -> None:
    """Remove facts; what made way for them counts again."""
    facts = facts_by_id(tx, Scope(tenant=tenant), ids, deleted=True)
    reopen(tx, facts, at)
    delete_facts(tx, tenant, ids, at)


def _move(tx: Transaction, id_: str, source: Row, at: int) -> None:
    renew_fact(tx, id_, lambda: tx.execute(_MOVE, (*source, id_)), at)
