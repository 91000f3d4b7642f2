"""Values as clients write them: times, names of records, and cursors of lists.

Times may be ISO 8601 or milliseconds; one without a zone is UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from recollect.core.clock import check_time, to_ms
from recollect.core.errors import InvalidInput
from recollect.core.numbers import parse_record

T = TypeVar("T")
Cursor: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,15}-[A-Za-z0-9_-]{1,64}$")]
"""Where a page of a list ends: time and name of its last row."""

_TIMES_FROM = 100_000_000_000
"""An integer from here on is a time, not the number of an observation: in ms, March 1973."""
_DIGITS = re.compile(r"\d{1,15}")


def name_of(id_: int | str) -> str:
    """Return the name of a record that a client gives as ``12``, ``"12"``, ``"#12"`` or a UUID.

    >>> name_of(12), name_of("12"), name_of("m88")
    ('#12', '#12', 'm88')
    """
    text = str(id_).strip()
    return f"#{text}" if _DIGITS.fullmatch(text) else text


def moment_of(value: int | str, *, through: bool = False) -> int:
    """Return the time given by a client, ms UTC.

    Args:
        value: ISO 8601, or milliseconds as a number or a text; without a zone it is UTC.
        through: Return the first moment after it instead, of a day the first of the next.

    Raises:
        InvalidInput: it is not a valid time.
    """
    if isinstance(value, int) or _DIGITS.fullmatch(value):
        return check_time(int(value)) + int(through)
    try:
        moment, length = _parse(value.strip())
        return to_ms(moment + length) if through else to_ms(moment)
    except (ValueError, OverflowError) as error:
        hint = "write 2026-02-01T10:00:00Z, 2026-02-01, or milliseconds"
        raise InvalidInput("a time must be ISO 8601 or milliseconds", hint=hint) from error


def _parse(text: str) -> tuple[datetime, timedelta]:
    """Return a moment, and its length by the precision of the text."""
    if "T" not in text and " " not in text:
        return datetime.combine(date.fromisoformat(text), time(), UTC), timedelta(days=1)
    length = timedelta(milliseconds=1) if "." in text else timedelta(seconds=1)
    return datetime.fromisoformat(text), length


def anchor_of(value: int | str) -> int | str:
    """Return the anchor of a timeline as the memory takes it: the name of a record, or ms UTC.

    Raises:
        InvalidInput: it is neither.
    """
    name = name_of(value)
    if name[1:].isdecimal() and int(name[1:]) >= _TIMES_FROM and name[0] == "#":
        return int(name[1:])
    return name if parse_record(name) is not None else moment_of(value)


def page_of(
    read_rows: Callable[[int | None, int], list[T]],
    position: Callable[[T], tuple[int, str]],
    limit: int,
    cursor: str | None,
    until: int | None,
) -> tuple[list[T], str | None]:
    """Return a page of rows, the newest first, and the cursor of the next page, None at the end.

    Args:
        read_rows: Returns the newest rows before a moment (None: all), and how many at most.
        position: Returns time and name of a row, by which rows are ordered.
        limit: Rows of the page; 0 for none.
        cursor: Of the page before.
        until: Only rows before this time.
    """
    before: tuple[int, str] | None = None
    if cursor is not None:
        at, _, name = cursor.partition("-")
        before = int(at), name
        until = min(until or before[0] + 1, before[0] + 1)
    most = limit + 1
    while True:
        rows = read_rows(until, most)
        older = [row for row in rows if before is None or position(row) < before]
        if len(older) > limit or len(rows) < most:
            break
        most *= 2  # many at the moment of the cursor
    if not limit or len(older) <= limit:
        return older[:limit], None
    at_ms, name = position(older[limit - 1])
    return older[:limit], f"{at_ms}-{name}"
