"""The application: finds the route of a request, calls its use case, and sends the answer.

Checks that need no route are layers of ASGI middleware, in the order of `HttpApp.behind_layers`;
those that depend on it are steps of `HttpApp.__call__` (docs/adr/0011).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)
from functools import cache, partial
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import msgspec

from recollect import __version__
from recollect.caller import Caller, Callers
from recollect.core.errors import StoreError
from recollect.governance.tokens import Right
from recollect.mcp.http import McpEndpoint
from recollect.server.calls import Batches, Calls
from recollect.server.chat import chat
from recollect.server.chat.channels import ChannelHooks
from recollect.server.home import routes as home
from recollect.server.home import settings
from recollect.server.home.doctor import Doctor
from recollect.server.metrics import ROUTE, Metrics
from recollect.server.middleware import (
    Authentication,
    ErrorAnswers,
    SiteCheck,
    check_media,
    most_held,
    pieces_of,
    read_body,
)
from recollect.server.openapi.document import openapi_of
from recollect.server.request import Request
from recollect.server.response import (
    AsgiApp,
    Receive,
    Response,
    Scope,
    Send,
    send_response,
)
from recollect.server.route import (
    JSON,
    LARGE,
    AnyRoute,
    Created,
    Nothing,
    Route,
    StreamRoute,
    UploadRoute,
    route_of,
)
from recollect.server.routes import (
    access,
    admin,
    checkpoints,
    client_hooks,
    episodes,
    events,
    exchange,
    facts,
    files,
    health,
    hooks,
    identities,
    memory,
    messages,
    observations,
    projects,
    recall,
    sessions,
    transcripts,
)
from recollect.server.series import Series
from recollect.server.shares import Admission, Admissions
from recollect.server.streams import Pieces, Streams, whole_or_cut
from recollect.server.table import Entry, Table
from recollect.server.viewer.codes import OneTimeCodes
from recollect.server.viewer.files import ViewerFiles

_encode = msgspec.json.Encoder().encode


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """Another ASGI application below a path, behind the same guard.

    Attributes:
        path: One segment, ``/mcp``; the application gets the full path.
        right: What the token must allow.
        app: Finds the `Caller` in ``scope["state"]["caller"]``.
        lifespan: Entered on the event loop before the first request, left after the last.
    """

    path: str
    right: Right
    app: AsgiApp
    lifespan: Callable[[], AbstractAsyncContextManager[object]] = nullcontext


class HttpApp:
    """Answers requests that the guard admitted.

    Args:
        routes: All of them.
        mounts: Applications below a path of their own.
        on_hook: Called at each request of a hook; returns at once.

    Raises:
        Conflict: two routes have the same address.
        InvalidInput: a route names a field that its ``fields`` lacks.
    """

    def __init__(
        self,
        routes: Sequence[AnyRoute],
        mounts: Iterable[Mount] = (),
        on_hook: Callable[[], object] = lambda: None,
    ) -> None:
        self.calls = Calls()
        self._on_hook = on_hook
        self._admissions = Admissions(self.calls)
        self._batches = Batches()
        self.streams = Streams()
        self.metrics = Metrics(lambda: self.streams.open)
        self.series = Series()
        routes = (*routes, self.metrics.route(), self.series.route())
        routes = (*routes, _description(routes))
        self._table = Table(routes)
        self._mounts = {mount.path: mount for mount in mounts}
        self._open_paths = [route.path for route in routes if route.right is None]

    def behind_layers(self, callers: Callers, hosts: Iterable[str] = ()) -> AsgiApp:
        """Return the application behind its layers; a request passes the last one first.

        Args:
            callers: Knows the tokens.
            hosts: Names of this server besides the loopback ones, such as the bound address.
        """
        app: AsgiApp = self
        app = Authentication(app, callers, self.calls, self._open_paths)
        app = ViewerFiles(app)
        app = SiteCheck(app, hosts)
        app = ErrorAnswers(app)
        return self.metrics.around(app)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the mounted applications running in the ``async with`` block."""
        async with AsyncExitStack() as stack:
            for mount in self._mounts.values():
                await stack.enter_async_context(mount.lifespan())
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that has passed the layers; raise what is to be answered as an error."""
        path = scope["raw_path"].decode("latin-1")
        caller = scope["state"]["caller"]
        mount = self._mounts.get("/" + path.split("/", 2)[1])
        if mount is not None:
            scope[ROUTE] = mount.path
            await self._hand_on(mount, caller, scope, receive, send)
            return
        entry, fields = self._table.find(scope["method"], path)
        route, headers = entry.route, scope["state"]["headers"]
        scope[ROUTE] = route.path
        if route.right == "hooks":
            self._on_hook()
        check_media(route, headers)
        request = Request(path=fields, query=scope["query_string"], headers=scope["headers"])
        admission = self._admissions.of(None if caller is None else caller.token, route.right)
        with admission.answering(is_stream=isinstance(route, StreamRoute)):
            if isinstance(route, UploadRoute):
                scope["patient"] = True  # see `LimitedConnection`: a deadline for each piece
                parts = pieces_of(headers, route.max_body, receive)
                response = await self._upload(entry, caller, request, parts, admission)
                await send_response(send, response)
                return
            most = admission.most_of_body(route)
            async with admission.holding(most_held(route, headers, most), scope):
                body, left_out = await read_body(route, headers, most, receive)
                request = msgspec.structs.replace(request, body=body, left_out=left_out)
                if isinstance(route, Route):
                    response = await self._call(entry, caller, request, admission)
                    await send_response(send, response)
                else:
                    media, pieces = await admission.run(_streamed, entry, caller, request)
                    await self.streams.send(route, media, pieces, receive, send, admission)

    async def _hand_on(
        self, mount: Mount, caller: Caller, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Let a mounted application answer; it has its own threads."""
        admission = self._admissions.of(caller.token, mount.right)
        with admission.answering():
            await admission.run(caller.require, mount.right)
            async with admission.working():
                with whole_or_cut():
                    await mount.app(scope, receive, send)

    async def _call(
        self, entry: Entry, caller: Caller | None, request: Request, admission: Admission
    ) -> Response:
        if entry.is_shared:
            return await self._share(entry, caller, request, admission)
        if not entry.is_async:
            return await admission.run(_answered, entry, caller, request)
        if len(request.body) < LARGE:
            fields = _read_fields(entry, caller, request)
        else:
            fields = await admission.run(_read_fields, entry, caller, request)
        with _acting(caller):
            return _response(entry.route, await entry.call(caller, fields))

    async def _share(
        self, entry: Entry, caller: Caller | None, request: Request, admission: Admission
    ) -> Response:
        work = partial(_answered_each, entry, caller)
        if len(request.body) < LARGE:
            kind = (id(entry), caller)
            answer: Response = await self._batches.run(kind, partial(admission.run, work), request)
            return answer
        (outcome,) = await admission.run(work, (request,))  # it would delay the others
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _upload(
        self,
        entry: Entry,
        caller: Caller,
        request: Request,
        pieces: AsyncIterator[bytes],
        admission: Admission,
    ) -> Response:
        fields = await admission.run(_read_fields, entry, caller, request)
        with TemporaryFile(dir=caller.memory.home) as file:
            async for piece in pieces:
                await admission.run(file.write, piece)
            return await admission.run(_uploaded, entry, caller, fields, file)


