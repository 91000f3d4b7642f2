"""Sizes: small functions, small modules, no drawers. The distribution is printed each time."""

from __future__ import annotations

import ast
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "src" / "recollect" / "aio" / "twins.py"
"""By a script, from what is written."""
SOURCES = sorted(set((ROOT / "src").rglob("*.py")) - {MADE})

MAX_FUNCTION_LINES = 60
MAX_MODULE_LINES = 500
MAX_FOLDER_FILES = 20
LONGER = {"src/recollect/memory.py"}
"""The module of a public class, which writes out every call with its documentation."""
TWICE: set[str] = {"Redactor"}
"""Class names that stand for two things still; none may be added."""
DRAWERS = {"base", "common", "helper", "helpers", "manager", "misc", "shared", "util", "utils"}


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """A function or method; its lines go from ``def`` to the end, docstring included."""

    where: str
    lines: int


def _functions() -> Iterator[Function]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                where = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                yield Function(where=where, lines=(node.end_lineno or 0) - node.lineno + 1)


def test_functions_are_small(note: Callable[[str], None]) -> None:
    """House style: median under 10 lines, nine in ten under 30, none over 60."""
    functions = list(_functions())
    sizes = sorted(function.lines for function in functions)
    deciles = statistics.quantiles(sizes, n=10)
    line = (
        f"{len(sizes)} functions: median {deciles[4]:.0f}, 90 % {deciles[8]:.0f}, max {sizes[-1]}"
    )
    note(line)
    assert [f.where for f in functions if f.lines > MAX_FUNCTION_LINES] == []
    assert deciles[4] < 10
    assert deciles[8] < 30


def test_modules_are_small(note: Callable[[str], None]) -> None:
    """House style: no module over 500 lines."""
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    median = statistics.median(sizes.values())
    note(f"{len(sizes)} modules: median {median:.0f}, max {max(sizes.values())}")
    long = {str(p.relative_to(ROOT)) for p, n in sizes.items() if n > MAX_MODULE_LINES}
    assert long <= LONGER


def test_every_module_is_named_for_what_it_owns() -> None:
    """House style: a helper lives beside its only user, or earns a noun."""
    named = [*SOURCES, *(path for path in (ROOT / "src").rglob("*") if path.is_dir())]
    assert [str(path) for path in named if path.stem in DRAWERS] == []


def test_every_folder_of_the_package_is_one_package() -> None:
    """A folder with modules but without __init__ would be left out of the wheel's import checks."""
    folders = {path.parent for path in SOURCES}
    assert [str(f) for f in folders if f.name != "src" and not (f / "__init__.py").exists()] == []


def test_folders_are_small(note: Callable[[str], None]) -> None:
    """House style: a folder that grows past twenty files gets rooms of its own."""
    files = Counter(path.parent for path in SOURCES)
    note(f"{len(files)} folders: at most {max(files.values())} modules in one")
    assert [str(f) for f, count in files.items() if count > MAX_FOLDER_FILES] == []


def test_a_public_class_name_stands_for_one_thing() -> None:
    """House style: one name, one meaning in the whole tree."""
    places: dict[str, set[str]] = defaultdict(set)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(str(path.relative_to(ROOT)))
    assert {name: where for name, where in places.items() if len(where) > 1}.keys() <= TWICE
