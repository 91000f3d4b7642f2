"""The writer: groups, failures of one, failures of all, and commits in doubt."""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest

from recollect.core.errors import Conflict, StoreBusy, StoreClosed, StoreError, StoreFull
from recollect.store.engine import Transaction
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase, open_database, write_queue
from recollect.testing.vfs_fault import FOREVER, Fault, FaultVfs, Operation
from tests.unit.store.conftest import CALM, CLOCK, SCHEMA, Open
from tests.unit.store.notes import add, words

VFS = "faulty-writer"

Break = Callable[..., FaultVfs]


@pytest.fixture
def failing_disk() -> Iterator[Break]:
    """Register a disk under the name ``VFS`` that fails from the N-th call on, or once."""
    disks: list[FaultVfs] = []

    def register(
        operation: Operation, nth: int, times: int = 1, *, is_armed: bool = True
    ) -> FaultVfs:
        fault = Fault(operation=operation, nth=nth, times=times)
        disks.append(FaultVfs(VFS, fault, is_armed=is_armed))
        return disks[-1]

    yield register
    for vfs in disks:
        vfs.unregister()


@pytest.fixture
def held(database: SqliteDatabase) -> Iterator[threading.Event]:
    """Keep the writer busy until the event is set: what is queued meanwhile is one group."""
    began, release = threading.Event(), threading.Event()

    def hold(_tx: Transaction) -> None:
        began.set()
        release.wait(60)

    holding = database.submit(hold)
    began.wait(60)
    yield release
    release.set()
    holding.result()


def test_what_is_queued_together_is_one_commit(
    database: SqliteDatabase, held: threading.Event
) -> None:
    """That is where the throughput comes from."""
    futures = [database.submit(add(f"w{number}")) for number in range(100)]
    assert database.health().queued == 100
    held.set()
    assert [future.result() for future in futures] == list(range(1, 101))
    assert database.health().commits == 2


def test_a_group_has_a_limit(open_notes: Open) -> None:
    """So that one does not wait for too many others."""
    database = open_notes(Tuning(batch_limit=10))
    release = threading.Event()
    holding = database.submit(lambda _tx: release.wait(60))
    futures = [database.submit(add(f"w{number}")) for number in range(35)]
    release.set()
    assert [future.result() for future in futures] == list(range(1, 36))
    assert holding.result()
    assert database.health().commits >= 4


def test_a_unit_that_raises_is_undone_alone(
    database: SqliteDatabase, held: threading.Event
) -> None:
    """The others of its group are kept; its caller gets its own error."""

    def fails(tx: Transaction) -> None:
        add("bad")(tx)
        raise LookupError("mine")

    good = [database.submit(add("a")), database.submit(add("b"))]
    bad: list[Future[object]] = [
        database.submit(fails),
        database.submit(add("again", 1)),
        database.submit(fails),
    ]
    good.append(database.submit(add("c")))
    held.set()
    assert [future.result() for future in good] == [1, 2, 3]
    assert [type(future.exception()) for future in bad] == [LookupError, Conflict, LookupError]
    assert database.read(words) == ["a", "b", "c"]


def test_an_error_that_cannot_be_copied_is_raised_as_it_is(
    database: SqliteDatabase, held: threading.Event
) -> None:
    """As those of packages that take keywords only; with what caused it, and nothing dies."""

    class Unusual(Exception):
        def __init__(self, *, reason: str) -> None:
            super().__init__("unusual")
            self.reason = reason

    def fails(tx: Transaction) -> None:
        add("bad")(tx)
        raise Unusual(reason="mine") from KeyError("theirs")

    good, bad = database.submit(add("a")), [database.submit(fails) for _ in range(2)]
    held.set()
    assert good.result() == 1
    for future in bad:
        with pytest.raises(Unusual) as caught:
            future.result()
        assert caught.value.reason == "mine"
        assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(Unusual):
        database.write(fails)
    assert database.read(words) == ["a"]


def test_a_group_of_failures_commits_nothing(database: SqliteDatabase) -> None:
    """There is nothing to sync."""
    database.write(add("a", 1))
    with pytest.raises(Conflict):
        database.write(add("b", 1))
    assert database.health().commits == 1
    assert database.read(words) == ["a"]


def test_a_unit_may_queue_but_not_wait(database: SqliteDatabase) -> None:
    """Waiting for another unit on the writer's thread would wait for ever."""
    queued: list[Future[int]] = []

    def unit(tx: Transaction) -> None:
        queued.append(database.submit(add("later")))
        with pytest.raises(StoreError, match="waits for another one"):
            database.write(add("never"))
        add("now")(tx)

    database.write(unit)
    assert queued[0].result() == 2
    assert database.read(words) == ["now", "later"]


