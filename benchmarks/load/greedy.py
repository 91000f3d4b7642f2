"""The owner's hooks while one guest takes all of the worker that it can get.

The guest has a token of its own, and opens event streams, sends bodies byte by byte, searches, and
posts what is as large as a hook may be, all at the same time and again as soon as it is refused.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

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
_LARGE = 4_000_000
_PAUSE_S = 0.05


class GreedyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        seconds: Alone, and again beside the guest.
        connections: Of the guest, of each kind.
    """

    seconds: float = 20.0
    connections: int = 64


class GreedyRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run.

    Attributes:
        alone: Wait for a hook.
        beside: The same beside the guest.
        failed: Hooks that were not answered with 200.
        guest: What the guest was answered, by status; 0 where the connection was closed.
    """

    environment: Environment
    plan: GreedyPlan
    alone: Percentiles
    beside: Percentiles
    failed: int
    guest: dict[str, int]

    @property
    def times(self) -> float:
        """Return the p99 beside the guest by that alone."""
        return self.beside.p99 / self.alone.p99


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
        self._progress("hooks alone", 0, 2)
        await _hooks(served, 2.0)
        alone, _ = await _hooks(served, plan.seconds)
        self._progress("hooks beside a greedy guest", 1, 2)
        answered: Counter[int] = Counter()
        tasks = [
            asyncio.create_task(_again(served, token, act, answered))
            for act in (_stream, _trickle, _search, _post)
            for _ in range(plan.connections // 4)
        ]
        await asyncio.sleep(1.0)
        beside, failed = await _hooks(served, plan.seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return GreedyRun(
            environment=self._environment,
            plan=plan,
            alone=alone,
            beside=beside,
            failed=failed,
            guest={str(status): number for status, number in sorted(answered.items())},
        )


async def _hooks(served: Served, seconds: float) -> tuple[Percentiles, int]:
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
    return percentiles_of(laps), failed


Act = Callable[[Connection], Awaitable[int]]


async def _again(served: Served, token: str, act: Act, answered: Counter[int]) -> None:
    while True:
        status = 0
        with suppress(OSError, EOFError):
            connection = await served.connect(token)
            try:
                status = await act(connection)
            finally:
                connection.close()
        answered[status] += 1
        if status != 200:
            await asyncio.sleep(_PAUSE_S)


async def _stream(connection: Connection) -> int:
    return await connection.listen(b"GET /api/events")


async def _trickle(connection: Connection) -> int:
    return await connection.trickle(b"POST /api/search", 1_000, _PAUSE_S)


async def _search(connection: Connection) -> int:
    body = {"query": "which tests passed when the queue was made", "limit": 1_000}
    return (await connection.ask(b"POST /api/search", msgspec.json.encode(body)))[0]


async def _post(connection: Connection) -> int:
    return await connection.store(time.monotonic_ns(), "all tests pass " * (_LARGE // 15))


def describe_greedy(run: GreedyRun) -> list[str]:
    """Return what was run on what, and what is aimed at."""
    what = (
        f"{run.plan.connections} connections of one guest: event streams, slow bodies, searches, "
        f"bodies of {_LARGE // 1_000_000} MB; a hook of the owner every {_EVERY_S * 1000:g} ms, "
        f"{run.plan.seconds:g} s each"
    )
    aim = f"aims at a p99 beside the guest of at most {MOST_TIMES:g} times that alone"
    return [what, aim, *describe_lines(run.environment)]


def greedy_grids(run: GreedyRun) -> list[Grid]:
    """Return the waits of the owner's hooks, and what the guest was answered."""
    rows = tuple(
        (name, f"{each.p50:.1f} ms", f"{each.p99:.1f} ms")
        for name, each in (("alone", run.alone), ("beside the guest", run.beside))
    )
    guest = tuple((status, f"{number:,}") for status, number in run.guest.items())
    title = f"Hooks of the owner: {run.times:.1f} times, {run.failed} failed"
    return [
        Grid(title=title, columns=("", "p50", "p99"), rows=rows),
        Grid(title="Answers to the guest", columns=("status", "answers"), rows=guest),
    ]
