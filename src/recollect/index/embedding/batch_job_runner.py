"""Takes one batch to its provider and back, and writes down every step before the next one.

Call it only with the lock of embedding held. `embedding_jobs` decides whether a batch is started at
all, and what a failure means for the next one.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import (
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.index.embedding.batch_job_rows import BatchJob, add_job, remove_job, update_job
from recollect.index.embedding.batch_texts import BatchDraft, BatchResults
from recollect.models.embedding.batch_job import EmbeddingBatches, RemoteBatch
from recollect.store.engine import Database

CANCEL_PATIENCE_MS = 600_000
"""How long a cancelled batch may take to end: OpenAI says up to 10 minutes."""
_KEY_REFUSALS = frozenset({401, 403})
TIMEOUT = "batch_timeout"
"""The failure code of a batch that took too long."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one check of a job.

    Attributes:
        is_over: Whether its row is gone.
        vectors: Chunks that got a vector.
        failure: Why it failed, a short code; None while it did not.
        left_out: Hashes of the texts that it did not bring, and that are to be sent directly.
        is_success: Whether it ended as it should.
    """

    is_over: bool = False
    is_success: bool = False
    vectors: int = 0
    failure: str | None = None
    left_out: frozenset[bytes] = frozenset()


OPEN = Verdict()


class BatchJobRunner:
    """Sends, recovers, polls and collects batches.

    Args:
        database: index.db.
        batches: The provider's interface.
        results: Stores the vectors.
        clock: Dates the steps.
        timeout_ms: When a batch took too long.
    """

    def __init__(
        self,
        database: Database,
        batches: EmbeddingBatches,
        results: BatchResults,
        *,
        clock: Clock,
        timeout_ms: int,
    ) -> None:
        self._database = database
        self._batches = batches
        self._results = results
        self._clock = clock
        self._ids = IdSource(clock)
        self._timeout_ms = timeout_ms

    def send(self, draft: BatchDraft, fingerprint: str, attempt: int) -> BatchJob:
        """Send a file and start its batch.

        Returns:
            The job, ``creating`` when the provider's answer was lost: it is searched for later.

        Raises:
            ProviderError: the batch does not exist; nothing is left of the job.
        """
        now = self._clock.now_ms()
        job = BatchJob(
            number=0,
            name=f"recollect-{self._ids.new()}",
            fingerprint=fingerprint,
            provider=self._batches.provider,
            state="uploading",
            attempt=attempt,
            file=None,
            batch=None,
            since=now,
            asked_at=now,
        )
        job = self._database.write(partial(add_job, job=job, hashes=draft.hashes))
        budget = self._batches.budget
        try:
            with budget.hold(draft.tokens) if budget else nullcontext():
                file = self._batches.upload(job.name, draft.file)
                job = self._changed(job, state="creating", file=file)
                batch = self._start(job, file)
                if budget is not None:
                    budget.add(draft.tokens)
        except ProviderError:
            self.abandon(job)
            raise
        return job if batch is None else self._changed(job, state="submitted", batch=batch.id)

    def recover(self, job: BatchJob) -> Verdict:
        """Determine the state of a job whose process died, or whose answer was lost.

        Raises:
            ProviderRejected: the key is refused; the job stays.
        """
        if job.state == "uploading":
            return self._give_up(job)
        job = self._noted(job)
        try:
            batch = self._batches.find(job.name)
        except ProviderUnavailable as error:
            return self._give_up(job, error.code) if self._is_late(job) else OPEN
        except ProviderRejected as error:
            _check_key(error)
            batch = None  # the provider lists no batches, so the only way is to send it again
        if batch is None:
            return self._give_up(job)
        self._changed(job, state="submitted", batch=batch.id)
        return OPEN

    def ask(self, job: BatchJob, scratch: Path) -> Verdict:
        """Ask for the state of a batch, and collect it when it is over.

        Args:
            job: A submitted one.
            scratch: A folder for the file of results.

        Raises:
            ProviderRejected: the key is refused; the job stays.
            StoreError: results cannot be kept; the job stays.
        """
        job = self._noted(job)
        try:
            batch = self._batches.look(job.batch or "")
            if batch.is_over:
                return self._collect(job, batch, scratch)
        except ProviderRejected as error:
            _check_key(error)
            return self._give_up(job, error.code)
        except ProviderError as error:
            return self._give_up(job, error.code) if self._is_lost(job) else OPEN
        return self._hurry(job) if self._is_late(job) else OPEN

    def abandon(self, job: BatchJob) -> None:
        """Forget a job; its batch is cancelled and its file deleted where that is possible."""
        if job.batch is not None:
            with suppress(ProviderError):
                self._batches.cancel(job.batch)
        self._close(job)

    def _start(self, job: BatchJob, file: str) -> RemoteBatch | None:
        """Start the batch; return None when it is unknown whether there is one."""
        try:
            return self._batches.create(job.name, file)
        except QuotaExhausted:
            raise
        except ProviderUnavailable as error:
            # Its start was not confirmed: it may have been made all the same.
            try:
                batch = self._batches.find(job.name)
            except ProviderUnavailable:
                return None
            if batch is None:
                raise error from None
            return batch

    def _collect(self, job: BatchJob, batch: RemoteBatch, scratch: Path) -> Verdict:
        try:
            collected = self._results.store(job, self._batches.read(batch, scratch))
        finally:
            scratch.unlink(missing_ok=True)
        self._close(job, *batch.results, *batch.other_files)
        is_late = job.state == "cancelling" and bool(collected.owed)
        failure = TIMEOUT if is_late else _failure(batch, brought=bool(collected.texts))
        # After a timeout the rest goes with a second batch; otherwise it is sent directly.
        return Verdict(
            is_over=True,
            vectors=collected.vectors,
            failure=failure if collected.owed else None,
            is_success=failure is None,
            left_out=frozenset() if is_late else collected.owed,
        )

    def _hurry(self, job: BatchJob) -> Verdict:
        """Cancel a batch that takes too long; its results until then are still collected."""
        if job.state == "cancelling":
            self._close(job)
            return Verdict(is_over=True, failure=TIMEOUT)
        with suppress(ProviderError):
            self._batches.cancel(job.batch or "")
        self._changed(job, state="cancelling")
        return OPEN

    def _give_up(self, job: BatchJob, code: str | None = None) -> Verdict:
        self.abandon(job)
        return Verdict(is_over=True, failure=code)

    def _is_late(self, job: BatchJob) -> bool:
        patience = CANCEL_PATIENCE_MS if job.state == "cancelling" else self._timeout_ms
        return self._clock.now_ms() - job.since >= patience

    def _is_lost(self, job: BatchJob) -> bool:
        """Whether a provider that does not answer has had the time of a batch for it."""
        return self._clock.now_ms() - job.since >= self._timeout_ms + CANCEL_PATIENCE_MS

    def _noted(self, job: BatchJob) -> BatchJob:
        noted = msgspec.structs.replace(job, asked_at=self._clock.now_ms())
        self._database.write(partial(update_job, job=noted))
        return noted

    def _changed(self, job: BatchJob, **fields: object) -> BatchJob:
        changed = msgspec.structs.replace(job, since=self._clock.now_ms(), **fields)
        self._database.write(partial(update_job, job=changed))
        return changed

    def _close(self, job: BatchJob, *files: str) -> None:
        """Forget a job; the provider discards its file, and these."""
        for file in (job.file, *files):
            if file is not None:
                with suppress(ProviderError):
                    self._batches.discard(file)
        self._database.write(partial(remove_job, number=job.number))


def _check_key(error: ProviderRejected) -> None:
    """Raise an error that concerns the key and not the batch, which is paid for."""
    if error.facts.get("status") in _KEY_REFUSALS:
        raise error


def _failure(batch: RemoteBatch, *, brought: bool) -> str | None:
    """Return the failure code of a batch that is over; None when it succeeded."""
    if batch.state == "completed":
        return None if brought else "batch_empty"
    return f"batch_{batch.state}" + (f" ({batch.reason})" if batch.reason else "")
