"""What a home takes: bytes of disk by table, resident memory of who wrote it and of who reads it.

Both are processes of their own, and what they hold is counted from an empty home on: from the same
process with the same modules, before the first message. The messages lie in a file, so that no
process holds more of them than the sessions that it writes together.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import apsw  # noqa: TID251  # asks how much SQLite holds, and which table takes what
import msgspec

import recollect
from benchmarks.datasets.corpus import DatedSession
from benchmarks.datasets.synthetic import SyntheticCorpus, TargetedQuery, WordLaw
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.load.load import BATCH_SESSIONS, disk_usage
from benchmarks.load.probe import SEARCH_LIMIT, run_command
from benchmarks.load.writes import store_session
from benchmarks.measure.environment import Environment, describe_lines, resident_memory
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress

WORDS = (60, 60)
"""Words of a message."""
MEMORY_TARGET_MB = 150
DISK_TARGET_BYTES = 3_500
_SEARCHES = 100
_LARGEST = 14
"""Tables and indexes that are shown."""


class FootprintPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure."""

    messages: int
    words: WordLaw = "natural"
    seed: int = 7
    is_live: bool = False
    """Whether the background works too."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """Memory of a process at a stage, MB.

    Attributes:
        process: ``writes`` or ``reads``.
        name: What was done last.
        resident_mb: Of the whole process.
        sqlite_mb: Of it, what SQLite holds: page caches, most of it.
        peak_mb: The most that was resident so far.
    """

    process: str
    name: str
    resident_mb: float
    sqlite_mb: float
    peak_mb: float


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """What a home of a size takes.

    Attributes:
        plan: The size.
        stages: In order; the first of each process is the empty home.
        files: Bytes by file.
        tables: Bytes by database and table or index.
    """

    plan: FootprintPlan
    stages: tuple[Stage, ...]
    files: dict[str, int]
    tables: dict[str, int]


class FootprintRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of all sizes."""

    environment: Environment
    sizes: tuple[Footprint, ...]


class _Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a process is to do: to write the sessions of a file, or to read only."""

    home: Path
    empty: Path
    plan: FootprintPlan
    queries: list[TargetedQuery]
    sessions: Path | None


class FootprintRunner:
    """Measures one size after another.

    Args:
        root: Where homes are made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, root: Path, environment: Environment, progress: Progress) -> None:
        self._root = root
        self._environment = environment
        self._progress = progress

    def run(self, plans: Sequence[FootprintPlan]) -> FootprintRun:
        """Return the figures.

        Raises:
            RecollectError: the product failed.
        """
        sizes = tuple(self._measure(plan) for plan in plans)
        return FootprintRun(environment=self._environment, sizes=sizes)

    def _measure(self, plan: FootprintPlan) -> Footprint:
        folder = self._root / f"footprint-{plan.messages}-{plan.words}-{plan.seed}"
        folder.mkdir(parents=True)
        corpus = SyntheticCorpus(plan.seed, law=plan.words, lengths=WORDS)
        sessions = folder / "sessions.jsonl"
        with sessions.open("wb") as lines:
            for session in corpus.sessions(plan.messages):
                lines.write(msgspec.json.encode(session) + b"\n")
        order = _Order(
            home=folder / "home",
            empty=folder / "empty",
            plan=plan,
            queries=corpus.queries(plan.messages, _SEARCHES),
            sessions=sessions,
        )
        for home in (order.home, order.empty):
            home.mkdir(mode=0o700)
            (home / "config.yaml").write_text("embedding:\n  provider: none\n", encoding="utf-8")
        self._progress("writing", 0, 2)
        written = _run(folder, order)
        self._progress("reading", 1, 2)
        read = _run(folder, msgspec.structs.replace(order, sessions=None))
        return Footprint(
            plan=plan,
            stages=(*written, *read),
            files=disk_usage(order.home),
            tables={
                f"{name}: {table}": size
                for name in ("index.db", "records.db")
                for table, size in _tables(order.home / name)
            },
        )


def describe_footprint(run: FootprintRun) -> list[str]:
    """Return what was run on what, and what is aimed at."""
    aim = (
        f"aims at 100,000 messages of {WORDS[0]} words with vectors of 384 numbers: "
        f"{MEMORY_TARGET_MB} MB over the empty home, {DISK_TARGET_BYTES:,} bytes of disk a message"
    )
    return [aim, *describe_lines(run.environment)]


