"""A real server on a free port of this machine, on a thread, with a home of its own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from recollect.caller import Callers
from recollect.pool import MemoryPool
from recollect.server.app import HttpApp, Mount, all_routes
from recollect.server.route import AnyRoute
from recollect.server.serving import Limits, Server
from tests.support.wire import WAIT_S, Reply, Wire, request

OVERRIDES: dict[str, object] = {"embedding.provider": "none"}


class RunningServer:
    """Runs in the ``with`` block.

    Args:
        home: Its home.
        routes: Beside those of the application.
        mounts: Applications below a path.
        limits: Of each connection.
        unix: Serve on this Unix socket as well.
        overrides: Settings by dotted key.
    """

    def __init__(  # noqa: PLR0917  # each is another thing
        self,
        home: Path,
        routes: Sequence[AnyRoute] = (),
        mounts: Sequence[Mount] = (),
        limits: Limits | None = None,
        unix: Path | None = None,
        overrides: Mapping[str, object] = OVERRIDES,
    ) -> None:
        self.pool = MemoryPool(home, overrides)
        self.callers = Callers(self.pool)
        self.tokens = self.pool.memory().tokens
        self.tokens.file.ensure()
        self.token = self.tokens.file.text()
        self.routes = (*all_routes(), *routes)
        sockets = [socket.create_server(("127.0.0.1", 0))]
        if unix is not None:
            sockets.append(socket.socket(socket.AF_UNIX))
            sockets[-1].bind(str(unix))
            sockets[-1].listen()
        app = HttpApp(self.routes, mounts)
        self.server = Server(app, self.callers, sockets, limits=limits)
        self.port = self.server.port
        self._thread = threading.Thread(target=self.server.run, name="server")

    def __enter__(self) -> RunningServer:
        self._thread.start()
        assert self.server.started.wait(WAIT_S)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop, and wait for it."""
        self.server.stop()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()
        self.pool.close()

    def headers(self, **more: str) -> dict[str, str]:
        """Return the headers of a good request; one given as ``content_type`` is added."""
        given = {name.replace("_", "-"): value for name, value in more.items()}
        own = {"host": f"127.0.0.1:{self.port}", "authorization": f"Bearer {self.token}"}
        return own | given

    def call(self, method: str, target: str, body: bytes = b"", **headers: str) -> Reply:
        """Return the answer to a request with the owner's token."""
        if body:
            headers = {
                "content_type": "application/json",
                "content_length": str(len(body)),
            } | headers
        with Wire(self.port) as wire:
            reply = wire.send(request(method, target, self.headers(**headers), body)).reply(
                is_head=method == "HEAD"
            )
        assert reply is not None
        return reply
