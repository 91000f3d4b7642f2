"""Routes of every kind, that answer what they were given."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from typing import Any, BinaryIO

import msgspec

from recollect.caller import Caller
from recollect.core.errors import InvalidInput, NotFound
from recollect.server.route import (
    AnyRoute,
    Created,
    Fields,
    LenientFields,
    Nothing,
    Route,
    StreamRoute,
    UploadRoute,
)


class Echo(msgspec.Struct, frozen=True):
    """What came."""

    values: dict[str, Any]


class Plain(Fields, frozen=True):
    """Fields of a strict route."""

    text: str = ""
    number: int | None = None
    tags: list[str] = msgspec.field(default_factory=list)
    any: Any = None


class Asked(Fields, frozen=True):
    """Fields of a query."""

    text: str = ""
    number: int | None = None
    tags: list[str] = msgspec.field(default_factory=list)


class Keyed(Fields, frozen=True):
    """With one of the path."""

    key: str
    number: int | None = None
    idempotency: str | None = None


class Tool(LenientFields, frozen=True):
    """Fields of a hook."""

    session_id: str | None = None
    output: Any = None
    importance: float | None = None
    tool_use_id: str | None = None


def _echo(_caller: Caller, given: Any) -> Echo:
    return Echo(msgspec.structs.asdict(given))


async def _echo_on_the_loop(_caller: Caller, given: Any) -> Echo:
    return Echo(msgspec.structs.asdict(given))


def _made(_caller: Caller, given: Plain) -> Echo | Created[Echo]:
    echo = Echo(msgspec.structs.asdict(given))
    return echo if given.text == "again" else Created(echo)


def _fail(_caller: Caller, given: Plain) -> Echo:
    if given.text == "ours":
        raise NotFound("there is no tea", hint="buy some")
    if given.text == "refused":
        raise InvalidInput("it must be tea", hint="send tea")
    raise RuntimeError(f"a text of the user: {given.text}")


def _count(_caller: Caller, given: Asked) -> Iterator[bytes]:
    if given.text == "early":
        raise NotFound("there is no tea", hint="buy some")

    def pieces() -> Iterator[bytes]:
        for number in range(min(given.number or 0, 100)):
            yield f"{number}\n".encode()
        if given.text == "late":
            raise RuntimeError("a text of the user")

    return pieces()


async def _tick(_caller: Caller, _given: Nothing) -> AsyncGenerator[bytes, None]:
    import asyncio

    yield b": hello\n\n"
    await asyncio.Event().wait()


def _sizes(_caller: Caller, _given: Nothing, file: BinaryIO) -> int:
    return len(file.read())


def _text(_caller: Caller, _given: Nothing) -> str:
    return "teas 3\n"


SAMPLES: tuple[AnyRoute, ...] = (
    Route(
        method="POST",
        path="/sample/plain",
        summary="Plain",
        right="read",
        fields=Plain,
        call=_echo,
        answer=Echo,
    ),
    Route(
        method="GET",
        path="/sample/plain",
        summary="Query",
        right="read",
        fields=Asked,
        call=_echo,
        answer=Echo,
    ),
    Route(
        method="PUT",
        path="/sample/keyed/{key}",
        summary="Keyed",
        right="write",
        fields=Keyed,
        headers={"idempotency-key": "idempotency"},
        call=_echo_on_the_loop,
        answer=Echo,
        max_body=20_000,
    ),
    Route(
        method="DELETE",
        path="/sample/keyed/{key}",
        summary="Remove",
        right="admin",
        fields=Keyed,
        call=_echo,
        answer=Echo,
    ),
    Route(
        method="POST",
        path="/sample/made",
        summary="Made",
        right="capture",
        fields=Plain,
        call=_made,
        answer=Echo,
        status=201,
    ),
    Route(
        method="POST",
        path="/sample/hook",
        summary="Hook",
        right="capture",
        fields=Tool,
        call=_echo,
        answer=Echo,
    ),
    Route(
        method="POST",
        path="/sample/fails",
        summary="Fails",
        right="read",
        fields=Plain,
        call=_fail,
        answer=Echo,
    ),
    Route(
        method="GET",
        path="/sample/text",
        summary="Text",
        right="read",
        call=_text,
        answer=str,
        media="text/plain; version=0.0.4",
    ),
    Route(
        method="POST",
        path="/sample/loop",
        summary="On the loop",
        right="read",
        fields=Plain,
        call=_echo_on_the_loop,
        answer=Echo,
    ),
    StreamRoute(
        method="GET",
        path="/sample/count",
        summary="Pieces",
        right="read",
        fields=Asked,
        call=_count,
        media="text/plain",
        filename="count.txt",
    ),
    StreamRoute(
        method="GET",
        path="/sample/ticks",
        summary="Events",
        right="read",
        call=_tick,
        media="text/event-stream",
    ),
    UploadRoute(
        method="POST",
        path="/sample/upload",
        summary="Upload",
        right="admin",
        call=_sizes,
        takes=("application/zstd",),
        answer=int,
        max_body=3_000_000,
    ),
)
