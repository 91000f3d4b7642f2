"""What it costs to store much at once: by call, by import, and one by one for comparison.

Each way runs in a process and a home of its own, until all is indexed and mirrored; another
source is measured by the same orders, one process of one and then one of the other. A last
process of each way times its stages.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.load.bulk_writer import WAYS, WORDS, BulkCost, BulkOrder
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from recollect.core.errors import RecollectError

ROOT = Path(__file__).resolve().parents[2]
MESSAGES_TARGET, LINES_TARGET = 5_000, 3_000
_ALONE = "append, one by one"


class BulkPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        messages: Of each way; of one by one a fifth.
        rounds: Processes of each way; the best counts.
        seed: The same seed makes the same texts.
        ways: Some of `WAYS`.
    """

    messages: int = 10_000
    rounds: int = 3
    seed: int = 7
    ways: tuple[str, ...] = tuple(WAYS)

    def count(self, way: str) -> int:
        """Return how many messages a way stores."""
        return max(1, self.messages // 5) if way == _ALONE else self.messages


class BulkFigure(msgspec.Struct, frozen=True, kw_only=True):
    """What one way costs with one source.

    Attributes:
        source: ``here``, or ``there``.
        way: One of `WAYS`.
        count: Messages or lines.
        costs: Of each round.
        stages: Seconds of CPU by stage, of a round of its own.
    """

    source: str
    way: str
    count: int
    costs: tuple[BulkCost, ...]
    stages: dict[str, float]

    @property
    def per_cpu_s(self) -> float:
        """Messages a second of CPU, of the best round."""
        return self.count / min(cost.cpu_s for cost in self.costs)

    @property
    def per_wall_s(self) -> float:
        """Messages a second, of the best round."""
        return self.count / min(cost.wall_s for cost in self.costs)


class BulkRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run."""

    environment: Environment
    plan: BulkPlan
    figures: tuple[BulkFigure, ...]


class BulkRunner:
    """Measures each way with each source.

    Args:
        root: Where homes are made, and removed.
        environment: Where it runs.
        progress: Told what goes on.
        against: The ``src`` folder of another checkout.
    """

    def __init__(
        self, root: Path, environment: Environment, progress: Progress, against: Path | None = None
    ) -> None:
        self._root = root
        self._environment = environment
        self._progress = progress
        self._sources = {"here": ROOT / "src", **({} if against is None else {"there": against})}

    def run(self, plan: BulkPlan) -> BulkRun:
        """Return the figures.

        Raises:
            RecollectError: a process failed.
        """
        figures = tuple(self._figures(plan))
        return BulkRun(environment=self._environment, plan=plan, figures=figures)

    def _figures(self, plan: BulkPlan) -> Iterator[BulkFigure]:
        for done, way in enumerate(plan.ways):
            self._progress("storing in bulk", done, len(plan.ways))
            count = plan.count(way)
            laps: dict[str, list[BulkCost]] = {name: [] for name in self._sources}
            for _ in range(plan.rounds):
                for name in self._sources:
                    laps[name].append(self.cost(name, way, count, plan.seed))
            for name, costs in laps.items():
                timed = self.cost(name, way, count, plan.seed, stages=True)
                yield BulkFigure(
                    source=name, way=way, count=count, costs=tuple(costs), stages=timed.stages
                )

    def cost(
        self, source: str, way: str, count: int, seed: int, *, stages: bool = False
    ) -> BulkCost:
        """Return what one process took.

        Raises:
            RecollectError: it failed.
        """
        with TemporaryDirectory(prefix="bulk-", dir=self._root) as folder:
            order = BulkOrder(folder=folder, way=way, count=count, seed=seed, stages=stages)
            path = os.pathsep.join((str(self._sources[source]), str(ROOT)))
            completed = subprocess.run(  # noqa: S603  # our own module
                [sys.executable, "-m", "benchmarks.load.bulk_writer", _as_json(order)],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path},  # noqa: TID251
                stdout=subprocess.PIPE,
                check=False,
            )
        if completed.returncode:
            raise RecollectError("a process failed", hint="read what it wrote to stderr")
        return msgspec.json.decode(completed.stdout, type=BulkCost)


def _as_json(order: BulkOrder) -> str:
    return msgspec.json.encode(order).decode()


def describe_bulk(run: BulkRun) -> list[str]:
    """Return what was run on what, and what is aimed at."""
    what = (
        f"messages of {WORDS} words, durable, redacted, words only, mirrors on; until all is "
        f"indexed and mirrored; the best of {run.plan.rounds}"
    )
    aim = f"aims at {MESSAGES_TARGET:,} messages and {LINES_TARGET:,} lines a second"
    return [what, aim, *describe_lines(run.environment)]


def bulk_grids(run: BulkRun) -> list[Grid]:
    """Return the rates, and where the CPU time goes."""
    rates = tuple(
        (
            f"{one.way}, {one.source}",
            f"{one.count:,}",
            f"{one.per_cpu_s:,.0f}",
            f"{one.per_wall_s:,.0f}",
        )
        for one in run.figures
    )
    columns = ("way", "messages", "per CPU second", "per second")
    return [
        Grid(title="Storing in bulk", columns=columns, rows=rates),
        *(_stage_grid(way, run.figures) for way in run.plan.ways),
    ]


def _stage_grid(way: str, figures: Sequence[BulkFigure]) -> Grid:
    shown = [one for one in figures if one.way == way]
    names = dict.fromkeys(name for one in shown for name in one.stages)
    return Grid(
        title=f"CPU microseconds of a message, {way}",
        columns=("stage", *(one.source for one in shown)),
        rows=tuple(
            (name, *(f"{one.stages.get(name, 0.0) / one.count * 1e6:.1f}" for one in shown))
            for name in names
        ),
    )
