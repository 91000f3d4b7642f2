"""Extraction: statements and links follow the messages, in any order of what happens to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.home_index import HomeIndex
from recollect.index.model.sync_report import Progress
from recollect.knowledge.replacement import DERIVATION_VERSION
from recollect.memory import Memory
from recollect.recall.statements import extraction
from recollect.recall.statements import messages as stated_messages
from recollect.recall.statements.extraction import Extraction, read_left
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.text.statements import detector
from tests.support.scripted_statements import detect

NO_MODEL = {"embedding.provider": "none"}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """An empty memory that knows the scripted phrases."""
    monkeypatch.setattr(stated_messages, "detect", detect)
    with recollect.open(tmp_path / "home", overrides=NO_MODEL, live=False) as opened:
        yield opened


def links(memory: Memory) -> set[tuple[str, str, str]]:
    """Return the links of slots as the texts of both messages, and the rule."""

    def read(tx: Transaction) -> set[tuple[str, str, str]]:
        rows = tx.all(
            "SELECT coalesce(o.text, ''), coalesce(n.text, ''), r.rule FROM replacements r"
            " LEFT JOIN messages o ON o.id = r.older_id LEFT JOIN messages n ON n.id = r.newer_id"
            " WHERE r.is_flagged = 0 AND r.rule <> 'alike'"
        )
        return set(typed_rows(rows, tuple[str, str, str]))

    return memory._rooms.records.read(read)  # noqa: SLF001


def say(memory: Memory, *texts: str, session: str | None = None) -> str:
    """Append messages of the user; those that begin with > are the agent's. Return the session."""
    session = session or memory.sessions.create().id
    for each in texts:
        role = "assistant" if each.startswith(">") else "user"
        memory.sessions.append(session, role, each.removeprefix(">"))
    return session


def _extraction(memory: Memory) -> Extraction:
    opened = memory._rooms.opened  # noqa: SLF001
    return Extraction(opened.home.records, opened.people, opened.home.clock)


def _stop_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extract nothing in the background: the test does it itself."""
    monkeypatch.setattr(HomeIndex, "extract", lambda *_: 0)


LEEDS, BRISTOL, BATH = "I live in Leeds", "I live in Bristol", "I live in Bath"


def test_what_is_said_later_replaces(memory: Memory) -> None:
    """What is said later replaces."""
    say(memory, LEEDS, ">Leeds is a fine town.", "ok")
    say(memory, "no news", BRISTOL)
    memory.sync()
    assert links(memory) == {
        (LEEDS, BRISTOL, "slot"), ("Leeds is a fine town.", BRISTOL, "echo"),
    }  # fmt: skip


def test_what_is_only_considered_replaces_nothing(memory: Memory) -> None:
    """What is only considered replaces nothing."""
    say(memory, LEEDS, "what if I live in Bath")
    memory.sync()
    assert links(memory) == set()


def test_a_value_can_end(memory: Memory) -> None:
    """A value can end."""
    say(memory, "I have a dog called Rex", "I have a dog called Fido", "Rex is gone")
    memory.sync()
    assert links(memory) == {("I have a dog called Rex", "Rex is gone", "ending")}


def test_steps_lead_to_the_same_as_one(memory: Memory) -> None:
    """Steps lead to the same as one."""
    session = say(memory, LEEDS)
    for text in (">Leeds!", BRISTOL, "I work at Acme", ">Bristol, and Acme.", BATH):
        memory.sync()
        say(memory, text, session=session)
    memory.sync()
    stepwise = links(memory)
    records = memory._rooms.records  # noqa: SLF001
    records.write(forget_all)
    memory.sync()
    assert links(memory) == stepwise
    assert ("Bristol, and Acme.", BATH, "echo") in stepwise


def forget_all(tx: Transaction) -> None:
    """Remove all that was extracted."""
    for table in ("stated", "losses", "value_sentences", "replacements"):
        tx.execute(f"DELETE FROM {table}")  # noqa: S608  # literals
    tx.execute("DELETE FROM meta WHERE key = ?", (extraction.CURSOR,))


def test_a_deleted_session_reopens_what_it_replaced(memory: Memory) -> None:
    """A deleted session reopens what it replaced."""
    say(memory, LEEDS)
    middle = say(memory, BRISTOL)
    say(memory, BATH)
    memory.sync()
    memory.sessions.set_status(middle, "deleted")
    memory.sync()
    assert links(memory) == {(LEEDS, BATH, "slot")}
    memory.sessions.set_status(middle, "active")
    memory.sync()
    assert links(memory) == {(LEEDS, BRISTOL, "slot"), (BRISTOL, BATH, "slot")}


def test_people_do_not_replace_each_other(memory: Memory) -> None:
    """People do not replace each other."""
    for peer in ("42", "43"):
        session = memory.sessions.create(key=f"agent:main:telegram:acc:direct:{peer}").id
        say(memory, LEEDS if peer == "42" else BRISTOL, session=session)
    memory.sync()
    assert links(memory) == set()


def test_linked_accounts_are_one_person_and_can_be_separated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linked accounts are one person and can be separated."""
    monkeypatch.setattr(stated_messages, "detect", detect)
    with recollect.open(tmp_path / "home", overrides=NO_MODEL, live=False) as memory:
        for account, text in (("telegram:direct:42", LEEDS), ("slack:direct:u7", BRISTOL)):
            say(memory, text, session=memory.sessions.create(key=f"agent:main:{account}").id)
        memory.sync()
        assert links(memory) == set()
    linked = NO_MODEL | {"sessions.identity_links": ["ann=telegram:42", "ann=slack:u7"]}
    with recollect.open(tmp_path / "home", overrides=linked, live=False) as memory:
        memory.sync()
        assert links(memory) == {(LEEDS, BRISTOL, "slot")}
    with recollect.open(tmp_path / "home", overrides=NO_MODEL, live=False) as memory:
        memory.sync()
        assert links(memory) == set()


