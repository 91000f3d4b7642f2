"""What the everyday calls of the product walk: files, calls, moves, read transactions, modules.

A small home of 300 messages, words only. Each call is made once before it is counted, because the
first one imports and opens what the later ones find. How the background runs along differs from run
to run: each tree is walked three times, in processes of their own, and the largest counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from benchmarks.load.walk_worker import HITS, MESSAGES, WalkRow
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.lines import PACKAGE
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from recollect.core.errors import StoreError

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "src"
RUNS = 3
_FIGURES = ("files", "calls", "moves", "read transactions", "modules")
_LONGEST_S = 600


class WalkedTree(msgspec.Struct, frozen=True, kw_only=True):
    """The largest walks of a source tree, and how many modules it has."""

    source: str
    modules: int
    rows: tuple[WalkRow, ...]


class WalkRun(msgspec.Struct, frozen=True, kw_only=True):
    """The walks of this tree, and of the one beside it."""

    environment: Environment
    here: WalkedTree
    there: WalkedTree | None = None


def run_walks(
    environment: Environment, root: Path, against: Path | None, tell: Progress, runs: int = RUNS
) -> WalkRun:
    """Return the walks of this source tree and of another, measured in turns.

    Args:
        environment: What it runs on.
        root: Where homes are made.
        against: The ``src`` folder of another checkout; None: only this one.
        tell: Told what goes on.
        runs: Of each tree; the largest counts.

    Raises:
        StoreError: a process failed, or could not count every thread.
    """
    sources = [OURS] if against is None else [OURS, against]
    walked: dict[Path, list[list[WalkRow]]] = {source: [] for source in sources}
    for number in range(runs):
        for position, source in enumerate(sources):
            tell("walks", number * len(sources) + position, runs * len(sources))
            folder = root / f"{number}-{position}"
            folder.mkdir()
            walked[source].append(_walk(source, folder))
    trees = [
        WalkedTree(source=str(source), modules=_modules(source), rows=largest(rows))
        for source, rows in walked.items()
    ]
    return WalkRun(environment=environment, here=trees[0], there=next(iter(trees[1:]), None))


def _walk(source: Path, folder: Path) -> list[WalkRow]:
    completed = subprocess.run(  # noqa: S603 - our own interpreter, module and arguments
        [sys.executable, "-m", "benchmarks.load.walk_worker", str(folder)],
        capture_output=True,
        check=False,
        timeout=_LONGEST_S,
        env={"PYTHONPATH": os.pathsep.join([str(source), str(ROOT)])},
    )
    if completed.returncode:
        last = (completed.stderr.decode().strip().splitlines() or ["no message"])[-1]
        raise StoreError(f"a tree could not be walked: {last}", hint="run it again")
    return msgspec.json.decode(completed.stdout, type=list[WalkRow])


def _modules(source: Path) -> int:
    return sum(1 for _ in (source / PACKAGE).rglob("*.py"))


def largest(runs: Sequence[Iterable[WalkRow]]) -> tuple[WalkRow, ...]:
    """Return each row with the largest figures of all runs, and the files of the longest walk."""
    rows: dict[tuple[str, str], WalkRow] = {}
    for row in (each for run in runs for each in run):
        name = row.call, row.part
        rows[name] = _larger(rows[name], row) if name in rows else row
    return tuple(rows.values())


def _larger(row: WalkRow, other: WalkRow) -> WalkRow:
    longest = max(row.walk, other.walk, key=lambda walk: walk.moves)
    return msgspec.structs.replace(
        row,
        walk=msgspec.structs.replace(
            longest,
            files=max(row.walk.files, other.walk.files),
            calls=max(row.walk.calls, other.walk.calls),
        ),
        reads=None if row.reads is None else max(row.reads, other.reads or 0),
    )


def describe_walks(run: WalkRun) -> list[str]:
    """Return what was run on what."""
    home = f"{MESSAGES} messages, words only, {HITS} hits, the largest of {RUNS} runs"
    trees = [run.here] if run.there is None else [run.here, run.there]
    sizes = [f"{tree.modules} modules in {tree.source}" for tree in trees]
    return [*describe_lines(run.environment), home, *sizes]


def walk_grids(run: WalkRun) -> list[Grid]:
    """Return one table: a line for each part of each call, both trees side by side."""
    columns = ["call", "thread", *_FIGURES]
    trees = [run.here]
    if run.there is not None:
        trees.append(run.there)
        columns += [f"{name} there" for name in _FIGURES]
    walked = [{(row.call, row.part): row for row in tree.rows} for tree in trees]
    rows = tuple(
        (*name, *(cell for tree in walked for cell in _cells(tree.get(name)))) for name in walked[0]
    )
    return [Grid(title="Walks", columns=tuple(columns), rows=rows)]


def _cells(row: WalkRow | None) -> tuple[str, ...]:
    if row is None:
        return ("",) * len(_FIGURES)
    walk = row.walk
    optional = ("" if value is None else str(value) for value in (row.reads, row.modules))
    return (str(walk.files), f"{walk.calls:,}", f"{walk.moves:,}", *optional)
