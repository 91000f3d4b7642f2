"""Leaves a provider alone that keeps failing, so that nobody waits for what will not come.

After so many failures in a row it opens; after a cool-down one call may probe, and its outcome
closes or opens it again. Shared by all calls of one client.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

FAILURES = 5
"""Failures in a row that open it: more than the tries of one call."""
COOL_DOWN_S = 30.0
"""As long as OpenClaw keeps the result of a probe."""


class Breaker:
    """Counts failures. Safe to share between threads.

    Args:
        elapsed: Seconds that only go forward.
        failures: Failures in a row that open it.
        cool_down_s: Time until one call may probe.
    """

    def __init__(
        self,
        elapsed: Callable[[], float],
        *,
        failures: int = FAILURES,
        cool_down_s: float = COOL_DOWN_S,
    ) -> None:
        self._elapsed = elapsed
        self._failures = failures
        self._cool_down_s = cool_down_s
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._opens_at = 0.0

    def wait_s(self) -> float:
        """Return 0 when a call may go now, else the seconds until one may.

        Once the cool-down is over, the caller that gets 0 is the probe: the next one is told to
        wait another cool-down, unless the probe succeeds first.
        """
        with self._lock:
            if self._in_a_row < self._failures:
                return 0.0
            now = self._elapsed()
            if now < self._opens_at:
                return self._opens_at - now
            self._opens_at = now + self._cool_down_s
            return 0.0

    @property
    def is_open(self) -> bool:
        """Tell whether calls have to wait; asking makes nobody the probe."""
        with self._lock:
            return self._in_a_row >= self._failures and self._elapsed() < self._opens_at

    def succeed(self) -> None:
        """Close it: the provider answers, if only to refuse."""
        with self._lock:
            self._in_a_row = 0

    def fail(self) -> None:
        """Count a failure, and open it when there were enough."""
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row >= self._failures:
                self._opens_at = self._elapsed() + self._cool_down_s
