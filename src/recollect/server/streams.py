"""Streamed answers: pieces are sent as they arrive, until they end or the client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from recollect.server.errors import Header
from recollect.server.logs import log_unexpected
from recollect.server.response import ClientGone, ClientStuck, Receive, Send, head_of
from recollect.server.route import Piece, StreamRoute
from recollect.server.shares import Admission

Pieces: TypeAlias = AsyncGenerator[Piece, None] | Iterator[Piece]

STUCK_S = 60.0
"""A client that reads nothing for so long is cut off: it would keep a connection for ever."""


class Streams:
    """Sends pieces, and ends those that are being sent when the server stops."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._is_closing = False

    @property
    def open(self) -> int:
        """The number of streams being sent."""
        return len(self._running)

    async def send(  # noqa: PLR0917  # the parts of a request
        self,
        route: StreamRoute,
        media: str,
        pieces: Pieces,
        receive: Receive,
        send: Send,
        admission: Admission,
    ) -> None:
        """Send all pieces; the answer begins with the first, a plain iterator is drawn on a thread.

        Raises:
            Exception: the error of the first piece, before anything is sent; a later one leaves the
                answer without its end.
        """
        drawn = pieces if isinstance(pieces, AsyncGenerator) else _draw(pieces, admission)
        answer = _Answer(route, media, send)
        sending = asyncio.ensure_future(answer.send(drawn))
        leaving = asyncio.ensure_future(_left(receive))
        self._running.add(sending)
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._running.discard(sending)
            for task in (sending, leaving):
                task.cancel()
            await asyncio.wait({sending, leaving})
            await drawn.aclose()
        if not sending.cancelled():
            sending.result()
        elif self._is_closing and route.is_endless:
            await answer.end()

    def close(self) -> None:
        """End all streams being sent: endless ones normally, others are cut."""
        self._is_closing = True
        for task in self._running:
            task.cancel()


async def _draw(pieces: Iterator[Piece], admission: Admission) -> AsyncGenerator[Piece, None]:
    try:
        while (piece := await admission.run(next, pieces, None)) is not None:
            yield piece
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            await asyncio.shield(admission.run(close))


class _Answer:
    """One that is sent in pieces."""

    def __init__(self, route: StreamRoute, media: str, send: Send) -> None:
        self._route = route
        self._media = media
        self._send = send
        self._has_begun = False

    async def send(self, pieces: AsyncGenerator[Piece, None]) -> None:
        """Send all of it."""
        first, name = await anext(pieces, b""), self._route.filename
        headers: tuple[Header, ...] = ()
        if name is not None:
            headers = ((b"content-disposition", f'attachment; filename="{name}"'.encode()),)
        with whole_or_cut():
            self._has_begun = True
            await self._send(head_of(200, self._media, headers))
            await self._send({"type": "http.response.body", "body": first, "more_body": True})
            async for piece in pieces:
                more = {"type": "http.response.body", "body": piece, "more_body": True}
                async with asyncio.timeout(STUCK_S):
                    await self._send(more)
            await self.end()

    async def end(self) -> None:
        """Send the end, if the answer has begun."""
        if self._has_begun:
            await self._send({"type": "http.response.body", "body": b""})


@contextmanager
def whole_or_cut() -> Iterator[None]:
    """On an error, leave an answer that has begun without its end, and log the error."""
    try:
        yield
    except TimeoutError as error:
        raise ClientStuck from error
    except Exception as error:
        log_unexpected(error)
        raise ClientGone from error


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
