"""Expressions of time as half-open ranges: the meaning of each on the day of the question.

Days, weeks (from Monday), months and years are those of a time zone; a day of 23 or 25 hours is one
day. `docs/search.md`, time, has the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any

import msgspec

from recollect.core.clock import MAX_MS, to_datetime
from recollect.text.times.grammar import Expression, expressions, is_whole

HOUR_MS = 3_600_000
_HOURS = {"minute": 60_000, "hour": HOUR_MS}
_WEEKEND = 5
_SEASON_MONTHS = 3


class TimeRange(msgspec.Struct, frozen=True, kw_only=True):
    """A time that a text names.

    Attributes:
        since: Its first moment, ms UTC.
        until: The first moment after it.
        unit: How exact it is: ``hour``, ``day``, ``weekend``, ``week``, ``month``, ``season`` or
            ``year``; ``open`` where it has one end only.
        start: Where its words begin in the text.
        end: Where they end.
        is_relative: Whether it is relative to the day of the question: "last week".
        month: Of a month or day without a year which month, else 0: other years may be meant.
        day: Likewise the day of the month.
    """

    since: int
    until: int
    unit: str
    start: int
    end: int
    is_relative: bool = False
    month: int = 0
    day: int = 0


class _Days(msgspec.Struct, frozen=True):
    """Days from ``first`` up to ``after``; or the ``hours`` of the first one."""

    first: date
    after: date
    unit: str
    hours: tuple[int, int] | None = None
    month: int = 0
    day: int = 0


def find_ranges(text: str, now_ms: int, zone: tzinfo | None = None) -> list[TimeRange]:
    """Return the times that a text names, in its order.

    Args:
        text: A question, in any of the languages or several.
        now_ms: The time of the question, ms UTC.
        zone: The user's; the machine's if not given.

    Invalid times ("30 February") and those outside of 1970 to 9999 are left out.
    """
    return ranges_of(expressions(text), now_ms, zone)


def ranges_of(phrases: Sequence[Expression], now_ms: int, zone: tzinfo | None) -> list[TimeRange]:
    """Return the ranges of expressions, as `find_ranges` does."""
    ranges = (_range(expression, now_ms, zone) for expression in phrases)
    return [each for each in ranges if each is not None]


def read_range(text: str, now_ms: int, zone: tzinfo | None = None) -> TimeRange | None:
    """Return the time that a text is, or None where it is anything else.

    Words that need a preposition within a sentence are enough here: ``march``, ``tuesday``.
    """
    for phrase in (text, f"on {text}"):
        matches = expressions(phrase)
        if len(matches) == 1 and is_whole(phrase, matches[0]):
            return _range(matches[0], now_ms, zone)
    return None


def moment(local: datetime, zone: tzinfo | None) -> int:
    """Return a local time as ms UTC; one skipped by a change of the clocks is that change."""
    aware = local.astimezone() if zone is None else local.replace(tzinfo=zone)
    return int((aware - _EPOCH) / timedelta(milliseconds=1))


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _range(expression: Expression, now_ms: int, zone: tzinfo | None) -> TimeRange | None:
    try:
        now = to_datetime(now_ms).astimezone(zone)
        if expression.rule in {"ago", "rolling"} and expression.value("Uz") in _HOURS:
            since, until, unit = _counted_hours(expression, now_ms)
            month = day = 0
        else:
            days = _RULES[expression.rule](expression, now.date())
            if days is None:
                return None
            days = _narrowed(days, expression)
            since, until = _bounds(days, zone)
            unit, month, day = days.unit, days.month, days.day
    except (ValueError, OverflowError):
        return None
    if expression.opening:
        since, until = _opened(expression.opening, since, until, now_ms)
        unit, month, day = "open", 0, 0
    since, until = max(0, since), min(MAX_MS, until)
    if since >= until:
        return None
    return TimeRange(
        since=since,
        until=until,
        unit=unit,
        start=expression.words[0].start,
        end=expression.words[-1].end,
        is_relative=expression.rule not in {"numeric", "date", "season", "year"},
        month=month,
        day=day,
    )


def _bounds(days: _Days, zone: tzinfo | None) -> tuple[int, int]:
    if days.hours is None:
        begin, end = (datetime.combine(day, time()) for day in (days.first, days.after))
    else:
        midnight = datetime.combine(days.first, time())
        begin, end = (midnight + timedelta(hours=hour) for hour in days.hours)
    return moment(begin, zone), moment(end, zone)


def _narrowed(days: _Days, expression: Expression) -> _Days:
    """Return the part of the day, where one is named behind a day."""
    hours = expression.value("P")
    if hours is None or days.unit != "day" or days.hours is not None:
        return days
    return msgspec.structs.replace(days, hours=hours, unit="hour", month=0)


def _opened(opening: str, since: int, until: int, now_ms: int) -> tuple[int, int]:
    if opening == "B":
        return 0, since
    return (since if opening == "S" else until), max(now_ms + 1, until)


def _counted_hours(expression: Expression, now_ms: int) -> tuple[int, int, str]:
    """Return the hour, or minute, that many before now; half of one to each side."""
    length, count = _HOURS[expression.value("Uz")], _count(expression)
    if expression.rule == "rolling":
        return now_ms - count * length, now_ms + 1, "hour"
    middle = now_ms - count * length
    return middle - length // 2, middle + length // 2, "hour"


def _count(expression: Expression) -> int:
    """Return the number of units: of "a couple" the second word, 1 without any."""
    numbers = [word.value for word in expression.words if word.kind in "Nq"]
    return int(numbers[-1]) if numbers else 1


def _numeric(expression: Expression, today: date) -> _Days | None:
    numbers = expression.value("d")
    if len(numbers) == len(("year", "month")):
        return _month(*numbers)
    return _day(date(*numbers))


def _date(expression: Expression, today: date) -> _Days | None:
    month, day, year = expression.value("Mm"), expression.value("qon"), _year_of(expression, today)
    shift = None if year is not None else expression.value("R")
    if day is None:
        if year is not None:
            return _month(year, month)
        return _shifted_month(month, shift, today)
    if year is not None:
        return _day(date(year, month, day))
    years = range(today.year, today.year - 9, -1)  # 29 February is at most eight years back
    day_found = next(
        (each for year in years if (each := _valid(year, month, day)) and each <= today), None
    )
    return None if day_found is None else _day(day_found, month)


def _shifted_month(month: int, shift: int | None, today: date) -> _Days | None:
    """Return the month: the most recent that began, or ended ("last"), or is to begin ("next")."""
    first = date(today.year, month, 1)
    if shift is None:
        year = today.year - (first > today)
        return msgspec.structs.replace(_month(year, month), month=month)
    if shift > 0:
        return _month(today.year + (first <= today), month)
    if shift == 0:
        return _month(today.year, month)
    has_ended = _month(today.year, month).after <= today
    return _month(today.year + shift + has_ended, month)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _year_of(expression: Expression, today: date) -> int | None:
    """Return the year that is named by its number, or relative to this one."""
    year = expression.value("Y")
    if year is not None:
        return int(year)
    unit, shift = _shifted_unit(expression)
    return today.year + shift if unit == "year" else None


def _shifted_unit(expression: Expression) -> tuple[str | None, int]:
    """Return the unit that is said with "last" or "next", and how many of them later."""
    joint = expression.value("J")
    if joint is not None:
        return str(joint[0]), int(joint[1])
    unit, shift = expression.value("U"), expression.value("R")
    if unit is None or shift is None:
        return None, 0
    is_before = any(word.kind == "b" for word in expression.words[1:])  # the week before last
    return str(unit), int(shift) - is_before


def _weekday(expression: Expression, today: date) -> _Days | None:
    joint = expression.value("V")
    if joint is not None:
        weeks, weekday = joint
        return _day(_monday(today) + timedelta(weeks=weeks, days=weekday))
    weekday, (unit, shift) = expression.value("WwX"), _shifted_unit(expression)
    if unit is not None:
        return (
            _day(_monday(today) + timedelta(weeks=shift, days=weekday)) if unit == "week" else None
        )
    shift = -1 if expression.value("R") is None else int(expression.value("R"))
    if shift == 0:
        return _day(_monday(today) + timedelta(days=weekday))
    if shift > 0:
        return _day(today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1))
    latest = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    return _day(latest + timedelta(weeks=shift + 1))


def _part(expression: Expression, today: date) -> _Days | None:
    hours, later = expression.value("T") or (
        expression.value("Pg"),
        expression.value("D") or expression.value("R") or 0,
    )
    if later > 0 or later < -2:
        return None
    day = today + timedelta(days=later)
    return _Days(day, day + timedelta(days=1), "hour", hours)


def _ago(expression: Expression, today: date) -> _Days | None:
    return _unit_range(expression.value("U"), -_count(expression), today)


def _rolling(expression: Expression, today: date) -> _Days | None:
    shift, unit = expression.value("R"), expression.value("Uz")
    if shift not in {None, -1}:
        return None
    count = _count(expression)
    days = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}[unit] * count
    tomorrow = today + timedelta(days=1)
    # "the last three days" begin three days ago: a question in the morning is about those.
    return _Days(today - timedelta(days=days), tomorrow, unit)


def _unit(expression: Expression, today: date) -> _Days | None:
    days = expression.value("D")
    if days is not None:
        return _day(today + timedelta(days=days))
    unit, shift = _shifted_unit(expression)
    if unit in {None, "minute", "hour", "day"}:  # "last minute" and "this day" do not name a time
        return None
    return _unit_range(str(unit), shift, today)


def _unit_range(unit: str, later: int, today: date) -> _Days | None:
    """Return the day, week, weekend, month or year that many after the one of today."""
    if unit == "day":
        return _day(today + timedelta(days=later))
    if unit == "month":
        months = today.year * 12 + today.month - 1 + later
        return _month(months // 12, months % 12 + 1)
    if unit == "year":
        return _year(today.year + later)
    monday = _monday(today) + timedelta(weeks=later)
    first = monday + timedelta(days=_WEEKEND) if unit == "weekend" else monday
    return _Days(first, monday + timedelta(weeks=1), unit)


def _season(expression: Expression, today: date) -> _Days | None:
    month, year, shift = expression.value("Kk"), _year_of(expression, today), expression.value("R")
    if year is None:
        began = today.year - (date(today.year, month, 1) > today)
        if shift == 1:
            year = began + 1
        elif shift == 0:
            year = began if _season_of(began, month).after > today else today.year
        else:
            has_ended = _season_of(began, month).after <= today
            year = began if shift is None or has_ended else began - 1
    return _season_of(year, month)


def _season_of(year: int, month: int) -> _Days:
    last = _month(year + (month + 2 > 12), (month + 1) % 12 + 1)
    return _Days(date(year, month, 1), last.after, "season")


def _only_year(expression: Expression, today: date) -> _Days | None:
    return _year(expression.value("Y"))


def _day(day: date, month: int = 0) -> _Days:
    """Return a day; ``month`` is given where other years may be meant."""
    return _Days(day, day + timedelta(days=1), "day", None, month, day.day if month else 0)


def _month(year: int, month: int) -> _Days:
    after = date(year + month // 12, month % 12 + 1, 1)
    return _Days(date(year, month, 1), after, "month")


def _year(year: int) -> _Days:
    return _Days(date(year, 1, 1), date(year + 1, 1, 1), "year")


def _monday(today: date) -> date:
    return today - timedelta(days=today.weekday())


_RULES: dict[str, Callable[[Any, date], _Days | None]] = {
    "numeric": _numeric,
    "date": _date,
    "weekday": _weekday,
    "part": _part,
    "ago": _ago,
    "rolling": _rolling,
    "unit": _unit,
    "season": _season,
    "year": _only_year,
}
