"""Manifests: the states of all paths below a root, and which changed since it was last looked at.

A file whose mode, size, times and inode are as before is not read again. What changed while a
command ran is what it changed; the rest was somebody else.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.checkpoints.contents import Contents
from recollect.checkpoints.rows import Change
from recollect.checkpoints.state import ABSENT, PathState, mode_of, uncaptured
from recollect.checkpoints.tree import STAGED, Look, Tree
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

_LOAD: LiteralString = "SELECT path, stamp, state FROM manifests WHERE root = ?"
_PUT: LiteralString = """
    INSERT INTO manifests (root, path, stamp, state) VALUES (?, ?, ?, ?)
    ON CONFLICT (root, path) DO UPDATE SET stamp = excluded.stamp, state = excluded.state
"""
_DROP: LiteralString = "DELETE FROM manifests WHERE root = ? AND path = ?"
_BATCH_BYTES = 32 << 20
"""Contents that are stored in one transaction."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Up to where contents are kept.

    Attributes:
        file_bytes: Of one file.
        root_bytes: Of all files of a root together.
    """

    file_bytes: int = 8 << 20
    root_bytes: int = 2 << 30


class _Entry(msgspec.Struct, frozen=True):
    stamp: str
    state: PathState


class Manifest:
    """The paths below one root.

    Args:
        contents: Where the bytes of files are kept.
        root: The folder, as `Path.resolve` returns it.
        limits: Up to where they are kept.
        is_excluded: Whether a path is only listed.
    """

    def __init__(
        self,
        contents: Contents,
        root: Path,
        limits: Limits,
        is_excluded: Callable[[str], bool],
    ) -> None:
        self._database = contents.database
        self._contents = contents
        self._root = root
        self._limits = limits
        self._is_excluded = is_excluded
        self._entries: dict[str, _Entry] | None = None

    def update(self) -> list[Change]:
        """Look at the root again; return what changed since it was looked at last, by path.

        The contents of what is new are durable when it returns. At the first time everything is
        new.

        Raises:
            NotFound: the root is not a folder.
            StoreError: something could not be stored.
        """
        entries = self._loaded()
        stamps = dict(scan(self._root))
        changed = [
            path
            for path, stamp in stamps.items()
            if path not in entries or entries[path].stamp != stamp
        ]
        fresh = dict(self._read(changed, stamps, entries))
        gone = [path for path in entries if path not in stamps]
        changes = [
            Change(path=path, before=_state_of(entries, path), after=_state_of(fresh, path))
            for path in sorted([*fresh, *gone])
        ]
        self._store(fresh, gone)
        entries.update(fresh)
        for path in gone:
            del entries[path]
        return [each for each in changes if each.before != each.after]

    def states(self) -> Iterator[PathState]:
        """Yield the states of all paths when the root was looked at last."""
        return (entry.state for entry in self._loaded().values())

    def _loaded(self) -> dict[str, _Entry]:
        if self._entries is None:
            rows = self._database.read(lambda tx: tx.all(_LOAD, (str(self._root),)))
            self._entries = {
                path: _Entry(stamp, msgspec.json.decode(state, type=PathState))
                for path, stamp, state in typed_rows(rows, tuple[str, str, str])
            }
        return self._entries

    def _read(
        self, paths: Iterable[str], stamps: Mapping[str, str], entries: Mapping[str, _Entry]
    ) -> Iterator[tuple[str, _Entry]]:
        """Yield the entries of some paths; their contents are stored, as long as there is room."""
        room = self._limits.root_bytes - self._contents.usage().size
        batch: dict[str, bytes] = {}
        bases: dict[str, str] = {}
        size = 0
        with Tree(self._root) as tree:
            for path in paths:
                look = self._look(tree, path, room)
                state = look.state
                if look.content is not None and state.digest is not None:
                    room -= state.size
                    size += state.size
                    batch[state.digest] = look.content
                    before = entries.get(path)
                    if before is not None and before.state.digest:
                        bases[state.digest] = before.state.digest
                yield path, _Entry(stamps[path], state)
                if size > _BATCH_BYTES:
                    self._contents.put(batch.values(), bases)
                    batch.clear()
                    size = 0
        self._contents.put(batch.values(), bases)

    def _look(self, tree: Tree, path: str, room: int) -> Look:
        if self._is_excluded(path):
            return Look(uncaptured("excluded"))
        look = tree.look(path, most_bytes=self._limits.file_bytes)
        return Look(uncaptured("no room")) if look.state.size > room else look

    def _store(self, fresh: Mapping[str, _Entry], gone: Iterable[str]) -> None:
        root = str(self._root)
        rows = [
            (root, path, entry.stamp, msgspec.json.encode(entry.state).decode())
            for path, entry in fresh.items()
        ]

        def unit(tx: Transaction) -> None:
            tx.executemany(_PUT, rows)
            tx.executemany(_DROP, [(root, path) for path in gone])

        if rows or gone:
            self._database.write(unit)


def scan(root: Path) -> Iterator[tuple[str, str]]:
    """Yield each path below a root, links not followed, with how it looks; nothing of ``.git``."""
    pending = [("", os.fspath(root))]
    while pending:
        prefix, folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = prefix + entry.name
                    if entry.name == ".git" or (not prefix and entry.name.startswith(STAGED)):
                        continue
                    there = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(there.st_mode):
                        pending.append((f"{name}/", entry.path))
                        yield name, f"folder {mode_of(there.st_mode)}"
                    else:
                        yield (
                            name,
                            (
                                f"{there.st_mode} {there.st_size} {there.st_mtime_ns}"
                                f" {there.st_ctime_ns} {there.st_ino}"
                            ),
                        )
        except OSError:  # gone meanwhile, or not ours to read
            continue


def _state_of(entries: Mapping[str, _Entry], path: str) -> PathState:
    entry = entries.get(path)
    return ABSENT if entry is None else entry.state
