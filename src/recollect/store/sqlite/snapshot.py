"""Several databases as they were at one moment, and one database alone.

A backup needs both databases of a home as they were at the same time, and a restore must know that
no program has them open. Neither may open a database file in another way than through SQLite.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

import apsw

from recollect.core.errors import StoreBusy
from recollect.store.engine import Transaction
from recollect.store.failures import BUSY, driver_errors, os_errors
from recollect.store.files import DRAFT_SUFFIX
from recollect.store.sqlite import dialect
from recollect.store.sqlite.connection import ConnectionOpener, Tuning, discard
from recollect.store.sqlite.database import write_queue
from recollect.store.sqlite.integrity import damage_in
from recollect.store.sqlite.pages import OnPages, copy_pages
from recollect.store.sqlite.transaction import SqliteTransaction

T = TypeVar("T")


class Snapshot:
    """One database as it was when the snapshot began, while others go on writing.

    Use `snapshots`.
    """

    def __init__(self, path: Path, connection: apsw.Connection) -> None:
        self.path = path
        self._connection = connection

    def check(self) -> list[str]:
        """Return the damage, in messages of SQLite; empty when sound.

        Raises:
            StoreError: it is so damaged that it cannot be read.
        """
        return self.read(damage_in)

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Return the result of a unit of work on it.

        Raises:
            StoreError: it cannot be read.
        """
        return unit(SqliteTransaction(self._connection, self.path))

    def copy(self, folder: Path, progress: OnPages | None = None) -> BinaryIO:
        """Return a copy as an open file without a name: a killed process leaves nothing of it.

        Args:
            folder: Where the disk has room for it.
            progress: Called with pages done and pages in all.

        Raises:
            StoreError: it could not be read or written.
        """
        draft = folder / f".{self.path.name}.{secrets.token_hex(8)}{DRAFT_SUFFIX}"
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        with os_errors(draft), ExitStack() as undo:
            stream = undo.enter_context(open(os.open(draft, flags, 0o600), "rb"))
            try:
                self._fill(draft, progress)
            finally:
                with suppress(FileNotFoundError):
                    draft.unlink()
            undo.pop_all()
        return stream

    def _fill(self, draft: Path, progress: OnPages | None) -> None:
        with driver_errors(self.path):
            copy = apsw.Connection(str(draft), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                draft.unlink()
                copy.pragma("journal_mode", "off")  # a log would be beside a name that is gone
                copy.pragma("synchronous", "off")
                copy_pages(self._connection, copy, progress)
            finally:
                discard(copy)


@contextmanager
def snapshots(paths: Sequence[Path], wait_s: float = 10.0) -> Iterator[list[Snapshot]]:
    """Give the block snapshots of databases at one moment; no commit lies between them.

    Writers of all of them wait while the snapshots begin, some milliseconds, and then go on.

    Args:
        paths: Databases that exist; always in the same order, so that two callers do not
            block each other.
        wait_s: The longest wait for a writer.

    Raises:
        StoreBusy: a writer kept one of them.
        StoreError: one of them cannot be read.
    """
    with ExitStack() as stack:
        with ExitStack() as turns:
            for path in paths:
                turns.enter_context(write_queue(path).turn(wait_s))
            snapshots_at = [Snapshot(path, stack.enter_context(_reading(path))) for path in paths]
        yield snapshots_at


@contextmanager
def _reading(path: Path) -> Iterator[apsw.Connection]:
    with driver_errors(path):
        connection = ConnectionOpener(path, Tuning()).open("reader")
    try:
        with driver_errors(path):
            connection.execute(dialect.BEGIN_READ)
            connection.execute(dialect.COUNT_OBJECTS).fetchall()  # it starts with the first read
        yield connection
    finally:
        discard(connection)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Lock all programs out of a database while the block runs; no byte of it is changed.

    One that is missing, empty or damaged is in use by no program: then none is locked out.

    Raises:
        StoreBusy: a program has it open, this one perhaps.
    """
    if not path.is_file() or not path.stat().st_size:
        yield  # SQLite would write a leftover log into any file beside it
        return
    with ExitStack() as stack:
        try:
            connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            stack.callback(discard, connection)
            # The log stays as it is, since a damaged database is kept as it was found.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.pragma("locking_mode", "exclusive")
            connection.execute(dialect.BEGIN_WRITE).fetchall()
        except BUSY as error:
            raise StoreBusy(
                f"a program has {path.name} open",
                hint="close what uses recollect, then try again",
                path=str(path),
            ) from error
        except apsw.Error:
            pass  # it is damaged
        yield
