"""The vector back ends side by side: filling, the nearest vectors, a whole hybrid search, disk.

The messages are stored and indexed once. Each back end is then filled from the same rows, and asked
the same questions; its ten nearest are compared with those of comparing every vector.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.datasets.synthetic import SyntheticCorpus, TargetedQuery
from benchmarks.load.clustered import DIMENSIONS, ClusteredEmbedder
from benchmarks.load.load import BATCH_SESSIONS, LoadPlan, disk_usage
from benchmarks.load.nearness import Nearness
from benchmarks.load.probe import SEARCH_LIMIT
from benchmarks.load.writes import store_session
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Rate, Stopwatch, latency_of, rate_of
from benchmarks.quality.homes import Progress
from benchmarks.quality.product import Opener
from recollect.index.model.chunk_record import Floats

BACKENDS = ("memory", "sqlite-vec", "chroma")

_WARM_UP = 10


class VectorCost(msgspec.Struct, frozen=True, kw_only=True):
    """What one back end costs.

    Attributes:
        backend: Its name.
        messages: How many vectors it holds.
        filled: All of them from our rows; None for memory, which needs no filling.
        nearest: The 400 nearest vectors of a question.
        searches: Whole hybrid searches.
        exact: The share of questions whose ten nearest are those of comparing every vector.
        disk_bytes: Of the home.
    """

    backend: str
    messages: int
    filled: Rate | None
    nearest: Latency
    searches: Latency
    exact: float
    disk_bytes: int


class VectorRun(msgspec.Struct, frozen=True, kw_only=True):
    """Every size and back end, all from one seed."""

    environment: Environment
    seed: int
    costs: tuple[VectorCost, ...]


class VectorRunner:
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

    def run(self, plan: LoadPlan, backends: Sequence[str] = BACKENDS) -> tuple[VectorCost, ...]:
        """Return what ``plan.messages`` cost in each back end.

        Raises:
            RecollectError: the product failed.
        """
        corpus = SyntheticCorpus(plan.seed, law=plan.words)
        queries = corpus.queries(plan.messages, plan.queries)
        folder = self._root / f"vectors-{plan.messages}-{plan.words}-{plan.seed}"
        self._store(plan, corpus, folder / "stored")
        costs = tuple(self._measure(name, plan, queries, folder) for name in backends)
        shutil.rmtree(folder)
        return costs

    def _store(self, plan: LoadPlan, corpus: SyntheticCorpus, home: Path) -> None:
        sessions, done = corpus.sessions(plan.messages), 0
        with self._open(home, embedder=ClusteredEmbedder(plan.seed)) as memory:
            while batch := list(islice(sessions, BATCH_SESSIONS)):
                self._progress("storing", done, plan.messages)
                for session in batch:
                    store_session(memory, session)
                    done += len(session.turns)
                memory.sync()
        self._progress("storing", done, plan.messages)

    def _measure(
        self, backend: str, plan: LoadPlan, queries: Sequence[TargetedQuery], folder: Path
    ) -> VectorCost:
        near = {query.text: query.target for query in queries}
        embedder = ClusteredEmbedder(plan.seed, near)
        vectors = np.stack([embedder.embed_query(query.text) for query in queries])
        filled, nearest, exact = self._nearest(backend, vectors, folder)
        home = folder / backend
        shutil.copytree(folder / "stored", home)
        searches = self._search(backend, queries, home, embedder)
        cost = VectorCost(
            backend=backend,
            messages=plan.messages,
            filled=filled,
            nearest=latency_of(nearest.laps),
            searches=latency_of(searches.laps),
            exact=exact,
            disk_bytes=sum(disk_usage(home).values()),
        )
        shutil.rmtree(home)
        return cost

    def _nearest(
        self, backend: str, vectors: Floats, folder: Path
    ) -> tuple[Rate | None, Stopwatch, float]:
        """Return what filling and asking cost, and how many answers were exact."""
        home = folder / f"{backend}-alone"
        home.mkdir(parents=True)
        shutil.copy(folder / "stored" / "index.db", home)
        watch, asked, exact = Stopwatch(), Stopwatch(), 0
        self._progress(f"filling, {backend}", 0, len(vectors))
        with Nearness(home, backend, DIMENSIONS) as nearness:
            with watch.lap():
                nearness.fill()
            for vector in vectors[:_WARM_UP]:
                nearness.ask(vector)
            for done, vector in enumerate(vectors):
                self._progress(f"nearest, {backend}", done, len(vectors))
                with asked.lap():
                    found = nearness.ask(vector)
                exact += nearness.best(found, vector) == nearness.best(None, vector)
            count = nearness.count
        shutil.rmtree(home)
        filled = None if backend == "memory" else rate_of(count, watch.total())
        return filled, asked, exact / len(vectors)

    def _search(
        self,
        backend: str,
        queries: Sequence[TargetedQuery],
        home: Path,
        embedder: ClusteredEmbedder,
    ) -> Stopwatch:
        watch = Stopwatch()
        overrides = {"search.vector.backend": backend}
        with self._open(home, overrides=overrides, embedder=embedder) as memory:
            memory.sync()
            for query in queries[:_WARM_UP]:
                memory.search(query.text, limit=SEARCH_LIMIT)
            for done, query in enumerate(queries):
                self._progress(f"searching, {backend}", done, len(queries))
                with watch.lap():
                    memory.search(query.text, limit=SEARCH_LIMIT)
        return watch


def describe_vectors(run: VectorRun) -> list[str]:
    """Return lines that say what was run on what."""
    return [*describe_lines(run.environment), f"seed {run.seed}, {DIMENSIONS} dimensions"]


def vector_grids(run: VectorRun) -> list[Grid]:
    """Return the back ends side by side, a row each."""
    rows = tuple(
        (
            f"{cost.messages:,}",
            cost.backend,
            f"{cost.filled.per_wall_s:,.0f}" if cost.filled else "-",
            f"{cost.nearest.cpu_ms.p50:.2f}",
            f"{cost.nearest.cpu_ms.p95:.2f}",
            f"{cost.searches.cpu_ms.p50:.2f}",
            f"{cost.searches.cpu_ms.p95:.2f}",
            f"{cost.searches.wall_ms.p95:.2f}",
            f"{cost.disk_bytes / 1e6:,.0f}",
            f"{cost.exact:.3f}",
        )
        for cost in run.costs
    )
    columns = (
        "vectors", "back end", "filled per s", "nearest 400 CPU ms p50", "p95",
        "hybrid search CPU ms p50", "p95", "wall p95", "home MB", "exact top 10",
    )  # fmt: skip
    return [Grid(title="Vector back ends", columns=columns, rows=rows)]
