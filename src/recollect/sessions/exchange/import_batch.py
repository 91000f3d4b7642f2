"""One batch of an import: foreign messages that are stored, with how far the file was read.

Everything of a batch is one transaction: killed anywhere, the file is read on from the last whole
batch, and what comes twice is recognised by its event id.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import BinaryIO, LiteralString

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import InvalidInput
from recollect.core.events import SessionChanged
from recollect.core.scope import Scope
from recollect.sessions.exchange.import_ledger import LedgerEntry, write_entry
from recollect.sessions.exchange.import_report import Tally
from recollect.sessions.exchange.import_source import read_lines
from recollect.sessions.exchange.transcript_format import ForeignSession, TranscriptFormat
from recollect.sessions.record.access import MirrorSignal
from recollect.sessions.record.draft import Draft, DraftMaker, check_event_id
from recollect.sessions.record.identity_links import IdentityLinks
from recollect.sessions.record.session import (
    DELETED,
    Condition,
    Session,
    add_session,
    of_unknown_origin,
    owned_session,
    owner_of,
    select_sessions,
)
from recollect.sessions.record.session_key import UNKNOWN, SessionKey, parse_key
from recollect.sessions.record.transcript_rows import append_drafts
from recollect.store.engine import Database, Transaction
from recollect.store.journal import record_event

BATCH_MESSAGES = 1_000
"""Messages of one transaction: the commit costs little beside them, and a kill loses few."""
BATCH_CHARS = 4 * 1024 * 1024
"""Readable text of one transaction; long messages make shorter batches."""

_SET_TITLE: LiteralString = "UPDATE sessions SET title = ? WHERE id = ?"


class BatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch added, and what it left out."""

    sessions: int = 0
    unknown_origin: int = 0
    messages: int = 0
    duplicates: int = 0
    deleted: int = 0
    waits_for: str | None = None
    """A deleted session whose messages were left out."""


class ImportContext(msgspec.Struct, frozen=True, kw_only=True):
    """What the import of every file needs."""

    database: Database
    clock: Clock
    ids: IdSource
    drafts: DraftMaker
    scope: Scope
    links: IdentityLinks
    mirror: MirrorSignal
    tally: Tally
    ledger: str
    stopping: Callable[[], bool]


class SessionMaker:
    """Makes sessions of foreign ones.

    Args:
        context: Whose they are, and what cleans their titles and facts.
        form: Where they come from.
    """

    def __init__(self, context: ImportContext, form: TranscriptFormat) -> None:
        self._context = context
        self._form = form

    def session(self, foreign: ForeignSession, began: int) -> Session:
        """Return a new session; ``began`` is the time of its first message, ms UTC.

        Raises:
            InvalidInput: its facts cannot be stored.
            Denied: it belongs to another owner than the scope's.
        """
        session = Session(
            id=self._context.ids.new(),
            tenant=self._context.scope.tenant,
            status="active",
            created_at=foreign.at if foreign.at is not None else began,
            updated_at=min(began, self._context.clock.now_ms()),
            title=self.title(foreign.title),
            agent=foreign.agent,
            project=self.title(foreign.project),
            source=self._form.name,
            foreign_id=foreign.id,
            metadata=self._context.drafts.facts(foreign.metadata),
        )
        key = _key(foreign.key)
        owned = owned_session(session, key, self._context.scope, self._context.links)
        tells_nothing = key is None or key.is_bare
        return of_unknown_origin(owned) if tells_nothing and not self._form.is_owners else owned

    def title(self, text: str | None) -> str | None:
        """Return a foreign title or project as it can be stored; a long one is cut."""
        return None if text is None else self._context.drafts.label(text[:500], "title")


