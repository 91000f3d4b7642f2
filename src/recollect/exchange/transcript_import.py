"""The import of one transcript: its lines become batches, stored with how far it was read.

A bad line is counted and the next one read. A last line that is still being written is left for
the next import. Everything of a batch is one transaction: killed anywhere, the file is read on
from the last whole batch, and messages that come twice are recognised by their event id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, LiteralString, TypeAlias, TypeVar

import msgspec

from recollect.audience.session_key import SessionKey, parse_key
from recollect.core.checks import MAX_LABEL_CHARS
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.exchange.formats.extras import Extras, foreign_of
from recollect.exchange.gate import CallFilter, Destination
from recollect.exchange.ledger import LedgerEntry, write_entry
from recollect.exchange.observed import CallBook, Observing
from recollect.exchange.reader import MAX_LINE_BYTES, Line, LineOccurrences, LineSource, decode_line
from recollect.exchange.report import Tally
from recollect.exchange.rows.batch import (
    ImportBatch,
    SessionBatch,
    event_id_of,
    storable,
)
from recollect.exchange.transcript import (
    ForeignLine,
    ForeignMessage,
    ForeignSession,
    Malformed,
    Record,
    Skip,
    TranscriptFormat,
)
from recollect.observations.controls import CaptureVerdict
from recollect.sessions.record.content import ContentBlock, TextBlock, recalled_in
from recollect.sessions.record.draft import FOREIGN, Draft, DraftMaker
from recollect.sessions.record.session import (
    Session,
    find_foreign,
    find_session,
    of_unknown_origin,
    owned_session,
)
from recollect.sessions.record.tombstone import (
    ErasedLines,
    ErasedName,
    is_buried,
    line_name,
    title_name,
    use_name,
)
from recollect.store.engine import Transaction
from recollect.store.recognised import session_name

_IS_TOLD: LiteralString = """
    SELECT 1 FROM messages WHERE session_id = ? AND foreign_id IS NOT NULL LIMIT 1
