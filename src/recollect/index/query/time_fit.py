"""How well the time of a chunk fits the times that a question names (docs/experiments.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from recollect.core.clock import DAY_MS, to_datetime
from recollect.index.model.chunk_record import Floats, Ints

if TYPE_CHECKING:  # only where a question names times
    from recollect.text.times.ranges import TimeRange

NEAR = 0.5
"""The weight of a time at the edge of a range, falling to 0 at one length of the range away: people
say "last week" of nine days ago."""
NEXT_DAY = 0.8
"""The weight of the day after, where the range is relative to today: evenings are reported then."""
BESIDE, SAME_MONTH = 1.0, 0.4
"""The weight of the days beside a calendar day, and of the month around it at its edge, for people
who remember the day wrongly."""
YEAR_ALONE = 0.3
"""The weight of a calendar year: most of the texts may be of it."""
MONTH_MS = 30 * DAY_MS
MOST_YEARS = 30
"""Years that are tried when the question names none, the newest ones."""


def time_fit(at: Ints, times: Sequence[TimeRange]) -> Floats:
    """Return the fit of times (ms UTC) to the best of some ranges, in [0, 1]."""
    fits = np.zeros(len(at), np.float32)
    if not len(at):
        return fits
    for time in times:
        for since, until in (
            (time.since, time.until),
            *_other_years(time, int(at.min()), int(at.max())),
        ):
            np.maximum(fits, _fit(at, since, until, time), out=fits)
    return fits


def _fit(at: Ints, since: int, until: int, time: TimeRange) -> Floats:
    away = np.maximum(np.maximum(since - at, at - until + 1), 0)
    near = NEAR * _closeness(away, max(until - since, DAY_MS))
    if time.is_relative:
        near = np.maximum(near, NEXT_DAY * ((at >= until) & (away <= DAY_MS)))
    elif time.unit == "day":
        near = np.maximum(BESIDE * (away <= DAY_MS), SAME_MONTH * _closeness(away, MONTH_MS))
    best = YEAR_ALONE if time.unit == "year" and not time.is_relative else 1.0
    fits: Floats = (best * np.where(away == 0, 1.0, near)).astype(np.float32)
    return fits


def _closeness(away: Ints, reach: int) -> Floats:
    closeness: Floats = np.maximum(1.0 - away / reach, 0.0).astype(np.float32)
    return closeness


def _other_years(time: TimeRange, first_ms: int, last_ms: int) -> Iterator[tuple[int, int]]:
    """Yield the same month or day of the other years that there are texts of."""
    if not time.month:
        return
    length = time.until - time.since
    present = to_datetime(time.since + length // 2).year
    for year in range(to_datetime(first_ms).year, to_datetime(last_ms).year + 1)[-MOST_YEARS:]:
        try:
            first = datetime(year, time.month, time.day or 1, tzinfo=UTC)
        except ValueError:  # 29 February
            continue
        since = int(first.timestamp() * 1000)
        if year != present:
            yield since, since + length
