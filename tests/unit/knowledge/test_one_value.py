"""A slot with one value: a new one replaces the old, and what follows is derived when one goes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import recollect
from recollect.audience.owner import NOBODY_NAMED
from recollect.core.errors import InvalidInput
from recollect.core.events import FactChanged
from recollect.knowledge import rows
from recollect.knowledge.fact import Fact, Remembered
from recollect.knowledge.storing import store_fact
from recollect.memory import Memory
from recollect.store.engine import Transaction


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a memory without an embedder."""
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as opened:
        yield opened


def lives(memory: Memory, place: str, at: int, user: str | None = None) -> Remembered:
    """Store that somebody lives in a place, as a detector finds it."""
    rooms = memory._rooms  # noqa: SLF001  # what extraction does
    draft = Fact(
        id=rooms.home.ids.new(),
        tenant="local",
        agent=None,
        user=user,
        project=None,
        channel=None,
        account=None,
        chat_type=None,
        peer=None,
        turn_sender=None,
        text=f"I live in {place}",
        kind="personal",
        subject="speaker",
        slot="home",
        value=place.lower(),
        importance=6,
        confidence=0.8,
        trust="owner",
        made_by="hand",
        valid_from=at,
        created_at=at,
        accessed_at=at,
    )
    store = partial(store_fact, draft=draft, owner=NOBODY_NAMED, at=at, closing=NOBODY_NAMED)
    remembered = rooms.records.write(store)
    memory.sync()
    return remembered


def states(memory: Memory) -> list[tuple[str, str | None]]:
    """Return status and follower's text of each fact, by number."""
    facts = {f.id: f for n in range(1, 4) if (f := _get(memory, n)) is not None}
    return [
        (f.status, facts[f.replaced_by].text[10:] if f.replaced_by else None)
        for f in facts.values()
    ]


def _get(memory: Memory, number: int) -> Fact | None:
    found = memory.get([f"f{number}"]).found
    return found[0].record if found else None


def test_a_new_value_replaces_the_old_one(memory: Memory) -> None:
    """The old one is found where facts are asked for, with the time until which it was true."""
    assert lives(memory, "Leeds", 1_000).status == "new"
    moved = lives(memory, "Bristol", 2_000)
    assert (moved.status, [fact.text for fact in moved.replaced]) == (
        "replaced",
        ["I live in Leeds"],
    )
    assert states(memory) == [("replaced", "Bristol"), ("current", None)]
    assert [hit.number for hit in memory.search("where do I live?").hits] == [2, 1]
    marks = {h.number: h.fact for h in memory.search("live", sources=["facts"]).hits}
    assert marks[1] is not None
    assert (marks[1].valid_until, marks[1].replaced_by) == (2_000, 2)
    assert [each.fact.number for each in memory.facts.search(None, "live")] == [2]
    assert [each.number for each in memory.facts.list(as_of=1_500)] == [1]
    assert [each.number for each in memory.facts.list(as_of=2_500)] == [2]
    assert memory.facts.list(as_of=500) == []
    then = memory.facts.search(None, "live", as_of=1_500)
    assert [each.fact.number for each in then] == [1]


def test_another_persons_value_stays(memory: Memory) -> None:
    """Replacement is within one audience."""
    lives(memory, "Leeds", 1_000, "telegram:7")
    assert lives(memory, "Bristol", 2_000).status == "new"
    assert states(memory) == [("current", None), ("current", None)]


def test_older_talk_that_comes_later_replaces_nothing(memory: Memory) -> None:
    """Direction is by when it was said."""
    lives(memory, "Bristol", 2_000)
    assert lives(memory, "Leeds", 1_000).status == "new"
    assert states(memory)[0] == ("current", None)


@pytest.mark.parametrize("way", ["forget", "erase"])
def test_what_made_way_follows_what_is_left(memory: Memory, way: str) -> None:
    """Of A, B, C without B, A makes way for C; without C it is current again."""
    for at, place in enumerate(("Leeds", "York", "Bristol"), 1):
        lives(memory, place, at * 1_000)
    for name in ("f2", "f3"):
        if way == "forget":
            memory.facts.forget(name)
        else:
            memory.erase(fact_id=name)
        wanted = (
            [("replaced", "Bristol"), ("current", None)] if name == "f2" else [("current", None)]
        )
        assert states(memory) == wanted


