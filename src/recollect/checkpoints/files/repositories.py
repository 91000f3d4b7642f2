"""Which git repository a file below a root is in."""

from __future__ import annotations

from pathlib import Path

from recollect.checkpoints.files.git_index import Repository, open_repository
from recollect.checkpoints.files.git_objects import has_git


class Repositories:
    """The git repositories that files of a root are in.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._by_folder: dict[str, tuple[Repository | None, str]] = {}
        self._has_git: bool | None = None

    def of(self, path: str) -> tuple[Repository | None, str]:
        """Return the repository of a path below the root, and the path below its work tree."""
        folder, _, name = path.rpartition("/")
        if self._has_git is None:
            self._has_git = has_git()
        if not self._has_git:
            return None, ""
        repository, prefix = self._at(folder)
        return repository, prefix + name

    def _at(self, folder: str) -> tuple[Repository | None, str]:
        """Return the repository of a folder, and the prefix of its files below the work tree."""
        if folder not in self._by_folder:
            path = self._root / folder
            if (path / ".git").exists():
                self._by_folder[folder] = open_repository(path), ""
            elif folder:
                outer, _, name = folder.rpartition("/")
                repository, prefix = self._at(outer)
                self._by_folder[folder] = repository, f"{prefix}{name}/"
            else:
                self._by_folder[folder] = _around(self._root)
        return self._by_folder[folder]


def _around(root: Path) -> tuple[Repository | None, str]:
    """Return the repository that a root is inside of, and the prefix of its files."""
    for outer in root.parents:
        if (outer / ".git").exists():
            return open_repository(outer), f"{root.relative_to(outer).as_posix()}/"
    return None, ""
