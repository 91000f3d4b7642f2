"""How many tokens may go to paid providers in a day (UTC), how many did, and what they cost.

The count is a port, so that it can outlive the process; whoever has a database keeps it there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from recollect.core.bill import Bill, TokenUse
from recollect.core.clock import Clock, to_datetime
from recollect.core.errors import BudgetSpent
from recollect.models.hints import EMBEDDING, Hints
from recollect.models.prices import Price


class Spending(Protocol):
    """Tokens and money by day. Safe to share between threads."""

    def spent(self, day: str) -> int:
        """Return the tokens of ``day``, such as ``"2026-11-20"``."""

    def add(self, day: str, bill: Bill) -> None:
        """Add a request to ``day``."""


class MemorySpending:
    """Counts for as long as the process lives."""

    def __init__(self) -> None:
        self.bills: list[Bill] = []
        self._lock = threading.Lock()
        self._days: dict[str, int] = {}

    def spent(self, day: str) -> int:
        """Return the tokens of ``day``."""
        with self._lock:
            return self._days.get(day, 0)

    def add(self, day: str, bill: Bill) -> None:
        """Add a request to ``day``."""
        with self._lock:
            self._days[day] = self._days.get(day, 0) + bill.use.total
            self.bills.append(bill)


class DailyBudget:
    """Lets requests through until the day's tokens are spent.

    Args:
        limit: Tokens of a day; 0 sets no limit, and everything is still counted.
        spending: Where the count is.
        clock: Tells the day.
        model: ``provider:model``.
        price: What its tokens cost; None where it is not known, or not counted.
        hints: What its error hints at.
    """

    def __init__(
        self,
        limit: int,
        spending: Spending,
        clock: Clock,
        *,
        model: str = "",
        price: Price | None = None,
        hints: Hints = EMBEDDING,
    ) -> None:
        self._limit = limit
        self._spending = spending
        self._clock = clock
        self._model = model
        self._price = price
        self._hints = hints
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
        """Count what a request for vectors really took."""
        self.charge(TokenUse(input=tokens))

    def charge(self, use: TokenUse, usd: float | None = None) -> float | None:
        """Count what a request really took; return what it cost, None where that is not known.

        Args:
            use: Its tokens.
            usd: What the provider says that it cost; None has it computed.
        """
        if usd is None and self._price is not None:
            usd = self._price.usd(use)
        self._spending.add(self._day(), Bill(model=self._model, use=use, usd=usd))
        return usd

    def _require(self, tokens: int) -> None:
        if not self._limit:
            return
        spent = self._spending.spent(self._day())
        if spent + self._held + tokens > self._limit:
            limit = self._hints.setting("daily_tokens")
            raise BudgetSpent(
                f"the daily limit of tokens for {self._hints.kind}s is reached",
                hint=f"raise {limit}, or wait for the next day (UTC): {self._hints.meanwhile}",
                limit=self._limit,
                spent=spent,
            )

    def _day(self) -> str:
        return to_datetime(self._clock.now_ms()).date().isoformat()
