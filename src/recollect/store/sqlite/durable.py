"""The commits that are on the disk, shared by all processes that write one database.

A commit that waits for the disk inside its turn blocks all others for that long: eight processes
that append get no more than one sync after the other. So the log is written within the turn and
synced after it, and one sync covers all that was written before it. Until then others can see what
a power cut may still take; neither its writer nor a reader gets to see it: see the decision "One
sync for several commits" in docs/adr.
"""

from __future__ import annotations

import os
import struct
import threading
from contextlib import suppress
from pathlib import Path

import apsw

from recollect.store.failures import translate_os

_STARTED, _REACHED, _DOUBTED, _WIDTH = 0, 8, 16, 8
"""Where the numbers are, and the bytes of one."""
NUMBERS = 2 * _WIDTH
"""Bytes of the two numbers of commits: the last that began, the last that is on the disk."""
_PACK, _UNPACK = struct.Struct("<Q").pack, struct.Struct("<QQ").unpack
_SYNC = apsw.SQLITE_SYNC_FULL | apsw.SQLITE_SYNC_DATAONLY
_OPEN = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_SUPER_JOURNAL
"""A plain file to the VFS: without locks, and not made when it is missing."""


class CommitMark:
    """Counts the commits that began, and the last of them that is on the disk.

    The numbers are in the lock file of the write queue. They order nothing, and a wrong one costs
    a sync: what a power cut left of the log is on the disk by itself.

    Args:
        path: The lock file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mutex = threading.Lock()
        self._descriptor: int | None = None

    def begin(self) -> int:
        """Number a commit; called within the turn, before anything of it can be seen.

        Raises:
            StoreError: the lock file cannot be written.
        """
        try:
            descriptor = self._descriptor or self.opened()
            numbers = os.pread(descriptor, NUMBERS, 0).ljust(NUMBERS, b"\0")
            number: int = max(_UNPACK(numbers)) + 1
            os.pwrite(descriptor, _PACK(number), _STARTED)
        except OSError as error:
            raise translate_os(error, self._path) from error
        return number

    def reach(self, number: int) -> None:
        """Report that this commit and all before it are on the disk."""
        with suppress(OSError):  # without it readers only sync again
            if _UNPACK(os.pread(self.opened(), NUMBERS, 0).ljust(NUMBERS, b"\0"))[1] < number:
                self._put(_REACHED, number)

    def doubt(self) -> None:
        """Report that a part of the log may never reach the disk, so that nothing may follow it."""
        with suppress(OSError):  # the system also reports it to earlier openers of the log
            self._put(_DOUBTED, 1)

    def trust(self) -> None:
        """Report that the log begins again: nothing in it is in doubt any more."""
        with suppress(OSError):
            self._put(_DOUBTED, 0)

    @property
    def is_doubted(self) -> bool:
        """Whether the log must begin again before a commit can be called durable."""
        try:
            return any(os.pread(self.opened(), _WIDTH, _DOUBTED))
        except OSError:
            return False

    def close(self) -> None:
        """Close the file."""
        with self._mutex:
            descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _put(self, at: int, number: int) -> None:
        os.pwrite(self.opened(), _PACK(number), at)

    def opened(self) -> int:
        """Return the descriptor of the file.

        Raises:
            OSError: it cannot be opened.
        """
        if self._descriptor is None:
            with self._mutex:
                if self._descriptor is None:
                    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
                    self._descriptor = os.open(self._path, flags, 0o600)
        return self._descriptor


class LogSync:
    """Syncs the log of one database, through a handle of its own.

    The system tells each handle once of a page that could not be written, so a handle is opened
    before what it syncs is written, and used by one thread. It is a handle of the log alone, not of
    the database: closing it drops no lock, because SQLite has none on the log.

    Args:
        database: The database file; its log is there.
        vfs: Name of a registered VFS; None for the system's.
    """

    def __init__(self, database: Path, vfs: str | None) -> None:
        log = f"{database}-wal"
        self._file = _LogFile(log) if vfs is None else apsw.VFSFile(vfs, log, [_OPEN, 0])

    def sync(self) -> None:
        """Block until all that was written to the log is on the disk.

        Raises:
            apsw.IOError: it is unknown whether it is.
        """
        self._file.xSync(_SYNC)

    def close(self) -> None:
        """Close the file."""
        self._file.xClose()


class _LogFile:
    """The part of `apsw.VFSFile` that `LogSync` needs, which blocks every thread during a sync."""

    def __init__(self, path: str) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            raise apsw.CantOpenError(f"the log cannot be opened: {error.strerror}") from error

    def xSync(self, _flags: int) -> None:  # noqa: N802  # as the driver names it
        try:
            getattr(os, "fdatasync", os.fsync)(self._descriptor)  # macOS has only `fsync`
        except OSError as error:
            raise apsw.IOError(f"the log cannot be synced: {error.strerror}") from error

    def xClose(self) -> None:  # noqa: N802  # the same
        os.close(self._descriptor)
