"""Time that passes only when somebody waits: for tests of clients that try again."""

from __future__ import annotations

import threading

from recollect.models.http.retry import RetryClock


class ScriptedTime:
    """A clock, a stopwatch and a pause in one. Safe to share between threads.

    Args:
        now_ms: Where the clock starts.
        spread: The jitter of every wait, in [0, 1); 0.5 waits half of each bound.
    """

    def __init__(self, now_ms: int = 1_700_000_000_000, spread: float = 0.5) -> None:
        self.waits: list[float] = []
        self._now_ms = now_ms
        self._spread = spread
        self._passed = 0.0
        self._lock = threading.Lock()

    def now_ms(self) -> int:
        """Return the time."""
        return self._now_ms + round(self.elapsed() * 1_000)

    def elapsed(self) -> float:
        """Return the seconds that passed so far."""
        with self._lock:
            return self._passed

    def pause(self, seconds: float) -> None:
        """Let time pass at once, and note it."""
        with self._lock:
            self.waits.append(seconds)
            self._passed += seconds

    def retry_clock(self) -> RetryClock:
        """Return what a provider client takes."""
        return RetryClock(
            clock=self, elapsed=self.elapsed, pause=self.pause, spread=lambda: self._spread
        )
