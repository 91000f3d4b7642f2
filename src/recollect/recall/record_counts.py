"""How many records of each kind a scope has, and how many came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, LiteralString

import msgspec

from recollect.core.scope import Scope
from recollect.index.model.generation import read_up_to
from recollect.knowledge.rows import LIVING, count_facts, of_facts
from recollect.recall.outbox_source import OutboxSource
from recollect.sessions.context.episode import count_episodes
from recollect.store.columns import (
    Condition,
    first_integer,
    integer,
    is_record_out,
    text,
    typed_rows,
)
from recollect.store.engine import Database, Transaction
from recollect.store.journal import last_change
from recollect.store.twins import compared_rows

if TYPE_CHECKING:  # a command that counts has none
    from recollect.recall.maintenance import Maintenance

_NEWEST: tuple[LiteralString, ...] = (
    "SELECT coalesce(max(id), '') FROM messages",
    "SELECT coalesce(max(id), '') FROM observations",
)
_LATER: tuple[LiteralString, ...] = (
    "SELECT count(*), coalesce(max(id), ?1) FROM messages WHERE id > ?1",
    "SELECT count(*), coalesce(max(id), ?1) FROM observations WHERE id > ?1",
)
"""Ids sort by time, so only what is new is read."""


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


class KnownCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of what is known.

    Attributes:
        facts: The current ones by kind; those that there are.
        links: Statements that others replaced, of the tenant.
        episodes: Summaries of sessions.
        people: Who speaks, accounts and names, the owner without an account aside.
    """

    facts: dict[str, int] = {}
    links: int = 0
    episodes: int = 0
    people: int = 0

    def beyond(self, before: KnownCounts) -> KnownCounts:
        """Return how much more it is than before."""
        facts = {kind: n - before.facts.get(kind, 0) for kind, n in self.facts.items()}
        return KnownCounts(
            facts={kind: n for kind, n in facts.items() if n > 0},
            links=max(0, self.links - before.links),
            episodes=max(0, self.episodes - before.episodes),
            people=max(0, self.people - before.people),
        )


_BY_KIND: LiteralString = "SELECT kind, count(*) FROM facts f WHERE "
_LINKS: LiteralString = "SELECT count(*) FROM replacements WHERE tenant = ? AND is_flagged = 0"
_USERS: LiteralString = "SELECT count(*) FROM (SELECT user_id AS who FROM sessions WHERE "
_SENDERS: LiteralString = """
    UNION SELECT turn_sender FROM messages WHERE session_id IN (SELECT id FROM sessions WHERE """
_EACH_OF_THEM: LiteralString = ")) WHERE who IS NOT NULL"
_OF_SESSIONS: LiteralString = """FROM (
    WITH them AS (
        SELECT id, message_count FROM sessions INDEXED BY sessions_twin_by_time WHERE """
_THEIR_RECORDS: LiteralString = f""")
    SELECT (SELECT count(*) FROM them), (SELECT coalesce(sum(message_count), 0) FROM them),
        (SELECT count(*) FROM observations INDEXED BY observations_twin
            WHERE session_id IN (SELECT id FROM them) AND is_forgotten = 0
                AND NOT {is_record_out("observation", "id")}))
"""  # noqa: S608  # literals


def count_known(records: Database, scope: Scope) -> KnownCounts:
    """Return how much is known in a scope."""
    facts = of_facts(scope).also("status = ?", "current")
    by_kind: LiteralString = _BY_KIND + facts.sql + LIVING + " GROUP BY kind ORDER BY kind"
    mine = Condition(scope).also("status <> ?", "deleted")
    people: LiteralString = _USERS + mine.sql + _SENDERS + mine.sql + _EACH_OF_THEM

    def read(tx: Transaction) -> KnownCounts:
        return KnownCounts(
            facts=dict(typed_rows(tx.all(by_kind, facts.params), tuple[str, int])),
            links=first_integer(tx.row(_LINKS, (scope.tenant,))),
            episodes=count_episodes(tx, scope),
            people=first_integer(tx.row(people, [*mine.params, *mine.params])),
        )

    return records.read(read)


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


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """What a memory is measured by.

    Attributes:
        captured: Messages and observations since the measure before; 0 in the first one.
        backlog: Changes of records that the index has not read yet.
        searches_ms: How long each search of this process took since the measure before.
        newest: Ids of the newest message and observation, from which the next one goes on.
    """

    captured: int
    backlog: int
    searches_ms: tuple[float, ...]
    newest: tuple[str, ...]


def measure(
    records: Database, index: Database, maintenance: Maintenance, before: Measure | None
) -> Measure:
    """Return a measure of a memory; see `Memory.measure`.

    Args:
        records: ``records.db``.
        index: ``index.db``.
        maintenance: Learns of every search.
        before: The measure before.
    """

    def unit(tx: Transaction) -> tuple[int, tuple[str, ...]]:
        if before is None:
            return 0, tuple(text(tx.all(sql)[0][0]) for sql in _NEWEST)
        rows = [tx.all(sql, (id_,))[0] for sql, id_ in zip(_LATER, before.newest, strict=True)]
        counts, ids = zip(*rows, strict=True)
        return sum(map(integer, counts)), tuple(map(text, ids))

    captured, newest = records.read(unit)
    return Measure(
        captured=captured,
        backlog=backlog_of(records, index),
        searches_ms=maintenance.take_searches(),
        newest=newest,
    )


def backlog_of(records: Database, index: Database) -> int:
    """Return how many changes of records the index has not read yet."""
    newest = records.read(last_change)
    return max(0, newest - index.read(lambda tx: read_up_to(tx, OutboxSource.name)))
