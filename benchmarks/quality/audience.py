"""Do two source trees tell the same to everybody? The same random histories, played in both.

Each tree plays in processes of its own, in homes of its own, and every answer is compared byte for
byte; ids, hashes and times are the same in both. A history that is answered otherwise is made as
small as it gets before it is shown. See `audience_histories` for what is done, `audience_worker`
for what is asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Lock

import msgspec

from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.audience_histories import History, draw_history
from benchmarks.quality.audience_worker import Play, Played
from benchmarks.quality.homes import Progress
from recollect.core.errors import StoreError

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "src"
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
_MOST_SHOWN = 3
"""Differing histories that are made small and shown."""
_CHARS = 400
"""Of an answer, around the first difference."""


class AudiencePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Which histories are played.

    Attributes:
        against: The ``src`` folder of the other tree.
        histories: How many.
        seed: Of the first one; each has the next.
        served: Which share of them is asked over HTTP and MCP too.
        jobs: Pairs of processes at the same time.
    """

    against: Path
    histories: int
    seed: int
    served: float = 0.1
    jobs: int = 1


class AudienceDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A history that is answered otherwise, as small as it gets, and the first such answer."""

    seed: int
    settings: dict[str, object]
    steps: tuple[str, ...]
    asked: str
    here: str
    there: str


class AudienceRun(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison.

    Attributes:
        answers: How many were compared.
        differing: Seeds of the histories that are answered otherwise.
        unsteady: Seeds of those that were, but not when they were played again.
        differences: Of the first ones.
    """

    environment: Environment
    histories: int
    seed: int
    answers: int
    differing: tuple[int, ...]
    unsteady: tuple[int, ...]
    differences: tuple[AudienceDifference, ...]

    @property
    def is_same(self) -> bool:
        """Whether every history is answered alike."""
        return not self.differing


class _Tree:
    """A process that plays histories with one source tree."""

    def __init__(self, source: Path, folder: Path) -> None:
        folder.mkdir()
        self._errors = TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, module and arguments
            [sys.executable, "-m", "benchmarks.quality.audience_worker", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={
                "PYTHONPATH": os.pathsep.join([str(source), str(ROOT)]),
                "PYTHONHASHSEED": "0",
            },
        )

    def begin(self, order: Play) -> None:
        """Let it play a history."""
        if self._process.stdin is not None:
            self._process.stdin.write(msgspec.json.encode(order) + b"\n")
            self._process.stdin.flush()

    def end(self) -> Played:
        """Return what it answered.

        Raises:
            StoreError: the process died; its last line is the message.
        """
        line = self._process.stdout.readline() if self._process.stdout is not None else b""
        if not line:
            self._process.wait()
            self._errors.seek(0)
            last = (self._errors.read().decode().strip().splitlines() or ["no message"])[-1]
            raise StoreError(f"a tree did not answer: {last}", hint="play the history alone")
        return msgspec.json.decode(line, type=Played)

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()
        self._errors.close()


class _Pair:
    """Both trees, in a process each."""

    def __init__(self, folder: Path, against: Path) -> None:
        folder.mkdir()
        self._trees = (_Tree(OURS, folder / "a"), _Tree(against, folder / "b"))

    def played(self, history: History, *, is_told: bool = False) -> tuple[Played, Played]:
        """Return what they answer, at the same time."""
        for tree in self._trees:
            tree.begin(Play(history=history, is_told=is_told))
        here, there = self._trees
        return here.end(), there.end()

    def differs(self, history: History) -> bool:
        """Return whether they answer otherwise."""
        here, there = self.played(history)
        return here.digest != there.digest

    def close(self) -> None:
        """Let both end."""
        for tree in self._trees:
            tree.close()


