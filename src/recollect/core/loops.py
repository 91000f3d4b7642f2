"""How an event loop waits for our threads: it also checks that they are alive."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

from recollect.core.threads import LOOK_S, Look, ThreadFuture

T = TypeVar("T")


class Looking:
    """Calls ``look`` every `LOOK_S` on the running loop while the block waits for threads.

    Args:
        look: Ends the wait if no thread will.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> None:
        self._timer = self._loop.call_later(LOOK_S, self._again)

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _again(self) -> None:
        self._timer = self._loop.call_later(LOOK_S, self._again)
        self._look()


async def result_of(future: ThreadFuture[T]) -> T:
    """Return the result of work on another thread, which goes on if the caller is cancelled."""
    loop = asyncio.get_running_loop()
    waiter = loop.create_future()

    def tell() -> None:
        if not waiter.done():
            waiter.set_result(None)

    def ended(_: Future[T]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(tell)

    future.add_done_callback(ended)
    with Looking(future.look):
        await waiter
    return future.result()
