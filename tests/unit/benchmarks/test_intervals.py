"""Bootstrap intervals: seeded, ordered, and wider where questions are not independent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.measure.intervals import estimate, paired_difference


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_interval_lies_within_the_values_and_is_repeatable(values: list[float]) -> None:
    """A mean of resampled values is one of the values' range."""
    clusters = [f"c{position % 3}" for position in range(len(values))]

    found = estimate(values, clusters, resamples=200)

    low, high = found.over_questions
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert found == estimate(values, clusters, resamples=200)


def test_equal_values_have_no_width() -> None:
    """Nothing to be unsure about."""
    found = estimate([0.5] * 8, ["a", "b"] * 4)

    assert found.over_questions == found.over_clusters == (0.5, 0.5)
    assert found.mean == 0.5


def test_clusters_that_differ_widen_the_interval() -> None:
    """Two conversations, one always right and one always wrong: 50 questions say little."""
    found = estimate([1.0] * 25 + [0.0] * 25, ["right"] * 25 + ["wrong"] * 25)

    assert found.over_clusters == (0.0, 1.0)
    assert found.over_questions[0] > 0.3
    assert found.over_questions[1] < 0.7


def test_interval_over_questions_has_the_width_of_theory() -> None:
    """For 400 fair coins the 95 % interval is about .45 to .55."""
    low, high = estimate(
        [0.0, 1.0] * 200, [str(position) for position in range(400)]
    ).over_questions

    assert low == pytest.approx(0.451, abs=0.01)
    assert high == pytest.approx(0.549, abs=0.01)


def test_clusters_of_one_question_have_no_interval_of_their_own() -> None:
    """Cranfield: every query is its own cluster; so is a set of one conversation."""
    assert estimate([0.0, 1.0], ["a", "b"]).over_clusters is None
    assert estimate([0.0, 1.0], ["a", "a"]).over_clusters is None


def test_difference_is_taken_question_by_question() -> None:
    """A constant gain is certain, however much the questions differ."""
    gain = paired_difference([0.3, 0.6, 1.0], [0.2, 0.5, 0.9], ["a", "a", "b"])

    assert gain.mean == pytest.approx(0.1)
    assert gain.over_questions == pytest.approx((0.1, 0.1))
