"""The feed of memory files: `MEMORY.md`, `memory/**.md` of the workspace, and extra paths.

A scan compares size and modification time with what is indexed and reads only what differs.
Symbolic links, hard links and special files are left out; unreadable, binary and oversized files are
told in a warning and stay as they were indexed before.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.core.scope import Scope
from recollect.index.document import Document, Removal
from recollect.index.feed import Batch, FeedState
from recollect.store.paths import FoundFile, list_files, read_beneath
from recollect.text.secret_redactor import SecretRedactor

SOURCE = "memory"
FOLDER = "memory"
LARGEST_BYTES = 32 * 1024 * 1024
BATCH_BYTES = 1024 * 1024
RESCAN_S = 2.0
"""A search looks for changed files at most this often; `sync` always does."""
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_CURATED = ("MEMORY.md", "memory.md")


class MemoryFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a root, under the ref by which it is indexed and read."""

    ref: str
    root: Path
    path: str
    size: int
    mtime_ns: int

    @property
    def stamp(self) -> str:
        """Changes when the file may have changed."""
        return f"{self.size}:{self.mtime_ns}"


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
    stamped = True

    def __init__(
        self,
        workspace: Path | None,
        extra: Sequence[Path] = (),
        *,
        scope: Scope,
        redactor: SecretRedactor | None,
    ) -> None:
        self._workspace = workspace
        self._extra = tuple(extra)
        self._scope = scope
        self._redactor = redactor
        self._scanned = -RESCAN_S

    def is_behind(self, cursor: int) -> bool:
        """Return whether the last scan is so long ago that files may have changed."""
        return time.monotonic() - self._scanned >= RESCAN_S

    def batches(self, state: FeedState) -> Iterator[Batch]:
        """Yield new, changed and removed files."""
        self._scanned = time.monotonic()
        present, warnings = self.listing()
        changed = [file for file in present if state.stamps.get(file.ref) != file.stamp]
        gone = state.stamps.keys() - {file.ref for file in present}
        removals = tuple(
            Removal(source=SOURCE, ref=ref, tenant=self._scope.tenant) for ref in sorted(gone)
        )
        if removals or warnings:
            yield Batch(removals=removals, left=len(changed), warnings=tuple(warnings))
        yield from self._read_in_batches(changed)

    def listing(self) -> tuple[list[MemoryFile], list[str]]:
        """Return the files in order of their refs, and a warning for each path left out."""
        files: dict[str, MemoryFile] = {}
        warnings: list[str] = []
        if self._workspace is not None:
            self._list_root(self._workspace, "", files, warnings)
        for path in self._extra:
            try:
                self._list_extra(path, files, warnings)
            except RecollectError as error:
                warnings.append(f"extra path left out: {error.message}")
        return [files[ref] for ref in sorted(files)], warnings

    def find(self, ref: str) -> MemoryFile:
        """Return one file by its ref.

        Raises:
            NotFound: no memory file has it.
        """
        for file in self.listing()[0]:
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

    def _read_in_batches(self, changed: Sequence[MemoryFile]) -> Iterator[Batch]:
        documents: list[Document] = []
        warnings: list[str] = []
        size = 0
        for place, file in enumerate(changed, start=1):
            try:
                text, told = self.text(file)
            except RecollectError as error:
                warnings.append(f"{file.ref}: left out, {error.message}")
                continue
            warnings += told
            documents.append(self._document(file, text))
            size += file.size
            if size >= BATCH_BYTES:
                left = len(changed) - place
                yield Batch(documents=tuple(documents), left=left, warnings=tuple(warnings))
                documents, warnings, size = [], [], 0
        if documents or warnings:
            yield Batch(documents=tuple(documents), warnings=tuple(warnings))

    def _document(self, file: MemoryFile, text: str) -> Document:
        return Document(
            source=SOURCE,
            ref=file.ref,
            group=file.ref,
            order=0,
            text=text,
            at=note_time(file.ref, file.mtime_ns),
            scope=self._scope,
            markdown=True,
            stamp=file.stamp,
        )

    def _list_root(
        self, root: Path, prefix: str, files: dict[str, MemoryFile], warnings: list[str]
    ) -> None:
        listing = list_files(root, accept=_is_memory, enter=_may_hold_memory)
        for found in listing.files:
            _add(files, root, found, prefix)
        warnings += [f"{skipped.path}: left out, {skipped.reason}" for skipped in listing.skipped]

    def _list_extra(self, path: Path, files: dict[str, MemoryFile], warnings: list[str]) -> None:
        root = path if path.is_dir() else path.parent
        listing = list_files(
            root,
            accept=lambda name: name.endswith(".md") and (root == path or name == path.name),
            enter=lambda _: root == path,
        )
        for found in listing.files:
            _add(files, root, found, f"{root}/")
        warnings += [f"{skipped.path}: left out, {skipped.reason}" for skipped in listing.skipped]


def note_time(ref: str, mtime_ns: int) -> int:
    """Return when a note is from, ms UTC: the noon of a date in its name, else its last change."""
    for year, month, day in _DATE.findall(ref.rsplit("/", 1)[-1]):
        try:
            noon = datetime(int(year), int(month), int(day), 12, tzinfo=UTC)
        except ValueError:
            continue
        return max(0, int(noon.timestamp() * 1000))
    return max(0, mtime_ns // 1_000_000)


def _add(files: dict[str, MemoryFile], root: Path, found: FoundFile, prefix: str) -> None:
    ref = prefix + found.path
    files[ref] = MemoryFile(
        ref=ref, root=root, path=found.path, size=found.size, mtime_ns=found.mtime_ns
    )


def _is_memory(path: str) -> bool:
    return path in _CURATED or (path.startswith(f"{FOLDER}/") and path.endswith(".md"))


def _may_hold_memory(path: str) -> bool:
    return path == FOLDER or path.startswith(f"{FOLDER}/")
