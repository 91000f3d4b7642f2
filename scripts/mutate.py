"""Changes the core rooms in places drawn by a seed, and names the changes that no test notices.

Usage: python scripts/mutate.py [--places N] [--seed N] [--room NAME]. Works on copies of the
checkout, one for each core. Takes long, so it is not part of CI; a survivor is a missing test or a
change that means nothing, and somebody has to judge which.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import msgspec

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {
    "store": ("store", "tests/unit/store"),
    "sessions": ("sessions", "tests/unit/sessions"),
    "redaction": ("text/redaction", "tests/unit/text/redaction"),
}
"""The folder of the package and that of its tests."""

COPIED = ("src", "tests", "benchmarks", "pyproject.toml")
SLOWEST = 3
"""So many times as long as without a change, and it counts as noticed: it hangs."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a file, and what stands there instead."""

    path: Path
    line: int
    old: str
    new: str
    text: str
    """The whole file with the change."""


def changes_of(path: Path) -> Iterator[Change]:
    """Yield every change of a module: one operator, constant, condition or result at a time."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _code_of(tree):
        for new in _changed(node):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            raw = text.encode()
            whole = (raw[:start] + f"({new})".encode() + raw[end:]).decode()
            yield Change(
                path=path,
                line=node.lineno,
                old=" ".join(raw[start:end].decode().split()),
                new=new,
                text=whole,
            )


def _code_of(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that run: no annotations, docstrings or class options."""
    left_out = {"annotation", "returns", "decorator_list"}
    if isinstance(tree, ast.ClassDef):
        left_out.add("keywords")  # frozen, kw_only: the type checker knows who assigns
    for name, value in ast.iter_fields(tree):
        if name in left_out:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr) or not isinstance(child, ast.AST):
                continue  # the places within an f-string are not exact in Python 3.11
            if isinstance(child, ast.expr):
                yield child
            yield from _code_of(child)


def _changed(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in SWAPS:
            swapped = SWAPS[type(operator)]()
            yield ast.unparse(ast.Compare(left, [swapped], [right]))  # type: ignore[list-item]
        case ast.BoolOp(operator, values):
            yield ast.unparse(ast.BoolOp(SWAPS[type(operator)](), values))  # type: ignore[arg-type]
        case ast.BinOp(left, operator, right) if type(operator) in SWAPS:
            swapped = SWAPS[type(operator)]()
            yield ast.unparse(ast.BinOp(left, swapped, right))  # type: ignore[arg-type]
        case ast.UnaryOp(ast.Not(), operand):
            yield ast.unparse(operand)
        case ast.Constant(bool() as value):
            yield repr(not value)
        case ast.Constant(int() as value):
            yield repr(value + 1)
        case ast.IfExp(_, body, orelse):
            yield from (ast.unparse(body), ast.unparse(orelse))


class Bench:
    """A copy of the checkout for each core, and the tests of a room run in it."""

    def __init__(self, folder: Path, cores: int) -> None:
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(cores):
            copy = folder / str(number)
            for name in COPIED:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, copy / name)
                else:
                    shutil.copy2(ROOT / name, copy / name)
            self._free.put(copy)

    def passes(self, tests: str, limit: float | None, change: Change | None = None) -> bool:
        """Return whether the tests pass with the change."""
        copy = self._free.get()
        try:
            if change is None:
                return _run(copy, [tests], limit)
            return self._passes_changed(copy, tests, limit, change)
        finally:
            self._free.put(copy)

    def _passes_changed(self, copy: Path, tests: str, limit: float | None, change: Change) -> bool:
        target = copy / change.path.relative_to(ROOT)
        original = target.read_text(encoding="utf-8")
        own = sorted(str(p.relative_to(copy)) for p in (copy / tests).rglob(f"*{target.stem}*.py"))
        try:
            target.write_text(change.text, encoding="utf-8")
            _forget_compiled(target)
            return _run(copy, [*own, tests], limit)
        finally:
            target.write_text(original, encoding="utf-8")
            _forget_compiled(target)


def _forget_compiled(module: Path) -> None:
    """A change of the same second and size would not be seen."""
    for compiled in module.parent.glob(f"__pycache__/{module.stem}.*.pyc"):
        compiled.unlink()


def _run(copy: Path, tests: list[str], limit: float | None) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:randomly", "-p", "no:xdist"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}  # noqa: TID251 - of the child
    try:
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", *tests],
            cwd=copy,
            env=environment,
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def measure(bench: Bench, cores: int, room: str, places: int, seed: int) -> None:
    """Print the changes of a room that nothing notices, as they are found, and their share."""
    folder, tests = ROOMS[room]
    started = time.monotonic()
    if not bench.passes(tests, None):
        raise SystemExit(f"{tests} fails without a change")
    limit = SLOWEST * (time.monotonic() - started) + 10
    modules = sorted((ROOT / "src" / "recollect" / folder).rglob("*.py"))
    found = [change for module in modules for change in changes_of(module)]
    drawn = random.Random(f"{seed} {room}").sample(found, min(places, len(found)))  # noqa: S311
    killed = 0
    with ThreadPoolExecutor(cores) as pool:
        passed = pool.map(lambda change: bench.passes(tests, limit, change), drawn)
        for change, passes in zip(drawn, passed, strict=True):
            killed += not passes
            if passes:
                where = f"{change.path.relative_to(ROOT)}:{change.line}"
                print(f"  {where}: {change.old[:70]} -> {change.new[:70]}", flush=True)
    print(f"{room}: {killed} of {len(drawn)} noticed, {100 * killed / len(drawn):.0f} %"
          f" ({len(found)} places, seed {seed})", flush=True)  # fmt: skip


def main() -> None:
    """Measure the rooms one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--places", type=int, default=40, help="changes in each room")
    parser.add_argument("--seed", type=int, default=9, help="the same seed draws the same places")
    parser.add_argument("--room", choices=[*ROOMS], action="append", help="all by default")
    given = parser.parse_args()
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="recollect-mutate-") as folder:
        bench = Bench(Path(folder), cores)
        for room in given.room or ROOMS:
            measure(bench, cores, room, given.places, given.seed)


if __name__ == "__main__":
    main()
