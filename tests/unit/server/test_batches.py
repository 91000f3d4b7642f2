"""Requests of one caller that are answered together: each gets its own answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.caller import Caller, Callers
from recollect.core.errors import InvalidInput, StoreError
from recollect.pool import MemoryPool
from recollect.server.app import HttpApp, all_routes
from recollect.server.calls import MOST_TOGETHER, Batches, Calls
from recollect.server.middleware import ErrorAnswers
from recollect.server.response import Message
from recollect.server.route import LARGE, Route

CREATE, TOOL = "/api/observations", "/api/hooks/tool-result"
Answer = tuple[int, Any]


@pytest.fixture
def calls() -> Iterator[Calls]:
    """Threads."""
    calls = Calls()
    yield calls
    calls.close()


@pytest.fixture
def callers(tmp_path: Path) -> Iterator[Callers]:
    """Those who may call, in a home of its own."""
    with MemoryPool(tmp_path / "home", {"embedding.provider": "none"}) as pool:
        yield Callers(pool)


class Watched:
    """The application, with notes of who was answered in each batch, and of how many requests.

    Args:
        failing: What the call raises for each batch of several.
    """

    def __init__(self, failing: Exception | None = None) -> None:
        self.batches: list[tuple[Caller, int]] = []
        self._failing = failing
        self._app = HttpApp([self._watched(each) for each in all_routes()])

    def ask(self, *asked: tuple[Caller, str, object]) -> list[Answer]:
        """Return the answers to requests that come at the same time."""

        async def main() -> list[Answer]:
            return list(await asyncio.gather(*(self._one(*each) for each in asked)))

        try:
            return asyncio.run(main())
        finally:
            self._app.calls.close()

    def _watched(self, route: Any) -> Any:
        if not isinstance(route, Route) or not route.is_shared:
            return route

        def call(caller: Caller, given: Sequence[Any]) -> Any:
            self.batches.append((caller, len(given)))
            if self._failing is not None and len(given) > 1:
                raise self._failing
            return route.call(caller, given)  # type: ignore[arg-type]

        return msgspec.structs.replace(route, call=call)

    async def _one(self, caller: Caller, path: str, body: object) -> Answer:
        sent: list[Message] = []

        async def receive() -> Message:
            raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
            return {"type": "http.request", "body": raw}

        async def send(message: Message) -> None:
            sent.append(message)

        state = {"caller": caller, "headers": {b"content-type": b"application/json"}}
        scope = {"type": "http", "method": "POST", "raw_path": path.encode(), "query_string": b""}
        app = ErrorAnswers(self._app)
        await app({**scope, "headers": (), "state": state}, receive, send)
        return sent[0]["status"], msgspec.json.decode(sent[1]["body"])


def test_what_comes_while_a_batch_is_under_way_is_the_next_one(calls: Calls) -> None:
    """One alone goes at once; of those after it each gets what was made of its own item."""
    begun, go_on, seen = threading.Event(), threading.Event(), list[list[int]]()

    def work(items: Sequence[int]) -> list[int | Exception]:
        seen.append(list(items))
        begun.set()
        go_on.wait(60)
        return [InvalidInput("odd", hint="be even") if item % 2 else item * 10 for item in items]

    async def main() -> list[Any]:
        batches = Batches()
        first = asyncio.ensure_future(batches.run("kind", partial(calls.run, work), 0))
        assert await asyncio.to_thread(begun.wait, 60)
        others = [
            asyncio.ensure_future(batches.run("kind", partial(calls.run, work), n))
            for n in range(1, MOST_TOGETHER + 3)
        ]
        assert (
            await batches.run("other", partial(calls.run, list), 5) == 5
        )  # those before it are waiting now
        others[1].cancel()
        go_on.set()
        return await asyncio.gather(first, *others, return_exceptions=True)

    got = asyncio.run(main())
    assert [len(each) for each in seen] == [1, MOST_TOGETHER, 2]
    assert [value for value in got if isinstance(value, int)] == [
        n * 10 for n in range(0, MOST_TOGETHER + 3, 2) if n != 2
    ]
    assert all(isinstance(got[n], InvalidInput) for n in range(1, MOST_TOGETHER + 3, 2))
    assert isinstance(got[2], asyncio.CancelledError)


def test_kinds_do_not_wait_for_one_another(calls: Calls) -> None:
    """Each has a thread; an error of the work itself reaches all of its batch only."""
    go_on = threading.Event()

    def slow(items: Sequence[int]) -> list[int]:
        assert go_on.wait(60)
        return list(items)

    def broken(_items: Sequence[int]) -> list[int]:
        raise ValueError

    async def main() -> list[Any]:
        batches = Batches()
        slowly = asyncio.ensure_future(batches.run("slow", partial(calls.run, slow), 1))
        failed = await asyncio.gather(
            *(batches.run("broken", partial(calls.run, broken), n) for n in range(2)),
            return_exceptions=True,
        )
        go_on.set()
        return [await slowly, *failed]

    assert list(map(type, asyncio.run(main()))) == [int, ValueError, ValueError]


def test_each_request_of_a_mixed_batch_gets_its_own_answer(
    callers: Callers, tmp_path: Path
) -> None:
    """Good ones, an event id twice, and all that is refused, in one batch."""
    owner = callers.local("owner", "admin", channels=("*",))
    paused = str(tmp_path / "paused")
    owner.memory.capture.pause(paused)
    asked = [
        {"session_key": "a", "tool_name": "Bash", "output": "one", "event_id": "e1"},
        {"session_key": "a", "tool_name": "Bash", "output": "again", "event_id": "e1"},
        {"session_key": "a", "summary": "x", "importance": 7},
        {"session_key": "p", "project_path": paused, "tool_name": "Read", "output": "no"},
        {"session_id": "no-such-session", "summary": "x"},
        {"session_key": "c", "summary": "x", "created_at": "soon"},
        {"session_key": "b", "summary": "two", "event_id": "e1"},
    ]
    watched = Watched()
    answers = watched.ask(*((owner, CREATE, each) for each in asked))
    assert watched.batches == [(owner, len(asked))]
    assert [status for status, _ in answers] == [201, 200, 422, 403, 404, 422, 201]
    first, again, *_, other = (answer for _, answer in answers)
    assert (first["output"], again["id"], again["output"]) == ("one", first["id"], "one")
    assert other["summary"] == "two"
    assert owner.memory.sessions.known("p") is owner.memory.sessions.known("c") is None
    kept = owner.memory.observations.list()
    assert {each.number for each in kept} == {first["id"], other["id"]}


def test_each_hook_of_a_mixed_batch_is_told_what_became_of_it(
    callers: Callers, tmp_path: Path
) -> None:
    """With 200; one that is not captured begins no session for the others' sake."""
    owner = callers.local("owner", "admin", channels=("*",))
    paused = str(tmp_path / "paused")
    owner.memory.capture.pause(paused)
    asked = [
        {"session_key": "p", "project_path": paused, "tool_name": "Read", "output": "no"},
        {"session_key": "a", "tool_name": "Bash", "importance": 7, "tool_use_id": "t1"},
        {"session_key": "a", "tool_name": "Bash", "tool_use_id": "t1"},
        {"session_key": "p", "tool_name": "Read", "output": "yes"},
    ]
    watched = Watched()
    answers = watched.ask(*((owner, TOOL, each) for each in asked))
    assert watched.batches == [(owner, len(asked))]
    assert {status for status, _ in answers} == {200}
    told = [answer["status"] for _, answer in answers]
    assert told == ["not_captured", "stored", "duplicate", "stored"]
    assert answers[0][1]["reason"] == "paused"
    assert [answer["session_key"] for _, answer in answers[1:]] == ["a", "a", "p"]


