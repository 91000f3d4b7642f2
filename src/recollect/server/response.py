"""Sends answers: the same headers on every one, none of them for other sites."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import msgspec

from recollect.server.errors import Header, Rejection
from recollect.server.route import JSON

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_ALWAYS: tuple[Header, ...] = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
_SPREAD = itertools.cycle([0.5 + 0.618 * number % 1 for number in range(16)])
"""Parts of a delay: the refusals of many connections do not all come back in the same moment."""


class ClientGone(Exception):
    """The client left, or must not take a partial answer for the whole."""


class ClientStuck(ClientGone):
    """The client has stopped reading, without closing the connection."""


class Response(msgspec.Struct, frozen=True):
    """A whole answer."""

    body: bytes
    status: int = 200
    media: str = JSON
    headers: tuple[Header, ...] = ()


def head_of(status: int, media: str, headers: tuple[Header, ...]) -> dict[str, Any]:
    """Return the first message of an answer."""
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [(b"content-type", media.encode()), *_ALWAYS, *headers],
    }


async def send_response(send: Send, response: Response) -> None:
    """Send a whole answer."""
    length = (b"content-length", str(len(response.body)).encode())
    await send(head_of(response.status, response.media, (length, *response.headers)))
    await send({"type": "http.response.body", "body": response.body})


async def send_rejection(scope: Scope, send: Send, rejection: Rejection) -> None:
    """Send an answer that is an error, after its delay."""
    if rejection.delay_s:
        scope["held"], scope["refused"] = True, rejection  # see `LimitedConnection`
        await asyncio.sleep(rejection.delay_s * next(_SPREAD))
    response = Response(rejection.body, rejection.status, headers=rejection.headers)
    await send_response(send, response)
