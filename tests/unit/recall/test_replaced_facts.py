"""Facts by hand that were replaced: found like messages, behind what holds, with the date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.index.query.hit import SearchResult
from recollect.memory import Memory
from tests.unit.sessions.home import HandClock

DAY = 86_400_000


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, clock: HandClock) -> Iterator[Memory]:
    """A memory in which somebody moved twice, and a key changed its place."""
    settings = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=settings, clock=clock) as opened:
        for place in ("Leeds", "Bristol", "Bath"):
            opened.facts.remember(None, f"I live in {place}")
            clock.now += DAY
        for said in ("The cellar key hangs behind the door", "Ann has the key"):
            opened.facts.remember(None, said, kind="technical")
            clock.now += DAY
        opened.facts.replace("f4", "f5")
        opened.sync()
        yield opened


def _numbers(result: SearchResult) -> list[int | None]:
    return [hit.number for hit in result.hits]


def test_the_old_one_stands_behind_what_holds(memory: Memory, clock: HandClock) -> None:
    """Of a state; the old ones say until when, also where the new one has other words."""
    found = memory.search("where do I live now?")
    assert _numbers(found)[0] == 3
    until = [hit.fact and hit.fact.valid_until for hit in found.hits]
    assert until[1:] == [clock.now - 3 * DAY, clock.now - 4 * DAY]
    found = memory.search("where is the key of the cellar now?")
    assert _numbers(found)[:2] == [5, 4]
    assert found.hits[0].why["replaces"] > 0
    assert found.hits[0].score > found.hits[1].score
    assert _numbers(memory.search("where is the cellar, the door now?", 1)) == [5]


def test_what_held_comes_first_where_it_is_asked_for(memory: Memory, clock: HandClock) -> None:
    """Before the present, or at a time; other questions leave the order as it is."""
    assert _numbers(memory.search("where did I live before?"))[0] == 2
    assert _numbers(memory.search("where do I live?", as_of=clock.now - 5 * DAY))[0] == 1
    assert _numbers(memory.search("Leeds")) == [1]
    assert _numbers(memory.search("cellar key"))[0] == 4
    assert [each.fact.number for each in memory.facts.search(None, "where do I live?")] == [3]
    assert memory.recall(None, "Leeds").facts == ()


def test_what_is_not_heard_replaces_nothing(memory: Memory) -> None:
    """Nor what was forgotten: the old one counts again."""
    memory.facts.forget("f5")
    memory.sync()
    found = memory.search("where is the key of the cellar now?")
    assert _numbers(found)[0] == 4
    assert found.hits[0].fact is not None
    assert found.hits[0].fact.valid_until is None
