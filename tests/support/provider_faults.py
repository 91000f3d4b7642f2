"""What can go wrong with a provider: one function a fault, for `ProviderServer.script`."""

from __future__ import annotations

import re
import select
import socket
import struct
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from tests.support.provider_formats import Response, json_response
from tests.support.provider_server import Fault, Turn

_DRIP_S = 0.02
_JSON: Mapping[str, str] = MappingProxyType({"content-type": "application/json"})
_ENDLESS_PIECE = b" " * 65_536
_ROWS = re.compile(rb"\[-?\d[^\[\]]*\]")


def status(code: int, *, name: str = "server_error", retry_after: str | None = None) -> Fault:
    """Answer with an error status, in the provider's shape."""
    return _error(code, name, "something went wrong", retry_after)


def limited(retry_after: str | None = None) -> Fault:
    """Answer 429; ``retry_after`` is in seconds or an HTTP date."""
    return _error(429, "rate_limit_exceeded", "Too many requests", retry_after)


def quota() -> Fault:
    """Answer that the account has nothing left."""
    return _error(429, "insufficient_quota", "You exceeded your current quota", None)


def too_large() -> Fault:
    """Answer 413."""
    return _error(413, "request_too_large", "Request body too large", None)


def error_in_200(turn: Turn) -> None:
    """Answer 200 with an error for a body."""
    turn.send(json_response({"error": {"message": "upstream is away", "type": "gateway"}}))


def html(turn: Turn) -> None:
    """Answer 200 with the page of a proxy."""
    turn.send(Response(body=b"<html>one moment</html>", headers={"content-type": "text/html"}))


