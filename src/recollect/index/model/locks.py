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


class IndexLocks:
    """The locks of one home.

    Args:
        folder: Where the lock files are.
        clock: Dates the holder of the first one.

    Attributes:
        rebuild: Held by the one that rebuilds.
        embedding: Held for a batch by whoever embeds, so that no text is embedded twice.
        folder: Where they are; who holds one may put files beside it.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self.rebuild = OwnerLock(folder / REBUILD, clock)
        self.embedding = WriteQueue(folder / EMBEDDING)


LOOK_S = 0.05
"""How often one who waits looks whether it is to stop."""


class SyncLock:
    """Who may sync now. Threads share it; searches never ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mutex = threading.Lock()
        self._waiting = 0

    @contextmanager
    def taken(self, watch: Watch, *, yields: bool = False) -> Iterator[Watch | None]:
        """Give the block the watch to work under, or None when it was told to stop while waiting.

        Args:
            watch: Who watches the work.
            yields: The work ends early when somebody waits who does not yield.
        """
        if not self._wait(watch, yields=yields):
            yield None
            return
        try:
            yield self._yielding(watch) if yields else watch
        finally:
            self._lock.release()

    def _wait(self, watch: Watch, *, yields: bool) -> bool:
        if self._lock.acquire(blocking=False):
            return True
        self._count(0 if yields else 1)
        try:
            while not watch.stopping():
                if self._lock.acquire(timeout=LOOK_S):
                    return True
            return False
        finally:
            self._count(0 if yields else -1)

    def _yielding(self, watch: Watch) -> Watch:
        return msgspec.structs.replace(
            watch, stopping=lambda: bool(self._waiting) or watch.stopping()
        )

    def _count(self, change: int) -> None:
        with self._mutex:
            self._waiting += change
