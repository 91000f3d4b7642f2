"""Marks the durability tests and hands seed and figures to the end of the run."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.durability.scale import FULL, SCALE, SEED, figures

HERE = Path(__file__).parent
MEMORY = Path("/dev/shm")  # a folder of our own is made in it


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: a simulated disk needs no real one to wait for."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="recollect-", dir=MEMORY))
    yield folder
    shutil.rmtree(folder)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, so that ``-m "not durability"`` leaves them out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.durability)


@pytest.fixture(autouse=True)
def figures_of_this_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hand the figures over with the report of the test, from whichever process it runs in."""
    size = "full" if SCALE is FULL else "per commit"
    title = f"durability, {size}, RECOLLECT_SEED={SEED}"
    known = len(figures)
    yield
    request.node.user_properties += [(title, line) for line in figures[known:]]
