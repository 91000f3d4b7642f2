"""Tokens of a day are counted across processes and survive them."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.bill import Bill, TokenUse
from recollect.core.clock import SystemClock
from recollect.core.errors import BudgetSpent
from recollect.core.settings import StoreSettings
from recollect.models.budget import DailyBudget, Spending
from recollect.store.sqlite import open_records
from recollect.store.usage import UsageLedger

DAY = "2026-02-10"


class Noon:
    """A clock that stands still."""

    def now_ms(self) -> int:
        """Return 2026-02-10 12:00 UTC."""
        return 1_770_724_800_000


def _bill(tokens: int) -> Bill:
    return Bill(use=TokenUse(input=tokens))


def test_tokens_add_up_by_day_and_kind(tmp_path: Path) -> None:
    """And are there when the home is opened again."""
    first = open_records(tmp_path, StoreSettings(), SystemClock())
    second = open_records(tmp_path, StoreSettings(), SystemClock())
    one, two, other = UsageLedger(first), UsageLedger(second), UsageLedger(first, "summary")
    assert one.spent(DAY) == 0
    one.add(DAY, _bill(100))
    two.add(DAY, _bill(20))
    other.add(DAY, _bill(7))
    two.add("2026-02-11", _bill(5))
    assert (one.spent(DAY), two.spent(DAY), other.spent(DAY)) == (120, 120, 7)
    first.close()
    second.close()
    again = open_records(tmp_path, StoreSettings(), SystemClock())
    assert UsageLedger(again).spent(DAY) == 120
    again.close()


def test_a_budget_over_it_outlives_the_process(tmp_path: Path) -> None:
    """The second process is stopped by what the first one spent."""
    records = open_records(tmp_path, StoreSettings(), SystemClock())
    spending: Spending = UsageLedger(records)
    DailyBudget(100, spending, Noon()).add(90)
    records.close()
    records = open_records(tmp_path, StoreSettings(), SystemClock())
    budget = DailyBudget(100, UsageLedger(records), Noon())
    with pytest.raises(BudgetSpent) as raised, budget.hold(11):
        pass
    assert raised.value.facts["spent"] == 90
    with budget.hold(10):
        pass
    records.close()
