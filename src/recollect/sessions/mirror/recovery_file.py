"""``recovery.json``: facts that complete records recovered from mirrors, but fit in no mirror.

How far files of other programs were read and what was erased, so that an import after a recovery
brings nothing back that was removed; which session said a line of the notes; which numbers were
given to records that are gone; and the random number that marks of secrets are made with. No text
of anybody. It is derived: a missing or damaged one is written again with the next message.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.decoding import decode_json
from recollect.sessions.record.tombstone import (
    Tombstone,
    add_numbers,
    add_tombstones,
    numbers_of,
    packed,
    tombstones,
    unpacked,
)
from recollect.store.columns import columns_of, insert_into
from recollect.store.digests import check_digest, note_digest
from recollect.store.engine import Transaction
from recollect.store.failures import os_errors
from recollect.store.files import holds_any, write_file
from recollect.store.meta import REDACTION_SALT, find_value, set_value
from recollect.store.sqlite.home import RECOVERY_FILE

_COMPRESSED = ".zst"
_Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
"""The integers that fit into a column."""
_Hex: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-fA-F]{2})+\Z")]

_IMPORTED: LiteralString = """
    SELECT id, foreign_id, place FROM sessions
    WHERE source IS NOT NULL AND last_seq > 0 AND status <> 'deleted' ORDER BY id
"""


_PLACE: LiteralString = "UPDATE sessions SET place = ? WHERE id = ?"


class _Row(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A row of one of the tables, in the order of its columns."""


class ImportRow(_Row, frozen=True):
    """How far a file of another program was read."""

    tenant: str
    source: str
    path: str
    session_id: str | None
    size: _Whole
    mtime_ns: _Whole
    read_bytes: _Whole
    lines: _Whole
    messages: _Whole
    malformed: _Whole
    digest: bytes
    at: _Whole


class NoteRow(_Row, frozen=True):
    """The session that said a line of the notes."""

    path: str
    line_hash: bytes
    session_id: str
    tenant: str
    is_hidden: Annotated[int, msgspec.Meta(ge=0, le=1)]
    at: _Whole


class NoteFolderRow(_Row, frozen=True):
    """The owner of a folder of notes."""

    folder: str
    tenant: str
    agent: str | None
    user_id: str | None
    channel: str | None
    account: str | None
    chat_type: str | None
    peer: str | None


class IdentityRow(_Row, frozen=True):
    """An account that was linked at run time, as `LinkedRow`."""

    tenant: str
    account: str
    user_id: str
    was: str | None
    linked_at: _Whole
    made_by: Literal["resolved", "operator", "code"]
    hash: bytes


class CounterRow(_Row, frozen=True):
    """The last number of a kind of record, which no mirror holds."""

    tenant: str
    kind: str
    last: Annotated[int, msgspec.Meta(ge=1, le=(1 << 63) - 1)]


_TABLES: dict[LiteralString, tuple[type[_Row], LiteralString]] = {
    "imports": (ImportRow, "tenant, source, path"),
    "flushed_notes": (NoteRow, "path, line_hash, session_id"),
    "note_folders": (NoteFolderRow, "folder"),
    "counters": (CounterRow, "tenant, kind"),
    "identities": (IdentityRow, "tenant, account"),
}
"""By table: its rows, and the columns that order them."""


