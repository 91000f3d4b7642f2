"""The benchmarks on the real product, in miniature: what `make bench` and CI rely on."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec
from typer.testing import CliRunner

from benchmarks.commands import app
from benchmarks.measure.results import LoadRun, QualityReport

Report = TypeVar("Report", LoadRun, QualityReport)


def _run(shape: type[Report], *arguments: str) -> Report:
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return msgspec.json.decode(result.stdout, type=shape)


def test_load_measures_every_part_of_a_small_home(tmp_path: Path) -> None:
    """Fresh processes, the command line, merges beside writes: all of it, at 600 messages."""
    found = _run(
        LoadRun, "load", "--messages", "600", "--chunks", "40", "--queries", "20", "--writes", "40",
        "--keep", str(tmp_path),
    )  # fmt: skip

    (size,) = found.sizes
    assert size.stored.count == size.indexed.count == size.vectors.count == 600
    modes = [search.mode for search in size.searches]
    assert modes == ["lexical", "vector", "hybrid", "hybrid"]  # the last of common words
    assert all(search.found > 0.9 for search in size.searches)
    assert {"records.db", "index.db"} <= size.disk_bytes.keys()
    assert [process.mode for process in size.processes] == ["lexical", "hybrid"]
    assert size.notes == ()
    assert not list(tmp_path.glob("*.partial"))


def test_quality_runs_lexically_on_the_development_data(bench_data: Path) -> None:
    """Apart, scoped and asked by a guest, a conversation finds the same: each is like a home."""
    found = _run(
        QualityReport, "locomo", "--limit", "2", "--questions", "60", "--mode", "lexical",
        "--pool", "conversation", "--pool", "scope", "--pool", "guest", "--data", str(bench_data),
        "--set", "embedding.provider=none",
    )  # fmt: skip

    (dataset,) = found.datasets
    recall = {
        table.pool: table.rows[0].scores["R@10"].mean
        for table in dataset.tables
        if table.level == "turn"
    }
    assert recall["conversation"] > 0.5
    assert recall["scope"] == recall["guest"] == recall["conversation"]
