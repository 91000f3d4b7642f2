"""How well the time of a text fits the times that a question names."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import numpy as np
import pytest

from recollect.core.clock import DAY_MS, to_ms
from recollect.index.query.time_fit import BESIDE, NEAR, NEXT_DAY, YEAR_ALONE, time_fit
from recollect.text.times.ranges import find_ranges

NOW = to_ms(datetime(2026, 11, 18, 15, tzinfo=UTC))
"""A Wednesday."""


def fit(question: str, *days: date) -> list[float]:
    """Return how well each noon fits what a question names."""
    at = np.array([to_ms(datetime.combine(day, time(12), UTC)) for day in days], np.int64)
    return [round(float(each), 2) for each in time_fit(at, find_ranges(question, NOW, UTC))]


def test_inside_is_one_and_far_away_is_nothing() -> None:
    """For each kind of range."""
    assert fit("last week", date(2026, 11, 11), date(2026, 1, 1)) == [1.0, 0.0]
    assert fit("yesterday", date(2026, 11, 17), date(2026, 11, 1)) == [1.0, 0.0]
    assert fit("in May 2025", date(2025, 5, 31), date(2026, 5, 31)) == [1.0, 0.0]


def test_near_a_range_the_fit_falls_and_has_no_cliff() -> None:
    """Half of it at the edge, nothing one length of the range away."""
    before = fit("last week", *(date(2026, 11, day) for day in (8, 6, 4, 2, 1)))
    assert before == sorted(before, reverse=True)
    assert NEAR > before[0] > before[-2] >= before[-1] == 0.0


def test_the_day_after_counts_for_what_is_told_from_today_on() -> None:
    """What happened in the evening is told the next day."""
    assert fit("on Monday", date(2026, 11, 17)) == [NEXT_DAY]
    assert fit("on 3 May", date(2026, 5, 4), date(2026, 5, 2)) == [BESIDE, BESIDE]


def test_a_month_without_a_year_is_that_of_any_year() -> None:
    """It is the most recent one first of all, but who asks may mean another."""
    assert fit("in May", date(2026, 5, 3), date(2023, 5, 3), date(2023, 9, 3)) == [
        1.0,
        1.0,
        0.0,
    ]
    assert fit("on 29 February", date(2024, 2, 29), date(2023, 2, 28))[0] == 1.0


def test_a_year_alone_says_little() -> None:
    """Unless it is "last year"."""
    assert fit("in 2025", date(2025, 7, 1)) == [pytest.approx(YEAR_ALONE)]
    assert fit("last year", date(2025, 7, 1)) == [1.0]


def test_nothing_named_fits_nothing() -> None:
    """And no texts have no fits."""
    assert fit("tea", date(2026, 5, 3)) == [0.0]
    assert fit("last week") == []
    assert time_fit(np.array([NOW - DAY_MS], np.int64), []).tolist() == [0.0]
