"""The worker: the one process that serves a home, and does its work in the background."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

from recollect import __version__
from recollect.core.clock import SystemClock
from recollect.core.errors import Conflict, Denied
from recollect.core.settings import ServerSettings, load_settings, surroundings
from recollect.pool import MemoryPool
from recollect.server.listening import LOOPBACK, Protocol, address_of, bind_port, bind_socket
from recollect.server.logs import logging_to
from recollect.server.presence import (
    PRESENCE_FILE,
    PROTOCOL,
    SERVE_LOCK,
    Presence,
    find_presence,
)
from recollect.server.shared_folder import shared_by
from recollect.store.files import private_folder, write_file
from recollect.store.locks import OwnerLock

ROLE = "worker"
STOP_S = 5.0
"""How long a stop takes at most: requests under way end, then the memory is closed."""
_DRAIN_S = 3
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_logger = logging.getLogger(__name__)

App = Callable[..., Any]
"""An ASGI application."""


class Worker:
    """Serves a home until it is stopped.

    Args:
        home: The folder of the memory.
        app: Makes the application that answers; that of `recollect.server.app` if not given.
        overrides: Settings by dotted key.
    """

    def __init__(
        self,
        home: Path,
        app: Callable[[MemoryPool], App] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self.home = home
        self._app = app or default_app
        self._overrides = overrides
        self._server: _Server | None = None
        self._is_stopping = False

    def run(self, started: Callable[[Presence], None] = lambda _: None) -> None:
        """Serve; return when it was stopped, by `stop` or a signal.

        Args:
            started: Called as soon as it answers.

        Raises:
            Conflict: another worker serves the home, or the port is taken.
            Denied: the home belongs to another user, or is on a network or synchronized folder.
            ConfigError: a setting is wrong.
            StoreError: the home cannot be opened or written.
        """
        private_folder(self.home)
        resolved = load_settings(self.home, self._overrides)
        settings = resolved.settings.server
        if not settings.allow_shared_folder:
            refuse_shared(self.home)
        with ExitStack() as held:
            held.enter_context(stopped_by_signals(self.stop))
            held.enter_context(sole_worker(self.home))
            held.enter_context(logging_to(self.home))
            is_chosen = resolved.origins["server.port"] != "default"
            listeners = held.enter_context(listening(self.home, settings, is_chosen=is_chosen))
            pool = held.enter_context(MemoryPool(self.home, self._overrides))
            self._serve(self._app(pool), listeners, started)
            _logger.info("stopped")

    def stop(self) -> None:
        """End it, from any thread; returns at once. Requests under way are answered first."""
        self._is_stopping = True
        if self._server is not None:
            self._server.should_exit = True

    def _serve(
        self, app: App, listeners: list[socket.socket], started: Callable[[Presence], None]
    ) -> None:
        presence = _presence_of(listeners)

        def tell() -> None:
            write_file(self.home / PRESENCE_FILE, msgspec.json.encode(presence))
            _logger.info("serves %s, process %s", presence.address, presence.pid)
            started(presence)

        config = uvicorn.Config(
            app,
            http=Protocol,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_DRAIN_S,
        )
        self._server = _Server(config, tell, self._leave)
        self._server.should_exit = self._is_stopping
        try:
            self._server.run(listeners)
        finally:
            self._leave()

    def _leave(self) -> None:
        """Tell commands that they work by themselves from now on."""
        (self.home / PRESENCE_FILE).unlink(missing_ok=True)


class _Server(uvicorn.Server):
    """Tells when it begins and ends, and listens on Unix sockets under uvloop too."""

    def __init__(
        self, config: uvicorn.Config, begins: Callable[[], None], ends: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._begins = begins
        self._ends = ends

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        listeners = sockets or []
        await super().startup([each for each in listeners if each.family != socket.AF_UNIX])
        loop = asyncio.get_running_loop()
        for each in listeners:
            if each.family == socket.AF_UNIX:
                server = await loop.create_unix_server(self._protocol, sock=each)
                self.servers.append(server)
        if not self.should_exit:
            self._begins()

    def _protocol(self) -> Protocol:
        return Protocol(self.config, self.server_state, self.lifespan.state)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ends()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the worker: uvicorn would end the process with them."""
        yield


def default_app(pool: MemoryPool) -> App:
    """Return the application that answers for all of recollect."""
    raise NotImplementedError


def refuse_shared(home: Path) -> None:
    """Refuse to serve a home that other machines have too.

    Raises:
        Denied: it is on a network, or synchronized.
    """
    what = shared_by(home)
    if what is not None:
        raise Denied(
            f"the home is on {what}, where databases can be damaged",
            hint="move it to a local folder (--home, RECOLLECT_HOME);"
            " or set server.allow_shared_folder: true",
            path=str(home),
        )


@contextmanager
def sole_worker(home: Path) -> Iterator[None]:
    """Hold the lock of the worker of a home inside the block.

    Raises:
        Conflict: another worker holds it.
        StoreError: the lock file cannot be opened.
    """
    lock = OwnerLock(home / SERVE_LOCK, SystemClock())
    if not lock.acquire(ROLE):
        there, holder = find_presence(home), lock.holder()
        where = "" if there is None else f" at {there.address}"
        who = "" if holder is None else f" (process {holder.pid})"
        raise Conflict(
            f"a worker serves this home already{where}{who}",
            hint="use it, or stop it with `recollect serve stop`",
            path=str(home),
        )
    try:
        (home / PRESENCE_FILE).unlink(missing_ok=True)  # of one that was killed
        yield
    finally:
        lock.release()


@contextmanager
def listening(
    home: Path, settings: ServerSettings, *, is_chosen: bool
) -> Iterator[list[socket.socket]]:
    """Give the sockets of a worker to the block; the path of a Unix socket goes with it.

    Args:
        home: Where a relative path of a Unix socket lies.
        settings: Where to listen.
        is_chosen: Whether the user named the port.
    """
    with ExitStack() as held:
        listeners = [held.enter_context(bind_port(settings, is_chosen=is_chosen))]
        if settings.host not in LOOPBACK:
            _logger.warning("listens on %s: other machines can connect", settings.host)
        if settings.socket is not None:
            path = home / Path(settings.socket).expanduser()
            listeners.append(held.enter_context(bind_socket(path)))
            held.callback(path.unlink, missing_ok=True)
        yield listeners


def _presence_of(listeners: list[socket.socket]) -> Presence:
    host, port = address_of(listeners[0])
    return Presence(
        pid=os.getpid(),
        host=host,
        port=port,
        protocol=PROTOCOL,
        version=__version__,
        started_at=SystemClock().now_ms(),
        surroundings=surroundings(),
        socket=next((str(each.getsockname()) for each in listeners[1:]), None),
        is_open=listeners[0].getsockname()[0] not in LOOPBACK,
    )


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first signal that asks for an end; end the process if it takes too long.

    A process that is killed loses nothing that it acknowledged, so the end is never waited for
    longer than `STOP_S`. In another thread than the main one signals are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    late = threading.Timer(STOP_S, _give_up)
    late.daemon = True

    def end(*_: object) -> None:
        stop()
        with suppress(RuntimeError):  # the second signal finds it started
            late.start()

    before = {each: signal.signal(each, end) for each in _SIGNALS}
    try:
        yield
    finally:
        late.cancel()
        for each, handler in before.items():
            signal.signal(each, handler)


def _give_up() -> None:
    _logger.error("did not stop within %s s: ends at once", STOP_S)
    os._exit(1)
