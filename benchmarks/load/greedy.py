"""The owner's hooks while one guest takes all of the worker that it can get.

The guest has a token and a process of its own. It opens event streams, sends bodies byte by byte,
searches, posts large bodies, or does all of it at the same time; again as soon as it is refused.
The process yields to all others: what it takes of the machine is not what the worker can share.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import NamedTuple

import msgspec

import recollect
from benchmarks.load.session_writer import ALONE
from benchmarks.load.worker import Connection, Served
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Percentiles, percentiles_of
from benchmarks.quality.homes import Progress
from recollect.core.errors import RecollectError

MOST_TIMES = 3.0
"""The p99 of a hook beside the guest, by its p99 alone, that is aimed at."""
_EVERY_S = 0.02
_LARGE, _TOO_LARGE = 250_000, 4_000_000
_PAUSE_S = 0.05
_WARM_S = 1.0


class GreedyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        seconds: Beside each kind of guest, and half as long alone before each.
        connections: Of the guest.
    """

    seconds: float = 20.0
    connections: int = 64


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """Hooks beside one kind of guest.

    Attributes:
        waits: For a hook.
        failed: Hooks that were not answered with 201.
        guest: What the guest was answered, by status; 0 where the connection was closed.
    """

    waits: Percentiles
    failed: int
    guest: dict[str, int]


class GreedyRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run.

    Attributes:
        alone: Wait for a hook.
        beside: By what the guest does.
    """

    environment: Environment
    plan: GreedyPlan
    alone: Percentiles
    beside: dict[str, Beside]

    def times(self, kind: str) -> float:
        """Return the p99 beside the guest by that alone."""
        return self.beside[kind].waits.p99 / self.alone.p99


class GreedyRunner:
    """Measures a worker of a home of its own.

    Args:
        root: Where the home is made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, environment: Environment, progress: Progress) -> None:
        self._root, self._environment, self._progress = root, environment, progress

    def run(self, plan: GreedyPlan) -> GreedyRun:
        """Return the figures.

        Raises:
            RecollectError: the worker did not start, or no hook was answered.
        """
        served = Served(self._root / "greedy")
        with recollect.open(served.home, overrides=ALONE, live=False) as memory:
            token = memory.tokens.add("guest", rights="capture").text
        with served.running():
            return asyncio.run(self._measured(served, plan, token))

    async def _measured(self, served: Served, plan: GreedyPlan, token: str) -> GreedyRun:
        await _hooks(served, _WARM_S)
        alone, beside = list[float](), dict[str, Beside]()
        for done, kind in enumerate(_KINDS):
            alone += (await _hooks(served, plan.seconds / 2))[0]
            self._progress(f"hooks beside {kind}", done, len(_KINDS))
            beside[kind] = await _beside(served, plan, _Guest(served, token, plan, kind))
        return GreedyRun(
            environment=self._environment,
            plan=plan,
            alone=percentiles_of(alone),
            beside=beside,
        )


class _Guest(NamedTuple):
    served: Served
    token: str
    plan: GreedyPlan
    kind: str


async def _beside(served: Served, plan: GreedyPlan, guest: _Guest) -> Beside:
    context = multiprocessing.get_context("spawn")
    ours, guests = context.Pipe()
    process = context.Process(target=_be_greedy, args=(guests, guest))
    process.start()
    await asyncio.to_thread(ours.recv)
    laps, failed = await _hooks(served, plan.seconds)
    ours.send(None)
    answered: Counter[int] = await asyncio.to_thread(ours.recv)
    process.join()
    shown = {str(status): number for status, number in sorted(answered.items())}
    return Beside(waits=percentiles_of(laps), failed=failed, guest=shown)


