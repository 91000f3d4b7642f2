"""Keeps the index in step with its feeds: reads, embeds, and rebuilds when it does not fit.

Any number of processes may do so and search meanwhile; only a rebuild is one process's work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import StoreBusy
from recollect.core.settings import Settings
from recollect.index.embedding import PATIENCE_S, EmbeddingQueue, count_waiting, queue_all
from recollect.index.embedding_cache import EmbeddingCache, space_of, sweep
from recollect.index.feed import Feed
from recollect.index.feeding import Feeding, Superseded
from recollect.index.generations import (
    Generation,
    Identity,
    create_generation,
    find_generation,
    flip,
    has_leftovers,
    live_identity,
    retire_unfinished,
    set_identity,
)
from recollect.index.lexical.backends import choose
from recollect.index.locks import IndexLocks
from recollect.index.pieces import PIECES_VERSION
from recollect.index.report import SyncReport, Watch
from recollect.index.retired import drop_some
from recollect.models.embedder import Embedder
from recollect.store.engine import Database, Transaction
from recollect.text.terms import TERMS_VERSION

REBUILDING = "another process is rebuilding the index"


SEARCH_PATIENCE_S = 2.0
"""How long a search waits for another one's batch of embeddings before it answers without."""


class Indexer:
    """The writing side of the index. Threads may share it.

    Args:
        database: index.db.
        clock: For the times of generations.
        settings: The whole tree; read are ``chunking`` and ``embedding.cache``.
        embedder: Makes vectors; None for words only.
        locks: Those of the home.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: Settings,
        embedder: Embedder | None,
        locks: IndexLocks,
    ) -> None:
        self._database = database
        self._clock = clock
        self._chunking = settings.chunking
        self._cache_settings = settings.embedding.cache
        self._embedder = embedder
        self._locks = locks
        self.lexical = choose(database, settings.search.lexical.backend)
        """What finds words in an index built now."""
        self._mutex = threading.Lock()
        self._feeding = Feeding(database)

    def identity(self) -> Identity:
        """Return what an index built now would be built with."""
        return Identity(
            terms=TERMS_VERSION,
            pieces=PIECES_VERSION,
            tokens=self._chunking.tokens,
            overlap=self._chunking.overlap,
            embedder=self._embedder.fingerprint if self._embedder else "",
            dimensions=self._embedder.dimensions if self._embedder else 0,
            lexical=self.lexical.used,
        )

    def outdated(self) -> str | None:
        """Return why a rebuild is due, or None."""
        return self._serving().identity.misfit(self.identity())

    def waiting(self, most: int) -> int:
        """Return how many chunks wait for a vector; counts no further than ``most``."""
        generation = self._serving()
        if not self._may_embed(generation):
            return 0
        return self._database.read(lambda tx: count_waiting(tx, generation.number, most))

    def sync(self, feeds: Sequence[Feed], watch: Watch) -> SyncReport:
        """Bring the index up to its feeds, vectors included; build a new one where it does not fit.

        A rebuild that was killed is finished.
        """
        if not self._needs_care():
            return self.work(feeds, watch)
        with self._alone() as alone:
            if alone and self._is_rebuild_due():
                return self._rebuild(feeds, watch)
            if alone:
                self._drop_retired()
        if self.outdated():
            return self.catch_up(feeds, watch).plus(SyncReport(warnings=(REBUILDING,)))
        return self.work(feeds, watch)

    def work(self, feeds: Sequence[Feed], watch: Watch) -> SyncReport:
        """Bring the serving generation up to its feeds, merge and embed; never rebuild."""
        report = self._read(lambda _: feeds, watch)
        generation = self._serving()
        self._feeding.merge(generation, watch)
        return report.plus(self._embed(generation, watch))

    def catch_up(self, feeds: Sequence[Feed], watch: Watch) -> SyncReport:
        """Bring the words of the serving generation up to those feeds that are behind."""

        def behind(generation: Generation) -> Sequence[Feed]:
            return [feed for feed in feeds if self._feeding.is_behind(generation, feed)]

        report = self._read(behind, watch)
        if report.chunks:
            # Small merges only: they keep the number of rows bounded, and somebody waits for us.
            self._feeding.merge(self._serving(), watch, small_only=True)
        return report

    def embed(self, watch: Watch) -> SyncReport:
        """Make the missing vectors of the serving generation, for somebody who waits.

        Raises:
            EmbeddingError: the embedder failed.
            StoreBusy: somebody else is embedding, and slowly.
        """
        return self._embed(self._serving(), watch, SEARCH_PATIENCE_S)

    def rebuild(self, feeds: Sequence[Feed], watch: Watch) -> SyncReport:
        """Build a new generation from nothing and let it answer; the old one answers until then.

        A rebuild that was killed goes on where it was.

        Raises:
            StoreBusy: another process or thread is rebuilding.
        """
        with self._alone() as alone:
            if not alone:
                raise StoreBusy(REBUILDING, hint="wait until it is finished")
            return self._rebuild(feeds, watch)

    def _rebuild(self, feeds: Sequence[Feed], watch: Watch) -> SyncReport:
        building = self._database.write(self._building)
        report = self._feeding.read(building, feeds, watch)
        self._feeding.merge(building, watch)
        report = report.plus(self._embed(building, watch))
        # What was said meanwhile; the rest comes with the next search.
        report = report.plus(self._feeding.read(building, feeds, watch))
        self._database.write(lambda tx: flip(tx, building.number))
        self._drop_retired()
        sweep(self._database)
        return msgspec.structs.replace(report, rebuilt=True)

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Give the block True when nobody else rebuilds until its end."""
        with ExitStack() as held:
            alone = self._mutex.acquire(blocking=False)
            if alone:
                held.callback(self._mutex.release)
                alone = self._locks.rebuild.acquire("reindex")
                held.callback(self._locks.rebuild.release)
            yield alone

    def _needs_care(self) -> bool:
        """Whether the index does not fit, or something is left of a rebuild."""
        return self.outdated() is not None or self._database.read(has_leftovers)

    def _is_rebuild_due(self) -> bool:
        """Whether the index does not fit, or a rebuild of what fits was begun; drop other ones.

        The caller is alone, so nobody is at it.
        """
        if self.outdated():
            return True
        unfinished = self._database.read(lambda tx: find_generation(tx, "building"))
        if unfinished is not None and unfinished.identity == self.identity():
            return True
        self._database.write(retire_unfinished)
        return False

    def _read(self, choose: Callable[[Generation], Sequence[Feed]], watch: Watch) -> SyncReport:
        """Read feeds into the serving generation, and into the next one when it is flipped."""
        while True:
            generation = self._with_embedder(self._serving())
            if not generation.identity.can_take(self.identity()):
                return SyncReport()
            try:
                return self._feeding.read(generation, choose(generation), watch)
            except Superseded:
                continue

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

    def _with_embedder(self, generation: Generation) -> Generation:
        """Queue every chunk for the first embedder of a generation that has none."""
        wanted = self.identity()
        if generation.identity.embedder or not wanted.embedder:
            return generation
        if not generation.identity.can_take(wanted):
            return generation

        def unit(tx: Transaction) -> None:
            present = live_identity(tx, generation.number)
            if present is not None and not present.embedder:
                embedder = {"embedder": wanted.embedder, "dimensions": wanted.dimensions}
                set_identity(tx, generation.number, msgspec.structs.replace(present, **embedder))
                queue_all(tx, generation.number)

        self._database.write(unit)
        return self._serving()

    def _may_embed(self, generation: Generation) -> bool:
        return (
            self._embedder is not None
            and generation.identity.embedder == self._embedder.fingerprint
        )

    def _embed(
        self, generation: Generation, watch: Watch, patience_s: float = PATIENCE_S
    ) -> SyncReport:
        if self._embedder is None or not self._may_embed(generation):
            return SyncReport()
        cache = EmbeddingCache(space_of(self._embedder), self._cache_settings, self._clock)
        queue = EmbeddingQueue(self._database, self._embedder, self._locks.embedding, cache)
        report = SyncReport(vectors=queue.work(generation.number, watch, patience_s))
        if patience_s == PATIENCE_S:
            queue.evict(watch)
        return report

    def _drop_retired(self) -> None:
        while self._database.write(drop_some):
            pass
