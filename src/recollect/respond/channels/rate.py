"""How much a sender may write: a bucket of tokens for each, filled as time passes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MOST = 10_000
"""Buckets kept; the one not used for longest is full again, so it is forgotten first."""


class RateLimit:
    """Lets each sender write so many messages a minute, at once or spread. Threads may share it.

    Args:
        per_minute: Size of a bucket, and what flows into it in a minute.
        now_s: Seconds that pass.
    """

    def __init__(self, per_minute: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._most = float(per_minute)
        self._now_s = now_s
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, who: str) -> bool:
        """Return whether a message of a sender is within the limit; it counts if so."""
        now = self._now_s()
        with self._lock:
            tokens, at = self._buckets.pop(who, (self._most, now))
            tokens = min(self._most, tokens + (now - at) * self._most / 60)
            is_within = tokens >= 1
            self._buckets[who] = (tokens - is_within, now)
            if len(self._buckets) > MOST:
                self._buckets.popitem(last=False)
        return is_within
