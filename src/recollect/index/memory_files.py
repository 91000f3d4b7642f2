"""The feed of memory files: reads what changed, and hands it to the index as documents.

A scan compares size and modification time with what is indexed and reads only what differs.
Unreadable, binary and oversized files are told in a warning and stay as they were indexed before.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.core.scope import Scope
from recollect.index.document import Document, Removal
from recollect.index.extra_paths import ExtraPath
from recollect.index.feed import Batch, FeedState
from recollect.index.memory_listing import MemoryFile, MemoryListing, list_memory, memory_places
from recollect.index.origin import SOURCE, origin_name, origin_of, path_of, qualified
from recollect.index.place import Place
from recollect.store.paths import read_beneath
from recollect.text.secret_redactor import SecretRedactor

LARGEST_BYTES = 32 * 1024 * 1024
BATCH_BYTES = 1024 * 1024
CHEAP_S = 0.005
"""A scan that takes no longer is made before every search; some hundred files are."""
REST = 20
"""Others are made when so many times their duration has passed; `sync` always makes one."""
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


class MemoryFiles:
    """Lists, reads and feeds the memory files of one workspace.

    Args:
        workspace: The folder of MEMORY.md and memory/; None for extra paths only.
        extra: More Markdown files, or folders of them.
        scope: The owner of the files.
        redactor: Takes secrets out of a text; None leaves it as it is.
    """

    name = "memory-files"
    source = SOURCE

    def __init__(
        self,
        workspace: Path | None,
        extra: Sequence[ExtraPath] = (),
        *,
        scope: Scope,
        redactor: SecretRedactor | None,
    ) -> None:
        self.tenant: str | None = scope.tenant
        self._workspace = workspace
        self.origin = origin_name(workspace, scope)
        """Stands before the refs of its files; see `recollect.index.origin`."""
        self._extra = tuple(extra)
        self._scope = scope
        self._redactor = redactor
        self._scanned_at = 0.0
        self._scan_s = 0.0
        self.warnings: tuple[str, ...] = ()
        """What the last scan left out, one sentence each."""
        self._refused: dict[MemoryFile, str] = {}
        """Warnings of files that need not be read again before they change."""

    def places(self) -> tuple[Place, ...]:
        """Return what is to be watched."""
        return memory_places(self._workspace, self._extra)

    def is_behind(self, cursor: int) -> bool:
        """Return whether files may have changed since the last scan, as far as looking is cheap."""
        rest = 0.0 if self._scan_s <= CHEAP_S else REST * self._scan_s
        return time.monotonic() - self._scanned_at >= rest

    def batches(self, state: FeedState) -> Iterator[Batch]:
        """Yield new and changed files, and with the last of them those that are gone."""
        listing = self._scan()
        stamps = {ref: stamp for ref, stamp in state.stamps.items() if self._is_own(ref)}
        refs = {self._ref(file): file for file in listing.files}
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
                yield Batch(documents=tuple(documents), left=left, warnings=tuple(warnings))
                documents, warnings, size = [], [], 0
            document = self._document(file, warnings)
            if document is not None:
                documents.append(document)
                size += file.size
        # A file that was renamed keeps its vectors when it comes and goes in one batch.
        if documents or removals or warnings:
            yield Batch(documents=tuple(documents), removals=removals, warnings=tuple(warnings))

    def find(self, ref: str) -> MemoryFile:
        """Return one file by its ref.

        Raises:
            NotFound: no memory file has it.
        """
        for file in list_memory(self._workspace, self._extra).files:
            if file.ref == ref:
                return file
        raise NotFound(
            "there is no such memory file", hint="paths are as `recollect search` prints them"
        )

    def text(self, file: MemoryFile) -> tuple[str, list[str]]:
        """Return what may be shown of a file, line numbers kept, and warnings.

        Raises:
            InvalidInput: it is binary or too large.
            RecollectError: it cannot be read.
        """
        content = read_beneath(file.root, file.path, limit=LARGEST_BYTES)
        if b"\0" in content:
            raise InvalidInput("the file is binary", hint="give it another ending than .md")
        warnings = []
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("utf-8-sig", errors="replace")
            warnings.append(f"{file.ref}: bytes that are not UTF-8 were replaced")
        return (self._redactor.lines(text) if self._redactor else text), warnings

    def _ref(self, file: MemoryFile) -> str:
        return qualified(self.origin, file.ref)

    def _is_own(self, ref: str) -> bool:
        """Whether a file is of this workspace; one that names none is from before they did."""
        return origin_of(ref) in {self.origin, None}

    def _scan(self) -> MemoryListing:
        began = time.monotonic()
        listing = list_memory(self._workspace, self._extra)
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
        return Document(
            source=SOURCE,
            ref=self._ref(file),
            group=self._ref(file),
            order=0,
            text=text,
            at=note_time(file.ref, file.mtime_ns),
            scope=self._scope,
            markdown=True,
            stamp=file.stamp,
        )

    def _read(self, file: MemoryFile) -> tuple[str, list[str]]:
        if file in self._refused:
            raise InvalidInput(self._refused[file])
        try:
            return self.text(file)
        except InvalidInput as error:
            self._refused[file] = error.message
            raise


def note_time(ref: str, mtime_ns: int) -> int:
    """Return when a note is from, ms UTC: the noon of a date in its name, else its last change."""
    for year, month, day in _DATE.findall(ref.rsplit("/", 1)[-1]):
        try:
            noon = datetime(int(year), int(month), int(day), 12, tzinfo=UTC)
        except ValueError:
            continue
        return max(0, int(noon.timestamp() * 1000))
    return max(0, mtime_ns // 1_000_000)
