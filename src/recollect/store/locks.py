"""Locks between processes, on files of their own.

They are `flock`s and so belong to an open file, not to a process id: the kernel drops them when the
holder dies, however it dies, and a reused pid means nothing. Never put one on a database file:
closing it would drop the locks of SQLite.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from recollect.core.clock import Clock
from recollect.core.decoding import decode_json
from recollect.core.errors import StoreBusy, StoreError, StoreReadOnly
from recollect.core.threads import run_on_thread
from recollect.store.failures import os_errors, translate_os
from recollect.store.files import private_folder

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_LOOK_S = 0.0003
_QUICK_S = 0.02
"""For this time a lock is polled every 0.3 ms: such a wait costs no thread, and the lock does not
idle until one wakes. Eight processes that wrote 50 kB and synced took it 1,650 to 2,230 times a
second, by a thread for each wait 460 to 580 times. Then the waiter queues."""
_PATIENCE = 500
"""Tries, a millisecond apart, against processes that only check the lock for about 5 us."""


class WriteQueue:
    """The queue of all processes that want to write one database.

    SQLite's own busy handler is unfair: among 8 processes one starved for more than 10 s. Waiting
    in the kernel's queue first, the slowest of 3,200 transactions took 350 ms. The queue only
    orders: correctness stays with SQLite's locks.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def turn(self, timeout_s: float) -> Iterator[None]:
        """Hold the lock inside the ``with`` block.

        Raises:
            StoreBusy: another process kept it for ``timeout_s``.
            StoreError: the lock file cannot be opened.
        """
        descriptor = _open(self.path)
        if not _lock_within(descriptor, timeout_s):
            raise StoreBusy(
                f"{self.path.name}: another process has been writing for {timeout_s:g} s",
                hint="try again; if it stays so, look for a stopped recollect process",
                path=str(self.path),
            )
        try:
            yield
        finally:
            os.close(descriptor)


class TicketQueue:
    """Admits one at a time under a name, in the order in which the tickets were drawn.

    A ticket is a file that its holder keeps locked; each one waits for the ticket before its own.
    So none overtakes, and a process that dies in the queue or at its head is skipped at once.

    Args:
        folder: Where the tickets are; made when it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._door = WriteQueue(folder / ".door")

    @contextmanager
    def turn(self, name: str, timeout_s: float) -> Iterator[None]:
        """Run the ``with`` block while no other block of that name runs, in any process.

        Args:
            name: What to queue for; may be a file name.
            timeout_s: How long to wait at most.

        Raises:
            StoreBusy: it was not our turn for ``timeout_s``; the position in the queue is given up.
            StoreError: the folder cannot be written.
        """
        deadline = time.monotonic() + timeout_s
        ticket = self._draw(name, timeout_s)
        try:
            self._wait(ticket, deadline)
            yield
        finally:
            with suppress(OSError):  # without its lock it does not block others
                ticket.path.unlink()
            os.close(ticket.descriptor)

    def _draw(self, name: str, timeout_s: float) -> _Ticket:
        private_folder(self._folder)
        with self._door.turn(timeout_s):
            number = max(self._numbers(name), default=0) + 1
            path = self._path(name, number)
            descriptor = _open(path)
            # Within the door lock no other process has seen the file.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        return _Ticket(name=name, number=number, path=path, descriptor=descriptor)

    def _wait(self, ticket: _Ticket, deadline: float) -> None:
        def ahead() -> int:
            return max((n for n in self._numbers(ticket.name) if n < ticket.number), default=0)

        while number := ahead():
            path = self._path(ticket.name, number)
            if not _outlasted(path, deadline):
                raise StoreBusy(
                    "it was somebody else's turn for the whole time",
                    hint="wait longer, or look for a program that hangs in its turn",
                )
            # Its holder is gone; its number is not given again while ours is higher.
            _remove(path)

    def _numbers(self, name: str) -> list[int]:
        with os_errors(self._folder):
            parts = [path.rpartition(".") for path in os.listdir(self._folder)]
        return [int(number) for head, _, number in parts if head == name and number.isdecimal()]

    def _path(self, name: str, number: int) -> Path:
        return self._folder / f"{name}.{number}"


class _Ticket(msgspec.Struct, frozen=True, kw_only=True):
    """A position in a queue: a file, and the descriptor that keeps it locked."""

    name: str
    number: int
    path: Path
    descriptor: int


def _outlasted(path: Path, deadline: float) -> bool:
    """Return whether the holder of a lock file released it, or is gone, before the deadline."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise translate_os(error, path) from error
    if not _lock_within(descriptor, max(0.0, deadline - time.monotonic())):
        return False
    os.close(descriptor)
    return True


def _remove(path: Path) -> None:
    with os_errors(path):
        path.unlink(missing_ok=True)


def _lock_within(descriptor: int, timeout_s: float) -> bool:
    """Return whether the lock came in time; after False the descriptor is no longer ours."""
    until = time.monotonic() + min(timeout_s, _QUICK_S)
    while not _try_lock(descriptor):
        if time.monotonic() >= until:
            return _lock_in_turn(descriptor, timeout_s)
        time.sleep(_LOOK_S)
    return True


def _lock_in_turn(descriptor: int, timeout_s: float) -> bool:
    """Wait in the kernel's queue; returns as `_lock_within`."""
    until = time.monotonic() + timeout_s
    waiter = _Waiter(descriptor)
    try:
        return waiter.wait(timeout_s)
    except StoreError:  # no thread can be started, as at the end of the process: poll
        while not _try_lock(descriptor):
            if time.monotonic() >= until:
                os.close(descriptor)
                return False
            time.sleep(_LOOK_S)
        return True


