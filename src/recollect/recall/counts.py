"""How many records a scope holds."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.core.scope import Scope
from recollect.store.columns import Condition, integer
from recollect.store.engine import Database


class RecordCounts(msgspec.Struct, frozen=True):
    """How much there is; deleted sessions and forgotten observations do not count.

    Attributes:
        sessions: Conversations.
        messages: What was said in them.
        observations: What agents did.
        episodes: Summaries of what was said.
    """

    sessions: int
    messages: int
    observations: int
    episodes: int


_OF_THEM: LiteralString = """)
    SELECT (SELECT count(*) FROM them),
        (SELECT count(*) FROM messages WHERE session_id IN them),
        (SELECT count(*) FROM observations WHERE session_id IN them AND is_forgotten = 0),
        (SELECT count(*) FROM episodes WHERE session_id IN them)
"""


def count_records(records: Database, scope: Scope) -> RecordCounts:
    """Return how much a scope holds."""
    where = Condition(scope).also("status <> ?", "deleted")
    sql: LiteralString = "WITH them AS (SELECT id FROM sessions WHERE " + where.sql + _OF_THEM  # noqa: S608  # literals
    (row,) = records.read(lambda tx: tx.all(sql, where.params))
    return RecordCounts(*map(integer, row))