class RecoveryRows(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """By table."""

    imports: list[ImportRow] = []
    flushed_notes: list[NoteRow] = []
    note_folders: list[NoteFolderRow] = []
    counters: list[CounterRow] = []
    identities: list[IdentityRow] = []


class RecoveryValues(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """From ``meta``."""

    salt: _Hex | None = msgspec.field(default=None, name=REDACTION_SALT)


class ImportedSession(msgspec.Struct, frozen=True, array_like=True):
    """A session that was imported from a file at a location, and so must have a mirror."""

    id: str
    foreign_id: str
    place: str | None = None


class RecoveryFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file."""

    rows: RecoveryRows = RecoveryRows()
    erased: list[Tombstone] = []
    erased_lines: bytes = b""
    values: RecoveryValues = RecoveryValues()
    imported: list[ImportedSession] = []

    @property
    def imports(self) -> int:
        """The number of files of other programs that were read."""
        return len(self.rows.imports)


def recovery_facts(tx: Transaction) -> RecoveryFacts:
    """Return the content that the file must have.

    Raises:
        StoreCorrupt: tombstones are missing: what they keep away would come back; or links are.
    """
    check_digest(tx, "tombstones")
    check_digest(tx, "identities")
    facts = {
        "rows": {
            table: tx.all(f"SELECT {columns_of(kind)} FROM {table} ORDER BY {keys}")  # noqa: S608  # literals
            for table, (kind, keys) in _TABLES.items()
        },
        "erased": tombstones(tx),
        "erased_lines": packed(numbers_of(tx)),
        "values": {REDACTION_SALT: find_value(tx, REDACTION_SALT)},
        "imported": tx.all(_IMPORTED),
    }
    return decode_json(msgspec.json.encode(facts), RecoveryFacts)


def write_recovery_file(home: Path, facts: RecoveryFacts) -> None:
    """Write ``recovery.json``, unless it says so already, or there is nothing to say.

    Raises:
        StoreError: the disk refused.
    """
    path, content = home / RECOVERY_FILE, msgspec.json.encode(facts)
    with os_errors(path):
        current = path.read_bytes() if path.is_file() else b""
    if current != content and (current or facts != RecoveryFacts()):
        write_file(path, content)


def read_recovery_file(home: Path) -> RecoveryFacts | None:
    """Return the content of the file; None if it is missing or damaged.

    Raises:
        StoreError: the disk refused.
    """
    path = home / RECOVERY_FILE
    with os_errors(path):
        content = path.read_bytes() if path.is_file() else b""
    try:
        return decode_json(content, RecoveryFacts)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def without_lost(facts: RecoveryFacts, session_ids: Collection[str]) -> tuple[RecoveryFacts, int]:
    """Leave out the facts about imported files whose sessions did not come back.

    An import then reads these files again; what is there of them already is not added twice.

    Args:
        facts: The content of the file.
        session_ids: The ids of the sessions that came back.

    Returns:
        The facts, and the number of imported sessions that did not come back.
    """
    missing = {each.foreign_id for each in facts.imported if each.id not in session_ids}
    imports = [
        row for row in facts.rows.imports if not missing or not _may_hold(Path(row.path), missing)
    ]
    rows = msgspec.structs.replace(facts.rows, imports=imports)
    return msgspec.structs.replace(facts, rows=rows), len(missing)


def _may_hold(path: Path, foreign_ids: Collection[str]) -> bool:
    """Whether a transcript has one of some ids in its name or text, or that cannot be known."""
    if path.suffix == _COMPRESSED or any(id_ in path.name for id_ in foreign_ids):
        return True
    if Path(str(path).rpartition("#")[0]).is_file():
        return False  # it is one of a store, and has its id in its name
    with suppress(OSError):
        return holds_any(path, foreign_ids)
    return True


def restore_facts(tx: Transaction, facts: RecoveryFacts) -> None:
    """Store the content of the file in new records, which hold the sessions."""
    if facts.values.salt is not None:
        set_value(tx, REDACTION_SALT, facts.values.salt)
    add_tombstones(tx, facts.erased)
    add_numbers(tx, unpacked(facts.erased_lines))
    for table, (kind, _) in _TABLES.items():
        write: LiteralString = insert_into(table, columns_of(kind)) + " ON CONFLICT DO NOTHING"
        if kind is ImportRow:  # a file whose session did not come back has none
            write = write.replace(
                "(?, ?, ?, ?,", "(?, ?, ?, (SELECT id FROM sessions WHERE id = ?),"
            )
        tx.executemany(write, [msgspec.structs.astuple(row) for row in getattr(facts.rows, table)])
    note_digest(tx, "identities", [row.hash for row in facts.rows.identities])
    tx.executemany(_PLACE, [(each.place, each.id) for each in facts.imported])