def footprint_grids(run: FootprintRun) -> list[Grid]:
    """Return the tables: memory by stage, disk by file, disk by table."""
    memory = [(size, stage) for size in run.sizes for stage in size.stages]
    starts = {
        (size.plan.messages, stage.process): stage.resident_mb for size, stage in reversed(memory)
    }
    return [
        Grid(
            title="Memory",
            columns=(
                "messages",
                "process",
                "after",
                "MB over the start",
                "of SQLite",
                "MB",
                "peak",
            ),
            rows=tuple(
                (
                    f"{size.plan.messages:,}",
                    stage.process,
                    stage.name,
                    f"{stage.resident_mb - starts[size.plan.messages, stage.process]:.0f}",
                    f"{stage.sqlite_mb:.1f}",
                    f"{stage.resident_mb:.0f}",
                    f"{stage.peak_mb:.0f}",
                )
                for size, stage in memory
            ),
        ),
        _disk_grid("Disk by file", "file", run.sizes, [size.files for size in run.sizes]),
        _disk_grid("Disk by table", "table", run.sizes, [size.tables for size in run.sizes]),
    ]


def _disk_grid(
    title: str, what: str, sizes: Sequence[Footprint], counts: Sequence[dict[str, int]]
) -> Grid:
    rows: list[tuple[str, ...]] = []
    for size, found in zip(sizes, counts, strict=True):
        largest = sorted(found.items(), key=lambda item: -item[1])[:_LARGEST]
        for name, count in (*largest, ("all", sum(found.values()))):
            each = count / size.plan.messages
            rows.append((f"{size.plan.messages:,}", name, f"{count / 1e6:,.1f}", f"{each:,.0f}"))
    return Grid(title=title, columns=("messages", what, "MB", "bytes a message"), rows=tuple(rows))


def _run(folder: Path, order: _Order) -> tuple[Stage, ...]:
    request, answer = folder / "order", folder / "answer"
    request.write_bytes(msgspec.json.encode(order, enc_hook=str))
    run_command([sys.executable, "-m", "benchmarks.load.footprint", str(request), str(answer)])
    return msgspec.json.decode(answer.read_bytes(), type=tuple[Stage, ...])


def _tables(path: Path) -> list[tuple[str, int]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"
        return [*connection.execute(sql)]
    finally:
        connection.close()


def _answer(request: Path, answer: Path) -> None:
    """Do what an order says, in this process, and write the stages."""
    order = msgspec.json.decode(request.read_bytes(), type=_Order, dec_hook=_path)
    near = {query.text: query.target for query in order.queries}
    embedder = ClusteredEmbedder(order.plan.seed, near)
    process, stages = "writes" if order.sessions else "reads", []

    def note(name: str) -> None:
        gc.collect()
        memory = resident_memory()
        if memory is not None:
            stage = Stage(
                process=process,
                name=name,
                resident_mb=memory.now_mb,
                sqlite_mb=apsw.memory_used() / 1e6,
                peak_mb=memory.peak_mb,
            )
            stages.append(stage)

    live = order.plan.is_live
    with recollect.open(order.empty, embedder=embedder, live=live) as memory:
        store_session(memory, DatedSession(key="0", turns=()))
        memory.sync()
        memory.search("anything", limit=SEARCH_LIMIT)
        note("empty home")
    with recollect.open(order.home, embedder=embedder, live=live) as memory:
        note("opened")
        if order.sessions is not None:
            sessions = _sessions(order.sessions)
            while some := list(islice(sessions, BATCH_SESSIONS)):
                for session in some:
                    store_session(memory, session)
                memory.sync()
            note("written")
        for query in order.queries:
            memory.search(query.text, limit=SEARCH_LIMIT)
        note(f"{len(order.queries)} searches")
    answer.write_bytes(msgspec.json.encode(stages))


def _sessions(path: Path) -> Iterator[DatedSession]:
    with path.open("rb") as lines:
        for line in lines:
            yield msgspec.json.decode(line, type=DatedSession)


def _path(_kind: type, value: object) -> Path:
    return Path(str(value))


if __name__ == "__main__":
    _answer(Path(sys.argv[1]), Path(sys.argv[2]))
