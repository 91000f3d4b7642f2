"""The people behind accounts, linked while programs run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import methodcaller
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound, StoreCorrupt
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.exchange.recover import recover
from recollect.memory import Memory
from recollect.sessions.identities import CODE_MS, WRONG_TRIES
from recollect.store.sqlite.database import open_records
from tests.unit.sessions.home import HandClock

ACCOUNTS = ("telegram:1", "slack:U7", "irc:libera:nan", "discord:9", "signal:5")
GROUP = "agent:main:telegram:group:-100"


def opened(
    folder: Path,
    *links: str,
    owner: Sequence[str] = ("telegram:42",),
    scope: Scope | None = None,
    clock: HandClock | None = None,
) -> Memory:
    """Return a memory without a model."""
    overrides = {
        "embedding.provider": "none",
        "sessions.identity_links": list(links),
        "sessions.owner": list(owner),
    }
    return recollect.open(
        folder / "home", overrides=overrides, scope=scope, clock=clock, live=False
    )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory without a model, of the owner of 42 on Telegram."""
    with opened(tmp_path) as memory:
        yield memory


def parts(account: str) -> tuple[str, str]:
    """Return a channel, and who there."""
    channel, _, user = account.partition(":")
    return channel, user


def key_of(account: str) -> str:
    """Return the key of the direct chat with an account."""
    channel, user = parts(account)
    network, _, id_ = user.rpartition(":")
    return ":".join(filter(None, ("agent:main", channel, network, "direct", id_)))


def say(memory: Memory, key: str, text: str) -> str:
    """Say something under a key and return the session."""
    session = memory.sessions.open(key)
    memory.sessions.append(session.id, "user", text)
    return session.id


def heard(memory: Memory, session: str) -> set[str]:
    """Return what a session may hear by search; what it may list and read must agree."""
    found = {hit.snippet for hit in memory.search("apple", 100, for_session=session).hits}
    listed = memory.sessions.list(for_session=session)
    read = {
        message.text
        for each in listed
        for message in memory.sessions.messages(each.id, for_session=session)
    }
    assert found == read
    return found


def test_two_linked_accounts_hear_each_other_at_once_and_apart_again_after_unlinking(
    memory: Memory,
) -> None:
    """Neither a rebuild nor another opening is needed."""
    first, second = (say(memory, key_of(each), f"apple of {each}") for each in ACCOUNTS[:2])
    other = say(memory, key_of(ACCOUNTS[3]), "apple of another")
    group = say(memory, GROUP, "apple of the group")
    before = [heard(memory, each) for each in (first, second, other, group)]
    assert before == [
        {"apple of telegram:1"},
        {"apple of slack:U7"},
        {"apple of another"},
        {"apple of the group"},
    ]
    person = memory.identities.resolve("telegram", "1")
    memory.identities.link(person, "slack", "U7")
    both = {"apple of telegram:1", "apple of slack:U7"}
    assert [heard(memory, each) for each in (first, second)] == [both, both]
    assert [heard(memory, each) for each in (other, group)] == before[2:]
    memory.identities.unlink("slack", "U7")
    assert [heard(memory, each) for each in (first, second, other, group)] == before


def test_a_link_acts_in_another_program_with_its_next_read(tmp_path: Path) -> None:
    """Its own copy of the links is read again as soon as the table has changed."""
    with opened(tmp_path) as writer, opened(tmp_path) as reader:
        first, second = (say(writer, key_of(each), f"apple of {each}") for each in ACCOUNTS[:2])
        assert len(heard(reader, first)) == len(heard(reader, second)) == 1
        writer.identities.link("ann", "telegram", "1")
        writer.identities.link("ann", "slack", "U7")
        assert len(heard(reader, first)) == len(heard(reader, second)) == 2
        assert len(reader.search("apple", scope=Scope(user="ann")).hits) == 2
        writer.identities.unlink("telegram", "1")
        assert len(heard(reader, first)) == len(heard(reader, second)) == 1
        assert len(reader.search("apple", scope=Scope(user="ann")).hits) == 1


