"""The ledger of imports: which foreign transcripts were read, and how far.

A transcript is a file, or one of many in a store, whose sizes are counted in events. One whose size
and time are as they were is left alone. One that grew is read on from where the last import
stopped, if what was read then is still what it begins with; otherwise from its top, which costs
time but makes no duplicates. Messages of a deleted session are left out; the file is read on from
the first of them when its session is restored. The path of an erased one is a keyed hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import LiteralString

import msgspec

from recollect.core.scope import Scope
from recollect.exchange.reader import LineSource
from recollect.sessions.record.tombstone import (
    HIDDEN,
    Origin,
    hidden_path,
    is_buried,
    salts_of,
)
from recollect.store.columns import decode
from recollect.store.engine import Transaction

_READ: LiteralString = """
    SELECT path, source, size, mtime_ns, read_bytes, lines, messages, malformed, digest
    FROM imports WHERE tenant = ?
"""
_WRITE: LiteralString = """
    INSERT INTO imports (tenant, path, source, size, mtime_ns, read_bytes, lines, messages,
        malformed, digest, session_id, at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, source, path) DO UPDATE SET size = excluded.size,
        mtime_ns = excluded.mtime_ns, read_bytes = excluded.read_bytes, lines = excluded.lines,
        messages = excluded.messages, malformed = excluded.malformed, digest = excluded.digest,
        session_id = excluded.session_id, at = excluded.at
"""


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """How far one transcript was read.

    Attributes:
        path: Absolute, secrets marked; for a transcript in a store with ``#`` and its id; for an
            erased session its `hidden_path`.
        source: The name of its format, and which of several accounts this is.
        size: In bytes, when it was read to its end; 0 while an import is under way.
        mtime_ns: Of the same moment; 0 while an import is under way.
        read_bytes: Where the next import goes on.
        lines: Lines before that.
        messages: Messages in them.
        malformed: Lines of them that could not be read.
        digest: The result of `LineSource.digest` for the part that was read.
        waits_for: A deleted session whose messages were left out, after that part.
    """

    path: str
    source: str
    size: int = 0
    mtime_ns: int = 0
    read_bytes: int = 0
    lines: int = 0
    messages: int = 0
    malformed: int = 0
    digest: bytes = b""
    waits_for: str | None = None

    def is_of(self, size: int, mtime_ns: int) -> bool:
        """Return whether the transcript is unchanged since it was read to its end."""
        return bool(self.mtime_ns) and (self.size, self.mtime_ns) == (size, mtime_ns)

    def left(self, source: LineSource) -> LedgerEntry:
        """Return the entry for a transcript that is not to be read again until it changes."""
        return msgspec.structs.replace(self, size=source.size, mtime_ns=source.mtime_ns)

    def fits(self, source: LineSource) -> bool:
        """Return whether a transcript still begins with the lines that were read."""
        return source.size >= self.read_bytes and source.digest(self.read_bytes) == self.digest


class Ledger(dict[tuple[str, str], LedgerEntry]):
    """The entries of a tenant by source and path.

    Args:
        entries: All of them.
        tenant: Their owner.
        salts: The keys of hidden paths; empty where none is hidden.
    """

    def __init__(self, entries: Iterable[LedgerEntry], tenant: str, salts: Iterable[bytes]) -> None:
        super().__init__({(entry.source, entry.path): entry for entry in entries})
        self._tenant = tenant
        self.salts = tuple(salts)

    def key(self, source: str, path: str) -> tuple[str, str]:
        """Return the key of a transcript, with its hidden path if it is known under that."""
        hidden = ((source, hidden_path(salt, self._tenant, path)) for salt in self.salts)
        return next((key for key in hidden if key in self), (source, path))


def read_ledger(tx: Transaction, tenant: str) -> Ledger:
    """Return all entries of a tenant."""
    entries = [
        decode(LedgerEntry, LedgerEntry.__struct_fields__, row) for row in tx.all(_READ, (tenant,))
    ]
    is_one_hidden = any(entry.path.startswith(HIDDEN) for entry in entries)
    return Ledger(entries, tenant, salts_of(tx) if is_one_hidden else ())


def write_entry(
    tx: Transaction, tenant: str, entry: LedgerEntry, at: int, session: Origin | None = None
) -> None:
    """Store how far a transcript was read; if its session may be erased, that is checked."""
    if session is not None and is_buried(tx, tenant, [session]):
        path = hidden_path(salts_of(tx)[0], tenant, entry.path)
        entry = msgspec.structs.replace(entry, path=path)
    tx.execute(_WRITE, (tenant, *msgspec.structs.astuple(entry), at))


def ledger_name(name: str, scope: Scope) -> str:
    """Return the name of an owner's ledger: an owner may import what another left out."""
    owner = (scope.agent, scope.user, scope.project)
    if not name or owner == (None, None, None):
        return name
    digest = hashlib.sha256(repr(owner).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name}-{digest[:12]}"
