"""How many tokens may go to paid providers in a day (UTC), and how many did.

The count is a port, so that it can outlive the process; whoever has a database keeps it there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from recollect.core.clock import Clock, to_datetime
from recollect.core.errors import BudgetSpent


class Spending(Protocol):
    """Tokens sent by day. Safe to share between threads."""

    def spent(self, day: str) -> int:
        """Return the tokens of ``day``, such as ``"2026-11-20"``."""

    def add(self, day: str, tokens: int) -> None:
        """Add ``tokens`` to ``day``."""


class MemorySpending:
    """Counts for as long as the process lives."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._days: dict[str, int] = {}

    def spent(self, day: str) -> int:
        """Return the tokens of ``day``."""
        with self._lock:
            return self._days.get(day, 0)

    def add(self, day: str, tokens: int) -> None:
        """Add ``tokens`` to ``day``."""
        with self._lock:
            self._days[day] = self._days.get(day, 0) + tokens


class DailyBudget:
    """Lets requests through until the day's tokens are spent.

    Args:
        limit: Tokens of a day; 0 sets no limit, and everything is still counted.
        spending: Where the count is.
        clock: Tells the day.
    """

    def __init__(self, limit: int, spending: Spending, clock: Clock) -> None:
        self._limit = limit
        self._spending = spending
        self._clock = clock
        self._lock = threading.Lock()
        self._held = 0

    @contextmanager
    def hold(self, tokens: int) -> Iterator[None]:
        """Keep ``tokens`` of the day for a request that is under way.

        Raises:
            BudgetSpent: the day has not so many left.
        """
        with self._lock:
            self._require(tokens)
            self._held += tokens
        try:
            yield
        finally:
            with self._lock:
                self._held -= tokens

    def left(self) -> int | None:
        """Return the tokens that the day still has; None without a limit."""
        with self._lock:
            spent = self._spending.spent(self._day()) + self._held
        return max(0, self._limit - spent) if self._limit else None

    def add(self, tokens: int) -> None:
        """Count what a request really took."""
        self._spending.add(self._day(), tokens)

    def _require(self, tokens: int) -> None:
        if not self._limit:
            return
        spent = self._spending.spent(self._day())
        if spent + self._held + tokens > self._limit:
            raise BudgetSpent(
                "the daily limit of tokens for embedding providers is reached",
                hint="texts wait for the next day (UTC), or raise embedding.remote.daily_tokens",
                limit=self._limit,
                spent=spent,
            )

    def _day(self) -> str:
        return to_datetime(self._clock.now_ms()).date().isoformat()
