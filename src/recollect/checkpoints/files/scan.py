"""Scans: which paths below a root are not as they were, in one walk over open folders.

A file whose mode, size, change time and inode are as before is not read again, and a folder whose
change time is as before is not listed again. Nothing is opened by a path: a folder that is swapped
for a link meanwhile leads nowhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

import msgspec

from recollect.checkpoints.files.state import ABSENT, PathState, mode_of, uncaptured
from recollect.checkpoints.files.tree import FOLDER, STAGED
from recollect.checkpoints.files.watch import FolderWatch, WatchRefused

Stamp: TypeAlias = tuple[int, int, int, int]
"""Mode, size, change time in ns and inode; of a folder the mode alone."""

AGAIN: Stamp = (0, 0, 0, 0)
"""The stamp of what is looked at again next time, whatever it is then."""
_TICK_NS = 20_000_000
"""A file that changes twice within a tick of the system's clock keeps its change time: ticks are
10 ms at most, and twice that is not trusted."""
_DEEPEST = 200
"""Nested folders; what is deeper is not entered."""


class PathEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A path as it was: how it looked, its state, and git's id where its objects have the bytes."""

    stamp: Stamp
    state: PathState
    oid: str = ""


class Folder(msgspec.Struct, array_like=True):
    """What is directly in a folder, and its change time when that was listed; 0 lists it again."""

    listed: int
    entries: dict[str, PathEntry]


class Difference(NamedTuple):
    """A path whose entry is another now; None where it is not there."""

    path: str
    before: PathEntry | None
    after: PathEntry | None


class Seen(NamedTuple):
    """A path that is new or looks other than before: where it is, and how it looks."""

    folder: int
    name: str
    path: str
    status: os.stat_result


