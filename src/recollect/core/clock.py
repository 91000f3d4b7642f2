"""Time and ids: the only module that gets either from the system.

Everything above takes a `Clock` and an `IdSource`, so that tests and replays are deterministic.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol

from recollect.core.errors import ConfigError, InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE_MS, DAY_MS = 60_000, 86_400_000
MAX_MS = 253_402_300_799_999
"""The last millisecond of the year 9999, the largest time that `datetime` can show."""
SECONDS = range(100_000_000, 100_000_000_000)
"""As milliseconds these numbers mean 1970 to 1973, as seconds 1973 to 5138."""

_TAIL_BYTES = 8
_TAILS = 128
"""Ids whose random bytes are drawn at once: on some systems a draw costs 0.3 ms."""


class Clock(Protocol):
    """Returns the time."""

    def now_ms(self) -> int:
        """Return milliseconds since 1970-01-01 UTC."""


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Return milliseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1_000_000


class IdSource:
    """Hands out UUIDv7 texts that sort by time, also within one millisecond and across threads.

    Args:
        clock: Gives the 48-bit millisecond part.
        entropy: Returns that many random bytes; injectable for deterministic tests. Called for many
            ids at once, and again in a forked process.

    Source: RFC 9562 section 6.2, method 1 (a 12-bit counter in ``rand_a``).
    """

    def __init__(self, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._entropy = entropy
        self._lock = threading.Lock()
        self._last_ms = 0
        self._counter = 0
        self._head = _head(0)
        self._tails: Iterator[str] = iter(())
        self._process = 0

    def new(self) -> str:
        """Return the next id, greater than every id handed out before by this source."""
        with self._lock:
            now = self._clock.now_ms()
            if now <= self._last_ms and self._counter < 0xFFF:
                self._counter += 1
            else:
                self._last_ms, self._counter = max(now, self._last_ms + 1), 0
                self._head = _head(self._last_ms)
            return f"{self._head}{self._counter:03x}-{self._tail()}"

    def _tail(self) -> str:
        """Return the next random part; after a fork never one that the parent may use as well."""
        tail = next(self._tails, None) if self._process == os.getpid() else None
        if tail is None:
            block = self._entropy(_TAIL_BYTES * _TAILS)
            self._process = os.getpid()
            digits = block.hex()
            self._tails = iter([_low(digits, at) for at in range(0, len(digits), 2 * _TAIL_BYTES)])
            tail = next(self._tails)
        return tail


def _head(ms: int) -> str:
    """Return the part of an id that a millisecond determines: its 48 bits, and the version."""
    digits = f"{ms:012x}"
    return f"{digits[:8]}-{digits[8:]}-7"


_VARIANT = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))


def _low(digits: str, at: int) -> str:
    """Return the random half of an id: the variant, and 62 of the 64 bits from ``at`` on."""
    return f"{_VARIANT[digits[at]]}{digits[at + 1 : at + 4]}-{digits[at + 4 : at + 16]}"


def derived_id(ms: int, *names: str) -> str:
    """Return the id here of something with a foreign name: the same for the same names.

    Args:
        ms: Its time, ms UTC, which must be equal each time; ids sort by it.
        names: Its foreign name, and what else distinguishes it.
    """
    joined = "\0".join(names).encode("utf-8", "surrogatepass")
    digits = hashlib.blake2b(joined, digest_size=10).hexdigest()
    return f"{_head(ms)}{digits[1:4]}-{_low(digits, 4)}"


def moved_id(id: str, *names: str) -> str:
    """Return another id for something whose own is taken; it sorts at the same position."""
    head = id.replace("-", "")[:12]
    is_ours = len(id) == _UUID_CHARS and all(char in "0123456789abcdef" for char in head)
    return derived_id(int(head, 16) if is_ours else 0, *names, id)


_UUID_CHARS = 36


def to_ms(at: int | datetime) -> int:
    """Return ``at`` as milliseconds UTC; a naive `datetime` is taken as UTC.

    Raises:
        ValueError: before 1970 or after the year 9999.
    """
    if isinstance(at, datetime):
        at = round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
    if not 0 <= at <= MAX_MS:
        raise ValueError("time outside 1970 to 9999")
    return at


def check_time(at: int | datetime) -> int:
    """Return the time of a caller as ms UTC: every surface reads moments with this.

    Raises:
        InvalidInput: it is not a whole number or datetime between 1970 and 9999, or it is a number
            of seconds: times in the early seventies must be given as a datetime.
    """
    hint = "Pass milliseconds since 1970 UTC, or a datetime."
    if isinstance(at, bool) or not isinstance(at, int | datetime):
        raise InvalidInput("a time must be a whole number or a datetime", hint=hint)
    if not isinstance(at, datetime) and at in SECONDS:
        raise InvalidInput(
            "a time must be in milliseconds, not in seconds",
            hint="multiply by 1000, or give a datetime",
        )
    try:
        return to_ms(at)
    except (ValueError, OverflowError) as error:
        raise InvalidInput("a time must be between 1970 and 9999", hint=hint) from error


def check_span(since: int | None, until: int | None) -> tuple[int | None, int | None]:
    """Return the ends of a span, ms UTC; None where it is open.

    Raises:
        InvalidInput: the start is not before the end.
    """
    if since is not None and until is not None and since >= until:
        raise InvalidInput("since must be before until", hint="give the earlier one first")
    return since, until


def to_datetime(ms: int) -> datetime:
    """Return the aware UTC `datetime` of ``ms``."""
    return _EPOCH + timedelta(milliseconds=ms)


def to_iso(ms: int) -> str:
    """Return ``ms`` as ISO 8601 in UTC, to the millisecond.

    >>> to_iso(1770681600250)
    '2026-02-10T00:00:00.250Z'
    """
    return to_datetime(ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def zone_of(name: str | None) -> tzinfo | None:
    """Return the time zone with a name; None, for the machine's, without a name.

    Raises:
        ConfigError: the zone is unknown.
    """
    if name is None:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(
            "setting sessions.time_zone names no time zone",
            hint="use a name such as Europe/Berlin or UTC",
            key="sessions.time_zone",
        ) from error
