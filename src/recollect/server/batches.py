"""Requests of one caller that come while others of the same kind are answered go on together.

One hop, one wake-up of the loop and one transaction serve all of them. A thread for each costs
more than what it does: sixteen that wait for one another take turns at the interpreter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

from recollect.server.calls import Calls

MOST = 64
"""Requests in a batch; all they bring is in memory at the same time."""

_Waiting: TypeAlias = "list[tuple[Any, asyncio.Future[Any]]]"


class Batches:
    """Collects what waits, kind by kind; for one event loop at a time.

    Args:
        calls: Where the work is done, one batch of a kind at a time.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._waiting: dict[Hashable, _Waiting] = {}
        self._workers: set[asyncio.Task[None]] = set()

    async def run(
        self, kind: Hashable, work: Callable[[Sequence[Any]], Sequence[Any]], item: Any
    ) -> Any:
        """Return what ``work`` makes of an item, or raise the error that it returns for it.

        Args:
            kind: Only items of an equal one come together.
            work: Makes a value or an error of each, in their order; equal for a kind.
            item: Goes at once where nothing of its kind is under way.
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

    async def _work(
        self, kind: Hashable, work: Callable[[Sequence[Any]], Sequence[Any]], waiting: _Waiting
    ) -> None:
        try:
            while waiting:
                batch = waiting[:MOST]
                del waiting[:MOST]
                items = [item for item, _ in batch]
                try:
                    made = await self._calls.run(work, items)
                except Exception as error:  # noqa: BLE001  # the callers get it
                    made = [error] * len(batch)
                _tell(batch, made)
        finally:
            del self._waiting[kind]


def _tell(batch: _Waiting, made: Sequence[Any]) -> None:
    for (_, future), value in zip(batch, made, strict=True):
        if future.done():  # its caller is gone
            continue
        if isinstance(value, Exception):
            future.set_exception(value)
        else:
            future.set_result(value)
