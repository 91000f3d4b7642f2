"""The report of a sync: while it runs, and when it is finished."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec


class SyncReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a sync: documents put, left alone and removed, chunks added, vectors made.

    Attributes:
        put: Documents that were put or replaced.
        unchanged: Documents that were examined and left alone.
        removed: Documents that are gone.
        chunks: Chunks added.
        vectors: Vectors given to chunks.
        refused: Chunks whose text the embedder will never accept; words find them.
        rebuilt: Whether the index was rebuilt and the new one answers.
        paused: Whether texts wait for a later sync: the daily limit of tokens was reached, or a
            batch of the provider is under way.
        warnings: One sentence each, without user text.
    """

    put: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    vectors: int = 0
    refused: int = 0
    rebuilt: bool = False
    paused: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def documents(self) -> int:
        """The number of documents that were examined."""
        return self.put + self.unchanged + self.removed

    def plus(self, other: SyncReport) -> SyncReport:
        """Return both reports as one; a warning in both appears once."""
        return SyncReport(
            put=self.put + other.put,
            unchanged=self.unchanged + other.unchanged,
            removed=self.removed + other.removed,
            chunks=self.chunks + other.chunks,
            vectors=self.vectors + other.vectors,
            refused=self.refused + other.refused,
            rebuilt=self.rebuilt or other.rebuilt,
            paused=self.paused or other.paused,
            warnings=tuple(dict.fromkeys(self.warnings + other.warnings)),
        )


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a step is; ``left`` may be an estimate.

    ``stage`` is ``reading``, ``embedding``, or ``extracting`` what messages state.
    """

    stage: str
    done: int
    left: int


OnProgress = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """Ignore it."""


def never() -> bool:
    """Continue to the end: the answer of callers that do not ask long work to stop."""
    return False


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """The observer of a sync, and its purpose.

    Attributes:
        tell: Called after every batch.
        stopping: Polled between batches; after True the rest is left for the next time.
        mode: ``full`` for a person, who waits for everything, rebuilds and batches included;
            ``background`` gives way to them and rebuilds nothing; ``answer`` is for a caller that
            waits for a search: only new documents, and no provider is asked.
        changed: The paths of files that changed, where all are known; None to check all.
    """

    tell: OnProgress = ignore_progress
    stopping: Callable[[], bool] = never
    mode: Literal["answer", "background", "full"] = "full"
    changed: frozenset[str] | None = None


NOBODY_WATCHES = Watch()
