"""How long the durability tests run, and the figures that they print at the end.

Per commit a part of the full run; ``python -m tests.durability --full`` or
``RECOLLECT_DURABILITY=full`` runs all of it. ``RECOLLECT_SEED`` repeats a run.
"""

from __future__ import annotations

import os
import random

import msgspec


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of trials."""

    cuts: int
    command_cuts: int
    fault_stride: int
    """Every how-many-th call fails in a trial."""
    kills: int
    writes_a_process: int
    cold_starts: int
    rebuild_kills: int
    lock_races: int
    lifecycles: int
    lifecycle_kills: int
    path_races: int


SHORT = Scale(
    cuts=1_500,
    command_cuts=40,
    fault_stride=12,
    kills=12,
    writes_a_process=50,
    cold_starts=3,
    rebuild_kills=10,
    lock_races=40,
    lifecycles=100,
    lifecycle_kills=6,
    path_races=2_000,
)
FULL = Scale(
    cuts=1_500,
    command_cuts=500,
    fault_stride=1,
    kills=150,
    writes_a_process=400,
    cold_starts=40,
    rebuild_kills=50,
    lock_races=200,
    lifecycles=2_000,
    lifecycle_kills=150,
    path_races=100_000,
)

SCALE = FULL if os.environ.get("RECOLLECT_DURABILITY") == "full" else SHORT
SEED = int(os.environ.get("RECOLLECT_SEED") or random.SystemRandom().randrange(1_000_000_000))

figures: list[str] = []
"""One line for each test that ran."""


def chance(name: str) -> random.Random:
    """Return the random numbers of one test; they do not depend on which others ran."""
    return random.Random(f"{SEED} {name}")


def report(name: str, **numbers: float | str) -> None:
    """Add a line of figures."""
    figures.append(f"{name}: " + ", ".join(f"{key} {value}" for key, value in numbers.items()))
