"""Transcripts of other programs, followed in their own folders: imported as they grow.

The importer does the work, so a message has its session and seq, is redacted, and is stored once.
The formats are passed in.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import msgspec

from recollect.core.errors import NotFound, StoreError
from recollect.core.settings import TranscriptDeltaSettings, transcript_folders, user_path
from recollect.exchange.formats.openclaw_store import stores_elsewhere
from recollect.exchange.reader import SUFFIX, is_store, kind_of
from recollect.exchange.transcript import AUTO
from recollect.recall.memory_source import rest_s
from recollect.workspace.extra_paths import FileTree, may_enter

if TYPE_CHECKING:  # the importer is needed only where transcripts are followed, and that is seldom
    from recollect.exchange.importer import TranscriptImporter
    from recollect.exchange.report import OnFiles


UNFINISHED = "followed transcripts are still being read"
SEARCH_S = 1.0
"""The longest a search reads transcripts; the background or `sync` reads the rest."""
CHEAP_S = 0.1
"""Transcripts are checked before every search if the check takes no longer."""
LEDGER = "+followed"
"""Separates followed transcripts from those that a person imports, which are taken whole."""


LOG = "-wal"
"""Suffix of the log beside a store: new rows are in the log first."""


def is_followed(path: str) -> bool:
    """Return whether a file is by its name a transcript, a store of transcripts or its log."""
    return _is_listed(path) or is_store(path.removesuffix(LOG))


def _is_listed(path: str) -> bool:
    """Whether a file is followed when only its folder is named."""
    return kind_of(path.removesuffix(LOG)) is not None


class FollowedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder of transcripts, and the format of all of them or ``auto``."""

    path: Path
    format_name: str = AUTO

    def place(self) -> FileTree:
        """Return the folder to watch, and which of its files."""
        if self.path.suffix in {SUFFIX, ".sqlite"} and not self.path.is_dir():
            parent, names = self.path.parent, {self.path.name, self.path.name + LOG}
            return FileTree(root=parent, accept=names.__contains__, enter=lambda _: False)
        return FileTree(root=self.path, accept=_is_listed, enter=may_enter)


class FollowedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript below a followed place.

    Attributes:
        path: As it is read, with links resolved.
        place: The folder in which a session id means one session, see `batch.location_of`; None
            of an unknown format.
        is_there: Whether it exists; a program creates it with the first message.
    """

    path: str
    place: str | None
    is_there: bool


class FollowReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was imported: new messages, and a sentence for each missing folder.

    Also a sentence for each folder with skipped transcripts. Messages of deleted sessions are
    reported apart, see `FollowedTranscripts.take_deleted`: only the run that reads them notices.
    """

    messages: int = 0
    warnings: tuple[str, ...] = ()


class FollowedTranscripts:
    """Imports what is new in followed transcripts.

    Args:
        places: Their folders and files; they need not exist yet.
        importer: Reads and stores them.
    """

    def __init__(self, sources: Sequence[FollowedPlace], importer: TranscriptImporter) -> None:
        self._places = tuple(sources)
        self._importer = importer
        self._rests_until = 0.0
        self.reading = threading.Lock()
        """Held by the reading thread."""
        self.has_more = False
        """Whether a search left something unread."""
        self.last: FollowReport | None = None
        self._deleted: set[str] = set()
        """Where messages of deleted sessions were left out since the last `take_deleted`."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the last run left out; before the first, what cannot be read."""
        standing = self._unreadable() if self.last is None else self.last.warnings
        return (*standing, *_deleted_sentences(self._deleted))

    def places(self) -> tuple[FileTree, ...]:
        """Return the folders to watch."""
        return tuple(each.place() for each in self._places)

    def find(self, path: str, format_name: str) -> FollowedFile | None:
        """Return a followed transcript; None where it is below no followed folder.

        Args:
            path: Absolute, as its program names it; links are resolved.
            format_name: The program.
        """
        from recollect.exchange.formats.registry import FORMATS
        from recollect.exchange.rows.batch import location_of

        try:
            real = PurePath(os.path.realpath(path)) if os.path.isabs(path) else None
        except (OSError, ValueError):  # not a possible file name
            real = None
        form = FORMATS.get(format_name)
        if real is None or real.suffix != SUFFIX:
            return None
        if not any(real.is_relative_to(os.path.realpath(each.path)) for each in self._places):
            return None
        return FollowedFile(
            path=str(real),
            place=None if form is None else location_of(form, str(real)),
            is_there=os.path.isfile(real) and os.access(real, os.R_OK),
        )

    def bring_in(
        self, stopping: Callable[[], bool] = lambda: False, progress: OnFiles | None = None
    ) -> FollowReport:
        """Store what is new in all of them.

        Args:
            stopping: Asked often; after True the rest is left for the next time.
            progress: Called after each batch and each file.

        Raises:
            StoreError: the database or the disk refused.
        """
        with self.reading:
            self.last = self._bring_in(stopping, progress)
            self.has_more = stopping()
        return self.last

    def take_deleted(self) -> tuple[str, ...]:
        """Return a sentence for each folder in which messages of deleted sessions were left out.

        By a search or the background, too; the next call returns only what was left out since.
        """
        with self.reading:
            deleted, self._deleted = self._deleted, set()
        return _deleted_sentences(deleted)

    def catch_up(self) -> tuple[str, ...]:
        """Store what is new, within the time that a search may wait.

        Returns:
            Why something may be missing; empty where nothing is.
        """
        began = time.monotonic()
        if began < self._rests_until:
            return ()
        if not self.reading.acquire(timeout=SEARCH_S / 2):
            return (UNFINISHED,)
        try:
            is_late = partial(_is_late, began + SEARCH_S)
            report = self._bring_in(is_late, None)
            self.has_more = is_late()
        except StoreError as error:
            return (f"followed transcripts could not be read: {error.message}",)
        finally:
            self.reading.release()
        took_s = time.monotonic() - began
        if not report.messages:
            self._rests_until = time.monotonic() + rest_s(took_s, CHEAP_S)
        return (UNFINISHED,) if self.has_more else ()

    def is_behind(self) -> bool:
        """Return whether there may be something new, by sizes and times."""
        for each in self._places:
            with suppress(NotFound):
                if self._importer.is_behind(each.path, each.format_name):
                    return True
        return False

    def _unreadable(self) -> list[str]:
        warnings: list[str] = []
        for each in self._places:
            try:
                warnings += self._importer.unreadable(each.path)
            except NotFound:
                warnings.append(self._missing(each))
        return warnings

    def _bring_in(self, stopping: Callable[[], bool], progress: OnFiles | None) -> FollowReport:
        messages, warnings = 0, []
        for each in self._places:
            try:
                report = self._importer.run(each.path, each.format_name, progress, stopping)
            except NotFound:
                warnings.append(self._missing(each))
            else:
                messages += report.messages
                warnings += [
                    f"{line.path}: {line.reason}" for line in report.malformed if not line.line
                ]
                if report.excluded:
                    n = (
                        "1 transcript"
                        if report.excluded == 1
                        else f"{report.excluded:,} transcripts"
                    )
                    path = self._importer.shown(each.path)
                    warnings.append(f"{path}: {n} of projects that are not captured left out")
                if report.deleted:
                    self._deleted.add(self._importer.shown(each.path))
        return FollowReport(messages=messages, warnings=tuple(warnings))

    def _missing(self, source: FollowedPlace) -> str:
        return f"{self._importer.shown(source.path)}: no transcripts to follow, it is not there"


