"""The collections of one workspace: what the command indexes, and which file a hit of it means.

They and the command's index lie in a folder of the home, one for each workspace; the user's own
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
    """A folder and which of its files are meant."""

    path: Path
    pattern: str


class Collections:
    """What the command knows of one workspace.

    Args:
        home: Where the folders of all workspaces are.
        workspace: The folder of the memory files, or None.
        extra: More of them.
        cache: Where the command keeps its models; all homes share them.
        program_path: Where programs are found: the command needs Node.
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
        """Return all variables of the command: nothing of the user's but where programs are."""
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
        """Make the folder, and tell the command what to index.

        Raises:
            Denied: the folder belongs to somebody else.
            StoreError: it cannot be written.
        """
        private_folder(self.folder)
        private_folder(self._cache)
        named = {
            name: {"path": str(each.path), "pattern": each.pattern}
            for name, each in self._collections.items()
        }
        content = yaml.safe_dump({"collections": named}, allow_unicode=True, sort_keys=True)
        write_file(self.folder / "index.yml", content.encode())

    def drop_index(self) -> None:
        """Remove the command's index, so that it makes another one.

        Raises:
            StoreError: it cannot be removed.
        """
        for path in self.folder.glob(f"{INDEX}*"):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise translate_os(error, path) from error

    def place(self, address: str) -> Path | None:
        """Return where the file of a hit is, or None when it is of no collection of ours."""
        found = _ADDRESS.fullmatch(address)
        collection = self._collections.get(found[1]) if found else None
        return None if found is None or collection is None else collection.path / found[2]


def _collections(workspace: Path | None, extra: Sequence[ExtraPath]) -> dict[str, Collection]:
    named: dict[str, Collection] = {}
    if workspace is not None:
        pattern = "{" + ",".join([*CURATED, f"{FOLDER}/**/*.md"]) + "}"
        named["workspace"] = Collection(path=workspace.absolute(), pattern=pattern)
    for each in extra:
        named[f"extra-{_digest(str(each.path), each.pattern)[:8]}"] = _extra_collection(each)
    return named


def _extra_collection(extra: ExtraPath) -> Collection:
    if extra.pattern or extra.path.is_dir() or extra.path.suffix != ".md":
        return Collection(path=extra.path, pattern=extra.pattern or "**/*.md")
    # A file: "?" replaces each character that has a meaning in patterns.
    return Collection(path=extra.path.parent, pattern=_PLAIN.sub("?", extra.path.name))


def _digest(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
