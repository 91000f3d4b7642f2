"""Streams of events, drawn by hand: what they tell, to whom, and when they end."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.caller import Caller, Callers
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.pool import MemoryPool
from recollect.server.route import Piece
from recollect.server.routes.events import PATIENCE_S, EventPieces, EventsWanted, events


@pytest.fixture
def callers(tmp_path: Path) -> Iterator[Callers]:
    """Who calls a home."""
    with MemoryPool(tmp_path / "home", {"embedding.provider": "none"}) as pool:
        yield Callers(pool)


class Hours:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        """Return the seconds that passed."""
        return self.at


def told(piece: Piece) -> list[dict[str, Any]]:
    """Return the events of a piece, whose lines must be those of a browser's."""
    found = []
    for block in piece.decode().removesuffix("\n\n").split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n"))
        document = json.loads(lines["data"])
        place = re.fullmatch("([0-9]+)-[0-9a-f]{8}", lines["id"])
        assert place is not None
        assert (place[1], lines["event"]) == (str(document["seq"]), document["type"])
        found.append(document)
    return found


def drawn(
    caller: Caller, act: Callable[[], object], pages: int = 1, **given: Any
) -> list[dict[str, Any]]:
    """Return what a stream tells after its head: what happens while it is drawn."""

    async def draw() -> list[dict[str, Any]]:
        pieces = aiter(events(caller, EventsWanted(**given)))
        assert (await anext(pieces)).startswith(b"retry: ")
        act()
        found = []
        for _ in range(pages):
            found += told(await anext(pieces))
        await pieces.aclose()  # type: ignore[attr-defined]
        return found

    return asyncio.run(draw())


def test_what_comes_is_told_from_now_on(callers: Callers) -> None:
    """Without a place to begin at: nothing of before, and nothing falls between."""
    caller = callers.local("owner")
    caller.memory.sessions.create(title="before")
    pieces = events(caller, EventsWanted())
    session = caller.memory.sessions.create("between")

    async def first() -> list[dict[str, Any]]:
        drawing = aiter(pieces)
        await anext(drawing)
        return told(await anext(drawing))

    (event,) = asyncio.run(first())
    assert event["type"] == "session.created"
    assert event["scope"]["session"] == session.id
    assert (event["key"], event["actor"]) == ("between", None)


def test_what_was_missed_is_told_first(callers: Callers) -> None:
    """After a seq; the header of a browser that comes back wins over its address."""
    caller = callers.local("owner")
    for number in range(3):
        caller.memory.sessions.create(f"n{number}")
    place = caller.memory.events.cursor(1)
    places: tuple[dict[str, Any], ...] = (
        {"since": "1"},
        {"since": place},
        {"since": "0", "last_event_id": place},
    )
    for given in places:
        assert [event["seq"] for event in drawn(caller, lambda: None, **given)] == [2, 3]


def test_pages_follow_each_other(callers: Callers) -> None:
    """A long replay is told page by page, as fast as it is taken."""
    caller = callers.local("owner")
    session = caller.memory.sessions.create()
    for _ in range(600):
        caller.memory.sessions.append(session.id, "user", "kites")
    found = drawn(caller, lambda: None, pages=2, since="0")
    assert [event["seq"] for event in found] == list(range(1, 602))


def test_only_the_types_that_are_wanted_are_told(callers: Callers) -> None:
    """Comma-separated or repeated; an unknown one is refused before anything is sent."""
    caller = callers.local("owner")

    def act() -> None:
        session = caller.memory.sessions.create()
        caller.memory.sessions.append(session.id, "user", "kites")
        caller.memory.sessions.rename(session.id, "Kites")

    for types in (["session.created,session.changed"], ["session.created", "session.changed"]):
        found = drawn(caller, lambda: None, since="0", types=types) if types[1:] else []
        act()
        found = found or drawn(caller, lambda: None, since="0", types=types)
        assert {event["type"] for event in found} == {"session.created", "session.changed"}
    with pytest.raises(InvalidInput, match="unknown type"):
        events(caller, EventsWanted(types=["session.created", "odd"]))


