"""The sync in the background: one at a time, coalesced, owned by one process, ended promptly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import StoreBusy
from recollect.index.model.locks import SyncLock
from recollect.index.model.sync_report import Watch
from recollect.recall import sync as background_sync
from recollect.recall.sync import BackgroundSync, Duties, Reason

PATIENCE_S = 20.0
"""Longer than any machine takes; the tests wait for the thing itself."""

Stopping = Callable[[], bool]
Step = Callable[[Stopping], object]


class ScriptedWork:
    """Does one step of a script each time; tells when it began and what asked for it."""

    def __init__(self, *steps: Step) -> None:
        self._steps: Iterator[Step] = iter(steps)
        self.reasons: list[tuple[Reason, ...]] = []
        self.threads: list[threading.Thread] = []
        self.began = threading.Semaphore(0)

    def __call__(self, reasons: tuple[Reason, ...], watch: Watch) -> None:
        """Do the next step."""
        self.reasons.append(reasons)
        self.threads.append(threading.current_thread())
        self.began.release()
        next(self._steps, _done)(watch.stopping)

    def wait(self) -> None:
        """Return when one more step has begun."""
        assert self.began.acquire(timeout=PATIENCE_S)


class Gate:
    """A step that goes on when it is let through, or when it is to stop."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.was_stopped = False

    def __call__(self, stopping: Stopping) -> None:
        """Wait."""
        while not self.open.wait(0.005):
            if stopping():
                self.was_stopped = True
                return


def _done(_: Stopping) -> None:
    pass


def _busy(_: Stopping) -> None:
    raise StoreBusy("another process writes")


def _broken(_: Stopping) -> None:
    raise ZeroDivisionError


def _sync(work: ScriptedWork, **duties: Callable[[], bool]) -> BackgroundSync:
    return BackgroundSync(Duties(work=work, **duties), SystemClock(), SyncLock())  # type: ignore[arg-type]  # mypy joins the callables


def _until(condition: Callable[[], bool]) -> None:
    waited = threading.Event()
    for _ in range(4_000):
        if condition():
            return
        waited.wait(0.005)
    raise AssertionError("it never came")


def test_nothing_runs_before_something_asks() -> None:
    """A program that only reads needs no thread."""
    work = ScriptedWork()
    sync = _sync(work)
    assert (sync.is_dirty, sync.last.at) == (False, None)
    sync.close()
    sync.close()
    sync.ask("watch")
    assert work.threads == []


def test_it_works_on_one_thread_of_its_own() -> None:
    """And tells when and why it did."""
    work = ScriptedWork()
    sync = _sync(work)
    for reason in ("session-start", "watch"):
        sync.ask(reason)
        work.wait()
    _until(lambda: not sync.is_dirty)
    assert (sync.last.reason, sync.last.error) == ("watch", None)
    assert sync.last.at
    sync.close()
    assert work.reasons == [("session-start",), ("watch",)]
    assert len({thread.ident for thread in work.threads}) == 1
    assert work.threads[0] is not threading.current_thread()
    assert not work.threads[0].is_alive()


def test_whatever_asks_during_a_sync_causes_exactly_one_more() -> None:
    """However often and for whatever reason."""
    gate = Gate()
    work = ScriptedWork(gate)
    sync = _sync(work)
    sync.ask("session-start")
    work.wait()
    for reason in ("watch", "search", "watch", "transcript"):
        sync.ask(reason)
    assert sync.is_dirty
    gate.open.set()
    work.wait()
    _until(lambda: not sync.is_dirty)
    sync.close()
    assert work.reasons == [("session-start",), ("watch", "search", "transcript")]


