"""The MCP server over streamable HTTP: an ASGI application behind the guard of the worker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import anyio
import msgspec
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus

from recollect.caller import Caller
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.mcp import check_installed

MAX_BODY = 1_000_000
"""Bytes of a request, as on the other routes."""

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class McpEndpoint:
    """Serves MCP to the callers that the guard let through.

    Nothing is loaded before the first request: a worker that no MCP client asks does without the
    SDK. It keeps no sessions, so a client goes on where the worker was restarted; the token is
    verified for each request.
    """

    def __init__(self) -> None:
        self._loading = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._app: AsgiApp | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve in the ``async with`` block; once."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; ``scope["state"]["caller"]`` says who asks."""
        if scope["method"] != "POST":
            error = InvalidInput("this MCP server keeps no sessions", hint="use POST")
            return await _refuse(send, 405, error, (b"allow", b"POST"))
        try:
            await self._load()
        except NotFound as error:
            return await _refuse(send, 404, error)
        if self._app is not None:
            # uvicorn's parser keeps the blanks at the end of a value.
            headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
            await self._app({**scope, "headers": headers}, receive, send)
        return None

    async def _load(self) -> None:
        async with self._loading:
            if self._app is None and self._tasks is not None:
                check_installed()
                self._app = await self._tasks.start(self._serve)

    async def _serve(self, *, task_status: TaskStatus[AsgiApp]) -> None:
        app, sessions = await to_thread.run_sync(_load)
        async with sessions.run():
            task_status.started(app)
            await anyio.sleep_forever()


async def _refuse(
    send: Send, status: int, error: RecollectError, *headers: tuple[bytes, bytes]
) -> None:
    """Answer with an error as the other routes do."""
    body = msgspec.json.encode({"error": error.as_dict()})
    all_headers = [(b"content-type", b"application/json"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body})


def _load() -> tuple[AsgiApp, Any]:
    from mcp.server.transport_security import TransportSecuritySettings

    from recollect.mcp.server import make_server

    server = make_server(_caller_of)
    app = server.streamable_http_app(
        stateless_http=True,
        max_request_body_size=MAX_BODY,
        # The guard has looked at host and origin, and knows the address that it is bound to.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return app, server.session_manager


def _caller_of(request: Any) -> Caller:
    caller: Caller = request.request.scope["state"]["caller"]
    return caller
