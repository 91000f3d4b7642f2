"""The daily limit of tokens."""

from __future__ import annotations

import pytest

from recollect.core.bill import Bill, TokenUse
from recollect.core.errors import BudgetSpent
from recollect.models.budget import DailyBudget, MemorySpending
from recollect.models.hints import LANGUAGE
from tests.support.scripted_time import ScriptedTime

DAY = "2023-11-14"


def test_the_day_has_an_end_and_a_beginning() -> None:
    """UTC; the next day everything is there again."""
    time, spending = ScriptedTime(), MemorySpending()
    budget = DailyBudget(100, spending, time)
    budget.add(90)
    with budget.hold(10):
        pass
    with pytest.raises(BudgetSpent) as caught, budget.hold(11):
        pass
    assert caught.value.facts == {"limit": 100, "spent": 90}
    assert "daily_tokens" in caught.value.hint
    time.pause(86_400)
    with budget.hold(100):
        pass


def test_requests_under_way_count() -> None:
    """Four lanes must not spend four times what is left."""
    budget = DailyBudget(100, MemorySpending(), ScriptedTime())
    with budget.hold(60), pytest.raises(BudgetSpent), budget.hold(60):
        pass
    with budget.hold(60):
        pass


def test_what_fails_is_given_back() -> None:
    """Nobody bills for a request that was refused."""
    spending = MemorySpending()
    budget = DailyBudget(100, spending, ScriptedTime())
    with pytest.raises(OSError, match="away"), budget.hold(60):
        raise OSError("away")
    with budget.hold(100):
        pass
    assert spending.spent(DAY) == 0


def test_without_a_limit_everything_is_counted() -> None:
    """For status."""
    spending = MemorySpending()
    budget = DailyBudget(0, spending, ScriptedTime())
    with budget.hold(10**9):
        budget.add(7)
        budget.add(8)
    assert spending.spent(DAY) == 15


def test_what_is_left_counts_what_is_under_way() -> None:
    """None without a limit; never less than nothing."""
    budget = DailyBudget(100, MemorySpending(), ScriptedTime())
    with budget.hold(60):
        assert budget.left() == 40
    budget.add(130)
    assert budget.left() == 0
    assert DailyBudget(0, MemorySpending(), ScriptedTime()).left() is None


def test_money_is_counted_beside_the_tokens() -> None:
    """What a language model read from its cache counts for the limit too; the hint is its own."""
    spending = MemorySpending()
    budget = DailyBudget(100, spending, ScriptedTime(), hints=LANGUAGE)
    use = TokenUse(input=50, output=20, cache_read=20, cache_write=5)
    budget.charge(Bill(model="openai:m", use=use, usd=0.5))
    assert (spending.spent(DAY), spending.bills[0].usd) == (95, 0.5)
    with pytest.raises(BudgetSpent) as caught, budget.hold(6):
        pass
    assert "language models" in caught.value.message
    assert "language.daily_tokens" in caught.value.hint
    assert use + TokenUse(output=1) == TokenUse(input=50, output=21, cache_read=20, cache_write=5)
