"""The page for those who come from OpenClaw: every row has a test, and all that it names exists."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
import typer

from recollect.cli.main import app
from recollect.core.settings import list_options, load_settings
from recollect.index.query.hit import Hit, SearchResult
from recollect.memory import Memory
from recollect.recall.status import Status

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "openclaw.md").read_text(encoding="utf-8")
SCHEMA = (ROOT / "src/recollect/store/migrations/index/schema.sql").read_text(encoding="utf-8")
OPTIONS = {option.key: option for option in list_options()}
SECTIONS = {key.split(".")[0] for key in OPTIONS}
VALUES: dict[str, Any] = {"memory": Memory, "hit": Hit, "result": SearchResult, "status": Status}
"""What `memory.`, `hit.` and so on stand for."""

CODE = re.compile(r"`([^`]+)`")
TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")
DEFAULT = re.compile(r"`([\w.]+)` = `([^`]+)`")


class Row(msgspec.Struct, frozen=True):
    """One row of a table below a heading; the cells by the names of their columns."""

    section: str
    cells: dict[str, str]


def _rows() -> Iterator[Row]:
    section = ""
    names: list[str] = []
    for line in TEXT.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        if not line.startswith("|"):
            names = []
        elif not names:
            names = _cells(line)
        elif not set(line) <= set("|-"):
            yield Row(section, dict(zip(names, _cells(line), strict=True)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


ROWS = list(_rows())
NAMED = sorted({name for row in ROWS for name in TEST.findall(row.cells["test"])})
HERE = sorted({token for row in ROWS for token in CODE.findall(row.cells.get("here", ""))})
DEFAULTS = sorted(set(DEFAULT.findall(TEXT)))


def test_every_section_is_there_with_its_rows() -> None:
    """The description of 2026.2.9 has sections 1 to 10; so has the page, and the options."""
    counted = {row.section: 0 for row in ROWS}
    for row in ROWS:
        counted[row.section] += 1
    begun = {int(section.split(".")[0]) for section in counted if section[0].isdigit()}
    assert begun == set(range(1, 11))
    assert all(count >= 12 for count in counted.values())
    assert counted["Configuration"] == 38
    assert sum(counted.values()) > 300


def test_every_row_names_a_test() -> None:
    """And says where it lives."""
    assert [row for row in ROWS if not TEST.search(row.cells["test"])] == []
    assert [row for row in ROWS if not row.cells.get("here", "golden")] == []


@functools.cache
def _tests_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, kinds))


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_named_test_exists(path: str, name: str) -> None:
    """In the file that the page says."""
    assert (ROOT / path).is_file()
    assert name in _tests_of(path)


def test_what_a_row_names_exists() -> None:
    """A setting, a command, a column of the index, or a name in Python."""
    assert len(HERE) > 150
    assert [token for token in HERE if not _exists(token)] == []


def _exists(token: str) -> bool:
    first, _, rest = token.partition(".")
    if token.startswith("recollect "):
        return token.removeprefix("recollect ") in _commands()
    if token.startswith("index.db:"):
        return _is_in_schema(token.removeprefix("index.db:"))
    if first in {"recollect", "tests"}:
        return _is_in_python(token)
    if first in VALUES and rest:
        return rest in _fields(VALUES[first])
    return token in OPTIONS or token in {value for _, value in DEFAULTS}


@functools.cache
def _commands() -> set[str]:
    group: Any = typer.main.get_group(app)
    return set(group.commands)


def _fields(kind: type[Any]) -> set[str]:
    return {*typing.get_type_hints(kind), *dir(kind)}


def _is_in_schema(place: str) -> bool:
    table, _, column = place.partition(".")
    if not column:
        return f"INDEX {table} ON" in SCHEMA
    found = re.search(rf"CREATE TABLE {table} \((.*?)\n\) STRICT", SCHEMA, re.DOTALL)
    return found is not None and re.search(rf"^\s+{column}\s", found[1], re.MULTILINE) is not None


def _is_in_python(token: str) -> bool:
    names = token.split(".")
    for length in range(len(names), 0, -1):
        module = _module(".".join(names[:length]))
        if module is not None:
            return _has(module, names[length:])
    return False


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def _has(found: Any, names: list[str]) -> bool:
    for name in names:
        if not hasattr(found, name) and name not in getattr(found, "__annotations__", {}):
            return False
        found = getattr(found, name, None)
    return True


@pytest.mark.parametrize(("key", "shown"), DEFAULTS, ids=[key for key, _ in DEFAULTS])
def test_a_default_is_what_the_page_says(key: str, shown: str) -> None:
    """The default of a setting may change; the page then has to say why."""
    default = OPTIONS[key].default
    words = {"True": "true", "False": "false", "None": "unset", "()": "[]"}
    assert shown == words.get(str(default), str(default))


def test_every_setting_that_is_mentioned_exists() -> None:
    """Anywhere on the page, also among the reasons."""
    mentioned = {
        token.split(":")[0]
        for row in ROWS
        for cell in ("here", "difference", "the other way")
        for token in CODE.findall(row.cells.get(cell, ""))
        if token.split(".")[0] in SECTIONS and "." in token
    }
    assert len(mentioned) > 40
    assert [key for key in mentioned if not any(k.startswith(key) for k in OPTIONS)] == []


@pytest.mark.parametrize(
    "block", re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
)
def test_a_configuration_of_the_page_can_be_loaded(block: str, tmp_path: Path) -> None:
    """Every key and value of it is one."""
    (tmp_path / "config.yaml").write_text(block, encoding="utf-8")
    assert load_settings(tmp_path, environ={}).settings != load_settings(tmp_path / "none").settings
