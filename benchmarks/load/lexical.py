"""The lexical back ends side by side: what the same messages cost to index, search and keep.

The messages are stored once; each back end then indexes a copy of that home from nothing and
answers the same questions by words alone. How well they find is for the data sets:
``python -m benchmarks locomo --compare fts5:search.lexical.backend=fts5``.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec

from benchmarks.datasets.synthetic import SyntheticCorpus, TargetedQuery
from benchmarks.load.load import BATCH_SESSIONS, LoadPlan
from benchmarks.load.probe import SEARCH_LIMIT
from benchmarks.load.writes import store_session
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Rate, Stopwatch, latency_of, rate_of
from benchmarks.quality.homes import Progress
from benchmarks.quality.product import Opener, Product

BACKENDS = ("postings", "fts5")
SINGLE_WRITES = 300
"""Messages written one at a time, each searched for at once."""

_WARM_UP = 10
_NO_MODEL = {"embedding.provider": "none"}


class LexicalCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one back end costs.

    Attributes:
        backend: Its name.
        messages: How many it holds.
        indexed: All of them from nothing, as a first sync does.
        single: One message stored and found, again and again.
        latency: Searches by words.
        found: The share of questions whose message was among the ten best.
        disk_bytes: Size of index.db.
    """

    backend: str
    messages: int
    indexed: Rate
    single: Latency
    latency: Latency
    found: float
    disk_bytes: int


class LexicalRun(msgspec.Struct, frozen=True, kw_only=True):
    """Every size and back end, all from one seed."""

    environment: Environment
    seed: int
    costs: tuple[LexicalCost, ...]


class LexicalRunner:
    """Measures one size after another.

    Args:
        root: Where homes are filled.
        opener: Opens the product.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, opener: Opener, progress: Progress) -> None:
        self._root = root
        self._open = opener
        self._progress = progress

    def run(self, plan: LoadPlan) -> tuple[LexicalCost, ...]:
        """Return what ``plan.messages`` cost in each back end.

        Raises:
            RecollectError: the product failed.
        """
        corpus = SyntheticCorpus(plan.seed, law=plan.words)
        queries = corpus.queries(plan.messages, plan.queries)
        folder = self._root / f"lexical-{plan.messages}-{plan.words}-{plan.seed}"
        self._store(plan, corpus, folder / "stored")
        costs = []
        for backend in BACKENDS:
            home = folder / backend
            shutil.copytree(folder / "stored", home)
            for path in home.glob("index.db*"):
                path.unlink()
            costs.append(self._measure(backend, plan, queries, home))
            shutil.rmtree(home)
        shutil.rmtree(folder)
        return tuple(costs)

    def _store(self, plan: LoadPlan, corpus: SyntheticCorpus, home: Path) -> None:
        sessions, done = corpus.sessions(plan.messages), 0
        with self._open(home, overrides=_NO_MODEL) as memory:
            while batch := list(islice(sessions, BATCH_SESSIONS)):
                self._progress("storing", done, plan.messages)
                for session in batch:
                    store_session(memory, session)
                    done += len(session.turns)
        self._progress("storing", done, plan.messages)

    def _measure(
        self, backend: str, plan: LoadPlan, queries: Sequence[TargetedQuery], home: Path
    ) -> LexicalCost:
        overrides = {**_NO_MODEL, "search.lexical.backend": backend}
        watch = Stopwatch()
        self._progress(f"indexing, {backend}", 0, plan.messages)
        with self._open(home, overrides=overrides) as memory, watch.lap():
            memory.sync()
        self._progress(f"indexing, {backend}", plan.messages, plan.messages)
        size = (home / "index.db").stat().st_size if (home / "index.db").exists() else 0
        with self._open(home, overrides=overrides) as memory:
            searches, found = self._search(memory, backend, queries)
            single = _write_and_find(memory, queries)
        return LexicalCost(
            backend=backend,
            messages=plan.messages,
            indexed=rate_of(plan.messages, watch.total()),
            single=latency_of(single.laps),
            latency=latency_of(searches.laps),
            found=found / len(queries),
            disk_bytes=size,
        )

    def _search(
        self, memory: Product, backend: str, queries: Sequence[TargetedQuery]
    ) -> tuple[Stopwatch, int]:
        for query in queries[:_WARM_UP]:
            memory.search(query.text, limit=SEARCH_LIMIT, mode="lexical")
        watch, found = Stopwatch(), 0
        for done, query in enumerate(queries):
            self._progress(f"searching, {backend}", done, len(queries))
            with watch.lap():
                answer = memory.search(query.text, limit=SEARCH_LIMIT, mode="lexical")
            found += any(hit.snippet in query.target for hit in answer.hits)
        self._progress(f"searching, {backend}", len(queries), len(queries))
        return watch, found


def _write_and_find(memory: Product, queries: Sequence[TargetedQuery]) -> Stopwatch:
    session = memory.sessions.create(key="bench:lexical")
    watch = Stopwatch()
    for number in range(SINGLE_WRITES):
        target = queries[number % len(queries)].target
        with watch.lap():
            memory.sessions.append(session.id, "user", target)
            memory.search(f"marker{number}", limit=1, mode="lexical")
    return watch


def describe_lexical(run: LexicalRun) -> list[str]:
    """Return lines that say what was run on what."""
    return [*describe_lines(run.environment), f"seed {run.seed}, by words alone"]


def lexical_grids(run: LexicalRun) -> list[Grid]:
    """Return the back ends side by side, a row each."""
    rows = tuple(
        (
            f"{cost.messages:,}",
            cost.backend,
            f"{cost.indexed.per_cpu_s:,.0f}",
            f"{cost.latency.cpu_ms.p50:.2f}",
            f"{cost.latency.cpu_ms.p95:.2f}",
            f"{cost.latency.wall_ms.p95:.2f}",
            f"{cost.single.cpu_ms.p50:.2f}",
            f"{cost.single.wall_ms.max:.0f}",
            f"{cost.disk_bytes / 1e6:,.0f}",
            f"{cost.found:.2f}",
        )
        for cost in run.costs
    )
    columns = (
        "messages", "back end", "indexed per CPU s", "search CPU ms p50", "p95", "wall p95",
        "write and find CPU ms p50", "wall max", "index.db MB", "found in 10",
    )  # fmt: skip
    return [Grid(title="Lexical back ends", columns=columns, rows=rows)]
