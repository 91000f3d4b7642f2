"""What facts cost: remember, recall, search and list, in a home with very many of many people.

Each figure is the latency of one public call, durable where the call writes. The home is filled in
large transactions; every measured call is for another person, so that nothing is warm but the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import msgspec

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.load.session_writer import ALONE
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Stopwatch, latency_of
from benchmarks.quality.homes import Progress, complete_folder
from recollect.audience.visibility import OPERATOR
from recollect.knowledge.remembering import FactMaker, GivenFact, statement_of
from recollect.memory import Memory
from recollect.store.engine import Transaction

_BATCH = 1_000
_WARM_UP = 100
_FIRST_PERSON = 1_000
_STRIDE = 7
"""Between two people asked for; coprime to their number, so that each comes once a round."""
_CITIES = ("Leeds", "Bristol", "Bergen", "Porto", "Lyon", "Kyoto", "Graz", "Utrecht")
_WORDS = (5, 11)
"""Words of a fact, from the fewest to the most."""


class KnowledgePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        facts: In the home.
        people: Whose they are, each with as many.
        rounds: Calls of each figure.
        seed: The same seed makes the same facts.
    """

    facts: int = 100_000
    people: int = 1_000
    rounds: int = 300
    seed: int = 7

    def person(self, number: int) -> str:
        """Return an account."""
        return f"telegram:{_FIRST_PERSON + number % self.people}"


class KnowledgeFigure(msgspec.Struct, frozen=True, kw_only=True):
    """How long one call takes, and within how many ms 95 % of them should stay, where it is set."""

    name: str
    latency: Latency
    target: float | None = None


class KnowledgeRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run."""

    environment: Environment
    plan: KnowledgePlan
    figures: tuple[KnowledgeFigure, ...]


class _Facts:
    """Makes facts: one in twenty gives a home, one in twenty is a rule, the others are notes."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311  # no key
        corpus = SyntheticCorpus(seed)
        self._words = [
            word.strip(".")
            for number in range(40)
            for turn in corpus.session(number).turns
            for word in turn.text.split()
        ]

    def __call__(self) -> str:
        random = self._random
        words = " ".join(random.choices(self._words, k=random.randint(*_WORDS)))
        if (kind := random.random()) < 0.05:
            return f"I live in {random.choice(_CITIES)}"
        return f"Never {words}" if kind < 0.1 else f"I keep {words}"


class KnowledgeRunner:
    """Measures the facts of one home.

    Args:
        folder: Where the home is made; a filled one is used again.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, folder: Path, environment: Environment, progress: Progress) -> None:
        self._folder = folder
        self._environment = environment
        self._progress = progress

    def run(self, plan: KnowledgePlan) -> KnowledgeRun:
        """Return the figures.

        Raises:
            RecollectError: the product failed.
        """
        folder = self._folder / f"knowledge-{plan.facts}-{plan.people}-{plan.seed}"
        home = folder / "home"
        if not home.is_dir():
            with (
                complete_folder(folder) as partial_folder,
                recollect.open(partial_folder / "home", overrides=ALONE, live=False) as memory,
            ):
                self._fill(memory, plan)
                memory.sync()
        with recollect.open(home, overrides=ALONE, live=False) as memory:
            figures = tuple(self._figures(memory, plan))
        return KnowledgeRun(environment=self._environment, plan=plan, figures=figures)

    def _fill(self, memory: Memory, plan: KnowledgePlan) -> None:
        """Store the facts, many in one transaction."""
        parts = memory._rooms.fact_parts  # noqa: SLF001  # no other surface stores many at once
        maker, make = FactMaker(parts), _Facts(plan.seed)

        def store(tx: Transaction, numbers: range) -> None:
            for number in numbers:
                said = make()
                given = GivenFact(
                    text=said, statement=statement_of(said), kind=None, importance=None,
                    confidence=None, about=None, project=None, trust=None,
                )  # fmt: skip
                maker.store(given, maker.place(plan.person(number), None, OPERATOR, tx), tx)

        for first in range(0, plan.facts, _BATCH):
            self._progress("storing facts", first, plan.facts)
            batch = range(first, min(first + _BATCH, plan.facts))
            parts.database.write(partial(store, numbers=batch))

    def _figures(self, memory: Memory, plan: KnowledgePlan) -> Iterator[KnowledgeFigure]:
        facts, make = memory.facts, _Facts(plan.seed + 1)
        new = [make() for _ in range(plan.rounds + _WARM_UP)]
        asked = [f"what about {' '.join(text.split()[-3:])}" for text in new]
        calls: tuple[tuple[str, Callable[[str, int], object], float | None], ...] = (
            ("remember", lambda who, n: facts.remember(who, new[n]), 10),
            ("recall", lambda who, n: memory.recall(who, asked[n]), 15),
            ("facts.search", lambda who, n: facts.search(who, asked[n]), None),
            ("facts.list of a person", lambda who, _: facts.list(who), None),
            ("facts.list of everybody, 100", lambda _, __: facts.list(), None),
            ("facts.list of rules, 100", lambda _, __: facts.list(kind="rule"), None),
        )
        for name, call, target in calls:
            yield self._time(name, call, plan, target)

    def _time(
        self, name: str, call: Callable[[str, int], object], plan: KnowledgePlan, most: float | None
    ) -> KnowledgeFigure:
        watch = Stopwatch()
        for number in range(_WARM_UP):
            call(plan.person(number * _STRIDE), number)
        for number in range(_WARM_UP, _WARM_UP + plan.rounds):
            self._progress(name, number - _WARM_UP, plan.rounds)
            with watch.lap():
                call(plan.person(number * _STRIDE), number)
        return KnowledgeFigure(name=name, latency=latency_of(watch.laps), target=most)


def describe_knowledge(run: KnowledgeRun) -> list[str]:
    """Return what was run on what."""
    plan = run.plan
    size = f"{plan.facts:,} facts of {plan.people:,} people, {plan.rounds} calls of each"
    return [f"{size}, seed {plan.seed}", *describe_lines(run.environment)]


def knowledge_grids(run: KnowledgeRun) -> list[Grid]:
    """Return the figures as a table."""
    rows = tuple(_row(figure) for figure in run.figures)
    columns = ("call", "target, p95", "p50", "p95", "p99", "CPU p50", "CPU p95")
    return [Grid(title="Facts, wall time", columns=columns, rows=rows)]


def _row(figure: KnowledgeFigure) -> tuple[str, ...]:
    wall, cpu = figure.latency.wall_ms, figure.latency.cpu_ms
    target = "" if figure.target is None else f"{figure.target:g} ms"
    times = (wall.p50, wall.p95, wall.p99, cpu.p50, cpu.p95)
    return (figure.name, target, *(f"{ms:.1f} ms" for ms in times))