def test_a_unit_may_close_the_database(database: SqliteDatabase) -> None:
    """It is still committed; the thread does not wait for itself, and takes nothing more."""

    def unit(tx: Transaction) -> None:
        add("a")(tx)
        database._writer.close()  # noqa: SLF001  # as a finalizer on this thread would

    database.write(unit)
    assert database.read(words) == ["a"]
    with pytest.raises(StoreClosed):
        database.submit(add("b"))


def test_a_cancelled_unit_does_not_run(database: SqliteDatabase, held: threading.Event) -> None:
    """As long as it has not begun."""
    futures = [database.submit(add("a")), database.submit(add("b"))]
    assert futures[0].cancel()
    held.set()
    assert futures[1].result() == 1


def test_a_group_of_cancelled_units_is_nothing(database: SqliteDatabase) -> None:
    """The writer goes on to the next."""
    with write_queue(database.path).turn(5):
        waiting = database.submit(add("a"))
        while not waiting.running():
            pass
        # The writer waits among the processes, so what comes now has not begun.
        cancelled = database.submit(add("b"))
        is_cancelled = cancelled.cancel()
    assert waiting.result() == 1
    assert is_cancelled
    assert database.write(add("c")) == 2


def test_an_interrupted_caller_takes_back_what_has_not_begun(
    database: SqliteDatabase, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while waiting must not let the write happen later."""

    def interrupt(_future: object, _timeout: object = None) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Future, "result", interrupt)
        with pytest.raises(KeyboardInterrupt):
            database.write(add("a"))
    held.set()
    assert database.write(add("b")) == 1


def test_a_process_that_writes_for_too_long_makes_the_others_busy(
    path: Path, open_notes: Open
) -> None:
    """Nothing of the unit was kept, and nothing has to be found out."""
    database = open_notes(Tuning(busy_timeout_ms=20))
    with write_queue(path).turn(5), pytest.raises(StoreBusy):
        database.write(add("a"))
    assert database.write(add("b")) == 1


def test_one_failure_of_the_disk_is_not_seen(open_notes: Open, failing_disk: Break) -> None:
    """The group is tried again on a new connection."""
    open_notes().close()
    for nth in range(1, 12):
        vfs = failing_disk("write", nth)
        database = open_notes(vfs=VFS)
        database.write(add(f"w{nth}"))
        database.close()
        vfs.unregister()
    assert len(open_notes().read(words)) == 11


def test_a_full_disk_is_told_as_such_until_there_is_room(
    open_notes: Open, failing_disk: Break
) -> None:
    """And then the first write works, in the same process."""
    open_notes().close()
    vfs = failing_disk("full", 1, times=FOREVER)
    database = open_notes(vfs=VFS)
    with pytest.raises(StoreFull) as caught:
        database.write(add("a"))
    assert caught.value.facts["outcome"] == "none"
    health = database.health()
    assert (health.last_error, health.reopened) == ("store_full", 2)
    vfs.repair()
    assert database.write(add("b")) == 1
    assert database.health().last_error is None


def test_a_full_disk_fails_the_whole_group_with_errors_of_their_own(
    open_notes: Open, failing_disk: Break
) -> None:
    """Raising an error changes it, so two callers cannot share one."""
    open_notes().close()
    vfs = failing_disk("full", 1, times=FOREVER)
    database = open_notes(vfs=VFS)
    release = threading.Event()
    first = database.submit(lambda _tx: release.wait(60))
    futures = [database.submit(add("a")), database.submit(add("b"))]
    release.set()
    errors = [first.exception(), *(future.exception() for future in futures)][1:]
    assert [type(error) for error in errors] == [StoreFull, StoreFull]
    assert errors[0] is not errors[1]
    vfs.repair()


@pytest.mark.parametrize(
    ("times", "told", "there"),
    [(1, "yes", 1), (2, "yes", 1), (3, "unknown", 1), (FOREVER, "unknown", 1)],
)
def test_a_commit_whose_sync_failed_is_found_out(
    open_notes: Open, failing_disk: Break, times: int, told: str, there: int
) -> None:
    """The first sync that fails is that of COMMIT, the second that of closing.

    After one failure nothing was kept, and the unit is run again. After two the row is found in the
    log, and copied into the database before it is acknowledged. When that fails too, nobody knows
    whether it is on the disk, and nobody says so.
    """
    vfs = failing_disk("sync", 1, times, is_armed=False)
    database = open_notes(vfs=VFS)
    database.write(add("before"))
    vfs.arm()
    answer = "yes"
    try:
        database.write(add("w"))
    except StoreError as error:
        answer = str(error.facts["outcome"])
    vfs.repair()
    assert (answer, database.read(words).count("w")) == (told, there)
    assert database.health().reopened == 1
    assert isinstance(database.write(add("after")), int)


def test_a_commit_that_could_come_back_after_a_kill_is_not_called_lost(
    path: Path, open_notes: Open, failing_disk: Break
) -> None:
    """Its pages are in the log, only their sync failed; whoever recovers the log finds them.

    So it can be seen, also while the disk still fails.
    """
    vfs = failing_disk("sync", 1, FOREVER, is_armed=False)
    database = open_notes(vfs=VFS)
    database.write(add("before"))
    assert database.read(words) == ["before"]
    vfs.arm()
    with pytest.raises(StoreError) as caught:
        database.write(add("w"))
    assert caught.value.facts["outcome"] == "unknown"
    assert "event id" in caught.value.hint
    assert database.read(words) == ["before", "w"]
    killed = path.parent / "killed"
    killed.mkdir()
    for name in ("notes.db", "notes.db-wal"):  # in another process: see the rules of the house
        subprocess.run(["cp", path.with_name(name), killed], check=True)
    reopened = open_database(killed / "notes.db", SCHEMA, CALM, CLOCK)
    assert reopened.read(words) == ["before", "w"]
    reopened.close()
    vfs.repair()
    database.write(add("after"))
    assert database.read(words) == ["before", "w", "after"]


class BrokenClock:
    """A clock that can fail."""

    def __init__(self) -> None:
        self.is_broken = False

    def now_ms(self) -> int:
        """Return the time, or fail."""
        if self.is_broken:
            raise OSError("no time")
        return 1


def test_an_error_outside_of_the_database_reaches_the_callers(path: Path) -> None:
    """And the writer lives on."""
    clock = BrokenClock()
    database = open_database(path, SCHEMA, CALM, clock)
    clock.is_broken = True
    with pytest.raises(OSError, match="no time"):
        database.write(add("a"))
    assert database.health().last_error == "error"
    clock.is_broken = False
    assert database.write(add("b")) == 1
    database.close()


def test_a_file_that_was_removed_while_open_is_an_error(database: SqliteDatabase) -> None:
    """Rows written into a file without a name would be lost with the process."""
    database.write(add("a"))
    database.path.unlink()
    with pytest.raises(StoreError, match="replaced or removed"):
        database.write(add("b"))
    with pytest.raises(StoreError):
        database.write(add("c"))
    assert not database.path.exists()


def test_a_process_of_another_id_is_refused(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a fork, where the writer's thread is missing."""
    database.write(add("a"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)
        with pytest.raises(StoreClosed):
            database.write(add("b"))
        with pytest.raises(StoreClosed):
            database.read(words)
    assert database.read(words) == ["a"]


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make it the end of the process, where Python starts no more threads."""

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    return lambda: monkeypatch.setattr(threading.Thread, "start", refuse)


def test_what_was_submitted_is_committed_at_the_end_of_the_process(
    database: SqliteDatabase, ending: Callable[[], None]
) -> None:
    """Also when it is the first commit, and another process is writing."""
    with write_queue(database.path).turn(5):
        queued = database.submit(add("a"))
        ending()
    assert queued.result() == 1


def test_a_turn_at_the_end_of_the_process_waits_without_a_thread(
    path: Path, ending: Callable[[], None]
) -> None:
    """It is given up when the time is up, and not before."""
    path.parent.mkdir()
    release = threading.Event()
    began = threading.Event()

    def hold() -> None:
        with write_queue(path).turn(5):
            began.set()
            release.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    began.wait(60)
    timer = threading.Timer(0.05, release.set)
    timer.start()
    ending()
    with pytest.raises(StoreBusy), write_queue(path).turn(0):
        pass
    with write_queue(path).turn(60):
        assert release.is_set()
    holder.join()
    timer.join()


def test_a_first_write_at_the_end_of_the_process_is_refused(
    database: SqliteDatabase, ending: Callable[[], None]
) -> None:
    """Nobody would commit it."""
    ending()
    with pytest.raises(StoreClosed, match="ending"):
        database.write(add("a"))


def test_tokens_of_old_commits_are_forgotten(database: SqliteDatabase) -> None:
    """They prove the last commits only."""

    def jump(tx: Transaction) -> None:
        tx.execute("INSERT INTO commits VALUES (5000, x'00', 0)")

    database.write(add("a"))
    database.write(jump)
    for number in range(120):
        database.write(add(f"w{number}"))
    tokens = database.read(lambda tx: list(tx.rows("SELECT seq FROM commits ORDER BY seq")))
    assert tokens == [(5_000 + number,) for number in range(122)]


def test_what_was_written_is_not_kept_until_the_next_write(database: SqliteDatabase) -> None:
    """It may be 16 MB, and the next write may come in an hour."""

    class Payload:
        pass

    payload = Payload()
    collected = threading.Event()
    weakref.finalize(payload, collected.set)
    database.write(partial(_ignore, payload))
    del payload
    assert collected.wait(60)


def _ignore(_payload: object, _tx: Transaction) -> None:
    """A unit that holds something."""
