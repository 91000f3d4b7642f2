"""What a memory yields, as an asynchronous iterator or context manager, on its own thread."""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from functools import partial
from threading import Condition, Event
from types import GeneratorType
from typing import Generic, TypeVar

from recollect.aio.hops import Hops
from recollect.core.errors import StoreClosed
from recollect.core.loops import Looking, result_of
from recollect.core.threads import LOOK_S, ThreadFuture, await_event

T = TypeVar("T")

AHEAD = 256
"""Items read ahead: the loop takes a page at once, and memory is bounded."""


class _Empty(Exception):
    """No item has come yet."""


class _Pipe(Generic[T]):
    """Filled from an iterator on a thread, emptied on the event loop.

    Attributes:
        closing: Set when the iterator was closed.
        is_waiting: Whether its thread waits for others, which cannot be ended.
        is_over: Whether no more items come.
        ready: Set when there may be something to take.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._items: deque[T] = deque()
        self._changed = Condition()
        self._source: Iterator[T] | None = None
        self._error: BaseException | None = None
        self.is_over = self.is_waiting = False
        self.closing = Event()
        self.ready = asyncio.Event()
        self.thread: ThreadFuture[None] | None = None

    def start(self, hops: Hops, begin: Callable[[], Iterator[T]]) -> ThreadFuture[None]:
        """Fill it on a thread; the one that waits for it gets the error where that dies."""
        thread = self.thread = hops.begin(partial(self.fill, begin), self)
        thread.add_done_callback(self._ended)
        return thread

    async def wait(self) -> None:
        """Return when there may be something to take."""
        with Looking(self.look):
            await self.ready.wait()

    def look(self) -> None:
        """End it where its thread has died, or the loop it is emptied on is gone."""
        if self.thread is not None:
            self.thread.look()
        if self._loop.is_closed():
            self.closing.set()

    def fill(self, begin: Callable[[], Iterator[T]]) -> None:
        """Take in every item, at most `AHEAD` before they are wanted, until it is closed."""
        try:
            self._source = begin()
            for item in self._source:
                self._put(item)
                if self.closing.is_set():
                    break
        except BaseException as error:  # noqa: BLE001  # who iterates gets it
            self._error = error
        finally:
            if isinstance(self._source, GeneratorType):
                self._source.close()
            self.is_over = True
            self._tell()

    def take(self) -> T:
        """Return the next item.

        Raises:
            _Empty: none has come yet; `is_over` says whether one may come.
        """
        with self._changed:
            if self._items:
                self._changed.notify()
                return self._items.popleft()
            self.ready.clear()
        error, self._error = self._error, None
        raise _Empty if error is None else error

    def close(self) -> bool:
        """End it, from any thread. Return whether its thread ends soon."""
        self.closing.set()
        with self._changed:
            self._changed.notify()
        self._tell()
        end = getattr(self._source, "close", None)
        if end is not None and not isinstance(self._source, GeneratorType):
            end()  # wakes one that waits
        return not self.is_waiting

    def _put(self, item: T) -> None:
        with self._changed:
            while len(self._items) >= AHEAD and not self.closing.is_set():
                self._changed.wait(LOOK_S)
                self.look()
            self._items.append(item)
        self._tell()

    def _ended(self, thread: Future[None]) -> None:
        if not self.is_over:
            self._error = thread.exception()
            self.is_over = True
            self._tell()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self.ready.set)


class AsyncItems(AsyncIterator[T]):
    """An asynchronous iterator; its thread ends with it. For one task.

    A cancelled wait for an item loses none.
    """

    def __init__(self, hops: Hops, begin: Callable[[], Iterator[T]]) -> None:
        self._hops = hops
        self._begin = begin
        self._pipe: _Pipe[T] | None = None

    async def __anext__(self) -> T:
        pipe = self._begun()
        while True:
            is_over = pipe.is_over
            with suppress(_Empty):
                return pipe.take()
            if is_over:
                raise StopAsyncIteration
            await pipe.wait()

    async def aclose(self) -> None:
        """End before the last item; `contextlib.aclosing` calls it too."""
        if self._pipe is not None:
            self._pipe.close()

    def _begun(self) -> _Pipe[T]:
        if self._pipe is None:
            pipe = self._pipe = _Pipe()
            pipe.start(self._hops, self._begin)
            weakref.finalize(self, pipe.close)  # after a `break`
        return self._pipe


class AsyncInside(AbstractAsyncContextManager[T]):
    """An asynchronous context manager that is entered, kept and left on one thread.

    Cancelled while it waits to be entered, it is left as soon as it could be entered.
    """

    def __init__(self, hops: Hops, make: Callable[[], AbstractContextManager[T]]) -> None:
        self._hops = hops
        self._make = make
        self._pipe: _Pipe[T] | None = None
        self._thread: ThreadFuture[None] | None = None

    async def __aenter__(self) -> T:
        self._pipe = pipe = _Pipe[T]()

        def inside() -> Iterator[T]:
            pipe.is_waiting = True
            if pipe.closing.is_set():  # cancelled before it began
                return
            with self._make() as value:
                pipe.is_waiting = False
                yield value
                await_event(pipe.closing, pipe.look)

        self._thread = pipe.start(self._hops, inside)
        try:
            await pipe.wait()
            return pipe.take()
        except asyncio.CancelledError:
            pipe.close()
            raise
        except _Empty:
            raise StoreClosed("the memory is closed", hint="open it again") from None

    async def __aexit__(self, *_: object) -> None:
        if self._pipe is not None and self._thread is not None:
            self._pipe.close()
            await result_of(self._thread)
            with suppress(_Empty):
                self._pipe.take()  # raises what leaving it raised