def test_an_account_is_resolved_to_the_same_person_each_time(memory: Memory) -> None:
    """As in the seed: a new unified id is stored with the first call."""
    ids = [memory.identities.resolve(*parts(each)) for each in ACCOUNTS]
    assert ids == [memory.identities.resolve(*parts(each)) for each in ACCOUNTS]
    assert len(set(ids)) == len(ids)
    assert memory.identities.resolve("Telegram", " 1") == ids[0]
    memory.identities.link(ids[0], *parts(ACCOUNTS[1]))
    assert memory.identities.resolve(*parts(ACCOUNTS[1])) == ids[0]
    assert [person.user_id for person in memory.identities.list(ids[1])] == [ids[0]]
    memory.identities.unlink(*parts(ACCOUNTS[1]))
    assert memory.identities.resolve(*parts(ACCOUNTS[1])) == ids[1]


def test_the_owner_is_one_person_with_and_without_an_account(memory: Memory) -> None:
    """An account that is linked to the owner hears what the owner hears."""
    command_line = say(memory, "agent:main:main", "apple of the command line")
    guest = say(memory, key_of("slack:U7"), "apple of slack")
    assert memory.identities.resolve("telegram", "42") == "owner"
    assert len(heard(memory, guest)) == len(heard(memory, command_line)) == 1
    memory.identities.link("owner", "slack", "U7")
    assert memory.identities.resolve("slack", "U7") == "owner"
    assert len(heard(memory, guest)) == len(heard(memory, command_line)) == 2
    memory.identities.unlink("slack", "U7")
    assert len(heard(memory, guest)) == len(heard(memory, command_line)) == 1


def test_the_settings_win_over_what_was_linked(tmp_path: Path) -> None:
    """A row that they overrule has no effect, and cannot be written any more."""
    with opened(tmp_path) as memory:
        memory.identities.link("bob", "telegram", "1")
        memory.identities.link("bob", "slack", "U7")
    with opened(tmp_path, "ann=telegram:1", "ann=discord:9") as memory:
        first, second, third = (
            say(memory, key_of(each), f"apple of {each}")
            for each in ("telegram:1", "slack:U7", "discord:9")
        )
        assert heard(memory, first) == heard(memory, third)
        assert heard(memory, second) == {"apple of slack:U7"}
        assert memory.identities.resolve("telegram", "1") == "ann"
        with pytest.raises(Conflict):
            memory.identities.link("bob", "telegram", "1")
        with pytest.raises(Conflict):
            memory.identities.unlink("telegram", "1")
        memory.identities.link("ann", "signal", "5")
        fourth = say(memory, key_of("signal:5"), "apple of signal")
        assert len(heard(memory, fourth)) == len(heard(memory, first)) == 3


def test_links_do_not_cross_tenants(tmp_path: Path) -> None:
    """The same account is another person's elsewhere."""
    with opened(tmp_path) as home, opened(tmp_path, scope=Scope(tenant="acme")) as acme:
        person = home.identities.resolve("telegram", "1")
        home.identities.link(person, "slack", "U7")
        assert acme.identities.list("ann") == []
        first, second = (say(acme, key_of(each), f"apple of {each}") for each in ACCOUNTS[:2])
        assert len(heard(acme, first)) == len(heard(acme, second)) == 1
        assert acme.identities.resolve("telegram", "1") != person


def test_only_the_memory_of_the_whole_tenant_may_link(memory: Memory) -> None:
    """A narrowed one may not even ask."""
    with pytest.raises(Denied):
        memory.within(Scope(user="telegram:1")).identities.list()
    with pytest.raises(Denied):
        memory.within(Scope(agent="main")).identities.link("ann", "telegram", "1")


def test_what_is_no_account_or_no_name_is_refused(memory: Memory) -> None:
    """Before anything is stored."""
    for channel, user in (("", "1"), ("telegram", " "), ("tele\ngram", "1"), ("irc", ":")):
        with pytest.raises(InvalidInput):
            memory.identities.resolve(channel, user)
    for name in ("", " ", "telegram:1", "a\x00b"):
        with pytest.raises(InvalidInput):
            memory.identities.link(name, "telegram", "1")
    with pytest.raises(NotFound):
        memory.identities.unlink("telegram", "1")
    assert [each.user_id for each in memory.identities.list()] == ["owner"]