class Scan:
    """One look at a root.

    Args:
        folders: What was there, by path with a slash at the end, the root as ``""``; changed to
            what is there.
        reader: Returns the state of a path that looks other than before, and git's id of its bytes.
        watch: Watches each folder from before it is listed; None for no watch.
        now_ns: The time, in ns UTC.

    Attributes:
        watch: The same; None once a folder could not be watched.
        differences: What is not as it was, in no order.
        changed: The folders whose entries are others now.
        gone: The folders that are not there any more.
    """

    def __init__(
        self,
        folders: dict[str, Folder],
        reader: Callable[[Seen], tuple[PathState, str]],
        watch: FolderWatch | None,
        now_ns: int,
    ) -> None:
        self._folders = folders
        self._read = reader
        self.watch = watch
        self._trusted = now_ns - _TICK_NS
        self.differences: list[Difference] = []
        self.changed: set[str] = set()
        self.gone: set[str] = set()

    def all(self, root: int) -> None:
        """Look at all paths below the open root."""
        self._visit(root, "", os.fstat(root).st_ctime_ns)

    def some(self, root: int, names: Mapping[str, Iterable[str]], renewed: set[str]) -> None:
        """Look at some names in some folders, and at all that is in folders that are new."""
        for prefix in sorted(names):
            folder = self._folders.get(prefix)
            opened = None if folder is None else _open_below(root, prefix)
            if folder is None or opened is None:
                continue  # it is gone: the folder that it was in says so
            try:
                folder.listed = 0
                inner = self._compare(opened, prefix, folder, names[prefix], is_all=False)
                for name, status in inner:
                    path = f"{prefix}{name}/"
                    if path in renewed or path not in self._folders:
                        self._enter(opened, prefix, name, status)
            finally:
                os.close(opened)

    def _visit(self, opened: int, prefix: str, changed_at: int) -> None:
        """Look at what is in an open folder, and below."""
        folder = self._folders.get(prefix)
        self._watch_folder(opened, prefix)
        if folder is None:
            folder = self._folders[prefix] = Folder(0, {})
            self.changed.add(prefix)
            self.gone.discard(prefix)
        is_listed = folder.listed == changed_at
        names = list(folder.entries) if is_listed else os.listdir(opened)
        is_text = is_listed or all(map(is_utf8, names))
        inner = self._compare(opened, prefix, folder, names, is_all=True)
        listed = changed_at if is_text and changed_at < self._trusted else 0
        if folder.listed != listed:
            folder.listed = listed
            self.changed.add(prefix)
        for name, status in inner:
            self._enter(opened, prefix, name, status)

    def _watch_folder(self, opened: int, prefix: str) -> None:
        if self.watch is not None:
            try:
                self.watch.add(opened, prefix)
            except WatchRefused:
                self.watch = None

    def _enter(self, opened: int, prefix: str, name: str, status: os.stat_result) -> None:
        path = f"{prefix}{name}/"
        if path.count("/") > _DEEPEST:
            self._lose(prefix, name)
            return
        try:
            inner = os.open(name, FOLDER, dir_fd=opened)
            try:
                self._visit(inner, path, status.st_ctime_ns)
            finally:
                os.close(inner)
        except FileNotFoundError:  # gone meanwhile
            self._drop(prefix, [name])
        except OSError:
            self._lose(prefix, name)

    def _compare(
        self, opened: int, prefix: str, folder: Folder, names: Iterable[str], *, is_all: bool
    ) -> list[tuple[str, os.stat_result]]:
        """Compare names in a folder with their entries; return the folders among them."""
        entries = folder.entries
        same = 0
        absent: list[str] = []
        fresh: dict[str, PathEntry] = {}
        inner = []
        for name in names:
            if name[0] == "." and _is_ours(prefix, name):
                continue
            try:
                status = os.stat(name, dir_fd=opened, follow_symlinks=False)
            except FileNotFoundError:
                absent.append(_text(name))
                continue
            except OSError:  # a folder may be listed that may not be searched
                fresh[_text(name)] = _UNREADABLE
                continue
            mode = status.st_mode
            stamp = (mode, status.st_size, status.st_ctime_ns, status.st_ino)
            if stat.S_ISDIR(mode):
                stamp = (mode, 0, 0, 0)
                if is_utf8(name):
                    inner.append((name, status))
            entry = entries.get(name)
            if entry is not None and entry.stamp == stamp:
                same += 1
            else:
                fresh[_text(name)] = self._entry(Seen(opened, name, prefix + name, status), stamp)
        if is_all and same < len(entries):
            absent += entries.keys() - set(map(_text, names))
        self._drop(prefix, [name for name in absent if name in entries])
        self._put(prefix, fresh)
        return inner

    def _entry(self, seen: Seen, stamp: Stamp) -> PathEntry:
        if not is_utf8(seen.name):
            return PathEntry(AGAIN, uncaptured("name"))
        if stat.S_ISDIR(seen.status.st_mode):
            return PathEntry(stamp, PathState(kind="folder", mode=mode_of(seen.status.st_mode)))
        state, oid = self._read(seen)
        is_sure = seen.status.st_ctime_ns < self._trusted and state.reason not in _PASSING
        return PathEntry(stamp if is_sure else AGAIN, state, oid)

    def _put(self, prefix: str, fresh: Mapping[str, PathEntry]) -> None:
        entries = self._folders[prefix].entries
        for name, entry in fresh.items():
            before = entries.get(name)
            if before == entry:
                continue
            if before and entry.state.kind != "folder" and entry is not _UNREADABLE:
                self._drop_inside(f"{prefix}{name}/")
            entries[name] = entry
            self.changed.add(prefix)
            if before is None or before.state != entry.state:
                self.differences.append(Difference(prefix + name, before, entry))

    def _drop(self, prefix: str, names: Iterable[str]) -> None:
        entries = self._folders[prefix].entries
        for name in names:
            self.changed.add(prefix)
            self.differences.append(Difference(prefix + name, entries.pop(name), None))
            self._drop_inside(f"{prefix}{name}/")

    def _drop_inside(self, prefix: str) -> None:
        folder = self._folders.get(prefix)
        if folder is not None:
            self._drop(prefix, list(folder.entries))
            del self._folders[prefix]
            self.changed.discard(prefix)
            self.gone.add(prefix)

    def _lose(self, prefix: str, name: str) -> None:
        """Say that what is in a folder is not known; of one never read, of the folder itself."""
        inside = f"{prefix}{name}/"
        if inside not in self._folders or not self._folders[inside].entries:
            self._put(prefix, {name: _UNREADABLE})
        else:
            self._lose_inside(inside)

    def _lose_inside(self, prefix: str) -> None:
        folder = self._folders[prefix]
        folder.listed = 0
        for name in folder.entries:
            if f"{prefix}{name}/" in self._folders:
                self._lose_inside(f"{prefix}{name}/")
        self._put(prefix, dict.fromkeys(folder.entries, _UNREADABLE))


_PASSING = frozenset({"no room", "changing", "unreadable"})
"""Reasons that may be gone at the next look, though the file looks the same."""
_UNREADABLE = PathEntry(AGAIN, uncaptured("unreadable"))


def is_utf8(name: str) -> bool:
    """Return whether a name as the system gives it can be stored as text."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def state_of(entry: PathEntry | None) -> PathState:
    """Return the state of an entry; absent where there is none."""
    return ABSENT if entry is None else entry.state


def _is_ours(prefix: str, name: str) -> bool:
    """Return whether a name is git's or a rewind's: neither is part of the tree."""
    return name.lower() == ".git" or (not prefix and name.startswith(STAGED))


def _text(name: str) -> str:
    return name if is_utf8(name) else os.fsencode(name).decode(errors="backslashreplace")


def _open_below(root: int, prefix: str) -> int | None:
    """Open a folder below the open root, no link followed; None where it is none any more."""
    opened = os.dup(root)
    for name in prefix.split("/")[:-1]:
        try:
            inner = os.open(name, FOLDER, dir_fd=opened)
        except OSError:
            return None
        finally:
            os.close(opened)
        opened = inner
    return opened