def truncated_json(turn: Turn) -> None:
    """Answer with the first half of the JSON, as if it were whole."""
    turn.send(Response(body=turn.response.body[: len(turn.response.body) // 2]))


def cut_off(turn: Turn) -> None:
    """Promise the whole answer, send half of it and hang up."""
    _start(turn, len(turn.response.body))
    turn.handler.wfile.write(turn.response.body[: len(turn.response.body) // 2])
    turn.handler.close_connection = True


def reset(turn: Turn) -> None:
    """Drop the connection without an answer."""
    linger = struct.pack("ii", 1, 0)
    turn.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    turn.handler.close_connection = True
    turn.handler.connection.close()


def slow_start(turn: Turn) -> None:
    """Say nothing at all, for less time than a client waits between two reads (30 s)."""
    turn.handler.close_connection = True
    turn.closing.wait(10.0)


def slow_body(turn: Turn) -> None:
    """Send the answer byte by byte, slower than anybody waits."""
    _start(turn, len(turn.response.body))
    for position in range(len(turn.response.body)):
        if turn.closing.wait(_DRIP_S):
            break
        turn.handler.wfile.write(turn.response.body[position : position + 1])
        turn.handler.wfile.flush()
    turn.handler.close_connection = True


def slow_headers(turn: Turn) -> None:
    """Send the head of the answer byte by byte, without an end."""
    turn.handler.close_connection = True
    for piece in (b"HTTP/1.1 200 OK\r\n", *[b"x-more: y\r\n"] * 1_000):
        turn.handler.wfile.write(piece)
        turn.handler.wfile.flush()
        if turn.closing.wait(_DRIP_S):
            break


def endless(turn: Turn) -> None:
    """Send without an end."""
    _start(turn, 1 << 40)
    turn.handler.close_connection = True
    while not turn.closing.is_set():
        turn.handler.wfile.write(_ENDLESS_PIECE)


def empty_stream(turn: Turn) -> None:
    """Answer 200 with a stream without an event."""
    turn.send(Response(headers={"content-type": "text/event-stream"}))


def ended_stream(turn: Turn) -> None:
    """End the stream after half of its events, as if that were all."""
    events = turn.response.body.split(b"\n\n")
    half = b"\n\n".join(events[: len(events) // 2]) + b"\n\n"
    turn.send(msgspec.structs.replace(turn.response, body=half))


def garbage_in_stream(turn: Turn) -> None:
    """Put an event that is not JSON into the middle."""
    _in_the_middle(turn, b"data: {\xff<html>")


def error_in_stream(turn: Turn) -> None:
    """Put an error event into the middle, in the provider's shape."""
    made = turn.format.error(529, "overloaded_error", "Overloaded").body
    _in_the_middle(turn, b"event: error\ndata: " + made)


def held_stream(first: int, going_on: threading.Event) -> Fault:
    """Send the first events at once, the others when ``going_on`` is set or the server closes."""

    def answer(turn: Turn) -> None:
        events = turn.response.body.split(b"\n\n")
        head = b"\n\n".join(events[:first]) + b"\n\n"
        _start(turn, len(turn.response.body), dict(turn.response.headers))
        turn.handler.wfile.write(head)
        turn.handler.wfile.flush()
        while not (going_on.wait(_DRIP_S) or turn.closing.is_set() or _has_left(turn)):
            pass
        turn.handler.wfile.write(turn.response.body[len(head) :])

    return answer


def silent(left: threading.Event) -> Fault:
    """Say nothing at all; ``left`` is set when the client closed the connection."""

    def answer(turn: Turn) -> None:
        turn.handler.close_connection = True
        while not turn.closing.wait(_DRIP_S):
            if _has_left(turn):
                left.set()
                return

    return answer


def wrong_size(turn: Turn) -> None:
    """Leave the last value of every vector out."""
    turn.send(_with_rows(turn, lambda row: row[:-1]))


def short(turn: Turn) -> None:
    """Leave the last vector out."""
    decoded = msgspec.json.decode(turn.response.body)
    for name in ("data", "embeddings"):
        if name in decoded:
            decoded[name] = decoded[name][:-1]
    decoded.pop("embedding", None)
    turn.send(json_response(decoded))


def not_a_number(turn: Turn) -> None:
    """Spoil the first vector with ``NaN``, which Python's servers write."""
    turn.send(_with_first_row(turn, b"NaN"))


def null(turn: Turn) -> None:
    """Spoil the first vector with ``null``, which other servers write for it."""
    turn.send(_with_first_row(turn, b"null"))


def infinite(turn: Turn) -> None:
    """Spoil the first vector with a value that no float32 can hold."""
    turn.send(_with_first_row(turn, b"1e300"))


def zeros(turn: Turn) -> None:
    """Send vectors without a direction."""
    turn.send(_with_rows(turn, lambda row: [0.0] * len(row)))


def shuffled(turn: Turn) -> None:
    """Send the vectors in another order; their indexes say which is which."""
    decoded = msgspec.json.decode(turn.response.body)
    decoded.get("data", []).reverse()
    turn.send(json_response(decoded))


def _error(code: int, name: str, words: str, retry_after: str | None) -> Fault:
    def answer(turn: Turn) -> None:
        made = turn.format.error(code, name, words)
        headers = dict(made.headers) | ({"retry-after": retry_after} if retry_after else {})
        turn.send(msgspec.structs.replace(made, headers=headers))

    return answer


def _has_left(turn: Turn) -> bool:
    readable, _, _ = select.select([turn.handler.connection], [], [], 0)
    return bool(readable) and turn.handler.connection.recv(1, socket.MSG_PEEK) == b""


def _in_the_middle(turn: Turn, event: bytes) -> None:
    events = turn.response.body.split(b"\n\n")
    events.insert(len(events) // 2, event)
    turn.send(msgspec.structs.replace(turn.response, body=b"\n\n".join(events)))


def _start(turn: Turn, length: int, headers: Mapping[str, str] = _JSON) -> None:
    turn.handler.send_response(200)
    for name, value in headers.items():
        turn.handler.send_header(name, value)
    turn.handler.send_header("content-length", str(length))
    turn.handler.end_headers()
    turn.handler.wfile.flush()


def _with_rows(turn: Turn, change: Any) -> Response:
    def changed(found: re.Match[bytes]) -> bytes:
        return msgspec.json.encode(change(msgspec.json.decode(found[0])))

    return Response(body=_ROWS.sub(changed, turn.response.body))


def _with_first_row(turn: Turn, value: bytes) -> Response:
    def changed(found: re.Match[bytes]) -> bytes:
        return b"[" + value + b"," + found[0].split(b",", 1)[1]

    return Response(body=_ROWS.sub(changed, turn.response.body, count=1))
