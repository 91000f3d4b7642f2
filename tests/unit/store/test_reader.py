"""Readers: reused, replaced after an I/O error, and closed whatever they are doing."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from recollect.core.errors import StoreClosed, StoreError
from recollect.store.engine import SqlValue, Transaction
from recollect.store.sqlite import reader
from recollect.store.sqlite.database import SqliteDatabase
from recollect.testing.vfs_fault import FOREVER, Fault, FaultVfs
from tests.unit.store.conftest import Open
from tests.unit.store.notes import add, one, words

VFS = "faulty-reader"
ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@pytest.fixture
def failing_disk(open_notes: Open) -> Iterator[Callable[[Fault], FaultVfs]]:
    """Register a disk that holds one note and does not fail before it is armed."""
    first = open_notes()
    first.write(add("a"))
    first.close()
    disks: list[FaultVfs] = []

    def register(fault: Fault) -> FaultVfs:
        disks.append(FaultVfs(VFS, fault, is_armed=False))
        return disks[-1]

    yield register
    for vfs in disks:
        vfs.unregister()


def test_reads_at_the_same_time_do_not_wait_for_each_other(database: SqliteDatabase) -> None:
    """Each has a connection of its own; more than are kept is no problem."""
    everybody = threading.Barrier(20)

    def unit(tx: Transaction) -> None:
        one(tx)
        everybody.wait(60)

    threads = [threading.Thread(target=database.read, args=(unit,)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert database.read(one) == (1,)


def test_an_error_of_the_unit_reaches_its_caller(database: SqliteDatabase) -> None:
    """And the reader is used again."""

    def fails(tx: Transaction) -> None:
        one(tx)
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        database.read(fails)
    assert database.read(one) == (1,)


def test_a_read_that_fails_once_is_made_again(
    open_notes: Open, failing_disk: Callable[[Fault], FaultVfs]
) -> None:
    """On a new connection; whichever call fails, the caller sees nothing of it."""
    hits = 0
    for nth in itertools.count(1):
        vfs = failing_disk(Fault(operation="read", nth=nth))
        database = open_notes(vfs=VFS)
        vfs.arm()
        assert database.read(words) == ["a"]
        vfs.repair()
        database.close()
        if not vfs.hits:
            break
        hits += 1
    assert hits > 2


def test_a_disk_that_cannot_be_read_is_told(
    open_notes: Open, failing_disk: Callable[[Fault], FaultVfs]
) -> None:
    """As an error, never as an empty result; and it works again after the repair."""
    vfs = failing_disk(Fault(operation="read", nth=1, times=FOREVER))
    database = open_notes(vfs=VFS)
    vfs.arm()
    with pytest.raises(StoreError, match="disk"):
        database.read(words)
    vfs.repair()
    assert database.read(words) == ["a"]


def test_a_unit_cannot_hide_that_the_disk_failed(
    open_notes: Open, failing_disk: Callable[[Fault], FaultVfs]
) -> None:
    """What it would return after swallowing the error could be half of the truth."""

    def hides(tx: Transaction) -> list[SqlValue]:
        with suppress(StoreError):
            return words(tx)
        return []

    vfs = failing_disk(Fault(operation="read", nth=1, times=FOREVER))
    database = open_notes(vfs=VFS)
    vfs.arm()
    with pytest.raises(StoreError):
        database.read(hides)
    vfs.repair()
    assert database.read(hides) == ["a"]


def test_a_reader_that_cannot_be_opened_is_told(database: SqliteDatabase) -> None:
    """Such as when the file went away."""
    database.path.unlink()
    with pytest.raises(StoreError, match="cannot be opened"):
        database.read(words)


def test_close_interrupts_a_read_that_does_not_end(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some patience; its caller is told that the database was closed."""
    monkeypatch.setattr(reader, "_PATIENCE_S", 0.01)
    began = threading.Event()
    errors: list[BaseException] = []

    def endless(tx: Transaction) -> None:
        began.set()
        tx.row(ENDLESS)

    def run() -> None:
        try:
            database.read(endless)
        except StoreClosed as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    began.wait(60)
    database.close()
    thread.join()
    assert len(errors) == 1


def test_close_waits_for_a_read_that_ends(database: SqliteDatabase) -> None:
    """It gets its answer."""
    began, release = threading.Event(), threading.Event()
    answers: list[object] = []

    def slow(tx: Transaction) -> object:
        began.set()
        release.wait(60)
        return one(tx)

    thread = threading.Thread(target=lambda: answers.append(database.read(slow)))
    thread.start()
    began.wait(60)
    closing = threading.Thread(target=database.close)
    closing.start()
    release.set()
    thread.join()
    closing.join()
    assert answers == [(1,)]
