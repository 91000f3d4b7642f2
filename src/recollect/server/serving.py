"""Serves the application on sockets until `stop`, with limits on each connection.

What must act before there is a request that the guard could check is one protocol class: the
deadline and the bytes of headers, the number of connections, and the user at the other end.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any, cast

import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recollect.caller import Callers
from recollect.server.app import HttpApp
from recollect.server.errors import BAD_REQUEST, LONG_HEADERS, TOO_MANY, TOO_SLOW, Rejection
from recollect.server.middleware import MOST_HEADERS
from recollect.server.response import AsgiApp

KEEP_ALIVE_S = 60
"""How long a connection may wait for its next request; a silent one is closed for a new one."""
STOP_S = 3
"""How long requests may take to end when it stops; the rest of a worker's stop fits into its five
seconds."""
_MOMENTS = itertools.count()
"""Orders silences; the loop's clock does not advance while many connections arrive."""
_UCRED = struct.Struct("3i")
_MAC_PEER, _MAC_BYTES = 0x001, 76


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one server.

    Attributes:
        request_s: Seconds from the first byte of a request to its last one; of an upload, between
            one piece and the next.
        connections: Concurrent connections. One more closes one that is being refused, or else
            the one that has been silent longest, first those that never sent a whole request; it is
            refused if all are busy.
    """

    request_s: float = 10.0
    connections: int = 64


class _Nowhere(list[tuple[bytes, bytes]]):
    """Discards headers that come after the body."""

    def append(self, header: tuple[bytes, bytes]) -> None:
        """Discard it."""


class LimitedConnection(HttpToolsProtocol):
    """A connection with a deadline and limits, which uvicorn does not have.

    The application finds the request target as it was sent in ``scope["target"]``, and in
    ``scope["abort"]`` a function that drops the connection with all unsent data; it sets
    ``scope["patient"]`` where each piece of a body has a deadline of its own, ``scope["held"]``
    while it does not read on, and ``scope["refused"]`` to the `Rejection` that it is about to send.
    """

    scope: Any  # not in the types of uvicorn, see above
    cycle: Any

    def __init__(self, *args: Any, limits: Limits, **options: Any) -> None:
        super().__init__(*args, **options)
        self._limits = limits
        self._deadline: asyncio.TimerHandle | None = None
        self._is_whole = True
        self._has_headers = True
        self._head_bytes = 0
        self._answers = 0
        self._silent_since = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, replacing a silent one if there are too many."""
        super().connection_made(transport)
        if not is_own(transport.get_extra_info("socket")):
            transport.abort()
            return
        self._silent_since = next(_MOMENTS)
        self._wait()
        if len(self.connections) > self._limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read the received data; an incomplete request has until its deadline."""
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self._has_headers:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEADERS:
                self._refuse(LONG_HEADERS)
                return
        if self._is_whole and not self._is_silent():
            self._stop_waiting()
            return
        if self._deadline is not None and self.scope is not None and self.scope.get("patient"):
            self._stop_waiting()
        self._wait()

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._is_whole = self._has_headers = False
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        """Pass the request to the application; its body follows."""
        self._has_headers = True
        self.scope["target"] = self.url
        self.scope["abort"] = self.transport.abort
        super().on_headers_complete()
        self.headers = _Nowhere()

    def on_message_complete(self) -> None:
        """End a request."""
        self._is_whole = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._answers += 1
        self._silent_since = next(_MOMENTS)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are not HTTP, in the form of all errors."""
        self._refuse(BAD_REQUEST)

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: the request is answered like any other."""

    def _is_silent(self) -> bool:
        """Return whether nothing is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _wait(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self._limits.request_s, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if self.scope is not None and self.scope.get("held"):
            self._wait()  # the application has stopped reading
        elif self._is_whole or (self._has_headers and self._is_silent()):
            self.transport.close()  # it never began, or was answered
        else:
            self._refuse(TOO_SLOW)

    def _make_room(self) -> None:
        others = (each for each in self.connections if each is not self)
        ranked = [
            (rank, each)
            for each in others
            if isinstance(each, LimitedConnection) and (rank := each._room_rank()) is not None  # noqa: SLF001
        ]
        if not ranked:
            self._refuse(TOO_MANY)
            return
        _, first = min(ranked, key=itemgetter(0))
        if first._is_silent():  # noqa: SLF001
            first.transport.close()
        else:
            first._refuse(first.scope["refused"])  # noqa: SLF001
        self.connections.discard(first)

    def _room_rank(self) -> tuple[bool, bool, int] | None:
        """Return which connection makes room first, the least; None while a request is answered."""
        is_silent = self._is_silent()
        if is_silent or self.scope.get("refused"):
            return (is_silent, self._answers > 0, self._silent_since)
        return None

    def _refuse(self, rejection: Rejection) -> None:
        """Answer without the application, unless it has begun, and close."""
        if self._is_silent() or not self.cycle.response_started:
            body = rejection.body
            head = (
                f"HTTP/1.1 {rejection.status} Refused\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n"
            ).encode()
            own = b"".join(b"%s: %s\r\n" % header for header in rejection.headers)
            self.transport.write(head + own + b"\r\n" + body)
        self.transport.close()


def peer_uid(line: socket.socket) -> int | None:
    """Return the user at the other end of a Unix socket; None if the system does not report it."""
    with suppress(OSError, struct.error):
        if sys.platform == "darwin":
            return int(struct.unpack_from("Ii", line.getsockopt(0, _MAC_PEER, _MAC_BYTES))[1])
        credentials = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        return int(_UCRED.unpack(credentials)[1])
    return None


def is_own(line: socket.socket | None) -> bool:
    """Return whether the peer may connect: on a Unix socket only processes of this user."""
    return line is None or line.family != socket.AF_UNIX or peer_uid(line) == os.geteuid()


class Server:
    """An HTTP server on listening sockets, with the guard in front of the application.

    Args:
        app: Answers; its threads end with the server.
        callers: Knows the tokens.
        sockets: TCP or Unix; they are closed when the server stops.
        hosts: Host names of the server besides the loopback ones and the bound addresses.
        limits: Of each connection.

    Attributes:
        started: Set once it answers.
        port: Of the first TCP socket; 0 without one.
    """

    def __init__(
        self,
        app: HttpApp,
        callers: Callers,
        sockets: Sequence[socket.socket],
        *,
        hosts: Iterable[str] = (),
        limits: Limits | None = None,
    ) -> None:
        self._app = app
        self._sockets = list(sockets)
        addresses = [each.getsockname() for each in sockets if each.family != socket.AF_UNIX]
        self.port: int = addresses[0][1] if addresses else 0
        self.started = threading.Event()
        bound = [f"[{each[0]}]" if ":" in each[0] else each[0] for each in addresses]
        layers = app.behind_layers(callers, (*bound, *hosts))
        self._uvicorn = _Uvicorn(_config(layers, limits or Limits()), app, self.started)

    def run(self) -> None:
        """Serve until `stop`.

        On the main thread also until SIGINT or SIGTERM, which is raised again when all is closed.
        """
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(self._serve())

    def stop(self) -> None:
        """Let running requests end, then return from `run`. From any thread or handler."""
        self._uvicorn.should_exit = True

    async def _serve(self) -> None:
        try:
            async with self._app.running():
                await self._uvicorn.serve(self._sockets)
        finally:
            self.started.set()  # those who wait for it must not wait for ever
            self._app.calls.close()


class _Uvicorn(uvicorn.Server):
    """Reports when it answers, and ends streams before it waits for requests to end."""

    def __init__(self, config: uvicorn.Config, app: HttpApp, started: threading.Event) -> None:
        super().__init__(config)
        self._app = app
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        listeners = sockets or []
        await super().startup([each for each in listeners if each.family != socket.AF_UNIX])
        loop = asyncio.get_running_loop()
        for each in listeners:
            if each.family == socket.AF_UNIX:  # uvloop has a call of its own for them
                server = await loop.create_unix_server(self._connection, sock=each)
                self.servers.append(server)
        self._started.set()

    def _connection(self) -> asyncio.Protocol:
        make: Any = self.config.http_protocol_class
        protocol: asyncio.Protocol = make(self.config, self.server_state, self.lifespan.state)
        return protocol

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.streams.close()
        await super().shutdown(sockets)


def _config(app: AsgiApp, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        cast(Any, app),
        http=cast(Any, partial(LimitedConnection, limits=limits)),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # proxy headers are not trusted
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_S,
    )


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the factory of event loops: that of uvloop where it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
