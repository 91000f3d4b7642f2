"""Tokens of a day are counted across processes and survive them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from recollect.core.bill import Bill, TokenUse
from recollect.core.clock import SystemClock
from recollect.core.errors import BudgetSpent
from recollect.core.settings import StoreSettings
from recollect.models.budget import DailyBudget, Spending
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_database, open_records
from recollect.store.sqlite.home import RECORDS_ID
from recollect.store.sqlite.schema import load_schema
from recollect.store.usage_ledger import LANGUAGE, UsageLedger, spending_of

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


def test_costs_are_kept_by_model(tmp_path: Path) -> None:
    """Tiny ones add up; what has no price is told, not guessed."""
    records = open_records(tmp_path, StoreSettings(), SystemClock())
    ledger = UsageLedger(records, LANGUAGE)
    use = TokenUse(input=3, output=2, cache_read=1, cache_write=4)
    for _ in range(3):
        ledger.add(DAY, Bill(model="openai:m", use=use, usd=0.000_000_1))
    ledger.add(DAY, Bill(model="openai:n", use=use))
    UsageLedger(records).add(DAY, _bill(7))
    embedding, priced, unpriced = spending_of(records, DAY, DAY)
    assert (embedding.kind, embedding.model, embedding.use.total) == ("embedding", "", 7)
    assert (priced.model, priced.requests, priced.unpriced) == ("openai:m", 3, 0)
    assert priced.use == use + use + use
    assert priced.usd == pytest.approx(0.000_000_3)
    assert (unpriced.usd, unpriced.unpriced) == (0.0, 1)
    assert ledger.spent(DAY) == 40
    assert spending_of(records, "2026-02-11", "2026-02-12") == []
    records.close()


def test_what_older_versions_counted_is_kept(tmp_path: Path) -> None:
    """An update in the middle of a day gives no second budget."""
    schema = load_schema("records", RECORDS_ID, keep_backup=False)
    old = msgspec.structs.replace(schema, steps=schema.steps[:4], golden="")
    database = open_database(tmp_path / "records.db", old, Tuning(), SystemClock())
    database.write(
        lambda tx: tx.execute(
            "INSERT INTO usage (day, kind, tokens) VALUES (?, ?, ?)", (DAY, "embedding", 90)
        )
    )
    database.close()
    records = open_records(tmp_path, StoreSettings(), SystemClock())
    assert UsageLedger(records).spent(DAY) == 90
    UsageLedger(records).add(DAY, _bill(5))
    assert UsageLedger(records).spent(DAY) == 95
    records.close()