class _Waiter:
    """Waits for a lock on a thread of its own, because flock knows no timeout.

    An abandoned waiter stays in the kernel's queue and releases the lock as soon as it gets it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._mutex = threading.Lock()
        self._is_granted = False
        self._given_up = False

    def wait(self, timeout_s: float) -> bool:
        """Return whether the lock came in time; after False the descriptor is not the caller's.

        Raises:
            StoreError: no thread waits for it; the descriptor is the caller's.
        """
        waiting = run_on_thread("recollect-lock", self._wait)
        with suppress(TimeoutError):
            waiting.result(timeout_s)
        with self._mutex:
            self._given_up = not self._is_granted
            return self._is_granted

    def _wait(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        with self._mutex:
            if self._given_up:
                os.close(self._descriptor)
            else:
                self._is_granted = True


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """The holder of an owner lock."""

    pid: int
    role: str
    """Its role: ``worker``, ``reindex``."""
    since: int
    """Ms UTC."""


class OwnerLock:
    """The lock of the process that does the background work of a home; exactly one can hold it.

    Args:
        path: The lock file; made when it is missing, never removed by us.
        clock: Dates the holder.
        folder: Locked with it, if given: a file can be deleted, and another would be made.
    """

    def __init__(self, path: Path, clock: Clock, folder: Path | None = None) -> None:
        self._path = path
        self._clock = clock
        self._folder = folder
        self._descriptor: int | None = None
        self._folder_descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self, role: str) -> bool:
        """Return True when the lock is ours now, False when another holder has it.

        Args:
            role: One word that describes the holder.

        Raises:
            StoreError: the lock file cannot be opened or written.
        """
        if self._descriptor is not None:
            return True
        if self._folder is not None and not self._lock_folder(self._folder):
            return False
        self._descriptor = self._acquired(role)
        if self._descriptor is None:
            self.release()
        return self.held

    def keep(self, role: str) -> None:
        """Take the lock file again where it was deleted; does nothing when the lock is not ours.

        Raises:
            StoreError: the lock file cannot be opened or written.
        """
        descriptor = self._descriptor
        if descriptor is None or _is_at(self._path, descriptor):
            return
        again = self._acquired(role)
        if again is not None:
            self._descriptor = again
            os.close(descriptor)

    @contextmanager
    def kept_free(self) -> Iterator[bool]:
        """Keep it free inside the ``with`` block, which several may run at once.

        Gives the block False when the lock is held.

        Raises:
            StoreError: the lock file cannot be opened.
        """
        descriptor = _open(self._path)
        try:
            yield _try_lock(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    def sign(self, role: str) -> None:
        """Store another role; does nothing when the lock is not ours."""
        if self._descriptor is not None:
            with os_errors(self._path):
                self._sign(self._descriptor, role)

    def is_taken(self) -> bool:
        """Return whether another holder has it; a check costs some 10 us.

        Raises:
            StoreError: the lock file cannot be opened.
        """
        with self.kept_free() as is_free:
            return not is_free

    def release(self) -> None:
        """Release it; does nothing when the lock is not ours."""
        descriptors, self._descriptor = (self._descriptor, self._folder_descriptor), None
        self._folder_descriptor = None
        for descriptor in descriptors:
            if descriptor is not None:
                os.close(descriptor)

    def holder(self) -> Holder | None:
        """Return the holder of the lock; None when it is free, or at this moment changes hands.

        In a home that cannot be written it is free.

        Raises:
            StoreError: the lock file cannot be opened.
        """
        try:
            descriptor = _open(self._path)
        except StoreReadOnly:
            return None
        try:
            if self._descriptor is None and _try_lock(descriptor, fcntl.LOCK_SH):
                return None
            return _read_signature(descriptor)
        finally:
            os.close(descriptor)

    def _acquired(self, role: str) -> int | None:
        """Return the locked and signed descriptor of the lock file; None if another has it."""
        descriptor = _open(self._path)
        try:
            if not _take_ownership(descriptor):
                os.close(descriptor)
                return None
            self._sign(descriptor, role)
        except OSError as error:
            os.close(descriptor)
            raise translate_os(error, self._path) from error
        return descriptor

    def _lock_folder(self, folder: Path) -> bool:
        """Return whether no other has locked the folder; also where it cannot be locked at all."""
        with os_errors(folder):
            descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        try:
            is_ours = _try_lock(descriptor)
        except OSError:  # some network file systems lock no folders
            os.close(descriptor)
            return True
        if not is_ours:
            os.close(descriptor)
            return False
        self._folder_descriptor = descriptor
        return True

    def _sign(self, descriptor: int, role: str) -> None:
        holder = Holder(pid=os.getpid(), role=role, since=self._clock.now_ms())
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(holder), 0)


def _open(path: Path) -> int:
    try:
        return os.open(path, _FLAGS, 0o600)
    except OSError as error:
        raise translate_os(error, path) from error


def _is_at(path: Path, descriptor: int) -> bool:
    """Return whether a path still refers to an open file."""
    try:
        there = os.stat(path)
    except OSError:
        return False
    ours = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _try_lock(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take_ownership(descriptor: int) -> bool:
    for _ in range(_PATIENCE):
        if _try_lock(descriptor):
            return True
        if not _try_lock(descriptor, fcntl.LOCK_SH):
            return False
        # Only a process that reads the holder is in the way, for microseconds.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        time.sleep(0.001)
    return False


def _read_signature(descriptor: int) -> Holder | None:
    try:
        return decode_json(os.pread(descriptor, 4096, 0), Holder)
    except msgspec.DecodeError:
        return None
