"""Moments as people give them: ``2026-05-12``, ``yesterday``, ``last week``, ``3h``."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, tzinfo

from recollect.core.clock import MAX_MS, check_span, check_time, to_datetime, to_ms
from recollect.core.errors import InvalidInput
from recollect.text.times.ranges import read_range

_LENGTH = re.compile(r"(\d{1,6}) ?(m|min|minutes?|h|hours?|d|days?|w|weeks?)")
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_FIRST_YEAR = 1970
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def read_moment(
    moment: int | datetime | str, now_ms: int, zone: tzinfo | None, *, through: bool = False
) -> int:
    """Return the given moment, ms UTC.

    Args:
        moment: Milliseconds UTC; a `datetime`; or a text: a time as `find_ranges` reads it ("last
            week", "2 days ago"), a day with a time, or how long ago ("3h", "2 days").
        now_ms: The time of the question.
        zone: Of a text that names none; the machine's if not given.
        through: Let a range mean its end instead of its beginning.

    Raises:
        InvalidInput: it is not a moment.
    """
    if not isinstance(moment, str):
        return check_time(moment)
    text = " ".join(moment.split())
    try:
        return _read(text, now_ms, zone, through=through)
    except (ValueError, OverflowError) as error:
        hint = "write 2026-05-12, 2026-05-12T09:30, yesterday, last week, 2 days ago or 3h"
        raise InvalidInput("a date cannot be understood", hint=hint) from error


def read_span(
    since: int | datetime | str | None,
    until: int | datetime | str | None,
    now_ms: int,
    zone: tzinfo | None,
) -> tuple[int | None, int | None]:
    """Return the first moment and the one after the last, ms UTC; None where an end is open.

    Args:
        since: As `read_moment` takes it.
        until: Likewise; for a range its end counts.
        now_ms: The time of the question.
        zone: Of a text that names none; the machine's if not given.

    Raises:
        InvalidInput: one of them cannot be understood, or the first is not before the second.
    """
    first = None if since is None else read_moment(since, now_ms, zone)
    after = None if until is None else read_moment(until, now_ms, zone, through=True)
    return check_span(first, after)


def _read(text: str, now_ms: int, zone: tzinfo | None, *, through: bool) -> int:
    length = _LENGTH.fullmatch(text.lower())
    if length is not None:
        return to_ms(to_datetime(now_ms) - _length_of(length))
    named_range = read_range(text, now_ms, zone)
    if named_range is not None:
        return to_ms(to_datetime(named_range.until if through else named_range.since))
    if _DAY.fullmatch(text):
        return _beyond(date.fromisoformat(text), zone, through=through)
    moment = datetime.fromisoformat(text.upper())
    if moment.tzinfo is None:
        moment = moment.astimezone() if zone is None else moment.replace(tzinfo=zone)
    return to_ms(moment)


def _beyond(day: date, zone: tzinfo | None, *, through: bool) -> int:
    """Return the nearest moment to a day that cannot be stored, or not to its end."""
    if day.year < _FIRST_YEAR:
        return 0
    if through:
        return MAX_MS
    return to_ms(datetime.combine(day, time(), zone).astimezone())


def _length_of(match: re.Match[str]) -> timedelta:
    """Return a length from its number and unit."""
    number, unit = match.groups()
    return int(number) * _UNITS[unit[0]]


def read_duration(duration: str) -> int:
    """Return the length that a text such as ``30m``, ``1h`` or ``2 days`` means, in ms.

    Raises:
        InvalidInput: it is not a length.
    """
    length = _LENGTH.fullmatch(" ".join(duration.lower().split()).removesuffix(" ago"))
    if length is None:
        raise InvalidInput("a length cannot be understood", hint="write 30m, 1h or 2d")
    return int(_length_of(length) / timedelta(milliseconds=1))
