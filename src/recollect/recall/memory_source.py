"""The source of memory files: reads what changed, and hands it to the index as documents.

A scan compares size and modification time with what is indexed and reads only what differs.
Unreadable, binary and oversized files cause a warning and stay as they were indexed before.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from recollect.core.errors import InvalidInput, RecollectError
from recollect.core.scope import Scope
from recollect.index.model.document import Document, DocumentBatch, Removal, SourceState
from recollect.index.model.origin import SOURCE, origin_name, origin_of, path_of, qualified
from recollect.workspace.memory_folder import CURATED, MemoryFile, MemoryFolder, MemoryListing

BATCH_BYTES = 1024 * 1024
CHEAP_S = 0.005
"""A scan that takes no longer is made before every search; some hundred files are."""
REST = 20
"""Others are made when so many times their duration has passed; `sync` always makes one."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


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
        """Stands before the refs of its files; see `recollect.index.model.origin`."""
        self._prefix = qualified(self.origin, "")
        self._scope = scope
        self._scanned_at = 0.0
        self._scan_s = 0.0
        self.warnings: tuple[str, ...] = ()
        """What the last scan left out, one sentence each."""
        self._refused: dict[MemoryFile, str] = {}
        """Warnings of files that need not be read again before they change."""

    def is_behind(self, cursor: int) -> bool:
        """Return whether files may have changed since the last scan, as far as looking is cheap."""
        rest = 0.0 if self._scan_s <= CHEAP_S else REST * self._scan_s
        return time.monotonic() - self._scanned_at >= rest

    def differs(self, state: SourceState) -> bool:
        """Return whether a sync would take in or remove a file; no later scan is spared."""
        listing, stamps = self.folder.listing(), self._own(state.stamps)
        refs = {self._prefix + file.ref: file for file in listing.files}
        if any(listing.is_gone(path_of(ref)) for ref in stamps.keys() - refs.keys()):
            return True
        changed = (file for ref, file in refs.items() if stamps.get(ref) != file.stamp)
        return any(self._document(file, []) is not None for file in changed)

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield new and changed files, and with the last of them those that are gone."""
        listing, stamps = self._look(state)
        refs = {self._prefix + file.ref: file for file in listing.files}
        changed = [file for ref, file in refs.items() if stamps.get(ref) != file.stamp]
        removals = tuple(
            Removal(source=SOURCE, ref=ref, tenant=self._scope.tenant)
            for ref in sorted(stamps.keys() - refs.keys())
            if listing.is_gone(path_of(ref))
        )
        documents: list[Document] = []
        warnings = list(listing.warnings)
        size = 0
        for place, file in enumerate(changed, start=1):
            if size >= BATCH_BYTES:
                left = len(changed) - place + 1
                yield DocumentBatch(documents=tuple(documents), left=left, warnings=tuple(warnings))
                documents, warnings, size = [], [], 0
            document = self._document(file, warnings)
            if document is not None:
                documents.append(document)
                size += file.size
        # A file that was renamed keeps its vectors when it comes and goes in one batch.
        if documents or removals or warnings:
            yield DocumentBatch(
                documents=tuple(documents), removals=removals, warnings=tuple(warnings)
            )

    def _look(self, state: SourceState) -> tuple[MemoryListing, Mapping[str, str]]:
        """Return what is there, and the stamps of what was: of all, or of what changed alone.

        A changed path that is neither a file that is there nor one that was may be anything.
        """
        named = None if state.changed is None else self.folder.named(state.changed)
        if named is not None:
            listing = self.folder.listing(named)
            refs = {self._prefix + path for path in named}
            stamps = {ref: state.stamps[ref] for ref in refs if ref in state.stamps}
            there = {self._prefix + file.ref for file in listing.files}
            if there | stamps.keys() == refs:
                return listing, stamps
        return self._scan(), self._own(state.stamps)

    def _own(self, stamps: Mapping[str, str]) -> Mapping[str, str]:
        """Return the stamps of this workspace's files; of old, they did not name it."""
        return {
            ref: stamp
            for ref, stamp in stamps.items()
            if ref.startswith(self._prefix) or origin_of(ref) is None
        }

    def _scan(self) -> MemoryListing:
        began = time.monotonic()
        listing = self.folder.listing()
        self._scanned_at = time.monotonic()
        self._scan_s = self._scanned_at - began
        self.warnings = listing.warnings
        return listing

    def _document(self, file: MemoryFile, warnings: list[str]) -> Document | None:
        """Return a file as a document, or None, with a warning, when it cannot be one."""
        try:
            text, told = self._read(file)
        except RecollectError as error:
            warnings.append(f"{file.ref}: left out, {error.message}")
            return None
        warnings += told
        ref = self._prefix + file.ref
        return Document(
            source=SOURCE,
            ref=ref,
            group=ref,
            order=0,
            text="" if file.ref in CURATED and _is_template(text) else text,
            at=note_time(file.ref, file.mtime_ns),
            scope=self._scope,
            markdown=True,
            stamp=file.stamp,
        )

    def _read(self, file: MemoryFile) -> tuple[str, list[str]]:
        if file in self._refused:
            raise InvalidInput(self._refused[file])
        try:
            return self.folder.text(file)
        except InvalidInput as error:
            self._refused[file] = error.message
            raise


def _is_template(text: str) -> bool:
    """Return whether a file says nothing yet: headings and comments alone."""
    lines = _COMMENT.sub("", text).splitlines()
    return all(not line.strip() or line.startswith("#") for line in lines)


def note_time(ref: str, mtime_ns: int) -> int:
    """Return when a note is from, ms UTC: the noon of a date in its name, else its last change."""
    for year, month, day in _DATE.findall(ref.rsplit("/", 1)[-1]):
        try:
            noon = datetime(int(year), int(month), int(day), 12, tzinfo=UTC)
        except ValueError:
            continue
        return max(0, int(noon.timestamp() * 1000))
    return max(0, mtime_ns // 1_000_000)
