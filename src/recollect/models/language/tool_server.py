"""A server of the Model Context Protocol for the tools of one call of a model.

It listens on loopback while the call lasts and answers only requests with its secret. It runs in
this process: no tool is offered, and nothing is left, once the call or the process ends.

Source: Model Context Protocol 2025-06-18, "Streamable HTTP"; the answers are single JSON objects.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.threads import RestartableThread
from recollect.models.language.model import Toolbox, ToolOutcome
from recollect.models.language.tools import call_tool

NAME = "recollect"
"""The name of the server, in the names that a client gives to its tools."""
_HOST = "127.0.0.1"
_PROTOCOL = "2025-06-18"
_MOST_BYTES = 1 << 20
"""A call with all its arguments is some kB."""
_POLL_S = 0.02
"""How long the end of a call waits for the end of the server."""
_NO_METHOD = {"code": -32601, "message": "Method not found"}
_NO_JSON = {"code": -32700, "message": "Parse error"}
_NO_MORE = ToolOutcome("No more calls: answer with what you have.", is_error=True)


class _Request(msgspec.Struct, frozen=True):
    method: str
    id: int | str | None = None
    params: dict[str, Any] = {}


class ToolServer:
    """Serves a toolbox; a context manager.

    Args:
        toolbox: Its tools are called one at a time, in threads of the server.
        is_open: Whether the model may still call tools.
    """

    def __init__(self, toolbox: Toolbox, is_open: Callable[[], bool] = lambda: True) -> None:
        self._toolbox = toolbox
        self._is_open = is_open
        self._secret = secrets.token_urlsafe(32)
        self._calling = threading.Lock()
        self._listener = _Listener((_HOST, 0), _Handler)
        self._listener.tool_server = self
        self._thread = RestartableThread(
            "recollect-tools", lambda: self._listener.serve_forever(_POLL_S)
        )

    def __enter__(self) -> ToolServer:
        """Start to listen."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop; a call in progress loses its caller."""
        if self._thread.is_alive:
            self._listener.shutdown()
            self._thread.await_end()
        self._listener.server_close()

    @property
    def config(self) -> Mapping[str, object]:
        """Return the configuration of a client. It holds the secret."""
        url = f"http://{_HOST}:{self._listener.server_port}/mcp"
        headers = {"Authorization": f"Bearer {self._secret}"}
        return {"mcpServers": {NAME: {"type": "http", "url": url, "headers": headers}}}

    @property
    def tool_names(self) -> list[str]:
        """Return the names of the tools, as Claude Code gives them."""
        return [f"mcp__{NAME}__{spec.name}" for spec in self._toolbox.specs]

    def is_known(self, authorization: str | None) -> bool:
        """Return whether a request has the secret."""
        value = (authorization or "").encode()
        return hmac.compare_digest(value, f"Bearer {self._secret}".encode())

    def answer(self, body: bytes) -> object | None:
        """Return the answer to a message of the client; None for a notification."""
        try:
            request = decode_json(body, _Request)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return {"jsonrpc": "2.0", "id": None, "error": _NO_JSON}
        if request.id is None:
            return None
        result = self._result(request)
        part = {"error": _NO_METHOD} if result is None else {"result": result}
        return {"jsonrpc": "2.0", "id": request.id, **part}

    def _result(self, request: _Request) -> Mapping[str, object] | None:
        if request.method == "initialize":
            return {
                "protocolVersion": request.params.get("protocolVersion", _PROTOCOL),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": NAME, "version": "1"},
            }
        if request.method == "ping":
            return {}
        if request.method == "tools/list":
            return {"tools": [self._listed(spec) for spec in self._toolbox.specs]}
        if request.method == "tools/call":
            outcome = self._call(request.params)
            content = [{"type": "text", "text": outcome.text}]
            return {"content": content, "isError": outcome.is_error}
        return None

    def _listed(self, spec: Any) -> Mapping[str, object]:
        return {
            "name": spec.name,
            "description": spec.description,
            "inputSchema": spec.schema,
            "annotations": {"readOnlyHint": not spec.writes, "openWorldHint": False},
        }

    def _call(self, params: Mapping[str, Any]) -> ToolOutcome:
        arguments = params.get("arguments") or {}
        with self._calling:
            if not self._is_open():
                return _NO_MORE
            return call_tool(self._toolbox, params.get("name"), arguments)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    tool_server: ToolServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that was killed hangs up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60.0
    server: _Listener

    def do_POST(self) -> None:
        """Answer a message."""
        length = self.headers.get("content-length", "")
        if not self.server.tool_server.is_known(self.headers.get("authorization")):
            self._send(401)
        elif not length.isdecimal() or int(length) > _MOST_BYTES:
            self._send(413)
        else:
            answer = self.server.tool_server.answer(self.rfile.read(int(length)))
            self._send(202) if answer is None else self._send(200, msgspec.json.encode(answer))

    def do_GET(self) -> None:
        """Refuse a stream of notifications: none are sent."""
        self._send(405)

    def do_DELETE(self) -> None:
        """Refuse: sessions do not exist here."""
        self._send(405)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _send(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        if body:
            self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if status >= 400:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body)
