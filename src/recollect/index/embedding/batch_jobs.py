"""Large amounts of text as asynchronous batches of the provider: when, how many, and the fallback.

A batch is a row of `embedding_jobs` from before its upload until its vectors are stored, so that it
is collected after a restart instead of paid for again. Texts that are under way are left alone by
the direct way (`embedding`); texts that a batch does not return go that way.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import BudgetSpent, ProviderError
from recollect.core.settings.embedding import BatchSettings
from recollect.index.embedding.batch_health import (
    BATCH_FAILURE_LIMIT,
    BatchHealth,
    BatchStatus,
    batch_health,
    batch_status,
    forget_failures,
    note_failure,
    note_timeout,
)
from recollect.index.embedding.batch_job_rows import (
    BatchJob,
    count_in_flight,
    count_jobs,
    find_jobs,
    has_jobs,
    remove_job,
)
from recollect.index.embedding.batch_job_runner import TIMEOUT, BatchJobRunner, Verdict
from recollect.index.embedding.batch_texts import BatchDraft, BatchResults, BatchTexts
from recollect.index.embedding.cache import EmbeddingCache
from recollect.index.embedding.queue import SYNC_PATIENCE_S, EmbeddingQueue, count_waiting
from recollect.index.model.document import SOURCES
from recollect.index.model.locks import IndexLocks
from recollect.index.model.sync_report import Progress, SyncReport, Watch
from recollect.models.embedding.batch_job import EmbeddingBatches, batches_of
from recollect.models.embedding.embedder import Embedder
from recollect.store.engine import Database
from recollect.store.files import private_folder

FOLDER, TEXTS, RESULTS = "batches", "texts.jsonl", "results.jsonl"
"""The folder of batch files while they are sent or read."""
NAP_S = 0.05
"""Seconds between two checks of a waiting caller whether it is to stop."""


class Batched(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of batches.

    Attributes:
        vectors: Chunks that got a vector.
        in_flight: Texts that are under way.
        is_held: Texts wait for a free batch and are not to be sent directly.
    """

    vectors: int = 0
    in_flight: int = 0
    is_held: bool = False

    def report(self) -> SyncReport:
        """Return the outcome as a sync report."""
        warning = f"{self.in_flight} texts are under way with a batch: a later sync fetches them"
        is_open = self.in_flight > 0 or self.is_held
        return SyncReport(
            vectors=self.vectors, paused=is_open, warnings=(warning,) if self.in_flight else ()
        )


