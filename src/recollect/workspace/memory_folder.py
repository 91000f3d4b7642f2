"""Memory files: `MEMORY.md`, `USER.md`, `memory/**.md` and extra paths, listed, found and read.

Symbolic links, hard links and special files are left out, and so are names that are not UTF-8. What
cannot be looked into causes a warning, and is not taken for gone. A text is read with its secrets
taken out; so is a name: a ref is what may be shown of a path, and a file is found by both.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TypeAlias

import msgspec

from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.store.paths import FoundFile, list_files, read_beneath
from recollect.text.secret_redactor import SecretRedactor
from recollect.text.withheld import without_lines
from recollect.workspace.extra_paths import ExtraPath, FileTree, may_enter

FOLDER = "memory"
DIARY = ("DREAMS.md", "dreams.md")
"""Files at the top of a workspace that are read by name only, as OpenClaw reads its dreams."""
CURATED = ("MEMORY.md", "USER.md", "memory.md")
"""Files at the top of a workspace; `memory.md` as OpenClaw spelled it until 2026."""
_ENDING = ".md"
LARGEST_BYTES = 32 * 1024 * 1024


Withheld: TypeAlias = Callable[[], Mapping[str, frozenset[bytes]]]
"""Returns the hashes of the lines that are not shown now, by the absolute path of their file."""
DisplayName: TypeAlias = Callable[[str], str]
"""Returns a path without its secrets; one that has none as it is."""


class MemoryFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a root, under the ref by which it is indexed and read: its name without secrets."""

    ref: str
    root: Path
    path: str
    size: int
    mtime_ns: int
    withheld: frozenset[bytes] = frozenset()
    """Hashes of lines that are not shown, see `text.withheld`."""

    @property
    def stamp(self) -> str:
        """Changes when what is shown of the file may have changed."""
        stamp = f"{self.size}:{self.mtime_ns}"
        if not self.withheld:
            return stamp
        return f"{stamp}:{hashlib.sha256(b''.join(sorted(self.withheld))).hexdigest()[:16]}"


