"""A records.db as it was before a schema step, with sessions, messages and tool calls."""

from __future__ import annotations

from pathlib import Path

import msgspec

from recollect.core.clock import SystemClock
from recollect.store.engine import SqlValue, Transaction
from recollect.store.row_hash import row_hash
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_database
from recollect.store.sqlite.home import RECORDS_ID
from recollect.store.sqlite.schema import load_schema

_MESSAGE = """
    INSERT INTO messages (id, tenant, agent, user_id, project, session_id, seq, role, name, content,
        text, token_estimate, created_at, recorded_at, metadata, event_id, foreign_id, row_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_CALL = """
    INSERT INTO tool_calls (id, tenant, session_id, message_id, result_id, call_id, tool_name,
        created_at) VALUES (?, 'local', ?, ?, ?, ?, 'Read', 0)
"""
SESSIONS = 10


def fill_old_records(path: Path, messages: int, *, version: int) -> list[tuple[SqlValue, ...]]:
    """Write the database at ``path`` in an older schema; return its messages in their order."""
    schema = load_schema("records", RECORDS_ID, keep_backup=True)
    old = msgspec.structs.replace(schema, steps=schema.steps[:version], golden="")
    rows = [_message(number) for number in range(messages)]

    def unit(tx: Transaction) -> None:
        for number in range(SESSIONS):
            last = len(range(number, messages, SESSIONS))
            tx.execute(
                "INSERT INTO sessions (id, tenant, key, message_count, last_seq, created_at,"
                " updated_at) VALUES (?, 'local', ?, ?, ?, 0, 0)",
                (f"s{number}", f"k{number}", last, last),
            )
        tx.executemany(_MESSAGE, rows)
        called = rows[: messages // 2 : 7]
        tx.executemany(_CALL, ((row[0], row[5], row[0], row[0], row[0]) for row in called))

    database = open_database(path, old, Tuning(), SystemClock())
    database.write(unit)
    database.close()
    return rows


def _message(number: int) -> tuple[SqlValue, ...]:
    content = f"message {number} " + "word " * (number % 300)
    session, seq = f"s{number % SESSIONS}", number // SESSIONS + 1
    event = None if number % 5 == 0 else f"event-{number}"
    row: list[SqlValue] = [f"m{number:06}", "local", None, None, None, session, seq, "user", None]
    row += [f'"{content}"', content, 1, number, number, "{}", event, None]
    return (*row, row_hash(row))
