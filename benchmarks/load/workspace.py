"""A workspace of many files: the first sync, one with nothing new, and how soon a change is found.

The files are made up. Words are measured without an embedder; a smaller part is embedded to see how
much of the time of a sync is the embedder's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Rate, Spent, Stopwatch, latency_of, rate_of
from benchmarks.quality.homes import Progress
from recollect.core.errors import InvalidInput
from recollect.core.settings import EmbeddingSettings, models_folder
from recollect.index.model.sync_report import Progress as IndexProgress
from recollect.memory import Memory
from recollect.models.embedding.embedder import Embedder, Vectors
from recollect.models.embedding.embedder import Progress as EmbedderProgress
from recollect.models.registry import create_embedder

FOLDER_FILES = 100
"""Files of one folder."""
QUIET = 5
"""Syncs with nothing new, and with one changed file."""
PATIENCE_S = 60.0
_LOOK_S = 0.05
WORDS_ONLY = {"embedding.provider": "none", "sessions.mirror": False}


class WorkspacePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        files: Memory files.
        chunks: Chunks of each; four are 5 kB.
        embedded: Files of a second workspace, which are embedded; 0 for none.
        saves: Files that are saved while a program watches.
        seed: The same seed makes the same files.
    """

    files: int = 10_000
    chunks: int = 4
    embedded: int = 100
    saves: int = 10
    seed: int = 7


class EmbeddingShare(msgspec.Struct, frozen=True, kw_only=True):
    """A sync with an embedder: ``share`` of its wall time was the embedder's own."""

    model: str
    chunks: int
    sync_s: float
    embedder_s: float
    share: float


class WorkspaceRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run.

    Attributes:
        environment: Where it ran.
        plan: What was measured.
        megabytes: Size of all files.
        told: How often the first sync told its progress.
        first: Files per second of the first sync, words only.
        unchanged: Syncs with nothing new.
        changed: Syncs with one changed file.
        seen: From saving a file until somebody else finds it, with a program that watches.
        embedding: A sync with an embedder; None when none was asked for.
    """

    environment: Environment
    plan: WorkspacePlan
    megabytes: float
    told: int
    first: Rate
    unchanged: Latency
    changed: Latency
    seen: Latency | None
    embedding: EmbeddingShare | None


class TimedEmbedder:
    """Adds up how long an embedder works.

    Args:
        inner: Does the work.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.spent_s = 0.0

    def __getattr__(self, name: str) -> Any:
        """Return what the embedder has."""
        return getattr(self._inner, name)

    def embed_documents(
        self, texts: Sequence[str], progress: EmbedderProgress | None = None
    ) -> Vectors:
        """Return the vectors of texts."""
        began = time.perf_counter()
        try:
            return self._inner.embed_documents(texts, progress)
        finally:
            self.spent_s += time.perf_counter() - began


