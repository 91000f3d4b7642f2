"""The import of one file: its lines become batches, and how far it was read goes along.

A bad line is counted and the next one read. What cannot be right yet, a last line that is
still writing, is left for the next import.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import BinaryIO

import msgspec

from recollect.core.errors import InvalidInput
from recollect.sessions.exchange.extras import FOREIGN, Extras, foreign_of
from recollect.sessions.exchange.import_batch import (
    ImportBatch,
    ImportContext,
    LineOccurrences,
    SessionMaker,
    event_id_of,
    find_foreign,
    store_batch,
)
from recollect.sessions.exchange.import_ledger import LedgerEntry, digest_of
from recollect.sessions.exchange.import_source import MAX_LINE_BYTES, Line, decode_line, read_lines
from recollect.sessions.exchange.transcript_format import (
    ForeignLine,
    ForeignMessage,
    ForeignSession,
    Malformed,
    Skip,
    TranscriptFormat,
)
from recollect.sessions.record.draft import MAX_LABEL_CHARS, Draft
from recollect.sessions.record.session import Session


class FileImport:
    """Imports one open file.

    Args:
        context: Where to, and who counts.
        form: What the lines are.
        session: What the file is about.
        file: The file.
        entry: How far it was read before.
    """

    def __init__(
        self,
        context: ImportContext,
        form: TranscriptFormat,
        session: ForeignSession,
        file: BinaryIO,
        entry: LedgerEntry,
    ) -> None:
        self._context = context
        self._form = form
        self._session = session
        self._file = file
        self._entry = self._written = msgspec.structs.replace(entry, waits_for=None)
        self._tally = context.tally
        self._facts = {session.id: session}
        self.stored: dict[str, Session | None] = {}
        """Sessions by their foreign id, as they were before this import stored anything."""
        self._occurrences = LineOccurrences(file, entry.read_bytes)
        self._batch = ImportBatch()
        self._extras = Extras()
        there = os.fstat(file.fileno())
        self._size, self._mtime_ns = there.st_size, there.st_mtime_ns
        self._time = there.st_mtime_ns // 1_000_000
        self._makers = SessionMaker(context, form)

    def run(self, tell: Callable[[int], None]) -> None:
        """Import everything from where the last import stopped.

        Args:
            tell: Called after each batch with the bytes that were read.
        """
        lines = read_lines(self._file, offset=self._entry.read_bytes, number=self._entry.lines)
        for line in lines:
            if not self._take(line):
                break
            self._entry = msgspec.structs.replace(
                self._entry, read_bytes=line.end, lines=line.number
            )
            if self._batch.is_full:
                self._store()
                tell(self._entry.read_bytes)
                if self._context.stopping():
                    return
        self._entry = msgspec.structs.replace(self._entry, size=self._size, mtime_ns=self._mtime_ns)
        self._store()

    def _take(self, line: Line) -> bool:
        """Take in one line; return False if it is not finished yet."""
        if line.body is None:
            self._malformed(line, f"a line longer than {MAX_LINE_BYTES >> 20} MB")
            return True
        if not line.body.strip():
            return True
        try:
            decoded = decode_line(line.body)
        except ValueError:
            self._malformed(line, "no JSON" if line.complete else "an unfinished last line")
            return line.complete
        if not isinstance(decoded.value, Mapping):
            self._malformed(line, "no JSON object")
            return True
        self._tally.replaced += decoded.replaced
        try:
            self._sort(self._form.parse(decoded.value, self._session), line)
        except InvalidInput as error:
            self._malformed(line, error.message)
        return True

    def _sort(self, parsed: ForeignLine, line: Line) -> None:
        match parsed:
            case ForeignMessage():
                self._message(parsed, line)
            case ForeignSession():
                self._learn(parsed)
            case Skip():
                self._tally.skipped += 1
            case Malformed():
                self._malformed(line, parsed.reason)

    def _message(self, message: ForeignMessage, line: Line) -> None:
        if message.shared and not self._extras.knows(message.session.id):
            self._share(message)
        draft = self._draft(message, line)
        self._time = draft.message.created_at
        foreign_id = message.session.id
        if not self._batch.has(foreign_id):
            facts = merged(self._facts.get(foreign_id), message.session)
            self._facts[foreign_id] = facts
            self._batch.begin(self._makers.session(facts, draft.message.created_at))
        if message.session.title is not None:
            self._learn(message.session)
        self._batch.add(foreign_id, draft)

    def _draft(self, message: ForeignMessage, line: Line) -> Draft:
        identity = message.id or self._occurrences.identity(line.body or b"")
        if message.at is None:
            self._tally.undated += 1
        return self._context.drafts.message(
            message.role,
            message.content if message.content is not None else "",
            name=None if message.name is None else message.name[:MAX_LABEL_CHARS],
            at=message.at if message.at is not None else self._time,
            metadata=self._extras.metadata(message),
            event_id=event_id_of(self._form.name, message.session.id, identity),
            foreign_id=message.id,
        )

    def _share(self, message: ForeignMessage) -> None:
        """Note what the lines of a session have alike: as stored, or as its first line says."""
        scope, source, foreign_id = self._context.scope, self._form.name, message.session.id
        if foreign_id in self.stored:
            stored = self.stored[foreign_id]
        else:
            stored = self._context.database.read(
                lambda tx: find_foreign(tx, scope, source, foreign_id)
            )
        if stored is not None:
            self._extras.share(foreign_id, foreign_of(stored.metadata))
            return
        self._extras.share(foreign_id, message.shared)
        told = message.session.metadata | {FOREIGN: message.shared}
        self._learn(msgspec.structs.replace(message.session, metadata=told))

    def _learn(self, session: ForeignSession) -> None:
        """Note what a line says of a session, for when it is made and if it is there already."""
        self._facts[session.id] = merged(self._facts.get(session.id), session)
        if session.title is not None:
            title = self._makers.title(session.title) or ""
            self._batch.entitle(session.id, title, final=session.title_is_final)

    def _malformed(self, line: Line, reason: str) -> None:
        self._tally.malformed(self._entry.path, line.number, reason)
        self._entry = msgspec.structs.replace(self._entry, malformed=self._entry.malformed + 1)

    def _store(self) -> None:
        """Store the batch; while the file is not done, its entry looks like a changed file's."""
        batch, scope = self._batch, self._context.scope
        digest = digest_of(self._file.fileno(), self._entry.read_bytes)
        entry = msgspec.structs.replace(
            self._entry, digest=digest, messages=self._entry.messages + batch.count
        )
        now, before = self._context.clock.now_ms(), self._written
        result, self._written = self._context.database.write(
            lambda tx: store_batch(
                tx, batch, scope=scope, source=self._form.name, entry=entry, before=before, at=now
            )
        )
        self._tally.sessions += result.sessions
        self._tally.unknown_origin += result.unknown_origin
        self._tally.messages += result.messages
        self._tally.duplicates += result.duplicates
        self._tally.deleted += result.deleted
        self._context.mirror.notify()
        self._entry = entry
        self._batch = ImportBatch()
        self.stored.clear()


def merged(known: ForeignSession | None, told: ForeignSession) -> ForeignSession:
    """Return what is known of a session together with what a line tells; the earlier word counts.

    Only a title that a person chose replaces another.
    """
    if known is None:
        return told
    told_title = told.title is not None and (known.title is None or told.title_is_final)
    return ForeignSession(
        id=known.id,
        key=known.key if known.key is not None else told.key,
        agent=known.agent if known.agent is not None else told.agent,
        project=known.project if known.project is not None else told.project,
        title=told.title if told_title else known.title,
        title_is_final=known.title_is_final or (told_title and told.title_is_final),
        at=known.at if known.at is not None else told.at,
        metadata=told.metadata | known.metadata,
    )
