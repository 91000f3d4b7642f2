"""Dates and times as people type them: ``2026-05-12``, ``yesterday``, ``2 days ago``, ``3h``."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, tzinfo

from recollect.core.clock import to_datetime, to_ms
from recollect.core.errors import InvalidInput

_AGO = re.compile(r"(\d{1,6}) ?(m|min|minutes?|h|hours?|d|days?|w|weeks?)(?: ago)?")
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_DAYS_BACK = {"today": 0, "yesterday": 1}


def read_date(written: str, now_ms: int, zone: tzinfo | None, *, through: bool = False) -> int:
    """Return the moment that a text means, ms UTC.

    Args:
        written: A day, a day with a time, or how long ago.
        now_ms: The time of the question.
        zone: Of a time that names none; the machine's if not given.
        through: Let a day mean its end instead of its beginning.

    Raises:
        InvalidInput: it means none.
    """
    try:
        moment = _moment(" ".join(written.lower().split()), now_ms, zone, through=through)
        return to_ms(moment)
    except (ValueError, OverflowError) as error:
        hint = "write 2026-05-12, 2026-05-12T09:30, yesterday, 2 days ago or 3h"
        raise InvalidInput("a date cannot be understood", hint=hint) from error


def _moment(text: str, now_ms: int, zone: tzinfo | None, *, through: bool) -> datetime:
    ago = _AGO.fullmatch(text)
    if ago is not None:
        number, unit = ago.groups()
        return to_datetime(now_ms) - int(number) * _UNITS[unit[0]]
    day = _day(text, to_datetime(now_ms).astimezone(zone).date())
    moment = datetime.fromisoformat(text.upper()) if day is None else _start(day, through=through)
    if moment.tzinfo is not None:
        return moment
    return moment.astimezone() if zone is None else moment.replace(tzinfo=zone)


def _day(text: str, today: date) -> date | None:
    if text in _DAYS_BACK:
        return today - timedelta(days=_DAYS_BACK[text])
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _start(day: date, *, through: bool) -> datetime:
    return datetime.combine(day + timedelta(days=int(through)), time())


def read_duration(written: str) -> int:
    """Return the length that a text such as ``30m``, ``1h`` or ``2 days`` means, in ms.

    Raises:
        InvalidInput: it means none.
    """
    length = _AGO.fullmatch(" ".join(written.lower().split()).removesuffix(" ago"))
    if length is None:
        raise InvalidInput("a length cannot be understood", hint="write 30m, 1h or 2d")
    number, unit = length.groups()
    return int(number) * int(_UNITS[unit[0]].total_seconds()) * 1000
