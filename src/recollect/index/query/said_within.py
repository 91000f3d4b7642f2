"""The time of a statement: the filters `since` and `until` of a search."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta, tzinfo
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.clock import DAY_MS, MAX_MS, to_datetime
from recollect.index.model.chunk_record import Mask
from recollect.index.model.document import FILES, SOURCES

_FILE = SOURCES.index(FILES)
_NOON_MS = DAY_MS // 2

Columns = Mapping[str, NDArray[Any]]


class SaidWithin(msgspec.Struct, frozen=True, kw_only=True):
    """A half-open range of time; a memory file of a day is in it with any part of that day.

    Attributes:
        since: Its first moment, ms UTC.
        until: The first moment after it.
        first_day: The day of ``since`` where the user is, in days since 1970.
        last_day: The last day that begins before ``until`` there.
    """

    since: int
    until: int
    first_day: int
    last_day: int

    @classmethod
    def of(cls, since: int, until: int, zone: tzinfo | None) -> SaidWithin:
        """Return a range with the days of a zone; the machine's if not given."""
        first = _local(since, zone) // DAY_MS
        last = (_local(until, zone) - 1) // DAY_MS
        return cls(since=since, until=until, first_day=first, last_day=last)

    def mask(self, columns: Columns) -> Mask:
        """Return a mask of the chunks said within it; a file without a date was not."""
        at = columns["at"]
        within: Mask = (at >= self.since) & (at < self.until)
        files = columns["source"] == _FILE
        if files.any():
            days = at // DAY_MS
            of_day = (days >= self.first_day) & (days <= self.last_day)
            within = np.where(files & is_day(at), of_day, within) & ~undated(columns)
        return within


def is_day(at: NDArray[np.int64]) -> Mask:
    """Return a mask of the times of files that are days, not moments: noons, see `note_time`."""
    exact: Mask = at % DAY_MS == _NOON_MS
    return exact


def undated(columns: Columns) -> Mask:
    """Return a mask of the chunks of files without any time, even that of their last change."""
    missing: Mask = (columns["source"] == _FILE) & (columns["at"] < DAY_MS)
    return missing


def _local(at: int, zone: tzinfo | None) -> int:
    """Return a moment as clocks show it there, in ms since the first of January 1970 as they do."""
    within = to_datetime(min(max(at, DAY_MS), MAX_MS - DAY_MS)).astimezone(zone)
    offset = within.utcoffset() or timedelta()
    return at + int(offset / timedelta(milliseconds=1))
