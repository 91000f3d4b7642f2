"""Who hears a fact, by every way to it: those who hear its source, or the person whose it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import Denied, NotFound
from recollect.memory import Memory

GROUP = "agent:main:telegram:acc:group:-100"
GUEST = "agent:main:telegram:acc:direct:7"
OWNER = "agent:main:telegram:acc:direct:42"
SHARED = "agent:main:main"


def _open(home: Path) -> Memory:
    settings = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    return recollect.open(home, overrides=settings)


def _heard(memory: Memory, listener: str, sender: str | None = None) -> set[int]:
    """Return the numbers of the facts that a chat hears; every way to them must agree."""
    asking: dict[str, Any] = {"for_session": listener, "for_sender": sender}
    listed = {fact.number for fact in memory.facts.list(**asking)}
    hits = memory.search("tea", 50, sources=["facts"], **asking).hits
    found = {each.fact.number for each in memory.facts.search(None, "tea", **asking)}
    lines = memory.lines(memory.search("tea", 50, sources=["facts"]), **asking).lines
    got = set()
    for number in range(1, 9):
        name = f"f{number}"
        is_got = bool(memory.get([name], **asking).found)
        try:
            memory.facts.get(name, **asking)
            assert memory.facts.history(name, **asking)
            assert name in {f"f{each.number}" for each in memory.facts.line(name, **asking)}
            got.add(number)
        except NotFound:
            with pytest.raises(NotFound):
                memory.facts.history(name, **asking)
        assert is_got == (number in got)
        assert any(hit.source == "facts" for hit in memory.search(name, **asking).hits) == is_got
    ways = (listed, {hit.number for hit in hits}, found, {line.number for line in lines}, got)
    assert len({frozenset(way) for way in ways}) == 1, ways
    return listed


def test_a_fact_is_heard_where_its_message_is(tmp_path: Path) -> None:
    """The owner, a guest and a group hear their own, in a shared session by sender."""
    with _open(tmp_path / "home") as memory:
        for n, key in enumerate((OWNER, GUEST, GROUP), 1):
            session = memory.sessions.open(key).id
            memory.sessions.append(session, "user", f"tea {n}")
            memory.facts.remember(None, f"I take tea {n}", source=f"m{n}")
        for n, key in enumerate((OWNER, GUEST, GROUP), 1):
            assert _heard(memory, memory.sessions.open(key).id) == {n}
        shared = memory.sessions.open(SHARED).id
        for n, sender in enumerate(("telegram:42", "telegram:7"), 4):
            memory.sessions.append(shared, "user", f"tea {n}", sender=sender)
            memory.facts.remember(None, f"I take tea {n}", for_session=shared)
        assert _heard(memory, shared, "telegram:42") == {1, 4}
        assert _heard(memory, shared, "telegram:7") == {2, 5}
        assert len(memory.facts.list()) == 5, "the operator hears all"


def test_a_fact_by_hand_is_heard_by_the_person_whose_it_is(tmp_path: Path) -> None:
    """Without a person it is the owner's; an account hears it in its direct chat."""
    with _open(tmp_path / "home") as memory:
        for n, user in enumerate((None, "telegram:7", "telegram:42", "telegram:8"), 1):
            memory.facts.remember(user, f"I take tea {n}")
        assert _heard(memory, memory.sessions.open(OWNER).id) == {1, 3}
        assert _heard(memory, memory.sessions.open(GUEST).id) == {2}
        assert _heard(memory, memory.sessions.open(GROUP).id) == set()


def test_nobody_changes_what_they_do_not_hear(tmp_path: Path) -> None:
    """It does not exist for them."""
    with _open(tmp_path / "home") as memory:
        memory.facts.remember(None, "I take tea")
        guest, facts = memory.sessions.open(GUEST).id, memory.facts
        for change in (facts.forget, facts.restore, facts.pin):
            with pytest.raises(NotFound):
                change("f1", for_session=guest)
        with pytest.raises(NotFound):
            facts.correct("f1", "I take milk", for_session=guest)
        with pytest.raises(NotFound):
            facts.said("I take tea", for_session=guest)
        memory.sessions.append(memory.sessions.open(OWNER).id, "user", "tea")
        with pytest.raises(NotFound):
            facts.remember(None, "I take tea", source="m1", for_session=guest)
        with pytest.raises(Denied):
            facts.remember("telegram:8", "I take tea", for_session=guest)
        assert facts.said("I take TEA", for_session=memory.sessions.open(OWNER).id).number == 1


def test_taking_a_private_chat_away_leaves_the_group_as_it_was(tmp_path: Path) -> None:
    """A fact is not known, reinforced or replaced by what others said."""
    with _open(tmp_path / "home") as memory:
        group, guest = memory.sessions.open(GROUP).id, memory.sessions.open(GUEST).id
        for session, confidence in ((group, 0.4), (guest, 0.9)):
            memory.sessions.append(session, "user", "tea")
            memory.facts.remember(None, "We take tea", confidence=confidence, for_session=session)
        (before,) = memory.facts.list(for_session=group)
        memory.erase(session_id=guest)
        assert memory.facts.list(for_session=group) == [before]
        assert before.confidence == 0.4


