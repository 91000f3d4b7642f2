"""What it costs to store messages one by one, each on the disk before the next, all work included.

Each size is measured alone and by several processes on one home, every process in a session of its
own. The CPU time counts until everything is indexed and mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

import recollect
from benchmarks.load.session_writer import ALONE, WriteOrder, Written, write_together
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, latency_of
from benchmarks.quality.homes import Progress
from recollect.core.clock import IdSource, SystemClock

CPU_TARGET_MS = 0.6
RATE_TARGET = 2_000
WAIT_TARGET_MS = 25.0
_PREFIX = "recollect-"


class CapturePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        messages: Of the smallest size, in all; of a size ten times as large a tenth.
        sizes: Bytes of a message.
        processes: That append at the same time, besides one alone.
    """

    messages: int = 8_000
    sizes: tuple[int, ...] = (600, 6_000, 40_000)
    processes: int = 8

    def count(self, size: int) -> int:
        """Return how many messages of a size are stored."""
        return max(self.processes, self.messages * min(self.sizes) // size)


class CaptureFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of one size.

    Attributes:
        size: Bytes of a message.
        processes: That stored at the same time.
        latency: Of one append. Its CPU time is that of the process while it waited.
        rate: Durable appends a second, of all processes.
        cpu_ms: CPU time of an append, with its share of the index, the mirror and the closing.
        threads: The same by thread, where the system tells; without the closing.
    """

    size: int
    processes: int
    latency: Latency
    rate: float
    cpu_ms: float
    threads: dict[str, float]


class CaptureRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run."""

    environment: Environment
    plan: CapturePlan
    figures: tuple[CaptureFigure, ...]


class CaptureRunner:
    """Measures appends in homes of their own.

    Args:
        root: Where the homes are made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, environment: Environment, progress: Progress) -> None:
        self._root = root
        self._environment = environment
        self._progress = progress

    def run(self, plan: CapturePlan) -> CaptureRun:
        """Return the figures.

        Raises:
            RecollectError: a process failed.
        """
        return CaptureRun(
            environment=self._environment, plan=plan, figures=tuple(self._figures(plan))
        )

    def _figures(self, plan: CapturePlan) -> Iterator[CaptureFigure]:
        runs = [(size, number) for number in (1, plan.processes) for size in plan.sizes]
        for done, (size, number) in enumerate(runs):
            self._progress("storing messages one by one", done, len(runs))
            yield _figure(size, self._written(size, number, plan.count(size) // number))

    def _written(self, size: int, processes: int, each: int) -> list[Written]:
        home = self._root / IdSource(SystemClock()).new()
        with recollect.open(home, overrides=ALONE, live=False) as memory:
            sessions = [memory.sessions.create().id for _ in range(processes)]
        return write_together(
            [
                WriteOrder(
                    home=str(home),
                    session=session,
                    name=f"w{number}",
                    count=each,
                    size=size,
                    is_live=True,
                )
                for number, session in enumerate(sessions)
            ]
        )


def _figure(size: int, written: list[Written]) -> CaptureFigure:
    laps = [lap for one in written for lap in one.laps]
    wall_s = max(one.ended for one in written) - min(one.began for one in written)
    names = sorted({name for one in written for name in one.threads})
    return CaptureFigure(
        size=size,
        processes=len(written),
        latency=latency_of(laps),
        rate=len(laps) / wall_s,
        cpu_ms=sum(one.cpu_s for one in written) / len(laps) * 1000,
        threads={
            name: sum(one.threads.get(name, 0.0) for one in written) / len(laps) * 1000
            for name in names
        },
    )


def describe_capture(run: CaptureRun) -> list[str]:
    """Return what was run on what, and what is aimed at."""
    what = (
        "one append at a time, durable, words only, mirrors on; "
        "the CPU time counts until all is indexed and mirrored"
    )
    aim = (
        f"aims at 0.6 kB: {CPU_TARGET_MS:g} ms of CPU alone; {run.plan.processes} processes "
        f"{RATE_TARGET:,} a second, p99 {WAIT_TARGET_MS:g} ms"
    )
    return [what, aim, *describe_lines(run.environment)]


def capture_grids(run: CaptureRun) -> list[Grid]:
    """Return two tables: the costs, and the CPU time by thread."""
    costs = Grid(
        title="Capture",
        columns=("message", "processes", "appends a second", "p50", "p99", "CPU of an append"),
        rows=tuple(_cost_row(figure) for figure in run.figures),
    )
    names = sorted({name for figure in run.figures for name in figure.threads})
    if not names:
        return [costs]
    threads = Grid(
        title="CPU ms of an append by thread",
        columns=("thread", *(_head(figure) for figure in run.figures)),
        rows=tuple(
            (
                name.removeprefix(_PREFIX),
                *(f"{figure.threads.get(name, 0.0):.3f}" for figure in run.figures),
            )
            for name in names
        ),
    )
    return [costs, threads]


def _cost_row(figure: CaptureFigure) -> tuple[str, ...]:
    wall = figure.latency.wall_ms
    return (
        f"{figure.size / 1000:g} kB",
        str(figure.processes),
        f"{figure.rate:,.0f}",
        f"{wall.p50:.2f} ms",
        f"{wall.p99:.1f} ms",
        f"{figure.cpu_ms:.2f} ms",
    )


def _head(figure: CaptureFigure) -> str:
    return f"{figure.size / 1000:g} kB x {figure.processes}"
