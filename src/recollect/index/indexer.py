"""Keeps the index in step with its feeds: reads batches, writes chunks, merges, embeds, rebuilds.

Only one process at a time runs it (the caller holds the index lock); any number may search meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from recollect.core.clock import Clock
from recollect.core.settings import ChunkingSettings
from recollect.index.embedding import EmbeddingQueue, count_waiting
from recollect.index.feed import Batch, Feed, FeedState
from recollect.index.generations import (
    Generation,
    Identity,
    create_generation,
    cursor,
    drop_some,
    ensure_partition,
    find_generation,
    flip,
    retire_unfinished,
    set_cursor,
    set_identity,
)
from recollect.index.lexical.segments import Merge, plan_merge, segments
from recollect.index.pieces import PIECES_VERSION
from recollect.index.writer import Applied, PartitionWriter
from recollect.models.embedder import Embedder
from recollect.store.cell import text
from recollect.store.engine import Database, Transaction
from recollect.text.terms import TERMS_VERSION

T = TypeVar("T")


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a step is. ``stage`` is ``reading`` or ``embedding``; ``left`` may be an estimate."""

    stage: str
    done: int
    left: int


class SyncReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a sync did: documents put, left alone and removed, chunks added, vectors made."""

    put: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    vectors: int = 0
    rebuilt: bool = False
    warnings: tuple[str, ...] = ()

    def plus(self, applied: Applied, warnings: tuple[str, ...] = ()) -> SyncReport:
        """Return the report with one more batch counted."""
        return msgspec.structs.replace(
            self,
            put=self.put + applied.put,
            unchanged=self.unchanged + applied.unchanged,
            removed=self.removed + applied.removed,
            chunks=self.chunks + applied.chunks,
            warnings=self.warnings + warnings,
        )


OnProgress = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """Tell nobody."""


class Indexer:
    """The writing side of the index.

    Args:
        database: index.db.
        clock: For the times of generations and of the embedding cache.
        chunking: How files are cut.
        embedder: Makes vectors; None for words only.
    """

    def __init__(
        self, database: Database, clock: Clock, chunking: ChunkingSettings, embedder: Embedder | None
    ) -> None:
        self._database = database
        self._clock = clock
        self._chunking = chunking
        self._embedder = embedder
        self._writers: dict[int, PartitionWriter] = {}
        self._mutex = threading.Lock()

    def identity(self) -> Identity:
        """Return what an index built now would be built with."""
        return Identity(
            terms=TERMS_VERSION,
            pieces=PIECES_VERSION,
            tokens=self._chunking.tokens,
            overlap=self._chunking.overlap,
            embedder=self._embedder.fingerprint if self._embedder else "",
            dimensions=self._embedder.dimensions if self._embedder else 0,
        )

    def sync(
        self, feeds: Sequence[Feed], on_progress: OnProgress = ignore_progress
    ) -> SyncReport:
        """Bring the serving generation up to its feeds, or build a new one when it does not fit.

        Args:
            feeds: Where documents come from.
            on_progress: Called after every batch.
        """
        generation = self._serving()
        if self._misfit(generation.identity):
            return self.rebuild(feeds, on_progress)
        generation = self._with_embedder(generation)
        report = self._read_feeds(generation, feeds, on_progress)
        self._drop_retired()
        return self._embedded(generation, report, on_progress)

    def catch_up(self, feeds: Sequence[Feed], on_progress: OnProgress) -> SyncReport:
        """Bring the words of the serving generation up to those feeds that are behind."""
        generation = self._with_embedder(self._serving())
        behind = [feed for feed in feeds if self._is_behind(generation, feed)]
        return self._read_feeds(generation, behind, on_progress)

    def embed(self, on_progress: OnProgress = ignore_progress) -> SyncReport:
        """Make the missing vectors of the serving generation."""
        return self._embedded(self._serving(), SyncReport(), on_progress)

    def waiting(self) -> int:
        """Return how many chunks of the serving generation wait for a vector."""
        generation = self._serving()
        if not self._may_embed(generation):
            return 0
        return self._database.read(lambda tx: count_waiting(tx, generation.number))

    def outdated(self) -> str | None:
        """Return why a rebuild is due, or None."""
        return self._misfit(self._serving().identity)

    def rebuild(
        self, feeds: Sequence[Feed], on_progress: OnProgress = ignore_progress
    ) -> SyncReport:
        """Build a new generation from nothing and let it answer; the old one answers until then.

        A rebuild that was killed goes on where it was.
        """
        serving = self._serving()
        building = self._database.write(self._building)

        def keep_serving() -> None:
            if any(self._is_behind(serving, feed) for feed in feeds):
                self._read_feeds(serving, feeds, ignore_progress)

        report = self._read_feeds(building, feeds, on_progress, keep_serving)
        report = self._embedded(building, report, on_progress)
        report = self._merged_report(report, self._read_feeds(building, feeds, on_progress))
        self._database.write(lambda tx: flip(tx, building.number))
        self._drop_retired()
        return msgspec.structs.replace(report, rebuilt=True)

    def _serving(self) -> Generation:
        found = self._database.read(lambda tx: find_generation(tx, "serving"))
        return found or self._database.write(self._first_generation)

    def _first_generation(self, tx: Transaction) -> Generation:
        known = find_generation(tx, "serving")
        return known or create_generation(tx, self.identity(), "serving", self._clock.now_ms())

    def _building(self, tx: Transaction) -> Generation:
        wanted = self.identity()
        known = find_generation(tx, "building")
        if known is not None and known.identity == wanted:
            return known
        retire_unfinished(tx)
        return create_generation(tx, wanted, "building", self._clock.now_ms())

    def _misfit(self, present: Identity) -> str | None:
        """Return in which way an index is not what would be built now; no embedder fits any."""
        wanted = self.identity()
        if (present.terms, present.pieces) != (wanted.terms, wanted.pieces):
            return "the index was built by another version"
        if (present.tokens, present.overlap) != (wanted.tokens, wanted.overlap):
            return "the size of chunks was changed"
        if wanted.embedder and present.embedder and wanted.embedder != present.embedder:
            return "the embedder was changed"
        return None

    def _may_embed(self, generation: Generation) -> bool:
        return (
            self._embedder is not None
            and generation.identity.embedder == self._embedder.fingerprint
        )

    def _with_embedder(self, generation: Generation) -> Generation:
        """Queue every chunk for the first embedder of a generation that has none."""
        wanted = self.identity()
        if generation.identity.embedder or not wanted.embedder:
            return generation

        def unit(tx: Transaction) -> None:
            set_identity(tx, generation.number, wanted)
            tx.execute(
                "INSERT INTO vector_queue (id) SELECT c.id FROM partitions p JOIN chunks c"
                " ON c.id BETWEEN p.id << 40 AND (p.id << 40) + 1099511627775"
                " WHERE p.generation = ? ON CONFLICT DO NOTHING",
                (generation.number,),
            )
            tx.execute(
                "UPDATE partitions SET revision = revision + 1 WHERE generation = ?",
                (generation.number,),
            )

        with self._mutex:
            self._database.write(unit)
            self._writers.clear()
        return Generation(generation.number, wanted)

    def _read_feeds(
        self,
        generation: Generation,
        feeds: Sequence[Feed],
        on_progress: OnProgress,
        between: Callable[[], None] = lambda: None,
    ) -> SyncReport:
        report = SyncReport()
        for feed in feeds:
            state = self._database.read(lambda tx, feed=feed: self._state(tx, generation, feed))
            start = state.cursor
            for batch in feed.batches(state):
                with self._mutex:
                    applied = self._apply(generation, feed, (start, batch))
                start = batch.cursor
                report = report.plus(applied, batch.warnings)
                done = report.put + report.unchanged + report.removed
                on_progress(Progress(stage="reading", done=done, left=batch.left))
                between()
        return report

    def _state(self, tx: Transaction, generation: Generation, feed: Feed) -> FeedState:
        stamps: Mapping[str, str] = {}
        if feed.stamped:
            rows = tx.rows(
                "SELECT d.ref, coalesce(d.stamp, '') FROM documents d"
                " JOIN partitions p ON p.id = d.partition_id"
                " WHERE p.generation = ? AND d.source = ?",
                (generation.number, feed.source),
            )
            stamps = {text(ref): text(stamp) for ref, stamp in rows}
        return FeedState(cursor(tx, generation.number, feed.name), stamps)

    def _is_behind(self, generation: Generation, feed: Feed) -> bool:
        seq = self._database.read(lambda tx: cursor(tx, generation.number, feed.name))
        return feed.is_behind(seq)

    def _apply(self, generation: Generation, feed: Feed, step: tuple[int, Batch]) -> Applied:
        """Write a batch, unless another process has read the feed beyond its start meanwhile."""
        start, batch = step
        tenants = {d.scope.tenant for d in batch.documents} | {r.tenant for r in batch.removals}

        def unit(tx: Transaction) -> list[Applied]:
            applied: list[Applied] = []
            if cursor(tx, generation.number, feed.name) != start:
                return applied
            for tenant in sorted(tenants):
                writer = self._writer(tx, generation, tenant)
                keys = [(r.source, r.ref) for r in batch.removals if r.tenant == tenant]
                documents = [d for d in batch.documents if d.scope.tenant == tenant]
                applied += [writer.remove(tx, keys), writer.put(tx, documents)]
            set_cursor(tx, generation.number, feed.name, batch.cursor)
            return applied

        total = SyncReport()
        for applied in self._write(unit):
            total = total.plus(applied)
        for tenant in sorted(tenants):
            self._merge(generation, tenant)
        return Applied(
            put=total.put, unchanged=total.unchanged, removed=total.removed, chunks=total.chunks
        )

    def _write(self, unit: Callable[[Transaction], T]) -> T:
        """Run a unit whose writers cache numbers; a run that was not committed leaves no cache."""
        runs = 0

        def counted(tx: Transaction) -> T:
            nonlocal runs
            runs += 1
            if runs > 1:
                self._forget()
            return unit(tx)

        try:
            return self._database.write(counted)
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        for writer in self._writers.values():
            writer.forget()

    def _writer(self, tx: Transaction, generation: Generation, tenant: str) -> PartitionWriter:
        number = ensure_partition(tx, generation.number, tenant)
        if number not in self._writers:
            self._writers[number] = PartitionWriter(
                number,
                tokens=generation.identity.tokens,
                overlap=generation.identity.overlap,
                embed=bool(generation.identity.embedder),
            )
        return self._writers[number]

    def _merge(self, generation: Generation, tenant: str) -> None:
        number = self._database.read(lambda tx: ensure_partition(tx, generation.number, tenant))
        while members := self._database.read(lambda tx: plan_merge(segments(tx, number))):
            merge = Merge(number, members)
            merge.run(self._database.write, self._database.read(merge.terms_of))

    def _embedded(
        self, generation: Generation, report: SyncReport, on_progress: OnProgress
    ) -> SyncReport:
        if self._embedder is None or not self._may_embed(generation):
            return report
        queue = EmbeddingQueue(self._database, self._clock, self._embedder)
        made = queue.work(
            generation.number,
            lambda done, left: on_progress(Progress(stage="embedding", done=done, left=left)),
        )
        return msgspec.structs.replace(report, vectors=report.vectors + made)

    def _drop_retired(self) -> None:
        while self._database.write(drop_some):
            pass

    @staticmethod
    def _merged_report(first: SyncReport, second: SyncReport) -> SyncReport:
        applied = Applied(
            put=second.put,
            unchanged=second.unchanged,
            removed=second.removed,
            chunks=second.chunks,
        )
        return first.plus(applied, second.warnings)
