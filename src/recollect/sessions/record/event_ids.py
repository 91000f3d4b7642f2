"""Event ids: which messages of a conversation were stored before, so that a retry stores nothing.

An id belongs to its session. It is looked up there, in what a fork shares with its parents, and in
the sessions that had the key before, as long as their owner, and so their audience, is the same.
Other sessions may use it too: what was said elsewhere neither hides a message nor is shown for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from recollect.sessions.record.lineage import MAX_DEPTH
from recollect.sessions.record.session import Session
from recollect.store.columns import text
from recollect.store.engine import SqlValue, Transaction

_LOOKUP = 100
"""Event ids that one statement looks up."""
_AMONG: LiteralString = "event_id IN (" + ", ".join(["?"] * _LOOKUP) + ")"
_ANYWHERE: LiteralString = "SELECT 1 FROM messages WHERE " + _AMONG + " LIMIT 1"  # noqa: S608  # literals
_LINE: LiteralString = """
    WITH RECURSIVE line (depth, id, last, parent_id, shared, previous_id, tenant, key, agent,
        user_id) AS (
        SELECT 0, id, last_seq, parent_id, forked_at_seq, previous_id, tenant, key, agent, user_id
        FROM sessions WHERE id = ?
        UNION ALL
        SELECT line.depth + 1, s.id,
            CASE WHEN line.parent_id IS NULL THEN s.last_seq
                WHEN line.shared < line.last THEN line.shared ELSE line.last END,
            s.parent_id, s.forked_at_seq,
            CASE WHEN line.parent_id IS NULL THEN s.previous_id END,
            s.tenant, s.key, s.agent, s.user_id
        FROM line JOIN sessions s ON s.id = coalesce(line.parent_id, line.previous_id)
        WHERE line.depth < ? AND s.tenant = line.tenant AND (
            line.parent_id IS NOT NULL OR (s.key = line.key
            AND s.agent IS NOT DISTINCT FROM line.agent
            AND s.user_id IS NOT DISTINCT FROM line.user_id))
    )
    SELECT m.event_id, m.id FROM line CROSS JOIN messages m
    WHERE m.session_id = line.id AND m.seq <= line.last AND m."""
"""A fork has no key: the predecessors of its parents are not its own."""
_IN_LINE: LiteralString = _LINE + _AMONG + " ORDER BY line.depth DESC"


def find_events(tx: Transaction, session: Session, event_ids: Sequence[str]) -> dict[str, str]:
    """Return those of the event ids that a message for ``session`` cannot have any more.

    A new id costs one look into an index, however long the line of the session is.

    Returns:
        The ids of their messages; of several the one that is nearest to the session.
    """
    found: dict[str, str] = {}
    for start in range(0, len(event_ids), _LOOKUP):
        part: list[SqlValue] = list(event_ids[start : start + _LOOKUP])
        part += [None] * (_LOOKUP - len(part))
        if tx.row(_ANYWHERE, part) is not None:
            rows = tx.rows(_IN_LINE, [session.id, MAX_DEPTH, *part])
            found |= {text(key): text(id_) for key, id_ in rows}
    return found
