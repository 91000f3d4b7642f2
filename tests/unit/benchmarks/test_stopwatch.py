"""Durations and their percentiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measure.stopwatch import Spent, Stopwatch, latency_of, rate_of

SECONDS = st.floats(0, 100, allow_nan=False)


def test_every_lap_is_kept_and_summed() -> None:
    """Work done twice is two laps."""
    watch = Stopwatch()
    for _ in range(2):
        with watch.lap():
            sum(range(1000))

    total = watch.total()
    assert len(watch.laps) == 2
    assert total.wall_s == watch.laps[0].wall_s + watch.laps[1].wall_s
    assert total.cpu_s >= 0.0


def test_work_that_fails_is_not_counted() -> None:
    """A search that raised is not a fast search."""
    watch = Stopwatch()
    with pytest.raises(ValueError, match="broken"), watch.lap():
        raise ValueError("broken")

    assert watch.laps == []


@given(st.lists(SECONDS, min_size=1, max_size=50))
def test_percentiles_are_ordered_and_reach_the_maximum(seconds: list[float]) -> None:
    """In milliseconds, CPU and wall apart."""
    latency = latency_of([Spent(cpu_s=one / 2, wall_s=one) for one in seconds])

    wall = latency.wall_ms
    assert wall.p50 <= wall.p95 <= wall.p99 <= wall.max
    assert wall.max == pytest.approx(max(seconds) * 1000)
    assert latency.cpu_ms.max == pytest.approx(wall.max / 2)
    assert latency.n == len(seconds)


def test_rates_are_per_second_of_each_kind() -> None:
    """Twice as fast on two cores, and no division by a clock that stood still."""
    rate = rate_of(100, Spent(cpu_s=4.0, wall_s=2.0))

    assert (rate.per_cpu_s, rate.per_wall_s) == (25.0, 50.0)
    assert rate_of(1, Spent(cpu_s=0.0, wall_s=0.0)).per_cpu_s == 0.0
