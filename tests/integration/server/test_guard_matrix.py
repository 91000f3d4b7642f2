"""Every refusal of the guard on every route, with raw sockets on a real server.

Source: S2 to S5 and S7 of the reliability reference; each was a hole in another program.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from recollect.server.app import all_routes
from recollect.server.request import takes_json
from recollect.server.route import JSON, AnyRoute, Route, StreamRoute, UploadRoute
from tests.support.running_server import RunningServer
from tests.support.sample_routes import SAMPLES
from tests.support.wire import Reply, Wire, request

ROUTES = (*all_routes(), *SAMPLES)
MUCH = 100_000_000
"""Bytes above which a body is not sent, only told; they are counted as those of the others are."""
GUARDS = {400, 401, 405, 408, 413, 415, 421, 431}
"""What a good request never meets. 403 and 404 may be the answer of a use case."""

HOSTS = (
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:{port}",
    "evil.example:{port}",
    "0.0.0.0:{port}",
    "127.0.0.2",
    "127.0.0.1@evil.example",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "[::1].evil.example",
    "localhost.",
    "",
    "127.0.0.1:port",
    "127.0.0.1:{port}:{port}",
)
ORIGINS = (
    "http://evil.example",
    "null",
    "",
    "http://localhost:3000",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:{port}.evil.example",
    "file://",
)
TOKENS = (
    None,
    "",
    "Bearer",
    "Bearer ",
    "Bearer rcl_" + "x" * 43,
    "Bearer rcl_" + "x" * 3_000,
    "Basic {token}",
    "{token}",
    "Bearer {token}x",
    "Bearer {token} x",
)
MEDIA = (
    None,
    "",
    "text/plain",
    "text/plain; application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json-seq",
)


def _name(route: AnyRoute) -> str:
    return f"{route.method} {route.path}"


every_route = pytest.mark.parametrize("route", ROUTES, ids=_name)


def _target(route: AnyRoute) -> str:
    return route.path.replace("{", "").replace("}", "")


def _body(route: AnyRoute) -> bytes:
    return b"{}" if takes_json(route) or isinstance(route, UploadRoute) else b""


def _headers(server: RunningServer, route: AnyRoute, body: bytes) -> dict[str, str]:
    headers = server.headers()
    if body:
        headers["content-type"] = route.takes[0] if isinstance(route, UploadRoute) else JSON
        headers["content-length"] = str(len(body))
    return headers


def _ask(
    server: RunningServer,
    route: AnyRoute,
    change: Callable[[dict[str, str]], object] = lambda headers: None,
    target: str | None = None,
    method: str | None = None,
) -> Reply:
    """Return the answer to a good request with one thing changed."""
    body = _body(route)
    headers = _headers(server, route, body)
    change(headers)
    data = request(method or route.method, target or _target(route), headers, body)
    reply = _answer(server, data, is_stream=isinstance(route, StreamRoute), method=method)
    assert not any(name.startswith("access-control") for name in reply.headers)
    return reply


def _with(**headers: str) -> Callable[[dict[str, str]], object]:
    """Return a change that sets headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda given: given.update(named)


def _answer(
    server: RunningServer, data: bytes, *, is_stream: bool = False, method: str | None = None
) -> Reply:
    with Wire(server.port) as wire:
        wire.send(data)
        reply = wire.reply(is_head=method == "HEAD", is_stream=is_stream)
    assert reply is not None
    return reply


def _refused(reply: Reply, status: int, code: str) -> None:
    assert (reply.status, reply.code) == (status, code)
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert set(reply.json["error"]) == {"code", "message", "hint"}


@every_route
def test_a_good_request_passes_the_guard(server: RunningServer, route: AnyRoute) -> None:
    """Else the refusals below would prove nothing."""
    assert _ask(server, route).status not in GUARDS


