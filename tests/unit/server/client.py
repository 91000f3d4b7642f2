"""A client of a real server: JSON in, status and JSON out."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from tests.support.running_server import RunningServer


class Client:
    """Calls a server with one token.

    Args:
        server: Runs already.
        token: The text of a token; the owner's if not given.
    """

    def __init__(self, server: RunningServer, token: str | None = None) -> None:
        self._server = server
        self._token = server.token if token is None else token
        self.memory = server.pool.memory()

    def of(self, name: str, **granted: Any) -> Client:
        """Return a client with a new token."""
        return Client(self._server, self._server.tokens.add(name, **granted).text)

    def send(self, method: str, target: str, body: bytes) -> tuple[int, Any]:
        """Return status and JSON of an answer to a body as it is."""
        reply = self._server.call(method, target, body, authorization=f"Bearer {self._token}")
        return reply.status, msgspec.json.decode(reply.body)

    def post(self, target: str, body: object = None, method: str = "POST") -> tuple[int, Any]:
        """Return status and JSON of an answer to a JSON body."""
        return self.send(method, target, msgspec.json.encode({} if body is None else body))

    def delete(self, target: str) -> tuple[int, Any]:
        """Return status and JSON of an answer."""
        return self.send("DELETE", target, b"")

    def get(self, *parts: str, **query: object) -> tuple[int, Any]:
        """Return status and JSON of an answer; parts of the path are percent-encoded."""
        target = "/api/" + "/".join(quote(part, safe="") for part in parts)
        given = {name: value for name, value in query.items() if value is not None}
        return self.send("GET", f"{target}?{urlencode(given)}" if given else target, b"")


def folder(tmp_path: Path, name: str) -> str:
    """Return a folder that is there."""
    made = tmp_path / name
    made.mkdir(parents=True, exist_ok=True)
    return str(made)
