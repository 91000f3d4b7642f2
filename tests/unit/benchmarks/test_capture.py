"""The bench of capture: on the product itself, very small."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from typer.testing import CliRunner

from benchmarks.commands import app
from benchmarks.load.capture import CapturePlan, CaptureRunner, capture_grids, describe_capture
from benchmarks.measure.environment import describe_environment


def test_each_size_is_measured_alone_and_together(tmp_path: Path) -> None:
    """With the work in the background: all of it is paid before the figure is taken."""
    told: list[str] = []
    runner = CaptureRunner(
        tmp_path, describe_environment(), lambda stage, _done, _all: told.append(stage)
    )
    run = runner.run(CapturePlan(messages=6, sizes=(600, 1_200), processes=2))
    measured = [(one.size, one.processes, one.latency.n) for one in run.figures]
    assert measured == [(600, 1, 6), (1_200, 1, 3), (600, 2, 6), (1_200, 2, 2)]
    assert all(one.cpu_ms > 0 and one.rate > 0 for one in run.figures)
    costs, threads = capture_grids(run)
    assert [row[:2] for row in costs.rows] == [
        ("0.6 kB", "1"),
        ("1.2 kB", "1"),
        ("0.6 kB", "2"),
        ("1.2 kB", "2"),
    ]
    assert {"sync", "mirror", "writer-records.db"} <= {row[0] for row in threads.rows}
    assert "2 processes 2,000 a second" in describe_capture(run)[1]
    assert set(told) == {"storing messages one by one"}


def test_without_clocks_of_threads_the_costs_are_shown_alone(tmp_path: Path) -> None:
    """Not every system tells what a thread has spent."""
    runner = CaptureRunner(tmp_path, describe_environment(), lambda *_: None)
    run = runner.run(CapturePlan(messages=1, sizes=(600,), processes=1))
    silent = tuple(msgspec.structs.replace(one, threads={}) for one in run.figures)
    assert len(capture_grids(msgspec.structs.replace(run, figures=silent))) == 1


def test_the_command_prints_one_document() -> None:
    """The options make it as short as a test wants it."""
    few = ["capture", "--messages", "2", "--size", "600", "--processes", "1", "--json"]
    shown = CliRunner().invoke(app, few)
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["plan"]["sizes"] == [600]
