"""The checkpoint thread: writes the log back into the database, and checks the result.

SQLite's automatic checkpoint runs inside a COMMIT and hides its errors: on a full disk, 165 commits
returned without error while the log took the rest. Here a failure is counted and shown, and no
writer waits.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from pathlib import Path

import apsw

from recollect.core.errors import RecollectError, StoreBusy, StoreError
from recollect.core.threads import RestartableThread
from recollect.store.engine import CheckpointHealth
from recollect.store.failures import BUSY, driver_errors, translate
from recollect.store.locks import WriteQueue
from recollect.store.sqlite.connection import ConnectionOpener, Tuning, discard

_logger = logging.getLogger(__name__)

_STAND_BACK_S = 0.05
"""Longest time that cutting the log makes writers wait for readers."""
_RESTART_S = 0.005
"""The same where the log is begun again. Under load it would never be otherwise, since new pages
come while it is written back, and a commit that makes the file longer costs twice as much as one
that writes over its old pages (0.26 and 0.13 ms, bench capture)."""

_ASLEEP_S = 3_600.0
"""It is woken by the first commit, and needs no look in between."""


class Checkpointer:
    """Keeps the write-ahead log of one database small.

    Args:
        opener: Opens its connection.
        turns: Orders it among the writers while it cuts the log.
        tuning: Sizes and times.
    """

    def __init__(self, opener: ConnectionOpener, turns: WriteQueue, tuning: Tuning) -> None:
        self._opener = opener
        self._turns = turns
        self._tuning = tuning
        self._changed = threading.Condition()
        name = f"recollect-checkpoint-{opener.path.name}"
        self._thread = RestartableThread(name, self._watch)
        self._is_closed = False
        self._is_asleep = False
        """Whether the thread waits for the first commit after it has cut the log."""
        self._commits = 0
        self._settled = 0
        self._log_pages = 0
        self._due_at_pages = tuning.checkpoint_pages
        self._using = threading.Lock()
        self._connection: apsw.Connection | None = None
        self._runs = 0
        self._failures = 0
        self._last_error: str | None = None

    def notice(self, log_pages: int) -> None:
        """Report a commit after which the log holds ``log_pages``; returns at once."""
        with self._changed:
            self._commits += 1
            if log_pages < self._log_pages:  # everything was written back; the log began again
                self._due_at_pages = self._tuning.checkpoint_pages
            self._log_pages = log_pages
            thread = self._thread.thread
            if not self._is_closed and (thread is None or not thread.is_alive()):
                self._start()
            if self._is_asleep or log_pages >= self._due_at_pages:  # otherwise it can wait
                self._changed.notify_all()

    def cut(self) -> bool:
        """Write everything back and cut the log to nothing; return whether that was possible.

        False means that a reader or another process blocked it for 50 ms.

        Raises:
            StoreError: the disk refused.
        """
        with driver_errors(self._opener.path):
            return self._run(apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def health(self) -> CheckpointHealth:
        """Return the health of the checkpoints so far."""
        return CheckpointHealth(
            runs=self._runs,
            failures=self._failures,
            last_error=self._last_error,
            wal_bytes=self._wal_bytes(),
        )

    def close(self) -> None:
        """Stop; the last connection to close writes the log back."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.await_end()
        with self._using:
            self._disconnect()

    def _start(self) -> None:
        self._failures += self._thread.has_died
        # If none can be started, the next commit tries again, and closing writes the log back.
        with suppress(StoreError):
            self._thread.start()

    def _watch(self) -> None:
        while (mode := self._await_work()) is not None:
            try:
                self._run(mode)
            except apsw.Error as error:
                self._note_failure(translate(error, self._opener.path))
            except RecollectError as error:
                self._note_failure(error)

    def _await_work(self) -> int | None:
        """Wait for a reason and return the mode of the checkpoint; None means stop."""
        with self._changed:
            self._is_asleep = True
            while not (self._is_closed or self._commits > self._settled):
                self._changed.wait(_ASLEEP_S)
            self._is_asleep = False
            before = self._commits
            self._changed.wait_for(
                lambda: self._is_closed or self._log_pages >= self._due_at_pages,
                self._tuning.idle_s,
            )
            if self._is_closed:
                return None
            is_idle = self._commits == before
        if is_idle or self._wal_bytes() > self._tuning.wal_limit_bytes:
            return apsw.SQLITE_CHECKPOINT_TRUNCATE
        return apsw.SQLITE_CHECKPOINT_PASSIVE

    def _run(self, mode: int) -> bool:
        """Run one checkpoint; return whether nothing is left in the log."""
        with self._changed:
            seen = self._commits
            # Also after a failure: the next attempt waits for more pages, or for idleness.
            self._due_at_pages = self._log_pages + self._tuning.checkpoint_pages
        with self._using:
            try:
                is_clear = self._checkpoint(mode)
            except (*BUSY, StoreBusy):
                return False
        self._runs += 1
        self._last_error = None
        if is_clear and mode == apsw.SQLITE_CHECKPOINT_TRUNCATE:
            with self._changed:
                self._settled = seen
        return is_clear

    def _checkpoint(self, mode: int) -> bool:
        if self._connection is None:
            self._connection = self._opener.open("checkpointer")
        wait_s = _STAND_BACK_S
        if mode == apsw.SQLITE_CHECKPOINT_PASSIVE:
            # Nearly all is written while others commit, so the rest delays them only for a moment.
            self._connection.wal_checkpoint(mode=mode)
            mode, wait_s = apsw.SQLITE_CHECKPOINT_RESTART, _RESTART_S
        with self._turns.turn(_STAND_BACK_S):
            self._connection.set_busy_timeout(int(wait_s * 1000))
            self._connection.wal_checkpoint(mode=mode)
        return True

    def _note_failure(self, error: RecollectError) -> None:
        if self._last_error is None:
            _logger.warning("checkpoint failed: %s", error.message)
        self._failures += 1
        self._last_error = error.code
        with self._using:
            self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            discard(connection)

    def _wal_bytes(self) -> int:
        log = Path(f"{self._opener.path}-wal")
        try:
            return log.stat().st_size
        except OSError:
            return 0
