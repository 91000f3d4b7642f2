"""Places of files: which files below a folder are meant, and which folders to look into."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec


class Place(msgspec.Struct, frozen=True, kw_only=True):
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
        chosen = self.enter if is_folder else self.accept
        return all(map(self.enter, chain)) and chosen(relative)

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
