"""``recovery.json``: what makes the records of mirrors whole, and has no place in one of them.

How far files of other programs were read and what was erased, so that an import after a recovery
brings nothing back that was removed; which session said a line of the notes; and the random number
that marks of secrets are made with. No text of anybody. It is derived: a missing or damaged one is
written again with the next message.
"""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.sessions.record.tombstone import Tombstone, add_tombstones, tombstones
from recollect.store.engine import SqlValue, Transaction
from recollect.store.failures import os_errors
from recollect.store.files import write_file
from recollect.store.meta import REDACTION_SALT, find_value, set_value
from recollect.store.sqlite.home import RECOVERY_FILE

_TABLES: dict[str, tuple[LiteralString, LiteralString]] = {
    "imports": (
        "SELECT tenant, source, path, session_id, size, mtime_ns, read_bytes, lines, messages,"
        " malformed, digest, at FROM imports ORDER BY tenant, source, path",
        "INSERT INTO imports (tenant, source, path, session_id, size, mtime_ns, read_bytes, lines,"
        " messages, malformed, digest, at)"
        " VALUES (?, ?, ?, (SELECT id FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    "flushed_notes": (
        "SELECT path, line_hash, session_id, tenant, is_hidden, at FROM flushed_notes"
        " ORDER BY path, line_hash, session_id",
        "INSERT INTO flushed_notes (path, line_hash, session_id, tenant, is_hidden, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
    ),
    "note_folders": (
        "SELECT folder, tenant, agent, user_id, channel, account, chat_type, peer"
        " FROM note_folders ORDER BY folder",
        "INSERT INTO note_folders (folder, tenant, agent, user_id, channel, account, chat_type,"
        " peer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
}
"""By table: what reads its rows, and what writes one."""
_BLOBS = {"imports": 10, "flushed_notes": 1}
"""Which cell of a row is a BLOB."""


class RecoveryFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says."""

    rows: dict[str, list[list[str | int | None]]] = {}
    """By table; a BLOB is in base64."""
    erased: list[Tombstone] = []
    values: dict[str, str] = {}
    """From ``meta``, by key."""

    @property
    def imports(self) -> int:
        """How many files of other programs were read."""
        return len(self.rows.get("imports", ()))


def recovery_facts(tx: Transaction) -> RecoveryFacts:
    """Return what the file must say."""
    rows = {name: tx.all(read) for name, (read, _) in _TABLES.items()}
    salt = find_value(tx, REDACTION_SALT)
    facts = {
        "rows": {name: found for name, found in rows.items() if found},
        "erased": tombstones(tx),
        "values": {} if salt is None else {REDACTION_SALT: salt},
    }
    return msgspec.json.decode(msgspec.json.encode(facts), type=RecoveryFacts)


def write_recovery_file(home: Path, facts: RecoveryFacts) -> None:
    """Write ``recovery.json``, unless it says so already, or there is nothing to say.

    Raises:
        StoreError: the disk refused.
    """
    path, content = home / RECOVERY_FILE, msgspec.json.encode(facts)
    with os_errors(path):
        known = path.read_bytes() if path.is_file() else b""
    if known != content and (known or facts != RecoveryFacts()):
        write_file(path, content)


def read_recovery_file(home: Path) -> RecoveryFacts | None:
    """Return what the file says; None where it is missing or damaged.

    Raises:
        StoreError: the disk refused.
    """
    path = home / RECOVERY_FILE
    with os_errors(path):
        content = path.read_bytes() if path.is_file() else b""
    try:
        return msgspec.json.decode(content, type=RecoveryFacts)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def restore_facts(tx: Transaction, facts: RecoveryFacts) -> None:
    """Put what the file says into new records, which hold the sessions."""
    for key, value in facts.values.items():
        set_value(tx, key, value)
    add_tombstones(tx, facts.erased)
    for name, (_, write) in _TABLES.items():
        tx.executemany(write, [_cells(name, row) for row in facts.rows.get(name, ())])


def _cells(table: str, row: list[str | int | None]) -> list[SqlValue]:
    blob = _BLOBS.get(table)
    return [b64decode(str(cell)) if at == blob else cell for at, cell in enumerate(row)]
