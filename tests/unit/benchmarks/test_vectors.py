"""The bench of the vector back ends: on the product itself, very small."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.load.load import LoadPlan
from benchmarks.load.vectors import VectorRun, VectorRunner, describe_vectors, vector_grids
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.product import open_product
from recollect.core.errors import StoreError


def test_back_ends_hold_and_find_the_same_vectors(tmp_path: Path) -> None:
    """A row for each, all answers exact; the homes are gone afterwards."""
    pytest.importorskip("sqlite_vec", reason="the package sqlite-vec is not installed")
    told: list[str] = []
    runner = VectorRunner(tmp_path, open_product, lambda stage, _done, _all: told.append(stage))
    backends = ("memory", "sqlite-vec")
    costs = runner.run(LoadPlan(messages=90, chunks=1, queries=12), backends)
    assert tuple(cost.backend for cost in costs) == backends
    for cost in costs:
        assert (cost.messages, cost.nearest.n, cost.searches.n) == (90, 12, 12)
        assert cost.exact == 1.0
    assert costs[0].filled is None
    assert costs[1].filled is not None
    assert costs[1].filled.count == 90
    assert list(tmp_path.iterdir()) == []
    assert {"storing", "filling, sqlite-vec", "searching, memory"} <= set(told)
    run = VectorRun(environment=describe_environment(), seed=7, costs=costs)
    (grid,) = vector_grids(run)
    assert [row[1] for row in grid.rows] == list(backends)
    assert "seed 7, 384 dimensions" in describe_vectors(run)


def test_a_back_end_that_cannot_be_used_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures of memory never stand under another name."""
    monkeypatch.setattr("recollect.backends.sqlite_vec.find_spec", lambda _: None)
    runner = VectorRunner(tmp_path, open_product, lambda *_: None)
    with pytest.raises(StoreError, match="sqlite-vec cannot be measured"):
        runner.run(LoadPlan(messages=30, chunks=1, queries=2), ("sqlite-vec",))
