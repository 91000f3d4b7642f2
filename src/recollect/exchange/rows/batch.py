"""The batches of an import: messages stored in one transaction, and their sessions.

A session that was imported belongs to the place that it came from. A transcript from elsewhere that
claims its id writes into a session of its own: two programs may give the same id, and a file that
somebody sent may claim any. Messages of the session that such a transcript repeats are not stored
again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile
from pathlib import PurePath
from typing import LiteralString

import msgspec

from recollect.audience.session_key import UNKNOWN
from recollect.core.checks import check_event_id
from recollect.core.errors import InvalidInput
from recollect.core.events import SessionChanged
from recollect.exchange.observed import Observing
from recollect.exchange.stand_ins import give_way
from recollect.exchange.transcript import (
    Continuation,
    ForeignSession,
    TranscriptFormat,
)
from recollect.observations.draft import GivenObservation, ObservationDraft
from recollect.sessions.record.draft import FOREIGN, Draft, DraftMaker, encode_facts
from recollect.sessions.record.lineage import last_shown
from recollect.sessions.record.session import (
    DELETED,
    Session,
    add_session,
    note_change,
    owner_of,
    session_at,
    set_place,
)
from recollect.sessions.record.tombstone import (
    OURS,
    bury_names,
    is_buried,
    line_name,
)
from recollect.sessions.record.transcript_rows import append_drafts, known_events
from recollect.sessions.withdrawals import withdraw_late
from recollect.store.columns import integer
from recollect.store.engine import Transaction
from recollect.store.journal import record_event

BATCH_MESSAGES = 1_000
"""Messages of one transaction: the commit costs little beside them, and a kill loses few."""
BATCH_CHARS = 4 * 1024 * 1024
"""Readable text of one transaction; long messages make shorter batches."""
BATCH_FILES = 32
"""Long inputs and outputs of one transaction: each is a file that is synced within it, in some 10
ms of a slow disk, while other writers wait."""
LONG_CHARS = 16_000
"""Inputs and outputs of tools with more characters are stored in a file."""

_SHARED: LiteralString = """
    SELECT m.seq FROM sessions s JOIN messages m ON m.session_id = s.id
    WHERE s.tenant = ? AND s.source = ? AND s.foreign_id = ? AND m.event_id = ?
"""
_IS_STORED: LiteralString = """
    SELECT 1 FROM sessions s JOIN messages m ON m.session_id = s.id
    WHERE s.tenant = ? AND s.source = ? AND s.foreign_id = ? AND m.event_id = ?
        AND (m.content = ? OR json_extract(m.metadata, '$.recalled') IS NOT NULL)
"""
"""Answers of this memory are stored emptied, and so never equal."""
_DESCRIBE: LiteralString = "UPDATE sessions SET metadata = ? WHERE id = ?"
_FORK: LiteralString = """
    UPDATE sessions SET parent_id = ?, forked_at_seq = ?, last_seq = ?, pruned_seq = ? WHERE id = ?
