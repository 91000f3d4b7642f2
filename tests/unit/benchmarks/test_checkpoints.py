"""The bench of checkpoints: on the product itself, very small."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.commands import app
from benchmarks.load.checkpoints import (
    CheckpointPlan,
    CheckpointRunner,
    checkpoint_grids,
    describe_checkpoints,
)
from benchmarks.measure.environment import describe_environment

FEW = ["checkpoints", "--files", "100", "--edits", "2", "--rewound", "5", "--rounds", "2"]


@pytest.mark.skipif(shutil.which("git") is None, reason="without git one figure is left out")
def test_every_figure_of_checkpoints_is_measured(tmp_path: Path) -> None:
    """First looks with and without git, commands, a rewind, and edits of one file."""
    stages: list[str] = []
    runner = CheckpointRunner(
        tmp_path, describe_environment(), lambda stage, _done, _all: stages.append(stage)
    )
    run = runner.run(CheckpointPlan(files=100, edits=2, rewound=5, rounds=2))
    assert {figure.latency.n for figure in run.figures} == {1, 2}
    assert 0 < run.stored_bytes < run.root_bytes
    assert run.history_bytes > 100_000
    (grid,) = checkpoint_grids(run)
    assert len(grid.rows) == len(run.figures) == 7
    assert "writing files" in stages
    assert "2 checkpoints" in describe_checkpoints(run)[2]


def test_without_git_the_figure_of_a_repository_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command prints one document all the same."""
    monkeypatch.setenv("PATH", str(tmp_path))
    shown = CliRunner().invoke(app, [*FEW, "--json"])
    assert shown.exit_code == 0, shown.stderr
    assert len(json.loads(shown.stdout)["figures"]) == 6
