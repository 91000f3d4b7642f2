"""Rows of the secrets that were recognised in a session: hashes, removed when it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import LiteralString

from recollect.core.clock import DAY_MS
from recollect.store.columns import integer, text
from recollect.store.engine import Database, Transaction

_NAMED: LiteralString = "SELECT id FROM sessions WHERE tenant = ? AND source = ? AND foreign_id = ?"
_FIND: LiteralString = """
    SELECT number, line FROM recognised_secrets
    WHERE session_id IN (?1, (SELECT source || ':' || foreign_id FROM sessions WHERE id = ?1))
        AND number >= ?2
    ORDER BY number
"""
_ADD: LiteralString = """
    INSERT INTO recognised_secrets (session_id, line) VALUES (?, ?) ON CONFLICT DO NOTHING
"""
MOST_LINES = 1_000
"""Of a session. Each process learns no more by itself; of what several add the newest stay."""
_CUT: LiteralString = """
    DELETE FROM recognised_secrets WHERE session_id = ?1 AND number <= (
        SELECT number FROM recognised_secrets WHERE session_id = ?1
        ORDER BY number DESC LIMIT 1 OFFSET ?2)
"""
_DROP: LiteralString = """
    DELETE FROM recognised_secrets
    WHERE session_id IN (?1, (SELECT source || ':' || foreign_id FROM sessions WHERE id = ?1))
"""
_OF_IDLE: LiteralString = """
    FROM recognised_secrets WHERE session_id IN (
        SELECT id FROM sessions WHERE updated_at < ?1
        UNION ALL SELECT source || ':' || foreign_id FROM sessions
            WHERE updated_at < ?1 AND foreign_id IS NOT NULL)
"""
_IDLE_DAYS = 30
"""The age after which a session that never ended, such as an imported one, counts as ended."""


def session_name(tx: Transaction, tenant: str, source: str, foreign_id: str) -> str:
    """Return the id of a program's session, or its name here until it is stored."""
    row = tx.row(_NAMED, (tenant, source, foreign_id))
    return text(row[0]) if row else f"{source}:{foreign_id}"


def find_recognised(tx: Transaction, session: str, since: int) -> tuple[int, list[str]]:
    """Return the newest number of a session, by `session_name`, and its lines from a number on.

    0 and none where there is none, or none any more.
    """
    rows = tx.all(_FIND, (session, since))
    return (integer(rows[-1][0]), [text(line) for _, line in rows]) if rows else (0, [])


def add_recognised(tx: Transaction, session: str, lines: Iterable[str]) -> None:
    """Add lines of a session and keep the newest `MOST_LINES`; idempotent."""
    for line in lines:
        tx.execute(_ADD, (session, line))
    tx.execute(_CUT, (session, MOST_LINES))


def drop_recognised(tx: Transaction, session: str) -> None:
    """Remove the recognised secrets of a session."""
    tx.execute(_DROP, (session,))


def drop_idle(records: Database, now: int) -> None:
    """Remove the recognised secrets of sessions that did not change for 30 days."""
    oldest = (now - _IDLE_DAYS * DAY_MS,)
    if records.read(lambda tx: tx.row("SELECT 1" + _OF_IDLE + "LIMIT 1", oldest)):
        records.write(lambda tx: tx.execute("DELETE" + _OF_IDLE, oldest))
