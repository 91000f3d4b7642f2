"""Pieces that a thread draws: closed when their client is gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, MutableMapping
from typing import Any

from recollect.server.calls import Calls
from recollect.server.route import Piece, StreamRoute
from recollect.server.shares import Admissions
from recollect.server.streams import Streams


class Endless(Iterator[Piece]):
    """Pieces that nobody drops: only `close` ends them."""

    def __init__(self) -> None:
        self.closed_on: threading.Thread | None = None

    def __next__(self) -> Piece:
        """Return the same piece."""
        return b"piece"

    def close(self) -> None:
        """Note that it was closed, and where."""
        self.closed_on = threading.current_thread()


ROUTE = StreamRoute(
    method="GET",
    path="/pieces",
    summary="Pieces",
    right=None,
    call=lambda _, fields: iter(()),
    media="text/plain",
)


def _sent(pieces: Iterator[Piece], leave_after: int) -> list[bytes]:
    """Return the bodies that a client got until it was gone."""
    calls = Calls(1)
    got: list[bytes] = []

    async def main() -> None:
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            got.append(message.get("body", b""))
            if len(got) > leave_after:
                gone.set()

        admission = Admissions(calls).of(None, None)
        await Streams().send(ROUTE, ROUTE.media, pieces, receive, send, admission)

    asyncio.run(asyncio.wait_for(main(), 60))
    calls.close()
    return got


def test_pieces_are_closed_on_a_thread_when_their_client_is_gone() -> None:
    """What they hold open, such as a read of the records, is not left to the garbage collector."""
    pieces = Endless()
    assert b"piece" in _sent(pieces, 3)
    assert pieces.closed_on not in {None, threading.current_thread()}


def test_pieces_that_cannot_be_closed_are_sent_whole() -> None:
    """Any iterator will do."""
    assert _sent(iter([b"a", b"b"]), 9) == [b"", b"a", b"b", b""]
