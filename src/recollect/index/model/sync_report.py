"""What a sync tells: while it runs, and when it is finished."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a step is. ``stage`` is ``reading`` or ``embedding``; ``left`` may be an estimate."""

    stage: str
    done: int
    left: int


class SyncReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a sync did: documents put, left alone and removed, chunks added, vectors made.

    Attributes:
        put: Documents that were put or replaced.
        unchanged: Documents that were looked at and left alone.
        removed: Documents that are gone.
        chunks: Chunks added.
        vectors: Vectors given to chunks.
        refused: Chunks whose text the embedder will never accept; words find them.
        rebuilt: Whether the index was built anew and the new one answers.
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
        """How many documents were looked at."""
        return self.put + self.unchanged + self.removed

    def plus(self, other: SyncReport) -> SyncReport:
        """Return both reports as one; a warning that stands in both is told once."""
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


OnProgress = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """Tell nobody."""


def never() -> bool:
    """Go on to the end: the answer of those who do not ask a long work to stop."""
    return False


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """Who watches a long work.

    Attributes:
        tell: Called after every batch.
        stopping: Asked between batches; after True the rest is left for the next time.
        waits: Whether to wait for what a provider does in its own time.
    """

    tell: OnProgress = ignore_progress
    stopping: Callable[[], bool] = never
    waits: bool = True


NOBODY_WATCHES = Watch()
