"""Serves the application on sockets until `stop`."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, cast

import uvicorn

from recollect.caller import Callers
from recollect.server.app import HttpApp
from recollect.server.connection import LimitedConnection, Limits
from recollect.server.guard import Guard
from recollect.server.response import AsgiApp

KEEP_ALIVE_S = 60
"""How long a connection may wait for its next request; a silent one is closed for a new one."""
STOP_S = 3
"""How long requests may take to end when it stops; the rest of a worker's stop fits into its five
seconds."""


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
        guard = Guard(app, callers, app.calls, app.open_paths, (*bound, *hosts))
        self._uvicorn = _Uvicorn(
            _config(app.metrics.around(guard), limits or Limits()), app, self.started
        )

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
        made: asyncio.Protocol = make(self.config, self.server_state, self.lifespan.state)
        return made

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.streams.close()
        await super().shutdown(sockets)


def _config(guard: AsgiApp, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        cast(Any, guard),
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