@pytest.mark.parametrize(("step", "code"), [(_busy, "store_busy"), (_broken, "error")])
def test_a_failure_is_told_and_tried_again_and_does_not_end_it(
    step: Step, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state shows it until the next success."""
    monkeypatch.setattr(background_sync, "RETRY_S", 0.01)
    gate = Gate()
    work = ScriptedWork(step, gate)
    sync = _sync(work)
    sync.ask("watch")
    work.wait()
    work.wait()
    assert (sync.last.reason, sync.last.error, sync.is_dirty) == ("watch", code, True)
    gate.open.set()
    _until(lambda: not sync.is_dirty)
    assert (sync.last.reason, sync.last.error) == ("retry", None)
    sync.close()


def test_after_a_failure_searches_ask_in_vain_for_a_while() -> None:
    """A provider that is down is not knocked at with every question."""
    work = ScriptedWork(_busy)
    sync = _sync(work)
    sync.ask("search")
    work.wait()
    _until(lambda: sync.last.error is not None)
    sync.ask("search")
    sync.ask("watch")
    work.wait()
    sync.close()
    assert work.reasons == [("search",), ("watch",)]


def test_closing_ends_a_long_work_soon() -> None:
    """What it has not done is done by the next process."""
    gate = Gate()
    work = ScriptedWork(gate)
    sync = _sync(work)
    sync.ask("watch")
    work.wait()
    sync.close()
    assert gate.was_stopped


def test_a_sync_that_a_person_calls_takes_the_place_of_the_one_in_the_background() -> None:
    """It serves what was asked for, and returns what it did."""
    gate = Gate()
    work = ScriptedWork(gate)
    sync = _sync(work)
    sync.ask("watch")
    work.wait()
    sync.ask("transcript", 60.0)
    assert sync.run(lambda: "report") == "report"
    assert gate.was_stopped
    assert (sync.last.reason, sync.is_dirty) == ("manual", False)
    sync.close()
    assert len(work.reasons) == 1


def test_a_failed_sync_of_a_person_is_theirs_and_told() -> None:
    """The error goes to the caller, whatever it is."""
    sync = _sync(ScriptedWork())
    with pytest.raises(KeyboardInterrupt):
        sync.run(_interrupted)
    assert (sync.last.reason, sync.last.error) == ("manual", "error")
    sync.close()


def _interrupted() -> None:
    raise KeyboardInterrupt


def test_what_another_process_owns_waits_until_it_is_ours() -> None:
    """The owner may die; then somebody else goes on."""
    asked = threading.Semaphore(0)
    is_ours = threading.Event()
    begun = threading.Event()

    def is_owner() -> bool:
        asked.release()
        return is_ours.is_set()

    work = ScriptedWork()
    sync = BackgroundSync(
        Duties(work=work, is_owner=is_owner, begin=begun.set, retry_s=0.01),
        SystemClock(),
        SyncLock(),
        interval_s=0.0,
    )
    sync.ask("watch")
    for _ in range(3):
        assert asked.acquire(timeout=PATIENCE_S)
    assert (work.reasons, sync.is_dirty, begun.is_set()) == ([], True, False)
    is_ours.set()
    work.wait()
    assert begun.is_set()
    sync.close()
    assert work.reasons == [("watch",)]


def test_the_owner_notices_what_other_processes_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """They need not tell; a look costs one row."""
    monkeypatch.setattr(background_sync, "LOOK_S", 0.01)
    stored = threading.Event()
    work = ScriptedWork(_done, lambda _: stored.clear())
    sync = _sync(work, is_behind=stored.is_set)
    sync.ask("start")
    work.wait()
    stored.set()
    work.wait()
    sync.close()
    assert work.reasons[:2] == [("start",), ("message",)]


def test_a_burst_is_one_sync_and_no_look_at_what_others_stored() -> None:
    """Each wake of the thread had been a look, and each look a sync of one message."""
    looks: list[bool] = []
    work = ScriptedWork()

    def is_behind() -> bool:
        looks.append(True)
        return True

    sync = _sync(work, is_behind=is_behind)
    sync.ask("start")
    work.wait()
    for _ in range(1_000):
        sync.ask("message", 60.0, most_rests=1)
    sync.ask("watch")
    work.wait()
    sync.close()
    assert (work.reasons, looks) == ([("start",), ("watch",)], [])


def test_a_look_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the thread goes on."""
    monkeypatch.setattr(background_sync, "LOOK_S", 0.01)

    def is_behind() -> bool:
        raise StoreBusy("another process writes")

    work = ScriptedWork()
    sync = _sync(work, is_behind=is_behind)
    sync.ask("start")
    _until(lambda: sync.last.error == "store_busy")
    sync.ask("watch")
    work.wait()
    work.wait()
    sync.close()


def test_a_lock_that_cannot_be_asked_for_is_told() -> None:
    """The disk may be full; it is tried again."""

    def is_owner() -> bool:
        raise StoreBusy("no lock file")

    sync = _sync(ScriptedWork(), is_owner=is_owner)
    sync.ask("start")
    _until(lambda: sync.last.error == "store_busy")
    sync.close()


def test_an_interval_needs_nobody_who_asks() -> None:
    """Once the thread runs."""
    work = ScriptedWork()
    sync = BackgroundSync(Duties(work=work), SystemClock(), SyncLock(), interval_s=0.01)
    sync.ask("start")
    for _ in range(3):
        work.wait()
    sync.close()
    assert ("interval",) in work.reasons
