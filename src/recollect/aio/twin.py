"""What the asynchronous twins are made of: how a call is awaited, entered or iterated over.

The twins themselves are written by `scripts/async_twins.py` into `twins.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from functools import partial
from threading import Lock
from typing import Any, ClassVar, Generic, TypeVar

from recollect.aio.bridge import Bridge
from recollect.aio.hops import Calls, Handle, HandleT, Hops

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
TwinT = TypeVar("TwinT", bound="Twin")


class Twin:
    """Another object: its calls to be awaited, its values as they are.

    Args:
        target: The object.
        hops: Where its calls run.
    """

    _one_at_a_time: ClassVar[bool] = False
    """Whether its calls must not overlap, not even where the caller of one was cancelled."""

    def __init__(self, target: Any, hops: Hops) -> None:
        self._target = target
        self._hops = hops
        self._calls: Calls = set()
        self._lock = Lock() if self._one_at_a_time else None

    async def _awaited(self, call: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        return await self._run(partial(call, *args, **kwargs), alone=False)

    async def _bridged(self, call: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Make a call that takes something from the event loop while it runs."""
        bridge = Bridge()
        try:
            return await self._run(bridge.bound(call, args, kwargs), alone=bridge.is_used)
        finally:
            bridge.cut()

    async def _run(self, work: Callable[[], T], *, alone: bool) -> T:
        if self._lock is not None:
            work = partial(_locked, self._lock, work)
        return await self._hops.run(work, alone=alone, calls=self._calls)


class AsyncHandle(Twin):
    """The twin of what is left again: an asynchronous context manager."""

    def __init__(self, target: Handle, hops: Hops) -> None:
        super().__init__(target, hops)
        hops.hold(target)

    async def __aenter__(self: TwinT) -> TwinT:
        return self

    async def __aexit__(self, *error: object) -> None:
        leave = partial(self._target.__exit__, *error)
        await self._hops.leave(self._target, leave, self._calls)


class Opening(Generic[T_co]):
    """What opens a handle: ``async with`` leaves it again, ``await`` does not.

    Where the caller is cancelled meanwhile, what was opened is left at once.
    """

    def __init__(
        self,
        hops: Hops,
        twin: Callable[[HandleT, Hops], T_co],
        call: Callable[..., HandleT],
        /,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self._hops = hops
        self._twin: Callable[[Any, Hops], T_co] = twin
        self._call, self._args, self._kwargs = call, args, kwargs
        self._opened: Any = None

    def __await__(self) -> Generator[Any, None, T_co]:
        return self._open().__await__()

    async def __aenter__(self) -> T_co:
        handle = self._opened = await self._open()
        return handle

    async def __aexit__(self, *error: object) -> None:
        await self._opened.__aexit__(*error)

    async def _open(self) -> T_co:
        bridge = Bridge()
        work: Callable[[], Handle] = bridge.bound(self._call, self._args, self._kwargs)
        try:
            return await self._hops.enter(work, lambda handle: self._twin(handle, self._hops))
        except asyncio.CancelledError:
            bridge.cut()
            raise


def _locked(lock: Lock, work: Callable[[], T]) -> T:
    with lock:
        return work()