class AudienceRunner:
    """Plays histories in two trees.

    Args:
        environment: What it runs on.
        tell: Told what goes on.
    """

    def __init__(self, environment: Environment, tell: Progress) -> None:
        self._environment, self._tell = environment, tell
        self._lock = Lock()
        self._done = self._answers = 0
        self._differing: list[int] = []
        self._unsteady: list[int] = []
        self._shown: list[AudienceDifference] = []

    def run(self, plan: AudiencePlan) -> AudienceRun:
        """Return how the answers of this tree differ from those of another.

        Raises:
            StoreError: a process failed.
        """
        seeds = range(plan.seed, plan.seed + plan.histories)
        place = _MEMORY if _MEMORY.is_dir() else None
        with TemporaryDirectory(dir=place) as root, ThreadPoolExecutor(plan.jobs) as threads:
            parts = [
                threads.submit(self._part, Path(root) / f"p{n}", plan, seeds[n :: plan.jobs])
                for n in range(plan.jobs)
            ]
            for part in parts:
                part.result()
        return AudienceRun(
            environment=self._environment,
            histories=plan.histories,
            seed=plan.seed,
            answers=self._answers,
            differing=tuple(sorted(self._differing)),
            unsteady=tuple(sorted(self._unsteady)),
            differences=tuple(self._shown),
        )

    def _part(self, folder: Path, plan: AudiencePlan, seeds: Sequence[int]) -> None:
        with ExitStack() as held:
            pair = _Pair(folder, plan.against)
            held.callback(pair.close)
            for seed in seeds:
                history = draw_history(seed, plan.served)
                here, there = pair.played(history)
                if here.digest != there.digest:
                    self._look_at(pair, seed, history)
                with self._lock:
                    self._done += 1
                    self._answers += here.count
                    self._tell("histories", self._done, plan.histories)

    def _look_at(self, pair: _Pair, seed: int, history: History) -> None:
        """Note a history that differed; the first ones are made small."""
        differs = pair.differs(history)
        if differs and len(self._shown) < _MOST_SHOWN:
            found = _smallest(pair, seed, history)
            differs = found is not None
            self._shown += [found] if found is not None else []
        (self._differing if differs else self._unsteady).append(seed)


def _smallest(pair: _Pair, seed: int, history: History) -> AudienceDifference | None:
    """Return the difference of a history without the steps that it does not need.

    None where the history that is left is answered alike when it is played once more.
    """
    place = len(history.steps)
    while place:
        place -= 1
        steps = (*history.steps[:place], *history.steps[place + 1 :])
        shorter = msgspec.structs.replace(history, steps=steps)
        if pair.differs(shorter):
            history = shorter
    here, there = pair.played(history, is_told=True)
    if here.digest == there.digest:
        return None
    asked, ours, theirs = first_difference(here.answers, there.answers)
    return AudienceDifference(
        seed=seed,
        settings=dict(history.settings),
        steps=tuple(map(str, history.steps)),
        asked=asked,
        here=ours,
        there=theirs,
    )


def first_difference(
    here: Sequence[tuple[str, str]], there: Sequence[tuple[str, str]]
) -> tuple[str, str, str]:
    """Return what was asked when two lists of answers differ first, and both answers around it."""
    nothing = ("nothing more is asked", "")
    for ours, theirs in zip_longest(here, there, fillvalue=nothing):
        if ours != theirs:
            pairs = enumerate(zip(ours[1], theirs[1], strict=False))
            place = next((n for n, (mine, other) in pairs if mine != other), len(ours[1]))
            part = slice(max(0, place - _CHARS // 2), place + _CHARS // 2)
            asked = ours[0] if ours[0] == theirs[0] else f"{ours[0]} | {theirs[0]}"
            return asked, ours[1][part], theirs[1][part]
    return "nothing", "", ""


def describe_audience(run: AudienceRun) -> Iterator[str]:
    """Yield what it ran on, and the histories that are answered otherwise."""
    yield from describe_lines(run.environment)
    for each in run.differences:
        yield f"history {each.seed}, settings {each.settings}"
        yield from (f"  {step}" for step in each.steps)
        yield f"  first difference: {each.asked}"
        yield f"    here:  {each.here}"
        yield f"    there: {each.there}"
    if run.unsteady:
        yield f"differed once and not again: {', '.join(map(str, run.unsteady))}"


def audience_grids(run: AudienceRun) -> list[Grid]:
    """Return one row."""
    columns = ("histories", "first seed", "answers", "alike", "otherwise", "unsteady")
    alike = run.histories - len(run.differing)
    row = (
        *(f"{run.histories:,}", str(run.seed), f"{run.answers:,}", f"{alike:,}"),
        *(f"{len(run.differing):,}", f"{len(run.unsteady):,}"),
    )
    return [Grid(title="What two trees tell", columns=columns, rows=(row,))]
