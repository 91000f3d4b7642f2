"""Reading memory files: which paths may be read, how much at once, and where to go on.

A missing file is an answer, not an error: agents ask for notes that were not written yet. A path
that must not be read is an error.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.numbers import Link
from recollect.store.paths import open_beneath
from recollect.workspace.memory_folder import (
    DIARY,
    MemoryFile,
    MemoryFolder,
    is_utf8,
    relative_to,
)

MOST_READ_LINES = 120
"""Default number of lines of a read; OpenClaw's value."""
MOST_READ_CHARS = 12_000
"""Default number of characters of a read; OpenClaw's value, some 3,000 tokens."""

MOST_SHOWN = 1_000_000
"""Characters and lines of a file that is shown as a whole to a person."""

_PATH_HINT = "paths are as `recollect search` prints them, such as memory/2026-05-04.md"


class ReadResult(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a memory file.

    Attributes:
        status: ``ok``, or ``not_found`` when this file was never written; then there is no text.
        path: The file, as hits name it.
        text: The lines, joined by line feeds, secrets taken out.
        from_line: The first of them, from 1.
        lines: How many they are.
        total_lines: How many the file has; the feed that ends the last one begins no other.
        truncated: Whether there is more after them.
        next_from: Where to go on reading; None at the end.
        links: The observations that these lines name, as far as the asker hears them.
    """

    status: Literal["ok", "not_found"] = "ok"
    path: str
    text: str = ""
    from_line: int
    lines: int = 0
    total_lines: int = 0
    truncated: bool = False
    next_from: int | None = None
    links: tuple[Link, ...] = ()


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """How much to read.

    Attributes:
        from_line: The first line, from 1.
        lines: How many; `MOST_READ_LINES` if None.
        max_chars: Where to stop, after a whole line. A first line that is longer is cut.
    """

    from_line: int = 1
    lines: int | None = None
    max_chars: int = MOST_READ_CHARS

    def check(self) -> None:
        """Raise InvalidInput if a value is below 1, or no number."""
        numbers = (self.from_line, 1 if self.lines is None else self.lines)
        if not all(type(number) is int and number >= 1 for number in numbers):
            raise InvalidInput("lines are counted from 1", hint="use whole numbers from 1")
        if type(self.max_chars) is not int or self.max_chars < 1:
            raise InvalidInput("max_chars is below 1", hint=f"use {MOST_READ_CHARS} or so")


class MemoryReader:
    """Reads the memory files of one workspace.

    Args:
        files: Finds and opens them, and takes the secrets out.
        workspace: The folder that relative paths begin in.
        extra: Further folders and files that may be read, absolute.
    """

    def __init__(
        self, files: MemoryFolder, workspace: Path | None, extra: Sequence[Path] = ()
    ) -> None:
        self._files = files
        self._workspace = None if workspace is None else workspace.absolute()
        self._extra = tuple(extra)

    def read(self, path: str, extent: Extent) -> ReadResult:
        """Return lines of a file.

        Raises:
            Denied: no memory file can have this path, or it is a link.
            InvalidInput: a number is below 1, or the path or the file cannot be read.
            StoreError: the file cannot be read.
        """
        extent.check()
        ref = self.ref_of(path)
        try:
            content, _ = self._files.text(self._find(ref))
        except NotFound:
            return ReadResult(status="not_found", path=ref, from_line=extent.from_line)
        return _cut(ref, lines_of(content), extent)

    def mentions(self, ref: str) -> tuple[tuple[int, int], ...]:
        """Return the lines of a file that name an observation, each with the number of that.

        Raises:
            NotFound: the file is gone.
            StoreError: the file cannot be read.
        """
        from recollect.text.markdown.mentions import mentions_in

        return mentions_in(self._files.text(self._find(ref))[0])

    def paths(self) -> list[str]:
        """Return the files that there are, as hits name them, sorted."""
        return sorted(file.ref for file in self._files.listing().files)

    def ref_of(self, path: str) -> str:
        """Return a path as hits name it: relative to the workspace, or absolute outside of it.

        A secret in it is marked, as in the refs of files: both names mean the file.

        Raises:
            Denied: it leads out with ``..``, or to nothing that could be a memory file.
            InvalidInput: it is none.
        """
        if not path or "\0" in path or not is_utf8(path):
            raise InvalidInput("the path must be text, not empty and without NUL", hint=_PATH_HINT)
        if ".." in path.split("/"):
            raise Denied("the path leaves its folder", hint=_PATH_HINT)
        ref = self._files.shown(relative_to(self._workspace, posixpath.normpath(path)))
        if not ref.endswith(".md"):
            raise Denied("only Markdown files are memory files", hint="name one that ends in .md")
        if self._root_of(ref) is None:
            raise Denied(
                "no memory file can be there",
                hint="name a file of MEMORY.md, memory/ or workspace.extra_paths",
            )
        return ref

    def _find(self, ref: str) -> MemoryFile:
        """Return a listed file; raise Denied if the file exists but is not listed."""
        if ref in DIARY and self._workspace is not None:
            return MemoryFile(ref=ref, root=self._workspace, path=ref, size=0, mtime_ns=0)
        try:
            return self._files.find(ref)
        except NotFound:
            if location := self._root_of(ref):
                with open_beneath(*location):
                    raise Denied(
                        "this file is not among the memory files", hint=_PATH_HINT
                    ) from None
            raise

    def _root_of(self, ref: str) -> tuple[Path, str] | None:
        """Return the root that a ref lies below and its path there; None below none."""
        if self._workspace is not None and (self._files.kind.accept(ref) or ref in DIARY):
            return self._workspace, ref
        for path in self._extra:
            # Empty for the workspace itself.
            prefix = self._files.shown(relative_to(self._workspace, f"{path}/"))
            if f"{ref}/" == prefix:
                return path.parent, path.name
            if ref.startswith(prefix or ref.lstrip("/")):
                return path, ref.removeprefix(prefix)
        return None


def lines_of(content: str) -> list[str]:
    """Return lines as hits count them; `str.splitlines` would also end one at a form feed."""
    lines = [line.removesuffix("\r") for line in content.split("\n")]
    return lines if lines[-1] else lines[:-1]


def _cut(path: str, every: list[str], extent: Extent) -> ReadResult:
    first = extent.from_line - 1
    window = every[first : first + (extent.lines or MOST_READ_LINES)]
    lines = _within(window, extent.max_chars)
    end = first + len(lines)
    is_cut = lines != window[: len(lines)]
    return ReadResult(
        path=path,
        text="\n".join(lines),
        from_line=extent.from_line,
        lines=len(lines),
        total_lines=len(every),
        truncated=is_cut or end < len(every),
        next_from=end + 1 if end < len(every) else None,
    )


def _within(lines: list[str], most: int) -> list[str]:
    """Return the first lines with at most ``most`` characters in all, line feeds counted."""
    length = -1
    for number, line in enumerate(lines):
        length += 1 + len(line)
        if length > most:
            return lines[:number] or [line[:most]]
    return lines
