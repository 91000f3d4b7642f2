"""The background work of a home is done by exactly one process, the holder of one lock.

The memories of one process share its locks. A worker has a second lock for as long as it lives:
another holder of the first sees it, and releases that between two pieces of work. Both are
`flock`s: a dead process never keeps others waiting.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Literal, TypeAlias
from weakref import WeakValueDictionary

from recollect.core.clock import Clock
from recollect.core.errors import StoreBusy, StoreError
from recollect.store.locks import Holder, OwnerLock

HomeRole: TypeAlias = Literal["library", "worker"]

BACKGROUND, WORKER = "background.lock", "serve.lock"
"""Held by the process that works in the background; by a worker, for its whole life."""


class HomeLocks:
    """The two locks of one home in this process. Threads share it; use `home_locks`.

    Args:
        home: The home.
        clock: Dates the holder.
    """

    def __init__(self, home: Path, clock: Clock) -> None:
        self._background = OwnerLock(home / BACKGROUND, clock)
        self._worker = OwnerLock(home / WORKER, clock, home)
        self._mutex = threading.Lock()
        self._claims: dict[str, BackgroundClaim] = {}
        self._seats = 0
        """The number of workers in this process."""

    @property
    def role(self) -> HomeRole:
        """The role of this process."""
        return "worker" if self._worker.held else "library"

    def become_worker(self, *, alone: bool = False) -> None:
        """Become the worker of the home, until as many calls of `retire_worker`.

        Args:
            alone: Refuse if this process is the worker already.

        Raises:
            StoreBusy: another process is.
            StoreError: the lock file cannot be opened or written.
        """
        with self._mutex:
            if (alone and self._seats) or not self._worker.acquire("worker"):
                holder = self._worker.holder()
                who = f" (process {holder.pid})" if holder else ""
                hint = "use it, or stop it with `recollect serve stop`"
                raise StoreBusy(f"a worker serves this home already{who}", hint=hint)
            self._seats += 1
            self._background.sign("worker")

    def stay_worker(self) -> None:
        """Take the lock of the worker again if its file was deleted.

        Raises:
            StoreError: the lock file cannot be opened or written.
        """
        with self._mutex:
            self._worker.keep("worker")

    def retire_worker(self) -> None:
        """Stop being the worker; the background lock is released with the last claim."""
        with self._mutex:
            self._seats -= 1
            if self._seats <= 0:
                self._seats = 0
                self._worker.release()

    def claim(self, key: str, claim: BackgroundClaim) -> bool:
        """Return whether the claim holds the work under a key now, and the lock is ours."""
        with self._mutex:
            if self._claims.get(key, claim) is not claim:
                return False
            if not self._background.held and (
                self._is_another_worker_there() or not self._background.acquire(self.role)
            ):
                return False
            self._claims[key] = claim
            return True

    def release(self, key: str, claim: BackgroundClaim) -> None:
        """Release a claim, and the lock with the last one."""
        with self._mutex:
            if self._claims.get(key) is claim:
                del self._claims[key]
                self._release_unclaimed()

    def is_wanted(self) -> bool:
        """Return whether a worker of another process waits for the lock held here."""
        return self._background.held and self._is_another_worker_there()

    def holder(self) -> Holder | None:
        """Return the process that works in the background, or None."""
        return self._background.holder()

    def forget(self) -> None:
        """Release the locks in a child after a fork: they belong to the parent, which goes on."""
        self._background.release()
        self._worker.release()
        self._mutex, self._claims, self._seats = threading.Lock(), {}, 0

    def _is_another_worker_there(self) -> bool:
        if self._worker.held:
            return False
        try:
            return self._worker.is_taken()
        except StoreError:
            return False

    def _release_unclaimed(self) -> None:
        if not self._claims:
            self._background.release()


_HOMES: WeakValueDictionary[Path, HomeLocks] = WeakValueDictionary()
_ADDING = threading.Lock()


def home_locks(home: Path, clock: Clock) -> HomeLocks:
    """Return the locks of a home, shared by all users in this process."""
    path = home.resolve()
    with _ADDING:
        locks = _HOMES.get(path)
        if locks is None:
            locks = _HOMES[path] = HomeLocks(path, clock)
        return locks


def _forget_all() -> None:
    global _ADDING
    _ADDING = threading.Lock()
    for locks in list(_HOMES.values()):
        locks.forget()


os.register_at_fork(after_in_child=_forget_all)


class BackgroundClaim:
    """The background work of one memory of a home, while this process holds the lock.

    Args:
        locks: Those of the home.
        key: The data it keeps in step; of several memories with the same key one works.
    """

    def __init__(self, locks: HomeLocks, key: str) -> None:
        self._locks = locks
        self._key = key

    def acquire(self) -> bool:
        """Return whether the work is ours now.

        Raises:
            StoreError: the lock file cannot be opened or written.
        """
        return self._locks.claim(self._key, self)

    def release(self) -> None:
        """Leave the work to others; does nothing when it is not ours."""
        self._locks.release(self._key, self)

    def is_wanted(self) -> bool:
        """Return whether a worker waits for the lock."""
        return self._locks.is_wanted()

    def holder(self) -> Holder | None:
        """Return the process that works in the background of the home, or None."""
        return self._locks.holder()

    @property
    def role(self) -> HomeRole:
        """The role of this process."""
        return self._locks.role
