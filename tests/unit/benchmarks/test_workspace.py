"""The bench of a workspace: on the product itself, very small."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.load import workspace as bench
from benchmarks.load.workspace import (
    WorkspacePlan,
    WorkspaceRunner,
    describe_workspace,
    workspace_grids,
)
from benchmarks.measure.environment import describe_environment
from recollect.core.errors import InvalidInput
from tests.unit.index.scripted import ScriptedEmbedder


def test_every_figure_of_a_workspace_is_measured(tmp_path: Path) -> None:
    """The first sync, the next ones, a watched save, and the share of the embedder."""
    told: list[str] = []
    runner = WorkspaceRunner(
        tmp_path,
        describe_environment(),
        lambda stage, _done, _all: told.append(stage),
        ScriptedEmbedder,
    )
    run = runner.run(WorkspacePlan(files=12, embedded=2, saves=1))
    assert (run.first.count, run.unchanged.n, run.changed.n) == (12, 5, 5)
    assert run.told > 0
    assert run.seen is not None
    assert run.seen.n == 1
    assert run.embedding is not None
    assert run.embedding.chunks >= 2
    assert 0 < run.embedding.share < 1
    assert {"writing files", "reading", "syncing again", "saving files", "embedding"} <= set(told)
    (grid,) = workspace_grids(run)
    assert len(grid.rows) == 5
    assert describe_workspace(run)[0] == "12 files, 0 MB, seed 7"


def test_parts_can_be_left_out(tmp_path: Path) -> None:
    """Then their rows are missing."""
    runner = WorkspaceRunner(tmp_path, describe_environment(), lambda *_: None)
    run = runner.run(WorkspacePlan(files=1, embedded=0, saves=0))
    assert (run.seen, run.embedding) == (None, None)
    assert len(workspace_grids(run)[0].rows) == 3


def test_what_never_comes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not a bench that hangs."""
    monkeypatch.setattr(bench, "PATIENCE_S", 0.02)
    with pytest.raises(InvalidInput):
        bench._wait(lambda: False)  # noqa: SLF001 - it is what ends a run that hangs


def test_without_a_local_model_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is embedded."""
    monkeypatch.setattr(bench, "create_embedder", lambda *_: None)
    with pytest.raises(InvalidInput):
        bench.local_embedder()
