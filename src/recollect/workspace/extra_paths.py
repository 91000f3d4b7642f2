"""Places of files: which files below a folder are meant, and which folders to look into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from recollect.core.settings import matches, user_path


class FileTree(msgspec.Struct, frozen=True, kw_only=True):
    """Some files below a folder.

    Attributes:
        root: The folder, absolute; it need not exist.
        accept: Chooses files by their path relative to the root.
        enter: Chooses folders in the same way.
    """

    root: Path
    accept: Callable[[str], bool]
    enter: Callable[[str], bool]

    def holds(self, path: str, *, is_folder: bool) -> bool:
        """Return whether a path is that of a file that is meant, or of a folder to look into."""
        relative = os.path.relpath(path, self.root)
        if relative.startswith(".."):
            return False
        folders = relative.split("/")[:-1]
        chain = ("/".join(folders[: n + 1]) for n in range(len(folders)))
        accepts = self.enter if is_folder else self.accept
        return all(map(self.enter, chain)) and accepts(relative)

    def folders(self) -> Iterator[str]:
        """Yield the root and the folders below it that are to be looked into, where they exist.

        Links are not followed; what cannot be read is left out.
        """
        if self.root.is_dir() and not self.root.is_symlink():
            yield str(self.root)
            yield from self._below(str(self.root), "")

    def _below(self, folder: str, prefix: str) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                inner = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            return
        for entry in inner:
            relative = prefix + entry.name
            if self.enter(relative):
                yield entry.path
                yield from self._below(entry.path, f"{relative}/")


IGNORED = frozenset(
    {".git", ".hg", ".svn", ".tox", ".venv", "venv", "node_modules", ".pnpm-store", "__pycache__"}
)
"""Folders of programs: a thousand README files of packages are not memory, and watching them took
the handles of whole machines."""
_MAGIC = frozenset("*?[")


class ExtraPath(msgspec.Struct, frozen=True, kw_only=True):
    """A location of more memory files.

    Attributes:
        path: A file or a folder, absolute.
        pattern: What files of the folder must match, by their path in it; empty for all.
            ``*`` and ``?`` stand within a name, ``**`` for any number of folders.
    """

    path: Path
    pattern: str = ""

    def accepts(self, relative: str) -> bool:
        """Return whether a file of the folder is meant; only Markdown is.

        >>> ExtraPath(path=Path("/notes"), pattern="**/2026-*.md").accepts("a/b/2026-05-04.md")
        True
        """
        if not relative.endswith(".md"):
            return False
        return not self.pattern or matches(relative, self.pattern)


def extra_path(entry: str, workspace: Path | None) -> ExtraPath:
    """Return the path and the pattern of an entry of ``workspace.extra_paths``.

    Args:
        entry: With ``~`` for the user's home; a relative one begins in the workspace.
        workspace: The folder of the workspace, or None for the folder of the process.
    """
    whole = user_path(entry)
    if workspace is not None:
        whole = workspace / whole
    parts = whole.absolute().parts
    first = next((n for n, part in enumerate(parts) if _MAGIC & set(part)), len(parts))
    return ExtraPath(path=Path(*parts[:first]), pattern="/".join(parts[first:]))


def may_enter(folder: str) -> bool:
    """Return whether a folder, by its path below a root, may hold memory."""
    return folder.rpartition("/")[2] not in IGNORED
