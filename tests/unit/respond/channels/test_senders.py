"""Who is answered: the owner, and whom the owner allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.audience.session_key import parse_key
from recollect.core.errors import Denied, InvalidInput
from recollect.core.scope import Scope
from recollect.respond.channels.channels import senders_of
from recollect.respond.channels.deliveries import Deliveries, PendingDelivery
from recollect.respond.channels.senders import party_of
from tests.unit.respond.channels.home import LEXICAL, opened

ANN = parse_key("agent:main:telegram:default:direct:42")
GROUP = parse_key("agent:main:telegram:group:-1007")


def test_of_an_unknown_sender_a_count_and_the_account_are_kept(tmp_path: Path) -> None:
    """And nothing of what they write."""
    with opened(tmp_path) as memory:
        senders = senders_of(memory.channels.access)
        assert [senders.admit(ANN, "telegram:42") for _ in range(3)] == ["unknown"] * 3
        (sender,) = memory.channels.list()
        assert (sender.account, sender.status, sender.refused) == ("telegram:42", "unknown", 3)


def test_an_allowed_sender_is_taken_from_then_on(tmp_path: Path) -> None:
    """The count of what came before stays, and both decisions are in the audit."""
    with opened(tmp_path) as memory:
        senders = senders_of(memory.channels.access)
        senders.admit(ANN, "telegram:42")
        assert memory.channels.allow("Telegram:42").refused == 1
        assert senders.admit(ANN, "telegram:42") == "allowed"
        memory.channels.deny("telegram:42")
        assert senders.admit(ANN, "telegram:42") == "denied"
        actions = [(each.action, each.target) for each in memory.audit.latest(action="channel")]
    assert actions == [("channel.allowed", "telegram:42"), ("channel.denied", "telegram:42")]


def test_the_owner_is_allowed_from_the_start(tmp_path: Path) -> None:
    """Their linked accounts too; a group that they are in is not."""
    settings = LEXICAL | {
        "sessions.owner": ["telegram:42"],
        "sessions.identity_links": ["me=telegram:42", "me=telegram:43"],
    }
    with opened(tmp_path, settings) as memory:
        senders = senders_of(memory.channels.access)
        assert senders.admit(ANN, "telegram:42") == "allowed"
        other = parse_key("agent:main:telegram:default:direct:43")
        assert senders.admit(other, "telegram:43") == "allowed"
        assert senders.admit(GROUP, "telegram:42") == "unknown"
        assert [each.account for each in memory.channels.list()] == ["telegram:-1007"]


def test_a_group_is_allowed_as_a_group(tmp_path: Path) -> None:
    """Its threads too; a member who is denied is not heard there, and is counted."""
    with opened(tmp_path) as memory:
        senders = senders_of(memory.channels.access)
        memory.channels.allow("telegram:-1007")
        topic = parse_key("agent:main:telegram:group:-1007:thread:3")
        assert senders.admit(GROUP, "telegram:5") == "allowed"
        assert senders.admit(topic, "telegram:6") == "allowed"
        direct = parse_key("agent:main:telegram:default:direct:6")
        assert senders.admit(direct, "telegram:6") == "unknown"
        memory.channels.deny("telegram:5")
        assert senders.admit(GROUP, "telegram:5") == "denied"
        assert memory.channels.list()[-1].refused == 1 or memory.channels.list()[1].refused == 1


def test_a_million_accounts_fill_no_disk(tmp_path: Path) -> None:
    """Of unknown ones the oldest go; whom the owner decided about stays."""
    with opened(tmp_path, LEXICAL | {"channels.unknown_senders": 5}) as memory:
        memory.channels.allow("telegram:1")
        senders = senders_of(memory.channels.access)
        for number in range(100, 140):
            key = parse_key(f"agent:main:telegram:default:direct:{number}")
            assert senders.admit(key, f"telegram:{number}") == "unknown"
        accounts = [each.account for each in memory.channels.list()]
        assert len(accounts) == 6
        assert "telegram:1" in accounts
        assert memory.channels.status().senders == {"allowed": 1, "unknown": 5}


def test_a_decision_needs_an_account_with_a_channel(tmp_path: Path) -> None:
    """A name alone could be anybody's."""
    with opened(tmp_path) as memory, pytest.raises(InvalidInput, match="name its channel"):
        memory.channels.allow("ann")


def test_channels_are_those_of_the_whole_home(tmp_path: Path) -> None:
    """A memory of a part of it neither sees nor allows anybody."""
    with opened(tmp_path) as memory:
        part = memory.within(Scope(agent="main"))
        for call in (part.channels.list, part.channels.status, lambda: part.channels.allow("a:b")):
            with pytest.raises(Denied, match="are the home's"):
                call()


def test_the_party_of_a_conversation() -> None:
    """A group by its id, wherever its sender is; else the sender."""
    assert party_of(GROUP, "telegram:42") == "telegram:-1007"
    assert party_of(parse_key("agent:main:slack:acme:channel:C1"), "slack:acme:U1") == (
        "slack:channel:C1"
    )
    assert party_of(ANN, None) == "telegram:42"
    assert party_of(parse_key("agent:main:main"), "telegram:42") == "telegram:42"


def test_an_erased_person_leaves_no_account_behind(tmp_path: Path) -> None:
    """Neither who was allowed, nor where answers went, nor a name in the audit."""
    with opened(tmp_path) as memory:
        memory.channels.allow("telegram:4242")
        session = memory.sessions.create(key="agent:main:telegram:default:direct:4242")
        memory.sessions.append(session.id, "user", "hi", sender="telegram:4242")
        place = PendingDelivery(session.key or "", "m1", {"chat": 4242})
        access = memory.channels.access
        Deliveries(access.database, access.clock, "local", "telegram").add(place)
        memory.erase(user_id="telegram:4242")
        assert memory.channels.list() == []
        assert memory.channels.status().deliveries == {}
        assert [each.target for each in memory.audit.latest(action="channel")] == [None]
    assert b"4242" not in (tmp_path / "records.db").read_bytes()
