"""What happens in the home, as it happens: server-sent events, in commit order.

The journal is the queue: nothing is kept for a reader, who gets page after page as fast as they
take them, and goes on after a break where they were.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from functools import partial
from typing import Annotated, TypeAlias

import msgspec

from recollect.caller import Caller
from recollect.core.errors import Conflict, Unauthorized
from recollect.core.events import check_types
from recollect.core.loops import result_of
from recollect.core.threads import ThreadPool
from recollect.server.route import Fields, Piece, Routes
from recollect.store.journal import RecordedEvent
from recollect.store.streams import EventReader

HEARTBEAT_S = 15.0
"""A silent stream gives a sign of life so often: half of what proxies wait for at least."""
PATIENCE_S = 30.0
"""A reader that takes nothing for so long is let go."""
GATHER_S = 0.05
"""Commits gather for so long: a page costs 0.1 ms of CPU, so that 64 streams take an eighth of
a core while hundreds of groups are committed a second."""
RETRY_MS = 2_000
"""After what time a browser comes back."""

_PAGES = ThreadPool("recollect-page", 4)
"""Streams read on threads of their own, and leave those of calls to the others."""

_encode = msgspec.json.Encoder().encode


Place: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9]+(-[0-9a-f]{8})?$", min_length=1, max_length=30)
]

ROUTES = Routes()


class EventsWanted(Fields, frozen=True):
    """Which events.

    Attributes:
        since: Those after this sequence number, or this ``id`` of an event of a stream; only what
            comes from now on if not given.
        last_event_id: The same, from the header that a browser sends when it comes back.
        types: Only these types, comma-separated or repeated.
    """

    since: Place | None = None
    last_event_id: Place | None = None
    types: list[str] = msgspec.field(default_factory=list)


@ROUTES.add(
    "GET",
    "/api/events",
    "read",
    headers={"last-event-id": "last_event_id"},
    media="text/event-stream",
    is_endless=True,
)
def events(caller: Caller, fields: EventsWanted) -> AsyncGenerator[Piece, None]:
    """Send the events that the token may hear, as they come, as server-sent events.

    Where the journal is not the one of which a browser saw an event last, or ends before it, as
    after a restore, the event ``reset`` comes first: ``seq`` is where it goes on, ``lost`` what was
    seen.

    Raises:
        Conflict: the journal ends before ``since``, or is another one.
        InvalidInput: a type is unknown.
        StoreError: the records cannot be read.
    """
    types = [name for each in fields.types for name in each.split(",") if name]
    check_types(types)
    # Now, and not when the first piece is drawn: nothing is to fall between.
    stream, lost_seq = caller.memory.events, None
    try:
        after = fields.since if fields.last_event_id is None else fields.last_event_id
        seq = stream.seq_of(after)
    except Conflict as error:
        if fields.last_event_id is None:
            raise
        # An error would end the stream of a browser for good.
        seq, lost_seq = stream.last_seq(), error.facts["seq"]
    return EventPieces(caller, seq, types or None, lost_seq=lost_seq).pieces()


class EventPieces:
    """The events of one stream.

    Args:
        caller: Who hears them.
        seq: Those after this one.
        types: Only these types; all without.
        lost: What the client saw last, where the journal has no such event any more.
        now: Seconds that pass.
    """

    def __init__(
        self,
        caller: Caller,
        seq: int,
        types: list[str] | None = None,
        *,
        lost_seq: object = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._caller = caller
        self._seq = seq
        self._types = types
        self._lost = lost_seq
        self._now = now
        # Places of one journal differ by the number alone.
        self._mark = caller.memory.events.cursor(0).removeprefix("0")

    async def pieces(self) -> AsyncGenerator[Piece, None]:
        """Yield pages of events, and signs of life; end where the token or the patience does.

        Raises:
            StoreError: the records cannot be read.
        """
        bell = _Bell(asyncio.get_running_loop())
        reader = self._caller.memory.events.reader(self._seq, types=self._types, bell=bell.ring)
        try:
            piece: Piece | None = (
                f"retry: {RETRY_MS}\nid: {reader.seq}{self._mark}\n\n{self._reset()}".encode()
            )
            while piece is not None:
                sent_at = self._now()
                yield piece
                if self._now() - sent_at > PATIENCE_S:
                    yield b": too slow; come back with Last-Event-ID\n\n"
                    return
                piece = await self._next(reader, bell)
            yield b": the token is not valid any more\n\n"
        finally:
            reader.close()

    def _reset(self) -> str:
        """Return the event that tells a client where to resume if its last event is gone."""
        if self._lost is None:
            return ""
        data = _encode({"type": "reset", "seq": self._seq, "lost": self._lost}).decode()
        return f"id: {self._seq}{self._mark}\nevent: reset\ndata: {data}\n\n"

    async def _next(self, reader: EventReader, bell: _Bell) -> Piece | None:
        """Return the next piece; None where the token is not valid any more."""
        until = self._now() + HEARTBEAT_S
        while (remaining := until - self._now()) > 0:
            bell.hush()
            try:
                piece, is_page = await result_of(_PAGES.submit(partial(self._page, reader)))
            except Unauthorized:
                return None
            if piece:
                return piece
            if not is_page:
                await bell.wait(min(remaining, reader.pause_s()))
        return f": still here\nid: {reader.seq}{self._mark}\n\n".encode()

    def _page(self, reader: EventReader) -> tuple[Piece, bool]:
        """Return the events of a page that the token may see, and whether there was a page."""
        self._caller.check()
        page = reader.read()
        if page:
            reader.seq = page[-1].seq
        if self._caller.token.is_owners:
            return b"".join(map(self._sent, page)), bool(page)
        audible = set(filter(self._caller.hears, {e.event.scope.session or "" for e in page}))
        mine = [self._without_others(e) for e in page if e.event.scope.session in audible]
        return b"".join(map(self._sent, mine)), bool(page)

    def _sent(self, recorded: RecordedEvent) -> Piece:
        document = recorded.document()
        return b"id: %d%s\nevent: %s\ndata: %s\n\n" % (
            recorded.seq,
            self._mark.encode(),
            document["type"].encode(),
            _encode(document),
        )

    def _without_others(self, recorded: RecordedEvent) -> RecordedEvent:
        """Return an event without the name of another token, which only the operator may see."""
        if recorded.actor in {None, self._caller.token.name}:
            return recorded
        return msgspec.structs.replace(recorded, actor=None)


class _Bell:
    """Rung by the thread that writes, heard on the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._rung = asyncio.Event()

    def ring(self) -> None:
        if not self._rung.is_set():
            with suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(self._rung.set)

    def hush(self) -> None:
        self._rung.clear()

    async def wait(self, timeout_s: float) -> None:
        """Return a moment after it was rung, or after the timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._rung.wait()
            await asyncio.sleep(GATHER_S)
