"""Marks the durability tests and prints seed and figures at the end of a run."""

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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was tried and what was lost."""
    if figures:
        size = "full" if SCALE is FULL else "per commit"
        terminalreporter.section(f"durability, {size}, RECOLLECT_SEED={SEED}")
        for line in figures:
            terminalreporter.write_line(line)
