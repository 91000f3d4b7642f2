"""The health of batches in this home: after two failures in a row texts are sent directly.

Kept in index.db, so that every process knows; a day after the last failure one batch may try again.
"""

from __future__ import annotations

import msgspec

from recollect.core.clock import DAY_MS
from recollect.core.settings.embedding import BatchSettings
from recollect.index.embedding.batch_job_rows import count_in_flight, count_jobs
from recollect.index.embedding.failure import meta_value, set_meta_value
from recollect.store.engine import Transaction

BATCH_FAILURE_LIMIT = 2
"""OpenClaw's value."""
COOL_DOWN_MS = DAY_MS
"""As long as a provider may take for a batch."""

_KEY = "embedding_batches"


class BatchHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The consecutive failures of batches.

    Attributes:
        failures: Batches that failed since one succeeded.
        fingerprint: The embedder whose batches they were; another one starts over.
        last_error: `code` of the last failure.
        last_provider: Its provider.
        failed_at: When it was, ms UTC.
        is_late: Whether the last batch took too long and may be tried once more.
    """

    failures: int = 0
    fingerprint: str = ""
    last_error: str | None = None
    last_provider: str | None = None
    failed_at: int = 0
    is_late: bool = False

    def is_late_for(self, fingerprint: str) -> bool:
        """Return whether the next batch of an embedder is a second attempt."""
        return self.is_late and self.fingerprint == fingerprint

    def permits(self, fingerprint: str, now: int) -> bool:
        """Return whether an embedder may start a batch."""
        if self.failures < BATCH_FAILURE_LIMIT or self.fingerprint != fingerprint:
            return True
        return now >= self.failed_at + COOL_DOWN_MS


class BatchStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Batches for `recollect status`; most fields are those of OpenClaw.

    Attributes:
        enabled: Whether the next large amount of text would go as a batch.
        failures: Batches that failed since one succeeded.
        limit: After so many texts are sent directly.
        wait: Whether a sync waits for its batches.
        concurrency: Batches under way at once, at most.
        poll_interval_ms: How often the provider is asked.
        timeout_ms: When a batch counts as failed.
        last_error: `code` of the last failure.
        last_provider: Whose it was.
        jobs: Batches under way.
        texts: Texts that are under way with them.
    """

    enabled: bool
    failures: int
    limit: int
    wait: bool
    concurrency: int
    poll_interval_ms: int
    timeout_ms: int
    last_error: str | None
    last_provider: str | None
    jobs: int
    texts: int


def batch_health(tx: Transaction) -> BatchHealth:
    """Return the stored health of batches."""
    return meta_value(tx, _KEY, BatchHealth) or BatchHealth()


def note_failure(tx: Transaction, failure: BatchHealth) -> None:
    """Count a failure.

    Args:
        tx: The write transaction.
        failure: The failure; ``failures`` is the number that it counts for.
    """
    health = batch_health(tx)
    before = health.failures if health.fingerprint == failure.fingerprint else 0
    set_meta_value(tx, _KEY, msgspec.structs.replace(failure, failures=before + failure.failures))


def note_timeout(tx: Transaction, fingerprint: str) -> None:
    """Note that a first attempt took too long; the second one counts."""
    health = batch_health(tx)
    if health.fingerprint != fingerprint:
        health = BatchHealth(fingerprint=fingerprint)
    set_meta_value(tx, _KEY, msgspec.structs.replace(health, is_late=True))


def forget_failures(tx: Transaction) -> int:
    """Allow batches again, after a success or because the cause was fixed.

    Returns:
        How many failures there were.
    """
    health = batch_health(tx)
    tx.execute("DELETE FROM meta WHERE key = ?", (_KEY,))
    return health.failures


def batch_status(
    tx: Transaction, settings: BatchSettings, fingerprint: str | None, now: int
) -> BatchStatus:
    """Return the status of batches.

    Args:
        tx: Any transaction on index.db.
        settings: The section ``embedding.batch``.
        fingerprint: The embedder's, if its provider has batches; else None.
        now: Ms UTC.
    """
    health = batch_health(tx)
    offered = settings.enabled and fingerprint is not None
    return BatchStatus(
        enabled=offered and health.permits(fingerprint or "", now),
        failures=health.failures,
        limit=BATCH_FAILURE_LIMIT,
        wait=settings.wait,
        concurrency=settings.concurrency,
        poll_interval_ms=settings.poll_interval_ms,
        timeout_ms=settings.timeout_minutes * 60_000,
        last_error=health.last_error,
        last_provider=health.last_provider,
        jobs=count_jobs(tx, fingerprint or ""),
        texts=count_in_flight(tx, fingerprint or ""),
    )
