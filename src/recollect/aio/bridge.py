"""What a call takes from the event loop while it runs on a thread: callbacks, and pieces."""

from __future__ import annotations

import asyncio
import inspect
from collections import abc
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextvars import copy_context
from functools import partial
from typing import Any, TypeAlias, TypeVar

from recollect.core.errors import StoreClosed

T = TypeVar("T")

AsyncCallback: TypeAlias = Callable[..., abc.Awaitable[object]]
"""May be given for a callback, beside a plain function."""
_LOOK_S = 1.0
"""How often a thread that waits for the loop looks whether there still is one."""


class Bridge:
    """Leads from the thread of one call to the event loop that waits for it.

    Made on the loop. After `cut` nothing is called any more, and iterators end with an error.

    Attributes:
        is_used: Whether the call takes anything from the loop.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._asked: Future[Any] | None = None
        self._is_cut = False
        self.is_used = False

    def bound(self, call: Callable[..., T], args: Any, kwargs: Any) -> Callable[[], T]:
        """Return the call with its arguments, as it is made on the thread."""
        bridged = {name: self._bridged(each) for name, each in kwargs.items()}
        return partial(call, *map(self._bridged, args), **bridged)

    def cut(self) -> None:
        """The caller is gone: do without it."""
        self._is_cut = True
        if self._asked is not None:
            self._asked.cancel()

    def _bridged(self, argument: Any) -> Any:
        if isinstance(argument, AsyncIterable):
            self.is_used = True
            return self._pieces(aiter(argument))
        if callable(argument):
            self.is_used = True
            return self._callback(argument)
        return argument

    def _callback(self, function: Callable[..., Any]) -> Callable[..., Any]:
        async def run(*args: Any) -> Any:
            answer = function(*args)
            return await answer if inspect.isawaitable(answer) else answer

        def call(*args: Any) -> Any:
            return None if self._is_cut else self._ask(run(*args))

        return call

    def _pieces(self, pieces: AsyncIterator[T]) -> Iterator[T]:
        async def following() -> list[T]:
            async for piece in pieces:
                return [piece]
            return []

        while piece := self._ask(following()):
            yield piece[0]

    def _ask(self, coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            future = self._context.copy().run(
                asyncio.run_coroutine_threadsafe, coroutine, self._loop
            )
        except RuntimeError as error:
            coroutine.close()
            raise _loop_is_gone() from error
        self._asked = future
        if self._is_cut:
            future.cancel()
        while True:
            try:
                return future.result(_LOOK_S)
            except CancelledError as error:
                raise _loop_is_gone() from error
            except TimeoutError as error:
                if future.done():  # it is the callback's own
                    raise
                if self._loop.is_closed():
                    raise _loop_is_gone() from error


def _loop_is_gone() -> StoreClosed:
    return StoreClosed(
        "the event loop is no longer running", hint="close the memory before the loop"
    )
