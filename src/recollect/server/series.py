"""Series: what the worker measured over time; bounded, and kept in the home for its next start."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from recollect.caller import Caller
from recollect.core.decoding import decode_json
from recollect.server.route import AnyRoute, Nothing, route_of
from recollect.store.files import write_file

SERIES_FILE = "series.json"
SHORT_S, LONG_S = 10, 300
SHORT, LONG = 360, 576
"""Samples: an hour of short ones, two days of long ones."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured in a span of time.

    Attributes:
        at: Its end, ms UTC.
        captured: Messages and observations that came in.
        searches: Searches of the worker.
        p50_ms: The time that half of them took at most; null without any.
        p95_ms: The time that 95 of 100 took at most.
        backlog: Changes that the index had not read at the end.
        bytes: The size of the home by kind at the end; null in short samples.
    """

    at: int
    captured: int
    searches: int
    p50_ms: float | None
    p95_ms: float | None
    backlog: int
    bytes: dict[str, int] | None = None


class SeriesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Samples, oldest first.

    Attributes:
        short_s: How many seconds a short sample is for.
        short: Of the last hour.
        long_s: How many seconds a long sample is for.
        long: Of the last two days.
    """

    short_s: int = SHORT_S
    short: tuple[Sample, ...] = ()
    long_s: int = LONG_S
    long: tuple[Sample, ...] = ()


class Series:
    """Keeps samples; threads may share it. Empty where no worker measures."""

    def __init__(self) -> None:
        self._short: deque[Sample] = deque(maxlen=SHORT)
        self._long: deque[Sample] = deque(maxlen=LONG)
        self._lock = threading.Lock()

    def add(self, sample: Sample, *, is_long: bool = False) -> None:
        """Keep a sample; the oldest one goes where there are too many."""
        with self._lock:
            (self._long if is_long else self._short).append(sample)

    def answer(self) -> SeriesAnswer:
        """Return all samples."""
        with self._lock:
            return SeriesAnswer(short=tuple(self._short), long=tuple(self._long))

    def save(self, home: Path) -> None:
        """Write the samples into a home; into one that was removed meanwhile nothing.

        Raises:
            StoreError: they could not be written.
        """
        if home.is_dir():
            write_file(home / SERIES_FILE, msgspec.json.encode(self.answer()))

    def restore(self, home: Path) -> None:
        """Take the samples that an earlier worker wrote; none where they cannot be read."""
        with suppress(OSError, msgspec.MsgspecError):
            earlier = decode_json((home / SERIES_FILE).read_bytes(), SeriesAnswer)
            with self._lock:
                self._short.extend(earlier.short)
                self._long.extend(earlier.long)

    def route(self) -> AnyRoute:
        """Return the route of the series."""
        return route_of(self.tell, "GET", "/api/series", "read")

    def tell(self, caller: Caller, _fields: Nothing) -> SeriesAnswer:
        """List what the worker measured in the last hour and the last two days.

        Raises:
            Denied: the token is not the operator's of the whole home.
        """
        caller.require_operator("home")
        return self.answer()


def sample_of(at: int, captured: int, searches_ms: Sequence[float], backlog: int) -> Sample:
    """Return a sample of a span of time.

    >>> sample_of(0, 2, [3.0, 1.0, 2.0], 0).p50_ms
    2.0
    """
    ranked = sorted(searches_ms)

    def share(part: float) -> float | None:
        return round(ranked[min(len(ranked) - 1, int(part * len(ranked)))], 2) if ranked else None

    return Sample(
        at=at,
        captured=captured,
        searches=len(ranked),
        p50_ms=share(0.5),
        p95_ms=share(0.95),
        backlog=backlog,
    )
