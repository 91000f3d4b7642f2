"""One group commit: several units of work in one transaction.

Each unit has a savepoint of its own, so one that raises is undone alone. The transaction carries a
random token; after a COMMIT that raised, the token tells whether it happened.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import apsw
from msgspec import Struct

from recollect.core.clock import Clock
from recollect.store import dialect
from recollect.store.engine import Transaction
from recollect.store.transaction import SqliteTransaction

_TOKENS_KEPT = 1_000
_FORGET_EVERY = 64


class Job(Struct, frozen=True):
    """A unit of work and the future of the caller who waits for it."""

    unit: Callable[[Transaction], Any]
    future: Future[Any]


class Done(Struct, frozen=True):
    """The unit ran and is part of the transaction."""

    value: Any

    def settle(self, future: Future[Any]) -> None:
        """Hand the value to the caller."""
        future.set_result(self.value)


class Failed(Struct, frozen=True):
    """The unit raised and left nothing behind."""

    error: BaseException

    def settle(self, future: Future[Any]) -> None:
        """Raise the error at the caller."""
        future.set_exception(self.error)


Outcome = Done | Failed


class GroupCommit:
    """One attempt to run jobs and commit them.

    Args:
        jobs: In the order in which they run.
        path: The database, for errors.
        clock: Dates the token.
    """

    def __init__(self, jobs: Sequence[Job], path: Path, clock: Clock) -> None:
        self._jobs = jobs
        self._path = path
        self._clock = clock
        self.outcomes: list[Outcome] = []
        """One for each job, valid when the transaction was committed."""
        self.token = secrets.token_bytes(16)
        self.has_begun_commit = False
        """From then on an error does not say what happened."""

    def run(self, connection: apsw.Connection) -> None:
        """Run the jobs and commit.

        Raises:
            apsw.Error: the transaction as a whole failed; what became of it is to be found out.
        """
        connection.execute(dialect.BEGIN_WRITE)
        self.outcomes = [self._run_unit(connection, job) for job in self._jobs]
        if not any(isinstance(outcome, Done) for outcome in self.outcomes):
            connection.execute(dialect.ROLLBACK)
            return
        self._leave_token(connection)
        self.has_begun_commit = True
        connection.execute(dialect.COMMIT)

    def _run_unit(self, connection: apsw.Connection, job: Job) -> Outcome:
        connection.execute(dialect.OPEN_UNIT)
        transaction = SqliteTransaction(connection, self._path)
        try:
            outcome: Outcome = Done(job.unit(transaction))
        except BaseException as error:  # noqa: BLE001  # the caller gets it, whatever it is
            outcome = Failed(error)
        transaction.finish()
        if transaction.failure is not None:
            raise transaction.failure
        if isinstance(outcome, Failed):
            connection.execute(dialect.UNDO_UNIT)
        connection.execute(dialect.KEEP_UNIT)
        return outcome

    def _leave_token(self, connection: apsw.Connection) -> None:
        row = (self.token, self._clock.now_ms())
        seq = connection.execute(dialect.WRITE_TOKEN, row).get
        if seq % _FORGET_EVERY == 0:
            connection.execute(dialect.FORGET_TOKENS, (seq - _TOKENS_KEPT,))