class EmbeddingJobs:
    """The batches of one embedder. Threads may share it.

    Args:
        database: index.db.
        embedder: The embedder of the vectors.
        settings: The section ``embedding.batch``.
        cache: Vectors that were made before.
        locks: Those of the home.
        clock: Tells the time.
        kept: Fingerprints of other embedders whose batches are left alone.
        sources: The kinds of memory that the embedder may get.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        settings: BatchSettings,
        cache: EmbeddingCache,
        *,
        locks: IndexLocks,
        clock: Clock,
        other_fingerprints: Collection[str] = (),
        sources: Sequence[str] = SOURCES,
    ) -> None:
        self._sources = tuple(sources)
        self._database = database
        self._embedder = embedder
        self._settings = settings
        self._cache = cache
        self._locks = locks
        self._clock = clock
        self._other_fingerprints = frozenset(other_fingerprints)
        self._left_out: set[bytes] = set()
        """Texts that a batch did not bring: sent directly, else they would go round for ever."""
        self._may_send = True
        """Not after a failure: what waits goes directly in this run."""

    def sync(self, generation: int, watch: Watch) -> Batched:
        """Collect finished batches and send waiting texts, if there are many.

        If so configured, waits until all batches are over, or until it is stopped.

        Raises:
            StoreError: vectors or files cannot be written; StoreBusy when others embed for long.
        """
        batches = batches_of(self._embedder)
        self._may_send = self._settings.enabled and batches is not None
        if not self._may_send and not self._database.read(has_jobs):
            return Batched()
        vectors = 0
        while True:
            with self._locks.embedding.turn(SYNC_PATIENCE_S):
                vectors += self._step(batches, generation)
            texts = self._database.read(partial(count_in_flight, fingerprint=self._fingerprint))
            waits = bool(texts) and self._settings.wait and watch.mode == "full"
            if not waits or watch.stopping():
                return Batched(vectors=vectors, in_flight=texts, is_held=self._holds(generation))
            watch.tell(Progress(stage="embedding", done=vectors, left=texts))
            _nap(self._settings.poll_interval_ms / 1000, watch)

    def status(self) -> BatchStatus:
        """Return the status of batches; asks no provider."""
        offered = batches_of(self._embedder) is not None
        fingerprint = self._fingerprint if offered else None
        now = self._clock.now_ms()
        return self._database.read(lambda tx: batch_status(tx, self._settings, fingerprint, now))

    @property
    def _fingerprint(self) -> str:
        return self._embedder.fingerprint

    def _step(self, batches: EmbeddingBatches | None, generation: int) -> int:
        """Do all work that is possible now; return the number of chunks that got a vector."""
        jobs = [
            job
            for job in self._database.read(find_jobs)
            if job.fingerprint not in self._other_fingerprints
        ]
        if batches is None:
            for job in jobs:
                self._forget(job)
            return 0
        folder = private_folder(self._locks.folder / FOLDER)
        for name in (TEXTS, RESULTS):  # those of a process that was killed
            (folder / name).unlink(missing_ok=True)
        round_ = _Round(courier=self._courier(batches), batches=batches, folder=folder)
        vectors = sum(self._tend(round_, job) for job in jobs)
        while self._may_send and self._has_room() and self._send(round_, generation):
            pass
        return vectors

    def _tend(self, round_: _Round, job: BatchJob) -> int:
        """Continue a job as far as possible; return the number of chunks that got a vector."""
        if job.fingerprint != self._fingerprint:
            if job.provider == round_.batches.provider:
                round_.courier.abandon(job)
            self._forget(job)
            return 0
        if job.state in {"uploading", "creating"}:
            verdict = round_.courier.recover(job)
        elif self._is_due(job):
            verdict = round_.courier.ask(job, round_.folder / RESULTS)
        else:
            return 0
        self._judge(job, verdict)
        return verdict.vectors

    def _judge(self, job: BatchJob, verdict: Verdict) -> None:
        self._left_out |= verdict.left_out
        if verdict.failure == TIMEOUT and job.attempt == 1:
            self._database.write(partial(note_timeout, fingerprint=self._fingerprint))
        elif verdict.failure is not None:
            self._fail(job.provider, verdict.failure)
        elif verdict.is_success:
            self._database.write(forget_failures)

    def _send(self, round_: _Round, generation: int) -> bool:
        """Send a batch of waiting texts; return False when there are too few, or it failed."""
        health = self._database.read(batch_health)
        if not health.permits(self._fingerprint, self._clock.now_ms()):
            return False
        draft = self._draft(round_, generation)
        if draft is None:
            return False
        attempt = 2 if health.is_late_for(self._fingerprint) else 1
        try:
            round_.courier.send(draft, self._fingerprint, attempt)
        except BudgetSpent:
            return False
        except ProviderError as error:
            # An address that does not exist offers no batches, so a second try is pointless.
            is_absent = error.facts.get("status") in {404, 405}
            self._fail(round_.batches.provider, error.code, BATCH_FAILURE_LIMIT if is_absent else 1)
            return False
        finally:
            draft.file.unlink(missing_ok=True)
        return True

    def _draft(self, round_: _Round, generation: int) -> BatchDraft | None:
        """Return the draft of the next batch; None when there are too few texts."""
        least = self._settings.least_texts
        if not self._has_enough(generation):
            return None
        budget = round_.batches.budget
        texts = BatchTexts(self._database, self._cache, self._embedder, self._sources)
        draft = texts.draft(
            generation,
            round_.batches.line,
            round_.folder / TEXTS,
            left_out=self._left_out,
            most_tokens=budget.left() if budget else None,
        )
        if len(draft.hashes) >= least:
            return draft
        draft.file.unlink(missing_ok=True)
        return None

    def _fail(self, provider: str, code: str, weight: int = 1) -> None:
        self._may_send = False
        failure = BatchHealth(
            failures=weight,
            fingerprint=self._fingerprint,
            last_error=code,
            last_provider=provider,
            failed_at=self._clock.now_ms(),
        )
        self._database.write(partial(note_failure, failure=failure))

    def _has_room(self) -> bool:
        jobs = self._database.read(partial(count_jobs, fingerprint=self._fingerprint))
        return jobs < self._settings.concurrency

    def _holds(self, generation: int) -> bool:
        """Whether enough waits for another batch, which has to wait for one that is under way."""
        return self._may_send and not self._has_room() and self._has_enough(generation)

    def _has_enough(self, generation: int) -> bool:
        most = self._settings.least_texts
        count = partial(count_waiting, most=most, unsent_by=self._fingerprint)
        return self._database.read(partial(count, generation=generation)) >= most

    def _is_due(self, job: BatchJob) -> bool:
        since = self._clock.now_ms() - job.asked_at
        return not 0 <= since < self._settings.poll_interval_ms

    def _forget(self, job: BatchJob) -> None:
        self._database.write(partial(remove_job, number=job.number))

    def _courier(self, batches: EmbeddingBatches) -> BatchJobRunner:
        queue = EmbeddingQueue(self._database, self._embedder, self._locks.embedding, self._cache)
        results = BatchResults(self._database, queue, self._fingerprint, self._embedder.dimensions)
        return BatchJobRunner(
            self._database,
            batches,
            results,
            clock=self._clock,
            timeout_ms=self._settings.timeout_minutes * 60_000,
        )


class _Round(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one pass over the jobs."""

    courier: BatchJobRunner
    batches: EmbeddingBatches
    folder: Path


def _nap(seconds: float, watch: Watch) -> None:
    """Wait, but not longer than until the work is to stop."""
    ends = time.monotonic() + seconds
    while (remaining := ends - time.monotonic()) > 0 and not watch.stopping():
        time.sleep(min(remaining, NAP_S))
