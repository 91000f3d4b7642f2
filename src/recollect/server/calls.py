"""Where use cases run while the event loop waits for them: one hop a request.

A pool of its own, because what it saves is measured: `loop.run_in_executor` costs 26 us of CPU a
call, `recollect.aio.hops` 18 us, this 9 us. It wakes the loop once for all calls that ended since.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
_Ended: TypeAlias = "tuple[asyncio.Future[Any], Any, Exception | None]"
_Waiting: TypeAlias = "tuple[asyncio.Future[Any], Callable[..., Any], tuple[Any, ...]]"

MOST_THREADS = 16
"""Calls at the same time: their writes share a commit, and each thread reads through a connection
of its own."""


class Calls:
    """Runs plain functions on threads; for one event loop at a time.

    Args:
        most: How many at the same time; more of them wait in order.
    """

    def __init__(self, most: int = MOST_THREADS) -> None:
        self._most = most
        self._waiting: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._ended: deque[_Ended] = deque()
        self._is_telling = False
        self._running = 0
        self._threads: list[Thread] = []
        self._starting = Lock()

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """Return what ``work`` returns, or raise what it raises.

        A call whose caller is cancelled ends on its thread all the same.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._running += 1
        if self._running > len(self._threads) < self._most:
            self._start()
        self._waiting.put((future, work, args))
        return await future

    def close(self) -> None:
        """Wait for the calls that run, and end the threads."""
        with self._starting:
            threads, self._threads = self._threads, []
        for _ in threads:
            self._waiting.put(None)
        for thread in threads:
            thread.join()

    def _start(self) -> None:
        with self._starting:
            thread = Thread(target=self._work, name="recollect-call", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (waiting := self._waiting.get()) is not None:
            future, work, args = waiting
            try:
                self._end((future, work(*args), None))
            except Exception as error:  # noqa: BLE001  # the caller gets it
                self._end((future, None, error))

    def _end(self, ended: _Ended) -> None:
        self._ended.append(ended)
        if self._is_telling:
            return  # the loop was woken already, and takes this one along
        self._is_telling = True
        try:
            ended[0].get_loop().call_soon_threadsafe(self._tell)
        except RuntimeError:  # the loop is closed, and no caller waits
            self._is_telling = False

    def _tell(self) -> None:
        self._is_telling = False
        while self._ended:
            future, value, error = self._ended.popleft()
            self._running -= 1
            if future.cancelled():
                continue
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)
