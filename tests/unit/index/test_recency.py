"""Recency: OpenClaw's decay when the floor is 0, bounded above it, and what does not age."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.clock import DAY_MS
from recollect.core.settings import RecencySettings
from recollect.index.model.memory_date import is_evergreen, memory_date
from recollect.index.query.ranking import ages_in_days, recency_factors


def factor(age: float, floor: float, half_life: float = 30.0) -> float:
    """Return the factor of one age."""
    settings = RecencySettings(floor=floor, half_life_days=half_life)
    return float(recency_factors(np.array([age]), settings)[0])


@pytest.mark.parametrize(
    ("score", "age", "expected"),
    [(1.0, 365.0, 0.00021750456985848138), (1.0, -5.0, 1.0), (0.8, 60.0, 0.2)],
)
def test_without_a_floor_it_is_the_decay_of_openclaw(
    score: float, age: float, expected: float
) -> None:
    """Golden outputs of `applyTemporalDecayToScore` of 2026.9.6, half-life 30 days."""
    assert score * factor(age, 0.0) == pytest.approx(expected, abs=1e-9)


@given(st.floats(-1e4, 1e5), st.floats(0, 1), st.floats(0.01, 36_500))
def test_the_factor_is_bounded_and_falls_with_age(age: float, floor: float, half: float) -> None:
    """So the oldest note loses no more than the settings say."""
    assert floor - 1e-9 <= factor(age, floor, half) <= 1.0
    assert factor(age + 1, floor, half) <= factor(age, floor, half)


def test_after_a_half_life_half_of_what_can_be_lost_is_lost() -> None:
    """Floor .8: .9 after 30 days."""
    assert factor(30.0, 0.8) == pytest.approx(0.9)


def test_ages_are_counted_in_days_before_now() -> None:
    """What is from the future is younger than nothing."""
    ages = ages_in_days(np.array([0, 3 * DAY_MS, 5 * DAY_MS]), 3 * DAY_MS)
    assert ages.tolist() == [3.0, 0.0, -2.0]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/2026-02-10T0900.md", None),
        ("memory/x2026-02-10.md", None),
        ("memory/2026-02-30.md", None),
        ("memory/2026-02-10.txt", None),
        ("./memory/2026-02-10.md", date(2026, 2, 10)),
        ("memory/2026-02-10-router.md", date(2026, 2, 10)),
        ("memory/notes/2026/2026-02-10.md", date(2026, 2, 10)),
        ("2026-02-10.md", None),
    ],
)
def test_a_daily_note_is_known_by_its_name(path: str, expected: date | None) -> None:
    """The first five are golden outputs of `parseMemoryDateFromPath` of OpenClaw 2026.9.6."""
    assert memory_date(path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("MEMORY.md", True),
        ("USER.md", True),
        ("memory/projects/database.md", True),
        ("memory/2026-02-10.md", False),
        ("/home/ann/notes/tea.md", False),
        ("notes/MEMORY.md", False),
    ],
)
def test_curated_and_undated_files_do_not_age(path: str, expected: bool) -> None:
    """Extra paths do: they are as old as their last change."""
    assert is_evergreen(path) is expected
