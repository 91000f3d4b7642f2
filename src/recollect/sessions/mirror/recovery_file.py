"""``recovery.json``: what makes records of mirrors whole, and has no place in one of them.

How far files of other programs were read, so that an import after a recovery brings nothing back
that was removed; and the random number that marks of secrets are made with. It is derived: a
missing or damaged one is written again from the records.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, LiteralString

import msgspec

from recollect.store.columns import decode
from recollect.store.engine import Transaction
from recollect.store.failures import os_errors
from recollect.store.files import write_file
from recollect.store.meta import REDACTION_SALT, find_value, set_value
from recollect.store.sqlite.home import RECOVERY_FILE

_READ: LiteralString = """
    SELECT tenant, source, path, session_id, size, mtime_ns, read_bytes, lines, messages, malformed,
        digest, at
    FROM imports ORDER BY tenant, source, path
"""
_WRITE: LiteralString = """
    INSERT INTO imports (tenant, source, path, session_id, size, mtime_ns, read_bytes, lines,
        messages, malformed, digest, at)
    VALUES (?, ?, ?, (SELECT id FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?)
"""


class ImportRow(msgspec.Struct, frozen=True, kw_only=True):
    """How far one file was read; its fields are the columns of ``imports``, in their order."""

    tenant: str
    source: str
    path: str
    session_id: str | None
    size: int
    mtime_ns: int
    read_bytes: int
    lines: int
    messages: int
    malformed: int
    digest: bytes
    at: int


class RecoveryFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says."""

    imports: list[ImportRow] = []
    values: dict[str, str] = {}
    """From ``meta``, by key."""


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
        if not path.is_file():
            return None
        content = path.read_bytes()
    try:
        return msgspec.json.decode(content, type=RecoveryFacts)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def restore_facts(tx: Transaction, facts: RecoveryFacts) -> None:
    """Put what the file says into new records, which hold the sessions."""
    for key, value in facts.values.items():
        set_value(tx, key, value)
    tx.executemany(_WRITE, [msgspec.structs.astuple(row) for row in facts.imports])


def recovery_facts(tx: Transaction) -> RecoveryFacts:
    """Return what the file must say."""
    fields = ImportRow.__struct_fields__
    salt = find_value(tx, REDACTION_SALT)
    values: dict[str, Any] = {} if salt is None else {REDACTION_SALT: salt}
    return RecoveryFacts(
        imports=[decode(ImportRow, fields, row) for row in tx.all(_READ, ())], values=values
    )