class MemoryListing(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a listing.

    Attributes:
        files: In order of their refs.
        warnings: One sentence for each path left out.
        closed: Refs, and beginnings of refs, of what could not be looked into.
        withheld: Which lines are not shown, as `Withheld` said.
    """

    files: tuple[MemoryFile, ...]
    warnings: tuple[str, ...]
    closed: tuple[str, ...]
    withheld: Mapping[str, frozenset[bytes]] = msgspec.field(default_factory=dict)

    def is_gone(self, ref: str) -> bool:
        """Return whether a file that was indexed no longer exists."""
        return not any(ref == path or ref.startswith(f"{path}/") for path in self.closed)


def is_memory_path(path: str) -> bool:
    """Return whether a path below a workspace can be one of its memory files.

    >>> is_memory_path("memory/deep/tea.md"), is_memory_path("memoryx/tea.md")
    (True, False)
    """
    return path in CURATED or (path.startswith(f"{FOLDER}/") and path.endswith(".md"))


def _may_hold_memory(path: str) -> bool:
    is_inside = path == FOLDER or path.startswith(f"{FOLDER}/")
    return is_inside and may_enter(path)


class FileKind(msgspec.Struct, frozen=True, kw_only=True):
    """Which paths below a folder are looked at.

    Attributes:
        accept: Chooses files by their path relative to the folder.
        enter: Chooses folders in the same way.
    """

    accept: Callable[[str], bool]
    enter: Callable[[str], bool]


MEMORY_FILES = FileKind(accept=is_memory_path, enter=_may_hold_memory)
"""Those of a workspace."""


def memory_trees(workspace: Path | None, extra: Sequence[ExtraPath]) -> tuple[FileTree, ...]:
    """Return the places in which memory files are or may appear, for a watcher."""
    trees = [] if workspace is None else [_workspace_tree(workspace)]
    for each in extra:
        is_file = not each.pattern and _is_markdown(each.path.name) and not each.path.is_dir()
        trees.append(_file_tree(each.path) if is_file else _folder_tree(each))
    return tuple(trees)


def list_memory(
    workspace: Path | None,
    extra: Sequence[ExtraPath],
    only: frozenset[str] | None = None,
    kind: FileKind | None = None,
    display: DisplayName = str,
) -> MemoryListing:
    """Return the memory files of a workspace and of extra paths; a file is listed once.

    Args:
        workspace: Its folder, or None.
        extra: Locations of more of them.
        only: Look at these files of the workspace alone; at all if not given.
        kind: Which files of the workspace; `MEMORY_FILES` if not given.
        display: Returns what may be shown of a path.
    """
    collected = _Found(display)
    if workspace is not None:
        _list_tree(collected, _workspace_tree(workspace, only, kind or MEMORY_FILES), "")
    for path in extra:
        _list_extra(collected, path, workspace)
    files = tuple(collected.files[ref] for ref in sorted(collected.files))
    return MemoryListing(
        files=files, warnings=tuple(collected.warnings), closed=tuple(sorted(collected.closed))
    )


class MemoryFolder:
    """Lists and reads memory files.

    Args:
        workspace: The folder of MEMORY.md and memory/; None for extra paths only.
        extra: More Markdown files, or folders of them.
        redactor: Takes secrets out of a text; None leaves it as it is.
        withheld: Which lines are not shown; all are if not given.
        kind: Which paths below the workspace are its memory files.
    """

    def __init__(
        self,
        workspace: Path | None,
        extra: Sequence[ExtraPath] = (),
        *,
        redactor: SecretRedactor | None,
        withheld: Withheld = dict,
        kind: FileKind = MEMORY_FILES,
    ) -> None:
        self.workspace = workspace
        self.extra = tuple(extra)
        self.withheld = withheld
        self.kind = kind
        self._redactor = redactor
        self.shown: DisplayName = str if redactor is None else redactor.path
        """Returns the ref of a path."""

    def listing(self, only: frozenset[str] | None = None) -> MemoryListing:
        """Return the files that are there, and what was left out.

        Args:
            only: Look at these files of the workspace alone, see `named`; at all if not given.
        """
        extra = self.extra if only is None else ()
        listing = list_memory(self.workspace, extra, only, self.kind, self.shown)
        withheld = self.withheld()
        if not withheld:
            return listing
        files = tuple(_withholding(file, withheld) for file in listing.files)
        return msgspec.structs.replace(listing, files=files, withheld=withheld)

    def named(self, paths: Collection[str]) -> frozenset[str] | None:
        """Return the refs of files that changed; None where more than these may have changed.

        That is so for folders, for names with a secret, and for extra paths, which may show one
        file under several names.
        """
        if self.workspace is None:
            return None
        refs = frozenset(os.path.relpath(path, self.workspace) for path in paths)
        is_plain = all(self.kind.accept(ref) and self.shown(ref) == ref for ref in refs)
        is_all = is_plain and not any(map(os.path.isdir, paths))
        return refs if is_all else None

    def find(self, ref: str) -> MemoryFile:
        """Return one file by its ref.

        Raises:
            NotFound: no memory file has it.
        """
        match = next((file for file in self.listing().files if file.ref == ref), None)
        if match is None:
            hint = "paths are as `recollect search` prints them"
            raise NotFound("there is no such memory file", hint=hint)
        return match

    def text(self, file: MemoryFile) -> tuple[str, list[str]]:
        """Return the text of a file that may be shown, line numbers kept, and warnings.

        Raises:
            InvalidInput: it is binary or too large.
            RecollectError: it cannot be read.
        """
        content = read_beneath(file.root, file.path, limit=LARGEST_BYTES)
        content = without_lines(content, file.withheld)
        if b"\0" in content:
            raise InvalidInput(
                "the file is binary", hint="give it another ending than .md", path=file.ref
            )
        warnings = []
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("utf-8-sig", errors="replace")
            warnings.append(f"{file.ref}: bytes that are not UTF-8 were replaced")
        return (self._redactor.lines(text) if self._redactor else text), warnings


class _Found:
    """The result of a listing so far."""

    def __init__(self, display: DisplayName) -> None:
        self._display = display
        self.files: dict[str, MemoryFile] = {}
        self.warnings: list[str] = []
        self.closed: set[str] = set()
        self._keys: set[str] = set()
        self._roots: dict[Path, str] = {}

    def add(self, root: Path, file: FoundFile, prefix: str) -> None:
        ref = prefix + file.path
        key = f"{self._real(root)}/{file.path}"  # a Path would take longer than all the rest
        if not is_utf8(ref):
            self.leave_out(ref, "its name is not UTF-8")
        elif _CONTROL.search(ref):
            self.leave_out(ref, "its name has control characters")
        elif not (display := self._display(ref)).endswith(_ENDING) or display in self.files:
            if key not in self._keys:
                self.leave_out(ref, "its name holds a secret")
        elif key not in self._keys:
            self._keys.add(key)
            self.files[display] = MemoryFile(
                ref=display, root=root, path=file.path, size=file.size, mtime_ns=file.mtime_ns
            )

    def _real(self, root: Path) -> str:
        """Return a root without links above it: below it there are none."""
        if root not in self._roots:
            self._roots[root] = str(root.resolve())
        return self._roots[root]

    def leave_out(self, ref: str, reason: str, *, is_closed: bool = False) -> None:
        display = self._display(_printable(ref))
        self.warnings.append(f"{display}: left out, {reason}")
        if is_closed:
            self.closed.add(display)


def _withholding(file: MemoryFile, withheld: Mapping[str, frozenset[bytes]]) -> MemoryFile:
    lines = withheld.get(f"{file.root.resolve()}/{file.path}")
    return file if lines is None else msgspec.structs.replace(file, withheld=lines)


def _workspace_tree(
    workspace: Path, only: frozenset[str] | None = None, kind: FileKind | None = None
) -> FileTree:
    kind = kind or MEMORY_FILES
    if only is None:
        return FileTree(root=workspace, accept=kind.accept, enter=kind.enter)
    folders = {str(parent) for path in only for parent in PurePath(path).parents}
    enter = {folder for folder in folders if kind.enter(folder)}.__contains__
    return FileTree(root=workspace, accept=only.__contains__, enter=enter)


def _folder_tree(extra: ExtraPath) -> FileTree:
    return FileTree(root=extra.path, accept=extra.accepts, enter=may_enter)


def _file_tree(path: Path) -> FileTree:
    return FileTree(root=path.parent, accept=path.name.__eq__, enter=lambda _: False)


def _list_tree(collected: _Found, tree: FileTree, prefix: str) -> None:
    try:
        listing = list_files(tree.root, accept=tree.accept, enter=tree.enter)
    except NotFound:
        collected.leave_out(str(tree.root), "it is not there")
        return
    except RecollectError as error:
        collected.leave_out(prefix.rstrip("/") or FOLDER, error.message, is_closed=True)
        collected.closed.update(() if prefix else CURATED)
        return
    for file in listing.files:
        collected.add(tree.root, file, prefix)
    for skipped in listing.skipped:
        is_closed = skipped.reason == "unreadable"
        collected.leave_out(prefix + skipped.path, skipped.reason, is_closed=is_closed)


def relative_to(workspace: Path | None, path: str) -> str:
    """Return an absolute path as people see it: from the workspace on, where it is inside."""
    roots = set() if workspace is None else {str(workspace.absolute()), str(workspace.resolve())}
    for root in sorted(roots):
        if path.startswith(f"{root}/"):
            return path.removeprefix(f"{root}/")
    return path


def _list_extra(collected: _Found, extra: ExtraPath, workspace: Path | None) -> None:
    path, ref = extra.path, relative_to(workspace, str(extra.path))
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        collected.leave_out(ref, "it is not there")
    except OSError:
        collected.leave_out(ref, "unreadable", is_closed=True)
    else:
        if stat.S_ISDIR(mode):
            prefix = relative_to(workspace, f"{path}/".replace("//", "/"))
            _list_tree(collected, _folder_tree(extra), prefix)
        elif stat.S_ISLNK(mode):
            collected.leave_out(ref, "symlink")
        elif not _is_markdown(path.name):
            collected.leave_out(ref, "neither a folder nor Markdown")
        else:
            prefix = relative_to(workspace, f"{path.parent}/".replace("//", "/"))
            _list_tree(collected, _file_tree(path), prefix)


def _is_markdown(path: str) -> bool:
    return path.endswith(_ENDING)


def is_utf8(name: str) -> bool:
    """Return whether a name can be stored; the others come from the system with lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""In a name they would forge lines wherever it is shown: on a screen, in a prompt, in a log."""


def _printable(name: str) -> str:
    printable = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", name)
    return printable.encode("utf-8", "replace").decode()
