"""One hop to a thread, and back to the loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from recollect.core.errors import StoreError
from recollect.server.calls import Calls
from tests.support.dying import die_at_birth, refuse_threads


@pytest.fixture
def calls() -> Iterator[Calls]:
    """Two threads at most."""
    calls = Calls(2)
    yield calls
    calls.close()


def test_a_call_runs_on_a_thread_and_its_error_comes_back(calls: Calls) -> None:
    """With its arguments; the loop goes on meanwhile."""

    def share(whole: int, parts: int) -> tuple[float, str]:
        return whole / parts, threading.current_thread().name

    async def main() -> None:
        assert await calls.run(share, 6, 3) == (2.0, "recollect-call")
        with pytest.raises(ZeroDivisionError):
            await calls.run(share, 6, 0)

    asyncio.run(main())


def test_calls_wait_their_turn_and_all_come_back(calls: Calls) -> None:
    """Hundreds at once, on two threads."""
    names = set()

    def double(number: int) -> int:
        names.add(threading.current_thread().ident)
        return number * 2

    async def main() -> list[int]:
        return await asyncio.gather(*(calls.run(double, number) for number in range(500)))

    assert asyncio.run(main()) == [number * 2 for number in range(500)]
    assert 1 <= len(names) <= 2


def test_a_call_ends_although_its_caller_was_cancelled(calls: Calls) -> None:
    """What it writes is there as a whole; other callers are not disturbed."""
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(60)
        ended.set()

    async def main() -> int:
        waiting = asyncio.ensure_future(calls.run(slow))
        assert await asyncio.to_thread(begun.wait, 60)
        waiting.cancel()
        go_on.set()
        return await calls.run(len, "four")

    assert asyncio.run(main()) == 4
    assert ended.wait(60)


def test_a_call_that_outlives_its_loop_leaves_the_thread_to_the_next(calls: Calls) -> None:
    """A server that is stopped by force, and another one in the same process."""
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(60)

    async def leave() -> None:
        task = asyncio.ensure_future(calls.run(slow))
        assert await asyncio.to_thread(begun.wait, 60)
        task.cancel()

    asyncio.run(leave())
    go_on.set()

    async def main() -> list[int]:
        return [await calls.run(len, "x" * number) for number in range(5)]

    assert asyncio.run(main()) == [0, 1, 2, 3, 4]


def test_closing_waits_for_the_calls_that_run() -> None:
    """And ends the threads."""
    calls = Calls()
    asyncio.run(calls.run(len, "x"))
    calls.close()
    calls.close()
    assert "recollect-call" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_call_whose_thread_dies_at_its_birth_is_made_by_another(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its caller waits no longer than that takes."""
    names = die_at_birth(monkeypatch)
    assert asyncio.run(calls.run(len, "four")) == 4
    assert names == ["recollect-call"]


def test_a_call_that_no_thread_can_make_is_an_error(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next may have more luck."""
    with monkeypatch.context() as poor:
        refuse_threads(poor)
        with pytest.raises(StoreError, match="no thread can be started"):
            asyncio.run(calls.run(len, "four"))
    assert asyncio.run(calls.run(len, "four")) == 4


def test_a_call_that_would_end_its_thread_ends_no_loop(calls: Calls) -> None:
    """Its caller gets an error like any other."""

    def leave() -> None:
        raise SystemExit(3)

    async def main() -> None:
        with pytest.raises(StoreError):
            await calls.run(leave)
        assert await calls.run(len, "four") == 4

    asyncio.run(main())
