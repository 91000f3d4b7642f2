"""The one writer of a database: a thread that takes everything queued and commits it at once.

Eight threads with a commit each reach 138 durable transactions a second, through one writer 2,199.
An I/O error at COMMIT does not say whether the transaction is stored; the writer determines it
before it answers. It knows nothing of tables.
"""

from __future__ import annotations

import copy
import itertools
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import apsw
from msgspec import Struct

from recollect.core.actor import ACTOR
from recollect.core.clock import Clock
from recollect.core.errors import RecollectError, StoreBusy, StoreCorrupt, StoreError
from recollect.core.threads import RestartableThread, ThreadFuture, died, run_into
from recollect.store.engine import Transaction
from recollect.store.failures import BUSY, translate
from recollect.store.locks import WriteQueue
from recollect.store.sqlite import dialect
from recollect.store.sqlite.connection import ConnectionOpener, Tuning, discard, unusable
from recollect.store.sqlite.durable import CommitMark, LogSync
from recollect.store.sqlite.transaction import SqliteTransaction

T = TypeVar("T")


class _NotCommitted(Exception):
    """A whole group failed.

    Args:
        error: The driver's error.
        may_retry: Whether it is certain that nothing of it is stored now.
        is_in_doubt: Whether part of it may be stored, or come back when the process is killed.
    """

    def __init__(self, error: apsw.Error, *, may_retry: bool, is_in_doubt: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.may_retry = may_retry
        self.is_in_doubt = is_in_doubt


class Writer:
    """Runs units of work on a thread of its own; the thread starts with the first of them.

    Args:
        opener: Opens its connection, and again after an I/O error.
        turns: Orders it among other processes.
        tuning: Busy timeout and size of a group.
        clock: Dates commits.
        mark: Counts the commits on the disk; None leaves that to the system.
        on_commit: Gets the pages in the log after each commit, on the writer's thread.
    """

    def __init__(
        self,
        opener: ConnectionOpener,
        turns: WriteQueue,
        tuning: Tuning,
        clock: Clock,
        *,
        mark: CommitMark | None,
        on_commit: Callable[[int], None],
    ) -> None:
        self._opener = opener
        self._turns = turns
        self._tuning = tuning
        self._clock = clock
        self._mark = mark
        self._log: LogSync | None = None
        self._on_commit = on_commit
        self._jobs: queue.SimpleQueue[WriteJob | None] = queue.SimpleQueue()
        self._mutex = threading.Lock()
        self._thread = RestartableThread(f"recollect-writer-{opener.path.name}", self._run)
        self._ident: int | None = None
        self._batch: list[WriteJob | None] = []
        """The jobs that the thread works on; after its death its successor answers for them."""
        self._group: GroupCommit | None = None
        self._is_closed = False
        self._process = os.getpid()
        self._connection: apsw.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._log_pages = 0
        ours = os.urandom(8)  # once: a draw for each commit costs 0.3 ms on some systems
        self._tokens = (ours + at.to_bytes(8, "big") for at in itertools.count())
        self.commits = 0
        self.reopened = 0
        self.last_commit_at: int | None = None
        self.last_error: str | None = None

    @property
    def queued(self) -> int:
        """The approximate number of waiting units."""
        return self._jobs.qsize()

    def submit(self, unit: Callable[[Transaction], T]) -> Future[T]:
        """Queue ``unit``; see `recollect.store.engine.Database.submit`."""
        future: ThreadFuture[T] = ThreadFuture(self._look)
        with self._mutex:
            if self._is_closed or os.getpid() != self._process:
                raise unusable(is_closed=self._is_closed)
            if self._thread.thread is None:
                self._thread.start()
            self._jobs.put(WriteJob(unit, future, ACTOR.get()))
        return future

    def write(self, unit: Callable[[Transaction], T]) -> T:
        """Queue ``unit`` and wait; see `recollect.store.engine.Database.write`."""
        if threading.get_ident() == self._ident:
            raise StoreError(
                "a unit of work waits for another one that comes after it",
                hint="use the transaction that the unit was given",
            )
        future = self.submit(unit)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # interrupted while waiting: a unit that has not begun must not run
            raise

    def close(self) -> None:
        """Commit what is queued, then stop."""
        with self._mutex:
            if not self._is_closed:
                self._is_closed = True
                self._jobs.put(None)
        self._thread.await_end()
        self._look()
        self._thread.await_end()

    def _look(self) -> None:
        """Start a new thread after one has died; fail the waiting jobs if none can start."""
        with self._mutex:
            if not self._thread.has_died:
                return
            try:
                self._thread.start()
            except StoreError as error:
                self._answer_for_dead()
                while not self._jobs.empty():
                    job = self._jobs.get_nowait()
                    if job is not None:
                        job.future.fail(copy.copy(error))

    def _run(self) -> None:
        self._ident = threading.get_ident()
        self._answer_for_dead()
        while (jobs := self._take()) is not None:
            running = [job for job in jobs if job.future.set_running_or_notify_cancel()]
            if running:
                self._settle(running)
            self._batch, self._group = [], None
            jobs = running = []  # they may hold much memory, and the next job may come in an hour
        self._abandon()

    def _take(self) -> list[WriteJob] | None:
        """Wait for a job, then take all waiting ones; None means stop."""
        # Made first: a job must not be lost between the queue and here, as by short memory.
        jobs: list[WriteJob | None] = [None] * self._tuning.batch_limit
        self._batch = jobs
        jobs[0] = self._jobs.get()
        for position in range(1, len(jobs)):
            if jobs[position - 1] is None:
                break
            try:
                jobs[position] = self._jobs.get_nowait()
            except queue.Empty:
                break
            if jobs[position] is None:
                self._jobs.put(None)
        return [job for job in jobs if job is not None] or None

    def _answer_for_dead(self) -> None:
        """Answer for the jobs of a dead thread: the token says whether they are stored."""
        jobs = [job for job in self._batch if job is not None and not job.future.done()]
        group, self._batch, self._group = self._group, [], None
        if not jobs:
            return
        self._abandon()
        has_begun = group is not None and group.has_begun_commit
        try:
            outcomes = self._stored_of(group) if group is not None and has_begun else {}
        except BaseException as error:  # noqa: BLE001  # the callers get it; the thread must live
            for job in jobs:
                job.future.fail(self._explain(error))
            return
        for job in jobs:
            failure = died(outcome="unknown" if has_begun else "none")
            self._answer(job, outcomes.get(id(job), JobOutcome(error=failure)))

    def _stored_of(self, group: GroupCommit) -> dict[int, JobOutcome]:
        """Return the outcomes of a group by the identity of its jobs, if it is stored."""
        with self._turn():
            if not self._is_there(group, apsw.InterruptError("the thread died")):
                return {}
        if self._mark is not None:
            self._mark.reach(group.number)
        return {id(job): outcome for job, outcome in zip(group.jobs, group.outcomes, strict=True)}

    def _settle(self, jobs: Sequence[WriteJob]) -> None:
        try:
            with self._turn():
                group = self._commit(jobs)
            self._harden(group)
            outcomes = group.outcomes
            self.last_error = None
        except BaseException as error:  # noqa: BLE001  # the callers get it; the thread must live
            outcomes = [JobOutcome(error=self._explain(error)) for _ in jobs]
        for job, outcome in zip(jobs, outcomes, strict=True):
            self._answer(job, outcome)

    def _answer(self, job: WriteJob, outcome: JobOutcome) -> None:
        if outcome.error is None:
            run_into(job.future, lambda: outcome.value)
        else:  # without its traceback, which would hold all jobs of the group
            job.future.fail(outcome.error.with_traceback(None))

    def _turn(self) -> AbstractContextManager[None]:
        if self._opener.is_read_only:
            raise self._opener.read_only_error()
        return self._turns.turn(self._tuning.busy_timeout_ms / 1000)

    def _harden(self, group: GroupCommit) -> None:
        """Block until the commit is on the disk; others may write meanwhile.

        Raises:
            _NotCommitted: that is unknown.
        """
        if self._mark is None or not group.has_begun_commit:
            return
        try:
            self._log = self._log or LogSync(self._opener.path, self._opener.vfs)
            self._log.sync()
        except apsw.Error as error:
            self._mark.doubt()
            self._abandon()
            self._save(group, error)
        else:
            if self._mark.is_doubted:  # the pages before it in the log may not be there
                self._save(group, apsw.IOError("the log is in doubt"))
        self._mark.reach(group.number)

    def _save(self, group: GroupCommit, error: apsw.Error) -> None:
        """Bring a group that is visible, but whose log is in doubt, into the database."""
        try:
            with self._turn():
                self._find_out(group, error)
        except StoreBusy:
            raise _NotCommitted(error, may_retry=False, is_in_doubt=True) from error

    def _explain(self, error: BaseException) -> BaseException:
        """Return an error for one caller; each gets its own, since raising changes it."""
        failure = (
            self._not_committed(error) if isinstance(error, _NotCommitted) else copy.copy(error)
        )
        self.last_error = failure.code if isinstance(failure, RecollectError) else "error"
        return failure

    def _not_committed(self, failed: _NotCommitted) -> RecollectError:
        outcome = "unknown" if failed.is_in_doubt else "none"
        failure = translate(failed.error, self._opener.path, outcome=outcome)
        if failed.is_in_doubt:
            failure.hint = f"{failure.hint}; it may be stored, so try again with the same event id"
        failure.__cause__ = failed.error
        return failure

    def _commit(self, jobs: Sequence[WriteJob]) -> GroupCommit:
        """Commit, and once more when it is certain that nothing of the first attempt is stored."""
        self._check_file()
        if self._mark is not None and self._mark.is_doubted:
            self._begin_log()
        try:
            return self._attempt(jobs)
        except _NotCommitted as first:
            if not first.may_retry:
                raise
            was_in_doubt = first.is_in_doubt
        try:
            return self._attempt(jobs)
        except _NotCommitted as second:
            second.is_in_doubt |= was_in_doubt
            raise

    def _attempt(self, jobs: Sequence[WriteJob]) -> GroupCommit:
        group = GroupCommit(jobs, self._opener.path, self._clock, next(self._tokens))
        self._group = group
        try:
            group.run(self._connected(), self._mark)
        except apsw.Error as error:
            self._abandon()
            self._find_out(group, error)
        except BaseException:
            self._abandon()
            raise
        if group.has_begun_commit:
            self.commits += 1
            self.last_commit_at = self._clock.now_ms()
            self._on_commit(self._log_pages)
        return group

    def _find_out(self, group: GroupCommit, error: apsw.Error) -> None:
        """Block until a group whose commit raised is in the database, on the disk.

        Raises:
            _NotCommitted: it is not, or that is unknown.
        """
        is_busy = isinstance(error, BUSY)
        self.reopened += not is_busy
        if not group.has_begun_commit:
            raise _NotCommitted(error, may_retry=not is_busy, is_in_doubt=False) from error
        if not self._is_there(group, error):
            # Unless writing itself failed, the log holds the group to its last page. Until other
            # pages take their place, a process that opens it after a kill takes it for committed.
            raise _NotCommitted(error, may_retry=True, is_in_doubt=not _is_write_error(error))

    def _is_there(self, group: GroupCommit, error: apsw.Error) -> bool:
        try:
            connection = self._connected()
            if connection.execute(dialect.FIND_TOKEN, (group.token,)).get is None:
                return False
            self._write_back(connection)
        except apsw.Error as second:
            self._abandon()
            raise _NotCommitted(error, may_retry=False, is_in_doubt=True) from second
        return True

    def _begin_log(self) -> None:
        """Let the next commit begin the log again.

        Raises:
            _NotCommitted: the disk refused, or a reader was in the way.
        """
        try:
            self._write_back(self._connected())
        except apsw.Error as error:
            self._abandon()
            raise _NotCommitted(error, may_retry=False, is_in_doubt=False) from error

    def _write_back(self, connection: apsw.Connection) -> None:
        """Copy the log into the database.

        The pages of a commit may lie in a log whose sync failed, and a second sync of the same
        pages can succeed without writing them. Copying them writes them again, and later commits
        must not follow them.
        """
        full, restart = apsw.SQLITE_CHECKPOINT_FULL, apsw.SQLITE_CHECKPOINT_RESTART
        connection.wal_checkpoint(mode=full if self._mark is None else restart)
        if self._mark is not None:
            self._mark.trust()

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            connection = self._opener.open("writer")
            connection.set_wal_hook(self._note_log)
            self._connection = connection
            self._file = self._file_identity()
            if self._mark is not None:
                connection.execute(dialect.COUNT_OBJECTS).fetchall()  # the log is there from now on
                self._log = LogSync(self._opener.path, self._opener.vfs)
        if self._opener.extensions.paths:
            self._opener.extensions.equip(self._connection)
        return self._connection

    def _note_log(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _check_file(self) -> None:
        """Refuse to write into a file that was replaced or removed."""
        if self._connection is not None and self._file_identity() != self._file:
            self._abandon()
            raise StoreError(
                f"{self._opener.path.name} was replaced or removed while it was open",
                hint="stop everything that uses this home, then open it again",
                path=str(self._opener.path),
            )

    def _file_identity(self) -> tuple[int, int] | None:
        try:
            there = os.stat(self._opener.path)
        except OSError:
            return None
        return there.st_dev, there.st_ino

    def _abandon(self) -> None:
        """Close the connection whatever state it is in; an open transaction is rolled back."""
        connection, self._connection = self._connection, None
        log, self._log = self._log, None
        if log is not None:
            log.close()
        if connection is not None:
            discard(connection)


def _is_write_error(error: apsw.Error) -> bool:
    """Return whether the last page of a commit cannot have been written whole."""
    code = getattr(error, "extendedresult", None)
    return isinstance(error, apsw.FullError) or code == apsw.SQLITE_IOERR_WRITE


_TOKENS_KEPT = 1_000
_FORGET_EVERY = 64


class WriteJob(Struct, frozen=True):
    """A unit of work, the future of the waiting caller, and the token it runs for."""

    unit: Callable[[Transaction], Any]
    future: ThreadFuture[Any]
    actor: str | None = None


class JobOutcome(Struct, frozen=True):
    """The result of a unit that is part of the transaction; or its error, with nothing stored."""

    value: Any = None
    error: BaseException | None = None


class GroupCommit:
    """One attempt to run jobs and commit them.

    Args:
        jobs: In the order in which they run.
        path: The database, for errors.
        clock: Dates the token.
        token: Stored with it, so that its outcome can be determined; never used before.
    """

    def __init__(self, jobs: Sequence[WriteJob], path: Path, clock: Clock, token: bytes) -> None:
        self.jobs = jobs
        self._path = path
        self._clock = clock
        self.outcomes: list[JobOutcome] = []
        """One for each job, valid when the transaction was committed."""
        self.token = token
        self.has_begun_commit = False
        """From then on an error does not tell the outcome."""
        self.number = 0
        """Its number in the mark."""

    def run(self, connection: apsw.Connection, mark: CommitMark | None) -> None:
        """Run the jobs and commit; ``mark`` is updated before a reader can see the commit.

        Raises:
            apsw.Error: the transaction as a whole failed; its outcome must be determined.
        """
        connection.execute(dialect.BEGIN_WRITE)
        if len(self.jobs) == 1:  # its partial writes are rolled back with the whole transaction
            self.outcomes = [self._run_unit(connection, self.jobs[0])]
        else:
            self.outcomes = [self._run_apart(connection, job) for job in self.jobs]
        if all(outcome.error is not None for outcome in self.outcomes):
            connection.execute(dialect.ROLLBACK)
            return
        self._leave_token(connection)
        if mark is not None:
            self.number = mark.begin()
        self.has_begun_commit = True
        connection.execute(dialect.COMMIT)

    def _run_apart(self, connection: apsw.Connection, job: WriteJob) -> JobOutcome:
        """Run one of several, so that its writes can be undone without the others."""
        connection.execute(dialect.OPEN_UNIT)
        outcome = self._run_unit(connection, job)
        if outcome.error is not None:
            connection.execute(dialect.UNDO_UNIT)
        connection.execute(dialect.KEEP_UNIT)
        return outcome

    def _run_unit(self, connection: apsw.Connection, job: WriteJob) -> JobOutcome:
        transaction = SqliteTransaction(connection, self._path, job.actor)
        try:
            outcome = JobOutcome(job.unit(transaction))
        except BaseException as error:  # noqa: BLE001  # the caller gets it, whatever it is
            if isinstance(error, StoreCorrupt):
                error.facts.setdefault("path", str(self._path))
            outcome = JobOutcome(error=error)
        transaction.finish()
        if transaction.failure is not None:
            raise transaction.failure
        return outcome

    def _leave_token(self, connection: apsw.Connection) -> None:
        row = (self.token, self._clock.now_ms())
        seq = connection.execute(dialect.WRITE_TOKEN, row).get
        if seq % _FORGET_EVERY == 0:
            connection.execute(dialect.FORGET_TOKENS, (seq - _TOKENS_KEPT,))
