"""HTTP as bytes on a socket: what no client library would send."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from types import TracebackType
from typing import Any

import msgspec

WAIT_S = 60.0
"""When a test gives up on a server; nothing is measured with it."""


class Reply(msgspec.Struct, frozen=True):
    """A response as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)

    @property
    def code(self) -> str | None:
        """The code of an error; None of another answer."""
        if not self.headers.get("content-type", "").startswith("application/json"):
            return None
        answer = json.loads(self.body or b"null")
        return answer["error"]["code"] if isinstance(answer, dict) and "error" in answer else None


class Wire:
    """One connection.

    Args:
        port: Of a server on this machine.
        path: Of a Unix socket instead.
    """

    def __init__(self, port: int, path: str | None = None) -> None:
        if path is None:
            self._socket = socket.create_connection(("127.0.0.1", port), WAIT_S)
        else:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(WAIT_S)
            self._socket.connect(path)
        self._read = bytearray()

    def __enter__(self) -> Wire:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def send(self, data: bytes) -> Wire:
        """Send bytes; a server that has closed already is no error: its answer may be there."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)
        return self

    def head(self) -> Reply | None:
        """Return status and headers of the next response; None where the server closed."""
        head = self._until(b"\r\n\r\n")
        if head is None:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        return Reply(int(first.split(" ")[1]), headers, b"")

    def reply(self, *, is_head: bool = False, is_stream: bool = False) -> Reply | None:
        """Return the next response; None where the server closed without one.

        Args:
            is_head: It has no body.
            is_stream: Its body is not waited for, unless its length is told.
        """
        head = self.head()
        if head is None:
            return None
        if is_head or head.status in {204, 304}:
            return head
        if is_stream and "content-length" not in head.headers:
            return head
        if "content-length" in head.headers:
            length = int(head.headers["content-length"])
            body = self._bytes(length)
            assert len(body) == length, f"the response ends after {len(body)} of {length} bytes"
        else:
            body = self._chunks()
        return msgspec.structs.replace(head, body=body)

    def piece(self) -> bytes | None:
        """Return the next chunk of a response whose head was read; None where it was cut."""
        size = self._until(b"\r\n")
        return None if size is None else self._bytes(int(size, 16) + 2)[:-2]

    def is_closed(self) -> bool:
        """Wait until the server closes; what it still sends is dropped."""
        while self._more():
            pass
        return True

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _chunks(self) -> bytes:
        body = b""
        while chunk := self.piece():
            body += chunk
        assert chunk is not None, f"the response ends after {len(body)} bytes, in a chunk"
        return body

    def _until(self, end: bytes) -> bytes | None:
        while end not in self._read:
            if not self._more():
                return None
        found, _, self._read = self._read.partition(end)
        return bytes(found)

    def _bytes(self, count: int) -> bytes:
        while len(self._read) < count and self._more():
            pass
        found, self._read = bytes(self._read[:count]), self._read[count:]
        return found

    def _more(self) -> bool:
        try:
            data = self._socket.recv(65_536)
        except ConnectionResetError:
            return False
        self._read += data
        return bool(data)


def request(
    method: str, target: str, headers: dict[str, str] | None = None, body: bytes = b""
) -> bytes:
    """Return a request; headers with an empty name or None are left out."""
    lines = [f"{method} {target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
