"""Claims of accounts in a chat: proposals for the owner, which link nothing by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.recall.statements import extraction
from recollect.store.columns import first_integer
from recollect.text.statements.statement import RULES_VERSION
from tests.unit.sessions.test_identities import key_of, opened, say

CLAIM = "Hello! I'm also @john on Telegram."
GROUP = "agent:main:slack:group:C1"


def proposed(memory: Memory) -> list[tuple[str, str]]:
    """Return who claims what."""
    memory.sync()
    return [(each.account, each.claimed) for each in memory.identities.proposals()]


def rows(memory: Memory) -> int:
    """Return how many claims the records hold."""
    count = "SELECT count(*) FROM identity_proposals"
    return first_integer(memory._rooms.records.read(lambda tx: tx.row(count)))  # noqa: SLF001


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory without a model, of the owner of 42 on Telegram."""
    with opened(tmp_path) as memory:
        yield memory


def test_a_claim_is_a_proposal_and_links_nothing(memory: Memory) -> None:
    """It says who claims what, where and when, in the words of the message."""
    session = say(memory, key_of("slack:U7"), CLAIM)
    memory.sync()
    (found,) = memory.identities.proposals()
    message = memory.sessions.messages(session)[0]
    assert (found.account, found.claimed) == ("slack:U7", "telegram:john")
    assert found.text == "I'm also @john on Telegram"
    assert (found.session_id, found.message_id) == (session, message.id)
    assert found.said_at == message.created_at
    assert [person.user_id for person in memory.identities.list()] == ["owner"]


def test_the_owner_accepts(memory: Memory) -> None:
    """Both accounts are one person then, and the proposal is answered."""
    session = say(memory, key_of("slack:U7"), CLAIM)
    say(memory, key_of("telegram:john"), "I grow apple trees")
    assert proposed(memory) == [("slack:U7", "telegram:john")]
    assert memory.search("apple", for_session=session).hits == []
    person = memory.identities.accept(memory.identities.proposals()[0].number)
    assert [each.account for each in person.accounts] == ["slack:U7", "telegram:john"]
    assert memory.search("apple", for_session=session).hits
    memory.identities.unlink("telegram", "john")
    assert proposed(memory) == []


def test_a_handle_is_given_its_account(memory: Memory) -> None:
    """By the owner: a handle may be another's elsewhere, and messages come with ids."""
    say(memory, key_of("slack:U7"), "das bin auch ich, @john")
    assert proposed(memory) == [("slack:U7", "@john")]
    number = memory.identities.proposals()[0].number
    with pytest.raises(InvalidInput):
        memory.identities.accept(number)
    person = memory.identities.accept(number, "telegram", "7")
    assert [each.account for each in person.accounts] == ["slack:U7", "telegram:7"]
    with pytest.raises(NotFound):
        memory.identities.accept(number, "telegram", "7")


def test_the_person_is_that_of_the_claimed_account(memory: Memory) -> None:
    """Who claims joins a person; two people with accounts of their own are not made one."""
    memory.identities.link("ann", "telegram", "john")
    memory.identities.link("bob", "slack", "U8")
    memory.identities.link("bob", "discord", "9")
    say(memory, key_of("slack:U7"), CLAIM)
    say(memory, key_of("slack:U8"), CLAIM)
    memory.sync()
    numbers = {each.account: each.number for each in memory.identities.proposals()}
    with pytest.raises(Conflict):
        memory.identities.accept(numbers["slack:U8"])
    assert memory.identities.accept(numbers["slack:U7"]).user_id == "ann"
    assert proposed(memory) == [("slack:U8", "telegram:john")]


def test_the_owner_without_an_account_claims_one(memory: Memory) -> None:
    """The claimed account becomes the owner's only by hand."""
    memory.sessions.append(memory.sessions.create().id, "user", "I'm also slack:U7")
    assert proposed(memory) == [("owner", "slack:U7")]
    person = memory.identities.accept(memory.identities.proposals()[0].number)
    assert person.user_id == "owner"


