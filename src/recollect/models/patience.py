"""How long and how often a provider is asked: tries, waits between them, deadlines.

Full jitter (a wait is uniform between 0 and its bound) keeps many clients of one provider from
coming back at the same moment. Knows nothing about HTTP but the header ``Retry-After``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import msgspec

from recollect.core.clock import Clock, SystemClock

Pause = Callable[[float], None]
"""Waits so many seconds; may come back earlier."""


class Tempo(msgspec.Struct, frozen=True, kw_only=True):
    """Time as a provider client sees it; a test gives its own and waits for nothing.

    Attributes:
        clock: Tells the date: for ``Retry-After`` and for the day of a budget.
        elapsed: Seconds that only go forward, for deadlines.
        pause: Waits; None waits on the wall, and ends when the client is closed.
        spread: Returns a number in [0, 1), the jitter.
    """

    clock: Clock = msgspec.field(default_factory=SystemClock)
    elapsed: Callable[[], float] = time.monotonic
    pause: Pause | None = None
    spread: Callable[[], float] = random.random  # noqa: S311 - spreads requests, hides nothing


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one call.

    Attributes:
        attempt_s: Longest a try may take, from connecting to the last byte.
        total_s: Longest all tries and waits may take; None sets no limit.
        tries: Tries at most while the provider fails.
        base_s: Bound of the first wait; it doubles with every try, up to `cap_s`.
        cap_s: Largest bound.
        limited_tries: Tries at most while the provider says "too many requests".
        limited_base_s: Bound of the first wait then.
        limited_cap_s: Largest bound then, and the longest ``Retry-After`` that is waited for.

    Source: the retry rules of OpenClaw 2026.9.6, with full jitter in place of a fifth.
    """

    attempt_s: float = 60.0
    total_s: float | None = None
    tries: int = 3
    base_s: float = 0.5
    cap_s: float = 8.0
    limited_tries: int = 5
    limited_base_s: float = 5.0
    limited_cap_s: float = 60.0

    def allows(self, tried: int, *, limited: bool) -> bool:
        """Tell whether another try may follow after ``tried`` of them."""
        return tried < (self.limited_tries if limited else self.tries)

    def wait_s(self, tried: int, *, limited: bool, spread: float) -> float:
        """Return the seconds to wait after ``tried`` tries; ``spread`` is the jitter in [0, 1).

        >>> Patience().wait_s(3, limited=False, spread=0.5)
        1.0
        """
        base, cap = (
            (self.limited_base_s, self.limited_cap_s) if limited else (self.base_s, self.cap_s)
        )
        return float(spread * min(cap, base * 2 ** (tried - 1)))


def for_question(total_s: float) -> Patience:
    """Return the patience of a search that waits: everything together within ``total_s``."""
    return Patience(attempt_s=total_s, total_s=total_s, limited_tries=3, limited_base_s=0.5)


def retry_after_s(value: str | None, now_ms: int) -> float | None:
    """Return the seconds that a header ``Retry-After`` asks for; None where it says nothing.

    Args:
        value: Seconds, or an HTTP date.
        now_ms: The time now.

    >>> retry_after_s("Thu, 01 Jan 1970 00:01:00 GMT", 0)
    60.0
    """
    if value is None:
        return None
    text = value.strip()
    if text.replace(".", "", 1).isdecimal() and text.isascii():
        return float(text)
    from email.utils import parsedate_to_datetime  # brings sockets, which few starts need

    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, at.timestamp() - now_ms / 1000)
