"""The import of foreign transcripts: idempotent, resumable, and never stopped by a bad line.

`TranscriptImporter.run` finds the files, asks the formats what their lines say, and stores batches.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from pathlib import Path, PurePath

import msgspec

from recollect.core.errors import Denied, ForeignStoreError, InvalidInput, RecollectError
from recollect.core.events import ImportFinished
from recollect.exchange.copied_lines import continued
from recollect.exchange.formats.openclaw_store import (
    ForeignEnding,
    OpenClawStore,
    StoredTranscript,
    open_store,
)
from recollect.exchange.gate import Destination
from recollect.exchange.ledger import LedgerEntry, ledger_name, read_ledger, write_entry
from recollect.exchange.observed import Observing
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
from recollect.exchange.rows.batch import location_of, storable
from recollect.exchange.transcript import AUTO, ForeignSession, Record, TranscriptFormat
from recollect.exchange.transcript_import import (
    AtEnd,
    FoundTranscript,
    ImportContext,
    TranscriptImport,
    known_as,
)
from recollect.sessions.lifecycle import set_status
from recollect.sessions.record.session import DELETED, session_at
from recollect.sessions.record.tombstone import ErasedMeanwhile
from recollect.store.engine import Transaction
from recollect.store.journal import record_event
from recollect.store.paths import FoundFile, open_beneath

_WITH_STORES = "openclaw"
"""The format whose transcripts are also kept in stores."""
_ARCHIVED = ":archived"
_PROJECT = ("cwd", "project")
"""Fields of a line with the folder where it was said, in any format."""


class TranscriptImporter:
    """Imports transcripts of other programs.

    Args:
        destination: Where they are stored.
        formats: Tried in this order on files of unknown kind.
        ledger: The name of a separate ledger, which leaves out what others own.
    """

    def __init__(
        self, destination: Destination, formats: Sequence[TranscriptFormat], ledger: str = ""
    ) -> None:
        self._context = ImportContext(
            **msgspec.structs.asdict(destination),
            observing=Observing(destination.observed),
            ledger=ledger_name(ledger, destination.scope),
            tally=Tally(shown=destination.drafts.path),
            stopping=lambda: False,
        )
        self._formats = formats

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
        run = self._begun(path, format_name, stopping)
        run.progress, run.include_deleted = progress, include_deleted
        return run.run()

    def shown(self, path: Path | str) -> str:
        """Return a path as it may be shown."""
        return self._context.drafts.path(str(path))

    def unreadable(self, path: Path) -> list[str]:
        """Return a sentence for each store below a folder that cannot be read; reads no transcript.

        Raises:
            NotFound: the file or folder does not exist.
        """
        root, transcripts = find_transcripts(path)
        failures = []
        for each in transcripts.files:
            try:
                with open_store(root / each.path) if is_store(each.path) else nullcontext():
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
        return self._begun(path, format_name, self._context.stopping).is_behind()

    def _begun(self, path: Path | str, name: str, stopping: Callable[[], bool]) -> _Run:
        formats = [each for each in self._formats if name in {AUTO, each.name}]
        if not formats:
            names = ", ".join([AUTO, *(each.name for each in self._formats)])
            raise InvalidInput("unknown transcript format", hint=f"use one of {names}")
        tally = Tally(shown=self._context.drafts.path)
        context = msgspec.structs.replace(self._context, tally=tally, stopping=stopping)
        return _Run(context, path, name, formats)


class _Run:
    """One run over the files that are found."""

    def __init__(
        self,
        context: ImportContext,
        path: Path | str,
        name: str,
        formats: Sequence[TranscriptFormat],
    ) -> None:
        self._context, self._name, self._formats = context, name, formats
        self._store_form = next((each for each in formats if each.name == _WITH_STORES), None)
        self._root, self._found = find_transcripts(path)
        self._stores = {
            each.path
            for each in self._found.files
            if not each.path.endswith(SUFFIX) and is_store(each.path)
        }
        self.progress: OnFiles | None = None
        self.include_deleted = False
        self._companions = Companions(self._root)
        self._ledger = context.database.read(lambda tx: read_ledger(tx, context.scope.tenant))
        self._bytes_done = self._files_done = 0
        self._is_announced = False
        self._last = ("", "")
        """The last path, and how it is stored."""
        self._tally = context.tally

    def run(self) -> ImportReport:
        """Import every file; return what was new and what was wrong."""
        # Oldest first: a transcript that goes on from another one comes after it.
        for each in sorted(self._found.files, key=lambda file: (file.mtime_ns, file.path)):
            if self._context.stopping():
                break
            self._file(each)
        for skipped in self._found.skipped:
            self._tally.reject(skipped.path, 0, f"not read: {skipped.reason}")
        counts = self._tally.counts
        if counts["withheld"] + counts["calls"]:
            self._context.controls.count({name: counts[name] for name in ("withheld", "calls")})
        is_news = counts["messages"] or not self._context.ledger
        if is_news and not self._is_announced and counts["unchanged"] < counts["files"]:
            self._context.database.write(lambda tx: self._announce(tx, Counter()))
        return ImportReport(**counts, malformed=tuple(self._tally.malformed))

    def is_behind(self) -> bool:
        """Return whether a file that a format knows is new or has changed."""
        for file in self._found.files:
            # The run that reads what cannot be read reports it.
            with suppress(RecollectError, OSError, ValueError), self._store(file) as store:
                if any(map(self._is_wanted, self._changed(file, store))):
                    return True
        return False

    def _is_wanted(self, transcript: FoundTranscript) -> bool:
        verdict = self._context.controls.verdict(_project_of(transcript.session, transcript.head))
        is_ours = known_as(self._context, transcript.form.name, transcript.session.id)[0]
        return not is_ours and verdict.reason() is None

    def _announce(self, tx: Transaction, added_counts: Counter[str]) -> None:
        """Write the event of the import, whose last batch is not counted yet."""
        counts = self._tally.counts + added_counts
        event = ImportFinished(
            scope=self._context.scope,
            at=self._context.clock.now_ms(),
            source=self._name,
            sessions=counts["sessions"],
            messages=counts["messages"],
            malformed=counts["malformed_count"],
        )
        # Following imports run again and again: one that brought nothing has no event.
        if event.messages or not self._context.ledger:
            record_event(tx, event)

    def _file(self, file: FoundFile) -> None:
        """Import one file; errors in it are counted, not raised."""
        path, before = str(self._root / file.path), self._tally.counts["files"]
        is_last = self._files_done + 1 == len(self._found.files) and not self._found.skipped
        try:
            with self._store(file) as store:
                at_end = self._announce if is_last and store is None else None
                for each in self._changed(file, store):
                    self._transcript(each, at_end)
                if store is not None and self._context.ledger:
                    self._end_all(path, store)
        except ForeignStoreError as error:
            self._tally.counts["files"] = max(before + 1, self._tally.counts["files"])
            self._tally.reject(path, 0, _refused(error))
        except OSError:
            self._tally.reject(path, 0, "not read: the disk refused")
        except ValueError as error:
            self._tally.reject(path, 0, f"not read: {error}")
        if self._is_left(file):
            self._forget_file(file, path)
        self._files_done += 1
        self._bytes_done += file.size
        self._tell(path, 0)

    def _end_all(self, path: str, store: OpenClawStore) -> None:
        """Apply the endings in a followed store; sessions no longer archived there go on."""
        form, endings = self._store_form, store.endings()
        if form is None or self._context.stopping():
            return
        for each in endings:
            self._end(form, f"{path}#{each.session}", each)
        archived = {each.session for each in endings if each.status == "archived"}
        label = (form.name + self._context.ledger, self._context.drafts.path(path))
        for (source, name), entry in self._ledger.items():
            path_part, _, session = name.removesuffix(_ARCHIVED).partition("#")
            is_archive = (source, path_part) == label and name.endswith(_ARCHIVED)
            if is_archive and entry.mtime_ns and session not in archived:
                goes_on = ForeignEnding(session=session, at=0)
                self._write_ending(form, path, entry, goes_on, "active")

    def _end(self, form: TranscriptFormat, path: str, ending: ForeignEnding) -> None:
        """Give our copy of a session the status that it has there, once: it may change here."""
        label = self._context.drafts.path(path)
        source = form.name + self._context.ledger
        entry = LedgerEntry(path=f"{label}:{ending.status}", source=source)
        known_entry = self._ledger.get(self._ledger.key(entry.source, entry.path))
        if known_entry is not None and known_entry.is_of(0, ending.at):
            return
        archive = label.replace(f"#{ending.session}", f"#{ending.session}.deleted")
        is_wanted = ending.status == DELETED and any(  # by a person, who imported the archive
            name == form.name and file.startswith(archive) for name, file in self._ledger
        )
        self._write_ending(form, path, entry, ending, None if is_wanted else ending.status)

    def _write_ending(
        self,
        form: TranscriptFormat,
        path: str,
        entry: LedgerEntry,
        ending: ForeignEnding,
        status: str | None,
    ) -> None:
        tenant, now = self._context.scope.tenant, self._context.clock.now_ms()
        written_entry = msgspec.structs.replace(entry, mtime_ns=ending.at)

        def write(tx: Transaction) -> None:
            session = session_at(tx, tenant, form.name, ending.session, location_of(form, path))[1]
            if session is not None and status is not None:
                is_gone = session.status == DELETED and status != DELETED
                set_status(tx, session, session.status if is_gone else status, now)
            write_entry(tx, tenant, written_entry, now, (form.name, ending.session))

        self._context.database.write(write)
        self._context.arrived.notify()

    def _is_left(self, file: FoundFile) -> bool:
        """Return whether a transcript was deleted in the other program, and stays unread."""
        is_deleted = not file.path.endswith(SUFFIX) and kind_of(file.path) == "deleted"
        return is_deleted and not self.include_deleted

    def _store(self, file: FoundFile) -> AbstractContextManager[OpenClawStore | None]:
        """Return the store in a file, to be opened; None where it is none, or is not wanted."""
        if self._store_form is None or file.path not in self._stores:
            return nullcontext()
        return open_store(self._root / file.path, self._context.drafts.identifier)

    def _changed(self, file: FoundFile, store: OpenClawStore | None) -> Iterator[FoundTranscript]:
        """Yield the transcripts of a file that are new or changed; each is read before the next."""
        if store is not None and self._store_form is not None:
            for transcript in store.transcripts(include_deleted=self.include_deleted):
                if self._context.stopping():
                    return
                yield from self._of_store(self._store_form, transcript)
        elif file.path not in self._stores and not self._is_left(file):
            yield from self._of_file(file, str(self._root / file.path))

    def _of_store(
        self, form: TranscriptFormat, transcript: StoredTranscript
    ) -> Iterator[FoundTranscript]:
        self._tally.counts["files"] += 1
        if self._is_current(form, transcript.path, transcript):
            self._tally.counts["unchanged"] += 1
            return
        if not transcript.size:
            self._tally.reject(transcript.path, 0, "not read: the archive is missing or damaged")
            return
        head = probe(transcript.lines())
        session = form.describe(transcript.place, next(iter(head), None), transcript.companion)
        facts = {"title": session.title or transcript.title, "continues": transcript.continues}
        session = storable(msgspec.structs.replace(session, **facts), self._context.drafts)
        yield FoundTranscript(form=form, session=session, source=transcript, head=head)

    def _of_file(self, file: FoundFile, path: str) -> Iterator[FoundTranscript]:
        self._tally.counts["files"] += 1
        if any(self._is_current(form, path, file) for form in self._formats):
            self._tally.counts["unchanged"] += 1
            return
        with ExitStack() as stack:
            try:
                descriptor = stack.enter_context(open_beneath(self._root, file.path))
            except RecollectError as error:
                self._tally.reject(path, 0, f"not read: {error.code}")
                return
            stream = stack.enter_context(open(descriptor, "rb", closefd=False))
            content = unpack_file(stream) if path.endswith(COMPRESSED) else stream
            source = FileLines(path, content, os.fstat(descriptor).st_mtime_ns)
            if is_binary(content):
                self._tally.reject(path, 1, "a binary file")
                return
            head = probe(source.lines())
            form = choose_format(head, self._formats)
            if form is not None:
                companion = self._companions.of(file.path, form.companion)
                session = form.describe(PurePath(path), next(iter(head), None), companion)
                session = storable(session, self._context.drafts)
                yield FoundTranscript(form=form, session=session, source=source, head=head)
            elif source.size:
                self._tally.reject(path, 1, "no known kind of transcript")

    def _transcript(self, transcript: FoundTranscript, at_end: AtEnd | None) -> None:
        """Import one transcript from where the last import stopped."""
        form, session, source = transcript.form, transcript.session, transcript.source
        name = self._key(form, source.path)
        entry = self._ledger.get(name)
        if entry is None or not entry.fits(source):
            entry = LedgerEntry(source=name[0], path=name[1])
        is_ours, session_row = known_as(self._context, form.name, session.id)
        project = _project_of(session, transcript.head)
        verdict = self._context.controls.verdict(project)
        if is_ours or verdict.reason() is not None:
            self._tally.counts["unchanged" if is_ours else "excluded"] += 1
            return
        location = location_of(form, source.path)
        whole = continued(self._context, transcript, location, entry)
        reading = TranscriptImport(self._context, whole, location, entry)
        reading.stored[session.id], reading.verdicts[project] = session_row, verdict
        try:
            is_done = reading.run(lambda current: self._tell(source.path, current), at_end)
            self._is_announced = is_done and at_end is not None
        except ErasedMeanwhile:
            self._tally.put_back(reading.saved)
            self._ledger[name] = reading.written
            self._transcript(transcript, at_end)
        except Denied:
            if not self._context.ledger:
                raise
            tenant, now = self._context.scope.tenant, self._context.clock.now_ms()
            remaining, origin = entry.left(source), (form.name, session.id)
            self._context.database.write(lambda tx: write_entry(tx, tenant, remaining, now, origin))
            self._tally.counts["skipped"] += 1

    def _is_current(
        self, form: TranscriptFormat, path: str, source: FoundFile | LineSource
    ) -> bool:
        """Return whether a transcript is unchanged, without opening it: most of thousands are."""
        entry = self._ledger.get(self._key(form, path))
        if entry is None:
            return False
        size = entry.size if path.endswith(COMPRESSED) else source.size  # that is unpacked
        return entry.is_of(size, source.mtime_ns)

    def _key(self, form: TranscriptFormat, path: str) -> tuple[str, str]:
        """Return the key of a transcript in the ledger: its format, and its path as stored."""
        if path != self._last[0]:  # every format asks for the same one
            self._last = (path, self._context.drafts.path(path))
        name = (form.name + self._context.ledger, self._last[1])
        return self._ledger.key(*name) if self._ledger.salts else name

    def _forget_file(self, file: FoundFile, path: str) -> None:
        """Mark our copy deleted if its followed transcript was, unless another one is there."""
        session = session_id_of(PurePath(file.path))
        living = f"{file.path.rpartition('/')[0]}/{session}{SUFFIX}".removeprefix("/")
        if self._context.ledger and all(each.path != living for each in self._found.files):
            for form in self._formats:
                if form.companion:
                    self._end(form, path, ForeignEnding(session=session, at=file.mtime_ns))

    def _tell(self, path: str, current: int) -> None:
        if self.progress is not None:
            self.progress(
                ImportProgress(
                    files=len(self._found.files),
                    files_done=self._files_done,
                    bytes=sum(each.size for each in self._found.files),
                    bytes_done=self._bytes_done + current,
                    messages=self._tally.counts["messages"],
                    path=self._context.drafts.path(path),
                )
            )


def _refused(error: ForeignStoreError) -> str:
    return f"not read: {error.message}"


def _project_of(session: ForeignSession, records: Iterable[Record]) -> str | None:
    """Return the folder that a transcript is about, by its session or the first of its lines."""
    names = (record[name] for record in records for name in _PROJECT if name in record)
    return session.project or next((each for each in names if isinstance(each, str) and each), None)
