"""Where the calls of a memory run while an event loop waits for them: one hop a call.

A call that had not begun when its caller is cancelled never begins. One that had begun ends on its
thread, so that what it writes is there as a whole or not at all; its caller does not wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar
from weakref import WeakSet

from recollect.core.errors import InvalidInput, RecollectError, StoreClosed
from recollect.core.loops import result_of
from recollect.core.threads import ThreadFuture, ThreadPool, completed, run_on_thread

T = TypeVar("T")
Handle: TypeAlias = AbstractContextManager[Any]
HandleT = TypeVar("HandleT", bound=Handle)
Calls: TypeAlias = "set[ThreadFuture[Any]]"

_ALONE = "recollect-async-alone"
LIMIT = 8
"""Plain calls at the same time: as many as the writer commits together without a queue."""


class Ending(Protocol):
    """What runs until it is closed."""

    def close(self) -> bool:
        """End it, from any thread. Return whether it ends soon."""


class Hops:
    """Runs calls on threads of its own. For one event loop.

    Plain calls share ``limit`` threads. What waits for others (an iterator, a turn, a call that
    calls back) has a thread for itself, so that it keeps no plain call waiting.

    Args:
        limit: How many plain calls run at the same time; more of them wait in order.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        if limit < 1:
            raise InvalidInput("the limit must be 1 or more", hint="use a number from 1")
        self._pool = ThreadPool("recollect-async", limit, finishes=True)
        self._running: Calls = set()
        self._endings: dict[Ending, ThreadFuture[None]] = {}
        self._held: WeakSet[Handle] = WeakSet()
        self._closed: ThreadFuture[None] | None = None

    async def run(
        self, work: Callable[[], T], *, alone: bool = False, calls: Calls | None = None
    ) -> T:
        """Return the result of ``work``.

        Args:
            work: Is called once, on another thread, with the context variables of the caller.
            alone: Whether it has a thread for itself.
            calls: Where it is noted until it ends.

        Raises:
            StoreClosed: `close` was called before.
        """
        self._check_open()
        future = self._start(work, alone=alone)
        if calls is not None:
            calls.add(future)
            future.add_done_callback(calls.discard)
        try:
            return await result_of(future)
        except asyncio.CancelledError:
            future.cancel()
            raise

    async def enter(self, work: Callable[[], HandleT], twin_of: Callable[[HandleT], T]) -> T:
        """Return the twin of the context that ``work`` enters; a cancelled caller leaves it."""
        self._check_open()
        claim: ThreadFuture[None] = ThreadFuture(lambda: None)
        self._running.add(claim)  # closing waits until the caller has it, or it is being left
        opening = self._start(work, alone=False)
        try:
            return twin_of(await result_of(opening))
        except asyncio.CancelledError:
            if not opening.cancel():
                self._start(lambda: give_up(opening.result()), alone=True)
            raise
        finally:
            self._running.discard(claim)
            claim.set_result(None)

    def hold(self, handle: Handle) -> None:
        """Leave a handle at the latest when the memory is closed."""
        self._held.add(handle)

    async def leave(self, handle: Handle, leave: Callable[[], object], calls: Calls) -> None:
        """Leave a handle after the calls on it, whether the caller is cancelled or not.

        Where the memory was closed meanwhile, closing has left it.
        """
        if self._closed is not None:
            await result_of(self._closed)
            return
        self._held.discard(handle)
        pending = set(calls)

        def leaving() -> None:
            _wait(pending)
            leave()

        await result_of(self._start(leaving, alone=True))

    def begin(self, work: Callable[[], None], ending: Ending) -> ThreadFuture[None]:
        """Start what runs until it is closed.

        Raises:
            StoreClosed: `close` was called before.
        """
        self._check_open()
        # A program that ends without closing does not wait for it.
        future = run_on_thread(_ALONE, partial(copy_context().run, work))
        self._endings[ending] = future
        future.add_done_callback(lambda _: self._endings.pop(ending, None))
        return future

    async def close(self, close: Callable[[], None]) -> None:
        """Wait for what runs, leave what is held, then call ``close``; again waits for the first.

        It goes on where its caller is cancelled meanwhile.
        """
        if self._closed is None:
            self._closed = run_on_thread(_ALONE, lambda: self._finish(close), daemon=False)
        await result_of(self._closed)

    def _start(self, work: Callable[[], T], *, alone: bool) -> ThreadFuture[T]:
        inside = partial(copy_context().run, work)
        future: ThreadFuture[T] = (
            run_on_thread(_ALONE, inside, daemon=False) if alone else self._pool.submit(inside)
        )
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def _check_open(self) -> None:
        if self._closed is not None:
            raise StoreClosed("the memory is closed", hint="open it again")

    def _finish(self, close: Callable[[], None]) -> None:
        ending = [future for each, future in list(self._endings.items()) if each.close()]
        while running := set(self._running):
            _wait(running)
        self._pool.close()
        for handle in list(self._held):
            with suppress(RecollectError):
                give_up(handle)
        close()
        _wait(ending)


def give_up(handle: Handle) -> None:
    """Leave a handle whose user is gone, as an error would."""
    handle.__exit__(asyncio.CancelledError, asyncio.CancelledError(), None)


def _wait(futures: Iterable[ThreadFuture[Any]]) -> None:
    """Return when all have ended."""
    for _ in completed(list(futures)):
        continue
