"""Twins: every public name has its own, with the same parameters and documentation."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, get_origin

import msgspec
import pytest

from recollect.aio.hops import Hops
from recollect.aio.items import AsyncInside, AsyncItems
from recollect.aio.twin import TWINS, AsyncHandle, Opening, Twin
from scripts.async_stub import PLACE, calls_of, examples, origin_of

ROOT = Path(__file__).resolve().parents[3]
PLAIN = {
    "None",
    "bool",
    "bytes",
    "float",
    "dict",
    "int",
    "Hearer",
    "Iterator",
    "list",
    "Mapping",
    "str",
    "tuple",
}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[type[Twin], object]]:
    """Each twin, and an object that it stands for."""
    return examples(tmp_path_factory.mktemp("twins"))


def test_the_types_of_the_twins_are_up_to_date() -> None:
    """A call that was added, changed or documented anew fails here until `make reference` ran."""
    command = [sys.executable, str(ROOT / "scripts" / "async_stub.py"), "--check"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_name_has_a_twin_with_its_parameters(
    pairs: list[tuple[type[Twin], object]],
) -> None:
    """At run time: what `help` shows is what is called."""
    for kind, target in pairs:
        twin = kind(target, Hops())
        for name, value in calls_of(target):
            assert name in dir(twin)
            if callable(value) and not (isinstance(twin, AsyncHandle) and name == "close"):
                other = getattr(twin, name)
                function = value.func if isinstance(value, partial) else value
                if name == "close":
                    continue  # a memory is closed together with its threads
                assert inspect.signature(other) == inspect.signature(value), name
                assert type(other) is TWINS.get(type(value)) or other.__doc__ == function.__doc__


def test_the_types_name_every_call(pairs: list[tuple[type[Twin], object]]) -> None:
    """What an editor completes: each name of each object, once."""
    tree = ast.parse(PLACE.read_text(encoding="utf-8"))
    written = {
        node.name: [each.name for each in node.body if hasattr(each, "name")]
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    for kind, target in pairs:
        names = [name for name in written[kind.__name__] if not name.startswith("_")]
        assert sorted(names) == sorted(name for name, _ in calls_of(target))


def test_what_a_call_gives_is_a_value_or_has_a_twin(
    pairs: list[tuple[type[Twin], object]],
) -> None:
    """An object with calls of its own must not reach the event loop without a twin."""
    known = {of.__name__ for of in TWINS}
    for _, target in pairs:
        for name, value in calls_of(target):
            if inspect.isroutine(value) or isinstance(value, partial):
                function = value.func if isinstance(value, partial) else value
                gives: Any = inspect.unwrap(function).__annotations__["return"]
                assert gives in known or _is_value(inspect.unwrap(function), gives), (name, gives)


def _is_value(function: Any, gives: str) -> bool:
    module = importlib.import_module(function.__module__)
    for name in set(re.findall(r"\w+", gives)) - PLAIN:
        kind = getattr(importlib.import_module(origin_of(name, module)), name)
        is_list = isinstance(kind, str) or get_origin(kind) in {list, tuple}
        if not is_list and not issubclass(kind, msgspec.Struct):
            return False
    return True


def test_the_kind_of_a_twin_follows_from_what_the_call_gives(
    pairs: list[tuple[type[Twin], object]],
) -> None:
    """Iterators, blocks and handles are not coroutines: they are entered or iterated over."""

    async def kinds() -> dict[str, type]:
        found: dict[str, type] = {}
        for kind, target in pairs:
            twin = kind(target, Hops())
            for name in ("since", "follow", "watch", "lines", "turn", "hold", "subscribe"):
                if hasattr(target, name) and (name != "lines" or hasattr(target, "save")):
                    found[name] = type(getattr(twin, name)())
        return found

    wanted = dict.fromkeys(("since", "follow", "watch", "lines"), AsyncItems)
    assert asyncio.run(kinds()) == {
        **wanted,
        "turn": AsyncInside,
        "hold": Opening,
        "subscribe": Opening,
    }
