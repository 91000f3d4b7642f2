"""Marks the durability tests and prints seed and figures at the end of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.durability.scale import FULL, SCALE, SEED, figures

HERE = Path(__file__).parent


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