def _be_greedy(pipe: Pipe, guest: _Guest) -> None:
    """Take what can be taken until something is sent; then send how often what was answered."""
    os.nice(19)
    answered: Counter[int] = Counter()
    acts = _KINDS[guest.kind]

    async def take() -> None:
        tasks = [
            asyncio.create_task(_again(guest, acts[number % len(acts)], answered))
            for number in range(guest.plan.connections)
        ]
        await asyncio.sleep(_WARM_S)
        pipe.send(None)
        await asyncio.to_thread(pipe.recv)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(take())
    pipe.send(answered)


async def _hooks(served: Served, seconds: float) -> tuple[list[float], int]:
    """Return how long hooks waited, each on a connection of its own, and how many failed."""
    laps, failed, until = list[float](), 0, time.perf_counter() + seconds
    while (began := time.perf_counter()) < until:
        status = 0
        with suppress(OSError, EOFError):
            connection = await served.connect()
            status = await connection.store(time.monotonic_ns(), "made: all tests pass " * 25)
            connection.close()
        laps.append(time.perf_counter() - began)
        failed += status != 201
        await asyncio.sleep(_EVERY_S)
    if failed == len(laps):
        raise RecollectError("no hook was answered", hint="read the log of the worker")
    return laps, failed


Act = Callable[[Connection], Awaitable[int]]


async def _again(guest: _Guest, act: Act, answered: Counter[int]) -> None:
    while True:
        status = 0
        with suppress(OSError, EOFError):
            connection = await guest.served.connect(guest.token)
            try:
                status = await act(connection)
            finally:
                connection.close()
        answered[status] += 1
        if status not in {200, 201}:
            await asyncio.sleep(_PAUSE_S)


async def _stream(connection: Connection) -> int:
    return await connection.listen(b"GET /api/events")


async def _trickle(connection: Connection) -> int:
    return await connection.trickle(b"POST /api/search", 1_000, _PAUSE_S)


async def _search(connection: Connection) -> int:
    body = {"query": "which tests passed when the queue was made", "limit": 1_000}
    return (await connection.ask(b"POST /api/search", msgspec.json.encode(body)))[0]


async def _post(connection: Connection, size: int = _LARGE) -> int:
    return await connection.store(time.monotonic_ns(), "all tests pass " * (size // 15))


async def _post_too_large(connection: Connection) -> int:
    return await _post(connection, _TOO_LARGE)


_KINDS: dict[str, tuple[Act, ...]] = {
    "event streams": (_stream,),
    "slow bodies": (_trickle,),
    "searches": (_search,),
    f"bodies of {_LARGE // 1000} kB": (_post,),
    f"bodies of {_TOO_LARGE // 1000:,} kB": (_post_too_large,),
    "all of it": (_stream, _trickle, _search, _post, _post_too_large),
}


def describe_greedy(run: GreedyRun) -> list[str]:
    """Return what was run on what, and what is aimed at."""
    what = (
        f"{run.plan.connections} connections of one guest that does what the row names; "
        f"a hook of the owner every {_EVERY_S * 1000:g} ms, {run.plan.seconds:g} s beside each, "
        "half of that alone before each"
    )
    aim = f"aims at a p99 beside the guest of at most {MOST_TIMES:g} times that alone"
    return [what, aim, *describe_lines(run.environment)]


def greedy_grids(run: GreedyRun) -> list[Grid]:
    """Return the waits of the owner's hooks, and what the guest was answered."""
    alone = ("alone", f"{run.alone.p50:.1f} ms", f"{run.alone.p99:.1f} ms", "", "", "")
    rows = tuple(
        (
            kind,
            f"{each.waits.p50:.1f} ms",
            f"{each.waits.p99:.1f} ms",
            f"{run.times(kind):.1f}",
            str(each.failed),
            ", ".join(f"{status}: {number:,}" for status, number in each.guest.items()),
        )
        for kind, each in run.beside.items()
    )
    columns = ("beside", "p50", "p99", "times", "failed", "answers to the guest")
    return [Grid(title="Hooks of the owner", columns=columns, rows=(alone, *rows))]
