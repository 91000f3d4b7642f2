"""Logging of the server: no text of a user, and a limited number of lines."""

from __future__ import annotations

import logging
import time
import traceback
from types import TracebackType
from typing import TypeAlias

from recollect.core.clock import Clock, SystemClock

_ExcInfo: TypeAlias = (
    "tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]"
)

MOST_A_MINUTE = 60
"""Lines of one kind in a minute, so that a client that sends garbage cannot fill the disk."""
_MINUTE_MS = 60_000

_log = logging.getLogger("recollect.server")


def log_unexpected(error: BaseException) -> None:
    """Log an unexpected error: its type and where it was raised, never its text."""
    _log.error("unexpected %s", places_of(error))


def places_of(error: BaseException) -> str:
    """Return the type of an exception and where it was raised, the innermost frame last.

    Its text can contain anything, including text of a user.
    """
    frames = traceback.extract_tb(error.__traceback__)
    positions = [f"{each.filename}:{each.lineno} in {each.name}" for each in frames]
    return "\n  ".join([type(error).__name__, *positions])


class PlainFormatter(logging.Formatter):
    """Writes lines with the time in UTC; of an exception its type and places, as `places_of`."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("%(asctime)sZ %(levelname)s %(name)s: %(message)s")

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802  # the name of the base class
        """Return the type of an exception, and where it was raised."""
        return "" if ei[1] is None else places_of(ei[1])


class RateCap(logging.Filter):
    """Limits the lines of one kind in a minute; then one line has the number of dropped ones.

    A kind is a logger with its message before the values are filled in. Put it on a handler.
    """

    def __init__(self, most: int = MOST_A_MINUTE, clock: Clock | None = None) -> None:
        super().__init__()
        self._most = most
        self._clock = clock or SystemClock()
        self._counts: dict[tuple[str, str], list[int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written."""
        now = self._clock.now_ms()
        kind = (record.name, str(record.msg))
        count = self._counts.setdefault(kind, [now, 0])
        if now - count[0] >= _MINUTE_MS:
            unwritten = count[1] - self._most
            count[:] = [now, 0]
            if unwritten > 0:
                record.msg = f"{record.msg} (and {unwritten:,} more in the minute before)"
        count[1] += 1
        return count[1] <= self._most
