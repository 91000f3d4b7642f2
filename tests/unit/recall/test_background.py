"""The background thread: it works when told, survives what fails, and ends when closed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from recollect.core.errors import StoreBusy
from recollect.recall.background import BackgroundWork

PATIENCE_S = 20.0
"""Longer than any machine takes; the tests wait for the thing itself."""

Stopping = Callable[[], bool]


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
    background = BackgroundWork(work)
    assert not background.closing
    background.close()
    background.close()
    assert work.threads == []


def test_it_works_on_one_thread_of_its_own() -> None:
    """However often it is told."""
    work = ScriptedWork(_done, _done)
    background = BackgroundWork(work)
    for _ in range(2):
        background.notify()
        work.wait()
    background.close()
    assert len({thread.ident for thread in work.threads}) == 1
    assert work.threads[0] is not threading.current_thread()
    assert not work.threads[0].is_alive()


@pytest.mark.parametrize(("step", "code"), [(_busy, "store_busy"), (_broken, "error")])
def test_a_failure_is_told_and_does_not_end_it(
    step: Callable[[Stopping], object], code: str
) -> None:
    """The status shows it until the next success."""
    told: list[str | None] = []
    background: BackgroundWork

    def look(_: Stopping) -> None:
        told.append(background.last_error)

    work = ScriptedWork(step, look, _done)
    background = BackgroundWork(work)
    for _ in range(3):
        background.notify()
        work.wait()
    background.close()
    assert told == [code]
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

    background = BackgroundWork(ScriptedWork(until_closed))
    background.notify()
    assert entered.wait(PATIENCE_S)
    background.close()
    assert ended == [True]
    assert background.closing


def test_closing_does_not_begin_what_waits() -> None:
    """The next process does it; messages that gather are not waited for."""
    work = ScriptedWork()
    background = BackgroundWork(work)
    background.notify()
    background.close()
    assert work.threads == []
    assert background.last_error is None


def test_after_closing_it_is_told_in_vain() -> None:
    """No thread is started for databases that are closed."""
    work = ScriptedWork()
    background = BackgroundWork(work)
    background.close()
    background.notify()
    assert work.threads == []
