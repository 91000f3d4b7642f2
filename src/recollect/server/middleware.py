"""Layers of ASGI middleware before the application, and the checks of a body that need its route.

Each check closes a hole that another program of this kind had; `docs/server.md` has the table with
the status of each refusal. `HttpApp.behind_layers` has the layers in their order.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import nullcontext

from recollect.caller import Callers
from recollect.server.calls import Calls
from recollect.server.errors import (
    BAD_HEADERS,
    BAD_TARGET,
    FOREIGN_HOST,
    FOREIGN_ORIGIN,
    LONG_HEADERS,
    NO_BODY,
    NO_TOKEN,
    NOT_JSON,
    PACKED,
    TOO_LARGE,
    WRONG_MEDIA,
    Refused,
    rejection_of,
)
from recollect.server.request import SLACK, KeptBody, takes_json
from recollect.server.response import (
    AsgiApp,
    ClientGone,
    ClientStuck,
    Message,
    Receive,
    Scope,
    Send,
    send_rejection,
)
from recollect.server.route import JSON, Endpoint, UploadRoute

MOST_HEADERS = 16_384
"""Bytes of all headers together."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Host names of this server for programs on this machine; with any port, as it may be forwarded."""

_ONCE = frozenset(
    {
        b"host",
        b"origin",
        b"sec-fetch-site",
        b"sec-fetch-mode",
        b"sec-fetch-dest",
        b"authorization",
        b"content-encoding",
        b"content-type",
        b"content-length",
        b"transfer-encoding",
    }
)
_OWN_SITES = (None, b"same-origin", b"none")
PAGES = frozenset({b"/"})
"""Paths that a link of another site, or the file of `recollect open`, may lead to: without data."""
_VISIT = {b"sec-fetch-mode": b"navigate", b"sec-fetch-dest": b"document"}
_PORT = re.compile(rb":[0-9]{1,5}$")
_BEARER = re.compile(rb"[Bb]earer +([!-~]{1,512})")


class ErrorAnswers:
    """Answers what the layers below it refuse, and what fails in them."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; every one is answered unless its client is gone."""
        if scope["type"] != "http":
            return
        try:
            await self._app(scope, receive, send)
        except ClientStuck:
            scope.get("abort", nullcontext)()
        except ClientGone:  # or a client that got a part must not take it for the whole
            return
        except Exception as error:  # noqa: BLE001  # every request is answered
            await send_rejection(scope, send, rejection_of(error))


