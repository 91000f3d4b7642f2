"""Power cuts in a command that makes, renames and removes files beside what SQLite does.

`recollect.testing.vfs_power` knows the calls of SQLite in one folder. Here a whole tree is looked
at after each call to the disk: what it holds, what of it was synced, and which names. After a cut a
file holds what was synced of it, what was written since, or sectors of both; names are those of the
last synced folder or of any moment since, for a file system keeps them in order.

Looking opens and closes the files of databases, which drops the locks that SQLite has on them: this
is for commands in which one connection writes, not for several threads of a memory.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
from msgspec import Struct

from recollect.testing.vfs_disk import FileName

SECTOR = 512
NAMING = {"open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.link", "ctypes.dlopen"}
OWNER_ONLY = 0o700


class Moment(Struct, frozen=True):
    """The disk after a call.

    Attributes:
        names: Of files, with their inodes; of folders, with None.
        contents: By inode, as programs read them.
        synced: By inode, as they survive.
        first: The earliest moment whose names may be those after a cut.
        marks: What the test had been told before.
    """

    names: dict[str, int | None]
    contents: dict[int, bytes]
    synced: dict[int, bytes]
    first: int
    marks: tuple[str, ...]


class Recording:
    """Looks at a tree after each call to the disk.

    Args:
        root: The tree; what is there at the beginning is synced.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.moments: list[Moment] = []
        self._mutex = threading.RLock()
        self._marks: tuple[str, ...] = ()
        names, contents = self._look()
        self.moments.append(Moment(names, contents, contents, 0, ()))

    def note(self) -> None:
        """Look at the tree."""
        with self._mutex:
            last = self.moments[-1]
            names, contents = self._look()
            same = [each for each in contents if last.contents.get(each) == contents[each]]
            contents |= {each: last.contents[each] for each in same}  # one copy in memory
            if names != last.names or len(same) < len(contents):
                there = contents.keys() | set(self._inodes_since(last.first))
                synced = {id_: kept for id_, kept in last.synced.items() if id_ in there}
                self._add(names, last.contents | contents, synced, last.first)

    def sync(self, inode: int) -> None:
        """Take what a file holds for written."""
        with self._mutex:
            self.note()
            last = self.moments[-1]
            synced = last.synced | {inode: last.contents.get(inode, b"")}
            self._add(last.names, last.contents, synced, last.first)

    def sync_names(self) -> None:
        """Take all names for written."""
        with self._mutex:
            self.note()
            last = self.moments[-1]
            self._add(last.names, last.contents, last.synced, len(self.moments))

    def mark(self, what: str) -> None:
        """Note that something was promised."""
        with self._mutex:
            self.note()
            self._marks += (what,)
            last = self.moments[-1]
            self._add(last.names, last.contents, last.synced, last.first)

    def cuts(self, count: int, chance: random.Random) -> Iterator[Moment]:
        """Yield what is there after power cuts at random calls, one in four at the end."""
        end = len(self.moments) - 1
        early = chance.choices(range(end), k=count - count // 4)
        for at in sorted([*early, *[end] * (count // 4)]):
            moment = self.moments[at]
            names = self.moments[chance.randint(moment.first, at)].names
            files = {id_ for id_ in names.values() if id_ is not None}
            contents = {id_: _survivor(moment, id_, chance) for id_ in files}
            yield Moment(names, contents, contents, at, moment.marks)

    def _add(
        self,
        names: dict[str, int | None],
        contents: dict[int, bytes],
        synced: dict[int, bytes],
        first: int,
    ) -> None:
        self.moments.append(Moment(names, contents, synced, first, self._marks))

    def _inodes_since(self, first: int) -> Iterator[int]:
        for moment in self.moments[first:]:
            yield from (id_ for id_ in moment.names.values() if id_ is not None)

    def _look(self) -> tuple[dict[str, int | None], dict[int, bytes]]:
        names: dict[str, int | None] = {}
        contents: dict[int, bytes] = {}
        _inside.looks = True
        for folder, folders, files in os.walk(self.root):
            above = Path(folder).relative_to(self.root)
            names |= {str(above / name): None for name in folders}
            for name in files:
                self._read(Path(folder, name), str(above / name), names, contents)
        _inside.looks = False
        return names, contents

    def _read(
        self, path: Path, name: str, names: dict[str, int | None], contents: dict[int, bytes]
    ) -> None:
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:  # another thread removed it
            return
        with os.fdopen(descriptor, "rb") as file:
            inode = os.fstat(descriptor).st_ino
            # What SQLite maps is not written by calls, and made again by whoever opens it next.
            contents[inode] = b"" if name.endswith("-shm") else file.read()
            names[name] = inode


_active: list[Recording] = []
_is_hooked = False


def write_to(folder: Path, cut: Moment) -> None:
    """Make the tree of a cut; two names of one inode are one file."""
    folder.mkdir()
    for name in sorted(name for name, inode in cut.names.items() if inode is None):
        (folder / name).mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
    for name, inode in cut.names.items():
        if inode is not None and (folder / name).parent.is_dir():
            (folder / name).write_bytes(cut.contents[inode])


@contextmanager
def recorded(root: Path) -> Iterator[Recording]:
    """Look at every call that the block makes to the disk below a folder."""
    recording, syncs = Recording(root), (os.fsync, os.fdatasync)

    def sync(descriptor: int) -> None:
        syncs[0](descriptor)
        is_folder = Path(f"/proc/self/fd/{descriptor}").is_dir()
        recording.sync_names() if is_folder else recording.sync(os.fstat(descriptor).st_ino)

    _hook()
    vfs = _Vfs(recording)
    for name in ("fsync", "fdatasync"):
        setattr(os, name, sync)  # no audit hook hears of it
    _active.append(recording)
    try:
        yield recording
        recording.note()
    finally:
        _active.clear()
        os.fsync, os.fdatasync = syncs
        vfs.unregister()


def _hook() -> None:
    """Hear of names that are made; the hook stays, and is deaf outside of a recording."""
    global _is_hooked
    if not _is_hooked:
        sys.addaudithook(_heard)
        _is_hooked = True


_inside = threading.local()


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    """Look at what the calls before this one left."""
    if not _active or event not in NAMING or getattr(_inside, "looks", False):
        return
    for recording in _active:
        if event == "ctypes.dlopen" or str(recording.root) in str(arguments[0]):
            recording.note()


class _Vfs(apsw.VFS):
    """The system's VFS, for all files of the process, which tells of what is written."""

    def __init__(self, recording: Recording) -> None:
        self.system = apsw.vfs_names()[0]
        super().__init__("recorded tree", self.system, makedefault=True)
        self.recording = recording

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's
        return _File(name, flags, self)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  # SQLite's
        super().xDelete(filename, syncdir)
        self.recording.sync_names() if syncdir else self.recording.note()


class _File(apsw.VFSFile):
    """A file of `_Vfs`; a log that may be made syncs its folder once, as with the unix VFS."""

    def __init__(self, name: FileName, flags: list[int], vfs: _Vfs) -> None:
        is_log = not flags[0] & apsw.SQLITE_OPEN_MAIN_DB
        self._owes_names = bool(flags[0] & apsw.SQLITE_OPEN_CREATE) and is_log
        super().__init__(vfs.system, name, flags)
        self._recording = vfs.recording
        self._path = name if isinstance(name, str) else name and name.filename()

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # SQLite's
        super().xWrite(data, offset)
        self._recording.note()

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  # SQLite's
        super().xTruncate(newsize)
        self._recording.note()

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's
        super().xSync(flags)
        if self._path and os.path.exists(self._path):
            self._recording.sync(os.stat(self._path).st_ino)
        if self._owes_names:
            self._owes_names = False
            self._recording.sync_names()


def _survivor(moment: Moment, inode: int, chance: random.Random) -> bytes:
    """Choose what a file holds after a cut."""
    old, new = moment.synced.get(inode, b""), moment.contents.get(inode, b"")
    match "all" if old == new else chance.choice(("none", "all", "torn", "mixed")):
        case "none":
            return old
        case "all":
            return new
        case "torn":
            return new[: chance.randint(len(old), len(new))] if new.startswith(old) else old
        case _:
            longest = max(len(old), len(new))
            sectors = range(0, longest, SECTOR)
            picked = (chance.choice((old, new))[at : at + SECTOR] for at in sectors)
            return b"".join(
                part.ljust(min(SECTOR, longest - at), b"\0")
                for at, part in zip(sectors, picked, strict=True)
            )