@every_route
def test_a_foreign_host_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S2: DNS rebinding. The names of this machine are taken on any port."""
    for host in HOSTS:
        foreign = host.replace("{port}", str(server.port))
        _refused(_ask(server, route, _with(host=foreign)), 421, "foreign_host")
    for host in ("127.0.0.1", "LocalHost:{port}", "[::1]:{port}", "127.0.0.1:9"):
        own = host.replace("{port}", str(server.port))
        assert _ask(server, route, _with(host=own)).status not in GUARDS


@every_route
def test_a_missing_or_second_host_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """Which one holds would depend on who reads it."""
    _refused(_ask(server, route, lambda h: h.pop("host")), 400, "bad_request")
    twice = _ask(server, route, lambda h: h.update(Host="127.0.0.1"))
    _refused(twice, 400, "bad_request")


@every_route
def test_a_target_that_is_no_path_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S2: an absolute form names another host than the header."""
    for start in ("http://evil.example", f"http://127.0.0.1:{server.port}", "https://x"):
        reply = _ask(server, route, target=start + _target(route))
        _refused(reply, 400, "bad_request")


@every_route
def test_a_foreign_origin_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S3: a page of another site, also of another port of this machine."""
    for origin in ORIGINS:
        foreign = origin.replace("{port}", str(server.port))
        reply = _ask(server, route, _with(origin=foreign))
        _refused(reply, 403, "foreign_origin")
    own = f"http://127.0.0.1:{server.port}"
    assert _ask(server, route, lambda h: h.update(origin=own)).code != "foreign_origin"


@every_route
def test_a_fetch_of_another_site_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S3: ``same-site`` is another port of this machine, so another program."""
    for site in ("cross-site", "same-site", "", "Same-Origin", "none, none"):
        reply = _ask(server, route, _with(sec_fetch_site=site))
        _refused(reply, 403, "foreign_origin")
    for site in ("same-origin", "none"):
        reply = _ask(server, route, _with(sec_fetch_site=site))
        assert reply.code != "foreign_origin"


@every_route
def test_a_request_without_a_token_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S4: all but the open ones; a token in the query is none."""
    if route.right is None:
        assert _ask(server, route, lambda h: h.pop("authorization")).status not in GUARDS
        return
    for token in TOKENS:

        def change(headers: dict[str, str], token: str | None = token) -> None:
            headers.pop("authorization")
            if token is not None:
                headers["authorization"] = token.replace("{token}", server.token)

        reply = _ask(server, route, change)
        _refused(reply, 401, "unauthorized")
        assert reply.headers["www-authenticate"] == "Bearer"
    query = f"{_target(route)}?token={server.token}&access_token={server.token}"
    _refused(_ask(server, route, lambda h: h.pop("authorization"), query), 401, "unauthorized")
    two = _ask(server, route, lambda h: h.update(Authorization="Bearer x"))
    _refused(two, 400, "bad_request")


@every_route
def test_a_body_of_another_type_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S5: what a form can send without being asked."""
    if not _body(route):
        return
    for media in MEDIA:

        def change(headers: dict[str, str], media: str | None = media) -> None:
            headers.pop("content-type")
            if media is not None:
                headers["content-type"] = media

        reply = _ask(server, route, change)
        code = "wrong_media" if isinstance(route, UploadRoute) else "not_json"
        _refused(reply, 415, code)
    if takes_json(route):
        good = _ask(server, route, lambda h: h.update({"content-type": "Application/JSON; v=1"}))
        assert good.status not in GUARDS
    packed = _ask(server, route, lambda h: h.update({"content-encoding": "gzip"}))
    assert packed.status == 415


@every_route
def test_long_headers_are_refused(server: RunningServer, route: AnyRoute) -> None:
    """S7: 16 kB, in one header or in many; just below passes."""
    for headers in ({"x-long": "x" * 16_384}, {f"x-{n}": "y" * 200 for n in range(90)}):
        reply = _ask(server, route, _with(**headers))
        assert (reply.status, reply.code) == (431, "too_large")
    assert _ask(server, route, lambda h: h.update(x="x" * 15_000)).status not in GUARDS


