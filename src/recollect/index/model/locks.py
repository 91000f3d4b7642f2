"""Locks between the processes and threads that share an index. Searching needs none of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from recollect.core.clock import Clock
from recollect.index.model.sync_report import Watch
from recollect.store.locks import OwnerLock, WriteQueue

REBUILD = "reindex.lock"
EMBEDDING = "embedding.lock"
REINDEX, TIDYING = "reindex", "tidy"
"""The purpose that the rebuild lock is held for: a rebuild; or checking whether one is due and
dropping generations that no longer answer, which is short."""


LOOK_S = 0.05
"""Seconds between two checks of a waiter whether it is to stop."""


class SyncLock:
    """The lock for syncing. Threads share it; searches never take it.

    A thread that holds it may take it again, for a step of its work.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._mutex = threading.Lock()
        self._waiting = 0

    @property
    def is_taken(self) -> bool:
        """Whether a sync is running."""
        return self._depth > 0

    @contextmanager
    def taken(self, watch: Watch) -> Iterator[Watch | None]:
        """Give the block the watch to work under, or None when it was stopped while waiting.

        Work in the background ends early when foreground work waits.

        Args:
            watch: The watch of the work.
        """
        if not self._wait(watch):
            yield None
            return
        self._depth += 1
        try:
            if watch.mode == "background":
                stopping = watch.stopping
                watch = msgspec.structs.replace(
                    watch, stopping=lambda: bool(self._waiting) or stopping()
                )
            yield watch
        finally:
            self._depth -= 1
            self._lock.release()

    def _wait(self, watch: Watch) -> bool:
        if self._lock.acquire(blocking=False):
            return True
        weight = 0 if watch.mode == "background" else 1
        self._count(weight)
        try:
            while not watch.stopping():
                if self._lock.acquire(timeout=LOOK_S):
                    return True
            return False
        finally:  # also when Ctrl-C ends the wait, so that the background can continue
            self._count(-weight)

    def _count(self, change: int) -> None:
        with self._mutex:
            self._waiting += change


class IndexLocks:
    """The locks of one home.

    Args:
        folder: The folder of the lock files.
        clock: Dates the holder of the first one.

    Attributes:
        rebuild: Held by the one that rebuilds.
        sync: Held by the thread of this process that syncs.
        embedding: Held for a batch by the process that embeds, so that no text is embedded twice.
        folder: Their folder; the holder of one may put files there.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.sync = SyncLock()
        self.rebuild = OwnerLock(folder / REBUILD, clock)
        self.embedding = WriteQueue(folder / EMBEDDING)
