"""Runs use cases on threads while the event loop waits: one hop per request, or one for many.

It has its own pool, because that is measurably cheaper: `loop.run_in_executor` costs 26 us of CPU a
call, `recollect.aio.hops` 18 us, this 9 us. It wakes the loop once for all calls that have ended.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from recollect.core.loops import Looking
from recollect.core.threads import ThreadPool, died

T = TypeVar("T")
_Called: TypeAlias = "tuple[asyncio.Future[Any], Callable[[], None] | None]"
_Ended: TypeAlias = "tuple[_Called, Any, Exception | None]"

MOST_THREADS = 16
"""Calls at the same time: their writes share a commit, and each thread reads through a connection
of its own."""
MOST_TOGETHER = 64
"""Requests in a batch; all their data is in memory at the same time."""
Work: TypeAlias = "Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]"
_Waiting: TypeAlias = "list[tuple[Any, asyncio.Future[Any]]]"


class Calls:
    """Runs plain functions on threads; for one event loop at a time.

    Args:
        most: Concurrent calls at most; more of them wait in order.
    """

    def __init__(self, most: int = MOST_THREADS) -> None:
        self._pool = ThreadPool("recollect-call", most)
        self._ended: deque[_Ended] = deque()
        self._is_telling = False
        self.close = self._pool.close
        """Wait for the running calls, and end the threads."""

    async def run(
        self, work: Callable[..., T], *args: Any, ended: Callable[[], None] | None = None
    ) -> T:
        """Return the result of ``work``, or raise its error.

        If the caller is cancelled, the call still runs to its end on its thread.

        Args:
            work: The function.
            args: Its arguments.
            ended: Called on the loop when the thread is free again, also after a cancellation;
                twice if the thread dies at its very end.

        Raises:
            StoreError: its thread died, or none can be started.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        call = (future, ended)
        self._pool.put(
            partial(self._work, call, work, args), lambda error: self._end((call, None, error))
        )
        with Looking(self._pool.look):
            return await future

    def _work(self, call: _Called, work: Callable[..., T], args: tuple[Any, ...]) -> None:
        try:
            self._end((call, work(*args), None))
        except Exception as error:  # noqa: BLE001  # the caller gets it
            self._end((call, None, error))
        except BaseException:  # noqa: BLE001  # SystemExit would end the loop of its caller
            self._end((call, None, died()))

    def _end(self, ended: _Ended) -> None:
        self._ended.append(ended)
        if self._is_telling:
            return  # the loop is already woken, and will process this one too
        self._is_telling = True
        try:
            ended[0][0].get_loop().call_soon_threadsafe(self._tell)
        except RuntimeError:  # the loop is closed, and no caller waits
            self._is_telling = False

    def _tell(self) -> None:
        self._is_telling = False
        while self._ended:
            (future, ended), value, error = self._ended.popleft()
            if ended is not None:
                ended()
            if future.done():  # it was cancelled, or its thread died at the very end
                continue
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)


class Batches:
    """Batches requests of a caller that arrive while others of their kind are answered.

    One hop, one wake-up of the loop and one transaction serve all of them. A thread for each costs
    more than its work: sixteen that wait for one another take turns at the interpreter. For one
    event loop at a time.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, _Waiting] = {}
        self._workers: set[asyncio.Task[None]] = set()

    async def run(self, kind: Hashable, work: Work, item: Any) -> Any:
        """Return the result of ``work`` for an item, or raise the error that it returns for it.

        Args:
            kind: Only items of an equal kind are batched.
            work: Makes a value or an error of each, in their order; equal for a kind, and called
                for one batch of it at a time.
            item: Processed at once if none of its kind is in progress.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        waiting = self._waiting.get(kind)
        if waiting is None:
            waiting = self._waiting[kind] = []
            worker = loop.create_task(self._work(kind, work, waiting))
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)
        waiting.append((item, future))
        return await future

    async def _work(self, kind: Hashable, work: Work, waiting: _Waiting) -> None:
        try:
            while waiting:
                batch = waiting[:MOST_TOGETHER]
                del waiting[:MOST_TOGETHER]
                items = [item for item, _ in batch]
                try:
                    outcomes = await work(items)
                except Exception as error:  # noqa: BLE001  # the callers get it
                    outcomes = [error] * len(batch)
                _tell(batch, outcomes)
        finally:
            del self._waiting[kind]


def _tell(batch: _Waiting, outcomes: Sequence[Any]) -> None:
    for (_, future), value in zip(batch, outcomes, strict=True):
        if future.done():  # its caller is gone
            continue
        if isinstance(value, Exception):
            future.set_exception(value)
        else:
            future.set_result(value)
