"""The bench of a day: its table, from figures at hand; the day itself is tests/integration/day."""

from __future__ import annotations

from benchmarks.load.day import DayRun, day_grids, describe_day
from benchmarks.measure.environment import describe_environment


def test_each_wait_is_a_row_with_its_median_and_its_longest() -> None:
    """docs/benchmarks.md: timed as a user would feel it."""
    run = DayRun(environment=describe_environment(), waits={"recollect init": [0.5, 0.25, 2.0]})
    (grid,) = day_grids(run)
    assert grid.rows == (("recollect init", "0.50 s", "2.00 s"),)
    assert describe_day(run)[0] == "3 days, a played agent"
