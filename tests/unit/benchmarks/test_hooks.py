"""What hooks cost: one hook of each state of the worker, without a client."""

from __future__ import annotations

import json

import pytest

from benchmarks.commands import app
from recollect.cli.main import main

FEW = ["hooks", "--events", "1", "--no-client", "--deadline-ms", "100"]


def test_every_state_of_the_worker_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/benchmarks.md: dead, refusing and slow against none."""
    assert main([*FEW, "--json"], command=app, name="python -m benchmarks") == 0
    run = json.loads(capsys.readouterr().out)
    assert set(run["hook"]) == {"up", "stopped", "refusing", "dead"}
    assert {latency["n"] for latency in run["hook"].values()} == {1}
    assert run["hook"]["stopped"]["wall_ms"]["p50"] >= 100  # it waits for its deadline
    assert run["client"] == []


def test_the_report_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Source: how the others report."""
    assert main(FEW, command=app, name="python -m benchmarks") == 0
    assert "worker hangs" in capsys.readouterr().out
