"""Durations: CPU and wall time of a piece of work, and their percentiles.

CPU time is of the whole process, so work handed to a thread counts; on a busy machine it is the
figure to compare, wall time is an upper bound.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec
import numpy as np


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of CPU (all threads of the process) and of wall time."""

    cpu_s: float
    wall_s: float


class Stopwatch:
    """Collects what each measured piece of work spent."""

    def __init__(self) -> None:
        self.laps: list[Spent] = []

    @contextmanager
    def lap(self) -> Iterator[None]:
        """Measure the body; a body that raises is not counted."""
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        self.laps.append(Spent(cpu_s=time.process_time() - cpu, wall_s=time.perf_counter() - wall))

    def total(self) -> Spent:
        """Return the sum of all laps."""
        return Spent(
            cpu_s=sum(lap.cpu_s for lap in self.laps), wall_s=sum(lap.wall_s for lap in self.laps)
        )


class Percentiles(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds that half, 95 %, 99 % and all of the laps stay within, and their mean."""

    p50: float
    p95: float
    p99: float
    max: float
    mean: float


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """How long ``n`` equal pieces of work took."""

    n: int
    cpu_ms: Percentiles
    wall_ms: Percentiles


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """``count`` items in some seconds; ``per_cpu_s`` is the speed of one core."""

    count: int
    cpu_s: float
    wall_s: float
    per_cpu_s: float
    per_wall_s: float


def latency_of(laps: Sequence[Spent]) -> Latency:
    """Return the percentiles of at least one lap."""
    return Latency(
        n=len(laps),
        cpu_ms=percentiles_of([lap.cpu_s for lap in laps]),
        wall_ms=percentiles_of([lap.wall_s for lap in laps]),
    )


def rate_of(count: int, spent: Spent) -> Rate:
    """Return how many per second; 0 where the clock showed no time at all."""
    return Rate(
        count=count,
        cpu_s=spent.cpu_s,
        wall_s=spent.wall_s,
        per_cpu_s=count / spent.cpu_s if spent.cpu_s else 0.0,
        per_wall_s=count / spent.wall_s if spent.wall_s else 0.0,
    )


def percentiles_of(seconds: Sequence[float]) -> Percentiles:
    """Return the percentiles of at least one duration."""
    p50, p95, p99, most = (float(ms) for ms in np.percentile(seconds, (50, 95, 99, 100)) * 1000)
    mean = 1000 * sum(seconds) / len(seconds)
    return Percentiles(p50=p50, p95=p95, p99=p99, max=most, mean=mean)
