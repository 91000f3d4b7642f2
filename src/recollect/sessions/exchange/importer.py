"""The import of foreign transcripts: idempotent, resumable, and never stopped by a bad line.

`TranscriptImporter.run` finds the files, asks the formats what their lines say, and stores batches.
Formats are given to it; it knows none.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import BinaryIO

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Denied, InvalidInput, RecollectError
from recollect.core.events import ImportFinished
from recollect.core.scope import Scope
from recollect.core.settings import user_path
from recollect.sessions.exchange.import_file import FileImport, ImportContext
from recollect.sessions.exchange.import_ledger import LedgerEntry, read_ledger, write_entry
from recollect.sessions.exchange.import_report import ImportProgress, ImportReport, Progress, Tally
from recollect.sessions.exchange.import_source import (
    Companions,
    choose_format,
    find_transcripts,
    is_binary,
    probe,
)
from recollect.sessions.exchange.transcript_format import AUTO, TranscriptFormat
from recollect.sessions.record.access import MirrorSignal, SilentMirror
from recollect.sessions.record.draft import DraftMaker, TextRedactor
from recollect.sessions.record.identity_links import NOBODY_LINKED, IdentityLinks
from recollect.sessions.record.session import Session, find_foreign, find_session
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
        scope: Who owns what is imported.
        links: Which accounts are one person.
        ledger: Keeps account of what was read apart from other importers of the same formats, and
            leaves out what belongs to another owner than the scope, instead of refusing it.
    """

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        ids: IdSource,
        redactor: TextRedactor | None,
        formats: Sequence[TranscriptFormat],
        mirror: MirrorSignal | None = None,
        scope: Scope | None = None,
        links: IdentityLinks = NOBODY_LINKED,
        ledger: str = "",
    ) -> None:
        scope = scope if scope is not None else Scope()
        self._context = ImportContext(
            database=database,
            clock=clock,
            ids=ids,
            drafts=DraftMaker(clock, ids, redactor),
            scope=scope,
            links=links,
            mirror=mirror if mirror is not None else SilentMirror(),
            ledger=_account(ledger, scope),
            tally=Tally(),
            stopping=lambda: False,
        )
        self._formats = formats

    def run(
        self,
        path: Path | str,
        format_name: str = AUTO,
        progress: Progress | None = None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> ImportReport:
        """Import a transcript, or all below a folder; return what was new and what was wrong.

        The same file again adds nothing, a file that grew adds what is new. It may be interrupted
        at any time: what is stored stays, and the next run goes on from there.

        Args:
            path: A file, or a folder whose ``.jsonl`` files are taken; links are not followed.
            format_name: The name of a format, or ``auto`` to let each file tell.
            progress: Called after each batch and each file.
            stopping: Asked as often; after True the rest is left for the next run.

        Raises:
            NotFound: the file or folder does not exist.
            InvalidInput: the format is unknown.
            StoreError: the database or the disk refused.
        """
        formats = self._chosen(format_name)
        root, found = find_transcripts(_expanded(path))
        context = msgspec.structs.replace(self._context, tally=Tally(), stopping=stopping)
        return _Run(context, root, found, formats, format_name).run(progress)

    def is_behind(self, path: Path, format_name: str = AUTO) -> bool:
        """Return whether `run` would read a file; of most, size and time tell.

        Raises:
            NotFound: the file or folder does not exist.
            InvalidInput: the format is unknown.
            StoreError: the database or the disk refused.
        """
        formats = self._chosen(format_name)
        root, found = find_transcripts(_expanded(path))
        return _Run(self._context, root, found, formats, format_name).is_behind()

    def _chosen(self, name: str) -> Sequence[TranscriptFormat]:
        if name == AUTO:
            return self._formats
        chosen = [each for each in self._formats if each.name == name]
        if not chosen:
            names = ", ".join([AUTO, *(each.name for each in self._formats)])
            raise InvalidInput("unknown format of transcripts", hint=f"Use one of {names}.")
        return chosen


class _Run:
    """One run over the files that were found."""

    def __init__(
        self,
        context: ImportContext,
        root: Path,
        found: Listing,
        formats: Sequence[TranscriptFormat],
        format_name: str,
    ) -> None:
        self._context = context
        self._root = root
        self._found = found
        self._formats = formats
        self._format_name = format_name
        self._progress: Progress | None = None
        self._companions = Companions(root)
        tenant = context.scope.tenant
        self._ledger = context.database.read(lambda tx: read_ledger(tx, tenant))
        self._bytes = sum(each.size for each in found.files)
        self._bytes_done = 0
        self._files_done = 0
        self._is_announced = False
        self._tally = context.tally

    def run(self, progress: Progress | None) -> ImportReport:
        """Import every file; return what was new and what was wrong."""
        self._progress = progress
        for each in self._found.files:
            if self._context.stopping():
                break
            self._file(each)
        for skipped in self._found.skipped:
            self._tally.reject(skipped.path, 0, f"not read: {skipped.reason}")
        counts = self._tally.counts
        is_news = counts["messages"] or not self._context.ledger
        if is_news and not self._is_announced and counts["unchanged"] < counts["files"]:
            self._context.database.write(lambda tx: self._announce(tx, Counter()))
        return ImportReport(**counts, malformed=tuple(self._tally.malformed))

    def is_behind(self) -> bool:
        """Return whether a file is new or has changed that holds what a format knows."""
        changed = (
            f for f in self._found.files if not self._is_current(f, str(self._root / f.path))
        )
        return any(self._is_wanted(each.path) for each in changed)

    def _is_wanted(self, relative: str) -> bool:
        try:
            with (
                open_beneath(self._root, relative) as descriptor,
                open(descriptor, "rb", closefd=False) as file,
            ):
                form = None if is_binary(file) else choose_format(probe(file), self._formats)
                if form is None:
                    return False
                header = next(probe(file), None)
                told = form.describe(PurePath(self._root / relative), header, None)
                return not self._known(form.name, told.id)[0]
        except (RecollectError, OSError):
            return False

    def _announce(self, tx: Transaction, added: Counter[str]) -> None:
        """Write the event of the import, whose last batch is not counted yet."""
        counts = self._tally.counts + added
        event = ImportFinished(
            scope=self._context.scope,
            at=self._context.clock.now_ms(),
            source=self._format_name,
            sessions=counts["sessions"],
            messages=counts["messages"],
            malformed=counts["malformed_count"],
        )
        # Who follows asks again and again: an import that brought nothing has no event.
        if event.messages or not self._context.ledger:
            record_event(tx, event)

    def _file(self, each: FoundFile) -> None:
        """Import one file; what is wrong with it is counted, not raised."""
        self._tally.counts["files"] += 1
        path = str(self._root / each.path)
        if self._is_current(each, path):
            self._tally.counts["unchanged"] += 1
        else:
            self._find(each.path, path)
        self._files_done += 1
        self._bytes_done += each.size
        self._tell(path, 0)

    def _is_current(self, each: FoundFile, path: str) -> bool:
        """Return whether a file is as it was, without opening it: most of thousands are."""
        entries = (self._ledger.get((self._source(form), path)) for form in self._formats)
        return any(entry is not None and entry.is_of(each.size, each.mtime_ns) for entry in entries)

    def _source(self, form: TranscriptFormat) -> str:
        """Return the name of a format in the ledger."""
        return form.name + self._context.ledger

    def _find(self, relative: str, path: str) -> None:
        with ExitStack() as opened:
            try:
                descriptor = opened.enter_context(open_beneath(self._root, relative))
            except RecollectError as error:
                self._tally.reject(path, 0, f"not read: {error.code}")
                return
            try:
                with open(descriptor, "rb", closefd=False) as file:
                    self._read(file, relative, path)
            except OSError:
                self._tally.reject(path, 0, "not read: the disk refused")

    def _read(self, file: BinaryIO, relative: str, path: str) -> None:
        there = os.fstat(file.fileno())
        if is_binary(file):
            self._tally.reject(path, 1, "a binary file")
            return
        form = choose_format(probe(file), self._formats)
        if form is None:
            if there.st_size:
                self._tally.reject(path, 1, "no known kind of transcript")
            return
        entry = self._ledger.get((self._source(form), path))
        if entry is None or not entry.fits(file.fileno()):
            entry = LedgerEntry(path=path, source=self._source(form))
        companion = self._companions.of(relative, form.companion)
        session = form.describe(PurePath(path), next(probe(file), None), companion)
        is_ours, stored = self._known(form.name, session.id)
        if is_ours:
            self._tally.counts["unchanged"] += 1
            return
        is_last = self._files_done + 1 == len(self._found.files) and not self._found.skipped
        reading = FileImport(self._context, form, session, file, entry)
        reading.stored[session.id] = stored
        try:
            is_done = reading.run(
                lambda done: self._tell(path, done), self._announce if is_last else None
            )
            self._is_announced = is_done and is_last
        except Denied:
            if not self._context.ledger:
                raise
            self._leave(entry, there)

    def _leave(self, entry: LedgerEntry, there: os.stat_result) -> None:
        """Note that a file belongs to another owner: it is not opened again until it changes."""
        left = msgspec.structs.replace(entry, size=there.st_size, mtime_ns=there.st_mtime_ns)
        tenant, now = self._context.scope.tenant, self._context.clock.now_ms()
        self._context.database.write(lambda tx: write_entry(tx, tenant, left, now))
        self._tally.counts["skipped"] += 1

    def _known(self, source: str, session_id: str) -> tuple[bool, Session | None]:
        """Return whether a file mirrors a session of this very home, and what it was stored as."""
        tenant = self._context.scope.tenant

        def unit(tx: Transaction) -> tuple[bool, Session | None]:
            mirrored = find_session(tx, Scope(tenant=tenant), session_id) is not None
            return mirrored, find_foreign(tx, tenant, source, session_id)

        return self._context.database.read(unit)

    def _tell(self, path: str, done: int) -> None:
        if self._progress is not None:
            self._progress(
                ImportProgress(
                    files=len(self._found.files),
                    files_done=self._files_done,
                    bytes=self._bytes,
                    bytes_done=self._bytes_done + done,
                    messages=self._tally.counts["messages"],
                    path=path,
                )
            )


def _expanded(path: Path | str) -> Path:
    return user_path(path) if str(path).startswith("~") else Path(path)


def _account(ledger: str, scope: Scope) -> str:
    """Return the ledger of an owner: what one left out as another's, that one may take."""
    owner = (scope.agent, scope.user, scope.project)
    if not ledger or owner == (None, None, None):
        return ledger
    digest = hashlib.sha256(repr(owner).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{ledger}-{digest[:12]}"
