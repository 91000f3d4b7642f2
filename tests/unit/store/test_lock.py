"""Locks between processes; here between open files, which is what the kernel looks at."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import StoreBusy, StoreError
from recollect.store import locks
from recollect.store.locks import Holder, OwnerLock, WriteQueue
from tests.support.dying import die_at_birth

CLOCK = SystemClock()


def test_a_turn_excludes_the_others(tmp_path: Path) -> None:
    """A second one waits, and gives up after its time."""
    path = tmp_path / "lock"
    with (
        WriteQueue(path).turn(5),
        pytest.raises(StoreBusy, match="another process has been writing"),
        WriteQueue(path).turn(0.001),
    ):
        raise AssertionError("never reached")
    with WriteQueue(path).turn(5):
        pass


@pytest.mark.parametrize("quick_s", [0.0, 60.0])
def test_a_waiting_turn_comes_when_the_lock_is_let_go(
    tmp_path: Path, quick_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks for it a while, then waits in the kernel's queue."""
    monkeypatch.setattr(locks, "_QUICK_S", quick_s)
    queue = WriteQueue(tmp_path / "lock")
    order: list[str] = []

    def second() -> None:
        with queue.turn(60):
            order.append("second")

    with queue.turn(60):
        thread = threading.Thread(target=second)
        thread.start()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_turn_that_was_given_up_blocks_nobody(tmp_path: Path) -> None:
    """Its place in the kernel's queue comes and goes by itself."""
    queue = WriteQueue(tmp_path / "lock")
    with queue.turn(5):
        for _ in range(5):
            with pytest.raises(StoreBusy), queue.turn(0):
                raise AssertionError("never reached")
    with queue.turn(60):
        pass


def test_a_lock_file_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path) -> None:
    """Such as in a folder that is not there."""
    with pytest.raises(StoreError), WriteQueue(tmp_path / "missing" / "lock").turn(1):
        raise AssertionError("never reached")


def test_a_lock_file_is_private_and_no_link_is_followed(tmp_path: Path) -> None:
    """It is made with 0600; a link in its place is refused."""
    path = tmp_path / "lock"
    with WriteQueue(path).turn(1):
        assert path.stat().st_mode & 0o777 == 0o600
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(StoreError), WriteQueue(link).turn(1):
        raise AssertionError("never reached")


def test_one_owner_at_a_time(tmp_path: Path) -> None:
    """The second is refused until the first lets go, and can ask who it is."""
    first, second = (OwnerLock(tmp_path / "owner.lock", CLOCK) for _ in range(2))
    assert first.acquire("worker")
    assert first.acquire("worker")
    assert not second.acquire("reindex")
    assert (first.held, second.held) == (True, False)
    for lock in (first, second):
        holder = lock.holder()
        assert isinstance(holder, Holder)
        assert (holder.pid, holder.role) == (os.getpid(), "worker")
    first.release()
    first.release()
    assert second.holder() is None
    assert second.acquire("reindex")
    second.release()


def test_an_owner_who_has_not_signed_yet_has_no_name(tmp_path: Path) -> None:
    """Between taking the lock and writing the name a reader finds nothing to read."""
    path = tmp_path / "owner.lock"
    owner = OwnerLock(path, CLOCK)
    assert owner.acquire("worker")
    os.truncate(path, 0)
    assert OwnerLock(path, CLOCK).holder() is None
    owner.release()


def test_asking_does_not_keep_the_lock_from_its_owner(tmp_path: Path) -> None:
    """Many ask all the time; each attempt to own a free lock succeeds."""
    path = tmp_path / "owner.lock"
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            OwnerLock(path, CLOCK).holder()

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    owner = OwnerLock(path, CLOCK)
    acquired = []
    for _ in range(200):
        acquired.append(owner.acquire("worker"))
        owner.release()
    stop.set()
    for asker in askers:
        asker.join()
    assert all(acquired)


def test_a_lock_that_others_keep_looking_at_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patience ends; no owner is better than two."""
    monkeypatch.setattr(locks, "_PATIENCE", 2)
    path = tmp_path / "owner.lock"
    with path.open("w", encoding="utf-8") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not OwnerLock(path, CLOCK).acquire("worker")


def test_a_lock_that_cannot_be_signed_is_let_go(tmp_path: Path) -> None:
    """A full disk must not leave a nameless owner behind."""
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with pytest.raises(StoreError):
        OwnerLock(Path("/dev/full"), CLOCK).acquire("worker")


def test_a_folder_where_nothing_can_be_made_is_told_as_such() -> None:
    """Seen through /proc, where nobody can make a file."""
    if not Path("/proc/self").exists():
        pytest.skip("needs /proc")
    with pytest.raises(StoreError) as caught:
        OwnerLock(Path("/proc/self/lock"), CLOCK).acquire("worker")
    assert caught.value.hint


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_turn_whose_waiting_thread_dies_comes_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks again and again then, until its time is up."""
    monkeypatch.setattr(locks, "_QUICK_S", 0.0)
    queue = WriteQueue(tmp_path / "lock")
    began, release = threading.Event(), threading.Event()

    def hold() -> None:
        with queue.turn(60):
            began.set()
            release.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    began.wait(60)
    die_at_birth(monkeypatch)
    with pytest.raises(StoreBusy), queue.turn(0.6):
        raise AssertionError("never reached")
    release.set()
    with queue.turn(60):
        pass
    holder.join()
