"""Time and ids: the only place that asks the system for either.

Everything above takes a `Clock` and an `IdSource`, so that tests and replays are deterministic.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Protocol

from recollect.core.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS = 86_400_000
MAX_MS = 253_402_300_799_999
"""The last millisecond of the year 9999, the largest time that `datetime` can show."""
SECONDS = range(100_000_000, 100_000_000_000)
"""As milliseconds these numbers lie in 1970 to 1973, as seconds in 1973 to 5138."""

_TAIL_BYTES = 8
_TAILS = 128
"""Ids whose random bytes are drawn at once: on some systems a draw costs 0.3 ms."""


class Clock(Protocol):
    """Tells the time."""

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
        entropy: Returns that many random bytes; injectable for deterministic tests. Asked for
            those of many ids at once, and again in a process that was forked.

    Source: RFC 9562 section 6.2, method 1 (a 12-bit counter in ``rand_a``).
    """

    def __init__(self, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._entropy = entropy
        self._lock = threading.Lock()
        self._last_ms = 0
        self._counter = 0
        self._tails: Iterator[bytes] = iter(())
        self._process = 0

    def new(self) -> str:
        """Return the next id, greater than every id handed out before by this source."""
        with self._lock:
            now = self._clock.now_ms()
            if now > self._last_ms:
                self._last_ms, self._counter = now, 0
            elif self._counter < 0xFFF:
                self._counter += 1
            else:
                self._last_ms, self._counter = self._last_ms + 1, 0
            return _uuid7(self._last_ms, self._counter, self._tail())

    def _tail(self) -> bytes:
        """Return the next random bytes; none that the parent of a fork may hand out as well."""
        tail = next(self._tails, None) if self._process == os.getpid() else None
        if tail is None:
            block = self._entropy(_TAIL_BYTES * _TAILS)
            self._process = os.getpid()
            self._tails = iter(
                [block[at : at + _TAIL_BYTES] for at in range(0, len(block), _TAIL_BYTES)]
            )
            tail = next(self._tails)
        return tail


def _uuid7(ms: int, counter: int, tail: bytes) -> str:
    high = ms << 16 | 0x7000 | counter
    low = (int.from_bytes(tail, "big") & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    text = f"{high << 64 | low:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def derived_id(ms: int, *names: str) -> str:
    """Return the id here of what has another name elsewhere: the same for the same names.

    Args:
        ms: Its time, ms UTC, which must be the same again too; ids sort by it.
        names: What it is called elsewhere, and what else tells it from others.
    """
    joined = "\0".join(names).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(joined, digest_size=10).digest()
    return _uuid7(ms, int.from_bytes(digest[:2]) & 0xFFF, digest[2:])


def moved_id(id: str, *names: str) -> str:
    """Return another id for something whose own is taken; it sorts where that one does."""
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
    """Return a time that a caller gave as ms UTC: every surface reads moments with this.

    Raises:
        InvalidInput: it is not a whole number or datetime between 1970 and 9999, or it is a number
            of seconds: what one is that means the early seventies is given as a datetime.
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


def to_datetime(ms: int) -> datetime:
    """Return the aware UTC `datetime` of ``ms``."""
    return _EPOCH + timedelta(milliseconds=ms)


def to_iso(ms: int) -> str:
    """Return ``ms`` as ISO 8601 in UTC, to the millisecond.

    >>> to_iso(1770681600250)
    '2026-02-10T00:00:00.250Z'
    """
    return to_datetime(ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")
