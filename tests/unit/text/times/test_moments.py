"""Dates as people type them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.clock import MAX_MS, to_ms
from recollect.core.errors import InvalidInput
from recollect.text.times.moments import read_moment

NOW = to_ms(datetime(2026, 5, 12, 23, 30, tzinfo=UTC))
BERLIN = ZoneInfo("Europe/Berlin")
"""Where it is the 13th by now."""


def _at(*parts: int) -> int:
    return to_ms(datetime(*parts, tzinfo=UTC))  # type: ignore[arg-type,misc]  # year, month, day and more


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-05-10", _at(2026, 5, 10)),
        ("2026-05-10T09:30", _at(2026, 5, 10, 9, 30)),
        ("2026-05-10 09:30:15", _at(2026, 5, 10, 9, 30, 15)),
        ("2026-05-10T09:30+02:00", _at(2026, 5, 10, 7, 30)),
        ("2026-05-10t09:30z", _at(2026, 5, 10, 9, 30)),
        (" Today ", _at(2026, 5, 12)),
        ("yesterday", _at(2026, 5, 11)),
        ("2 days ago", _at(2026, 5, 10)),
        ("2 days", _at(2026, 5, 10, 23, 30)),
        ("a week ago", _at(2026, 5, 4)),
        ("last week", _at(2026, 5, 4)),
        ("letzten Montag", _at(2026, 5, 11)),
        ("março", _at(2026, 3, 1)),
        ("先月", _at(2026, 4, 1)),
        ("90 minutes", _at(2026, 5, 12, 22)),
        ("3h", _at(2026, 5, 12, 20, 30)),
        ("3 m", _at(2026, 5, 12, 23, 27)),
        ("2d", _at(2026, 5, 10, 23, 30)),
        ("2 weeks", _at(2026, 4, 28, 23, 30)),
    ],
)
def test_a_moment_is_understood(written: str, moment: int) -> None:
    """In UTC here."""
    assert read_moment(written, NOW, UTC) == moment


def test_a_day_is_one_of_the_users_zone() -> None:
    """It begins two hours earlier in Berlin in summer, and may be another one already."""
    assert read_moment("2026-05-10", NOW, BERLIN) == _at(2026, 5, 9, 22)
    assert read_moment("today", NOW, BERLIN) == _at(2026, 5, 12, 22)
    assert read_moment("2026-05-10 09:30", NOW, BERLIN) == _at(2026, 5, 10, 7, 30)
    assert read_moment("2026-05-10 09:30Z", NOW, BERLIN) == _at(2026, 5, 10, 9, 30)


def test_without_a_zone_it_is_that_of_the_machine() -> None:
    """UTC in these tests."""
    assert read_moment("2026-05-10", NOW, None) == _at(2026, 5, 10)


def test_through_a_day_is_up_to_its_end() -> None:
    """Also when that day is 23 hours long; a time of day is that time."""
    assert read_moment("2026-05-10", NOW, UTC, through=True) == _at(2026, 5, 11)
    assert read_moment("2026-03-29", NOW, BERLIN, through=True) == _at(2026, 3, 29, 22)
    assert read_moment("2026-05-10 09:30", NOW, UTC, through=True) == _at(2026, 5, 10, 9, 30)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "soon",
        "tea last week",
        "2026-13-01",
        "999999 weeks ago",
        "5 years",
        "1e3",
    ],
)
def test_what_is_no_date_is_refused(written: str) -> None:
    """With examples of what is."""
    with pytest.raises(InvalidInput) as caught:
        read_moment(written, NOW, UTC, through=True)
    assert "yesterday" in caught.value.hint


@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_refused(written: str) -> None:
    """Never another error."""
    try:
        moment = read_moment(written, NOW, None)
    except InvalidInput:
        return
    assert 0 <= moment <= MAX_MS


def test_a_day_beyond_what_can_be_stored_is_the_nearest_moment_that_can() -> None:
    """`--until 9999-12-31` means no end, and `--since 1900-01-01` no beginning."""
    assert read_moment("9999-12-31", 0, UTC, through=True) == MAX_MS
    assert read_moment("9999-12-31", 0, UTC) == MAX_MS - 86_399_999
    for through in (True, False):
        assert read_moment("1900-01-01", 0, UTC, through=through) == 0
    with pytest.raises(InvalidInput):
        read_moment("9999-12-32", 0, UTC)
