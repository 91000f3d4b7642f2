"""Readers: connections that cannot write, one for each concurrent read.

Idle ones are kept, the last used first, so that a warm page cache is used again. A reader that met
an I/O error is replaced once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import apsw

from recollect.core.errors import StoreCorrupt
from recollect.store.engine import Transaction
from recollect.store.failures import translate
from recollect.store.sqlite import dialect
from recollect.store.sqlite.connection import ConnectionOpener, discard, unusable
from recollect.store.sqlite.durable import NUMBERS, CommitMark, LogSync
from recollect.store.sqlite.transaction import SqliteTransaction

_KEPT = 8
"""Idle connections; each may hold its page cache."""
_PATIENCE_S = 5.0
"""How long `close` waits for running reads before it interrupts them."""

T = TypeVar("T")


class Readers:
    """Runs units of work that only read.

    Args:
        opener: Opens the connections.
        mark: Counts the commits on the disk; None leaves that to the system.
    """

    def __init__(self, opener: ConnectionOpener, mark: CommitMark | None) -> None:
        self._opener = opener
        self._mark = mark
        self._numbers: int | None = None
        self._idle: list[apsw.Connection] = []
        self._busy: set[apsw.Connection] = set()
        self._changed = threading.Condition()
        self._is_closed = False
        self._process = os.getpid()

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Run ``unit`` on one snapshot; see `recollect.store.engine.Database.read`."""
        try:
            return self._read(unit)
        except apsw.IOError:
            # The error may belong to this connection (a stale cache, a descriptor), so retry once.
            self._drop_idle()
            try:
                return self._read(unit)
            except apsw.Error as error:
                raise translate(error, self._opener.path) from error
        except apsw.Error as error:
            raise translate(error, self._opener.path) from error

    def close(self) -> None:
        """Close all; a read that does not finish soon is interrupted."""
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: not self._busy, _PATIENCE_S)
            for connection in self._busy:
                connection.interrupt()
            self._changed.wait_for(lambda: not self._busy, _PATIENCE_S)
        self._drop_idle()

    def _read(self, unit: Callable[[Transaction], T]) -> T:
        connection = self._borrow()
        transaction = SqliteTransaction(connection, self._opener.path)
        try:
            connection.execute(dialect.BEGIN_READ)
            result = self._run(unit, transaction)
            if self._mark is not None and self._is_ahead(self._mark):
                self._harden()
            return result
        finally:
            transaction.finish()
            self._give_back(connection, is_sound=transaction.failure is None)

    def _is_ahead(self, mark: CommitMark) -> bool:
        """Return whether a visible commit may not be on the disk."""
        try:
            if self._numbers is None:
                self._numbers = mark.opened()
            # Read here, not in the mark, because the calls of a search are counted.
            numbers = os.pread(self._numbers, NUMBERS, 0)
        except OSError:
            return True
        return numbers[: NUMBERS // 2] != numbers[NUMBERS // 2 :]

    def _harden(self) -> None:
        """Block until the data read is on the disk: its writer may not have synced it yet.

        A log that is gone was written back. Sync errors are reported to the writer; the data may be
        stored, so the read is answered.
        """
        with suppress(apsw.Error):
            log = LogSync(self._opener.path, self._opener.vfs)
            try:
                log.sync()
            finally:
                log.close()

    def _run(self, unit: Callable[[Transaction], T], transaction: SqliteTransaction) -> T:
        try:
            return unit(transaction)
        except StoreCorrupt as error:
            error.facts.setdefault("path", str(self._opener.path))
            raise
        finally:
            if transaction.failure is not None:  # also when the unit hid it: it saw only a part
                raise transaction.failure

    def _borrow(self) -> apsw.Connection:
        with self._changed:
            if self._is_closed or os.getpid() != self._process:
                raise unusable(is_closed=self._is_closed)
            connection = self._idle.pop() if self._idle else self._opener.open("reader")
            self._busy.add(connection)
        if self._opener.extensions.paths:
            self._opener.extensions.equip(connection)
        return connection

    def _give_back(self, connection: apsw.Connection, *, is_sound: bool) -> None:
        if is_sound and connection.in_transaction:
            connection.execute(dialect.ROLLBACK)
        with self._changed:
            self._busy.discard(connection)
            if is_sound and not self._is_closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
            else:
                discard(connection)
            self._changed.notify_all()

    def _drop_idle(self) -> None:
        with self._changed:
            while self._idle:
                discard(self._idle.pop())
