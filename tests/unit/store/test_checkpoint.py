"""The checkpoint thread: the log stays small, and failures are shown."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recollect.core.errors import StoreError
from recollect.store.engine import Transaction
from recollect.store.locks import WriteQueue
from recollect.store.sqlite.checkpoint import Checkpointer
from recollect.store.sqlite.connection import ConnectionOpener, Tuning
from recollect.store.sqlite.database import SqliteDatabase, write_queue
from recollect.testing.vfs_fault import FOREVER, Fault, FaultVfs
from tests.support.dying import Death
from tests.unit.store.conftest import CALM, Open
from tests.unit.store.notes import add, words

VFS = "faulty-checkpoint"
LONG = "w" * 4_000


@contextmanager
def _held_log(database: SqliteDatabase) -> Iterator[None]:
    """While a reader reads: what is written meanwhile stays in the log."""
    is_reading, release = threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        words(tx)
        is_reading.set()
        release.wait(60)

    reader = threading.Thread(target=database.read, args=(hold,))
    reader.start()
    try:
        assert is_reading.wait(60)
        yield
    finally:
        release.set()
        reader.join()


def _write_until(database: SqliteDatabase, reached: Callable[[], bool]) -> None:
    """Write until the thread has done it; bounded, and without looking at a clock."""
    for _ in range(5_000):
        if reached():
            return
        database.write(add(LONG))
    raise AssertionError("never reached")


def test_a_log_of_some_size_is_written_back(open_notes: Open) -> None:
    """While others write; none of them waits for it."""
    database = open_notes(Tuning(checkpoint_pages=16, idle_s=3_600))
    _write_until(database, lambda: database.health().checkpoint.runs >= 3)
    health = database.health().checkpoint
    assert (health.failures, health.last_error) == (0, None)


def test_a_log_over_its_limit_is_cut(open_notes: Open) -> None:
    """Also under load."""
    limit = 200_000
    database = open_notes(Tuning(checkpoint_pages=16, idle_s=3_600, wal_limit_bytes=limit))
    with _held_log(database):
        _write_until(database, lambda: database.health().checkpoint.wal_bytes > limit)
        held = database.health().checkpoint.wal_bytes
    # The thread may have cut the log before the next commit, so that it never grows again.
    _write_until(database, lambda: database.health().checkpoint.wal_bytes < held)


def test_a_log_is_begun_again_under_load(open_notes: Open) -> None:
    """It had grown to its limit: something new always came while it was written back."""
    database = open_notes(Tuning(checkpoint_pages=16, idle_s=3_600))
    rows: list[int] = []

    def is_begun_again() -> bool:
        rows.append(len(LONG))
        return len(rows) > 100 and database.health().checkpoint.wal_bytes < sum(rows) / 2

    _write_until(database, is_begun_again)


def test_an_idle_database_has_no_log(open_notes: Open) -> None:
    """It is written back and cut when nothing was written for a moment."""
    database = open_notes(Tuning(idle_s=0.01))
    database.write(add("a"))
    waiting = threading.Event()
    for _ in range(1_000):
        if database.health().checkpoint.wal_bytes == 0:
            break
        waiting.wait(0.01)
    assert database.health().checkpoint.wal_bytes == 0
    assert database.read(words) == ["a"]


def test_cutting_waits_neither_for_readers_nor_for_writers(database: SqliteDatabase) -> None:
    """It says so, and works when they are gone; that is no failure."""
    database.write(add("a"))

    def reading(tx: Transaction) -> bool:
        words(tx)
        database.write(add("b"))
        return database.cut_log()

    assert database.read(reading) is False
    with write_queue(database.path).turn(5):
        assert database.cut_log() is False
    assert database.cut_log() is True
    assert database.health().checkpoint.wal_bytes == 0
    assert database.health().checkpoint.failures == 0


def test_a_failure_is_counted_shown_and_logged_once(
    open_notes: Open, caplog: pytest.LogCaptureFixture
) -> None:
    """The commits stand; the thread tries again, and after the repair all is well."""
    open_notes().close()
    # A commit of one small row syncs the log; the first write of a checkpoint is to the database.
    vfs = FaultVfs(VFS, Fault(operation="full", nth=1, times=FOREVER), is_armed=False)
    database = open_notes(Tuning(checkpoint_pages=1, idle_s=0.001), vfs=VFS)
    caplog.set_level(logging.WARNING)
    with _held_log(database):
        database.write(add("a"))
        vfs.arm()
    waiting = threading.Event()
    for _ in range(1_000):
        if database.health().checkpoint.failures > 2:
            break
        waiting.wait(0.01)
    vfs.repair()
    assert database.health().checkpoint.last_error == "store_full"
    assert [record.name for record in caplog.records] == ["recollect.store.sqlite.checkpoint"]
    assert database.cut_log()
    health = database.health().checkpoint
    assert (health.last_error, health.wal_bytes) == (None, 0)
    assert database.read(words) == ["a"]
    database.close()
    vfs.unregister()


def test_cutting_on_a_full_disk_is_an_error(open_notes: Open) -> None:
    """Who erases must know that the bytes may still be there."""
    open_notes().close()
    vfs = FaultVfs(VFS, Fault(operation="full", nth=1, times=FOREVER), is_armed=False)
    database = open_notes(vfs=VFS)
    database.write(add("a"))
    vfs.arm()
    with pytest.raises(StoreError):
        database.cut_log()
    vfs.repair()
    assert database.cut_log()
    database.close()
    vfs.unregister()


def test_a_lock_that_cannot_be_taken_is_a_failure_too(path: Path, open_notes: Open) -> None:
    """It is counted like one of the disk."""
    open_notes().close()
    tuning = Tuning(idle_s=0.001)
    nowhere = WriteQueue(path.parent / "missing" / "lock")
    checkpointer = Checkpointer(ConnectionOpener(path, tuning), nowhere, tuning)
    checkpointer.notice(1)
    waiting = threading.Event()
    for _ in range(1_000):
        if checkpointer.health().failures:
            break
        waiting.wait(0.01)
    checkpointer.close()
    assert checkpointer.health().last_error == "store"


def test_without_a_log_there_are_no_bytes_of_it(path: Path) -> None:
    """SQLite removes it when the last connection closes."""
    checkpointer = Checkpointer(ConnectionOpener(path, CALM), WriteQueue(path), CALM)
    assert checkpointer.health().wal_bytes == 0


def test_after_closing_no_thread_is_started(path: Path) -> None:
    """A last commit may be told of while everything is closed."""
    checkpointer = Checkpointer(ConnectionOpener(path, CALM), WriteQueue(path), CALM)
    checkpointer.close()
    before = threading.active_count()
    checkpointer.notice(1)
    assert threading.active_count() == before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_checkpointer_that_died_is_replaced_by_the_next_commit(
    open_notes: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its death counts as a failure."""
    database = open_notes(Tuning(checkpoint_pages=20))
    real = Checkpointer._await_work  # noqa: SLF001
    deaths = list[int]()

    def await_work(checkpointer: Checkpointer) -> int | None:
        if not deaths:
            deaths.append(1)
            raise Death
        return real(checkpointer)

    monkeypatch.setattr(Checkpointer, "_await_work", await_work)
    # One that was born with the database dies after its first run only.
    _write_until(database, lambda: database.health().checkpoint.failures > 0)
    runs = database.health().checkpoint.runs
    _write_until(database, lambda: database.health().checkpoint.runs > runs)
    assert database.health().checkpoint.failures == 1
