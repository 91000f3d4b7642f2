"""Forty scripted projects of two sessions: what the second one is given by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.measure.environment import describe_environment
from benchmarks.quality.projects import project_grids, run_projects

LEAST = 40
"""Of forty; the aim is 34."""


def test_what_the_second_session_needs_is_in_its_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the settings that ship, but for the embedder, which has no part in it."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    run = run_projects(describe_environment(), tmp_path, 7, lambda *_: None)
    assert len(run.results) == 40
    assert sum(each.is_there for each in run.results) >= LEAST
    assert all(each.tokens <= run.budget for each in run.results)
    assert project_grids(run)[0].rows[0][0].endswith("of 40")
