"""Threads that die: whoever waits for them hears of it, and others go on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

import pytest

from recollect.core.errors import StoreClosed, StoreError
from recollect.core.loops import Looking, result_of
from recollect.core.threads import (
    RestartableThread,
    ThreadDied,
    ThreadPool,
    completed,
    next_of,
    run_on_thread,
)
from recollect.core.worker import Worker
from tests.support.dying import Death, die_at_birth, refuse_threads

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
"""The deaths."""

PATIENCE_S = 60.0


def _dies() -> None:
    """Kill the thread below all that catches errors."""
    raise Death


def test_work_on_a_thread_returns_or_raises_where_it_is_waited_for() -> None:
    """A timeout is the caller's, or the work's own."""
    assert run_on_thread("t", lambda: 7).result() == 7
    with pytest.raises(ZeroDivisionError):
        run_on_thread("t", lambda: 1 // 0).result()
    release = threading.Event()
    waiting = run_on_thread("t", lambda: release.wait(PATIENCE_S))
    with pytest.raises(TimeoutError):
        waiting.result(0.01)
    release.set()
    assert waiting.result()


def test_waiting_ends_when_the_thread_dies_at_its_birth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on an event loop, and for the first of several."""
    die_at_birth(monkeypatch, 3)
    with pytest.raises(ThreadDied, match="died"):
        run_on_thread("t", lambda: 7).result()
    with pytest.raises(ThreadDied):
        asyncio.run(result_of(run_on_thread("t", lambda: 7)))
    dead, sound = run_on_thread("t", lambda: 7), run_on_thread("t", lambda: 8)
    ended = list(completed([dead, sound]))
    assert ended[0].result() == 8
    assert isinstance(ended[1].exception(), ThreadDied)


def test_a_thread_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do about it."""
    refuse_threads(monkeypatch)
    with pytest.raises(ThreadDied, match="no thread can be started") as raised:
        run_on_thread("t", lambda: 7)
    assert "memory" in raised.value.hint
    with pytest.raises(StoreError):
        ThreadPool("t", 2).submit(lambda: 7)


def test_a_pool_replaces_threads_that_die_at_birth(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waited is done by the next."""
    names = die_at_birth(monkeypatch, 2)
    pool = ThreadPool("pool", 2)
    futures = [pool.submit(partial(int, n)) for n in range(5)]
    assert [future.result() for future in futures] == [0, 1, 2, 3, 4]
    assert names == ["pool", "pool"]
    pool.close()
    with pytest.raises(StoreClosed):
        pool.submit(lambda: 0)


def test_what_a_dying_thread_of_a_pool_had_taken_fails() -> None:
    """It may have done it; the rest goes on."""
    pool = ThreadPool("pool", 1)
    deaths: SimpleQueue[ThreadDied] = SimpleQueue()
    pool.put(_dies, deaths.put)
    after = pool.submit(lambda: 8)
    assert after.result() == 8
    assert next_of(deaths, pool.look).facts["outcome"] == "unknown"
    pool.close()


def test_nobody_waits_for_a_pool_that_can_have_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that was put fails."""
    pool = ThreadPool("pool", 1)
    names = die_at_birth(monkeypatch)
    waiting = pool.submit(lambda: 7)
    while not names:
        threading.Event().wait(0.01)
    refuse_threads(monkeypatch)
    with pytest.raises(ThreadDied):
        waiting.result()


def test_closing_a_pool_finishes_what_was_put(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its thread has died."""
    die_at_birth(monkeypatch)
    pool = ThreadPool("pool", 1)
    futures = [pool.submit(partial(int, n)) for n in range(3)]
    pool.close()
    assert [future.result() for future in futures] == [0, 1, 2]
    assert "pool" not in {thread.name for thread in threading.enumerate()}


def test_a_cancelled_piece_of_work_never_begins() -> None:
    """It was not begun."""
    pool, release, results = ThreadPool("pool", 1), threading.Event(), list[int]()
    first = pool.submit(lambda: release.wait(PATIENCE_S))
    second = pool.submit(lambda: results.append(1))
    assert second.cancel()
    release.set()
    assert first.result()
    pool.close()
    assert results == []


def test_a_dropped_pool_lets_its_threads_go() -> None:
    """Nobody has to close it."""
    pool = ThreadPool("dropped", 1)
    assert pool.submit(threading.current_thread).result().name == "dropped"
    thread = next(each for each in threading.enumerate() if each.name == "dropped")
    del pool
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


@pytest.mark.parametrize(("finishes", "said"), [(True, b"done"), (False, b"")])
def test_a_process_ends_after_the_work_of_a_pool_that_finishes(finishes: bool, said: bytes) -> None:
    """And at once where nobody has to wait for it."""
    code = f"""
import os, threading
from recollect.core.threads import ThreadPool
began = threading.Event()
def work():
    began.set()
    threading.Event().wait({0.2 if finishes else 600})
    os.write(1, b"done")
pool = ThreadPool("t", 1, finishes={finishes})
pool.submit(work)
began.wait()
"""
    completed_process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True
    )
    assert completed_process.stdout == said


def test_a_worker_whose_thread_died_works_again_when_it_is_woken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And its end is done all the same."""
    names, steps, ends = die_at_birth(monkeypatch), threading.Event(), list[int]()
    worker = Worker("worker", steps.set, at_end=lambda: ends.append(1))
    worker.wake()
    while not names or any(thread.name == "worker" for thread in threading.enumerate()):
        threading.Event().wait(0.01)
    worker.look()
    assert steps.wait(PATIENCE_S)
    worker.stop()
    assert ends == [1]


def test_a_worker_that_died_does_its_end_when_it_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it holds is let go."""
    die_at_birth(monkeypatch)
    ends = list[int]()
    worker = Worker("worker", lambda: None, at_end=lambda: ends.append(1))
    worker.wake()
    worker.stop()
    assert ends == [1]


def test_a_worker_without_a_thread_tells_and_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wakes it has stored something, and must not fail."""
    steps = threading.Event()
    worker = Worker("worker", steps.set)
    with monkeypatch.context() as poor:
        refuse_threads(poor)
        worker.wake()
    assert worker.last_error == StoreError.code
    worker.wake()
    assert steps.wait(PATIENCE_S)
    worker.stop()


def test_a_step_that_raises_what_no_code_expects_is_a_failure() -> None:
    """A callback that calls `sys.exit` ends nothing of ours."""
    script = iter([Death, None])
    ended = threading.Event()

    def step() -> float | None:
        death = next(script)
        if death is not None:
            raise death
        ended.set()
        return None

    worker = Worker("worker", step, failed=lambda _: 0.0)
    worker.wake()
    assert ended.wait(PATIENCE_S)
    worker.stop()


def test_a_loop_looks_while_it_waits_for_threads() -> None:
    """And no longer."""
    looks = list[int]()

    async def main() -> None:
        over = asyncio.get_running_loop().create_future()

        def look() -> None:
            looks.append(1)
            if len(looks) == 2:
                over.set_result(None)

        with Looking(look):
            await over

    asyncio.run(main())
    assert len(looks) == 2


def test_a_restarted_thread_is_another_one() -> None:
    """The name and the work are the same."""
    works: list[Callable[[], None]] = [_dies, lambda: None]
    thread = RestartableThread("t", lambda: works.pop(0)())
    thread.start()
    assert thread.await_end()
    assert thread.has_died
    thread.start()
    assert thread.await_end()
    assert not thread.has_died