def all_routes(hooks_of_channels: ChannelHooks | None = None) -> tuple[AnyRoute, ...]:
    """Return the routes of every file in `recollect.server.routes`, and those with a state.

    Args:
        hooks_of_channels: Takes what is posted for channels; none is open if not given.
    """
    seed = (health, sessions, observations, recall, hooks)
    beside = (client_hooks, messages, chat, transcripts, episodes, facts, projects, files)
    others = (memory, checkpoints)
    operators = (events, exchange, admin, access, identities, home, settings)
    rooms = (*seed, *beside, *others, *operators)
    in_files = tuple(route for room in rooms for route in room.ROUTES)
    posted = (hooks_of_channels or ChannelHooks()).routes()
    return (*in_files, *posted, *OneTimeCodes().routes(), *Doctor().routes())


def all_mounts() -> tuple[Mount, ...]:
    """Return the mounted applications, for one run of a server."""
    mcp = McpEndpoint()
    return (Mount(path="/mcp", right="read", app=mcp, lifespan=mcp.running),)


def _description(routes: Sequence[AnyRoute]) -> AnyRoute:
    """Return the route that describes all routes except itself."""

    @cache
    def document() -> dict[str, Any]:
        return openapi_of(routes, __version__)  # a worker would start 50 ms later for it

    def describe(_caller: Caller, _fields: Nothing) -> dict[str, Any]:
        """Describe the routes as OpenAPI 3.1."""
        return document()

    return route_of(describe, "GET", "/openapi.json", "read")


