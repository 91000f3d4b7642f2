"""Session keys: the forms of OpenClaw, of OpenClaudeCode, and plain names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.audience.account import account, parse_account
from recollect.audience.session_key import (
    direct_key,
    parse_key,
)
from recollect.core.errors import InvalidInput

PART = st.text(
    st.characters(categories=("L", "N"), include_characters="-_.@!+"), min_size=1, max_size=20
)


def test_the_long_form_names_agent_channel_account_and_user() -> None:
    """As OpenClaw writes it: agent:{agentId}:{channel}:{accountId}:{chatType}:{userId}."""
    key = parse_key("agent:main:telegram:acc:direct:5054873275")
    assert (key.agent, key.channel, key.account) == ("main", "telegram", "acc")
    assert (key.chat_type, key.peer, key.user) == ("direct", "5054873275", "telegram:5054873275")


def test_the_short_form_names_channel_and_user() -> None:
    """As OpenClaudeCode writes it: {channel}:{userId}."""
    key = parse_key("telegram:5054873275")
    assert (key.agent, key.channel, key.user) == (None, "telegram", "telegram:5054873275")


@pytest.mark.parametrize(
    ("text", "channel", "chat_type", "peer"),
    [
        ("agent:main:main", None, None, "main"),
        ("agent:main:direct:42", None, "direct", "42"),
        ("agent:main:dm:42", None, "direct", "42"),
        ("agent:main:telegram:direct:42", "telegram", "direct", "42"),
        ("agent:main:telegram:group:-100", "telegram", "group", "-100"),
        ("agent:main:slack:channel:C1:thread:9", "slack", "channel", "C1:thread:9"),
        ("agent:main:matrix:acc:direct:@bob:example.org", "matrix", "direct", "@bob:example.org"),
        ("agent:main:matrix:direct:@bob:example.org", "matrix", "direct", "@bob:example.org"),
        ("agent:main:cron:nightly:run:7", None, "cron", "nightly:run:7"),
        ("agent:main:telegram:group:direct:42", "telegram", "direct", "42"),
        ("agent:main:web:acc:kiosk:7", "web", "kiosk", "7"),
        ("agent:main:telegram:42", "telegram", None, "42"),
        ("hook:5b1f", "hook", "hook", "5b1f"),
    ],
)
def test_the_forms_of_openclaw_are_understood(
    text: str, channel: str | None, chat_type: str | None, peer: str
) -> None:
    """Every form of the session-key table of OpenClaw gives its parts."""
    key = parse_key(text)
    assert (key.channel, key.chat_type, key.peer) == (channel, chat_type, peer)


def test_only_a_direct_chat_has_a_user() -> None:
    """A group, a job or a main session belongs to nobody in particular."""
    for text in ("agent:main:telegram:group:-100", "cron:nightly", "agent:main:main", "notes"):
        assert parse_key(text).user is None


def test_case_is_folded_where_it_means_nothing() -> None:
    """Agent, channel and chat type are words; a peer may differ in its case only."""
    assert parse_key(" Agent:Main:Telegram:Acc:DM:Ab ").text == "agent:main:telegram:Acc:direct:Ab"
    assert parse_key("Telegram:Ab").text == "telegram:Ab"


@pytest.mark.parametrize("text", ["notes", "locomo:conv-26", "my diary", "a:b:c", "日记:二月"])
def test_plain_names_stay_as_they_are(text: str) -> None:
    """Whatever a user calls a conversation is a key."""
    assert parse_key(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        ":",
        "telegram:",
        ":42",
        "agent::telegram:acc:direct:42",
        "agent:main",
        "agent:main:",
        "a\nb",
        "a\x00b",
        "a\u2028b",
        "a\ud800b",
    ],
)
def test_unusable_keys_are_refused_with_a_hint(text: str) -> None:
    """Control characters, empty parts and giants never become a key."""
    with pytest.raises(InvalidInput) as caught:
        parse_key(text)
    assert caught.value.hint


@pytest.mark.parametrize("peer", ["telegram:{}-100", "whatsapp:{}7@g.us"])
def test_an_id_of_a_group_makes_a_key_that_of_a_group(peer: str) -> None:
    """Whatever kind of chat the key says."""
    kinds = {parse_key(peer.format("")), parse_key(f"agent:main:{peer.format('direct:')}")}
    assert {key.chat_type for key in kinds} == {"group"}


def test_a_key_has_at_most_512_characters() -> None:
    """Keys are on disk: a smaller limit would lock people out of their sessions."""
    assert parse_key("x" * 512).text == "x" * 512
    with pytest.raises(InvalidInput):
        parse_key("x" * 513)


def test_a_key_that_is_no_text_is_refused() -> None:
    """A number from a chat platform must be written as text first."""
    with pytest.raises(InvalidInput):
        parse_key(42)  # type: ignore[arg-type]  # the caller's mistake under test


@given(PART, PART, PART, st.sampled_from(["direct", "group", "room"]), st.lists(PART, min_size=1))
def test_formatting_and_parsing_agree(
    agent: str, channel: str, account: str, chat_type: str, peer: list[str]
) -> None:
    """What the long form is made from is what it says."""
    key = parse_key(":".join(("agent", agent, channel, account, chat_type, *peer)))
    assert (key.agent, key.channel, key.account) == (agent.lower(), channel.lower(), account)
    assert key.peer == ":".join(peer)


@given(PART, PART)
def test_the_short_form_round_trips(channel: str, peer: str) -> None:
    """What the short form is made from is what it says."""
    if channel.lower() != "agent":
        key = parse_key(f"{channel}:{peer}")
        assert (key.channel, key.peer) == (channel.lower(), peer)


@given(st.lists(PART, min_size=1, max_size=7))
def test_normalising_twice_changes_nothing(parts: list[str]) -> None:
    """A normalised key is its own normal form."""
    try:
        key = parse_key(":".join(parts))
    except InvalidInput:
        return
    assert parse_key(key.text) == key


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        ("main", "agent:main:main"),
        ("per-peer", "agent:main:direct:123"),
        ("per-channel-peer", "agent:main:telegram:direct:123"),
        ("per-account-channel-peer", "agent:main:telegram:acc:direct:123"),
    ],
)
def test_a_rule_says_which_direct_chats_are_one_session(scope: str, text: str) -> None:
    """The four scopes of OpenClaw; the last one is the long form."""
    key = direct_key("main", "telegram", "123", account="acc", scope=scope)
    assert key.text == text == parse_key(text).text


def test_nobody_on_the_other_side_is_the_main_session() -> None:
    """As OpenClaw does with an empty peer; an unknown channel has a name."""
    assert direct_key("main", "telegram", " ", scope="per-peer").text == "agent:main:main"
    assert direct_key("a", "", "7", scope="per-channel-peer").text == "agent:a:unknown:direct:7"


def test_a_rule_that_does_not_exist_is_refused() -> None:
    """A part that would shift the others is one part all the same."""
    with pytest.raises(InvalidInput):
        direct_key("main", "telegram", "1", scope="per-person")
    key = direct_key("main", "tele:gram", "direct:1:thread:2")
    assert (key.channel, key.thread) == ("tele%3agram", None)
    assert parse_account(key.user or "") == account("tele%3agram", None, "direct:1:thread:2")


def test_a_thread_knows_its_place() -> None:
    """It is another session, of the same conversation."""
    key = parse_key("agent:main:slack:channel:C1:thread:9")
    assert (key.thread, key.place.text) == ("9", "agent:main:slack:channel:C1")
    assert key.place.place is not None
    assert key.place.thread is None


def test_a_key_tells_who_can_read_it_and_whether_anybody_speaks() -> None:
    """Groups are read by many; jobs and sub-agents are nobody's talk."""
    assert parse_key("agent:main:slack:room:1").is_group
    assert not parse_key("telegram:1").is_group
    assert parse_key("agent:main:cron:nightly:run:7").is_automatic
    assert parse_key("agent:main:subagent:a:subagent:b").depth == 2
    assert parse_key("hook:5b1f").is_automatic
    assert not parse_key("agent:main:main").is_automatic
