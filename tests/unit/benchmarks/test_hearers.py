"""The bench of those who hear a part: on the product itself, very small."""

from __future__ import annotations

from pathlib import Path

from benchmarks.load.hearers import (
    KEYS,
    MODES,
    HearerRun,
    HearerRunner,
    describe_hearers,
    hearer_grids,
)
from benchmarks.measure.environment import describe_environment


def test_guests_and_the_owner_ask_the_same_and_the_guests_find_it(tmp_path: Path) -> None:
    """A row for each guest and mode, with and without a write before each question."""
    told: list[str] = []
    runner = HearerRunner(tmp_path, lambda stage, _done, _all: told.append(stage))
    costs = runner.run(messages=90, queries=4, seed=7)
    assert [(cost.hears, cost.mode) for cost in costs] == [
        (name, mode) for name in KEYS for mode in MODES
    ] * 2
    for cost in costs:
        assert (cost.guest.n, cost.owner.n, cost.messages) == (4, 4, 90)
        assert cost.found == 1.0
    assert {"storing", "indexing", "half, lexical"} <= set(told)
    run = HearerRun(environment=describe_environment(), seed=7, costs=costs)
    (grid,) = hearer_grids(run)
    assert len(grid.rows) == len(costs)
    assert "seed 7" in describe_hearers(run)