def test_a_dismissed_claim_stays_dismissed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said again it is no news, nor where messages are read again; of another account it is."""
    session = say(memory, key_of("slack:U7"), CLAIM)
    assert len(proposed(memory)) == 1
    memory.identities.dismiss(memory.identities.proposals()[0].number)
    memory.sessions.append(session, "user", "Again: " + CLAIM)
    assert proposed(memory) == []
    monkeypatch.setattr(extraction, "RULES_VERSION", RULES_VERSION + 1)
    assert proposed(memory) == []
    say(memory, key_of("slack:U8"), CLAIM)
    assert proposed(memory) == [("slack:U8", "telegram:john")]


def test_the_same_claim_is_one_proposal(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is said or read."""
    session = say(memory, key_of("slack:U7"), CLAIM)
    memory.sessions.append(session, "user", CLAIM)
    assert proposed(memory) == [("slack:U7", "telegram:john")]
    before = memory.identities.proposals()
    monkeypatch.setattr(extraction, "RULES_VERSION", RULES_VERSION + 1)
    memory.sync()
    assert memory.identities.proposals() == before


def test_in_a_group_the_sender_claims(memory: Memory) -> None:
    """Nobody does where the sender is not known; an account that claims itself says nothing."""
    session = memory.sessions.open(GROUP)
    memory.sessions.append(session.id, "user", CLAIM)
    memory.sessions.append(session.id, "user", CLAIM, sender="slack:U7")
    memory.sessions.append(session.id, "user", "I'm also slack:U8", sender="slack:U8")
    assert proposed(memory) == [("slack:U7", "telegram:john")]


def test_only_words_of_a_person_claim(memory: Memory) -> None:
    """Neither those of the agent, nor what is quoted."""
    session = memory.sessions.open(key_of("slack:U7"))
    memory.sessions.append(session.id, "assistant", CLAIM)
    memory.sessions.append(session.id, "user", f"> {CLAIM}")
    assert proposed(memory) == []


@pytest.mark.parametrize("goes", ["erase", "erase person", "delete"])
def test_a_claim_goes_with_its_message(memory: Memory, goes: str) -> None:
    """Nothing of it is left in the records."""
    session = say(memory, key_of("slack:U7"), CLAIM)
    assert len(proposed(memory)) == 1
    if goes == "erase":
        memory.erase(session_id=session)
    elif goes == "erase person":
        memory.erase(user_id="slack:U7")
    else:
        memory.sessions.set_status(session, "deleted")
    assert memory.identities.proposals() == ()
    assert proposed(memory) == []
    assert rows(memory) == 0


def test_retention_takes_a_claim_along(tmp_path: Path) -> None:
    """The message is gone, so nobody can tell any more who said what."""
    caps = {"embedding.provider": "none", "sessions.retention.max_messages": 1}
    with recollect.open(tmp_path / "home", overrides=caps, live=False) as memory:
        session = say(memory, key_of("slack:U7"), CLAIM)
        memory.sessions.append(session, "user", "I grow apple trees")
        assert len(proposed(memory)) == rows(memory) == 1
        memory.prune()
        assert len(proposed(memory)) == rows(memory) == 0


def test_a_restored_session_claims_again(memory: Memory) -> None:
    """As all that it states holds again."""
    session = say(memory, key_of("slack:U7"), CLAIM)
    memory.sync()
    memory.sessions.set_status(session, "deleted")
    assert proposed(memory) == []
    memory.sessions.set_status(session, "active")
    assert proposed(memory) == [("slack:U7", "telegram:john")]


def test_claims_cross_no_tenants(tmp_path: Path) -> None:
    """And only who sees a whole tenant sees them."""
    for tenant in ("left", "right"):
        with opened(tmp_path, scope=Scope(tenant=tenant)) as memory:
            if tenant == "left":
                say(memory, key_of("slack:U7"), CLAIM)
            assert len(proposed(memory)) == (tenant == "left")
            number = 1
            if tenant == "right":
                with pytest.raises(NotFound):
                    memory.identities.dismiss(number)
            with pytest.raises(Denied):
                memory.within(Scope(tenant=tenant, user="ann")).identities.proposals()
