"""The bench of the lexical back ends: on the product itself, very small."""

from __future__ import annotations

from pathlib import Path

from benchmarks.load.lexical import (
    BACKENDS,
    SINGLE_WRITES,
    LexicalRun,
    LexicalRunner,
    describe_lexical,
    lexical_grids,
)
from benchmarks.load.load import LoadPlan
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.product import open_product


def test_both_back_ends_index_and_answer_the_same_messages(tmp_path: Path) -> None:
    """A row for each, with what it found; the homes are gone afterwards."""
    told: list[str] = []
    runner = LexicalRunner(tmp_path, open_product, lambda stage, _done, _all: told.append(stage))
    costs = runner.run(LoadPlan(messages=90, chunks=1, queries=12))
    assert tuple(cost.backend for cost in costs) == BACKENDS
    for cost in costs:
        assert (cost.indexed.count, cost.latency.n, cost.single.n) == (90, 12, SINGLE_WRITES)
        assert cost.found == 1.0
        assert cost.disk_bytes > 0
    assert list(tmp_path.iterdir()) == []
    assert {"storing", "indexing, fts5", "searching, postings"} <= set(told)
    run = LexicalRun(environment=describe_environment(), seed=7, costs=costs)
    (grid,) = lexical_grids(run)
    assert [row[1] for row in grid.rows] == list(BACKENDS)
    assert "seed 7, by words alone" in describe_lexical(run)
