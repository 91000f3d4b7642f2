"""`AsyncMemory`: a memory whose calls are awaited, and the parts of it.

What each of them has to offer is that of its synchronous twin; see `memory.pyi`, which is made
from them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, partial, wraps
from typing import Any
from weakref import WeakValueDictionary

from recollect.aio.hops import LIMIT, Hops
from recollect.aio.twin import AsyncHandle, Opening, Twin
from recollect.governance.exchange.export import HomeExport
from recollect.governance.tokens import Tokens
from recollect.index.repair.checkup import IndexCheckup
from recollect.memory import Memory, open_memory
from recollect.memory_sessions import MemorySessions
from recollect.observations.controls import CaptureControls
from recollect.observations.projects import Projects
from recollect.pool import MemoryPool
from recollect.recall.context.contexts import Contexts
from recollect.recall.context.sections import Sections
from recollect.recall.steps.timeline import ObservationRecall
from recollect.session_handle import SessionHandle, SessionObservations
from recollect.sessions.exchange.export import SessionExport
from recollect.sessions.leased_session import LeasedSession
from recollect.sessions.policy.history import History
from recollect.sessions.streaming import MessageStream
from recollect.store.audit import Audit
from recollect.store.streams import EventReader, EventStream, Subscription

__all__ = [
    "AsyncAudit",
    "AsyncCaptureControls",
    "AsyncContexts",
    "AsyncEventReader",
    "AsyncEventStream",
    "AsyncHistory",
    "AsyncHomeExport",
    "AsyncIndexCheckup",
    "AsyncLeasedSession",
    "AsyncMemory",
    "AsyncMemoryPool",
    "AsyncMessageStream",
    "AsyncObservations",
    "AsyncProjects",
    "AsyncSections",
    "AsyncSessionExport",
    "AsyncSessionHandle",
    "AsyncSessionObservations",
    "AsyncSessions",
    "AsyncSubscription",
    "AsyncTokens",
    "open_async",
]


class AsyncSessions(Twin, of=MemorySessions):
    """The asynchronous twin of `Sessions`."""


class AsyncHistory(Twin, of=History):
    """The asynchronous twin of `History`."""


class AsyncObservations(Twin, of=ObservationRecall):
    """The asynchronous twin of `ObservationRecall`."""


class AsyncContexts(Twin, of=Contexts):
    """The asynchronous twin of `Contexts`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return a block, as ``block`` does."""
        return self.block(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.block)


class AsyncSections(Twin, of=Sections):
    """The asynchronous twin of `Sections`."""


class AsyncProjects(Twin, of=Projects):
    """The asynchronous twin of `Projects`."""


class AsyncCaptureControls(Twin, of=CaptureControls):
    """The asynchronous twin of `CaptureControls`."""


class AsyncEventStream(Twin, of=EventStream):
    """The asynchronous twin of `EventStream`."""


class AsyncEventReader(Twin, of=EventReader):
    """The asynchronous twin of `EventReader`."""


class AsyncTokens(Twin, of=Tokens):
    """The asynchronous twin of `Tokens`."""


class AsyncAudit(Twin, of=Audit):
    """The asynchronous twin of `Audit`."""


class AsyncSessionExport(Twin, of=SessionExport):
    """The asynchronous twin of `SessionExport`."""


class AsyncHomeExport(Twin, of=HomeExport):
    """The asynchronous twin of `HomeExport`."""


class AsyncIndexCheckup(Twin, of=IndexCheckup):
    """The asynchronous twin of `IndexCheckup`."""


class AsyncLeasedSession(AsyncHandle, of=LeasedSession):
    """The asynchronous twin of `LeasedSession`."""


class AsyncSessionHandle(AsyncHandle, of=SessionHandle):
    """The asynchronous twin of `SessionHandle`."""


class AsyncSessionObservations(Twin, of=SessionObservations):
    """The asynchronous twin of `SessionObservations`."""


class AsyncMessageStream(AsyncHandle, of=MessageStream):
    """The asynchronous twin of `MessageStream`."""

    _one_at_a_time = True


class AsyncSubscription(AsyncHandle, of=Subscription):
    """The asynchronous twin of `Subscription`."""


class _Closing(Twin):
    """A twin with threads of its own, which end when it is closed."""

    async def close(self) -> None:
        """Wait for the calls that run, leave what is held, and close. Again does nothing."""
        await self._hops.close(self._target.close)

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncMemory(_Closing, of=Memory):
    """The asynchronous twin of `Memory`."""

    @wraps(Memory.within)
    async def within(self, *args: Any, **kwargs: Any) -> AsyncMemory:  # noqa: D102
        work = partial(_ready, self._target.within, *args, **kwargs)
        return _NarrowedMemory(await self._hops.run(work), self._hops)


class _NarrowedMemory(AsyncMemory):
    """One that is closed with its origin."""

    async def close(self) -> None:
        """Do nothing."""


class AsyncMemoryPool(_Closing):
    """A `MemoryPool` whose memories are asynchronous.

    Args:
        home: As for `MemoryPool`.
        overrides: As for `MemoryPool`.
        role: As for `MemoryPool`.
        limit: Plain calls of each memory at the same time.
    """

    def __init__(
        self, home: Any = None, overrides: Any = None, *, role: Any = "library", limit: int = LIMIT
    ) -> None:
        super().__init__(MemoryPool(home, overrides, role=role), Hops(limit))
        self._limit = limit
        self._twins: WeakValueDictionary[int, AsyncMemory] = WeakValueDictionary()
        """By the identity of what they hold."""

    async def memory(self, *args: Any, **kwargs: Any) -> AsyncMemory:
        """Return the memory of an agent or of any scope, as `MemoryPool.memory` does."""
        found = await self._hops.run(partial(_ready, self._target.memory, *args, **kwargs))
        twin = self._twins.get(id(found))
        if twin is None:
            twin = self._twins[id(found)] = _NarrowedMemory(found, Hops(self._limit))
        return twin

    async def close(self) -> None:
        """Close every memory; a second call does nothing."""
        for memory in list(self._twins.values()):
            await AsyncMemory.close(memory)  # its threads end; the pool closes what they used
        await super().close()


def open_async(*args: Any, limit: int = LIMIT, **kwargs: Any) -> Opening[AsyncMemory]:
    """Open the memory of a home for an event loop, see `recollect.open`.

    Args:
        args: As for `recollect.open`.
        limit: Plain calls at the same time; what waits or calls back has a thread of its own.
        kwargs: As for `recollect.open`.
    """
    return Opening(Hops(limit), partial(_ready, open_memory, *args, **kwargs))


def _ready(make: Callable[..., Memory], *args: Any, **kwargs: Any) -> Memory:
    """Return a memory whose rooms are there: each imports its code when it is first asked for."""
    memory = make(*args, **kwargs)
    for name, value in vars(Memory).items():
        if isinstance(value, property | cached_property):
            getattr(memory, name)
    return memory
