"""The rooms of `make mutate`: what it can change, and which tests have to notice."""

from __future__ import annotations

import pytest

from scripts import mutate

PACKAGE = mutate.ROOT / "src" / "recollect"


def test_every_module_belongs_to_a_room() -> None:
    """A new folder that no room names would never be changed."""
    modules = [path for path in PACKAGE.rglob("*.py") if path.stat().st_size]
    assert [str(path) for path in modules if mutate.room_of(path) is None] == []


@pytest.mark.parametrize("name", mutate.ROOMS)
def test_a_room_has_modules_and_tests_that_are_there(name: str) -> None:
    """Each path and pattern names something."""
    room = mutate.ROOMS[name]
    assert mutate.modules_of(name)
    assert [path for path in room.modules if not (PACKAGE / path).exists()] == []
    tests = mutate.ROOT / "tests"
    assert [pattern for pattern in room.tests if not any(tests.glob(pattern))] == []
