"""How many records of each kind a scope has."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.core.scope import Scope
from recollect.knowledge.rows import count_facts
from recollect.sessions.context.episode import count_episodes
from recollect.store.columns import Condition, integer
from recollect.store.engine import Database, Transaction
from recollect.store.twins import compared_rows


class RecordCounts(msgspec.Struct, frozen=True):
    """Counts of records; deleted sessions and forgotten observations do not count.

    Attributes:
        sessions: Conversations.
        messages: Messages in them.
        observations: Recorded actions of agents.
        episodes: Summaries of sessions, those that retention removed among them.
        facts: What is known, as far as it is current.
    """

    sessions: int
    messages: int
    observations: int
    episodes: int
    facts: int


_OF_SESSIONS: LiteralString = """FROM (
    WITH them AS (
        SELECT id, message_count FROM sessions INDEXED BY sessions_twin_by_time WHERE """
_THEIR_RECORDS: LiteralString = """)
    SELECT (SELECT count(*) FROM them), (SELECT coalesce(sum(message_count), 0) FROM them),
        (SELECT count(*) FROM observations INDEXED BY observations_twin
            WHERE session_id IN (SELECT id FROM them) AND is_forgotten = 0))
"""


def count_records(records: Database, scope: Scope) -> RecordCounts:
    """Return the number of records of each kind in a scope."""
    where = Condition(scope).also("status <> ?", "deleted")
    sql: LiteralString = _OF_SESSIONS + where.sql + _THEIR_RECORDS

    def read(tx: Transaction) -> RecordCounts:
        (row,) = compared_rows(tx, "*", sql, where.params)
        sessions, messages, observations = map(integer, row)
        episodes, facts = count_episodes(tx, scope), count_facts(tx, scope)
        return RecordCounts(sessions, messages, observations, episodes, facts)

    return records.read(read)