def test_two_tokens_never_share_a_batch(callers: Callers) -> None:
    """Each event names its own; a right that one lacks is refused to it alone, and in the audit."""
    tokens = callers.tokens()
    ann, bob = (
        callers.of(tokens.add(name, audience="owner", rights="capture").text)
        for name in ("ann", "bob")
    )
    reader = callers.of(tokens.add("reader", audience="owner").text)
    asked = [
        (caller, CREATE, {"session_key": caller.token.name, "summary": f"{n}"})
        for n in range(4)
        for caller in (ann, bob, reader)
    ]
    watched = Watched()
    answers = watched.ask(*asked)
    assert sorted((c.token.name, n) for c, n in watched.batches) == [("ann", 4), ("bob", 4)]
    assert [status for status, _ in answers] == [201, 201, 403] * 4
    for name in ("ann", "bob"):
        session = ann.memory.sessions.known(name)
        assert session is not None
        kept = ann.memory.observations.list(session_id=session.id)
        assert {each.summary for each in kept} == {"0", "1", "2", "3"}
    events = ann.memory.events.since(0, types=["observations.recorded"])
    told = {(found.event.scope.session, found.actor) for found in events}
    assert {actor for _, actor in told} == {"ann", "bob"}
    assert len(told) == 2
    refused = [(e.actor, e.action) for e in ann.memory.audit.latest() if e.outcome == "refused"]
    assert refused == [("reader", "right.capture")]


def test_what_fails_for_a_batch_is_tried_for_each_alone(callers: Callers) -> None:
    """It may have been another's; where it may be stored already, all are told so."""
    owner = callers.local("owner", "write")
    asked = [(owner, CREATE, {"session_key": "a", "summary": f"{n}"}) for n in range(3)]
    broken = Watched(StoreError("broken", hint="try again"))
    assert [status for status, _ in broken.ask(*asked)] == [201] * 3
    assert [number for _, number in broken.batches] == [3, 1, 1, 1]
    unknown = Watched(StoreError("broken", hint="try again", outcome="unknown"))
    assert {status for status, _ in unknown.ask(*asked)} == {500}
    assert [number for _, number in unknown.batches] == [3]


def test_a_large_request_holds_up_no_other(callers: Callers) -> None:
    """It is read, cleaned and stored on a thread of its own; its refusal is its own."""
    owner = callers.local("owner", "write")
    large = {"session_key": "a", "tool_name": "Bash", "output": "x " * LARGE}
    asked = [large, {"session_key": "a", "summary": "x"}, large | {"importance": 2}]
    watched = Watched()
    answers = watched.ask(*((owner, CREATE, each) for each in asked))
    assert [status for status, _ in answers] == [201, 201, 422]
    assert [number for _, number in watched.batches] == [1, 1, 1]
