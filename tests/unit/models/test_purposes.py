"""What a language model is used for: named in the settings, with a budget and a bill for each."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.bill import TokenUse
from recollect.core.errors import BudgetSpent, ConfigError
from recollect.core.settings import LanguageSettings, StoreSettings, load_settings
from recollect.models.budget import DailyBudget, MemorySpending
from recollect.models.hints import LANGUAGE
from recollect.store.sqlite.database import open_records
from recollect.store.usage_ledger import UsageLedger, spending_of
from tests.support.chat_formats import OpenAIChatFormat
from tests.support.provider_server import ProviderServer
from tests.support.scripted_time import ScriptedTime

DAY = "2026-02-10"


def test_a_use_that_is_none_is_refused(tmp_path: Path) -> None:
    """The error says what is allowed; nothing is accepted and then ignored."""
    assert LanguageSettings().uses == ("compaction", "flush")
    with pytest.raises(
        ConfigError, match="compaction, flush, observations, episodes, facts, respond"
    ):
        load_settings(tmp_path, {"language.uses": ["titles"]}, {})


def test_each_purpose_has_a_budget_of_its_own_within_that_of_the_day() -> None:
    """What is spent for one is not taken from another."""
    time = ScriptedTime()
    budget = DailyBudget(
        1_000, MemorySpending(), time, hints=LANGUAGE, purposes={"observations": 100}
    )
    budget.charge(TokenUse(input=90), purpose="observations")
    with (
        pytest.raises(BudgetSpent, match="observations") as caught,
        budget.hold(20, "observations"),
    ):
        pass
    assert "language.budgets.observations" in caught.value.hint
    with budget.hold(900, "compaction"), pytest.raises(BudgetSpent), budget.hold(20, "flush"):
        pass


def test_what_each_purpose_took_outlives_the_process(tmp_path: Path) -> None:
    """In the ledger, apart from what was counted before."""
    from recollect.core.bill import Bill

    time = ScriptedTime()
    records = open_records(tmp_path / "home", StoreSettings(durability="fast"), time)
    ledger = UsageLedger(records, "language")
    for purpose in ("", "flush", "flush"):
        ledger.add(DAY, Bill(model="openai:m", use=TokenUse(input=5), usd=0.1, purpose=purpose))
    assert (ledger.spent(DAY), ledger.spent(DAY, "flush")) == (15, 10)
    assert [(each.purpose, each.requests) for each in spending_of(records, DAY, DAY)] == [
        ("", 1),
        ("flush", 2),
    ]
    records.close()


@pytest.mark.parametrize("uses", [(), ("flush",), ("compaction",)])
def test_the_model_is_asked_for_what_the_settings_name_alone(
    tmp_path: Path, uses: tuple[str, ...]
) -> None:
    """Over the real wire; what is not named is done by rule, and the status tells each cost."""
    (tmp_path / "work").mkdir()

    def speak(messages: object) -> str:
        return '{"notes": ["Tea is green."]}' if "schema" in str(messages) else "- user: tea"

    with ProviderServer(services=[OpenAIChatFormat(speak)]) as server:
        settings = {
            "language.provider": "openai:m",
            "language.base_url": f"{server.origin}/openai/v1",
            "language.uses": uses,
            "embedding.provider": "none",
        }
        home, work = tmp_path / "home", tmp_path / "work"
        with recollect.open(home, work, overrides=settings, live=False) as memory:
            session = memory.sessions.create().id
            memory.sessions.append_many(session, [("user", "Remember: tea is green.")] * 30)
            memory.sessions.flush(session)
            compaction = memory.sessions.compact(session, keep_messages=2).compaction
            status = memory.status()
    assert compaction is not None
    assert compaction.made_by.startswith("openai" if "compaction" in uses else "extractive")
    assert [(each.use, each.requests > 0) for each in status.language.uses] == [
        (use, True) for use in uses
    ]
    assert len(server.received) == sum(each.requests for each in status.language.uses)
