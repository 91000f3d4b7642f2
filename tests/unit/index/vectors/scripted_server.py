"""An HTTP server on loopback that answers as a test says, and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class ScriptedServer:
    """Answers every request with ``status`` and ``body``; while ``held`` is clear it waits."""

    def __init__(self, status: int = 200, body: object = None) -> None:
        self.status, self.body = status, body
        self.held = threading.Event()
        self.held.set()
        self.sent: list[tuple[str, Any]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            """Answers one request."""

            def _answer(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                content = self.rfile.read(length)
                server.sent.append((self.path, json.loads(content) if content else None))
                server.held.wait(30)
                answer = json.dumps(server.body).encode()
                self.send_response(server.status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_DELETE = _answer  # noqa: N815  # the names of http.server

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedServer:
        """Start."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Stop."""
        self.held.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
