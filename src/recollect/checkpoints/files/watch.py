"""Watching: which names in which folders may have changed, asked of Linux itself.

The kernel queues an event before the call that caused it returns, so whatever a command did is in
the queue when it ended: nothing is waited for, and no thread runs. Where anything is in doubt (the
queue was full, no watches left, another system, a disk of the network) everything is compared.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import sys
import termios
import weakref
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT = 0x400, 0x800, 0x2000
_FULL, _IGNORED, _ONLY_FOLDERS, _IS_FOLDER = 0x4000, 0x8000, 0x1000000, 0x40000000
_MASK = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
    | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS
)  # fmt: skip
_EVENT = struct.Struct("iIII")
_READ_BYTES = 1 << 20
_LOCAL = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "tmpfs", "xfs", "zfs"}
)
"""File systems whose files change through this kernel alone."""


class WatchRefused(Exception):
    """The system cannot watch here; everything is compared."""


class WatchedNames(NamedTuple):
    """What may have changed: names by folder, and the folders that are new under their names."""

    names: dict[str, set[str]]
    renewed: set[str]


class _Event(NamedTuple):
    watch: int
    mask: int
    name: str


class FolderWatch:
    """Watches folders below one root; call `close`, or let it go.

    Args:
        root: The folder.

    Raises:
        WatchRefused: the system cannot watch it.
    """

    def __init__(self, root: Path) -> None:
        if not sys.platform.startswith("linux") or not _is_local(root):
            raise WatchRefused
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            raise WatchRefused
        self._device = root.stat().st_dev
        self._folders: dict[int, str] = {}
        self._watches: dict[str, int] = {}
        self.close = weakref.finalize(self, os.close, self._queue)

    def add(self, folder: int, prefix: str) -> None:
        """Watch an open folder from now on.

        Raises:
            WatchRefused: it is of another file system, or the watches ran out.
        """
        if os.fstat(folder).st_dev != self._device:
            raise WatchRefused
        path = f"/proc/self/fd/{folder}".encode()
        watch = self._libc.inotify_add_watch(self._queue, path, _MASK)
        if watch < 0:
            raise WatchRefused
        self._folders[watch] = prefix
        self._watches[prefix] = watch

    def changes(self) -> WatchedNames:
        """Return what may have changed since this was asked last.

        Raises:
            WatchRefused: it is not known.
        """
        names: dict[str, set[str]] = {}
        renewed: set[str] = set()
        for event in self._events():
            prefix = self._folders.get(event.watch)
            if event.mask & (_FULL | _UNMOUNT) or (
                prefix == "" and event.mask & (_MOVE_SELF | _DELETE_SELF)
            ):
                raise WatchRefused
            if event.mask & _IGNORED:
                self._forget(event.watch)
            elif prefix is not None and event.name:
                names.setdefault(prefix, set()).add(event.name)
                if event.mask & _IS_FOLDER and not event.mask & _ATTRIB:
                    self._leave(f"{prefix}{event.name}/")
                    renewed.add(f"{prefix}{event.name}/")
        return WatchedNames(names, renewed)

    def _events(self) -> Iterator[_Event]:
        """Yield the events that wait now: a program that never rests would keep this busy."""
        waiting = array("i", [0])
        fcntl.ioctl(self._queue, termios.FIONREAD, waiting)
        while waiting[0] > 0:
            try:
                packed = os.read(self._queue, _READ_BYTES)
            except BlockingIOError:
                return
            waiting[0] -= len(packed)
            position = 0
            while position < len(packed):
                watch, mask, _, length = _EVENT.unpack_from(packed, position)
                position += _EVENT.size + length
                name = packed[position - length : position].rstrip(b"\0")
                yield _Event(watch, mask, os.fsdecode(name))

    def _leave(self, prefix: str) -> None:
        """Stop watching a folder that went, and all that is in it: it may be elsewhere now."""
        for path in [each for each in self._watches if each.startswith(prefix)]:
            watch = self._watches[path]
            self._libc.inotify_rm_watch(self._queue, watch)
            self._forget(watch)

    def _forget(self, watch: int) -> None:
        prefix = self._folders.pop(watch, None)
        if prefix is not None and self._watches.get(prefix) == watch:
            del self._watches[prefix]


def _is_local(root: Path) -> bool:
    """Return whether the file system of a folder is known to be changed by this kernel alone."""
    device = root.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    for mount in mounts.splitlines():
        before, _, after = mount.partition(" - ")
        if before.split(" ")[2:3] == [number]:
            return after.split(" ")[0] in _LOCAL
    return False
