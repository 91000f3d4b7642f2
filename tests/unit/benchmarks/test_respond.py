"""The benchmark of answers: a small home, with the figures that it promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.load import respond
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.load.respond import RespondPlan, RespondRunner, describe_respond, respond_grids
from benchmarks.measure.environment import describe_environment
from recollect.models import registry


def test_a_small_home_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Filled once; each message has a prompt, a first piece and an answer."""
    monkeypatch.setattr(respond, "create_local", lambda *_: ClusteredEmbedder(7))
    monkeypatch.setattr(respond, "_WARM_UP", 1)
    monkeypatch.setattr(registry, "LANGUAGE_MODELS", registry.LANGUAGE_MODELS)
    runner = RespondRunner(tmp_path, describe_environment(), lambda *_: None)
    plan = RespondPlan(messages=60, rounds=3)
    for run in (runner.run(plan), runner.run(plan)):
        assert run.prompt.n == run.piece.n == run.whole.n == 3
        assert run.tokens > 50
        assert "60 messages" in describe_respond(run)[-1]
        (grid,) = respond_grids(run)
        assert [row[0] for row in grid.rows] == [
            "message in to prompt ready", "first piece passed on", "all of it", "in the background",
        ]  # fmt: skip