def test_the_newest_is_extracted_first_and_it_goes_on_after_a_stop(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest is extracted first and it goes on after a stop."""
    monkeypatch.setattr(extraction, "BATCH", 2)
    _stop_background(monkeypatch)
    session = say(memory, LEEDS, "ok", "fine", BRISTOL, BATH)
    told: list[Progress] = []
    one = _extraction(memory)
    assert one.run(stopping=lambda: bool(told), tell=told.append) == 2
    assert links(memory) == {(BRISTOL, BATH, "slot")}
    assert told[0].left == 3
    say(memory, LEEDS, session=session)
    again = _extraction(memory)
    assert again.is_behind()
    assert again.run() == 4
    assert links(memory) == {
        (LEEDS, BRISTOL, "slot"), (BRISTOL, BATH, "slot"), (BATH, LEEDS, "slot"),
    }  # fmt: skip
    assert not again.is_behind()


def test_what_arrives_during_a_run_is_left_for_the_next(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each message that arrives meanwhile would cost a batch, and a commit, of its own."""
    _stop_background(monkeypatch)
    session = say(memory, LEEDS)
    one, batches = _extraction(memory), list[Progress]()

    def tell(progress: Progress) -> None:
        batches.append(progress)
        if len(batches) < 4:
            say(memory, BRISTOL, session=session)

    assert one.run(tell=tell) == 1
    assert one.is_behind()
    assert one.run() == 1
    assert links(memory) == {(LEEDS, BRISTOL, "slot")}


def test_other_rules_extract_everything_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other rules extract everything again."""
    say(memory, LEEDS, BRISTOL)
    memory.sync()
    monkeypatch.setattr(extraction, "RULES_VERSION", 99)
    monkeypatch.setattr(stated_messages, "detect", lambda text, role: ())
    memory.sync()
    assert links(memory) == set()
    left = memory._rooms.records.read(read_left)  # noqa: SLF001
    assert left.rules == (99, DERIVATION_VERSION)


def test_words_of_subagents_and_injected_blocks_state_nothing(memory: Memory) -> None:
    """Words of subagents and injected blocks state nothing."""
    say(memory, LEEDS)
    sub = memory.sessions.create(metadata={"subagent": "a1"}).id
    say(memory, BRISTOL, session=sub)
    tag = "recollect-context 0123456789abcdef"
    block = f"<{tag}>\nI live in Bath\n</{tag}>"
    say(memory, f"{block}\nhello")
    memory.sync()
    assert links(memory) == set()
    say(memory, f"{block}\nBy the way: I live in Bristol")
    memory.sync()
    assert len(links(memory)) == 1


def test_of_a_long_paste_only_the_beginning_is_read(memory: Memory) -> None:
    """Rules over megabytes of text would hold up all that comes after it."""
    filler = "x " * stated_messages.MOST_CHARS
    say(memory, f"{LEEDS}. {filler}", BRISTOL, f"{filler} {BATH}")
    memory.sync()
    assert {(newer, rule) for _, newer, rule in links(memory)} == {(BRISTOL, "slot")}


def test_erasing_removes_what_was_stated_and_reopens_what_it_replaced(memory: Memory) -> None:
    """Erasing removes what was stated and reopens what it replaced."""
    say(memory, LEEDS)
    gone = say(memory, BRISTOL)
    say(memory, BATH)
    memory.sync()
    memory.erase(session_id=gone)
    memory.sync()
    assert links(memory) == {(LEEDS, BATH, "slot")}

    def left(tx: Transaction) -> list[tuple[int, str, str]]:
        rows = tx.all("SELECT count(*), min(r.tenant), min(s.tenant) FROM stated s, replacements r")
        return typed_rows(rows, tuple[int, str, str])

    tenant = memory.scope.tenant
    assert memory._rooms.records.read(left) == [(2, tenant, tenant)]  # noqa: SLF001


def test_what_was_erased_while_it_was_read_makes_no_fact(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch is read without the lock of the writer: an erasure may come before it is stored."""
    _stop_background(monkeypatch)
    say(memory, "I live in Leeds.", "ok")
    waiting = ["Leeds"]

    def erased_meanwhile(tx: Transaction, after: int, last: int, most: int) -> object:
        part = changed_part(tx, after, last, most)
        for word in waiting:
            memory.erase(query=word)
        waiting.clear()
        return part

    changed_part = stated_messages.changed_part
    monkeypatch.setattr(extraction, "changed_part", erased_meanwhile)
    monkeypatch.setattr(stated_messages, "detect", detector.detect)
    _extraction(memory).run()
    assert memory.facts.list() == []
    say(memory, "I live in Bath.")
    _extraction(memory).run()
    assert [fact.text for fact in memory.facts.list()] == ["I live in Bath"]


def test_a_fact_holds_again_when_what_ended_it_is_erased(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no fact says what ended it."""
    monkeypatch.setattr(stated_messages, "detect", detector.detect)
    say(memory, "I drive a Golf.", "ok", "I sold the Golf.", "ok")
    memory.sync()
    assert [fact.text for fact in memory.facts.list(status="replaced")] == ["I drive a Golf"]
    memory.erase(query="I sold")
    memory.sync()
    assert [fact.text for fact in memory.facts.list()] == ["I drive a Golf"]
