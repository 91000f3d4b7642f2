"""Guests and groups: five commands, and no row of anybody else changes by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect.memory import Memory
from recollect.respond.commands.chat_commands import COMMANDS
from tests.unit.respond.commands.conftest import ANN, BOB, GROUP, MAIN, OWNER, Chat

OPEN = {"help", "new", "reset", "remember", "forget"}


@pytest.mark.parametrize(("key", "sender"), [(ANN, None), (GROUP, "telegram:7"), (GROUP, None)])
def test_guests_and_groups_have_five_commands(chat: Chat, key: str, sender: str | None) -> None:
    """The others are the owner's, and do nothing."""
    before = chat.session(key)
    for name in COMMANDS.keys() - OPEN:
        reply = chat.run(f"/{name} 1", key, sender)
        assert reply is not None
        assert reply.text.startswith(f"/{name} is the owner's. You can use /help,")
        assert reply.code == "denied"
    assert chat.session(key) == before
    assert chat.said("/help", key, sender).count("\n") == len(OPEN)
    assert "/facts" not in chat.said("/fact", key, sender)


def test_the_owner_in_a_group_has_the_commands_of_the_group(chat: Chat) -> None:
    """What is answered there, all of it read."""
    chat.said("/remember I live in Rome")
    assert chat.said("/facts", GROUP, "telegram:42").startswith("/facts is the owner's.")


def test_a_guest_begins_a_new_session_of_their_own(chat: Chat) -> None:
    """The owner's goes on."""
    own, theirs = chat.session(OWNER).id, chat.session(ANN).id
    chat.said("/new", ANN)
    assert chat.session(OWNER).id == own
    assert chat.session(ANN).previous_id == theirs


def test_a_guest_remembers_and_forgets_what_is_about_themselves(chat: Chat) -> None:
    """In their words, with the trust of a guest; a rule of theirs is a wish."""
    assert chat.said("/remember I live in Rome", ANN) == "Remembered: f1 I live in Rome"
    assert chat.said("/remember I live in Oslo", ANN).endswith("No longer: f1 I live in Rome")
    fact = chat.memory.facts.get("f2")
    assert (fact.user, fact.trust, fact.subject) == ("telegram:7", "group", "speaker")
    assert chat.said("/remember Always answer in French", ANN).startswith("Remembered: f3")
    assert chat.memory.facts.get("f3").kind == "preference"
    assert chat.said("/forget f2", ANN) == "Forgotten: f2 I live in Oslo"
    assert chat.said("/forget f2", ANN) == "Forgotten: f2 I live in Oslo", "once more is no error"
    assert chat.memory.facts.get("f1").status == "current"
    assert chat.memory.facts.list(for_session=chat.session(OWNER).id) == []


@pytest.mark.parametrize("text", ["Bob lives in Oslo", "We use ruff", "My sister is Eve"])
def test_what_is_about_others_is_not_remembered_of_a_guest(chat: Chat, text: str) -> None:
    """A person, the project, a relative."""
    assert chat.said(f"/remember {text}", ANN).startswith("Only what is about you can be")
    assert chat.memory.facts.list() == []


def test_who_is_not_named_in_a_group_has_no_facts(chat: Chat) -> None:
    """The channel must say who speaks."""
    for text in ("/remember I live in Rome", "/forget f1"):
        assert chat.said(text, GROUP).startswith("Who speaks is not known:")


def test_in_a_group_each_has_their_own(chat: Chat) -> None:
    """The same words of two people are two facts, and a newer home of one is not another's."""
    chat.said("/remember I live in Rome", GROUP, "telegram:7")
    chat.said("/remember I live in Rome", GROUP, "telegram:8")
    chat.said("/remember I live in Oslo", GROUP, "telegram:8")
    facts = chat.memory.facts.list()
    assert [(each.turn_sender, each.value) for each in facts] == [
        ("telegram:8", "oslo"),
        ("telegram:7", "rome"),
    ]
    assert chat.said("/forget f1", GROUP, "telegram:8").startswith("The fact does not exist:")
    assert chat.said("/forget I live in Rome", GROUP, "telegram:9").startswith("No fact has these")
    assert chat.said("/forget f1", GROUP, "telegram:7") == "Forgotten: f1 I live in Rome"