def test_an_account_of_another_person_must_be_unlinked_first(memory: Memory) -> None:
    """Only one that is a person of its own gives way."""
    memory.identities.link("ann", "telegram", "1")
    with pytest.raises(Conflict):
        memory.identities.link("bob", "telegram", "1")
    first = memory.identities.resolve("discord", "9")
    memory.identities.link(first, "slack", "U7")
    with pytest.raises(Conflict):
        memory.identities.link("bob", "discord", "9")
    with pytest.raises(Conflict):
        memory.identities.unlink("discord", "9")
    assert memory.identities.resolve("telegram", "1") == "ann"


def test_a_code_typed_in_the_other_account_links_the_two(tmp_path: Path) -> None:
    """It is used up by that; a code of the account itself, or an old one, links nothing."""
    clock = HandClock()
    with opened(tmp_path, clock=clock) as memory:
        given = memory.identities.code("telegram", "1")
        assert given.expires_at == clock.now_ms() + CODE_MS
        with pytest.raises(InvalidInput):
            memory.identities.confirm("telegram", "1", given.code)
        person = memory.identities.confirm("slack", "U7", f" {given.code.lower()}")
        assert {each.account for each in person.accounts} == {"telegram:1", "slack:U7"}
        assert [each.made_by for each in person.accounts] == ["code", "resolved"]
        with pytest.raises(InvalidInput):
            memory.identities.confirm("discord", "9", given.code)
        late = memory.identities.code("telegram", "1")
        clock.now += CODE_MS
        with pytest.raises(InvalidInput):
            memory.identities.confirm("discord", "9", late.code)
    raw = b"".join(path.read_bytes() for path in (tmp_path / "home").glob("records.db*"))
    assert given.code.encode() not in raw


def test_five_wrong_codes_end_the_open_ones(memory: Memory) -> None:
    """Four do not."""
    for wrong in (WRONG_TRIES - 1, WRONG_TRIES):
        given = memory.identities.code("telegram", "1")
        for _ in range(wrong):
            with pytest.raises(InvalidInput):
                memory.identities.confirm("slack", "U7", "AAAAAAAA")
        if wrong < WRONG_TRIES:
            memory.identities.confirm("slack", "U7", given.code)
            memory.identities.unlink("slack", "U7")
        else:
            with pytest.raises(InvalidInput):
                memory.identities.confirm("slack", "U7", given.code)


def test_people_who_share_a_session_are_not_summarised_together_after_unlinking(
    memory: Memory,
) -> None:
    """The summary of both is dropped; each hears their own turns."""
    session = memory.sessions.open("agent:main:main").id
    for number in range(30):
        sender = ACCOUNTS[number % 2]
        memory.sessions.append(session, "user", f"pear {sender} {number} " * 20, sender=sender)
        memory.sessions.append(session, "assistant", f"noted {sender} {number}")
    memory.identities.link("ann", *parts(ACCOUNTS[0]))
    memory.identities.link("ann", *parts(ACCOUNTS[1]))
    memory.sessions.compact(session)
    memory.identities.unlink(*parts(ACCOUNTS[0]))
    shown = str(memory.sessions.view(session).as_openai())
    assert ACCOUNTS[1] in shown
    assert ACCOUNTS[0] not in shown


@pytest.mark.parametrize("seed", range(6))
def test_any_links_are_heard_as_they_are_and_unlinking_them_restores_everything(
    tmp_path: Path, seed: int
) -> None:
    """The law: who is linked hears of each other, and nobody else does, at any moment."""
    drawn = random.Random(seed)
    with opened(tmp_path) as memory:
        sessions = {each: say(memory, key_of(each), f"apple of {each}") for each in ACCOUNTS}
        sessions["owner"] = say(memory, "agent:main:main", "apple of owner")
        person: dict[str, str] = {each: each for each in sessions}
        for step in range(14):
            account = drawn.choice(ACCOUNTS)
            if person[account] == account:
                name = drawn.choice(["ann", "bob", "owner"])
                memory.identities.link(name, *parts(account))
                person[account] = name
            else:
                memory.identities.unlink(*parts(account))
                person[account] = account
            if step % 5 == 0:
                say(memory, key_of(account), f"apple of {account}")
            for who, session in sessions.items():
                expected = {f"apple of {each}" for each in person if person[each] == person[who]}
                assert heard(memory, session) == expected, (step, who)
        for account in ACCOUNTS:
            if person[account] != account:
                memory.identities.unlink(*parts(account))
        for who, session in sessions.items():
            assert heard(memory, session) == {f"apple of {who}"}