def _read_fields(entry: Entry, caller: Caller | None, request: Request) -> Any:
    if caller is not None and entry.route.right is not None:
        caller.require(entry.route.right)
    return entry.reader.read(request)


def _called(entry: Entry, caller: Caller | None, request: Request) -> Any:
    fields = _read_fields(entry, caller, request)
    with _acting(caller):
        return entry.call(caller, fields)


def _streamed(entry: Entry, caller: Caller | None, request: Request) -> tuple[str, Pieces]:
    fields = _read_fields(entry, caller, request)
    with _acting(caller):
        return entry.route.media_for(fields), entry.call(caller, fields)  # type: ignore[union-attr]


def _acting(caller: Caller | None) -> AbstractContextManager[None]:
    return nullcontext() if caller is None else caller.acting()


def _answered(entry: Entry, caller: Caller | None, request: Request) -> Response:
    return _response(entry.route, _called(entry, caller, request))


def _answered_each(
    entry: Entry, caller: Caller | None, requests: Sequence[Request]
) -> list[Response | Exception]:
    fields = [_or_error(_read_fields, entry, caller, request) for request in requests]
    ready = [each for each in fields if not isinstance(each, Exception)]
    with _acting(caller):
        answers = iter(_shared(entry, caller, ready) if ready else ())
    values = [each if isinstance(each, Exception) else next(answers) for each in fields]
    return [
        each if isinstance(each, Exception) else _or_error(_response, entry.route, each)
        for each in values
    ]


def _shared(entry: Entry, caller: Caller | None, fields: Sequence[Any]) -> Sequence[Any]:
    """Return a value or an error for each; a failure for all may have been caused by another."""
    try:
        values: Sequence[Any] = entry.call(caller, fields)
    except Exception as error:  # noqa: BLE001  # the requests get it
        is_unknown = isinstance(error, StoreError) and error.facts.get("outcome") == "unknown"
        if is_unknown or len(fields) == 1:
            return [error] * len(fields)
        return [value for each in fields for value in _shared(entry, caller, [each])]
    return values


def _or_error(make: Callable[..., Any], *args: Any) -> Any:
    try:
        return make(*args)
    except Exception as error:  # noqa: BLE001  # the request gets it
        return error


def _uploaded(entry: Entry, caller: Caller, fields: Any, file: BinaryIO) -> Response:
    file.seek(0)
    with caller.acting():
        return _response(entry.route, entry.call(caller, fields, file))


def _response(route: Any, value: Any) -> Response:
    status = 200
    if isinstance(value, Created):
        status, value = 201, value.value
    media = getattr(route, "media", JSON)
    return Response(_encode(value) if media == JSON else value.encode(), status, media)
