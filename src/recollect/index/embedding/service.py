"""The embedders of an index: the configured one, and the fallback that takes over from it.

Vectors of the two never meet: a generation belongs to one of them, and a question is embedded by
whichever fits the generation that answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import BudgetSpent, DimensionMismatch, ProviderError
from recollect.core.settings import EmbeddingSettings
from recollect.index.embedding.agreed import settle_queue
from recollect.index.embedding.batch_health import BatchStatus
from recollect.index.embedding.batch_job_rows import has_due_job, has_jobs
from recollect.index.embedding.cache import EmbeddingCache, evict, space_of
from recollect.index.embedding.failure import (
    STAYS_AWAY,
    EmbedderFailure,
    find_failure,
    forget_failure,
    note_embedder_failure,
)
from recollect.index.embedding.queue import EmbeddingQueue, QueueProgress, count_waiting
from recollect.index.model.document import FOUND, SOURCES
from recollect.index.model.generation import Generation, Identity, set_size
from recollect.index.model.locks import IndexLocks
from recollect.index.model.sync_report import SyncReport, Watch
from recollect.models.embedding.embedder import Embedder
from recollect.store.engine import Database, Transaction

if TYPE_CHECKING:  # ten modules that only a remote embedder needs
    from recollect.index.embedding.batch_jobs import Batched, EmbeddingJobs


class Embedders(msgspec.Struct, frozen=True, kw_only=True):
    """The small set.

    Attributes:
        first: The one of the settings; None for words only.
        fallback: Takes over when the first one cannot be used; None for words only.
        was_found: The first one was not named: a key for it was in the environment.
        is_off: There is none because the settings want none.
    """

    first: Embedder | None = None
    fallback: Embedder | None = None
    was_found: bool = False
    is_off: bool = False

    def fitting(self, fingerprint: str) -> Embedder | None:
        """Return the embedder whose vectors a generation holds, or None."""
        both = (self.first, self.fallback)
        return next((e for e in both if e is not None and e.fingerprint == fingerprint), None)

    def wanted_embedder(self, given_up: str) -> Embedder | None:
        """Return the embedder that an index built now would use.

        Args:
            given_up: Fingerprint of an embedder that cannot be used now; empty for none.
        """
        is_given_up = self.first is not None and self.first.fingerprint == given_up
        return self.fallback if is_given_up and self.fallback is not None else self.first


def is_paid(embedder: Embedder) -> bool:
    """Return whether its tokens are billed; a remote one that does not declare it counts."""
    return bool(getattr(embedder, "is_paid", embedder.is_remote))


BATCH_REST_MS = 60_000
"""How long the background waits before it checks a batch; a sync that waits checks sooner."""
PROBE = "memory"
"""The text that a given up embedder is tried with, to see whether it is back."""


class SizeChanged(DimensionMismatch):
    """The same model makes vectors of another size now: the generation must be rebuilt."""

    def __init__(self) -> None:
        super().__init__(
            "the embedder returns vectors of another size than the index holds",
            hint="run `recollect reindex`",
        )


class EmbeddingService:
    """Threads may share it.

    Args:
        database: index.db.
        embedders: The one of the settings and its fallback.
        settings: The section ``embedding``.
        clock: Dates troubles.
        locks: Those of the home.
    """

    def __init__(
        self,
        database: Database,
        embedders: Embedders,
        settings: EmbeddingSettings,
        *,
        clock: Clock,
        locks: IndexLocks,
    ) -> None:
        self._database = database
        self._embedders = embedders
        self._settings = settings
        self._clock = clock
        self._locks = locks
        self._sizes: dict[str, int] = {}
        self._jobs: dict[str, EmbeddingJobs] = {}

    def wanted_embedder(self, tx: Transaction | None = None) -> Embedder | None:
        """Return the embedder that an index built now would use; asks no provider.

        Args:
            tx: A snapshot to read; one of its own if not given.
        """
        if self._embedders.fallback is None:
            return self._embedders.first
        trouble = self.trouble(tx)
        return self._embedders.wanted_embedder(
            trouble.fingerprint if trouble is not None and trouble.is_given_up else ""
        )

    @property
    def is_paid(self) -> bool:
        """Whether new vectors are billed."""
        embedder = self.wanted_embedder()
        return embedder is not None and is_paid(embedder)

    def withheld(self) -> tuple[str, ...]:
        """Return the kinds of memory that the embedder does not get without consent."""
        embedder = self.wanted_embedder()
        allowed = SOURCES if embedder is None else self._sources(embedder)
        return tuple(kind for kind in FOUND if kind not in allowed)

    def _sources(self, embedder: Embedder) -> tuple[str, ...]:
        """Return the kinds of memory that an embedder may get; all where no bills come."""
        return self._settings.sources if is_paid(embedder) else SOURCES

    def size(self, embedder: Embedder) -> int:
        """Return the size of its vectors; 0 for a remote one that has not been asked yet."""
        if embedder.is_remote:
            return self._sizes.get(embedder.fingerprint, 0)
        return embedder.dimensions

    def fits(self, identity: Identity) -> bool:
        """Return whether a generation can get vectors from one of the embedders."""
        return self._embedders.fitting(identity.embedder) is not None

    def stands_in_for(self, generation: Generation) -> str | None:
        """Return the model that the fallback replaces in a generation, or None."""
        first, fallback = self._embedders.first, self._embedders.fallback
        if first is None or fallback is None or first.fingerprint == fallback.fingerprint:
            return None
        return first.model if generation.identity.embedder == fallback.fingerprint else None

    def replaced_fingerprint(self, serving: Generation | None) -> str:
        """Return the fingerprint of the embedder that a new generation's one replaces.

        Only of one that made the vectors before: then it needs no consent when it comes back.

        Args:
            serving: The serving generation.
        """
        first = self._embedders.first
        if first is None or serving is None or self.wanted_embedder() is first:
            return ""
        fingerprints = (serving.identity.embedder, serving.identity.stands_in_for)
        return first.fingerprint if first.fingerprint in fingerprints else ""

    def trouble(self, tx: Transaction | None = None) -> EmbedderFailure | None:
        """Return the last failure of the configured embedder, unless it has expired."""
        failure = find_failure(tx) if tx is not None else self._database.read(find_failure)
        return None if failure is None or failure.is_over(self._clock.now_ms()) else failure

    def trouble_text(self) -> str | None:
        """Return the last failure, and when the fallback takes over, as text; or None."""
        trouble, fallback = self.trouble(), self._embedders.fallback
        if trouble is None:
            return None
        if fallback is None or trouble.is_given_up or trouble.code == BudgetSpent.code:
            return trouble.message
        return (
            f"{trouble.message}: {fallback.model} takes over after {STAYS_AWAY} failed syncs,"
            f" a minute apart ({trouble.failures} so far)"
        )

    def cache(self, embedder: Embedder) -> EmbeddingCache:
        """Return the part of the cache that holds an embedder's vectors."""
        return EmbeddingCache(space_of(embedder), self._settings.cache)

    @property
    def was_found(self) -> bool:
        """Whether the embedder was not named: a key for it lay in the environment."""
        return self._embedders.was_found

    def batch_status(self) -> BatchStatus | None:
        """Return the batch status of the embedder that an index built now would use, if any."""
        embedder = self.wanted_embedder()
        return self._jobs_of(embedder).status() if embedder is not None else None

    def has_due_batch(self, generation: Generation) -> bool:
        """Return whether it is time to check the batch of a generation."""
        if not self.fits(generation.identity):
            return False
        fingerprint, since = generation.identity.embedder, self._clock.now_ms() - BATCH_REST_MS
        return self._database.read(lambda tx: has_due_job(tx, fingerprint, since))

    def sync(self, generation: Generation, watch: Watch) -> SyncReport:
        """Make the missing vectors of a generation.

        Large amounts go as batches first, where the settings want that. When the daily limit is
        reached, or a batch is under way, finished vectors stay and the report says so. No request
        is sent to a provider while a search waits.

        Args:
            generation: The generation.
            watch: Called after every batch.

        Raises:
            ProviderError: the embedder failed; it is noted.
            StoreBusy: another process is embedding, and slowly.
        """
        embedder = self._embedders.fitting(generation.identity.embedder)
        if embedder is None or (watch.mode == "answer" and embedder.is_remote):
            return SyncReport()
        if watch.mode != "answer" and is_paid(embedder):
            sources = self._sources(embedder)
            self._database.write(lambda tx: settle_queue(tx, generation.number, sources))
        if not self._database.read(
            lambda tx: bool(count_waiting(tx, generation.number, 1)) or has_jobs(tx)
        ):
            return SyncReport()
        queue = EmbeddingQueue(
            self._database,
            embedder,
            self._locks.embedding,
            self.cache(embedder),
            self._sources(embedder),
        )
        try:
            self._learn_size(generation, embedder, watch)
            batched = self._batched(generation, embedder, watch)
            embedded = QueueProgress()
            if batched is None or not batched.is_held:
                embedded = queue.sync(generation.number, watch)
        except BudgetSpent as spent:  # the request for the vector size failed
            batched, embedded = None, QueueProgress(reason=spent)
        except ProviderError as error:
            self._note(embedder, error)
            raise
        if embedded.spent is not None:
            self._note(embedder, embedded.spent)
        elif embedded.vectors or (batched is not None and batched.vectors):
            self._forget(embedder)
        report = SyncReport() if batched is None else batched.report()
        return report.plus(embedded.report())

    def tidy(self, watch: Watch) -> None:
        """Cut the cache to its cap; not while a search waits."""
        embedder = self.wanted_embedder()
        if embedder is not None:
            evict(self._database, self.cache(embedder), watch)

    def ask_again(self, *, now: bool = False) -> None:
        """Check whether the configured embedder is back after it was given up for the fallback.

        Args:
            now: Ask even if the last failure is not an hour ago.
        """
        first = self._embedders.first
        trouble = None if self._embedders.fallback is None else self.trouble()
        if first is None or trouble is None or trouble.fingerprint != first.fingerprint:
            return
        is_due = now or trouble.may_be_asked_again(self._clock.now_ms())
        if not (trouble.is_given_up and is_due):
            return
        try:
            first.embed_documents([PROBE])
        except ProviderError as error:
            self._note(first, error)
        else:
            self._forget(first)

    def _batched(self, generation: Generation, embedder: Embedder, watch: Watch) -> Batched | None:
        """Return the outcome of batches; None without batches, or while a search waits."""
        if watch.mode == "answer" or not (embedder.is_remote or self._database.read(has_jobs)):
            return None
        return self._jobs_of(embedder).sync(generation.number, watch)

    def _jobs_of(self, embedder: Embedder) -> EmbeddingJobs:
        """Return the batches of an embedder: one object, as it keeps texts they did not bring."""
        from recollect.index.embedding.batch_jobs import EmbeddingJobs

        both = (self._embedders.first, self._embedders.fallback)
        return self._jobs.setdefault(
            embedder.fingerprint,
            EmbeddingJobs(
                self._database,
                embedder,
                self._settings.batch,
                self.cache(embedder),
                locks=self._locks,
                clock=self._clock,
                other_fingerprints={e.fingerprint for e in both if e is not None}
                - {embedder.fingerprint},
                sources=self._sources(embedder),
            ),
        )

    def _learn_size(self, generation: Generation, embedder: Embedder, watch: Watch) -> None:
        """Note the size of the vectors with the first ones; a remote embedder may be asked."""
        size, stored_size = embedder.dimensions, generation.identity.dimensions
        # The background never rebuilds for another size.
        if stored_size in {0, size} or watch.mode == "full":
            self._sizes[embedder.fingerprint] = size
        if not stored_size:
            self._database.write(lambda tx: set_size(tx, generation.number, size))
        elif stored_size != size:
            raise SizeChanged

    def _note(self, embedder: Embedder, error: ProviderError) -> None:
        if embedder is self._embedders.first and not isinstance(error, SizeChanged):
            now = self._clock.now_ms()
            self._database.write(lambda tx: note_embedder_failure(tx, embedder, error, now))

    def _forget(self, embedder: Embedder) -> None:
        if self._database.read(find_failure) is not None:
            self._database.write(lambda tx: forget_failure(tx, embedder.fingerprint))
