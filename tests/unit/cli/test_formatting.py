"""Figures read well at every size."""

from __future__ import annotations

import pytest

from recollect.cli.output.formatting import bar, count, day, duration, moment, size


@pytest.mark.parametrize(
    ("length", "shown"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KB"), (20 << 20, "20 MB"), (3 << 30, "3.0 GB")],
)
def test_bytes_are_shown_in_their_unit(length: int, shown: str) -> None:
    """One digit behind the point below ten."""
    assert size(length) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0123, "12 ms"),
        (0.9999, "1.0 s"),
        (9.96, "10 s"),
        (59.6, "1 min 0 s"),
        (185, "3 min 5 s"),
        (7800, "2 h 10 min"),
    ],
)
def test_durations_are_shown_in_their_unit(seconds: float, shown: str) -> None:
    """No unit overflows by rounding."""
    assert duration(seconds) == shown


def test_times_are_shown_in_the_local_zone() -> None:
    """Which is UTC in these tests."""
    assert moment(1_780_000_000_000) == "2026-05-28 20:26"
    assert day(1_780_000_000_000) == "28 May 2026"


def test_one_is_not_many() -> None:
    """And thousands are parted."""
    assert count(1, "message") == "1 message"
    assert count(1234, "message") == "1,234 messages"
    assert count(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("part", "shown"),
    [(0.0, ""), (0.125, "╸"), (0.5, "━━"), (0.625, "━━╸"), (1.0, "━━━━"), (7.0, "━━━━"), (-1, "")],
)
def test_a_bar_is_as_long_as_its_part(part: float, shown: str) -> None:
    """In halves of a character; never longer than its width."""
    assert bar(part, 4) == shown
