"""A disk that fails: the N-th call of a kind, once or until it is repaired.

Sweep N from 1 until a run ends without a fault, and every call of the program has failed once.
Errors that SQLite ignores by design (some of a checkpoint or of closing) are raised to Python
nevertheless: the driver passes on the exception that the shim raised.
"""

from __future__ import annotations

import threading
from typing import Literal

import apsw
from msgspec import Struct

from recollect.testing.vfs_disk import FileName

Operation = Literal["write", "short_write", "full", "sync", "read", "truncate"]

FOREVER = 1 << 62

_CODES: dict[Operation, int] = {
    "write": apsw.SQLITE_IOERR_WRITE,
    "short_write": apsw.SQLITE_IOERR_WRITE,
    "full": apsw.SQLITE_FULL,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "read": apsw.SQLITE_IOERR_READ,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
}


class Fault(Struct, frozen=True, kw_only=True):
    """The call that fails, and when."""

    operation: Operation
    """``full`` and ``short_write`` are writes too; the latter writes half before it fails."""
    nth: int
    """The first call that fails, from 1."""
    times: int = 1
    """The number of failing calls in a row; `FOREVER` lasts until `FaultVfs.repair`."""


class FaultVfs(apsw.VFS):
    """The system's VFS with one fault.

    Args:
        name: Registered under this name until `unregister`.
        fault: What fails.
        waits_for_disk: Whether a sync that does not fail is passed on. Without it a sweep is five
            times as fast with the same result: it does not test the disk.
        is_armed: Whether calls are counted, and fail, from the beginning.
    """

    def __init__(
        self, name: str, fault: Fault, *, waits_for_disk: bool = True, is_armed: bool = True
    ) -> None:
        super().__init__(name, "")
        self._fault = fault
        self.waits_for_disk = waits_for_disk
        self._mutex = threading.Lock()
        self._calls = 0
        self._is_armed = is_armed
        self.hits = 0
        """The number of failed calls."""

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's
        """Open a file that may fail."""
        return FaultFile(name, flags, self)

    def arm(self) -> None:
        """Count calls from now on."""
        self._is_armed = True

    def repair(self) -> None:
        """Stop failing."""
        self._is_armed = False

    def fails(self, *operations: Operation) -> Operation | None:
        """Count a call; return its fault if it is to fail."""
        operation = self._fault.operation
        if not self._is_armed or operation not in operations:
            return None
        with self._mutex:
            self._calls += 1
            if 0 <= self._calls - self._fault.nth < self._fault.times:
                self.hits += 1
                return operation
        return None


class FaultFile(apsw.VFSFile):
    """A file of a `FaultVfs`."""

    def __init__(self, name: FileName, flags: list[int], vfs: FaultVfs) -> None:
        super().__init__("", name, flags)
        self._vfs = vfs

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  # SQLite's
        """Read, or fail."""
        _raise_for(self._vfs.fails("read"))
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  # SQLite's
        """Write, or fail; a short write leaves half."""
        failed = self._vfs.fails("write", "short_write", "full")
        if failed == "short_write":
            super().xWrite(bytes(data)[: len(data) // 2], offset)
        _raise_for(failed)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's
        """Sync, or fail."""
        _raise_for(self._vfs.fails("sync"))
        if self._vfs.waits_for_disk:
            super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802  # SQLite's
        """Truncate, or fail."""
        _raise_for(self._vfs.fails("truncate"))
        super().xTruncate(newsize)


def _raise_for(operation: Operation | None) -> None:
    if operation is not None:
        raise apsw.exception_for(_CODES[operation])
