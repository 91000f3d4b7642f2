"""Semaphores: so much at the same time, and of that so much for one; those that wait take turns."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import StoreError
from recollect.governance.tokens import Token
from recollect.server.calls import MOST_THREADS, Calls
from recollect.server.errors import Refused
from recollect.server.request import SLACK
from recollect.server.route import LARGE
from recollect.server.serving import Limits
from recollect.server.shares import GUESTS, OWNER, Admissions, FairSemaphore, Share


def test_the_shares_leave_room_for_hooks_and_health() -> None:
    """And a body as long as it may be fits into every share, or it would wait for ever."""
    assert OWNER.requests.most + GUESTS.requests.most <= Limits().connections - 16
    assert OWNER.threads.most + GUESTS.threads.most <= MOST_THREADS - 2
    for quota in (OWNER, GUESTS):
        assert quota.streams.each < quota.requests.each
        assert quota.body_bytes.each > quota.body + SLACK


def test_the_documented_shares_are_those_in_force() -> None:
    """An operator plans by the table of docs/server.md."""
    rows = _table("(shares)=")
    counted = {
        "requests that": "requests",
        "of these, streams": "streams",
        "requests in work on": "threads",
        "requests in work with": "large",
    }
    for row, name in counted.items():
        _, owners, guests, each, _ = rows[row]
        owner, guest = getattr(OWNER, name), getattr(GUESTS, name)
        assert (owners, guests, each) == (str(owner.most), str(guest.most), str(guest.each))
        assert owner.each == owner.most
    _, owners, guests, each, _ = rows["bytes of bodies"]
    shares = (OWNER.body_bytes.most, GUESTS.body_bytes.most, GUESTS.body_bytes.each)
    assert (owners, guests, each) == tuple(f"{most // 1_000_000} MB" for most in shares)
    _, owners, _, each, _ = rows["bytes of one body"]
    assert (owners, each) == (f"{OWNER.body // 1_000_000} MB", f"{GUESTS.body // 1_000} kB")


def _table(label: str) -> dict[str, list[str]]:
    """Return the rows of the table after a label of docs/server.md, by how they begin."""
    text = (Path(__file__).parents[3] / "docs" / "server.md").read_text("utf-8")
    lines = text[text.index(label) :].split("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    beginnings = (
        *("requests that", "of these, streams", "requests in work on", "requests in work with"),
        *("bytes of bodies", "bytes of one body"),
    )
    return {it: next(row for row in rows if row[0].startswith(it)) for it in beginnings}


T = TypeVar("T")

GUEST = Token(id="1", name="guest", rights="read")
OWNERS = Token(id="2", name="mine", rights="read", audience="owner")


async def _tick() -> None:
    """Let the loop run what is ready."""
    for _ in range(3):
        await asyncio.to_thread(int)


async def _settled(*waiting: Coroutine[Any, Any, T]) -> list[asyncio.Task[T]]:
    tasks = [asyncio.ensure_future(each) for each in waiting]
    await _tick()
    return tasks


def test_those_that_wait_take_turns() -> None:
    """Who has three wishes delays another by one of them."""

    async def main() -> list[str]:
        semaphore, order = FairSemaphore(Share(1, 1)), list[str]()

        async def wish(name: str) -> None:
            await semaphore.wait(name[0])
            order.append(name)

        assert semaphore.take("x")
        tasks = await _settled(*map(wish, ("a1", "a2", "a3", "b1")))
        for holder in "xabaa":
            semaphore.give(holder)
            await _tick()
        assert all(task.done() for task in tasks)
        return order

    assert asyncio.run(main()) == ["a1", "b1", "a2", "a3"]


def test_a_large_wish_at_its_turn_is_not_passed_by_small_ones() -> None:
    """It would starve; and one that its own share keeps out holds up nobody."""

    async def main() -> None:
        semaphore = FairSemaphore(Share(10, 8))
        assert semaphore.take("a", 8)
        large, own, small = await _settled(
            semaphore.wait("b", 8), semaphore.wait("a", 8), semaphore.wait("c", 1)
        )
        assert not semaphore.take("c", 1)
        semaphore.give("a", 8)
        await _tick()
        assert [each.done() for each in (large, own, small)] == [True, False, False]
        semaphore.give("b", 8)
        await asyncio.gather(own, small)

    asyncio.run(main())


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(1, 5), st.booleans()), min_size=1, max_size=30
    )
)
def test_nothing_is_ever_lost_or_given_twice(wishes: list[tuple[str, int, bool]]) -> None:
    """Whatever is waited for, given up and given back, in the end all of it is there again."""

    async def main() -> None:
        semaphore = FairSemaphore(Share(7, 5))

        async def use(holder: str, amount: int) -> None:
            await semaphore.wait(holder, amount)
            try:
                await asyncio.to_thread(int)
            finally:
                semaphore.give(holder, amount)

        tasks = []
        for holder, amount, is_given_up in wishes:
            (task,) = await _settled(use(holder, amount))
            tasks.append(task)
            if is_given_up:
                tasks[len(tasks) // 2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert semaphore.take("a", 5)
        assert semaphore.take("b", 2)
        assert not semaphore.take("c", 1)

    asyncio.run(main())


def test_a_thread_is_held_until_it_is_free_not_until_its_caller_is_gone() -> None:
    """A client that leaves and comes back again and again would take them all."""
    go_on, begun = threading.Event(), threading.Semaphore(0)

    def work() -> None:
        begun.release()
        assert go_on.wait(60)

    async def main(calls: Calls) -> None:
        turn = Admissions(calls).of(GUEST, "read")
        for _ in range(GUESTS.threads.each):
            task = asyncio.ensure_future(turn.run(work))
            assert await asyncio.to_thread(begun.acquire, timeout=60)
            task.cancel()
        (after,) = await _settled(turn.run(len, ""))
        assert not after.done()
        go_on.set()
        assert await after == 0

    calls = Calls()
    try:
        asyncio.run(main(calls))
    finally:
        go_on.set()
        calls.close()


def test_a_thread_that_cannot_be_started_takes_none_of_the_share() -> None:
    """The next one would wait for ever."""

    async def main(calls: Calls) -> None:
        turn = Admissions(calls).of(GUEST, "read")
        for _ in range(GUESTS.threads.each + 1):
            with pytest.raises(StoreError):
                await turn.run(len, "")

    calls = Calls()
    calls.close()
    asyncio.run(main(calls))


def test_a_body_that_finds_no_room_is_refused_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so while it waits, for the deadline of the connection; a small one never waits."""
    monkeypatch.setattr("recollect.server.shares.ROOM_WAIT_S", 0.5)

    async def main() -> None:
        shares = Admissions(Calls())
        first, second = (shares.of(GUEST, "read") for _ in range(2))
        one: dict[str, object] = {}
        two: dict[str, object] = {}
        async with first.holding(17_000_000, one):
            assert not one["held"]
            waiting = second.holding(17_000_000, two)
            (task,) = await _settled(waiting.__aenter__())
            assert two["held"]
            with pytest.raises(Refused) as refused:
                await task
            assert (refused.value.rejection.status, two["held"]) == (503, False)
            async with second.holding(LARGE - 1, {}):
                pass
        async with second.holding(17_000_000, two):
            pass

    asyncio.run(main())


@pytest.mark.parametrize(("token", "most"), [(GUEST, 1), (OWNERS, 2)])
def test_guests_bodies_of_64_kb_are_worked_on_one_at_a_time(token: Token, most: int) -> None:
    """Each keeps the interpreter from the owner's hooks for a while; the owner's go on together."""
    running, seen, go_on = list[int](), list[int](), threading.Event()

    def work(number: int) -> None:
        running.append(number)
        seen.append(len(running))
        assert go_on.wait(60)
        running.remove(number)

    async def one(shares: Admissions, number: int) -> None:
        admission = shares.of(token, "read")
        async with admission.holding(LARGE, {}):
            await admission.run(work, number)

    async def main(calls: Calls) -> None:
        shares = Admissions(calls)
        tasks = await _settled(*(one(shares, number) for number in range(2)))
        while len(seen) < most:
            await _tick()
        go_on.set()
        await asyncio.gather(*tasks)

    calls = Calls()
    asyncio.run(main(calls))
    calls.close()
    assert max(seen) == most
