"""Keeps the index in step with its feeds: reads, embeds, and rebuilds when it does not fit.

Any number of processes may do so and search meanwhile; only a rebuild is one process's work. Within
a process there is one sync at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import ProviderError, StoreBusy
from recollect.core.settings import RemoteSettings, Settings
from recollect.index.embedding.cache import sweep
from recollect.index.embedding.queue import queue_all
from recollect.index.embedding.service import Embedders, EmbeddingService, SizeChanged, is_paid
from recollect.index.indexing.ingestor import Ingestor, Superseded
from recollect.index.indexing.prepared_chunk import PIECES_VERSION
from recollect.index.indexing.retired import drop_some
from recollect.index.lexical.choice import choose
from recollect.index.model.document import DocumentSource
from recollect.index.model.generation import (
    Generation,
    Identity,
    create_generation,
    find_generation,
    flip,
    live_identity,
    living,
    retire_unfinished,
    set_identity,
)
from recollect.index.model.locks import LOOK_S, REINDEX, TIDYING, IndexLocks
from recollect.index.model.sync_report import SyncReport, Watch
from recollect.index.model.visibility import visibility_rules
from recollect.models.prices import embedding_price
from recollect.store.engine import Database, Transaction
from recollect.text.terms import TERMS_VERSION

if TYPE_CHECKING:  # only a preview makes one
    from recollect.index.indexing.preview import Preview

REBUILDING = "another process is rebuilding the index"
_LOOKS = 200
"""How often a rebuild checks whether others have finished tidying up: for ten seconds."""


class Indexer:
    """The writing side of the index. Threads may share it.

    Args:
        database: index.db.
        clock: For the times of generations.
        settings: The whole tree; read are ``chunking``, ``embedding``, ``search.lexical``
            and ``sessions.identity_links``.
        embedders: Make vectors.
        locks: Those of the home.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: Settings,
        embedders: Embedders,
        locks: IndexLocks,
    ) -> None:
        self._database = database
        self._clock = clock
        self._chunking = settings.chunking
        self._visibility_rules = visibility_rules(
            settings.sessions.identity_links, settings.sessions.owner
        )
        self._confirms = settings.embedding.confirm_paid
        self._locks = locks
        self.vectors = EmbeddingService(
            database, embedders, settings.embedding, clock=clock, locks=locks
        )
        """Makes the vectors and chooses the embedder."""
        self.lexical = choose(database, settings.search.lexical.backend)
        """The lexical back end of an index built now."""
        self._mutex = threading.Lock()
        self._ingestor = Ingestor(database)

    def identity(self, tx: Transaction | None = None) -> Identity:
        """Return the identity of an index built now; asks no provider.

        Args:
            tx: A snapshot to read; one of its own if not given.
        """
        embedder = self.vectors.wanted_embedder(tx)
        return Identity(
            terms=TERMS_VERSION,
            pieces=PIECES_VERSION,
            tokens=self._chunking.tokens,
            overlap=self._chunking.overlap,
            entries=self._chunking.entries,
            embedder=embedder.fingerprint if embedder else "",
            model=embedder.model if embedder else "",
            dimensions=self.vectors.size(embedder) if embedder else 0,
            lexical=self.lexical.used,
            visibility_rules=self._visibility_rules,
        )

    def outdated(self) -> str | None:
        """Return the reason a rebuild is due, or None."""
        return self.serving().identity.incompatibility(self.identity())

    def is_behind(self, feeds: Sequence[DocumentSource]) -> bool:
        """Return whether any of the feeds may have something new."""
        generation = self.serving()
        return any(self._ingestor.is_behind(generation, feed) for feed in feeds)

    def consent_needed(self, tx: Transaction | None = None) -> str | None:
        """Return the reason that embedding needs consent first, or None.

        A paid provider does not get the texts that another embedder, or none, has indexed; one that
        was not named, but has a key in the environment, gets none at all. A rebuild for it counts
        as consent; a new index for one that was named needs none.

        Args:
            tx: A snapshot to read; one of its own if not given.
        """
        embedder = self.vectors.wanted_embedder(tx)
        if embedder is None or not (self._confirms and is_paid(embedder)):
            return None
        generations = living(tx) if tx is not None else self._database.read(living)
        fingerprints = {g.identity.embedder for g in generations}
        fingerprints |= {g.identity.stands_in_for for g in generations}
        if embedder.fingerprint in fingerprints or not (generations or self.vectors.was_found):
            return None
        return (
            f"{embedder.model} is paid and has not made the vectors of this index:"
            " run `recollect reindex` to agree"
        )

    def preview(
        self, feeds: Sequence[DocumentSource], remote: RemoteSettings, *, rebuild: bool
    ) -> Preview:
        """Return the cost of a sync, or of a rebuild; nothing is written and nothing sent.

        Args:
            feeds: The sources of documents.
            remote: Knows the price.
            rebuild: Whether everything is to be rebuilt in any case.
        """
        from recollect.index.indexing.preview import Preview, Survey

        embedder, identity, serving = (
            self.vectors.wanted_embedder(),
            self.identity(),
            self.serving(),
        )
        due = serving.identity.incompatibility(identity) or ("it is asked for" if rebuild else None)
        building = self._database.read(lambda tx: find_generation(tx, "building"))
        is_begun = building is not None and building.identity.is_for(identity)
        target = (building if is_begun else None) if due else serving
        cache = self.vectors.cache(embedder) if embedder else None
        survey = Survey(self._database, identity, target, cache, self.vectors.withheld())
        survey.count_new(feeds)
        paid = embedder is not None and is_paid(embedder)
        rate = embedding_price(embedder.model, remote) if embedder is not None and paid else 0.0
        return Preview(
            rebuild=due,
            consent_needed=self.consent_needed(),
            documents=survey.documents,
            chunks=survey.chunks,
            texts=survey.texts,
            tokens=survey.tokens,
            model=embedder.model if embedder else None,
            is_paid=paid,
            usd=None if rate is None else survey.tokens * rate / 1_000_000,
        )

    def sync(self, feeds: Sequence[DocumentSource], watch: Watch) -> SyncReport:
        """Bring the index up to its feeds, as far as the mode of the watch allows.

        ``full`` makes the vectors too and builds a new index where this one does not fit; a rebuild
        that was killed is finished. Where the configured embedder is given up, the fallback takes
        over. ``background`` never rebuilds. Both wait for another sync of this process. ``answer``
        does not wait: it reads words only, and merges for a moment at most.

        Raises:
            ProviderError: the embedder failed; words are indexed, and vectors that were made kept.
        """
        if watch.mode == "answer":
            return self._bring_up(feeds, watch, self.serving(), self.identity())
        with self._locks.sync.taken(watch) as mine:
            if mine is None:
                return SyncReport()
            if mine.mode == "background":
                return self._bring_up(feeds, mine, self.serving(), self.identity())
            self.vectors.ask_again()
            report = self._with_fallback(lambda: self._sync(feeds, mine))
            self.vectors.tidy(mine)
            return report

    def rebuild(self, feeds: Sequence[DocumentSource], watch: Watch) -> SyncReport:
        """Build a new generation from nothing and let it answer; the old one answers until then.

        A killed rebuild is resumed.

        Raises:
            StoreBusy: another process or thread is rebuilding.
            ProviderError: the embedder failed; finished vectors are kept for the next time.
        """
        with self._alone(watch) as alone:
            if not alone:
                raise StoreBusy(REBUILDING, hint="wait until it is finished")
            with self._locks.sync.taken(watch) as mine:
                if mine is None:
                    return SyncReport()
                self.vectors.ask_again(now=True)
                return self._with_fallback(lambda: self._rebuild(feeds, mine))

    def drop_others(self) -> bool:
        """Remove generations that do not answer; return False while another process builds one."""
        if not self.serving().has_others:
            sweep(self._database)
            return True
        with self._alone() as alone:
            if alone:
                self._database.write(retire_unfinished)
                self._drop_retired()
        return alone

    def _sync(self, feeds: Sequence[DocumentSource], watch: Watch) -> SyncReport:
        consent_needed, identity, serving = self.consent_needed(), self.identity(), self.serving()
        if serving.has_others or serving.identity.incompatibility(identity):
            with self._alone() as alone:
                if alone and consent_needed is None and self._is_rebuild_due():
                    return self._rebuild(feeds, watch)
            serving, identity = self.serving(), self.identity()
            if consent_needed is None and serving.identity.incompatibility(identity):
                words = msgspec.structs.replace(watch, mode="answer")
                return self._bring_up(feeds, words, serving, identity).plus(_warning(REBUILDING))
        report = self._bring_up(feeds, watch, serving, identity)
        if serving.has_others and not (report.paused or watch.stopping()):
            # Not earlier, because texts take over the vectors of a generation that was given up.
            with self._alone() as alone:
                if alone:
                    self._drop_retired()
        return report.plus(_warning(consent_needed)) if consent_needed else report

    def _bring_up(
        self, feeds: Sequence[DocumentSource], watch: Watch, serving: Generation, identity: Identity
    ) -> SyncReport:
        """Read new documents into the serving generation; merge, and embed if no search waits."""
        report, generation = self._read(feeds, watch, serving, identity)
        if watch.mode != "answer":
            self._ingestor.merge(generation, watch)
            return report.plus(self.vectors.sync(generation, watch))
        if report.chunks:
            # Small merges only: they keep the number of rows bounded, and a caller is waiting.
            self._ingestor.merge(generation, watch, small_only=True)
        return report

    def _rebuild(self, feeds: Sequence[DocumentSource], watch: Watch) -> SyncReport:
        self._locks.rebuild.sign(REINDEX)
        building = self._begin()
        report = self._ingestor.sync(building, feeds, watch, answers=False)
        self._ingestor.merge(building, watch)
        report = report.plus(self.vectors.sync(self._live(building), watch))
        if report.paused or watch.stopping():
            return report
        # Messages that arrived meanwhile; the rest comes with the next search.
        report = report.plus(self._ingestor.sync(building, feeds, watch, answers=False))
        self._database.write(lambda tx: flip(tx, building.number))
        self._drop_retired()
        return msgspec.structs.replace(report, rebuilt=True)

    def _with_fallback(self, step: Callable[[], SyncReport]) -> SyncReport:
        """Run a step, and once more when its failure means that another generation is due."""
        before = self.vectors.wanted_embedder()
        try:
            return step()
        except SizeChanged:
            return step()
        except ProviderError as error:
            after = self.vectors.wanted_embedder()
            if before is None or after is None or after is before or self.consent_needed():
                if (waits := self.vectors.trouble_text()) not in {None, error.message}:
                    error.hint = f"wait: {waits}"
                raise
            warning = f"{error.message}: {after.model} takes over from {before.model}"
            return step().plus(_warning(warning))

    @contextmanager
    def _alone(self, patient: Watch | None = None) -> Iterator[bool]:
        """Give the block True when no other rebuild or tidying runs until its end.

        Args:
            patient: Waits while another process only tidies up, until it is to stop.
        """
        alone, looks = self._take(), 0 if patient is None else _LOOKS
        while not (alone or self._is_rebuilding()) and looks and patient and not patient.stopping():
            time.sleep(LOOK_S)
            alone, looks = self._take(), looks - 1
        try:
            yield alone
        finally:
            if alone:
                self._locks.rebuild.release()
                self._mutex.release()

    def _take(self) -> bool:
        with ExitStack() as stack:
            if not self._mutex.acquire(blocking=False):
                return False
            stack.callback(self._mutex.release)
            if not self._locks.rebuild.acquire(TIDYING):
                return False
            stack.pop_all()
        return True

    def _is_rebuilding(self) -> bool:
        holder = self._locks.rebuild.holder()
        return holder is not None and holder.role == REINDEX

    def _is_rebuild_due(self) -> bool:
        """Whether the index does not fit, or a rebuild of what fits was begun; drop other ones.

        The caller is alone, so no one works on it.
        """
        if self.outdated():
            return True
        unfinished = self._database.read(lambda tx: find_generation(tx, "building"))
        if unfinished is not None and unfinished.identity.is_for(self.identity()):
            return True
        self._database.write(retire_unfinished)
        return False

    def _read(
        self, feeds: Sequence[DocumentSource], watch: Watch, serving: Generation, identity: Identity
    ) -> tuple[SyncReport, Generation]:
        """Read feeds into the serving generation, and into the next one when it is flipped."""
        while True:
            generation = self._with_embedder(serving, identity)
            if not generation.identity.can_take(identity):
                return SyncReport(), generation
            try:
                return self._ingestor.sync(generation, feeds, watch), generation
            except Superseded:
                serving = self.serving()

    def serving(self) -> Generation:
        """Return the generation that answers, the first one if there is none."""
        generation = self._database.read(lambda tx: find_generation(tx, "serving"))
        if generation is not None:
            return generation
        identity, now = self.identity(), self._clock.now_ms()
        if self.consent_needed():
            identity = msgspec.structs.replace(identity, embedder="", model="", dimensions=0)

        def ensure_serving(tx: Transaction) -> Generation:
            present = find_generation(tx, "serving")
            return present or create_generation(tx, identity, "serving", now)

        return self._database.write(ensure_serving)

    def _begin(self) -> Generation:
        """Return the generation that a rebuild fills: an unfinished one, or a new one."""
        replaced = self.vectors.replaced_fingerprint(self.serving())
        identity = msgspec.structs.replace(self.identity(), stands_in_for=replaced)
        now = self._clock.now_ms()

        def ensure_building(tx: Transaction) -> Generation:
            building = find_generation(tx, "building")
            if building is not None and building.identity.is_for(identity):
                return building
            retire_unfinished(tx)
            return create_generation(tx, identity, "building", now)

        return self._database.write(ensure_building)

    def _with_embedder(self, generation: Generation, identity: Identity) -> Generation:
        """Queue every chunk for the first embedder of a generation that has none."""
        if generation.identity.embedder or not identity.embedder:
            return generation
        if not generation.identity.can_take(identity) or self.consent_needed():
            return generation

        def take_embedder(tx: Transaction) -> None:
            present = live_identity(tx, generation.number)
            if present is not None and not present.embedder:
                completed = msgspec.structs.replace(
                    present,
                    embedder=identity.embedder,
                    model=identity.model,
                    dimensions=identity.dimensions,
                )
                set_identity(tx, generation.number, completed)
                queue_all(tx, generation.number)

        self._database.write(take_embedder)
        return self.serving()

    def _live(self, generation: Generation) -> Generation:
        """Return the stored state of a generation: another process may have changed its vectors."""
        present = self._database.read(lambda tx: live_identity(tx, generation.number))
        return Generation(generation.number, present or generation.identity)

    def _drop_retired(self) -> None:
        while self._database.write(drop_some):
            pass
        sweep(self._database)


def _warning(text: str) -> SyncReport:
    return SyncReport(warnings=(text,))
