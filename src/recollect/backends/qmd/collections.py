"""The collections of one workspace: the files that the command indexes, and the files of its hits.

They and the command's index are in a folder of the home, one for each workspace; the user's own
collections are neither read nor changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import yaml

from recollect.store.failures import translate_os
from recollect.store.files import private_folder, write_file
from recollect.workspace.extra_paths import ExtraPath
from recollect.workspace.memory_folder import CURATED, FOLDER

INDEX = "index.sqlite"
_ADDRESS = re.compile(r"qmd://([^/]+)/(.+)", re.DOTALL)
_PLAIN = re.compile(r"[^\w .-]")


class Collection(msgspec.Struct, frozen=True, kw_only=True):
    """A folder and the patterns of its files."""

    path: Path
    pattern: str


class Collections:
    """The collections of one workspace.

    Args:
        home: The folder with the folders of all workspaces.
        workspace: The folder of the memory files, or None.
        extra: Further files and folders.
        cache: The command's folder of models; all homes share it.
        program_path: The search path of programs: the command needs Node.
    """

    def __init__(
        self,
        home: Path,
        workspace: Path | None,
        extra: Sequence[ExtraPath],
        *,
        cache: Path,
        program_path: str,
    ) -> None:
        self._workspace = workspace
        self._extra = tuple(extra)
        self._collections = _collections(workspace, extra)
        self.folder = home / _digest(*self._collections, str(workspace))[:16]
        self._cache = cache
        self._program_path = program_path

    def environ(self) -> Mapping[str, str]:
        """Return the environment of the command: of the user's variables only the program path."""
        return {
            "PATH": self._program_path,
            "HOME": str(self.folder),
            "INDEX_PATH": str(self.folder / INDEX),
            "QMD_CONFIG_DIR": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self._cache),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
        }

    def write(self) -> None:
        """Make the folder and configure what the command indexes.

        Raises:
            Denied: the folder belongs to another user.
            StoreError: it cannot be written.
        """
        private_folder(self.folder)
        private_folder(self._cache)
        entries = {
            name: {"path": str(each.path), "pattern": each.pattern}
            for name, each in self._collections.items()
        }
        content = yaml.safe_dump({"collections": entries}, allow_unicode=True, sort_keys=True)
        write_file(self.folder / "index.yml", content.encode())

    def drop_index(self) -> None:
        """Remove the command's index, so that it builds a new one.

        Raises:
            StoreError: it cannot be removed.
        """
        for path in self.folder.glob(f"{INDEX}*"):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise translate_os(error, path) from error

    def path_of(self, address: str) -> Path | None:
        """Return the path of the file of a hit, or None when it is in none of the collections."""
        match = _ADDRESS.fullmatch(address)
        collection = self._collections.get(match[1]) if match else None
        return None if match is None or collection is None else collection.path / match[2]


def _collections(workspace: Path | None, extra: Sequence[ExtraPath]) -> dict[str, Collection]:
    collections: dict[str, Collection] = {}
    if workspace is not None:
        pattern = "{" + ",".join([*CURATED, f"{FOLDER}/**/*.md"]) + "}"
        collections["workspace"] = Collection(path=workspace.absolute(), pattern=pattern)
    for each in extra:
        collections[f"extra-{_digest(str(each.path), each.pattern)[:8]}"] = _extra_collection(each)
    return collections


def _extra_collection(extra: ExtraPath) -> Collection:
    if extra.pattern or extra.path.is_dir() or extra.path.suffix != ".md":
        return Collection(path=extra.path, pattern=extra.pattern or "**/*.md")
    # For one file, "?" replaces each character that is special in patterns.
    return Collection(path=extra.path.parent, pattern=_PLAIN.sub("?", extra.path.name))


def _digest(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