@every_route
def test_a_body_above_the_limit_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S7: told or found out. A lenient route takes it, and keeps head and tail."""
    over = route.max_body + 1
    if over > MUCH:
        headers = _headers(server, route, b"{}") | {"content-length": str(over)}
        reply = _answer(server, request(route.method, _target(route), headers, b"{}"))
        assert (reply.status, reply.code) == (413, "too_large")
        return
    text = b'{"unknown": "' + b"x" * over + b'"}' if _body(route) else b"x" * 10
    headers = _headers(server, route, text)
    told = _answer(server, request(route.method, _target(route), headers, text))
    headers.pop("content-length")
    headers["transfer-encoding"] = "chunked"
    chunks = b"".join(
        b"%x\r\n%b\r\n" % (len(part), part)
        for part in (text[at : at + 50_000] for at in range(0, len(text), 50_000))
    )
    data = request(route.method, _target(route), headers, chunks + b"0\r\n\r\n")
    for reply in (told, _answer(server, data)):
        if route.is_lenient:
            assert reply.status not in GUARDS
        else:
            assert (reply.status, reply.code) == (413, "too_large")


@every_route
def test_deep_json_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """S7: 64 levels; a lenient route takes what is deeper as text."""
    if not takes_json(route):
        return
    for depth in (65, 400):
        body = b'{"unknown":' + b"[" * depth + b"]" * depth + b"}"
        data = request(route.method, _target(route), _headers(server, route, body), body)
        reply = _answer(server, data)
        if route.is_lenient:
            assert reply.status not in GUARDS
        else:
            _refused(reply, 400, "too_deep")


@every_route
def test_broken_json_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """But not from a hook: what is refused is lost."""
    if not takes_json(route):
        return
    for body in (b"{", b"\xff\xfe", b'{"a": \xff}', rb'{"a": "\ud800"}', b"words", b"{} {}"):
        data = request(route.method, _target(route), _headers(server, route, body), body)
        reply = _answer(server, data)
        if route.is_lenient:
            assert reply.status not in GUARDS
        else:
            assert reply.status in {400, 422}
            assert b"words" not in reply.body


@every_route
def test_other_methods_are_refused(server: RunningServer, route: AnyRoute) -> None:
    """OPTIONS too: there is no CORS to ask for. HEAD is answered as GET, without the body."""
    known = {each.method for each in ROUTES if each.path == route.path}
    for method in sorted({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - known):
        reply = _ask(server, route, method=method)
        _refused(reply, 405, "bad_method")
        assert set(reply.headers["allow"].split(", ")) - {"HEAD"} == known
    head = _ask(server, route, method="HEAD")
    is_plain = any(
        isinstance(each, Route) and each.method == "GET"
        for each in ROUTES
        if each.path == route.path
    )
    assert (head.status == 405) != is_plain
    for method in ("FOO", "get", "CONNECT"):
        assert _ask(server, route, method=method).status in {400, 405}


@every_route
def test_what_is_no_http_is_refused(server: RunningServer, route: AnyRoute) -> None:
    """Two lengths, a length that is none, and a preface of another protocol."""
    start = request(route.method, _target(route), server.headers())[:-2]
    for bad in (
        b"content-length: 2\r\ncontent-length: 3\r\n\r\n{}x",
        b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"content-length: -1\r\n\r\n",
        b"content-length: 1e3\r\n\r\n",
        b"transfer-encoding: chunked\r\n\r\nzz\r\n",
        b"bad header\r\n\r\n",
        b"x\x00: y\r\n\r\n",
    ):
        assert _answer(server, start + bad).status in {400, 413, 415}
    preface = _answer(server, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    assert (preface.status, preface.code) == (400, "bad_request")


@every_route
def test_an_upgrade_is_not_taken(server: RunningServer, route: AnyRoute) -> None:
    """There is no WebSocket; the request is answered as it stands."""
    upgrade = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-key": "x",
        "sec-websocket-version": "13",
    }
    assert _ask(server, route, lambda h: h.update(upgrade)).status != 101


def test_an_unknown_path_tells_nothing_without_a_token(server: RunningServer) -> None:
    """What exists is not to be learned by asking around."""
    for target in (
        "/viewer",
        "/api",
        "/api/health/",
        "/api//health",
        "//evil.example/",
        "/%00",
        "/a%2Fb",
    ):
        good = server.call("GET", target)
        assert (good.status, good.code) == (404, "not_found")
        with Wire(server.port) as wire:
            reply = wire.send(request("GET", target, {"host": "localhost"})).reply()
        assert reply is not None
        assert reply.status == 401


def test_an_error_is_json_for_people_and_programs(server: RunningServer) -> None:
    """Errors are ``{"error": {"code", "message", "hint"}}`` everywhere."""
    reply = server.call("POST", "/sample/fails", b'{"text": "ours"}')
    assert json.loads(reply.body) == {
        "error": {"code": "not_found", "message": "there is no tea", "hint": "buy some"}
    }
    assert reply.status == 404
