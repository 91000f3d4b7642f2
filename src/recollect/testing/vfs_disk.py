"""A log of all disk calls of SQLite, and the VFS that writes it.

`RecordingVfs` passes every call on and logs it; `vfs_power` replays the log up to a moment and
simulates a power failure there.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Literal, TypeAlias

import apsw
from msgspec import Struct

Kind = Literal["create", "write", "truncate", "sync", "sync_folder", "delete", "mark"]
FileName: TypeAlias = "str | apsw.URIFilename | None"


class DiskCall(Struct, frozen=True):
    """One call, or a mark that a test set between two calls."""

    kind: Kind
    name: str
    """The file's name without its folder; of a mark, the name given by the test."""
    offset: int = 0
    """Of a write; of a truncate, the new size."""
    content: bytes = b""
    """Of a write."""


class DiskLog:
    """The calls in the order of the disk; safe to use from all threads."""

    def __init__(self) -> None:
        self.calls: list[DiskCall] = []
        self.mutex = threading.RLock()

    def note(self, call: DiskCall) -> None:
        """Add a call."""
        with self.mutex:
            self.calls.append(call)

    def mark(self, name: str) -> None:
        """Record an event of the test, such as an acknowledgement."""
        self.note(DiskCall("mark", name))


class RecordingVfs(apsw.VFS):
    """The system's VFS, with a log. Only one process and one folder may use it.

    Args:
        name: Registered under this name until `unregister`.
        log: Gets the calls.
    """

    def __init__(self, name: str, log: DiskLog) -> None:
        super().__init__(name, "")
        self._log = log

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's
        """Open a file; a new one is logged."""
        path = _path(name)
        if path is None:
            return apsw.VFSFile("", name, flags)
        with self._log.mutex:
            is_new = not path.exists()
            opened = RecordingFile(name, flags, log=self._log, path=path)
            if is_new:
                self._log.note(DiskCall("create", path.name))
        return opened

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802  # SQLite's
        """Delete a file."""
        with self._log.mutex:
            super().xDelete(filename, syncdir)
            self._log.note(DiskCall("delete", Path(filename).name))
            if syncdir:
                self._log.note(DiskCall("sync_folder", ""))


class RecordingFile(apsw.VFSFile):
    """A file whose calls are logged.

    Args:
        name: As passed by SQLite.
        flags: As passed by SQLite.
        log: Gets the calls.
        path: The file.

    A log or journal that may be created syncs its folder once, whoever created it, as with the unix
    VFS.
    """

    def __init__(self, name: FileName, flags: list[int], *, log: DiskLog, path: Path) -> None:
        is_journal = not flags[0] & apsw.SQLITE_OPEN_MAIN_DB
        may_make = bool(flags[0] & apsw.SQLITE_OPEN_CREATE)
        super().__init__("", name, flags)
        self._log = log
        self._name = path.name
        self._owes_folder_sync = may_make and is_journal

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # SQLite's
        """Write at ``offset``."""
        with self._log.mutex:
            super().xWrite(data, offset)
            self._log.note(DiskCall("write", self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  # SQLite's
        """Truncate to ``newsize``."""
        with self._log.mutex:
            super().xTruncate(newsize)
            self._log.note(DiskCall("truncate", self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's
        """Sync the file, and the folder of a log or journal with it, as the unix VFS does."""
        with self._log.mutex:
            super().xSync(flags)
            self._log.note(DiskCall("sync", self._name))
            if self._owes_folder_sync:
                self._owes_folder_sync = False
                self._log.note(DiskCall("sync_folder", ""))


def _path(name: FileName) -> Path | None:
    if name is None:
        return None
    return Path(name if isinstance(name, str) else name.filename())
