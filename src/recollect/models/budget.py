"""Budgets of a day (UTC) for paid providers: tokens allowed and used, and their cost.

The count is a port, so that it can outlive the process, in a database.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Protocol

from recollect.core.bill import Bill, TokenUse
from recollect.core.clock import Clock, to_datetime
from recollect.core.errors import BudgetSpent
from recollect.models.hints import EMBEDDING, Hints
from recollect.models.prices import Price


class Spending(Protocol):
    """Tokens and money by day. Safe to share between threads."""

    def spent(self, day: str, purpose: str | None = None) -> int:
        """Return the tokens of ``day``, such as ``"2026-11-20"``; for one purpose if given."""

    def add(self, day: str, bill: Bill) -> None:
        """Add a request to ``day``."""


class MemorySpending:
    """Counts in memory, for the life of the process."""

    def __init__(self) -> None:
        self.bills: list[Bill] = []
        self._lock = threading.Lock()
        self._days: dict[tuple[str, str | None], int] = {}

    def spent(self, day: str, purpose: str | None = None) -> int:
        """Return the tokens of ``day``; for one purpose if given."""
        with self._lock:
            return self._days.get((day, purpose), 0)

    def add(self, day: str, bill: Bill) -> None:
        """Add a request to ``day``."""
        with self._lock:
            for key in ((day, None), (day, bill.purpose)):
                self._days[key] = self._days.get(key, 0) + bill.use.total
            self.bills.append(bill)


class DailyBudget:
    """Lets requests through until the day's tokens are spent.

    Args:
        limit: Tokens of a day; 0 sets no limit, and everything is still counted.
        spending: Keeps the count.
        clock: Gives the day.
        model: ``provider:model``.
        price: Of its tokens; None where it is not known, or not counted.
        hints: For its error.
        purposes: Tokens of a day by purpose, within ``limit``; without one, or with 0, only
            ``limit`` applies.
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
        purposes: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._limit = limit
        self._purposes = purposes
        self._spending = spending
        self._clock = clock
        self._model = model
        self._price = price
        self._hints = hints
        self._lock = threading.Lock()
        self._reserved: Counter[str] = Counter()

    @contextmanager
    def hold(self, tokens: int, purpose: str = "") -> Iterator[None]:
        """Reserve ``tokens`` of the day, and of its purpose, for a request in progress.

        Raises:
            BudgetSpent: fewer are left for the day.
        """
        with self._lock:
            self._require(tokens, purpose)
            self._reserved[purpose] += tokens
        try:
            yield
        finally:
            with self._lock:
                self._reserved[purpose] -= tokens

    def left(self) -> int | None:
        """Return the tokens left for the day; None without a limit."""
        with self._lock:
            spent = self._spending.spent(self._day()) + self._reserved.total()
        return max(0, self._limit - spent) if self._limit else None

    def add(self, tokens: int) -> None:
        """Count the actual tokens of a request for vectors."""
        self.charge(TokenUse(input=tokens))

    def charge(self, use: TokenUse, usd: float | None = None, purpose: str = "") -> float | None:
        """Count the actual tokens of a request; return the cost, None where it is not known.

        Args:
            use: Its tokens.
            usd: The cost by the provider; None to compute it.
            purpose: What the request was for.
        """
        if usd is None and self._price is not None:
            usd = self._price.usd(use)
        self._spending.add(self._day(), Bill(model=self._model, use=use, usd=usd, purpose=purpose))
        return usd

    def _require(self, tokens: int, purpose: str) -> None:
        day, own = self._day(), self._purposes.get(purpose, 0)
        if self._limit:
            spent = self._spending.spent(day)
            if spent + self._reserved.total() + tokens > self._limit:
                name = self._hints.setting("daily_tokens")
                raise self._spent(self._hints.kind + "s", name, self._limit, spent)
        if own:
            spent = self._spending.spent(day, purpose)
            if spent + self._reserved[purpose] + tokens > own:
                raise self._spent(purpose, self._hints.setting(f"budgets.{purpose}"), own, spent)

    def _spent(self, what: str, setting: str, limit: int, spent: int) -> BudgetSpent:
        return BudgetSpent(
            f"the daily limit of tokens for {what} is reached",
            hint=f"raise {setting}, or wait for the next day (UTC): {self._hints.meanwhile}",
            limit=limit,
            spent=spent,
        )

    def _day(self) -> str:
        return to_datetime(self._clock.now_ms()).date().isoformat()
