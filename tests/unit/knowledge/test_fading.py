"""The run of the decay over real facts: what goes, what stays, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.scope import Scope
from recollect.memory import Memory
from tests.unit.sessions.home import HandClock

DAY = 86_400_000


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a home."""
    return tmp_path / "home"


def _open(home: Path, clock: HandClock, decay: str = "default", *, live: bool = False) -> Memory:
    settings = {"embedding.provider": "none", "knowledge.decay": decay}
    return recollect.open(home, overrides=settings, clock=clock, live=live)


@pytest.fixture
def memory(home: Path, clock: HandClock) -> Iterator[Memory]:
    """A memory whose facts fade by the seed's formula."""
    with _open(home, clock, "seed") as opened:
        yield opened


def _texts(memory: Memory, status: str = "current") -> list[str]:
    return [fact.text for fact in memory.facts.list(status=status)]  # type: ignore[arg-type]


def test_what_nobody_asked_for_is_archived_and_comes_back(memory: Memory, clock: HandClock) -> None:
    """By hand, or when it is said again; it does not fade again at once."""
    for text in ("The lift is slow.", "The roof is new."):
        memory.facts.remember(None, text, "technical", 5)
    clock.now += 146 * DAY
    assert len(memory.facts.fade()) == 2
    assert _texts(memory) == []
    assert memory.search("lift roof").hits == []
    lift = memory.facts.list(status="archived")[-1]
    assert memory.facts.restore(lift.id).status == "current"
    memory.facts.remember(None, "The roof is new.")
    assert sorted(_texts(memory)) == ["The lift is slow.", "The roof is new."]
    assert memory.facts.fade() == []
    assert len(memory.search("lift roof").hits) == 2


def test_a_dry_run_changes_nothing(memory: Memory, clock: HandClock) -> None:
    """It lists what a run would archive."""
    memory.facts.remember(None, "The lift is slow.", "technical", 5)
    clock.now += 146 * DAY
    (would,) = memory.facts.fade(dry_run=True)
    assert would.status == "current"
    assert _texts(memory) == ["The lift is slow."]


def test_how_often_it_runs_changes_nothing(home: Path, clock: HandClock, tmp_path: Path) -> None:
    """Daily for half a year, or once at its end."""
    with _open(home, clock, "seed") as daily, _open(tmp_path / "other", clock, "seed") as once:
        for memory in (daily, once):
            for importance in range(1, 11):
                text = f"The shelf has {importance} boards."
                memory.facts.remember(None, text, "technical", importance)
        for _ in range(180):
            clock.now += DAY
            daily.facts.fade()
        once.facts.fade()
        assert _texts(daily) == _texts(once)
        kept = {fact.number: fact.confidence for fact in once.facts.list()}
        assert {fact.number: fact.confidence for fact in daily.facts.list()} == kept


def test_rules_pinned_and_important_facts_stay(memory: Memory, clock: HandClock) -> None:
    """For ever, as relationships and health do."""
    memory.facts.remember(None, "Never deploy on Fridays.", "rule", 3)
    memory.facts.remember(None, "Tom is my brother.", "relationship", 3)
    memory.facts.remember(None, "I am allergic to peanuts.", "personal", 3)
    memory.facts.remember(None, "The vault opens at nine.", "technical", 8)
    pinned = memory.facts.remember(None, "The lift is slow.", "technical", 1).fact
    memory.facts.pin(pinned.id)
    memory.facts.remember(None, "The printer is grey.", "technical", 7)
    clock.now += 4_000 * DAY
    assert [fact.text for fact in memory.facts.fade()] == ["The printer is grey."]


def test_95_of_100_things_said_in_january_are_found_in_december(
    home: Path, clock: HandClock
) -> None:
    """By default, with a run every week."""
    with _open(home, clock) as memory:
        for number in range(100):
            text = f"Box {number} holds the plates of set {number}."
            memory.facts.remember(None, text, "technical", 1 + number % 10)
        for _ in range(48):
            clock.now += 7 * DAY
            memory.facts.fade()
        found = 0
        for number in range(100):
            hits = memory.facts.search(None, f"plates of set {number} in box {number}", 1)
            found += [hit.fact.text.split()[1] for hit in hits] == [str(number)]
        assert found >= 95


def test_facts_of_another_tenant_do_not_fade_with_ours(memory: Memory, clock: HandClock) -> None:
    """Each scope has its own run."""
    memory.facts.remember("ann", "Ann likes the lift.", "technical", 5)
    memory.facts.remember("bob", "Bob likes the lift.", "technical", 5)
    clock.now += 146 * DAY
    ann = memory.within(Scope(user="ann"))
    assert [fact.text for fact in ann.facts.fade()] == ["Ann likes the lift."]
    assert _texts(memory) == ["Bob likes the lift."]


def test_a_recall_is_an_access_and_an_injection_is_none(memory: Memory, clock: HandClock) -> None:
    """What is put into prompts by itself would keep itself alive."""
    session = memory.sessions.create().id
    memory.sessions.append(session, "user", "How fast is the lift?")
    memory.facts.remember(None, "The lift is slow.", "technical", 5)
    clock.now += DAY
    memory.context(session, query="the lift")
    (fact,) = memory.facts.list()
    assert fact.access_count == 0
    memory.recall(None, "the lift")
    (fact,) = memory.facts.list()
    assert (fact.access_count, fact.accessed_at) == (1, clock.now)


def test_only_what_a_recall_returns_counts_as_asked_for(memory: Memory, clock: HandClock) -> None:
    """Not what the search looked at and left out."""
    for text in ("The lift is slow.", "The old lift of the annex squeaks in winter."):
        memory.facts.remember(None, text, "technical", 5)
    clock.now += DAY
    (found,) = memory.recall(None, "the slow lift", limit=1).facts
    counts = {fact.text: fact.access_count for fact in memory.facts.list()}
    assert counts[found.fact.text] == 1
    assert sorted(counts.values()) == [0, 1]


def test_nothing_fades_where_the_setting_says_so(home: Path, clock: HandClock) -> None:
    """However old it is."""
    with _open(home, clock, "none") as memory:
        memory.facts.remember(None, "The lift is slow.", "technical", 1)
        clock.now += 4_000 * DAY
        assert memory.facts.fade() == []
