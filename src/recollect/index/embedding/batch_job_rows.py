"""Rows of batches under way: the state of each job, and the texts that only it may send meanwhile.

Only the holder of the embedding lock writes them, so a job that is being uploaded while another
process has the lock belongs to a process that died.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, LiteralString

import msgspec

from recollect.store.columns import blob, first_integer, typed_rows
from recollect.store.engine import Transaction

JobState = Literal["uploading", "creating", "submitted", "cancelling"]


class BatchJob(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A row of `embedding_jobs`.

    Attributes:
        number: Its key.
        name: The name in the provider's record of the batch.
        fingerprint: The embedder of its vectors.
        provider: The provider that makes them.
        state: ``uploading``: no batch exists. ``creating``: one may exist, its number is unknown.
            ``submitted``: it exists. ``cancelling``: it took too long and was cancelled.
        attempt: 1, or 2 after a timeout.
        file: The provider's id of the uploaded file.
        batch: The provider's id of the batch.
        since: When the state began, ms UTC.
        asked_at: When the provider was asked last, ms UTC.
    """

    number: int
    name: str
    fingerprint: str
    provider: str
    state: JobState
    attempt: int
    file: str | None
    batch: str | None
    since: int
    asked_at: int


def find_jobs(tx: Transaction) -> list[BatchJob]:
    """Return all jobs, oldest first."""
    return typed_rows(
        tx.all(
            "SELECT id, name, fingerprint, provider, state, attempt, file, batch, since, asked_at"
            " FROM embedding_jobs ORDER BY id"
        ),
        BatchJob,
    )


def has_jobs(tx: Transaction) -> bool:
    """Return whether any batch is under way."""
    return tx.row("SELECT 1 FROM embedding_jobs LIMIT 1") is not None


def has_due_job(tx: Transaction, fingerprint: str, since: int) -> bool:
    """Return whether an embedder has a job whose provider was not asked since a time, ms UTC."""
    row = tx.row(
        "SELECT 1 FROM embedding_jobs WHERE fingerprint = ? AND asked_at < ? LIMIT 1",
        (fingerprint, since),
    )
    return row is not None


def add_job(tx: Transaction, job: BatchJob, hashes: Iterable[bytes]) -> BatchJob:
    """Write a new job with its texts and return it with its number."""
    number = first_integer(
        tx.row(
            "INSERT INTO embedding_jobs (name, fingerprint, provider, state, attempt, file, batch,"
            " since, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            msgspec.structs.astuple(job)[1:],
        )
    )
    tx.executemany(
        "INSERT INTO embedding_job_texts (hash, job) VALUES (?, ?)",
        ((digest, number) for digest in hashes),
    )
    return msgspec.structs.replace(job, number=number)


def update_job(tx: Transaction, job: BatchJob) -> None:
    """Write a job as it is now; one that was removed meanwhile stays removed."""
    tx.execute(
        "UPDATE embedding_jobs SET state = ?, file = ?, batch = ?, since = ?, asked_at = ?"
        " WHERE id = ?",
        (job.state, job.file, job.batch, job.since, job.asked_at, job.number),
    )


def remove_job(tx: Transaction, number: int) -> None:
    """Forget a job; its texts may be sent again."""
    tx.execute("DELETE FROM embedding_job_texts WHERE job = ?", (number,))
    tx.execute("DELETE FROM embedding_jobs WHERE id = ?", (number,))


def texts_of(tx: Transaction, number: int) -> set[bytes]:
    """Return the hashes of the texts that a job still owes."""
    rows = tx.rows("SELECT hash FROM embedding_job_texts WHERE job = ?", (number,))
    return {blob(digest) for (digest,) in rows}


def settle_texts(tx: Transaction, number: int, hashes: Collection[bytes]) -> None:
    """Note that a job owes these no more."""
    tx.executemany(
        "DELETE FROM embedding_job_texts WHERE hash = ? AND job = ?",
        [(digest, number) for digest in hashes],
    )


def count_jobs(tx: Transaction, fingerprint: str) -> int:
    """Return how many batches of an embedder are under way."""
    return first_integer(
        tx.row("SELECT count(*) FROM embedding_jobs WHERE fingerprint = ?", (fingerprint,))
    )


def count_in_flight(tx: Transaction, fingerprint: str) -> int:
    """Return how many texts are under way for an embedder."""
    return first_integer(
        tx.row(
            "SELECT count(*) FROM embedding_job_texts t JOIN embedding_jobs j ON j.id = t.job"
            " WHERE j.fingerprint = ?",
            (fingerprint,),
        )
    )


def in_flight(tx: Transaction, hashes: Collection[bytes], fingerprint: str) -> set[bytes]:
    """Return those of ``hashes`` that are under way for an embedder."""
    return {digest for digest in hashes if tx.row(_IN_FLIGHT, (digest, fingerprint))}


_IN_FLIGHT: LiteralString = (
    "SELECT 1 FROM embedding_job_texts t JOIN embedding_jobs j ON j.id = t.job"
    " WHERE t.hash = ? AND j.fingerprint = ? LIMIT 1"
)
