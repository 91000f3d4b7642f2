"""Ways in: no field of a key and no sender makes somebody hear what another one hears."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.audience.account import account, sender_of
from recollect.audience.identity_links import read_links
from recollect.audience.owner import Owner, read_owner
from recollect.audience.people import People
from recollect.audience.session_key import GROUPS, parse_key
from recollect.audience.visibility import VisibilityGroup, visibility_group_of
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.sessions.policy.conversation import ConversationPolicy
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.record.session import Session, owned_session
from tests.unit.sessions.home import Home

LINKS = read_links(["ann=telegram:123", "ann=irc:libera:nan", "bob=77"])
OWNER = read_owner(["telegram:42", "slack:acme:U7", "carl"], LINKS)
SCOPES = ("main", "per-peer", "per-channel-peer", "per-account-channel-peer")

WORD = st.sampled_from(
    "agent main direct dm group channel room thread cron hook subagent acp unknown default"
    " telegram irc slack whatsapp ann bob carl 42 123 nan 77 U7 acme libera 1@g.us -100".split()
)
PART = st.one_of(
    WORD,
    st.lists(WORD, min_size=2, max_size=4).map(":".join),
    st.text(st.sampled_from("aA4:%3 -\u200b@\"'ＡｎN"), min_size=1, max_size=8),
)
CHANNEL = st.sampled_from(("telegram", "irc", "slack", "whatsapp", "matrix", "web"))


def group_of(key: str, sender: str | None = None, owner: Owner = OWNER) -> VisibilityGroup:
    """Return who hears what is said under a key, by a sender."""
    blank = Session(id="s", tenant="local", status="active", created_at=0, updated_at=0)
    session = owned_session(blank, parse_key(key), Scope())
    return visibility_group_of(session, owner, sender)


@pytest.fixture(scope="module")
def policies() -> Iterator[dict[str, ConversationPolicy]]:
    """What makes keys, by the rule of direct chats."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder, "home"))
        made = {}
        for scope in SCOPES:
            access = SessionAccess(
                database=home.database,
                clock=home.clock,
                ids=home.ids,
                settings=SessionSettings(direct_scope=scope),  # type: ignore[arg-type]  # as named
                drafts=DraftMaker(home.clock, home.ids, None),
            )
            made[scope] = ConversationPolicy(access, None, People(OWNER))
        yield made
        home.close()


@given(
    st.sampled_from(SCOPES),
    st.tuples(CHANNEL, PART, PART),
    st.one_of(st.none(), PART),
    st.sampled_from(("direct", "group")),
)
def test_a_key_says_what_its_parts_said(
    policies: dict[str, ConversationPolicy],
    scope: str,
    named: tuple[str, str, str],
    thread: str | None,
    chat_type: str,
) -> None:
    """A direct chat is heard by its account alone, a group by its place, whatever their names."""
    channel, network, peer = named
    try:
        key = policies[scope].key_for(
            "main", channel, peer, account=network, chat_type=chat_type, thread=thread
        )
    except InvalidInput:
        return
    parsed, peer, network = parse_key(key), peer.strip(), network.strip()
    assume(peer and network)  # without one it is the agent's own session
    is_group = chat_type == "group" or (channel == "telegram" and peer.startswith("-"))
    is_group |= channel == "whatsapp" and peer.lower().endswith("@g.us")
    heard = group_of(key)
    if is_group:
        assert (parsed.chat_type in GROUPS, heard.is_private) == (True, False)
        return
    who = account(channel, network, peer)
    direct = group_of(f"agent:main:{who.channel}:x:direct:y", str(who))
    if scope == "main":
        assert heard.is_owners
        assert group_of(key, str(who)) == direct
    elif scope == "per-peer":
        assert group_of(key, str(who)) == direct
        assert not heard.is_owners
        people = (group_of("agent:main:direct:ann"), group_of("agent:main:direct:bob"))
        assert heard == direct or heard not in people
    else:
        assert heard == direct
        assert (parsed.user is None, parsed.thread is None) == (False, thread is None)


@given(CHANNEL, PART, PART)
def test_a_sender_is_the_owner_by_account_alone(channel: str, network: str, user: str) -> None:
    """Never by a name that the settings know, on any channel."""
    assume(network.strip() and user.strip())
    who = account(channel, network.strip(), user.strip())
    group = group_of("agent:main:main", str(who))
    assert group.is_owners == (str(who) in {"telegram:42", "slack:acme:U7"})
    is_ann = str(who) in {"telegram:123", "irc:libera:nan"}
    assert (group == group_of("agent:main:direct:ann")) == is_ann
    assert (group == group_of("agent:main:direct:bob")) == (who.id == "77" and not is_ann)


@pytest.mark.parametrize("damaged", ["", ":", "telegram:", "a\nb", "x" * 600])
def test_a_damaged_sender_is_a_guest(damaged: str) -> None:
    """Such as one of a mirror that somebody edited; what was said is lost to nobody else."""
    assert not group_of("agent:main:main", damaged).is_owners


def test_a_percent_sign_in_a_name_makes_no_other_name_of_it() -> None:
    """Only what `escaped` writes is read back: `%73` is an s in the word for a sub-agent alone."""
    owner = read_owner(["web:sam"], LINKS)
    assert group_of("web:sam", owner=owner).is_owners
    assert not group_of("web:%73am", owner=owner).is_owners
    assert not group_of("agent:main:main", sender_of("web:%73am"), owner).is_owners


def test_different_accounts_have_different_groups() -> None:
    """As long as nobody links them: bob of two networks, and 42 of two channels."""
    users = ("bob", "Bob", "b:ob", "b%3Aob", "b", "ob", "bob:thread:1", '"bob"', "bob ")
    every = [
        account(channel, network, user)
        for channel in ("irc", "slack")
        for network in (None, "a", "b", "a:b")
        for user in users
    ]
    names = [group_of("agent:main:main", str(who)).name for who in every]
    for (one, first), (other, second) in itertools.combinations(zip(every, names, strict=True), 2):
        is_same = (one.channel, one.network, one.id.strip()) == (
            *(other.channel, other.network),
            other.id.strip(),
        )
        assert (first == second) == is_same, (one, other)
