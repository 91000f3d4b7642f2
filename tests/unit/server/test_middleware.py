"""The layers before the application alone: every way through, and what no real server sends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.caller import Callers
from recollect.core.errors import StoreClosed
from recollect.pool import MemoryPool
from recollect.server.calls import Calls
from recollect.server.errors import Refused
from recollect.server.middleware import (
    Authentication,
    ErrorAnswers,
    SiteCheck,
    check_media,
    most_held,
    once_headers,
    pieces_of,
    read_body,
)
from recollect.server.request import SLACK
from recollect.server.response import (
    AsgiApp,
    ClientGone,
    Message,
    Receive,
    Response,
    Scope,
    Send,
    send_response,
)
from recollect.server.route import KEPT_BODY, AnyRoute
from tests.support.asgi import GONE, answer_of
from tests.support.sample_routes import SAMPLES

PLAIN, QUERY, KEYED, HOOK, UPLOAD = (
    SAMPLES[0],
    SAMPLES[1],
    SAMPLES[2],
    SAMPLES[5],
    SAMPLES[-1],
)


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    caller = scope["state"]["caller"]
    name = "nobody" if caller is None else caller.token.name
    await send_response(send, Response(name.encode()))


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryPool]:
    """One home with the owner's token."""
    with MemoryPool(tmp_path_factory.mktemp("home"), {"embedding.provider": "none"}) as pool:
        pool.memory().tokens.file.ensure()
        yield pool


def _layers(pool: MemoryPool, calls: Calls) -> AsgiApp:
    known = Authentication(_app, Callers(pool), calls, ["/open"])
    return ErrorAnswers(SiteCheck(known, ["192.0.2.7", "[2001:db8::7]"]))


@pytest.fixture
def layers(pool: MemoryPool) -> Iterator[AsgiApp]:
    """Before an application that says who called."""
    calls = Calls()
    yield _layers(pool, calls)
    calls.close()


def _headers(**headers: str) -> list[tuple[bytes, bytes]]:
    given = {"host": "localhost"} | headers
    return [(name.replace("_", "-").encode(), text.encode()) for name, text in given.items()]


def test_the_bound_address_is_a_name_of_the_server(layers: AsgiApp) -> None:
    """Where it was told to listen beyond loopback."""
    for host, status in {
        "192.0.2.7:37778": 200,
        "[2001:db8::7]": 200,
        "[2001:DB8::7]:1": 200,
        "192.0.2.8": 421,
    }.items():
        reply = answer_of(layers, {"raw_path": b"/open", "headers": _headers(host=host)})
        assert reply is not None
        assert reply.status == status


def test_a_token_is_known_at_once_the_second_time(layers: AsgiApp, pool: MemoryPool) -> None:
    """The first call opens the memory on a thread; those after it need none."""
    bearer = f"bearer {pool.memory().tokens.file.text()}"
    scope = {"headers": _headers(authorization=bearer)}
    assert [answer_of(layers, dict(scope)) for _ in range(3)] == [answer_of(layers, scope)] * 3
    assert answer_of(layers, scope).body == b"owner"  # type: ignore[union-attr]


def test_a_rotated_token_is_void_at_once(layers: AsgiApp, pool: MemoryPool) -> None:
    """S4: without a restart; the one before was remembered a moment ago."""
    tokens = pool.memory().tokens
    scope = {"headers": _headers(authorization=f"Bearer {tokens.file.text()}")}
    assert answer_of(layers, scope).status == 200  # type: ignore[union-attr]
    tokens.file.rotate()
    assert answer_of(layers, scope).status == 401  # type: ignore[union-attr]
    new = {"headers": _headers(authorization=f"Bearer {tokens.file.text()}")}
    assert answer_of(layers, new).status == 200  # type: ignore[union-attr]


def test_other_protocols_are_left_without_an_answer(layers: AsgiApp) -> None:
    """A WebSocket, and the life of the application."""
    for kind in ("websocket", "lifespan"):
        assert answer_of(layers, {"type": kind}) is None


def test_a_home_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """By the table of errors, as everywhere."""
    pool = MemoryPool(tmp_path)
    pool.close()
    calls = Calls()
    scope = {"headers": _headers(authorization="Bearer rcl_" + "x" * 43)}
    reply = answer_of(_layers(pool, calls), scope)
    calls.close()
    assert reply is not None
    assert (reply.status, reply.code) == (503, StoreClosed.code)


def test_all_headers_together_have_16_kib() -> None:
    """With the colon, the space and the end of each line, whether they are read here or not."""
    ends = sum(len(name) + 4 for name in (b"host", b"x-long"))
    longest = b"x" * (16_384 - ends - len(b"localhost"))
    most = [(b"host", b"localhost"), (b"x-long", longest)]
    assert once_headers(most) == {b"host": b"localhost"}
    with pytest.raises(Refused) as refused:
        once_headers([(b"host", b"localhost"), (b"x-long", longest + b"x")])
    assert refused.value.rejection.status == 431


def _read(route: AnyRoute, messages: list[Message], **headers: str) -> tuple[bytes, int]:
    given = {name.replace("_", "-").encode(): text.encode() for name, text in headers.items()}
    return asyncio.run(read_body(route, given, _most(route), _receiver(messages)))