def test_a_fact_outlives_its_session_and_stays_its_audiences(tmp_path: Path) -> None:
    """Retention removes the session of a guest; the fact does not become the owner's."""
    with _open(tmp_path / "home") as memory:
        session = memory.sessions.open(GUEST).id
        memory.sessions.append(session, "user", "tea", at=1_600_000_000_000)
        memory.facts.remember(None, "I take tea", source="m1")
        memory.sessions.set_status(session, "deleted")
        assert not memory.facts.list()
        assert not memory.search("tea", sources=["facts"]).hits
        memory.sessions.set_status(session, "active")
        assert _heard(memory, session) == {1}
    caps = {"sessions.retention.max_sessions": 1}
    settings = {"embedding.provider": "none", "sessions.owner": ["telegram:42"], **caps}
    with recollect.open(tmp_path / "home", overrides=settings) as memory:
        owner = memory.sessions.open(OWNER).id
        memory.sessions.append(owner, "user", "milk")
        assert memory.prune().sessions == 1
        assert _heard(memory, owner) == set()
        assert _heard(memory, memory.sessions.open(GUEST).id) == {1}
        assert [hit.number for hit in memory.search("tea").hits if hit.fact] == [1]


def _link_then_unlink(memory: Memory, *numbers: str) -> list[list[str]]:
    """Return the states of some facts before, while two accounts are linked, and after."""
    states: list[list[str]] = []
    for change in (lambda: None, _link(memory), _unlink(memory)):
        change()
        memory.sync()
        states.append([str(memory.facts.get(each).status) for each in numbers])
    return states


def _link(memory: Memory) -> Any:
    def link() -> None:
        memory.identities.link("ann", "telegram", "7")
        memory.identities.link("ann", "discord", "7")

    return link


def _unlink(memory: Memory) -> Any:
    return lambda: memory.identities.unlink("discord", "7")


def test_values_of_linked_accounts_replace_each_other_until_they_are_unlinked(
    tmp_path: Path,
) -> None:
    """Issue 22 B: by hand, whenever they were linked; unlinking loses nothing."""
    with _open(tmp_path / "home") as memory:
        memory.facts.remember("telegram:7", "I live in Leeds")
        memory.facts.remember("discord:7", "I live in Bristol")
        memory.facts.remember("telegram:8", "I live in Bath")
        states = _link_then_unlink(memory, "f1", "f2", "f3")
        assert states == [["current"] * 3, ["replaced", "current", "current"], ["current"] * 3]
        _link(memory)()
        memory.facts.remember("telegram:7", "I live in York")
        assert memory.facts.get("f2").status == "replaced"
        _unlink(memory)()
        memory.sync()
        assert [memory.facts.get(f"f{n}").status for n in (1, 2, 4)] == [
            *("replaced", "current", "current")
        ]


def test_facts_of_messages_follow_the_links_of_linked_accounts(tmp_path: Path) -> None:
    """What was said in both chats, before they were linked."""
    with _open(tmp_path / "home") as memory:
        for key, place in (("telegram:acc:direct:7", "Leeds"), ("discord:acc:direct:7", "Bristol")):
            session = memory.sessions.create(f"agent:main:{key}").id
            memory.sessions.append(session, "user", f"I live in {place}.")
        memory.sync()
        states = _link_then_unlink(memory, "f1", "f2")
        ours = {memory.facts.get(f"f{n}").text: n for n in (1, 2)}
        old = ours["I live in Leeds"] - 1
        assert states[0] == states[2] == ["current", "current"]
        assert (states[1][old], states[1][1 - old]) == ("replaced", "current")


def test_in_a_group_each_speaker_has_values_of_their_own(tmp_path: Path) -> None:
    """What one says of themselves neither replaces nor is what another said, by hand or not."""
    with _open(tmp_path / "home") as memory:
        group = memory.sessions.open(GROUP).id
        memory.sessions.append(group, "user", "I live in Rome.", sender="telegram:7")
        memory.sync()
        for sender, text in (("telegram:8", "I live in Rome"), ("telegram:9", "I live in Oslo")):
            outcome = memory.facts.remember(None, text, for_session=group, for_sender=sender)
            assert (outcome.status, outcome.replaced) == ("new", ())
        memory.identities.link("eve", "telegram", "12")
        memory.sync()  # facts are aligned with who is one person now
        memory.facts.remember(None, "I live in Bern", for_session=group, for_sender="telegram:9")
        current = {each.turn_sender: each.value for each in memory.facts.list()}
        assert current == {"telegram:7": "rome", "telegram:8": "rome", "telegram:9": "bern"}
