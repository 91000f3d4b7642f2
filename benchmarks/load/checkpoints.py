"""What checkpoints cost: looks at a large root, one edited file, a long history, a large rewind.

The files are pieces of the standard library's source, with the sizes that source trees have: half
below 3 KB, few of a megabyte.
"""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

import msgspec

import recollect
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.stopwatch import Latency, Stopwatch, latency_of
from benchmarks.quality.homes import Progress
from recollect.checkpoints.capture.capture import CheckpointParts, SessionMoment
from recollect.checkpoints.checkpoints import Checkpoints, MessageMoment, SessionPorts
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.rows import Rewind, SharedPart
from recollect.core.clock import IdSource, SystemClock
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import open_contents, open_records

_LARGE = 1 << 20
"""Bytes of the file that is edited again and again."""
_FOLDER = 12
"""Files of a folder, on average."""


class CheckpointPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to measure.

    Attributes:
        files: In the root.
        edits: Checkpoints of a file of 1 MB, each followed by an edit of 1 to 20 lines.
        rewound: Files that one rewind puts back.
        rounds: Commands, and checkpoints of one file.
        seed: The same seed makes the same files.
    """

    files: int = 100_000
    edits: int = 1_000
    rewound: int = 1_000
    rounds: int = 20
    seed: int = 7


class CheckpointFigure(msgspec.Struct, frozen=True, kw_only=True):
    """How long one thing takes, and within how many ms it should stay, where that is set."""

    name: str
    latency: Latency
    target: float | None = None


class CheckpointRun(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run.

    Attributes:
        environment: Where it ran.
        plan: What was measured.
        figures: One for each thing that was timed.
        root_bytes: Of all files of the root.
        stored_bytes: What its contents take.
        history_bytes: What the history of the large file takes on the disk.
    """

    environment: Environment
    plan: CheckpointPlan
    figures: tuple[CheckpointFigure, ...]
    root_bytes: int
    stored_bytes: int
    history_bytes: int


class _Bench(msgspec.Struct, frozen=True):
    """The checkpoints of one session in a home of their own."""

    checkpoints: Checkpoints
    contents: Contents
    session: str
    home: Path

    def disk_bytes(self) -> int:
        """Return what the contents take on the disk."""
        self.contents.database.close()
        return sum(path.stat().st_size for path in (self.home / "checkpoints").glob("contents.db*"))


