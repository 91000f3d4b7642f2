"""What the life of sessions costs: fork, view, append, reset, and finding one among very many.

One home holds a long session, a chain of forks, a tree, and a crowd of other sessions. Each figure
is the latency of one public call, durable where the call writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import msgspec

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.load.session_writer import ALONE, WriteOrder, write_together
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Spent, Stopwatch, latency_of
from benchmarks.quality.homes import Progress
from recollect.memory import Memory

PROJECTS = 20
"""Projects that the crowd belongs to."""
_BATCH = 1_000
_CREATORS = 8
"""Threads that make the crowd: their commits are shared."""


class SessionPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        messages: Of the long session.
        sessions: How many there are in the home.
        depth: Forks of forks in the chain.
        tree: Sessions of the tree.
        rounds: Calls of each figure.
        processes: That append to one session at the same time.
        seed: The same seed makes the same texts and trees.
    """

    messages: int = 100_000
    sessions: int = 10_000
    depth: int = 50
    tree: int = 1_000
    rounds: int = 100
    processes: int = 8
    seed: int = 7


class SessionFigure(msgspec.Struct, frozen=True, kw_only=True):
    """How long one call takes, and within how many ms 99 % of them should stay, where it is set."""

    name: str
    latency: Latency
    target: float | None = None


class SessionRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run.

    Attributes:
        environment: Where it ran.
        plan: What was measured.
        figures: One for each call.
        acknowledged: Messages that the processes were told to be stored.
        lost: Of those, how many are not there.
        gaps: Whether a seq of their session is missing or doubled.
    """

    environment: Environment
    plan: SessionPlan
    figures: tuple[SessionFigure, ...]
    acknowledged: int
    lost: int
    gaps: bool


class SessionRunner:
    """Measures the sessions of one home.

    Args:
        folder: Where the home is made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, folder: Path, environment: Environment, progress: Progress) -> None:
        self._home = folder / "home"
        self._environment = environment
        self._progress = progress

    def run(self, plan: SessionPlan) -> SessionRun:
        """Return the figures.

        Raises:
            RecollectError: a process failed.
        """
        with recollect.open(self._home, overrides=ALONE, live=False) as memory:
            long = self._fill(memory, plan)
        # Opened anew: the mirror of the long session is written, and is in nobody's way.
        with recollect.open(self._home, overrides=ALONE, live=False) as memory:
            figures = [*self._long(memory, long, plan), *self._deep(memory, plan)]
            figures += [*self._writing(memory, plan), *self._crowd(memory, plan)]
            shared = memory.sessions.create()
            laps = self._together(shared.id, plan)
            found = memory.sessions.messages(shared.id)
        return SessionRun(
            environment=self._environment,
            plan=plan,
            figures=(
                *figures,
                SessionFigure(
                    name=f"append, {plan.processes} processes on one session",
                    latency=latency_of(laps),
                    target=250,
                ),
            ),
            acknowledged=len(laps),
            lost=len(laps) - len({message.event_id for message in found}),
            gaps=[message.seq for message in found] != list(range(1, len(found) + 1)),
        )

    def _fill(self, memory: Memory, plan: SessionPlan) -> str:
        """Write the long session; return its id."""
        sessions, long = memory.sessions, memory.sessions.create(title="long")
        corpus, stored = SyntheticCorpus(plan.seed), 0
        while stored < plan.messages:
            self._progress("writing a long session", stored, plan.messages)
            turns = corpus.session(stored).turns
            batch = (turns * -(-_BATCH // len(turns)))[: min(_BATCH, plan.messages - stored)]
            sessions.append_many(long.id, [(turn.role, turn.text) for turn in batch])
            stored += len(batch)
        return long.id

    def _long(self, memory: Memory, long: str, plan: SessionPlan) -> Iterator[SessionFigure]:
        sessions, forks = memory.sessions, list[str]()
        size = f"{plan.messages:,} messages"
        yield self._time(
            f"fork of {size}", lambda _: forks.append(sessions.fork(long).id), plan, target=10
        )
        yield self._time(f"view of {size}", lambda _: sessions.view(long), plan, target=50)
        yield self._time(
            "view of a fork of it", lambda place: sessions.view(forks[place]), plan, target=50
        )

    def _deep(self, memory: Memory, plan: SessionPlan) -> Iterator[SessionFigure]:
        sessions = memory.sessions
        tip = sessions.create(title="chain").id
        for depth in range(plan.depth):
            sessions.append_many(tip, [("user", f"question {depth}"), ("assistant", "answer")])
            tip = sessions.fork(tip).id
        yield self._time(
            f"last 50 messages of a fork {plan.depth} deep",
            lambda _: sessions.messages(tip, limit=50),
            plan,
        )
        tree, chance = [sessions.create(title="tree").id], Random(plan.seed)  # noqa: S311  # no key
        for done in range(plan.tree - 1):
            self._progress("growing a tree", done, plan.tree)
            tree.append(sessions.fork(chance.choice(tree)).id)
        yield self._time(
            f"lineage of a tree of {plan.tree:,}", lambda _: sessions.lineage(tree[-1]), plan
        )

    def _writing(self, memory: Memory, plan: SessionPlan) -> Iterator[SessionFigure]:
        sessions, one = memory.sessions, memory.sessions.create()
        yield self._time(
            "append, alone", lambda place: sessions.append(one.id, "user", f"note {place}"), plan
        )
        yield self._time("reset of a key", lambda _: sessions.reset("bench:reset"), plan)

    def _crowd(self, memory: Memory, plan: SessionPlan) -> Iterator[SessionFigure]:
        sessions, count = memory.sessions, plan.sessions
        with ThreadPoolExecutor(_CREATORS) as pool:
            for done, _ in enumerate(pool.map(lambda n: _one_of_many(memory, n), range(count))):
                self._progress("making many sessions", done, count)
        step = max(1, count // plan.rounds)

        def place(number: int) -> int:
            return number * step % count

        calls: tuple[tuple[str, Callable[[int], object]], ...] = (
            ("open by key", lambda n: sessions.open(f"bench:{place(n)}")),
            ("resume by title", lambda n: sessions.resume(f"Talk {place(n)}")),
            ("latest of a project", lambda n: sessions.latest(f"/project/{n % PROJECTS}")),
            (
                "list of a project, 50",
                lambda n: sessions.list(
                    project=f"/project/{n % PROJECTS}", status="active", limit=50
                ),
            ),
            ("list by a part of the title, 50", lambda _: sessions.list(title="talk 99", limit=50)),
        )
        for name, call in calls:
            yield self._time(f"{name} (of {count:,})", call, plan)

    def _time(
        self,
        name: str,
        call: Callable[[int], object],
        plan: SessionPlan,
        *,
        target: float | None = None,
    ) -> SessionFigure:
        watch = Stopwatch()
        for number in range(plan.rounds):
            self._progress(name, number, plan.rounds)
            with watch.lap():
                call(number)
        return SessionFigure(name=name, latency=latency_of(watch.laps), target=target)

    def _together(self, session_id: str, plan: SessionPlan) -> list[Spent]:
        """Return the laps of processes that append to one session at the same time."""
        self._progress("writing from many processes", 0, plan.processes)
        orders = [
            WriteOrder(home=str(self._home), session=session_id, name=f"w{n}", count=plan.rounds)
            for n in range(plan.processes)
        ]
        return [lap for written in write_together(orders) for lap in written.laps]


def _one_of_many(memory: Memory, number: int) -> None:
    memory.sessions.create(
        key=f"bench:{number}",
        project=f"/project/{number % PROJECTS}",
        title=f"Talk {number}",
    )


def describe_sessions(run: SessionRun) -> list[str]:
    """Return what was run on what, and whether anything was lost."""
    plan = run.plan
    size = f"{plan.messages:,} messages, {plan.sessions:,} sessions, {plan.rounds} calls of each"
    order = "a gap" if run.gaps else "no gap"
    kept = (
        f"{run.acknowledged:,} messages of {plan.processes} processes: {run.lost} lost, "
        f"{order} in their order"
    )
    return [f"{size}, seed {plan.seed}", kept, *describe_lines(run.environment)]


def session_grids(run: SessionRun) -> list[Grid]:
    """Return the figures as a table."""
    rows = tuple(_row(figure) for figure in run.figures)
    columns = ("call", "target", "p50", "p95", "p99", "CPU p50")
    return [Grid(title="Sessions, wall time", columns=columns, rows=rows)]


def _row(figure: SessionFigure) -> tuple[str, ...]:
    wall, cpu = figure.latency.wall_ms, figure.latency.cpu_ms
    target = "" if figure.target is None else f"{figure.target:g} ms"
    return (
        figure.name,
        target,
        *(f"{ms:.1f} ms" for ms in (wall.p50, wall.p95, wall.p99, cpu.p50)),
    )
