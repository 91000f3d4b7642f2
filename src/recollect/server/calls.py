"""Where use cases run while the event loop waits for them: one hop a request.

A pool of its own, because what it saves is measured: `loop.run_in_executor` costs 26 us of CPU a
call, `recollect.aio.hops` 18 us, this 9 us. It wakes the loop once for all calls that ended since.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar

from recollect.core.loops import Looking
from recollect.core.threads import ThreadPool, died

T = TypeVar("T")
_Ended: TypeAlias = "tuple[asyncio.Future[Any], Any, Exception | None]"

MOST_THREADS = 16
"""Calls at the same time: their writes share a commit, and each thread reads through a connection
of its own."""


class Calls:
    """Runs plain functions on threads; for one event loop at a time.

    Args:
        most: How many at the same time; more of them wait in order.
    """

    def __init__(self, most: int = MOST_THREADS) -> None:
        self._pool = ThreadPool("recollect-call", most)
        self._ended: deque[_Ended] = deque()
        self._is_telling = False
        self.close = self._pool.close
        """Wait for the calls that run, and end the threads."""

    async def run(self, work: Callable[..., T], *args: Any) -> T:
        """Return what ``work`` returns, or raise what it raises.

        A call whose caller is cancelled ends on its thread all the same.

        Raises:
            StoreError: its thread died, or none can be started.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._pool.put(
            partial(self._work, future, work, args), lambda lost: self._end((future, None, lost))
        )
        with Looking(self._pool.look):
            return await future

    def _work(
        self, future: asyncio.Future[T], work: Callable[..., T], args: tuple[Any, ...]
    ) -> None:
        try:
            self._end((future, work(*args), None))
        except Exception as error:  # noqa: BLE001  # the caller gets it
            self._end((future, None, error))
        except BaseException:  # noqa: BLE001  # SystemExit would end the loop of its caller
            self._end((future, None, died()))

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
            if future.done():  # it was cancelled, or its thread died at the very end
                continue
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)