"""
T = TypeVar("T")
AtEnd: TypeAlias = Callable[[Transaction, Counter[str]], None]
"""Called in the transaction that stores the last batch, with what the batch added."""


class ImportContext(Destination, frozen=True, kw_only=True):
    """The common context of the imports of all files.

    Attributes:
        observing: Records what the tools did.
        ledger: The name of a separate ledger, which leaves out what others own.
        tally: Counts.
        stopping: Returns whether the rest is left for the next import.
        erased: The lines that were erased.
    """

    observing: Observing
    ledger: str
    tally: Tally
    stopping: Callable[[], bool]
    erased: ErasedLines = msgspec.field(default_factory=ErasedLines)


class FoundTranscript(msgspec.Struct, frozen=True, kw_only=True):
    """One transcript that is to be read on.

    Attributes:
        form: The format of the lines.
        session: The session that they are about.
        source: The lines.
        head: The first of them.
    """

    form: TranscriptFormat
    session: ForeignSession
    source: LineSource
    head: Sequence[Record]


class TranscriptImport:
    """Imports one transcript.

    Args:
        context: The destination, and the counts.
        transcript: The transcript.
        location: Where it is, see `batch.location_of`.
        entry: How far it was read before.
    """

    def __init__(
        self, context: ImportContext, transcript: FoundTranscript, location: str, entry: LedgerEntry
    ) -> None:
        session, source = transcript.session, transcript.source
        self._context = context
        self._origins = session.continues.origins if session.continues else {}
        self._form, self._session, self._source = transcript.form, session, source
        self._place = location
        self._entry = self.written = msgspec.structs.replace(entry, waits_for=None)
        self._tally = context.tally
        self.saved = context.tally.copy()
        """The counts at the last batch that was stored, up to ``written``."""
        self._erased = self._buried() if self._origins else frozenset()
        self._lost = self._kept = False  # erased lines, and others, were seen
        self._facts = {session.id: session}
        self.stored: dict[str, Session | None] = {}
        """Sessions by their foreign id, as they were before this import stored anything."""
        self._began = entry.read_bytes
        self._occurrences = LineOccurrences(source, entry.read_bytes)
        self.verdicts: dict[str | None, CaptureVerdict] = {}
        self._folder = session.project
        skips = context.controls.skips_call
        self._calls = CallFilter(lambda tool, arguments: skips(tool, arguments, self._folder))
        self._book = CallBook(self._earlier, context.drafts)
        self._names: dict[str, str] = {}
        """The names of sessions by their foreign id, see `session_name`."""
        self._batch = ImportBatch()
        self._extras = Extras()
        self._time = source.mtime_ns // 1_000_000
        self._is_clean = False

    def run(self, tell: Callable[[int], None], at_end: AtEnd | None) -> bool:
        """Import everything from where the last import stopped; return whether it reached the end.

        Args:
            tell: Called after each batch with the number of bytes that were read.
            at_end: See `AtEnd`.

        Raises:
            Denied: a session belongs to another owner than the scope's.
        """
        last: Line | None = None
        for line in self._source.lines(self._entry.read_bytes, self._entry.lines):
            if not self._take(line):
                break
            last = line
            if self._batch.is_full:
                self._reach(last)
                self._store()
                tell(self._entry.read_bytes)
                if self._context.stopping():
                    return False
        self._reach(last)
        size, mtime_ns = self._source.size, self._source.mtime_ns
        self._entry = msgspec.structs.replace(self._entry, size=size, mtime_ns=mtime_ns)
        self._store(at_end)
        return True

    def _reach(self, line: Line | None) -> None:
        """Note how far the lines were read."""
        if line is not None:
            self._entry = msgspec.structs.replace(
                self._entry, read_bytes=line.end, lines=line.number
            )

    def _take(self, line: Line) -> bool:
        """Read one line; return False if it is not finished yet."""
        if line.body is None:
            self._malformed(line, f"a line longer than {MAX_LINE_BYTES >> 20} MB")
            return True
        if not line.body.strip():
            return True
        try:
            line_value = decode_line(line.body)
        except ValueError:
            self._malformed(line, "no JSON" if line.complete else "an unfinished last line")
            return line.complete
        if not isinstance(line_value.value, Mapping):
            self._malformed(line, "no JSON object")
            return True
        self._tally.counts["replaced"] += line_value.replaced
        self._is_clean = line_value.is_clean
        try:
            self._sort(self._known_as(self._form.parse(line_value.value, self._session)), line)
        except InvalidInput as error:
            self._malformed(line, error.message)
        return True

    def _known_as(self, item: ForeignLine) -> ForeignLine:
        """Return a line whose ids can be stored: those that hold a secret are a keyed hash."""
        drafts = self._context.drafts
        match item:
            case ForeignMessage(id=given):
                session, ours = item.session, self._session
                if (session.id, session.key, session.agent) != (ours.id, ours.key, ours.agent):
                    session = storable(session, drafts)
                id_ = None if given is None else drafts.identifier(given)
                sender = None if item.sender is None else drafts.identifier(item.sender)
                if id_ == given and sender == item.sender and session is item.session:
                    return item
                return msgspec.structs.replace(item, id=id_, sender=sender, session=session)
            case ForeignSession():
                return storable(item, drafts)
        return item

    def _sort(self, item: ForeignLine, line: Line) -> None:
        match item:
            case ForeignMessage():
                self._message(item, line)
            case ForeignSession():
                self._learn(item)
            case Skip():
                self._tally.counts["skipped"] += 1
            case Malformed():
                self._malformed(line, item.reason)

    def _buried(self) -> frozenset[str]:
        """Return the erased sessions among those that messages were copied from."""
        tenant, source, ids = self._context.scope.tenant, self._form.name, {*self._origins.values()}
        return self._context.database.read(
            lambda tx: frozenset(each for each in ids if is_buried(tx, tenant, [(source, each)]))
        )

    def _was_erased(self, message: ForeignMessage) -> bool:
        if message.id is None or not (self._erased or self._context.erased.numbers):
            return False
        is_erased = self._origins.get(message.id) in self._erased
        return is_erased or self._is_erased(line_name(self._form.name, message.id, message.at))

    def _is_erased(self, name: ErasedName | None) -> bool:
        return self._context.erased.has(self._context.scope.tenant, name)

    def _message(self, message: ForeignMessage, line: Line) -> None:
        if self._was_erased(message):
            self._tally.counts["erased"] += 1
            self._lost = True
            return
        self._kept = True
        if self._is_withheld(message):
            self._tally.counts["withheld"] += 1
            return
        if isinstance(message.content, list):
            before, content = self._calls.calls, self._calls.kept(message.content)
            self._tally.counts["calls"] += self._calls.calls - before
            if content is None:
                return
            if len(content) < len(message.content):
                # The other fields of its record go with them: they repeat the answers of tools.
                message = msgspec.structs.replace(message, content=content, extra={})
        if not message.is_stored:
            blocks = self._redacted(message, lambda it: it.blocks(message.content or ()))
            recalled = self._context.drafts.recalled(blocks)
            self._observe(message, blocks, message.at or self._time, recalled)
            return
        if message.shared and not self._extras.knows(message.session.id):
            self._share(message)
        draft = self._draft(message, line)
        self._time = draft.message.created_at
        self._gather(message.session, self._time)
        if message.session.title is not None:
            self._learn(message.session)
        self._batch.add(message.session.id, draft)
        own = draft.message
        self._observe(message, own.blocks, self._time, recalled_in(own.metadata))

    def _gather(self, session: ForeignSession, began: int) -> None:
        """Add a session to the batch; ``began`` is the time of its first message."""
        if session.id not in self._batch.sessions:
            facts = self._facts[session.id] = _merged(self._facts.get(session.id), session)
            candidate = self._made(facts, began)
            self._batch.sessions[session.id] = SessionBatch(
                candidate=candidate, continues=facts.continues
            )

    def _observe(
        self,
        message: ForeignMessage,
        blocks: tuple[ContentBlock, ...],
        at: int,
        recalled: Collection[str],
    ) -> None:
        """Note the tools that a message used; those that were copied belong elsewhere."""
        if len(blocks) == 1 and type(blocks[0]) is TextBlock:
            return
        calls, source = self._book.uses(message, blocks, at, recalled), self._form.name
        uses = [each for each in calls if not self._is_erased(use_name(source, each.tool_use_id))]
        if uses and message.id not in self._origins:
            session = message.within or message.session
            self._gather(session, at)
            self._batch.use(session.id, uses)

    def _earlier(self, text: str) -> Iterator[ForeignMessage]:
        """Yield the messages that were read before and hold a text in a line."""
        start, mark = self._began, text.encode()
        for body in self._source.bodies_before(start) if start else ():
            if mark not in body:
                continue
            with suppress(ValueError):
                record = decode_line(body).value
                if isinstance(record, Mapping):
                    item = self._known_as(self._form.parse(record, self._session))
                    if isinstance(item, ForeignMessage) and not self._is_withheld(item):
                        yield item

    def _is_withheld(self, message: ForeignMessage) -> bool:
        """Whether capture was off where and when a message was said."""
        project = message.session.project or self._session.project
        if project not in self.verdicts:
            self.verdicts[project] = self._context.controls.verdict(project)
        self._folder = project
        at = message.at if message.at is not None else self._time
        return self.verdicts[project].reason(at) is not None

    def _draft(self, message: ForeignMessage, line: Line) -> Draft:
        identity = message.id or self._occurrences.identity(line.body or b"")
        if message.at is None:
            self._tally.counts["undated"] += 1
        arguments: dict[str, Any] = {
            "name": None if message.name is None else message.name[:MAX_LABEL_CHARS],
            "at": message.at if message.at is not None else self._time,
            "metadata": self._extras.metadata(message),
            "event_id": event_id_of(
                self._form.name, self._origins.get(identity, message.session.id), identity
            ),
            "foreign_id": message.id,
            "is_checked": not self._origins,
            "is_clean": self._is_clean,
            "sender": message.sender,
        }
        content = message.content if message.content is not None else ""
        return self._redacted(message, lambda it: it.message(message.role, content, **arguments))

    def _redacted(self, message: ForeignMessage, make: Callable[[DraftMaker], T]) -> T:
        """Return the result of ``make`` for a message, without the secrets of its session."""
        context, foreign_id = self._context, message.session.id
        name = self._names.get(foreign_id)
        if is_new := name is None:
            tenant, source = context.scope.tenant, self._form.name
            name = self._names[foreign_id] = context.database.read(
                lambda tx: session_name(tx, tenant, source, foreign_id)
            )
        return context.drafts.session(name, make, is_current=is_new)

    def _made(self, foreign: ForeignSession, began: int) -> Session:
        """Return a new session; ``began`` is the time of its first message, ms UTC."""
        session = Session(
            id=self._context.ids.new(),
            tenant=self._context.scope.tenant,
            status="active",
            created_at=foreign.at if foreign.at is not None else began,
            updated_at=min(began, self._context.clock.now_ms()),
            title=self._label(foreign.title),
            agent=foreign.agent,
            project=self._label(foreign.project),
            source=self._form.name,
            foreign_id=foreign.id,
            metadata=self._context.drafts.facts(foreign.metadata),
        )
        if foreign.project is not None and session.project is not None:
            self._context.controls.projects.note(foreign.project, session.project)
        key = _key(foreign.key)
        own = owned_session(session, key, self._context.scope)
        tells_nothing = key is None or key.plain_name is not None
        return of_unknown_origin(own) if tells_nothing and not self._form.is_owners else own

    def _label(self, text: str | None) -> str | None:
        """Return a foreign title or project as it can be stored; a long one is cut."""
        return None if text is None else self._context.drafts.label(text[:500], "title")

    def _share(self, message: ForeignMessage) -> None:
        """Note the fields that all lines of a session share: as stored, or from its first line."""
        tenant, source, foreign_id = self._context.scope.tenant, self._form.name, message.session.id
        if foreign_id in self.stored:
            row = self.stored[foreign_id]
        else:
            row = self._context.database.read(
                lambda tx: find_foreign(tx, tenant, source, foreign_id)
            )
        if row is not None and self._is_told(row):
            self._extras.share(foreign_id, foreign_of(row.metadata))
            return
        self._extras.share(foreign_id, message.shared)
        metadata = message.session.metadata | {FOREIGN: message.shared}
        self._learn(msgspec.structs.replace(message.session, metadata=metadata))

    def _is_told(self, session: Session) -> bool:
        """Whether lines of its transcript are stored, after which a session stays as it is."""
        if FOREIGN in session.metadata:
            return True
        return self._context.database.read(lambda tx: tx.row(_IS_TOLD, (session.id,))) is not None

    def _learn(self, session: ForeignSession) -> None:
        """Note the facts of a line about a session, whether it is still to be made or is there."""
        if session.title is not None and self._context.erased.numbers:
            source, label = self._form.name, self._label(session.title) or ""
            names = (line_name(source, session.titled_line, None), title_name(source, label))
            if (self._lost and not self._kept) or any(map(self._is_erased, names)):
                session = msgspec.structs.replace(session, title=None, title_is_final=False)
        self._facts[session.id] = _merged(self._facts.get(session.id), session)
        if session.title is not None:
            title = self._label(session.title) or ""
            self._batch.entitle(session.id, title, final=session.title_is_final)

    def _malformed(self, line: Line, reason: str) -> None:
        self._tally.reject(self._entry.path, line.number, reason)
        self._entry = msgspec.structs.replace(self._entry, malformed=self._entry.malformed + 1)

    def _store(self, at_end: AtEnd | None = None) -> None:
        """Store the batch; while the file is not done, its entry looks like a changed file's."""
        batch, tenant, before = self._batch, self._context.scope.tenant, self.written
        digest = self._source.digest(self._entry.read_bytes)
        self._entry = entry = msgspec.structs.replace(
            self._entry, digest=digest, messages=self._entry.messages + batch.count
        )
        now, observing = self._context.clock.now_ms(), self._context.observing
        batch.prepare(observing)

        def write(tx: Transaction) -> tuple[Counter[str], LedgerEntry]:
            self._context.erased.require_current(tx)
            counts, waits_for = batch.store(tx, tenant, self._form.name, self._place, observing)
            waits_for = before.waits_for or waits_for
            # The file will be read again from the first message that was left out.
            ledger_entry = entry if waits_for is None else before
            facts = {"size": entry.size, "mtime_ns": entry.mtime_ns, "waits_for": waits_for}
            ledger_entry = msgspec.structs.replace(ledger_entry, **facts)
            origin = None if counts["messages"] else (self._form.name, self._session.id)
            write_entry(tx, tenant, ledger_entry, now, origin)
            if at_end is not None:
                at_end(tx, counts)
            return counts, ledger_entry

        added_counts, self.written = self._context.database.write(write)
        self._tally.counts += added_counts
        if added_counts["erased"]:  # its lines are known now
            self._context.database.read(self._context.erased.refresh)
        self._context.arrived.notify()
        self._batch = ImportBatch()
        self.stored.clear()
        self.saved = self._tally.copy()