"""
_SET_TITLE: LiteralString = "UPDATE sessions SET title = ? WHERE id = ?"


def location_of(form: TranscriptFormat, path: str) -> str:
    """Return a digest of the folder that a transcript comes from, as its format counts folders.

    Args:
        form: The format of its lines.
        path: As in the ledger.
    """
    folder = form.place(PurePath(path.partition("#")[0]))
    return hashlib.blake2b(str(folder).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def storable(session: ForeignSession, drafts: DraftMaker) -> ForeignSession:
    """Return the facts of a session with ids that can be stored."""
    names = _ids(session)
    ids = drafts.identifiers(names)
    return session if ids == names else msgspec.structs.replace(session, **ids)


def _ids(session: ForeignSession) -> dict[str, str | None]:
    return {"id": session.id, "key": session.key, "agent": session.agent}


def _moved(
    tx: Transaction, tenant: str, candidate: Session, drafts: list[Draft], own: str
) -> tuple[Session, list[Draft]]:
    """Return the session and drafts of a transcript from elsewhere, without lines it copied."""
    source, claimed = candidate.source or "", candidate.foreign_id

    def is_copied(draft: Draft) -> bool:
        event = (draft.message.event_id, draft.encoded_content)
        return tx.row(_IS_STORED, (tenant, source, claimed, *event)) is not None

    def renamed(draft: Draft) -> Draft:
        event = event_id_of(source, own, draft.message.event_id or "")
        message = msgspec.structs.replace(draft.message, event_id=event)
        return msgspec.structs.replace(draft, message=message)

    rest = [renamed(draft) for draft in dropwhile(is_copied, drafts)]
    return msgspec.structs.replace(candidate, foreign_id=own), rest


class SessionBatch(msgspec.Struct, kw_only=True):
    """The part of a batch that belongs to one session.

    Attributes:
        candidate: The session that is made if there is none.
        continues: The session that it went on from.
        drafts: Its messages.
        uses: The tools that were used in it.
        prepared: The uses to be recorded.
    """

    candidate: Session
    continues: Continuation | None
    drafts: list[Draft] = msgspec.field(default_factory=list)
    uses: list[GivenObservation] = msgspec.field(default_factory=list)
    prepared: Sequence[ObservationDraft] = ()


class ImportBatch:
    """Gathers the messages of one file until there are enough for a transaction."""

    def __init__(self) -> None:
        self.sessions: dict[str, SessionBatch] = {}
        """The sessions by foreign id."""
        self._titles: dict[str, tuple[str, bool]] = {}
        self.count = 0
        """The number of messages."""
        self._chars = self._files = 0

    @property
    def is_full(self) -> bool:
        """Whether it should be stored now."""
        return (
            self.count >= BATCH_MESSAGES or self._chars >= BATCH_CHARS or self._files >= BATCH_FILES
        )

    def add(self, foreign_id: str, draft: Draft) -> None:
        """Add a message to one of its sessions."""
        self.sessions[foreign_id].drafts.append(draft)
        self.count += 1
        self._chars += len(draft.encoded_content)

    def use(self, foreign_id: str, uses: Sequence[GivenObservation]) -> None:
        """Add tools that were used in one of its sessions."""
        self.sessions[foreign_id].uses += uses
        self._files += sum(len(each.output or each.error or "") > LONG_CHARS for each in uses)

    def entitle(self, foreign_id: str, title: str, *, final: bool) -> None:
        """Note a title for a session; one that a person chose is not replaced by another."""
        if final or not self._titles.get(foreign_id, ("", False))[1]:
            self._titles[foreign_id] = (title, final)

    def prepare(self, observing: Observing) -> None:
        """Make observations of what was said and which tools were used, before the transaction."""
        for each in self.sessions.values():
            messages = [draft.message for draft in each.drafts]
            each.prepared = observing.prepare(each.uses, messages, each.candidate.project)

    def store(
        self, tx: Transaction, tenant: str, source: str, location: str, observing: Observing
    ) -> tuple[Counter[str], str | None]:
        """Store everything but the parts of deleted or erased sessions; stored messages stay.

        Args:
            tx: Of ``records.db``.
            tenant: Its owner.
            source: The name of the format.
            location: Where it is, see `location_of`.
            observing: Records what the tools did.

        Returns:
            The counts of what it added, and a deleted session whose messages were left out.
        """
        counts: Counter[str] = Counter()
        waits_for = None
        for claimed, each in self.sessions.items():
            candidate, drafts = each.candidate, each.drafts
            foreign_id, session = session_at(tx, tenant, source, claimed, location)
            if foreign_id != claimed:
                count = len(drafts)
                candidate, drafts = _moved(tx, tenant, candidate, drafts, foreign_id)
                counts["duplicates"] += count - len(drafts)
            if not drafts and not each.prepared:
                continue
            origins = [(source, foreign_id), (OURS, foreign_id)]
            if session is None and is_buried(tx, tenant, origins):
                counts["erased"] += len(drafts)
                lines = [(each.message.foreign_id, each.message.created_at) for each in drafts]
                bury_names(tx, tenant, (line_name(source, id_, at) for id_, at in lines))
                continue
            if session is None:
                session = add_session(tx, _continued(tx, candidate, each.continues, location))
                set_place(tx, session.id, location)
                counts["sessions"] += 1
                counts["unknown_origin"] += session.chat_type == UNKNOWN
            elif session.status == DELETED:
                events = [each.message.event_id for each in drafts if each.message.event_id]
                known_count = len(known_events(tx, session, events))  # of a rewritten file
                counts.update(deleted=len(drafts) - known_count, duplicates=known_count)
                waits_for = session.id
                continue
            else:
                session, drafts = give_way(tx, _described(tx, session, candidate), drafts)
                session = _adopted(tx, session, each.continues, location)
            results = append_drafts(tx, session, drafts)
            fresh = [each for each in results if not isinstance(each, str)]
            withdraw_late(tx, session, fresh)
            counts.update(messages=len(fresh), duplicates=len(results) - len(fresh))
            counts["observations"] += observing.store(tx, session, each.prepared, fresh)
        self._store_titles(tx, tenant, source, location)
        return counts, waits_for

    def _store_titles(self, tx: Transaction, tenant: str, source: str, location: str) -> None:
        for foreign_id, (title, final) in self._titles.items():
            session = session_at(tx, tenant, source, foreign_id, location)[1]
            if session is None or session.title == title or (session.title and not final):
                continue
            tx.execute(_SET_TITLE, (title, session.id))
            note_change(tx, session, session.updated_at)
            event = SessionChanged(
                scope=owner_of(session), at=session.updated_at, status=session.status
            )
            record_event(tx, event)


def _continued(
    tx: Transaction, session: Session, continues: Continuation | None, location: str
) -> Session:
    """Return a new session as a fork of the one that it went on from, if that is stored.

    Unlike a fork that a person makes it has its key: new messages under the key go on here.
    """
    source = session.source or ""
    parent = None
    if continues is not None:
        _, parent = session_at(tx, session.tenant, source, continues.session, location)
    if continues is None or parent is None or parent.status == DELETED:
        return session
    if (parent.agent, parent.user, parent.key) != (session.agent, session.user, session.key):
        return session
    for message in continues.shared:
        origin = continues.origins[message]
        event = event_id_of(source, origin, message)
        row = tx.row(_SHARED, (session.tenant, source, origin, event))
        if row is not None and parent.pruned_seq <= integer(row[0]) <= parent.last_seq:
            seq = last_shown(tx, parent, integer(row[0]))  # a rewind may have taken it out
            facts = {"parent_id": parent.id, "forked_at_seq": seq, "last_seq": seq}
            return msgspec.structs.replace(session, **facts, pruned_seq=parent.pruned_seq)
    return session


def _described(tx: Transaction, session: Session, candidate: Session) -> Session:
    """Return a session begun by a hook, with the fields that lines of its transcript share."""
    if FOREIGN not in candidate.metadata or FOREIGN in session.metadata:
        return session
    metadata = session.metadata | {FOREIGN: candidate.metadata[FOREIGN]}
    tx.execute(_DESCRIBE, (encode_facts(metadata), session.id))
    return msgspec.structs.replace(session, metadata=metadata)


def _adopted(
    tx: Transaction, session: Session, continues: Continuation | None, location: str
) -> Session:
    """Return a stored session as a fork of the one that it went on from.

    One with messages of its own stays as it is: a hook reports a session before its transcript
    does, which may then be written while it is read.
    """
    if continues is None or session.last_seq > (session.forked_at_seq or 0):
        return session
    fork = _continued(tx, session, continues, location)
    tx.execute(_FORK, (fork.parent_id, fork.forked_at_seq, fork.last_seq, fork.pruned_seq, fork.id))
    note_change(tx, fork, fork.updated_at)
    return fork


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
