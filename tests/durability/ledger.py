"""What is written in the durability tests, and the check of what is there afterwards.

A unit appends a message to one session, with its change: the real tables, the real rules. Its text
follows from its event id, so that the check needs no other memory than the ids.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.store.engine import SqlValue, Transaction
from recollect.store.journal import record_change
from recollect.store.row_hash import row_hash
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase, open_database
from recollect.store.sqlite.home import RECORDS_FILE, RECORDS_ID
from recollect.store.sqlite.schema import Schema, load_schema

CLOCK = SystemClock()
SETTINGS = StoreSettings()
SCHEMA: Schema = load_schema("records", RECORDS_ID, keep_backup=True)
CALM = Tuning(checkpoint_pages=1_000_000, idle_s=3_600)
"""No checkpoint but those that the test asks for: the same run makes the same calls."""

_SESSION = """
    INSERT INTO sessions (id, tenant, key, created_at, updated_at) VALUES ('s', 'local', 's', 0, 0)
    ON CONFLICT (id) DO NOTHING
"""
_KNOWN = "SELECT seq FROM messages WHERE session_id = 's' AND event_id = ?"
_NEXT_SEQ = """
    UPDATE sessions SET last_seq = last_seq + 1, message_count = message_count + 1
    WHERE id = 's' RETURNING last_seq
"""
_MESSAGE = """
    INSERT INTO messages (id, tenant, session_id, seq, role, content, text, created_at, recorded_at,
                          event_id, row_hash)
    VALUES (?, 'local', 's', ?, 'user', '{}', ?, 0, 0, ?, ?)
"""


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What the check found."""

    rows: int
    lost: tuple[str, ...]
    """Acknowledged ids that are not there."""
    broken: tuple[str, ...]
    """What is there and should not be so; empty when all is well."""


def text_of(event_id: str) -> str:
    """Return the text of a message: up to three pages, the same for the same id."""
    digest = hashlib.sha256(event_id.encode()).hexdigest()
    return digest * (1 + int(digest[:2], 16) * 192 // 256)


def append(event_id: str) -> Callable[[Transaction], SqlValue]:
    """Return the unit that appends the message ``event_id`` once and returns its seq."""

    def unit(tx: Transaction) -> SqlValue:
        known = tx.row(_KNOWN, (event_id,))
        if known is not None:
            return known[0]
        tx.execute(_SESSION)
        found = tx.row(_NEXT_SEQ)
        seq = found[0] if found else None
        text = text_of(event_id)
        tx.execute(_MESSAGE, (event_id, seq, text, event_id, row_hash((event_id, seq, text))))
        record_change(tx, tenant="local", kind="message", ref=event_id, op="put", at=0)
        return seq

    return unit


def open_home(home: Path, tuning: Tuning = CALM, vfs: str | None = None) -> SqliteDatabase:
    """Open the records of ``home``."""
    return open_database(home / RECORDS_FILE, SCHEMA, tuning, CLOCK, vfs=vfs)


def check_home(home: Path, acked: Iterable[str]) -> Findings:
    """Open what a crash left, as a new process would, and check every rule of it."""
    database = open_home(home)
    try:
        return database.read(lambda tx: _check(tx, set(acked)))
    finally:
        database.close()


def _check(tx: Transaction, acked: set[str]) -> Findings:
    rows = list(tx.rows("SELECT event_id, seq, text, row_hash FROM messages ORDER BY seq"))
    there = {str(row[0]) for row in rows}
    broken = [str(row[0]) for row in tx.rows("PRAGMA integrity_check") if row[0] != "ok"]
    broken += [str(row[0]) for row in tx.rows("PRAGMA foreign_key_check")]
    broken += [str(event_id) for event_id, *rest in rows if not _is_sound(event_id, rest)]
    broken += _broken_counts(tx, [row[1] for row in rows], there)
    return Findings(rows=len(rows), lost=tuple(sorted(acked - there)), broken=tuple(broken))


def _is_sound(event_id: SqlValue, rest: list[SqlValue]) -> bool:
    seq, text, digest = rest
    return text == text_of(str(event_id)) and digest == row_hash((event_id, seq, text))


def _broken_counts(tx: Transaction, seqs: list[SqlValue], there: set[str]) -> list[str]:
    """Compare what one transaction wrote into three tables: a half of it would show here."""
    changes = [str(row[0]) for row in tx.rows("SELECT ref FROM changes WHERE kind = 'message'")]
    counters = tx.row("SELECT last_seq, message_count FROM sessions WHERE id = 's'") or (0, 0)
    broken = []
    if seqs != list(range(1, len(seqs) + 1)):
        broken.append("gap in seq")
    if len(changes) != len(there) or set(changes) != there:
        broken.append("changes and messages differ")
    if counters != (len(seqs), len(seqs)):
        broken.append("counters and messages differ")
    return broken
