"""Facts out of messages: once for each span, found with their message, gone with their sources."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.audience.owner import NOBODY_NAMED
from recollect.core.errors import InvalidInput, NotFound
from recollect.knowledge.extracted import FactDraft, store
from recollect.knowledge.fact import Remembered
from recollect.memory import Memory
from recollect.sessions.record.message import Message
from recollect.sessions.record.tombstone import is_buried
from recollect.text.statements.statement import Slot, Statement
from tests.support.leftovers import files_that_hold

OWNER = "agent:main:main"
GROUP = "agent:main:telegram:acc:group:-100"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a memory without an embedder."""
    with recollect.open(
        tmp_path / "home", overrides={"embedding.provider": "none"}, live=False
    ) as opened:
        yield opened


def said(memory: Memory, session: str, text: str) -> Message:
    """Return a message of a user that says a text."""
    return memory.sessions.append(session, "user", text)


def extract(memory: Memory, message: Message, text: str, **fields: object) -> Remembered | None:
    """Store the fact of a message that says a text."""
    start = message.text.index(text)
    told: dict[str, Any] = {"start": start, "end": start + len(text), "text": text}
    told |= {"kind": "personal", "subject": "speaker", "value": text.split()[-1]}
    told |= {"slot": Slot(name="home", arity="one"), **fields}
    statement = Statement(**told)
    session = memory.sessions.get(message.session_id)
    draft = FactDraft(
        tenant=session.tenant,
        agent=session.agent,
        user=session.user,
        project=session.project,
        session_id=session.id,
        message_id=message.id,
        turn_sender=message.turn_sender,
        said_at=message.created_at,
        trust="owner",
        statement=statement,
    )
    unit = partial(
        store, drafts=[draft], owner=NOBODY_NAMED, at=message.created_at, was_erased=is_buried
    )
    (outcome,) = memory._rooms.records.write(unit)  # noqa: SLF001  # what extraction does
    return outcome


def test_a_span_makes_one_fact_however_often_it_is_extracted(memory: Memory) -> None:
    """Neither a second fact nor a line in the history; a forgotten one stays forgotten."""
    message = said(memory, memory.sessions.open(OWNER).id, "Hello. I live in Leeds")
    first, again = (extract(memory, message, "I live in Leeds") for _ in range(2))
    assert first is not None
    assert again is not None
    assert (first.status, again.status, again.fact.id) == ("new", "known", first.fact.id)
    assert len(memory.facts.history("f1")) == 1
    memory.facts.forget("f1")
    known = extract(memory, message, "I live in Leeds")
    assert known is not None
    assert known.fact.status == "forgotten"
    assert extract(memory, message, "Hello", kind=None) is None


def test_the_message_carries_its_fact(memory: Memory) -> None:
    """The fact is no hit beside it unless facts are asked for; without the message it is one."""
    message = said(memory, memory.sessions.open(OWNER).id, "Hello. I live in Leeds")
    extract(memory, message, "I live in Leeds")
    (hit,) = memory.search("Leeds").hits
    assert hit.fact is not None
    assert (hit.source, hit.fact.number) == ("sessions", 1)
    (fact,) = memory.search("Leeds", sources=["facts"]).hits
    assert fact.source == "facts"
    assert len(memory.search("Leeds", sources=["facts", "sessions"]).hits) == 2


def test_a_fact_said_twice_outlives_the_erasure_of_its_first_source(memory: Memory) -> None:
    """It belongs to the other message then; without one left it goes with its history."""
    first, second = memory.sessions.create().id, memory.sessions.create().id
    for session in (first, second):
        extract(memory, said(memory, session, "I live in Leeds"), "I live in Leeds")
    assert [fact.session_id for fact in memory.facts.list()] == [first]
    memory.facts.pin("f1")
    assert memory.erase(session_id=first, dry_run=True).counts["facts"] == 1
    memory.erase(session_id=first)
    (fact,) = memory.facts.list()
    assert (fact.session_id, fact.number, fact.is_pinned) == (second, 1, True)
    memory.erase(session_id=second)
    with pytest.raises(NotFound):
        memory.facts.get("f1")


def test_nothing_is_left_of_an_erased_fact(memory: Memory) -> None:
    """Neither its words nor those before a correction are in a file of the home."""
    session = memory.sessions.create().id
    message = said(memory, session, "I live in Zorvexplum")
    extract(memory, message, "I live in Zorvexplum")
    memory.facts.correct("f1", "I live in Quibnavton")
    memory.sync()
    assert memory.search("Quibnavton").hits
    memory.erase(session_id=session)
    for word in ("Zorvexplum", "Quibnavton", "zorvexplum", "quibnavton"):
        assert not files_that_hold(memory.home, word)


def test_the_words_of_two_audiences_are_two_facts(memory: Memory) -> None:
    """What a group says is not known from a private chat."""
    for key in (OWNER, GROUP):
        message = said(memory, memory.sessions.open(key).id, "I live in Leeds")
        outcome = extract(memory, message, "I live in Leeds")
        assert outcome is not None
        assert outcome.status == "new"
    assert len(memory.facts.list()) == 2


def test_scrubbing_redacts_facts_and_their_history(tmp_path: Path) -> None:
    """By rules that came later; what was sound stays sound."""
    home, plain = tmp_path / "home", {"embedding.provider": "none"}
    with recollect.open(home, overrides=plain) as memory:
        memory.facts.remember(None, "the gate is badge-7731")
        memory.facts.correct("f1", "my gate is badge-7732 now")
    with recollect.open(home, overrides=plain | {"privacy.patterns": [r"badge-\d+"]}) as memory:
        memory.scrub()
        assert "badge" not in memory.facts.get("f1").text
        assert all("badge" not in line.text for line in memory.facts.history("f1"))
        assert not memory.search("badge-7732").hits
        assert not files_that_hold(home, "badge-773")


def test_status_and_counts_know_facts(memory: Memory) -> None:
    """Status counts all of them, `counts` those that are current."""
    for text in ("I take tea", "I take milk"):
        memory.facts.remember(None, text)
    memory.facts.forget("f2")
    assert (memory.status().facts, memory.counts().facts) == (2, 1)


def test_an_erased_fact_leaves_nothing_and_stays_away(memory: Memory, tmp_path: Path) -> None:
    """Neither extraction nor an import brings it back; said in other words it is new."""
    message = said(memory, memory.sessions.create().id, "Hello. I live in Zorvexplum")
    extract(memory, message, "I live in Zorvexplum")
    memory.facts.remember(None, "I work in Quibnavton")
    memory.facts.correct("f2", "I work in Drelkamet")
    memory.export().save(tmp_path / "all.jsonl")
    memory.sync()
    assert memory.erase(fact_id="f2", dry_run=True).counts["facts"] == 1
    for name in ("f1", "f2"):
        receipt = memory.erase(fact_id=name)
        assert (receipt.is_clean, receipt.counts["facts"]) == (True, 1)
    assert not memory.facts.list()
    for word in ("Quibnavton", "quibnavton", "Drelkamet", "drelkamet"):
        assert not files_that_hold(memory.home, word)
    assert extract(memory, message, "I live in Zorvexplum") is None
    assert memory.import_export(tmp_path / "all.jsonl").left_out["erased"] == 2
    assert memory.search("Zorvexplum").hits[0].fact is None
    with pytest.raises(NotFound):
        memory.erase(fact_id="f1")
    with pytest.raises(InvalidInput):
        memory.erase()