def test_a_fact_makes_way_by_hand_and_back(memory: Memory) -> None:
    """Issue 22 A4: by hand, undone by hand; it is in the history, and an event."""
    for said in ("The cellar key hangs behind the door", "The cellar key is with Ann"):
        memory.facts.remember(None, said, kind="technical")
    old = memory.facts.replace("f1", "f2")
    new = memory.facts.get("f2")
    assert (old.status, old.replaced_by, old.valid_to) == ("replaced", new.id, new.valid_from)
    assert memory.facts.replace("f1", "f2").version == 2
    assert [fact.number for fact in memory.facts.list()] == [2]
    with pytest.raises(InvalidInput):
        memory.facts.replace("f2", "f1")
    with pytest.raises(InvalidInput):
        memory.facts.replace("f2", "f2")
    assert memory.facts.restore("f1").replaced_by is None
    assert [each.action for each in memory.facts.history("f1")] == ["new", "replaced", "restored"]
    events = [each.event for each in memory.events.since(0)]
    changed = [each.action for each in events if isinstance(each, FactChanged)]
    assert changed == ["replaced", "restored"]


def test_a_line_has_all_that_made_way(memory: Memory) -> None:
    """Asked for any of them; two that made way for one fact are both in it."""
    for said in ("At four", "At five", "At six", "At seven", "By the stove"):
        memory.facts.remember(None, f"{said}: that is where the tea is", kind="technical")
    for older, newer in (("f1", "f2"), ("f2", "f4"), ("f3", "f4")):
        memory.facts.replace(older, newer)
    for name in ("f1", "f3", "f4"):
        assert [fact.number for fact in memory.facts.line(name)] == [1, 2, 3, 4]
    memory.facts.forget("f2")
    assert [fact.number for fact in memory.facts.line("f4")] == [1, 3, 4]
    assert [fact.number for fact in memory.facts.line("f5")] == [5]


def test_a_fact_makes_way_only_for_one_of_the_same_people(memory: Memory) -> None:
    """Else who hears one of them would notice the other."""
    memory.facts.remember("telegram:7", "Tea at four")
    memory.facts.remember("telegram:8", "Tea at five")
    with pytest.raises(InvalidInput):
        memory.facts.replace("f1", "f2")
    memory.facts.remember("telegram:7", "Tea at six")
    memory.facts.forget("f3")
    with pytest.raises(InvalidInput):
        memory.facts.replace("f1", "f3")


def test_messages_follow_the_facts_that_they_say(memory: Memory) -> None:
    """What is linked by hand leads a search; restored, it stays so whatever is extracted again."""
    session = memory.sessions.create().id
    for each in ("I prefer oolong tea.", "ok", "At work I prefer sencha."):
        memory.sessions.append(session, "user", each)
    memory.sync()
    asked = "Which tea do I prefer now, oolong?"
    assert memory.search(asked, 1).hits[0].seq == 1
    memory.facts.replace("f1", "f2")
    memory.sync()
    new, old = memory.search(asked, 2).hits
    assert (new.seq, old.seq) == (3, 1)
    assert new.why["replaces"] > 0
    assert old.fact is not None
    assert old.fact.replaced_by == 2
    memory.facts.restore("f1")
    memory.sessions.append(session, "user", "I prefer dry tins.")
    memory.sync()
    assert [fact.number for fact in memory.facts.list()] == [3, 2, 1]
    assert memory.search(asked, 2).hits[0].seq == 1
    memory.facts.replace("f1", "f2")
    memory.erase(fact_id="f2")
    memory.sync()
    assert memory.facts.get("f1").status == "current"


def test_a_value_by_hand_and_messages_are_ordered_by_when_they_were_said(memory: Memory) -> None:
    """No link reaches it: a later message replaces it, and one of before makes way."""
    memory.facts.remember(None, "I live in Leeds")
    old, new = memory.sessions.create().id, memory.sessions.create().id
    memory.sessions.append(old, "user", "I live in Bath.", at=1_600_000_000_000)
    memory.sync()
    assert states(memory) == [("current", None), ("replaced", "Leeds")]
    memory.sessions.append(new, "user", "I live in Bristol.")
    memory.sync()
    assert states(memory) == [("replaced", "Bristol"), ("replaced", "Bristol"), ("current", None)]
    memory.erase(session_id=new)
    memory.sync()
    assert states(memory) == [("current", None), ("replaced", "Leeds")]


def test_neither_words_nor_values_of_others_are_read(memory: Memory) -> None:
    """With a thousand people each new home read the homes of all of them: 58 ms of 10,000 facts."""

    def plan(tx: Transaction, sql: str) -> str:
        return "; ".join(
            str(row[3]) for row in tx.all("EXPLAIN QUERY PLAN " + sql, ["[]", "x", "x"])
        )

    for sql, column in ((rows._SAID_TO, "words"), (rows._IN_SLOT, "slot")):  # noqa: SLF001
        steps = memory._rooms.records.read(partial(plan, sql=sql))  # noqa: SLF001
        assert f"(tenant=? AND {column}=? AND hearer=?)" in steps
