"""The source of memory files: reads what changed, and hands it to the index as documents.

A scan compares size and modification time with what is indexed and reads only what differs.
Unreadable, binary and oversized files cause a warning and stay as they were indexed before.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from recollect.core.clock import DAY_MS
from recollect.core.errors import InvalidInput, RecollectError
from recollect.core.numbers import NAMES_ANY
from recollect.core.scope import Scope
from recollect.index.model.document import Document, DocumentBatch, Removal, SourceState
from recollect.index.model.origin import SOURCE, origin_name, origin_of, path_of, qualified
from recollect.text.times.ranges import find_ranges
from recollect.workspace.memory_folder import CURATED, MemoryFile, MemoryFolder, MemoryListing

BATCH_BYTES = 1024 * 1024
MARK = "<!-- recollect:"
"""Present in every text with a section, see `recollect.text.markdown.section`."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_HEADING = re.compile(r"^#{1,6} +(.*)", re.MULTILINE)
_HEADING_WITHIN = 2_000
"""Characters in which the first heading is looked for."""
CHEAP_S = 0.005
"""A scan that takes no longer runs before every search; with some hundred files it does."""
_REST = 20
"""Others rest for so many times their duration; `sync` always runs one."""


def rest_s(took_s: float, cheap_s: float | None = None) -> float:
    """Return the seconds to rest after a scan that took ``took_s``; 0 if it was cheap."""
    return 0.0 if took_s <= (CHEAP_S if cheap_s is None else cheap_s) else _REST * took_s


class FileOwner(msgspec.Struct, frozen=True, kw_only=True):
    """The owner of a file, and the visibility group that hears it; None: that of its source."""

    scope: Scope
    visibility_group: str | None = None


class _Scan(msgspec.Struct, frozen=True, kw_only=True):
    """A scan of all files: its end and duration, in monotonic seconds, and what was withheld."""

    at: float
    took_s: float
    withheld: Mapping[str, frozenset[bytes]]


class MemorySource:
    """Hands the memory files of one workspace to the index as documents.

    Args:
        folder: Lists and reads them.
        scope: Their owner.
    """

    name = "memory-files"
    source = SOURCE

    def __init__(self, folder: MemoryFolder, scope: Scope) -> None:
        self.tenant: str | None = scope.tenant
        self.folder = folder
        self.origin = origin_name(folder.workspace, scope)
        """The prefix of the refs of its files; see `recollect.index.model.origin`."""
        self._prefix = qualified(self.origin, "")
        self.scope = scope
        self._taken_in: _Scan | None = None
        self.warnings: tuple[str, ...] = ()
        """What the last scan left out, one sentence each."""
        self._refused: dict[MemoryFile, str] = {}
        """Warnings of files that need not be read again before they change."""

    def is_behind(self, cursor: int) -> bool:
        """Return whether files may have changed since the last scan, as far as a check is cheap.

        A scan counts once all its changes are written: until then, searches scan as well.
        """
        last = self._taken_in
        if last is None or time.monotonic() - last.at >= rest_s(last.took_s):
            return True
        return self.folder.withheld() != last.withheld

    def forget_scan(self) -> None:
        """Scan with the next sync: the index of the last scan is gone."""
        self._taken_in = None

    def differs(self, state: SourceState) -> bool:
        """Return whether a sync would index or remove a file; this does not count as a scan."""
        listing, stamps = self.folder.listing(), self._own(state.stamps)
        refs = {self._prefix + file.ref: file for file in listing.files}
        if any(listing.is_gone(path_of(ref)) for ref in stamps.keys() - refs.keys()):
            return True
        changed = (file for ref, file in refs.items() if stamps.get(ref) != file.stamp)
        owner_of = self._owners()
        owned = ((file, owner_of(file)) for file in changed)
        return any(
            owner is not None and self._document(file, owner, []) is not None
            for file, owner in owned
        )

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield new and changed files, and with the last batch those that are gone."""
        began = time.monotonic()
        listing, stamps, is_whole = self._look(state)
        ended = time.monotonic()
        owner_of = self._owners()
        refs = {self._prefix + file.ref: file for file in listing.files}
        changed = [file for ref, file in refs.items() if stamps.get(ref) != file.stamp]
        removals = tuple(
            Removal(source=SOURCE, ref=ref, tenant=self.scope.tenant)
            for ref in sorted(stamps.keys() - refs.keys())
            if listing.is_gone(path_of(ref))
        )
        documents: list[Document] = []
        warnings = list(listing.warnings)
        size = 0
        for number, file in enumerate(changed, start=1):
            if size >= BATCH_BYTES:
                rest = len(changed) - number + 1
                yield DocumentBatch(documents=tuple(documents), left=rest, warnings=tuple(warnings))
                documents, warnings, size = [], [], 0
            owner = owner_of(file)
            document = None if owner is None else self._document(file, owner, warnings)
            if document is not None:
                documents.append(document)
                size += file.size
        # A renamed file keeps its vectors if both names are in one batch.
        if documents or removals or warnings:
            yield DocumentBatch(
                documents=tuple(documents), removals=removals, warnings=tuple(warnings)
            )
        if is_whole and state.answers:
            self._taken_in = _Scan(at=ended, took_s=ended - began, withheld=listing.withheld)

    def _look(self, state: SourceState) -> tuple[MemoryListing, Mapping[str, str], bool]:
        """Return the listing, the earlier stamps, and whether they are of all files or some.

        A changed path that neither is nor was a known file may be anything: then all are listed.
        """
        paths = None if state.changed is None else self.folder.named(state.changed)
        if paths is not None:
            listing = self.folder.listing(paths)
            refs = {self._prefix + path for path in paths}
            stamps = {ref: state.stamps[ref] for ref in refs if ref in state.stamps}
            there = {self._prefix + file.ref for file in listing.files}
            if there | stamps.keys() == refs:
                return listing, stamps, False
        listing = self.folder.listing()
        self.warnings = listing.warnings
        return listing, self._own(state.stamps), True

    def _own(self, stamps: Mapping[str, str]) -> Mapping[str, str]:
        """Return the stamps of this workspace's files; older stamps do not name a workspace."""
        return {
            ref: stamp
            for ref, stamp in stamps.items()
            if ref.startswith(self._prefix) or origin_of(ref) is None
        }

    def _owners(self) -> Callable[[MemoryFile], FileOwner | None]:
        """Return a function that gives the owner of a file; a file without one is skipped."""
        return lambda _: FileOwner(scope=self.scope)

    def _document(self, file: MemoryFile, owner: FileOwner, warnings: list[str]) -> Document | None:
        """Return a file as a document, or None, with a warning, when it cannot be one."""
        try:
            text, notices = self._read(file)
        except RecollectError as error:
            warnings.append(f"{file.ref}: left out, {error.message}")
            return None
        warnings += notices
        ref, searched = self._prefix + file.ref, _searched(text)
        return Document(
            source=SOURCE,
            ref=ref,
            group=ref,
            order=0,
            text="" if file.ref in CURATED and _is_template(searched) else searched,
            at=note_time(file.ref, file.mtime_ns, text),
            scope=owner.scope,
            visibility_group=owner.visibility_group,
            markdown=True,
            mentions=() if owner.visibility_group is not None else _mentions(text),
            stamp=file.stamp,
        )

    def _read(self, file: MemoryFile) -> tuple[str, list[str]]:
        if file in self._refused:
            raise InvalidInput(self._refused[file], path=file.ref)
        try:
            return self.folder.text(file)
        except InvalidInput as error:
            self._refused[file] = error.message
            raise