class CheckpointRunner:
    """Measures checkpoints.

    Args:
        folder: Where the root and the homes are made.
        environment: Where it runs.
        progress: Shows what goes on.
    """

    def __init__(self, folder: Path, environment: Environment, progress: Progress) -> None:
        self._folder = folder
        self._environment = environment
        self._progress = progress

    def run(self, plan: CheckpointPlan) -> CheckpointRun:
        """Return the figures."""
        material = _material()
        root = self._folder / "root"
        size = self._fill(root, plan, material)
        figures, stored = self._looks(root, plan)
        figures += self._clean_look(root, plan)
        edits, history = self._edits(plan, material)
        return CheckpointRun(
            environment=self._environment,
            plan=plan,
            figures=(*figures, *edits),
            root_bytes=size,
            stored_bytes=stored,
            history_bytes=history,
        )

    def _fill(self, root: Path, plan: CheckpointPlan, material: bytes) -> int:
        """Write the files of the root; return their bytes."""
        chance, made, size = Random(plan.seed), 0, 0  # noqa: S311  # no key
        folders = [root]
        while made < plan.files:
            self._progress("writing files", made, plan.files)
            folder = chance.choice(folders[-200:]) / f"d{len(folders)}"
            folder.mkdir(parents=True)
            folders.append(folder)
            for _ in range(min(plan.files - made, 1 + int(chance.expovariate(1 / _FOLDER)))):
                length = min(int(chance.lognormvariate(8.0, 1.4)), _LARGE)
                start = chance.randrange(len(material) - length)
                (folder / f"f{made}.py").write_bytes(material[start : start + length])
                made, size = made + 1, size + length
        return size

    def _looks(self, root: Path, plan: CheckpointPlan) -> tuple[list[CheckpointFigure], int]:
        """Time the first look, commands and a large rewind; return the bytes stored, too."""
        count = f"{plan.files:,} files"
        figures = []
        with _bench(self._folder / "watched", watches=True) as bench:
            figures.append(self._time(f"first look at {count}, stored", 1, _look(bench, root), 5e3))
            stored = bench.contents.usage().stored
            command = self._command(bench, root, plan)
            figures.append(self._time("both looks, watched", plan.rounds, command, 150))
            figures.append(self._rewind(bench, root, plan))
        with _bench(self._folder / "compared", watches=False) as bench:
            _look(bench, root)(0)
            command = self._command(bench, root, plan)
            figures.append(self._time("both looks, compared", plan.rounds, command, 800))
        return figures, stored

    def _clean_look(self, root: Path, plan: CheckpointPlan) -> list[CheckpointFigure]:
        """Time the first look at the same files in a git repository; none without git."""
        quiet = ("-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "gc.auto=0")
        try:
            for call in (("init", "-q"), ("add", "."), (*quiet, "commit", "-qm", "all")):
                subprocess.run(["git", *call], cwd=root, check=True)  # noqa: S603, S607
        except (OSError, subprocess.CalledProcessError):
            return []
        with _bench(self._folder / "tracked", watches=True) as bench:
            name = f"first look at {plan.files:,} files, in git"
            return [self._time(name, 1, _look(bench, root), 5e3)]

    def _rewind(self, bench: _Bench, root: Path, plan: CheckpointPlan) -> CheckpointFigure:
        paths = [path for path in sorted(root.rglob("*.py"))[: plan.rewound] if path.is_file()]
        with bench.checkpoints.around(bench.session, root, tool_name="Bash") as taken:
            for path in paths:
                path.write_bytes(path.read_bytes() + b"# changed\n")
        made = bench.checkpoints.plan(taken)
        name = f"rewind of {plan.rewound:,} files"
        return self._time(name, 1, lambda _: bench.checkpoints.apply(made), 3e3)

    def _edits(self, plan: CheckpointPlan, material: bytes) -> tuple[list[CheckpointFigure], int]:
        """Time the checkpoints of an edited file; return the bytes of its history, too."""
        chance = Random(plan.seed)  # noqa: S311  # no key
        root = self._folder / "edited"
        root.mkdir()
        large, small = root / "large.py", root / "small.py"
        lines = material[:_LARGE].splitlines(keepends=True)
        with _bench(self._folder / "edits", watches=True) as bench:

            def edit(path: Path, of: list[bytes]) -> Callable[[int], object]:
                def checkpoint(number: int) -> None:
                    with bench.checkpoints.around(bench.session, root, [path.name], "Edit"):
                        pass
                    place = chance.randrange(len(of) - 20)
                    for offset in range(chance.randint(1, 20)):
                        of[place + offset] = b"    value_%d = %d\n" % (
                            number,
                            chance.getrandbits(40),
                        )
                    path.write_bytes(b"".join(of))

                return checkpoint

            edit(small, lines[:300])(0)
            figures = [
                self._time("checkpoint of a small file", plan.rounds, edit(small, lines[:300]), 10)
            ]
            edit(large, lines)(0)
            figures.append(
                self._time("checkpoint of a file of 1 MB", plan.edits, edit(large, lines), 10)
            )
            return figures, bench.disk_bytes()

    def _command(self, bench: _Bench, root: Path, plan: CheckpointPlan) -> Callable[[int], object]:
        """Return a command that changes one file and makes another, with both looks around it."""
        some = next(root.rglob("*.py"))

        def command(number: int) -> None:
            with bench.checkpoints.around(bench.session, root, tool_name="Bash"):
                some.write_text(f"changed {number}\n")
                some.with_name(f"made-{plan.seed}-{number}").write_text("made\n")

        return command

    def _time(
        self, name: str, rounds: int, call: Callable[[int], object], target: float
    ) -> CheckpointFigure:
        watch = Stopwatch()
        for number in range(rounds):
            self._progress(name, number, rounds)
            with watch.lap():
                call(number)
        return CheckpointFigure(name=name, latency=latency_of(watch.laps), target=target)


def _look(bench: _Bench, root: Path) -> Callable[[int], object]:
    """Return a call that looks at a root before and after a command that does nothing."""

    def look(_: int) -> None:
        with bench.checkpoints.around(bench.session, root, tool_name="Bash"):
            pass

    return look


class NoMessages:
    """Sessions whose messages no rewind takes out."""

    def last_seq(self, session_id: str, after_seq: int) -> int | None:
        """None is after any."""

    def withdraw(self, tx: Transaction, rewind: Rewind) -> None:
        """Nothing leaves."""

    def give_back(self, tx: Transaction, rewind: Rewind, rewind_ids: Sequence[str]) -> None:
        """Nothing returns."""


@contextmanager
def _bench(home: Path, *, watches: bool) -> Iterator[_Bench]:
    """Give the block checkpoints in a new home."""
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("embedding: {provider: none}\n", encoding="utf-8")
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create(title="Files").id
    clock = SystemClock()
    records = open_records(home, StoreSettings(), clock)
    database = open_contents(home, StoreSettings(), clock)
    contents = Contents(lambda: database, "local", clock)
    parts = CheckpointParts(
        database=records,
        contents=contents,
        clock=clock,
        ids=IdSource(clock),
        tenant="local",
        watches=watches,
    )
    ports = SessionPorts(
        moment=lambda id_: SessionMoment(session_id=id_),
        lineage=lambda id_: [SharedPart(id_)],
        message=lambda name: MessageMoment(name, 0),
        conversation=NoMessages(),
        scope=Scope(),
    )
    try:
        yield _Bench(Checkpoints(parts, ports, home / "locks"), contents, session, home)
    finally:
        records.close()
        database.close()


def _material() -> bytes:
    """Return the source of the standard library's modules."""
    modules = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    return b"".join(path.read_bytes() for path in modules)


def describe_checkpoints(run: CheckpointRun) -> list[str]:
    """Return what was run on what, and what is stored."""
    plan = run.plan
    return [
        f"{plan.files:,} files of {_mb(run.root_bytes)}, seed {plan.seed}",
        f"their contents take {_mb(run.stored_bytes)}",
        f"{plan.edits:,} checkpoints of a file of 1 MB take {_mb(run.history_bytes)} on the disk"
        " (150 MB at most)",
        *describe_lines(run.environment),
    ]


def checkpoint_grids(run: CheckpointRun) -> list[Grid]:
    """Return the figures as a table."""
    rows = tuple(_row(figure) for figure in run.figures)
    columns = ("what", "target", "p50", "p95", "max", "CPU p50")
    return [Grid(title="Checkpoints, wall time", columns=columns, rows=rows)]


def _row(figure: CheckpointFigure) -> tuple[str, ...]:
    wall, cpu = figure.latency.wall_ms, figure.latency.cpu_ms
    target = "" if figure.target is None else f"{figure.target:,g} ms"
    times = (f"{ms:,.1f} ms" for ms in (wall.p50, wall.p95, wall.max, cpu.p50))
    return (figure.name, target, *times)


def _mb(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