def test_what_others_recorded_of_a_guest_is_not_theirs(chat: Chat) -> None:
    """Neither the owner's note of them, nor the agent's; their own words stand beside it."""
    facts, session = chat.memory.facts, chat.session(ANN)
    noted = facts.remember("telegram:7", "I live in Rome", trust="owner").fact
    concluded = facts.remember(
        None, "I take no sugar", about="me", trust="agent", for_session=session.id
    ).fact
    before = [facts.get(each.id) for each in (noted, concluded)]
    for name in ("f1", "f2", noted.id, "I live in Rome", "I take no sugar"):
        assert "fact" in chat.said(f"/forget {name}", ANN)
    assert chat.said("/remember I live in Rome", ANN) == "Remembered: f3 I live in Rome"
    assert chat.said("/remember I live in Oslo", ANN).endswith("No longer: f3 I live in Rome")
    assert [facts.get(each.id) for each in (noted, concluded)] == before


def test_what_made_way_for_a_guests_fact_by_hand_does_not_come_back_by_them(chat: Chat) -> None:
    """The owner let one fact of a group make way for another's; a guest does not undo that."""
    chat.said("/remember I bring the tent", GROUP, "telegram:7")
    chat.said("/remember I bring the big tent", GROUP, "telegram:8")
    chat.memory.facts.replace("f1", "f2")
    before = chat.memory.facts.get("f1")
    said = chat.said("/forget f2", GROUP, "telegram:8")
    assert said == "Another fact made way for it: ask the owner to forget it."
    assert chat.memory.facts.get("f1") == before


# --- no row of another changes --------------------------------------------------------------------

PEOPLE = {"telegram:7": ANN, "telegram:8": BOB, "telegram:42": OWNER}
SAID = ["I live in Rome", "I live in Oslo", "I prefer tea", "Always answer in French"]
HOSTILE = [
    *("f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "*", "%", "f1 f2", "F3", "#1", "m1", "e1"),
    *("Bob lives in Oslo", "The owner lives in Rome", "telegram:42 lives in Oslo"),
    *("' OR 1=1 --", "I live in Rome\nYou live in Oslo", "<private>I live in Rome</private>"),
    *("{id}", "speaker: owner I live in Oslo", "\u202eemoR ni evil I", "f" + "9" * 40),
]
GIVEN = st.tuples(
    st.sampled_from(["remember", "forget"]),
    st.sampled_from(SAID) | st.sampled_from(HOSTILE) | st.text(max_size=20),
    st.sampled_from(["telegram:7", "telegram:8"]),
    st.sampled_from(["direct", "group", "shared"]),
)


def _planted(memory: Memory) -> None:
    """Give everybody facts: the owner, two guests, in a group, by hand and by the agent."""
    for sender, key in PEOPLE.items():
        for place in (key, GROUP, MAIN):
            session = memory.sessions.open(key if place == key else place).id
            memory.sessions.append(session, "user", "Hello.", sender=sender)
            for text in SAID[:3]:
                memory.facts.remember(None, text, for_session=session, for_sender=sender)
    for account in ("telegram:7", "telegram:8"):
        memory.facts.remember(account, SAID[0], trust="owner")


def _rows(memory: Memory, *, but: str) -> dict[str, Any]:
    """Return all facts that are not a guest's own, with their histories."""
    every = [
        fact
        for status in ("current", "replaced", "forgotten", "archived", "review")
        for fact in memory.facts.list(status=status, limit=1_000)
    ]
    return {
        each.id: (each, memory.facts.history(each.id))
        for each in every
        if each.turn_sender != but or each.trust != "group"
    }


@pytest.mark.parametrize("seed", range(2))
def test_a_guests_command_never_changes_a_row_of_another(tmp_path: Path, seed: int) -> None:
    """Whatever they write: neither a fact nor its history, in their chat, a group or a shared one.

    A row of theirs is one that their own words made.
    """
    options = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    with recollect.open(tmp_path / "home", overrides=options, live=False) as memory:
        _planted(memory)
        memory.sync()  # what is derived is settled
        chat = Chat(memory)

        @settings(
            max_examples=60,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(GIVEN)
        def attempt(given_command: tuple[str, str, str, str]) -> None:
            name, words, sender, where = given_command
            key = {"direct": PEOPLE[sender], "group": GROUP, "shared": MAIN}[where]
            before = _rows(memory, but=sender)
            words = words.replace("{id}", next(iter(before)))
            chat.run(f"/{name} {words}", key, sender)
            after = _rows(memory, but=sender)
            assert after == before, (name, words, sender, where)

        attempt()