class ImportBatch:
    """Gathers the messages of one file until there are enough for a transaction."""

    def __init__(self) -> None:
        self._drafts: dict[str, list[Draft]] = {}
        self._sessions: dict[str, Session] = {}
        self._titles: dict[str, tuple[str, bool]] = {}
        self.count = 0
        """Messages in it."""
        self._chars = 0

    @property
    def is_full(self) -> bool:
        """Whether it should be stored now."""
        return self.count >= BATCH_MESSAGES or self._chars >= BATCH_CHARS

    def has(self, foreign_id: str) -> bool:
        """Return whether a message of that session is in it."""
        return foreign_id in self._sessions

    def add(self, foreign_id: str, draft: Draft) -> None:
        """Add a message to a session that `begin` named."""
        self._drafts[foreign_id].append(draft)
        self.count += 1
        self._chars += len(draft.encoded_content)

    def begin(self, session: Session) -> None:
        """Name the session that is made if there is none with its foreign id."""
        foreign_id = session.foreign_id or ""
        self._sessions[foreign_id] = session
        self._drafts[foreign_id] = []

    def entitle(self, foreign_id: str, title: str, *, final: bool) -> None:
        """Note a title for a session; one that a person chose is not replaced by another."""
        if final or not self._titles.get(foreign_id, ("", False))[1]:
            self._titles[foreign_id] = (title, final)

    def store(self, tx: Transaction, scope: Scope, source: str) -> BatchResult:
        """Store everything but what belongs to deleted sessions; what is there already stays."""
        added = unknown = stored = duplicates = deleted = 0
        waits_for = None
        for foreign_id, candidate in self._sessions.items():
            session = find_foreign(tx, scope, source, foreign_id)
            if session is None:
                add_session(tx, candidate)
                session = candidate
                added += 1
                unknown += session.chat_type == UNKNOWN
            elif session.status == DELETED:
                deleted += len(self._drafts[foreign_id])
                waits_for = session.id
                continue
            places = append_drafts(tx, session, self._drafts[foreign_id])
            fresh = sum(not isinstance(place, str) for place in places)
            stored += fresh
            duplicates += len(places) - fresh
        self._store_titles(tx, scope, source)
        return BatchResult(
            sessions=added,
            unknown_origin=unknown,
            messages=stored,
            duplicates=duplicates,
            deleted=deleted,
            waits_for=waits_for,
        )

    def _store_titles(self, tx: Transaction, scope: Scope, source: str) -> None:
        for foreign_id, (title, final) in self._titles.items():
            session = find_foreign(tx, scope, source, foreign_id)
            if session is None or session.title == title or (session.title and not final):
                continue
            tx.execute(_SET_TITLE, (title, session.id))
            event = SessionChanged(
                scope=owner_of(session), at=session.updated_at, status=session.status
            )
            record_event(tx, event)


def find_foreign(tx: Transaction, scope: Scope, source: str, foreign_id: str) -> Session | None:
    """Return the session that was made of a foreign one."""
    where = Condition(Scope(tenant=scope.tenant)).also("source = ?", source)
    found = select_sessions(tx, where.also("foreign_id = ?", foreign_id), 1)
    return found[0] if found else None


def store_batch(
    tx: Transaction,
    batch: ImportBatch,
    *,
    scope: Scope,
    source: str,
    entry: LedgerEntry,
    before: LedgerEntry,
    at: int,
) -> tuple[BatchResult, LedgerEntry]:
    """Store a batch and how far its file was read, in one transaction.

    Args:
        tx: A transaction.
        batch: What is stored.
        scope: Whose it is.
        source: The name of the format.
        entry: How far the file was read with it.
        before: How far without it: from there it is read on where something was left out.
        at: Ms UTC.

    Returns:
        What was done, and the entry that was written.
    """
    result = batch.store(tx, scope, source)
    waits_for = before.waits_for or result.waits_for
    if waits_for is not None:
        size, mtime_ns = entry.size, entry.mtime_ns
        entry = msgspec.structs.replace(before, size=size, mtime_ns=mtime_ns, waits_for=waits_for)
    write_entry(tx, scope.tenant, entry, at)
    return result, entry


def _key(text: str | None) -> SessionKey | None:
    """Return a foreign key, or None where it cannot be one: the messages matter more."""
    if text is None:
        return None
    try:
        return parse_key(text)
    except InvalidInput:
        return None


def event_id_of(source: str, session: str, message: str) -> str:
    """Return ``source:session:message``, or a digest of it where that is not an event id.

    >>> event_id_of("claude-code", "5b1f", "u-1")
    'claude-code:5b1f:u-1'
    """
    plain = f"{source}:{session}:{message}"
    try:
        return check_event_id(plain)
    except InvalidInput:
        digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{source}:sha256:{digest}"


class LineOccurrences:
    """Names messages that have no id by what they say, and by the how-manieth line says it.

    So a line that was put in before them, or a file that was written again, makes no doubles.

    Args:
        file: The open file; read again up to ``start`` when the first such message comes.
        start: Where this import goes on, in bytes.
    """

    def __init__(self, file: BinaryIO, start: int) -> None:
        self._file = file
        self._start = start
        self._counts: Counter[bytes] | None = None

    def identity(self, body: bytes) -> str:
        """Return the id of the next line with these bytes."""
        if self._counts is None:
            self._counts = self._count_before()
        digest = _digest(body)
        self._counts[digest] += 1
        return f"{digest.hex()}:{self._counts[digest]}"

    def _count_before(self) -> Counter[bytes]:
        place = self._file.tell()
        counts: Counter[bytes] = Counter()
        begin = 0
        for line in read_lines(self._file):
            if begin >= self._start:
                break
            # The last one may have been taken before its line break was written.
            counts[_digest((line.body or b"")[: self._start - begin])] += 1
            begin = line.end
        self._file.seek(place)
        return counts


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=12).digest()