def _mentions(text: str) -> tuple[tuple[int, int], ...]:
    if not NAMES_ANY.search(text):
        return ()
    from recollect.text.markdown.mentions import mentions_in

    return mentions_in(text)


def _searched(text: str) -> str:
    """Return a text without our section: its content is found as observations."""
    if MARK not in text:
        return text
    from recollect.text.markdown.section import without_section

    return without_section(text)


def _is_template(text: str) -> bool:
    """Return whether a file has no content yet: headings and comments alone."""
    lines = _COMMENT.sub("", text).splitlines()
    return all(not line.strip() or line.startswith("#") for line in lines)


class NoteSource(MemorySource):
    """Hands the notes of guests to the index, each as a document of its visibility group.

    They are few or none, so they are checked before every search.

    Args:
        folder: Lists and reads them, from the home on.
        scope: That of the memory.
        below: The folder of the home that has them, if it is there.
        owners: Returns their owners, by folder.
    """

    name = "guest-notes"

    def __init__(
        self,
        folder: MemoryFolder,
        scope: Scope,
        below: Path,
        owners: Callable[[], Mapping[str, FileOwner]],
    ) -> None:
        super().__init__(folder, scope)
        self.origin = f"{below.name}:"  # the others are empty or absolute
        self._prefix = qualified(self.origin, "")
        self.owners = owners
        self._below = below
        self._seen: MemoryListing | None = None

    def is_behind(self, cursor: int) -> bool:
        """Return whether notes were written, changed or hidden since the last scan."""
        seen = self._seen
        if seen is not None and not seen.files and not os.path.lexists(self._below):
            return False
        return seen is None or self.folder.listing() != seen

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield new and changed notes, and with the last of them those that are gone."""
        if state.changed is not None:
            return  # files of the workspace
        listing = self.folder.listing()
        yield from super().batches(state)
        if state.answers:
            self._seen = listing

    def _owners(self) -> Callable[[MemoryFile], FileOwner | None]:
        owners = self.owners()
        return lambda file: owners.get(file.path.rpartition("/")[0])


def note_time(ref: str, mtime_ns: int, text: str = "") -> int:
    """Return the date of a note, ms UTC.

    The noon of a date in its name; else of a whole date in its first heading ("3 May 2026"); else
    its last change.
    """
    for year, month, day in _DATE.findall(ref.rsplit("/", 1)[-1]):
        try:
            noon = datetime(int(year), int(month), int(day), 12, tzinfo=UTC)
        except ValueError:
            continue
        return max(0, int(noon.timestamp() * 1000))
    changed = max(0, mtime_ns // 1_000_000)
    heading = _HEADING.search(text[:_HEADING_WITHIN])
    for span in find_ranges(heading[1], changed, UTC) if heading else ():
        if span.unit == "day" and not (span.is_relative or span.month):
            return span.since + DAY_MS // 2
    return changed
