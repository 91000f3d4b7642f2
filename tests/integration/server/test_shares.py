"""One guest takes all it can get: the owner's hooks, and health, are answered all the same."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from recollect.server.route import Nothing, Route
from recollect.server.serving import Limits
from recollect.server.shares import GUESTS, OWNER
from tests.support.running_server import RunningServer
from tests.support.sample_routes import SAMPLES
from tests.support.wire import Reply, Wire, request

ALL = Limits().connections


class _Stuck:
    """A route whose requests stay in work until they are let go."""

    def __init__(self) -> None:
        self.go_on, self.most = threading.Event(), 0
        self._running, self._lock = 0, threading.Lock()
        self.begun = threading.Semaphore(0)

    def call(self, _caller: object, _given: Nothing) -> int:
        with self._lock:
            self._running += 1
            self.most = max(self.most, self._running)
        self.begun.release()
        assert self.go_on.wait(60)
        with self._lock:
            self._running -= 1
        return 1

    def route(self) -> Route:
        return Route(
            method="GET",
            path="/sample/stuck",
            summary="Stuck",
            right="read",
            call=self.call,
            answer=int,
        )


@pytest.fixture
def stuck() -> Iterator[_Stuck]:
    """Let go at the end, whatever fails."""
    made = _Stuck()
    yield made
    made.go_on.set()


def _guest(server: RunningServer, name: str = "guest") -> dict[str, str]:
    issued = server.tokens.add(name, rights="admin")
    return server.headers(authorization=f"Bearer {issued.text}")


def _hook_is_answered(server: RunningServer) -> None:
    """The owner's hook, health and what else the owner asks."""
    hook = server.call("POST", "/api/hooks/session-start", b'{"session_key": "k"}')
    assert (hook.status, hook.json["status"]) == (200, "began")
    assert server.call("GET", "/api/health").status == 200
    assert server.call("GET", "/api/stats").status == 200


def _answers(wires: list[Wire], ending: bytes = b"") -> list[Reply]:
    replies = [wire.send(ending).reply(is_stream=True) for wire in wires]
    return [each for each in replies if each is not None]


def test_event_streams_of_one_guest_leave_connections_to_others(tmp_path: Path) -> None:
    """64 of them took every connection."""
    with RunningServer(tmp_path, SAMPLES) as server, ExitStack() as held:
        ticks = request("GET", "/sample/ticks", _guest(server))
        wires = [held.enter_context(Wire(server.port)).send(ticks) for _ in range(ALL)]
        replies = _answers(wires)
        assert [each.status for each in replies].count(200) == GUESTS.streams.each
        refused = [each for each in replies if each.status != 200]
        assert {(each.status, each.code) for each in refused} == {
            (429, "too_many_streams"),
        }
        assert {each.headers["retry-after"] for each in refused} == {"1"}
        _hook_is_answered(server)


def test_slow_bodies_of_one_guest_leave_connections_to_others(tmp_path: Path) -> None:
    """Those over its share are refused before their body is read; the others go on."""
    with RunningServer(tmp_path, SAMPLES) as server, ExitStack() as held:
        headers = _guest(server) | {"content-type": "application/json", "content-length": "2"}
        slow = request("POST", "/sample/plain", headers, b"{")
        wires = [held.enter_context(Wire(server.port)).send(slow) for _ in range(ALL)]
        _hook_is_answered(server)
        replies = _answers(wires, b"}")
        assert [each.status for each in replies].count(200) == GUESTS.requests.each
        assert {each.code for each in replies if each.status != 200} == {"too_many_requests"}


def test_two_guests_together_do_not_take_all_either(tmp_path: Path) -> None:
    """What all guests may take is less than there is, also without the owner's own share."""
    with RunningServer(tmp_path, SAMPLES) as server, ExitStack() as held:
        for name in ("one", "two", "three"):
            ticks = request("GET", "/sample/ticks", _guest(server, name))
            wires = [held.enter_context(Wire(server.port)).send(ticks) for _ in range(20)]
            statuses = {each.status for each in _answers(wires)}
            assert statuses == ({503} if name == "three" else {200, 429})
        _hook_is_answered(server)


def test_requests_in_work_of_one_guest_leave_threads_to_others(
    tmp_path: Path, stuck: _Stuck
) -> None:
    """Sixteen of them took every thread; now the guest's own wait for one another."""
    with RunningServer(tmp_path, [*SAMPLES, stuck.route()]) as server, ExitStack() as held:
        work = request("GET", "/sample/stuck", _guest(server))
        wires = [
            held.enter_context(Wire(server.port)).send(work) for _ in range(GUESTS.requests.each)
        ]
        for _ in range(GUESTS.threads.each):
            assert stuck.begun.acquire(timeout=60)
        _hook_is_answered(server)
        stuck.go_on.set()
        assert [each.status for each in _answers(wires)] == [200] * GUESTS.requests.each
        assert stuck.most == GUESTS.threads.each


def test_a_guest_sends_little_at_once(tmp_path: Path) -> None:
    """The longest look of a pattern at a body keeps the owner's hooks from being answered."""
    with RunningServer(tmp_path, SAMPLES) as server:
        guest = _guest(server)["authorization"]
        body = b'{"number": 1, "text": "%s"}' % (b"a" * GUESTS.body)
        assert server.call("POST", "/sample/plain", body).status == 200
        refused = server.call("POST", "/sample/plain", body, authorization=guest)
        assert (refused.status, refused.code) == (413, "too_large")
        hook = b'{"session_id": "s", "output": "%s", "tool_use_id": "t"}' % (b"a" * GUESTS.body)
        for authorization, most in (
            (server.headers()["authorization"], len(hook)),
            (guest, GUESTS.body),
        ):
            values = server.call("POST", "/sample/hook", hook, authorization=authorization).json[
                "values"
            ]
            assert (values["session_id"], values["tool_use_id"]) == ("s", "t")
            assert values["left_out"] == len(hook) - most


def test_what_the_owner_asks_leaves_room_for_the_owners_hooks(
    tmp_path: Path, stuck: _Stuck
) -> None:
    """A viewer in every tab, and programs that search: a hook is not one of them."""
    with RunningServer(tmp_path, [*SAMPLES, stuck.route()]) as server, ExitStack() as held:
        work = request("GET", "/sample/stuck", server.headers())
        wires = [held.enter_context(Wire(server.port)).send(work) for _ in range(ALL)]
        for _ in range(OWNER.threads.most):
            assert stuck.begun.acquire(timeout=60)
        hook = server.call("POST", "/api/hooks/session-start", b'{"session_key": "k"}')
        assert hook.status == 200
        assert server.call("GET", "/api/health").status == 200
        stuck.go_on.set()
        statuses = [each.status for each in _answers(wires)]
        assert statuses.count(200) == OWNER.requests.most
        assert set(statuses) == {200, 429}


def test_a_share_is_given_back_when_the_client_leaves(tmp_path: Path) -> None:
    """And a refusal takes none of it."""
    with RunningServer(tmp_path, SAMPLES) as server, ExitStack() as held:
        ticks = request("GET", "/sample/ticks", _guest(server))
        first = [Wire(server.port).send(ticks) for _ in range(GUESTS.streams.each)]
        assert [each.status for each in _answers(first)] == [200] * len(first)
        for wire in first:
            wire.close()
        open_streams = len(first)
        while open_streams:
            told = server.call("GET", "/metrics").body.decode()
            open_streams = int(told.split("\nrecollect_open_streams ")[1].split("\n")[0])
        second = held.enter_context(Wire(server.port)).send(ticks).reply(is_stream=True)
        assert second is not None
        assert second.status == 200
