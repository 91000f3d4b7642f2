"""Locks between the processes and threads that share an index. Searching needs none of them."""

from __future__ import annotations

from pathlib import Path

from recollect.core.clock import Clock
from recollect.store.lock import OwnerLock, WriteQueue

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
