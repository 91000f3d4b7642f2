"""Events of an answer, put by threads of the responder and taken on the event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from recollect.core.threads import ThreadPool
from recollect.respond.reply import ReplyEvent

SUBMITTING = ThreadPool("recollect-chat", 4)
"""Messages are stored on threads of their own, and leave those of calls to the others."""


class ReplyEvents:
    """Events that other threads put, taken on the event loop in their order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[ReplyEvent] = asyncio.Queue()

    def put(self, event: ReplyEvent) -> None:
        """Put one, from any thread."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    async def next(self, timeout_s: float | None) -> ReplyEvent | None:
        """Return the next one; None if none comes within the timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                return await self._queue.get()
        return None