class SiteCheck:
    """Refuses what a browser sends for a page of another site, or for a rebound name.

    The layers below find the headers that decide something in ``scope["state"]["headers"]``.

    Args:
        app: The layers below.
        hosts: Names of this server besides the loopback ones, such as the bound address.
    """

    def __init__(self, app: AsgiApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(name.lower().encode() for name in (*LOOPBACK, *hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or raise `Refused`."""
        headers = once_headers(scope["headers"])
        if not scope.get("target", scope["raw_path"]).startswith(b"/"):
            raise Refused(BAD_TARGET)
        host = headers.get(b"host")
        if host is None:
            raise Refused(BAD_HEADERS)
        if _PORT.sub(b"", host).lower() not in self._hosts:
            raise Refused(FOREIGN_HOST)
        own = b"http://" + host.lower()
        is_own = headers.get(b"origin", own).lower() == own
        is_ours = headers.get(b"sec-fetch-site") in _OWN_SITES or _is_visit(scope, headers)
        if not is_own or not is_ours:
            raise Refused(FOREIGN_ORIGIN)
        scope.setdefault("state", {})["headers"] = headers
        await self._app(scope, receive, send)


class Authentication:
    """Finds the caller of a token; the layers below find it in ``scope["state"]["caller"]``.

    Args:
        app: The layers below.
        callers: Knows the tokens.
        calls: Runs look-ups of tokens that are not cached.
        open_paths: Paths that need no token: the caller is None.
    """

    def __init__(
        self, app: AsgiApp, callers: Callers, calls: Calls, open_paths: Iterable[str]
    ) -> None:
        self._app = app
        self._callers = callers
        self._calls = calls
        self._open = frozenset(path.encode() for path in open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or raise `Refused` or `Denied`."""
        caller = None
        if scope["raw_path"] not in self._open:
            bearer = _BEARER.fullmatch(scope["state"]["headers"].get(b"authorization", b""))
            if bearer is None:
                raise Refused(NO_TOKEN)
            token = bearer[1].decode("ascii")
            caller = self._callers.at_hand(token) or await self._calls.run(self._callers.of, token)
        scope["state"]["caller"] = caller
        await self._app(scope, receive, send)


def _is_visit(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    """Return whether a browser goes to a page of ours, in a window of its own."""
    is_page = scope["method"] == "GET" and scope["raw_path"] in PAGES
    return is_page and all(headers.get(name) == value for name, value in _VISIT.items())


def once_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return the headers that the layers read.

    Raises:
        Refused: one occurs twice, or all together are too long.
    """
    once: dict[bytes, bytes] = {}
    size = 0
    for name, value in headers:
        size += len(name) + len(value) + 4
        if name in _ONCE:
            if name in once:
                raise Refused(BAD_HEADERS)
            once[name] = value
    if size > MOST_HEADERS:
        raise Refused(LONG_HEADERS)
    return once


def check_media(endpoint: Endpoint, headers: dict[bytes, bytes]) -> None:
    """Refuse a body of another media type; a form of a foreign page cannot send JSON.

    Raises:
        Refused: it has another type, none, or is compressed.
    """
    media = headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")
    if isinstance(endpoint, UploadRoute):
        if media not in endpoint.takes:
            raise Refused(WRONG_MEDIA)
    elif takes_json(endpoint) and media != JSON:
        raise Refused(NOT_JSON)
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise Refused(PACKED)


async def read_body(
    endpoint: Endpoint, headers: dict[bytes, bytes], most: int, receive: Receive
) -> tuple[bytes, int]:
    """Return the body, and the number of bytes left out of its middle (lenient routes only).

    At most ``most`` bytes, plus `SLACK` for a lenient route, are ever in memory.

    Raises:
        Refused: it is too long, or the method takes none.
        ClientGone: the client left.
    """
    length = _length(headers)
    if not takes_json(endpoint):
        if length or b"transfer-encoding" in headers:
            raise Refused(NO_BODY)
        return b"", 0
    if length > most and not endpoint.is_lenient:
        raise Refused(TOO_LARGE)
    message = await receive()
    if not message.get("more_body") and len(message.get("body", b"")) <= most:
        return _piece(message), 0
    collected = KeptBody(most)
    size = 0
    while True:
        collected.add(piece := _piece(message))
        size += len(piece)
        if size > most and not endpoint.is_lenient:
            raise Refused(TOO_LARGE)
        if not message.get("more_body"):
            return collected.joined()
        message = await receive()


def most_held(endpoint: Endpoint, headers: dict[bytes, bytes], most: int) -> int:
    """Return the most bytes in memory while a body is read, of which ``most`` are kept.

    Raises:
        Refused: the length is not valid.
    """
    if not takes_json(endpoint):
        return 0
    most += SLACK if endpoint.is_lenient else 0
    return most if b"transfer-encoding" in headers else min(_length(headers), most)


def _length(headers: dict[bytes, bytes]) -> int:
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        raise Refused(BAD_HEADERS)
    return int(length[:20])


def _piece(message: Message) -> bytes:
    if message["type"] != "http.request":
        raise ClientGone
    body: bytes = message.get("body", b"")
    return body


async def pieces_of(
    headers: dict[bytes, bytes], max_body: int, receive: Receive
) -> AsyncIterator[bytes]:
    """Yield a body piece by piece.

    Raises:
        Refused: it is too long, by its header before anything is read.
        ClientGone: the client left.
    """
    if _length(headers) > max_body:
        raise Refused(TOO_LARGE)
    size, is_more = 0, True
    while is_more:
        message = await receive()
        size += len(piece := _piece(message))
        if size > max_body:
            raise Refused(TOO_LARGE)
        yield piece
        is_more = message.get("more_body", False)
