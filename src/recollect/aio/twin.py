"""The asynchronous twin of an object: the same names, found when they are asked for.

A new call of the memory has its twin by itself. What type checkers and editors see is written by
`make reference` into `memory.pyi`; a test says when that is out of date.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial, update_wrapper
from threading import Lock
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from recollect.aio.bridge import Bridge
from recollect.aio.hops import Calls, Handle, Hops
from recollect.aio.items import AsyncInside, AsyncItems

T = TypeVar("T")
TwinT = TypeVar("TwinT", bound="Twin")
Call: TypeAlias = Callable[..., Any]

_BLOCK = contextmanager(iter).__code__
"""The code of whatever `contextmanager` makes."""
TWINS: dict[type, type[Twin]] = {}
"""The twin of each class that has one."""


class Twin:
    """Every public name of another object: its calls to be awaited, its values as they are.

    Args:
        target: The object.
        hops: Where its calls run.
    """

    _one_at_a_time: ClassVar[bool] = False
    """Whether its calls must not overlap, not even where the caller of one was cancelled."""

    def __init_subclass__(cls, of: type | None = None, **kwargs: Any) -> None:
        """Make it the twin of the objects of a class."""
        super().__init_subclass__(**kwargs)
        if of is not None:
            for each in of.__mro__[:-1]:  # what is annotated as its base has its twin too
                TWINS.setdefault(each, cls)
            TWINS[of] = cls

    def __init__(self, target: Any, hops: Hops) -> None:
        self._target = target
        self._hops = hops
        self._calls: Calls = set()
        self._lock = Lock() if self._one_at_a_time else None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._target, name)
        if type(value) in TWINS:
            value = TWINS[type(value)](value, self._hops)
        elif inspect.isroutine(value) or isinstance(value, partial):
            value = self._twin_of(value)
        else:
            return value  # it may be another one the next time
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in dir(self._target) if name[0] != "_")]

    def _twin_of(self, call: Call) -> Call:
        """Return what is called in place of ``call``, with its parameters and documentation."""
        function = call.func if isinstance(call, partial) else call
        gives = str(inspect.get_annotations(inspect.unwrap(function)).get("return"))
        make = self._opening if gives in _handles() else self._awaited
        if gives.startswith("Iterator["):
            make = self._inside if is_block(function) else self._items
        twin = make(call)
        update_wrapper(twin, function)
        twin.__wrapped__ = call  # type: ignore[attr-defined]  # what inspect.signature reads
        return twin

    def _awaited(self, call: Call) -> Call:
        async def twin(*args: Any, **kwargs: Any) -> Any:
            bridge = Bridge()
            work = bridge.bound(call, args, kwargs)
            if self._lock is not None:
                work = partial(_locked, self._lock, work)
            try:
                found = await self._hops.run(work, alone=bridge.is_used, calls=self._calls)
            finally:
                bridge.cut()
            return TWINS[type(found)](found, self._hops) if type(found) in TWINS else found

        return twin

    def _opening(self, call: Call) -> Call:
        def twin(*args: Any, **kwargs: Any) -> Opening[Any]:
            return Opening(self._hops, call, *args, **kwargs)

        return twin

    def _items(self, call: Call) -> Call:
        def twin(*args: Any, **kwargs: Any) -> AsyncItems[Any]:
            return AsyncItems(self._hops, partial(call, *args, **kwargs))

        return twin

    def _inside(self, call: Call) -> Call:
        def twin(*args: Any, **kwargs: Any) -> AsyncInside[Any]:
            return AsyncInside(self._hops, partial(call, *args, **kwargs))

        return twin


class AsyncHandle(Twin):
    """The twin of what is left again: an asynchronous context manager."""

    def __init__(self, target: Any, hops: Hops) -> None:
        super().__init__(target, hops)
        hops.hold(target)

    async def __aenter__(self: TwinT) -> TwinT:
        return self

    async def __aexit__(self, *error: object) -> None:
        leave = partial(self._target.__exit__, *error)
        await self._hops.leave(self._target, leave, self._calls)


class Opening(Generic[T]):
    """What opens a handle: ``async with`` leaves it again, ``await`` does not.

    Where the caller is cancelled meanwhile, what was opened is left at once.
    """

    def __init__(self, hops: Hops, call: Callable[..., Handle], *args: Any, **kwargs: Any) -> None:
        self._hops = hops
        self._call, self._args, self._kwargs = call, args, kwargs
        self._opened: Any = None

    def __await__(self) -> Generator[Any, None, T]:
        return self._open().__await__()

    async def __aenter__(self) -> T:
        self._opened = opened = await self._open()
        return opened

    async def __aexit__(self, *error: object) -> None:
        await self._opened.__aexit__(*error)

    async def _open(self) -> T:
        bridge = Bridge()
        work = bridge.bound(self._call, self._args, self._kwargs)
        try:
            return await self._hops.enter(work, self._twin_of)
        except asyncio.CancelledError:
            bridge.cut()
            raise

    def _twin_of(self, handle: Handle) -> Any:
        return TWINS[type(handle)](handle, self._hops)


def is_block(call: Call) -> bool:
    """Return whether it was made by `contextmanager`, which is annotated as an iterator."""
    made = inspect.unwrap(call, stop=lambda each: each.__code__ is _BLOCK)
    return made.__code__ is _BLOCK


def _handles() -> set[str]:
    return {of.__name__ for of, twin in TWINS.items() if issubclass(twin, AsyncHandle)}


def _locked(lock: Lock, work: Callable[[], Any]) -> Any:
    with lock:
        return work()