def _is_late(end: float) -> bool:
    return time.monotonic() >= end


def _deleted_sentences(deleted: set[str]) -> tuple[str, ...]:
    return tuple(f"{path}: messages of deleted sessions left out" for path in sorted(deleted))


def followed_places(entries: Sequence[str]) -> list[FollowedPlace]:
    """Return the folders and files that the entries of ``workspace.transcripts`` mean.

    Args:
        entries: Names of formats, files and folders; with ``~`` for the user's home.
    """
    homes = transcript_folders()
    sources = [
        FollowedPlace(path=homes[each], format_name=each)
        if each in homes
        else FollowedPlace(path=user_path(each).absolute())
        for each in entries
    ]
    if "openclaw" in entries:
        more = stores_elsewhere(homes["openclaw"])
        sources += [FollowedPlace(path=each, format_name="openclaw") for each in more]
    return sources


BLOCK_BYTES = 64 * 1024


class _Grown(msgspec.Struct):
    """The end of a file at the last look, and what was new since the last trigger."""

    size: int = 0
    new_bytes: int = 0
    new_lines: int = 0


class TranscriptDeltas:
    """Counts what is new in each transcript.

    Args:
        settings: The thresholds; anything new reaches 0.
    """

    def __init__(self, settings: TranscriptDeltaSettings) -> None:
        self._settings = settings
        self._files: dict[str, _Grown] = {}

    def look(self, path: str) -> bool:
        """Return whether so much is new in a file that it should be read at once.

        A file that shrank counts as a whole. One that is gone is forgotten.
        """
        try:
            size = os.stat(path, follow_symlinks=False).st_size
        except OSError:
            self._files.pop(path, None)
            return False
        if is_store(path.removesuffix(LOG)):
            return False  # a log is rewritten from its start: its size says nothing
        grown = self._files.setdefault(path, _Grown())
        start = grown.size if size >= grown.size else 0
        grown.size = size
        grown.new_bytes += size - start
        settings = self._settings
        if not settings.delta_bytes or grown.new_bytes < settings.delta_bytes:
            grown.new_lines += count_lines(path, start, size)  # else the bytes are enough
        by_bytes = grown.new_bytes >= max(1, settings.delta_bytes)
        by_lines = grown.new_lines >= max(1, settings.delta_messages)
        if by_bytes:
            grown.new_bytes = _rest(grown.new_bytes, settings.delta_bytes)
        if by_lines:
            grown.new_lines = _rest(grown.new_lines, settings.delta_messages)
        return by_bytes or by_lines


def count_lines(path: str, start: int, end: int) -> int:
    """Return the number of line feeds between two offsets of a file, 0 when it cannot be read."""
    count = 0
    try:
        with open(path, "rb") as file:
            file.seek(start)
            while start < end and (block := file.read(min(BLOCK_BYTES, end - start))):
                count += block.count(b"\n")
                start += len(block)
    except OSError:
        return 0
    return count


def _rest(counted: int, threshold: int) -> int:
    return max(0, counted - threshold) if threshold else 0
