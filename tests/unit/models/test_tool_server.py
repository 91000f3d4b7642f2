"""The server of the tools of one call: what it answers to what is not a client of ours."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.models.language.model import ToolOutcome, ToolSpec
from recollect.models.language.tool_server import ToolServer


class Tools:
    """One tool that writes."""

    specs = (ToolSpec(name="keep", description="", schema={"type": "object"}, writes=True),)

    def call(self, name: str, arguments: Mapping[str, object]) -> ToolOutcome:
        """Say so."""
        return ToolOutcome("kept")


def _ask(server: ToolServer, method: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    config: Any = server.config
    entry = config["mcpServers"]["recollect"]
    port = int(entry["url"].split(":")[2].split("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, "/mcp", body, dict(entry["headers"]) | headers)
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


def test_only_messages_with_the_secret_are_answered() -> None:
    """Streams, sessions, what is too long and what is not JSON are refused."""
    ping = msgspec.json.encode({"jsonrpc": "2.0", "id": "a", "method": "ping"})
    note = msgspec.json.encode({"jsonrpc": "2.0", "method": "notifications/initialized"})
    with ToolServer(Tools()) as server:
        assert _ask(server, "POST", ping) == (200, b'{"jsonrpc":"2.0","id":"a","result":{}}')
        assert _ask(server, "POST", note) == (202, b"")
        assert _ask(server, "POST", ping, Authorization="Bearer é".encode().decode("latin-1")) == (
            401,
            b"",
        )
        assert _ask(server, "POST", b"{") == (
            200,
            b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
        )
        too_long = {"Content-Length": str((1 << 20) + 1)}  # refused before it is sent
        assert _ask(server, "POST", b"", **too_long) == (413, b"")
        assert _ask(server, "GET", b"")[0] == _ask(server, "DELETE", b"")[0] == 405
        assert server.tool_names == ["mcp__recollect__keep"]


def test_two_servers_have_two_secrets() -> None:
    """And a server that was never started can be closed."""
    with ToolServer(Tools()) as one, ToolServer(Tools()) as two:
        config: Any = two.config
        secret = config["mcpServers"]["recollect"]["headers"]["Authorization"]
        assert one.is_known(secret) is False
        assert two.is_known(secret) is True
        assert one.is_known(None) is False
    ToolServer(Tools()).__exit__(None, None, None)
