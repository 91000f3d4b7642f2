"""`GET /api/events` over a real connection."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

import pytest

import recollect
from recollect.caller import Caller
from recollect.core.errors import Conflict
from recollect.server.route import Nothing, Piece, StreamRoute
from recollect.server.shares import OWNER
from tests.support.running_server import OVERRIDES, RunningServer
from tests.support.wire import Wire, request


def opened(server: RunningServer, wire: Wire, target: str, **headers: str) -> None:
    """Begin a stream, and read its head and first piece."""
    wire.send(request("GET", target, server.headers(**headers)))
    head = wire.head()
    assert head is not None
    assert head.status == 200
    assert head.headers["content-type"] == "text/event-stream"
    assert head.headers["cache-control"] == "no-store"
    piece = wire.piece()
    assert piece is not None
    assert piece.startswith(b"retry: 2000\nid: ")


def seqs(wire: Wire, last: int) -> list[int]:
    """Return the seqs of the events that come, up to a last one."""
    found: list[int] = []
    while not found or found[-1] != last:
        piece = wire.piece()
        assert piece is not None
        lines = [line for line in piece.decode().splitlines() if line.startswith("data: ")]
        found += [json.loads(line[6:])["seq"] for line in lines]
    return found


def test_events_come_to_whoever_listens_and_after_a_break_the_rest(tmp_path: Path) -> None:
    """Issue 12, 6: live, and replay by Last-Event-ID."""
    with RunningServer(tmp_path / "home") as server:
        sessions = server.pool.memory().sessions
        with Wire(server.port) as wire:
            opened(server, wire, "/api/events")
            sessions.create()
            sessions.create()
            assert seqs(wire, 2) == [1, 2]
        sessions.create()
        with Wire(server.port) as wire:
            opened(server, wire, "/api/events?since=0", last_event_id="2")
            assert seqs(wire, 3) == [3]


def test_what_another_process_does_is_told_as_well(tmp_path: Path) -> None:
    """Its commits ring no bell here: the stream looks again by itself."""
    with (
        RunningServer(tmp_path / "home") as server,
        Wire(server.port) as wire,
        recollect.open(tmp_path / "home", overrides=OVERRIDES, live=False) as other,
    ):
        opened(server, wire, "/api/events")
        other.sessions.create()
        assert seqs(wire, 1) == [1]


def test_a_wrong_question_is_answered_before_the_stream_begins(tmp_path: Path) -> None:
    """As any other."""
    with RunningServer(tmp_path / "home") as server:
        for target in ("/api/events?types=odd", "/api/events?since=-1", "/api/events?since=x"):
            reply = server.call("GET", target)
            assert (reply.status, reply.code) == (422, "invalid_input"), target


def test_the_streams_end_when_the_server_stops(tmp_path: Path) -> None:
    """At once and in order: the body has its end, so no client sees a failure."""
    server = RunningServer(tmp_path / "home")
    with server:
        wires = [Wire(server.port) for _ in range(3)]
        for wire in wires:
            opened(server, wire, "/api/events")
        server.pool.memory().sessions.create()
        for wire in wires:
            assert seqs(wire, 1) == [1]
    for wire in wires:
        assert wire.piece() == b""
        assert wire.is_closed()
        wire.close()


def test_a_browser_whose_place_is_gone_gets_a_reset(tmp_path: Path) -> None:
    """After a restore the journal is shorter; silence would hide all that comes."""
    with RunningServer(tmp_path / "home") as server:
        sessions = server.pool.memory().sessions
        sessions.create()
        with Wire(server.port) as wire:
            wire.send(request("GET", "/api/events", server.headers(last_event_id="90")))
            assert wire.head() is not None
            first = (wire.piece() or b"").decode()
            assert 'event: reset\ndata: {"type":"reset","seq":1,"lost":90}' in first
            sessions.create()
            assert seqs(wire, 2) == [2]
        reply = server.call("GET", "/api/events?since=90")
        assert (reply.status, reply.code) == (409, "conflict")


def test_a_place_in_the_journal_of_before_a_restore_is_gone(tmp_path: Path) -> None:
    """Also where the journal has passed it again: other events have its numbers."""
    home, copy = tmp_path / "home", tmp_path / "copy.tar.gz"
    with recollect.open(home, overrides=OVERRIDES, live=False) as memory:
        memory.backup(copy)
        memory.sessions.create()
        memory.sessions.create()
        place, newest = memory.events.cursor(), memory.events.last_seq()
    recollect.restore(copy, home)
    with recollect.open(home, overrides=OVERRIDES, live=False) as memory:
        for _ in range(3):
            memory.sessions.create()
        assert memory.events.last_seq() > newest
        with pytest.raises(Conflict, match="of a journal that was replaced"):
            memory.events.since(place)
        again = memory.events.cursor(newest)
    with RunningServer(home) as server:
        seen: list[str] = []
        for known in (place, again):
            with Wire(server.port) as wire:
                wire.send(request("GET", "/api/events", server.headers(last_event_id=known)))
                assert wire.head() is not None
                seen.append((wire.piece() or b"").decode())
        assert [f'"lost":{newest}' in first for first in seen] == [True, False]
        reply = server.call("GET", f"/api/events?since={place}")
        assert (reply.status, reply.code) == (409, "conflict")


async def _for_ever(_caller: Caller, _given: Nothing) -> AsyncGenerator[Piece, None]:
    while True:
        yield b"x" * 1_000_000


def test_a_client_that_takes_nothing_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without hanging up it would keep one of the 64 connections for ever."""
    monkeypatch.setattr("recollect.server.streams.STUCK_S", 0.1)
    endless = StreamRoute(
        method="GET",
        path="/endless",
        summary="Never end",
        right="read",
        call=_for_ever,
        media="text/plain",
    )
    with RunningServer(tmp_path / "home", [endless]) as server, Wire(server.port) as wire:
        wire.send(request("GET", "/endless", server.headers()))
        assert wire.head() is not None
        while b"recollect_open_streams 0" not in server.call("GET", "/metrics").body:
            pass
        with suppress(ConnectionResetError):
            assert wire.is_closed()


def test_streams_leave_the_threads_to_others(tmp_path: Path) -> None:
    """As many streams as a token may have; a request is answered all the same."""
    with RunningServer(tmp_path / "home") as server:
        wires = [Wire(server.port) for _ in range(OWNER.streams.each)]
        for wire in wires:
            opened(server, wire, "/api/events")
        assert server.call("GET", "/api/stats").status == 200
        server.pool.memory().sessions.create()
        for wire in wires:
            assert seqs(wire, 1) == [1]
            wire.close()
