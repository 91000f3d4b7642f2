"""The worker thread: it works when woken, survives what fails, and ends when stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from recollect.core.errors import StoreBusy
from recollect.core.worker import Worker, backoff_s

PATIENCE_S = 20.0
"""Longer than any machine takes; the tests wait for the thing itself."""

Stopping = Callable[[], bool]


def _worker(work: Callable[[Stopping], object]) -> Worker:
    """Return a worker that gathers for a moment."""

    def step() -> None:
        work(worker.closing.is_set)

    worker = Worker("test", step, gather_s=0.05)
    return worker


class ScriptedWork:
    """Does one step of a script each time; tells when it is done."""

    def __init__(self, *steps: Callable[[Stopping], object]) -> None:
        self._steps: Iterator[Callable[[Stopping], object]] = iter(steps)
        self.threads: list[threading.Thread] = []
        self.began = threading.Semaphore(0)

    def __call__(self, stopping: Stopping) -> None:
        """Do the next step."""
        self.threads.append(threading.current_thread())
        self.began.release()
        next(self._steps)(stopping)

    def wait(self) -> None:
        """Return when one more step has begun."""
        assert self.began.acquire(timeout=PATIENCE_S)


def _busy(_: Stopping) -> None:
    raise StoreBusy("another process writes")


def _broken(_: Stopping) -> None:
    raise ZeroDivisionError


def _done(_: Stopping) -> None:
    pass


def test_nothing_runs_before_it_is_told() -> None:
    """A program that only searches needs no thread."""
    work = ScriptedWork()
    background = _worker(work)
    assert not background.closing.is_set()
    background.stop()
    background.stop()
    assert work.threads == []


def test_it_works_on_one_thread_of_its_own() -> None:
    """However often it is told."""
    work = ScriptedWork(_done, _done)
    background = _worker(work)
    for _ in range(2):
        background.wake()
        work.wait()
    background.stop()
    assert len({thread.ident for thread in work.threads}) == 1
    assert work.threads[0] is not threading.current_thread()
    assert not work.threads[0].is_alive()


@pytest.mark.parametrize(("step", "code"), [(_busy, "store_busy"), (_broken, "error")])
def test_a_failure_is_told_and_does_not_end_it(
    step: Callable[[Stopping], object], code: str
) -> None:
    """The status shows it until the next success."""
    failures: list[str | None] = []
    background: Worker

    def look(_: Stopping) -> None:
        failures.append(background.last_error)

    work = ScriptedWork(step, look, _done)
    background = _worker(work)
    for _ in range(3):
        background.wake()
        work.wait()
    background.stop()
    assert failures == [code]
    assert background.last_error is None


def test_closing_asks_the_work_to_end_and_waits_for_it() -> None:
    """Databases are closed after it."""
    ended: list[bool] = []
    entered = threading.Event()

    def until_closed(stopping: Stopping) -> None:
        entered.set()
        while not stopping():
            threading.Event().wait(0.001)
        ended.append(True)

    background = _worker(ScriptedWork(until_closed))
    background.wake()
    assert entered.wait(PATIENCE_S)
    background.stop()
    assert ended == [True]
    assert background.closing.is_set()


def test_closing_does_not_begin_what_waits() -> None:
    """The next process does it; messages that gather are not waited for."""
    work = ScriptedWork()
    background = _worker(work)
    background.wake()
    background.stop()
    assert work.threads == []
    assert background.last_error is None


def test_after_closing_it_is_told_in_vain() -> None:
    """No thread is started for databases that are closed."""
    work = ScriptedWork()
    background = _worker(work)
    background.stop()
    background.wake()
    assert work.threads == []


def test_it_comes_again_when_the_step_says_so() -> None:
    """Nobody needs to wake it."""
    ran = threading.Semaphore(0)

    def step() -> float:
        ran.release()
        return 0.001

    worker = Worker("test", step)
    worker.wake()
    for _ in range(3):
        assert ran.acquire(timeout=PATIENCE_S)
    worker.stop()


def test_what_comes_last_runs_once_on_its_thread_if_it_ever_ran() -> None:
    """A failure of it is noted like any other."""
    threads: list[str] = []

    def last() -> None:
        threads.append(threading.current_thread().name)
        raise StoreBusy("another process writes")

    idle = Worker("idle", lambda: None, at_end=last)
    idle.stop()
    assert threads == []
    ran = threading.Event()
    worker = Worker("test", ran.set, at_end=last)
    worker.wake()
    assert ran.wait(PATIENCE_S)
    worker.stop()
    worker.stop()
    assert (threads, worker.last_error) == (["test"], "store_busy")


def test_the_rest_after_a_failure_is_chosen_by_its_owner() -> None:
    """Without one it doubles, up to an hour."""
    ran = threading.Semaphore(0)
    errors: list[BaseException] = []

    def step() -> float:
        ran.release()
        raise ZeroDivisionError

    def failed(error: BaseException) -> float:
        errors.append(error)
        return 0.001

    worker = Worker("test", step, failed=failed)
    worker.wake()
    for _ in range(3):
        assert ran.acquire(timeout=PATIENCE_S)
    worker.stop()
    assert isinstance(errors[1], ZeroDivisionError)
    assert [backoff_s(n, 30.0) for n in (1, 2, 3, 8, 10_000)] == [30, 60, 120, 3_600, 3_600]


def test_a_look_starts_what_could_not_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where threads are short for a moment."""
    ran = threading.Semaphore(0)

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    worker = Worker("test", ran.release)
    with monkeypatch.context() as short:
        short.setattr(threading.Thread, "start", fail)
        worker.wake()
    worker.look()
    assert ran.acquire(timeout=PATIENCE_S)
    worker.stop()


def test_a_step_may_stop_its_own_worker() -> None:
    """It does not wait for itself."""
    ended = threading.Event()

    def step() -> None:
        worker.stop()

    worker = Worker("test", step, at_end=ended.set)
    worker.wake()
    assert ended.wait(PATIENCE_S)