def test_a_link_that_was_changed_in_the_file_is_noticed(tmp_path: Path) -> None:
    """An older page would bring an unlinked person back."""
    changes = ("UPDATE identities SET user_id = 'bob'", "DELETE FROM identities")
    for number, change in enumerate(changes):
        folder = tmp_path / str(number)
        with opened(folder) as memory:
            memory.identities.link("ann", "telegram", "1")
        records = open_records(folder / "home", StoreSettings(), HandClock())
        records.write(methodcaller("execute", change))
        records.close()
        with opened(folder) as memory, pytest.raises(StoreCorrupt):
            memory.identities.list()


def test_links_are_events_and_in_the_audit_without_accounts(memory: Memory) -> None:
    """They name the person only."""
    memory.identities.link("ann", "telegram", "1")
    memory.identities.unlink("telegram", "1")
    kinds = [type(event.event).__name__ for event in memory.events.since(0)]
    assert list(pairwise(kinds))[-1] == ("IdentityLinked", "IdentityUnlinked")
    assert [each.action for each in memory.audit.latest()][-2:] == [
        "identity.link",
        "identity.unlink",
    ]


def test_links_are_there_again_after_the_records_were_lost(tmp_path: Path) -> None:
    """The readable mirrors have them; one that was unlinked stays unlinked."""
    with opened(tmp_path) as memory:
        first, second = (say(memory, key_of(each), f"apple of {each}") for each in ACCOUNTS[:2])
        for account in ("telegram:1", "slack:U7", "discord:9"):
            memory.identities.link("ann", *parts(account))
        memory.identities.unlink("discord", "9")
    home = tmp_path / "home"
    (home / "records.db").unlink()
    recover(home)
    with opened(tmp_path) as memory:
        assert [len(person.accounts) for person in memory.identities.list("ann")] == [2]
        assert len(heard(memory, first)) == len(heard(memory, second)) == 2
        memory.identities.unlink("slack", "U7")
        assert len(heard(memory, first)) == 1


def test_links_are_in_a_backup(tmp_path: Path) -> None:
    """A restored home has those of then."""
    with opened(tmp_path) as memory:
        memory.identities.link("ann", "telegram", "1")
        memory.backup(tmp_path / "backup")
        memory.identities.link("ann", "slack", "U7")
    recollect.restore(tmp_path / "backup", tmp_path / "other" / "home")
    with opened(tmp_path / "other") as memory:
        assert [len(person.accounts) for person in memory.identities.list("ann")] == [1]


def test_what_is_known_of_one_account_is_known_of_the_person(memory: Memory) -> None:
    """As long as they are linked; nothing of it is rewritten."""
    chat = say(memory, key_of("slack:U7"), "apple of slack")
    memory.facts.remember("telegram:1", "Likes pears")
    memory.identities.link("ann", "telegram", "1")
    with pytest.raises(Denied):
        memory.facts.remember("ann", "Likes plums", for_session=chat)
    memory.identities.link("ann", "slack", "U7")
    memory.facts.remember("ann", "Likes plums", for_session=chat)
    assert len(memory.facts.list("ann")) == 2
    heard_facts = memory.search("likes", sources=["facts"], for_session=chat).hits
    assert len(heard_facts) == 2
    memory.identities.unlink("telegram", "1")
    assert [fact.text for fact in memory.facts.list("ann")] == ["Likes plums"]
    assert len(memory.search("likes", sources=["facts"], for_session=chat).hits) == 1
