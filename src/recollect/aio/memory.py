"""`AsyncMemory`: a memory whose calls are awaited, and the parts of it.

What each of them has to offer is that of its synchronous twin; `twins.py` is made from these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self
from weakref import WeakValueDictionary

from recollect.aio.hops import LIMIT, Hops
from recollect.aio.twin import Opening, Twin
from recollect.aio.twins import *  # noqa: F403  # each twin, for annotations
from recollect.aio.twins import AsyncMemoryCalls
from recollect.core.clock import Clock
from recollect.core.errors import StoreClosed
from recollect.core.scope import Scope
from recollect.memory import Memory, open_memory
from recollect.models.embedding.embedder import Embedder
from recollect.pool import MemoryPool
from recollect.store.background import HomeRole

if TYPE_CHECKING:
    from recollect.respond.reply import Reply


class _Closing(Twin):
    """A twin with threads of its own, which end when it is closed."""

    async def close(self) -> None:
        """Wait for the calls that run, leave what is held, and close. Again does nothing."""
        await self._hops.close(self._target.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncMemory(AsyncMemoryCalls, _Closing):
    """The memory of one home, see `Memory`; its calls are awaited. Use `recollect.open_async`."""

    async def within(self, scope: Scope) -> AsyncMemory:
        """Return this memory as a narrower scope sees it, see `Memory.within`."""
        memory = await self._awaited(_ready, self._target.within, scope)
        return _NarrowedMemory(memory, self._hops)

    async def respond(
        self,
        key: str,
        text: str,
        sender: str | None = None,
        event_id: str | None = None,
        *,
        edits: str | None = None,
        name: str | None = None,
        at: int | datetime | None = None,
        reply_to_agent: bool = False,
        debounce_ms: int | None = None,
    ) -> Reply:
        """Take a message in, answer it with the language model, and return the reply.

        See `Memory.respond`. It keeps no other call waiting.
        """
        arguments = {field: value for field, value in locals().items() if field != "self"}
        async for event in self.respond_stream(**arguments):
            if event.reply is not None:
                return event.reply
        raise StoreClosed("the memory is closed", hint="open it again")


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

    _target: MemoryPool

    def __init__(
        self,
        home: Path | str | None = None,
        overrides: Mapping[str, object] | None = None,
        *,
        role: HomeRole = "library",
        limit: int = LIMIT,
    ) -> None:
        super().__init__(MemoryPool(home, overrides, role=role), Hops(limit))
        self.home: Path = self._target.home
        self.role: HomeRole = self._target.role
        self._limit = limit
        self._twins: WeakValueDictionary[int, AsyncMemory] = WeakValueDictionary()
        """By the identity of what they hold."""

    async def memory(
        self,
        agent: str | None = None,
        workspace: Path | str | None = None,
        scope: Scope | None = None,
    ) -> AsyncMemory:
        """Return the memory of an agent or of any scope, see `MemoryPool.memory`."""
        target = await self._awaited(_ready, self._target.memory, agent, workspace, scope)
        twin = self._twins.get(id(target))
        if twin is None:
            twin = self._twins[id(target)] = _NarrowedMemory(target, Hops(self._limit))
        return twin

    async def close(self) -> None:
        """Close every memory; a second call does nothing."""
        for memory in list(self._twins.values()):
            await AsyncMemory.close(memory)  # its threads end; the pool closes what they used
        await super().close()


def open_async(
    home: Path | str | None = None,
    workspace: Path | str | None = None,
    *,
    overrides: Mapping[str, object] | None = None,
    scope: Scope | None = None,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    live: bool = True,
    count_tokens: Callable[[str], int] | None = None,
    limit: int = LIMIT,
) -> Opening[AsyncMemory]:
    """Open the memory of a home for an event loop, made when it is missing.

    Args:
        home: As for `recollect.open`, and so are the next ones.
        workspace: The folder of MEMORY.md and memory/.
        overrides: Settings by dotted key.
        scope: Whose memory it is.
        clock: Tells the time.
        embedder: Makes vectors.
        live: Whether the program stays.
        count_tokens: The tokenizer of your model.
        limit: Plain calls at the same time; what waits or calls back has a thread of its own.

    Raises:
        RecollectError: as `recollect.open`.
    """
    arguments = {name: value for name, value in locals().items() if name != "limit"}
    return Opening(Hops(limit), AsyncMemory, partial(_ready, open_memory, **arguments))


def _ready(make: Callable[..., Memory], *args: object, **kwargs: object) -> Memory:
    """Return a memory with all parts loaded, since each imports its code on first use."""
    memory = make(*args, **kwargs)
    for name, value in vars(Memory).items():
        if isinstance(value, property | cached_property):
            getattr(memory, name)
    return memory