def test_a_token_is_told_of_the_sessions_that_it_may_hear(callers: Callers) -> None:
    """Issue 12, shows: 0 rows across audiences; also not what belongs to no session."""
    owner = callers.local("owner", "write", channels=("*",))
    guest = callers.local("session:telegram:5", "write", "guest")
    memory = owner.memory
    memory.sessions.create("notes")
    mine = owner.writes_to("telegram:5")
    with guest.acting():
        guest.memory.sessions.append(mine.id, "user", "kites")
    owner.writes_to("telegram:6")
    memory.backup(memory.home.parent / "copy")
    with owner.acting():
        memory.sessions.append(mine.id, "assistant", "kites")
    found = drawn(guest, lambda: None, since="0")
    assert {event["scope"]["session"] for event in found} == {mine.id}
    assert [event["actor"] for event in found] == [None, "guest", None]
    everything = drawn(owner, lambda: None, since="0")
    assert len(everything) == 6
    assert [event["actor"] for event in everything][-1] == "local"


def test_a_scope_narrows_what_the_operator_is_told(callers: Callers) -> None:
    """Another tenant's, agent's or project's happenings are not there."""
    owner = callers.local("owner", "write")
    owner.writes_to("agent:work:main")
    owner.writes_to("notes")
    worker = callers.local("owner", scope=Scope(agent="work"))
    assert [event["key"] for event in drawn(worker, lambda: None, since="0")] == ["agent:work:main"]
    stranger = callers.local("owner", "write", scope=Scope(tenant="acme"))
    found = drawn(stranger, lambda: stranger.writes_to("theirs"), since="0")
    assert [event["key"] for event in found] == ["theirs"]


async def _until_the_end(pieces: AsyncIterator[Piece]) -> list[Piece]:
    return [piece async for piece in pieces]


def test_a_stream_ends_with_its_token(callers: Callers) -> None:
    """A revoked token hears nothing more, also not what was there before."""
    tokens = callers.tokens()
    caller = callers.of(tokens.add("a", audience="owner").text)

    async def draw() -> list[Piece]:
        pieces = aiter(events(caller, EventsWanted()))
        await anext(pieces)
        caller.memory.sessions.create()
        tokens.revoke("a")
        return await _until_the_end(pieces)

    assert asyncio.run(draw()) == [b": the token is not valid any more\n\n"]


def test_a_silent_stream_gives_signs_of_life(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They tell how far it is: who comes back does not look through what was not for them."""
    monkeypatch.setattr("recollect.server.routes.events.HEARTBEAT_S", 0.01)
    caller = callers.local("shared", "write", "a")
    caller.for_session()
    seq = caller.memory.events.last_seq()
    callers.local("owner", "write").writes_to("notes")

    async def draw() -> list[Piece]:
        pieces = aiter(events(caller, EventsWanted(since=str(seq))))
        await anext(pieces)
        return [await anext(pieces), await anext(pieces)]

    *_, piece = asyncio.run(draw())
    assert piece == f": still here\nid: {caller.memory.events.cursor(seq + 1)}\n\n".encode()


def test_a_reader_that_takes_nothing_is_let_go(callers: Callers) -> None:
    """With a word: it can come back to where it was. Nothing is kept for it meanwhile."""
    caller, hours = callers.local("owner"), Hours()

    async def draw() -> list[Piece]:
        pieces = EventPieces(caller, 0, now=hours).pieces()
        await anext(pieces)
        caller.memory.sessions.create()
        hours.at += PATIENCE_S
        event = await anext(pieces)
        hours.at += PATIENCE_S + 1
        return [event, *await _until_the_end(pieces)]

    event, *rest = asyncio.run(draw())
    assert told(event)[0]["seq"] == 1
    assert rest == [b": too slow; come back with Last-Event-ID\n\n"]


def test_a_stream_that_is_closed_is_rung_no_more(callers: Callers) -> None:
    """Writers do not wait for who has gone."""
    caller = callers.local("owner")
    drawn(caller, lambda: caller.memory.sessions.create())
    bells = caller.memory.events._bells._bells  # noqa: SLF001 - nothing else tells
    assert bells == {}
    caller.memory.sessions.create()
