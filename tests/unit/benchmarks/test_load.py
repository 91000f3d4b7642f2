"""Load runs over a scripted memory: what is measured, what is kept, what is left behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from benchmarks.datasets.synthetic import TargetedQuery
from benchmarks.load import load as load_module
from benchmarks.load.load import LoadPlan, LoadRunner, disk_usage
from benchmarks.load.load_grids import describe_load, load_grids
from benchmarks.measure.environment import describe_environment
from benchmarks.measure.plot import plot_load
from benchmarks.measure.results import LoadRun, ProcessCost
from benchmarks.quality.homes import Progress
from benchmarks.quality.product import Mode
from recollect.core.errors import InvalidInput, StoreError

if TYPE_CHECKING:
    from tests.unit.benchmarks.conftest import ScriptedOpener

PLAN = LoadPlan(messages=90, chunks=25, queries=8, writes=12)


def _scripted_probe(
    folder: Path, *, home: Path, mode: Mode, queries: list[TargetedQuery], vector_seed: int | None
) -> ProcessCost:
    assert (home.is_dir(), folder.is_dir(), len(queries)) == (True, True, 8)
    return ProcessCost(
        mode=mode,
        start_to_answer_ms=100.0 if vector_seed is None else 150.0,
        open_ms=10.0,
        first_search_ms=5.0,
        opened_mb=50.0,
        searched_mb=None,
        peak_mb=None,
    )


def _no_command(_home: Path, _query: str, _repeats: int) -> tuple[float, ...]:
    raise StoreError("a fresh process failed: no command line")


@pytest.fixture
def runner(
    tmp_path: Path,
    opener: ScriptedOpener,
    progress: Progress,
    monkeypatch: pytest.MonkeyPatch,
) -> LoadRunner:
    """A runner whose fresh processes are scripted: they would not find the scripted memory."""
    monkeypatch.setattr(load_module, "run_probe", _scripted_probe)
    monkeypatch.setattr(load_module, "time_command", lambda *_: (120.0, 110.0))
    return LoadRunner(tmp_path, opener, progress)


def test_a_size_is_filled_searched_and_written_to(runner: LoadRunner) -> None:
    """Every figure of the report stands for the number of items it says."""
    report = runner.run(PLAN)

    assert (report.messages, report.stored.count, report.indexed.count) == (90, 90, 90)
    assert 20 <= report.chunks.count <= 60
    assert 38 <= report.words <= 52
    assert [search.mode for search in report.searches] == ["lexical", "vector", *["hybrid"] * 2]
    assert [search.asked for search in report.searches][-2:] == ["its words", "half common"]
    assert report.searches[0].latency.cpu_ms.mean <= report.searches[0].latency.cpu_ms.max
    assert report.searches[0].found == 1.0
    assert (report.writes.merging.n, report.writes.backlog) == (12, 18)
    assert [process.start_to_answer_ms for process in report.processes] == [100.0, 150.0]
    assert report.disk_bytes["scripted.json"] > 90 * 200


def test_a_filled_home_is_used_again_and_not_changed_by_writes(
    runner: LoadRunner, opener: ScriptedOpener
) -> None:
    """Single writes go to a copy."""
    first = runner.run(PLAN)
    syncs = opener.syncs

    again = runner.run(PLAN)

    assert again.stored == first.stored
    assert again.disk_bytes == first.disk_bytes
    assert opener.syncs - syncs < 10


def test_an_interrupted_run_leaves_nothing(
    runner: LoadRunner, opener: ScriptedOpener, tmp_path: Path
) -> None:
    """Ctrl-C while filling."""
    opener.fail_on_sync = True

    with pytest.raises(KeyboardInterrupt):
        runner.run(PLAN)

    assert list(tmp_path.iterdir()) == []


def test_a_command_line_that_fails_is_a_note(
    runner: LoadRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the run is worth having."""
    monkeypatch.setattr(load_module, "time_command", _no_command)

    report = runner.run(PLAN)

    assert report.command_ms == ()
    assert report.notes == (
        "the command line was not timed: a fresh process failed: no command line",
    )


@pytest.mark.parametrize("field", ["messages", "chunks", "queries", "writes"])
def test_sizes_below_one_are_refused(field: str) -> None:
    """They would measure nothing."""
    with pytest.raises(InvalidInput, match=field):
        msgspec.convert({"messages": 10, "chunks": 10} | {field: 0}, LoadPlan)


def test_disk_usage_counts_folders_as_one(tmp_path: Path) -> None:
    """Mirrors and blobs are many small files."""
    (tmp_path / "index.db").write_bytes(b"12345")
    (tmp_path / "transcripts").mkdir()
    for name in ("a", "b"):
        (tmp_path / "transcripts" / name).write_bytes(b"123")

    assert disk_usage(tmp_path) == {"index.db": 5, "transcripts/": 6}


def test_run_is_shown_as_grids_plot_and_json(runner: LoadRunner, tmp_path: Path) -> None:
    """Two sizes side by side."""
    pytest.importorskip("matplotlib")
    small = LoadPlan(messages=60, chunks=20, queries=8, writes=4)
    sizes = (runner.run(small), runner.run(PLAN))
    run = LoadRun(environment=describe_environment(), seed=7, law="natural", sizes=sizes)

    titles = [grid.title for grid in load_grids(run)]
    plot_load(run, tmp_path / "load.svg")

    assert titles == [
        "Filling, without embeddings",
        "Searching, ms, query vector given",
        "Single writes, wall ms",
        "Fresh processes",
        "Disk",
    ]
    assert all(len(row) == len(grid.columns) for grid in load_grids(run) for row in grid.rows)
    assert any(line.startswith("90 messages") for line in describe_load(run))
    assert (tmp_path / "load.svg").stat().st_size > 1_000
    assert msgspec.json.decode(msgspec.json.encode(run), type=LoadRun) == run