class WorkspaceRunner:
    """Measures one workspace.

    Args:
        folder: Where the workspace and the home are made.
        environment: Where it runs.
        progress: Told what goes on.
        embedder: Makes the embedder; the local one if not given.
    """

    def __init__(
        self,
        folder: Path,
        environment: Environment,
        progress: Progress,
        embedder: Callable[[], Embedder] | None = None,
    ) -> None:
        self._embedder = embedder or local_embedder
        self._folder = folder
        self._environment = environment
        self._progress = progress
        self._told = 0

    def run(self, plan: WorkspacePlan) -> WorkspaceRun:
        """Return the figures."""
        workspace, home = self._folder / "workspace", self._folder / "home"
        size = self._fill(workspace, plan.files, plan)
        with recollect.open(home, workspace, overrides=WORDS_ONLY, live=False) as memory:
            first = self._first(memory)
            told = self._told
            unchanged = self._again(memory, None)
            changed = self._again(memory, workspace)
        return WorkspaceRun(
            environment=self._environment,
            plan=plan,
            megabytes=size / 1e6,
            told=told,
            first=rate_of(plan.files, first),
            unchanged=unchanged,
            changed=changed,
            seen=self._seen(workspace, home, plan.saves) if plan.saves else None,
            embedding=self._embed(plan) if plan.embedded else None,
        )

    def _fill(self, workspace: Path, files: int, plan: WorkspacePlan) -> int:
        corpus, size = SyntheticCorpus(plan.seed), 0
        for number in range(files):
            self._progress("writing files", number, files)
            path = workspace / "memory" / f"{number // FOLDER_FILES:03}" / f"{number:05}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            size += path.write_text(corpus.file(number, plan.chunks), encoding="utf-8")
        return size

    def _first(self, memory: Memory) -> Spent:
        watch = Stopwatch()
        with watch.lap():
            memory.sync(self._tell)
        return watch.total()

    def _tell(self, progress: IndexProgress) -> None:
        self._told += 1
        self._progress(progress.stage, progress.done, progress.done + progress.left)

    def _again(self, memory: Memory, workspace: Path | None) -> Latency:
        """Return how long a sync takes; with a workspace, after one of its files changed."""
        watch = Stopwatch()
        for number in range(QUIET):
            self._progress("syncing again", number, QUIET)
            if workspace is not None:
                _save(workspace, f"again{number}")
            with watch.lap():
                memory.sync()
        return latency_of(watch.laps)

    def _seen(self, workspace: Path, home: Path, saves: int) -> Latency:
        watch = Stopwatch()
        with (
            recollect.open(home, workspace, overrides=WORDS_ONLY) as program,
            recollect.open(home, overrides=WORDS_ONLY, live=False) as reader,
        ):
            program.search("begin")
            _wait(lambda: program.status().sync.watching == "notify")
            _wait(lambda: not program.status().sync.dirty)
            for number in range(saves):
                self._progress("saving files", number, saves)
                word = f"zyxq{number}word"
                with watch.lap():
                    _save(workspace, word)
                    _wait(partial(_finds, reader, word))
        return latency_of(watch.laps)

    def _embed(self, plan: WorkspacePlan) -> EmbeddingShare:
        workspace, home = self._folder / "embedded", self._folder / "embedded-home"
        self._fill(workspace, plan.embedded, plan)
        inner = self._embedder()
        inner.embed_documents(["warm"])
        timed = TimedEmbedder(inner)
        watch = Stopwatch()
        with recollect.open(
            home, workspace, overrides={"sessions.mirror": False}, embedder=timed, live=False
        ) as memory:
            with watch.lap():
                report = memory.sync(self._tell)
            sync_s = watch.total().wall_s
        return EmbeddingShare(
            model=inner.model,
            chunks=report.chunks,
            sync_s=sync_s,
            embedder_s=timed.spent_s,
            share=timed.spent_s / sync_s,
        )


def local_embedder() -> Embedder:
    """Return the local embedder.

    Raises:
        InvalidInput: it is not installed.
    """
    embedder = create_embedder("local", EmbeddingSettings(), models_folder())
    if embedder is None:
        raise InvalidInput("there is no local embedder", hint="run `recollect models install`")
    return embedder


def describe_workspace(run: WorkspaceRun) -> list[str]:
    """Return what was run on what."""
    size = f"{run.plan.files:,} files, {run.megabytes:.0f} MB, seed {run.plan.seed}"
    return [size, *describe_lines(run.environment)]


def workspace_grids(run: WorkspaceRun) -> list[Grid]:
    """Return the figures as tables."""
    first = run.first
    rate = f"{first.per_cpu_s:,.0f} files/s of one core"
    rows = [
        ("first sync, words only", f"{first.cpu_s:.1f} s", f"{first.wall_s:.1f} s", rate),
        ("sync with nothing new", *_of(run.unchanged), ""),
        ("sync with one changed file", *_of(run.changed), ""),
    ]
    if run.seen is not None:
        rows.append(("saved until another one finds it", *_of(run.seen), ""))
    if run.embedding is not None:
        share = f"{run.embedding.share:.1%} of it the embedder's own"
        title = f"sync of {run.embedding.chunks:,} chunks with vectors"
        rows.append((title, "", f"{run.embedding.sync_s:.1f} s", share))
    columns = ("what", "CPU", "wall time", "")
    return [Grid(title="A workspace", columns=columns, rows=tuple(rows))]


def _of(latency: Latency) -> tuple[str, str]:
    cpu, wall = latency.cpu_ms, latency.wall_ms
    return f"{cpu.p50:,.0f} ms", f"{wall.p50:,.0f} ms (at most {wall.max:,.0f})"


def _save(workspace: Path, word: str) -> None:
    path = workspace / "memory" / "changed.md"
    path.write_text(f"The word of this moment is {word}.\n", encoding="utf-8")


def _finds(memory: Memory, word: str) -> bool:
    return bool(memory.search(word).hits)


def _wait(condition: Callable[[], bool]) -> None:
    """Return when a condition holds.

    Raises:
        InvalidInput: it does not come.
    """
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise InvalidInput("nothing happened for a minute", hint="look at `recollect status`")
        time.sleep(_LOOK_S)
