"""The import of foreign transcripts: idempotent, resumable, and never stopped by a bad line.

`TranscriptImporter.run` finds the files, asks the formats what their lines say, and stores batches.
Formats are given to it; it knows none.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import BinaryIO

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Denied, ForeignStoreError, InvalidInput, RecollectError
from recollect.core.events import ImportFinished
from recollect.core.scope import Scope
from recollect.exchange.batch import place_of, storable
from recollect.exchange.copied_lines import continued
from recollect.exchange.foreign_endings import end_all, end_transcript
from recollect.exchange.ledger import (
    LedgerEntry,
    ledger_name,
    read_ledger,
    write_entry,
)
from recollect.exchange.reader import (
    COMPRESSED,
    SUFFIX,
    Companions,
    FileLines,
    LineSource,
    choose_format,
    find_transcripts,
    is_binary,
    is_store,
    kind_of,
    probe,
    session_id_of,
    unpack_file,
)
from recollect.exchange.report import ImportProgress, ImportReport, OnFiles, Tally
from recollect.exchange.tool_uses import RecordNothing, UseRecorder
from recollect.exchange.transcript import (
    AUTO,
    ForeignSession,
    Record,
    TranscriptFormat,
)
from recollect.exchange.transcript_import import (
    AtEnd,
    ImportContext,
    OpenTranscript,
    TranscriptImport,
    known_as,
)
from recollect.exchange.transcript_store import (
    ForeignEnding,
    StoredTranscript,
    TranscriptStore,
)
from recollect.exchange.withheld import CaptureAll, CaptureRule, project_of
from recollect.sessions.record.access import (
    MirrorSignal,
    PlainProjects,
    ProjectNames,
    SilentMirror,
)
from recollect.sessions.record.draft import DraftMaker, TextRedactor
from recollect.sessions.record.recalled import IsRecall, never
from recollect.sessions.record.tombstone import ErasedMeanwhile
from recollect.store.engine import Database, Transaction
from recollect.store.journal import record_event
from recollect.store.paths import FoundFile, Listing, open_beneath


class TranscriptImporter:
    """Imports transcripts of other programs.

    Args:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives rows their ids.
        redactor: Takes secrets out before anything is stored; None stores texts as they come.
        formats: Tried in this order on files of unknown kind.
        mirror: Is notified after each commit that added messages.
        scope: The owner of the imported sessions.
        stores: Functions that open stores of transcripts, by the name of their format.
        projects: Knows which paths are one project.
        rule: Decides what is not to be captured.
        ledger: The name of a separate ledger, which leaves out what others own.
        is_recall: As for `DraftMaker`.
        recorder: Records what the tools did; nothing is recorded without one.
    """

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        ids: IdSource,
        redactor: TextRedactor | None,
        formats: Sequence[TranscriptFormat],
        stores: Mapping[str, TranscriptStore] = MappingProxyType({}),
        mirror: MirrorSignal | None = None,
        scope: Scope | None = None,
        projects: ProjectNames | None = None,
        rule: CaptureRule | None = None,
        ledger: str = "",
        is_recall: IsRecall = never,
        recorder: UseRecorder | None = None,
    ) -> None:
        scope = scope if scope is not None else Scope()
        self._context = ImportContext(
            database=database,
            clock=clock,
            ids=ids,
            drafts=DraftMaker(clock, ids, redactor, is_recall),
            scope=scope,
            mirror=mirror if mirror is not None else SilentMirror(),
            projects=projects if projects is not None else PlainProjects(),
            rule=rule if rule is not None else CaptureAll(),
            recorder=recorder if recorder is not None else RecordNothing(),
            ledger=ledger_name(ledger, scope),
            tally=Tally(),
            stopping=lambda: False,
        )
        self._formats = formats
        self._stores = stores

    def run(
        self,
        path: Path | str,
        format_name: str = AUTO,
        progress: OnFiles | None = None,
        stopping: Callable[[], bool] = lambda: False,
        *,
        include_deleted: bool = False,
    ) -> ImportReport:
        """Import a transcript, or all below a folder; return what was new and what was wrong.

        The same file again adds nothing, a file that grew adds what is new. It may be interrupted
        at any time: what is stored stays, and the next run goes on from there.

        Args:
            path: A file, or a folder whose ``.jsonl`` files and stores are taken; links are not
                followed.
            format_name: The name of a format, or ``auto`` to detect it for each file.
            progress: Called after each batch and each file.
            stopping: Called as often; after True the rest is left for the next run.
            include_deleted: Take sessions too that were deleted in the other program.

        Raises:
            NotFound: the file or folder does not exist.
            InvalidInput: the format is unknown.
            StoreError: the database or the disk refused.
        """
        formats = self._chosen(format_name)
        root, found = find_transcripts(path)
        tally, all_ = Tally(shown=self._context.drafts.path), include_deleted
        context = msgspec.structs.replace(self._context, tally=tally, stopping=stopping)
        order = _Order(formats=formats, name=format_name, stores=self._stores, include_deleted=all_)
        return _Run(context, root, found, order).run(progress)

    def shown(self, path: Path | str) -> str:
        """Return a path as it may be shown."""
        return self._context.drafts.path(str(path))

    def unreadable(self, path: Path) -> list[str]:
        """Return a sentence for each store below a folder that cannot be read; reads no transcript.

        Raises:
            NotFound: the file or folder does not exist.
        """
        root, found = find_transcripts(path)
        failures = []
        for each in found.files:
            for opener in self._stores.values() if is_store(each.path) else ():
                try:
                    with opener(root / each.path):
                        pass
                except ForeignStoreError as error:
                    failures.append(f"{self.shown(root / each.path)}: {_refused(error)}")
        return failures

    def is_behind(self, path: Path, format_name: str = AUTO) -> bool:
        """Return whether `run` would read a file; for most, size and time decide.

        Raises:
            NotFound: the file or folder does not exist.
            InvalidInput: the format is unknown.
            StoreError: the database or the disk refused.
        """
        formats = self._chosen(format_name)
        root, found = find_transcripts(path)
        order = _Order(formats=formats, name=format_name, stores=self._stores)
        return _Run(self._context, root, found, order).is_behind()

    def _chosen(self, name: str) -> Sequence[TranscriptFormat]:
        if name == AUTO:
            return self._formats
        chosen = [each for each in self._formats if each.name == name]
        if not chosen:
            names = ", ".join([AUTO, *(each.name for each in self._formats)])
            raise InvalidInput("unknown format of transcripts", hint=f"Use one of {names}.")
        return chosen


class _Order(msgspec.Struct, frozen=True, kw_only=True):
    """The order for one run."""

    formats: Sequence[TranscriptFormat]
    name: str
    stores: Mapping[str, TranscriptStore]
    include_deleted: bool = False


class _Run:
    """One run over the files that were found."""

    def __init__(self, context: ImportContext, root: Path, found: Listing, order: _Order) -> None:
        self._context = context
        self._root = root
        self._found = found
        self._order = order
        self._progress: OnFiles | None = None
        self._companions = Companions(root)
        self._ledger = context.database.read(lambda tx: read_ledger(tx, context.scope.tenant))
        self._bytes = sum(each.size for each in found.files)
        self._bytes_done = 0
        self._files_done = 0
        self._is_announced = False
        self._tally = context.tally

    def run(self, progress: OnFiles | None) -> ImportReport:
        """Import every file; return what was new and what was wrong."""
        self._progress = progress
        # Oldest first: a transcript that goes on from another one comes after it.
        for each in sorted(self._found.files, key=lambda file: (file.mtime_ns, file.path)):
            if self._context.stopping():
                break
            self._file(each)
        for skipped in self._found.skipped:
            self._tally.reject(skipped.path, 0, f"not read: {skipped.reason}")
        counts = self._tally.counts
        if counts["withheld"] + counts["calls"]:
            self._context.rule.count({name: counts[name] for name in ("withheld", "calls")})
        is_news = counts["messages"] or not self._context.ledger
        if is_news and not self._is_announced and counts["unchanged"] < counts["files"]:
            self._context.database.write(lambda tx: self._announce(tx, Counter()))
        return ImportReport(**counts, malformed=tuple(self._tally.malformed))

    def is_behind(self) -> bool:
        """Return whether a file that a format knows is new or has changed."""
        return any(
            self._is_store_behind(self._root / file.path)
            if is_store(file.path)
            else (file.path.endswith(SUFFIX) or kind_of(file.path) == "transcript")
            and not self._is_known(file)
            and self._is_wanted(file.path)
            for file in self._found.files
        )

    def _is_store_behind(self, path: Path) -> bool:
        form = self._store_form()
        if form is None:
            return False
        try:
            opener, storable_id = self._order.stores[form.name], self._context.drafts.identifier
            with opener(path, storable_id) as store:
                found = store.transcripts(include_deleted=False)
                return any(self._is_stored_behind(form, each) for each in found)
        except ForeignStoreError:
            return False  # the run that reads it reports it

    def _is_stored_behind(self, form: TranscriptFormat, transcript: StoredTranscript) -> bool:
        if not transcript.size or self._is_current(form, transcript.path, transcript):
            return False
        head = probe(transcript.lines())
        return not self._is_refused(self._session_of(form, transcript, head), head)

    def _store_form(self) -> TranscriptFormat | None:
        """Return the format of the transcripts in stores, if it is wanted."""
        return next((form for form in self._order.formats if form.name in self._order.stores), None)

    def _is_known(self, file: FoundFile) -> bool:
        path = str(self._root / file.path)
        return any(self._is_current(form, path, file) for form in self._order.formats)

    def _is_wanted(self, relative: str) -> bool:
        try:
            with (
                open_beneath(self._root, relative) as descriptor,
                open(descriptor, "rb", closefd=False) as file,
            ):
                content = unpack_file(file) if relative.endswith(COMPRESSED) else file
                head = probe(FileLines(relative, content, 0).lines())
                form = None if is_binary(content) else choose_format(head, self._order.formats)
                if form is None:
                    return False
                session = form.describe(PurePath(self._root / relative), next(iter(head), None))
                is_ours = known_as(self._context, form.name, session.id)[0]
                return not is_ours and not self._is_refused(session, head)
        except (RecollectError, OSError, ValueError):
            return False

    def _announce(self, tx: Transaction, added: Counter[str]) -> None:
        """Write the event of the import, whose last batch is not counted yet."""
        counts = self._tally.counts + added
        event = ImportFinished(
            scope=self._context.scope,
            at=self._context.clock.now_ms(),
            source=self._order.name,
            sessions=counts["sessions"],
            messages=counts["messages"],
            malformed=counts["malformed_count"],
        )
        # Following imports run again and again: one that brought nothing has no event.
        if event.messages or not self._context.ledger:
            record_event(tx, event)

    def _file(self, file: FoundFile) -> None:
        """Import one file; errors in it are counted, not raised."""
        path = str(self._root / file.path)
        kind = "transcript" if path.endswith(SUFFIX) else kind_of(file.path)
        if kind != "transcript" and is_store(path):
            self._store(path)
        elif kind == "deleted" and not self._order.include_deleted:
            self._forget_file(file, path)
        else:
            self._tally.counts["files"] += 1
            if self._is_known(file):
                self._tally.counts["unchanged"] += 1
            else:
                self._find(file.path, path)
        self._files_done += 1
        self._bytes_done += file.size
        self._tell(path, 0)

    def _is_current(self, form: TranscriptFormat, path: str, found: FoundFile | LineSource) -> bool:
        """Return whether a transcript is unchanged, without opening it: most of thousands are."""
        entry = self._ledger.get(self._name(form, path))
        if entry is None:
            return False
        size = entry.size if path.endswith(COMPRESSED) else found.size  # that is unpacked
        return entry.is_of(size, found.mtime_ns)

    def _name(self, form: TranscriptFormat, path: str) -> tuple[str, str]:
        """Return the key of a transcript in the ledger: its format, and its path as stored."""
        name = (form.name + self._context.ledger, self._context.drafts.path(path))
        return self._ledger.key(*name) if self._ledger.salts else name

    def _find(self, relative: str, path: str) -> None:
        with ExitStack() as opened:
            try:
                descriptor = opened.enter_context(open_beneath(self._root, relative))
            except RecollectError as error:
                self._tally.reject(path, 0, f"not read: {error.code}")
                return
            try:
                with open(descriptor, "rb", closefd=False) as file:
                    content = unpack_file(file) if relative.endswith(COMPRESSED) else file
                    self._read(content, relative, os.fstat(descriptor).st_mtime_ns)
            except OSError:
                self._tally.reject(path, 0, "not read: the disk refused")
            except ValueError as error:
                self._tally.reject(path, 0, f"not read: {error}")

    def _read(self, file: BinaryIO, relative: str, mtime_ns: int) -> None:
        path = str(self._root / relative)
        source = FileLines(path, file, mtime_ns)
        if is_binary(file):
            self._tally.reject(path, 1, "a binary file")
            return
        head = probe(source.lines())
        form = choose_format(head, self._order.formats)
        if form is None:
            if source.size:
                self._tally.reject(path, 1, "no known kind of transcript")
            return
        companion = self._companions.of(relative, form.companion)
        described = form.describe(PurePath(path), next(iter(head), None), companion)
        session = storable(described, self._context.drafts)
        is_last = self._files_done + 1 == len(self._found.files) and not self._found.skipped
        self._transcript(form, session, source, head, at_end=self._announce if is_last else None)

    def _transcript(
        self,
        form: TranscriptFormat,
        session: ForeignSession,
        source: LineSource,
        head: Sequence[Record],
        at_end: AtEnd | None = None,
    ) -> None:
        """Import one transcript from where the last import stopped."""
        name = self._name(form, source.path)
        entry = self._ledger.get(name)
        if entry is None or not entry.fits(source):
            entry = LedgerEntry(source=name[0], path=name[1])
        is_ours, stored = known_as(self._context, form.name, session.id)
        project = project_of(session, head)
        verdict = self._context.rule.verdict(project)
        if is_ours or verdict.reason() is not None:
            self._tally.counts["unchanged" if is_ours else "excluded"] += 1
            return
        place = place_of(form, source.path)
        opened = OpenTranscript(
            form=form, session=session, source=source, head=head, place=place, entry=entry
        )
        reading = TranscriptImport(self._context, continued(self._context, opened))
        reading.stored[session.id], reading.verdicts[project] = stored, verdict
        try:
            is_done = reading.run(lambda done: self._tell(source.path, done), at_end)
            self._is_announced = is_done and at_end is not None
        except ErasedMeanwhile:
            self._tally.put_back(reading.saved)
            self._ledger[name] = reading.written
            self._transcript(form, session, source, head, at_end)
        except Denied:
            if not self._context.ledger:
                raise
            tenant, now = self._context.scope.tenant, self._context.clock.now_ms()
            left, origin = entry.left(source), (form.name, session.id)
            self._context.database.write(lambda tx: write_entry(tx, tenant, left, now, origin))
            self._tally.counts["skipped"] += 1

    def _is_refused(self, session: ForeignSession, head: Sequence[Record]) -> bool:
        """Return whether the project of a transcript is not captured; it stays unread."""
        return self._context.rule.verdict(project_of(session, head)).reason() is not None

    def _store(self, path: str) -> None:
        """Import the new parts of a store of transcripts; one that cannot be read is reported."""
        form = self._store_form()
        if form is None:
            return
        before = self._tally.counts["files"]
        try:
            opener, storable_id = self._order.stores[form.name], self._context.drafts.identifier
            with opener(Path(path), storable_id) as store:
                found = store.transcripts(include_deleted=self._order.include_deleted)
                for transcript in found:
                    if self._context.stopping():
                        return
                    self._tally.counts["files"] += 1
                    self._stored(form, transcript)
                if self._context.ledger:
                    end_all(self._context, self._ledger, form, path, store.endings())
        except ForeignStoreError as error:
            self._tally.counts["files"] = max(before + 1, self._tally.counts["files"])
            self._tally.reject(path, 0, _refused(error))

    def _stored(self, form: TranscriptFormat, transcript: StoredTranscript) -> None:
        """Import a transcript of a store."""
        if self._is_current(form, transcript.path, transcript):
            self._tally.counts["unchanged"] += 1
            return
        if not transcript.size:
            self._tally.reject(transcript.path, 0, "not read: the archive is missing or damaged")
            return
        head = probe(transcript.lines())
        self._transcript(form, self._session_of(form, transcript, head), transcript, head)

    def _session_of(
        self, form: TranscriptFormat, transcript: StoredTranscript, head: Sequence[Record]
    ) -> ForeignSession:
        session = form.describe(transcript.place, next(iter(head), None), transcript.companion)
        facts = {"title": session.title or transcript.title, "continues": transcript.continues}
        return storable(msgspec.structs.replace(session, **facts), self._context.drafts)

    def _forget_file(self, file: FoundFile, path: str) -> None:
        """Mark our copy deleted if its followed transcript was, unless another one is there."""
        session = session_id_of(PurePath(file.path))
        living = f"{file.path.rpartition('/')[0]}/{session}{SUFFIX}".removeprefix("/")
        if self._context.ledger and all(found.path != living for found in self._found.files):
            for form in self._order.formats:
                if form.companion:
                    gone = ForeignEnding(session=session, at=file.mtime_ns)
                    end_transcript(self._context, self._ledger, form, path, gone)

    def _tell(self, path: str, done: int) -> None:
        if self._progress is not None:
            self._progress(
                ImportProgress(
                    files=len(self._found.files),
                    files_done=self._files_done,
                    bytes=self._bytes,
                    bytes_done=self._bytes_done + done,
                    messages=self._tally.counts["messages"],
                    path=self._context.drafts.path(path),
                )
            )


def _refused(error: ForeignStoreError) -> str:
    return f"not read: {error.message}"
