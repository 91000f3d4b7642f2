"""Thresholds: from how many tokens on memory is flushed, and a view compacted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.settings.sessions import ContextSettings
from recollect.sessions.context.size import Thresholds, openclaw_thresholds, thresholds_of


@pytest.mark.parametrize(
    ("window", "reserve", "soft", "expected"),
    [
        (200_000, -5, 4_000, (0, 4_000, 200_000, 196_000)),
        (8_192, 20_000, 4_000, (2_048, 3_072, 6_144, 3_072)),
    ],
)
def test_the_thresholds_are_those_of_openclaw(
    window: int, reserve: int, soft: int, expected: tuple[int, int, int, int]
) -> None:
    """Measured: memoryFlushThreshold of 2026.9.6, both cases."""
    found = openclaw_thresholds(window, reserve, soft)
    assert (found.reserve, found.soft, found.compact, found.flush) == expected


def test_the_documented_thresholds_come_out() -> None:
    """OpenClaw's documentation has 176,000 and 180,000 for a window of 200,000."""
    settings = ContextSettings(window_tokens=200_000, reserve_tokens=20_000)
    assert thresholds_of(settings) == Thresholds(window=200_000, reserve=20_000, soft=4_000)
    assert thresholds_of(settings).flush == 176_000
    assert thresholds_of(settings, 32_768).compact == 24_576


def test_without_a_reserve_a_share_of_the_window_counts() -> None:
    """80 % by default; the flush comes a little before."""
    found = thresholds_of(ContextSettings())
    assert (found.compact, found.flush) == (102_400, 98_400)


@given(
    st.integers(1_000, 10**8), st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0.05, 1.0)
)
def test_a_flush_comes_before_a_compaction(
    window: int, reserve: int, soft: int, share: float
) -> None:
    """In any window; and neither is beyond its end."""
    found = thresholds_of(
        ContextSettings(
            window_tokens=window, reserve_tokens=reserve, flush_soft_tokens=soft, compact_at=share
        )
    )
    assert 0 <= found.flush <= found.compact <= window