def _most(route: AnyRoute) -> int:
    return KEPT_BODY if route.is_lenient else route.max_body


def _receiver(messages: list[Message]) -> Receive:
    left = list(messages)

    async def receive() -> Message:
        return left.pop(0) if left else GONE

    return receive


def _body(*pieces: bytes) -> list[Message]:
    more = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces[:-1]]
    return [*more, {"type": "http.request", "body": pieces[-1]}]


def test_a_body_is_read_in_pieces() -> None:
    """However it is cut."""
    assert _read(PLAIN, _body(b"{}")) == (b"{}", 0)
    assert _read(PLAIN, _body(b"{", b"", b"}")) == (b"{}", 0)
    assert _read(PLAIN, [{"type": "http.request"}]) == (b"", 0)
    assert _read(QUERY, []) == (b"", 0)


@pytest.mark.parametrize(
    ("route", "pieces", "headers", "status"),
    [
        (KEYED, [b"x" * 20_001], {}, 413),
        (KEYED, [b"x" * 12_000, b"x" * 8_001], {}, 413),
        (KEYED, [b""], {"content_length": "20001"}, 413),
        (KEYED, [b""], {"content_length": "9" * 5_000}, 413),
        (KEYED, [b""], {"content_length": "-1"}, 400),
        (QUERY, [b"x"], {"content_length": "1"}, 413),
        (QUERY, [b"x"], {"transfer_encoding": "chunked"}, 413),
    ],
)
def test_no_more_than_the_limit_is_taken(
    route: AnyRoute, pieces: list[bytes], headers: dict[str, str], status: int
) -> None:
    """S7: told before, or found out while it comes."""
    with pytest.raises(Refused) as refused:
        _read(route, _body(*pieces), **headers)
    assert refused.value.rejection.status == status


def test_no_more_than_the_limit_is_held_of_an_endless_body() -> None:
    """A lenient route reads on, and keeps head and tail."""
    piece = b"x" * 1_000_000
    body, left_out = _read(HOOK, _body(*[piece] * 40), content_length="40000000")
    assert left_out == 40_000_000 - KEPT_BODY
    assert len(body) < KEPT_BODY + 100


@pytest.mark.parametrize(
    ("route", "headers", "held"),
    [
        (KEYED, {b"content-length": b"7"}, 7),
        (KEYED, {b"content-length": b"20001"}, 20_000),
        (KEYED, {b"transfer-encoding": b"chunked"}, 20_000),
        (KEYED, {}, 0),
        (HOOK, {b"content-length": b"7"}, 7),
        (HOOK, {b"content-length": b"40000000"}, KEPT_BODY + SLACK),
        (HOOK, {b"transfer-encoding": b"chunked"}, KEPT_BODY + SLACK),
        (QUERY, {b"transfer-encoding": b"chunked"}, 0),
    ],
)
def test_as_much_is_reserved_as_can_be_held_of_a_body(
    route: AnyRoute, headers: dict[bytes, bytes], held: int
) -> None:
    """The length that is said, or the limit where none is; nothing for what takes no body."""
    assert most_held(route, headers, _most(route)) == held


def test_a_length_that_is_no_number_reserves_nothing() -> None:
    """It is refused before the body is waited for."""
    with pytest.raises(Refused) as refused:
        most_held(KEYED, {b"content-length": b"1e3"}, _most(KEYED))
    assert refused.value.rejection.status == 400


@pytest.mark.parametrize("messages", [[], _body(b"{", b"}")[:1]])
def test_a_client_that_left_gets_no_answer(messages: list[Message]) -> None:
    """Before its body, or in the middle of it."""
    with pytest.raises(ClientGone):
        _read(PLAIN, messages)
    with pytest.raises(ClientGone):
        asyncio.run(_all(pieces_of({}, 9, _receiver(messages))))


async def _all(pieces: Any) -> list[bytes]:
    return [piece async for piece in pieces]


def test_a_file_comes_in_pieces_up_to_its_limit() -> None:
    """Nothing of it is held."""
    assert asyncio.run(_all(pieces_of({}, 4, _receiver(_body(b"12", b"34"))))) == [b"12", b"34"]
    with pytest.raises(Refused):
        asyncio.run(_all(pieces_of({}, 3, _receiver(_body(b"12", b"34")))))
    with pytest.raises(Refused):
        asyncio.run(_all(pieces_of({b"content-length": b"4"}, 3, _receiver([]))))


def test_media_types_are_compared_without_parameters_and_case() -> None:
    """As RFC 9110 has them."""
    check_media(PLAIN, {b"content-type": b"Application/JSON ; charset=utf-8"})
    check_media(UPLOAD, {b"content-type": b"application/zstd", b"content-encoding": b"identity"})
    check_media(QUERY, {})
    for route, headers in (
        (PLAIN, {}),
        (UPLOAD, {b"content-type": b"application/json"}),
        (QUERY, {b"content-encoding": b"br"}),
    ):
        with pytest.raises(Refused):
            check_media(route, headers)