def _merged(session: ForeignSession | None, line: ForeignSession) -> ForeignSession:
    """Return the known facts of a session with those of a line added; earlier facts win.

    Only a title that a person chose replaces another.
    """
    if session is None:
        return line
    retitled = line.title is not None and (session.title is None or line.title_is_final)
    first: dict[str, Any] = {
        name: getattr(session, name) if getattr(session, name) is not None else getattr(line, name)
        for name in ("key", "agent", "project", "at")
    }
    return ForeignSession(
        id=session.id,
        **first,
        title=line.title if retitled else session.title,
        title_is_final=session.title_is_final or (retitled and line.title_is_final),
        metadata=line.metadata | session.metadata,
        continues=session.continues,
    )


def known_as(context: ImportContext, source: str, session_id: str) -> tuple[bool, Session | None]:
    """Return whether a file mirrors a session of this very home, and the session stored for it."""
    tenant = context.scope.tenant

    def look_up(tx: Transaction) -> tuple[bool, Session | None]:
        context.erased.refresh(tx)
        mirrored = find_session(tx, Scope(tenant=tenant), session_id) is not None
        return mirrored, find_foreign(tx, tenant, source, session_id)

    return context.database.read(look_up)


def _key(text: str | None) -> SessionKey | None:
    """Return a foreign key, or None where it cannot be one: the messages matter more."""
    try:
        return None if text is None else parse_key(text)
    except InvalidInput:
        return None
