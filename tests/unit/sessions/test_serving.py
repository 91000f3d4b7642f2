"""What an agent loop asks before it answers: keys, rules, calls, modes and turns."""

from __future__ import annotations

import threading

import pytest

from recollect.audience.owner import NOBODY_NAMED
from recollect.audience.session_key import parse_key
from recollect.audience.visibility import Speakers, visibility_group_of
from recollect.core.errors import ConfigError, InvalidInput, NotFound, StoreBusy
from recollect.core.events import SessionChanged
from recollect.core.scope import Scope
from recollect.core.settings.sessions import GroupSettings, SessionSettings
from recollect.sessions.policy.history import BEFORE, CURRENT
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.sessions import Sessions
from recollect.store.journal import events_since
from tests.unit.sessions.home import Home

GROUP = "agent:tea:telegram:group:-100"


def served(home: Home, **given: object) -> Sessions:
    """Return sessions with some settings."""
    return home.sessions_of(Scope(), SessionSettings(**given))  # type: ignore[arg-type]  # as named


ALICE = ("alice=telegram:123", "alice=discord:9")


@pytest.mark.parametrize(
    ("scope", "links", "asked", "expected"),
    [
        ("per-peer", ALICE, ("telegram", "123", "direct"), "agent:main:direct:alice"),
        ("per-peer", (), ("telegram", "123", "direct"), "agent:main:direct:123"),
        ("per-peer", (), ("telegram", "", "direct"), "agent:main:main"),
        ("main", (), ("signal", "AbC==", "group"), "agent:main:signal:group:AbC=="),
        ("main", (), ("telegram", "123", "direct"), "agent:main:main"),
    ],
)
def test_keys_are_those_of_openclaw(
    home: Home, scope: str, links: tuple[str, ...], asked: tuple[str, str, str], expected: str
) -> None:
    """What its buildAgentPeerSessionKey returned; by default ours names channel and account too."""
    sessions = served(home, direct_scope=scope, identity_links=links)
    channel, peer, kind = asked
    assert sessions.key_for("main", channel, peer, chat_type=kind) == expected
    assert parse_key(expected).text == expected


def test_direct_chats_are_apart_by_account_unless_told_otherwise(sessions: Sessions) -> None:
    """The long form, where OpenClaw joins all of them in its main session."""
    key = sessions.key_for("Main", "Telegram", "123", account="acc")
    assert key == "agent:main:telegram:acc:direct:123"
    assert sessions.key_for("main", "telegram", "123") == "agent:main:telegram:default:direct:123"


@pytest.mark.parametrize(
    ("text", "agent", "rest"),
    [
        ("agent:a:b:c:d", "a", "b:c:d"),
        ("agent:main", None, ""),
        ("agent::x", None, ""),
        ("", None, ""),
    ],
)
def test_agent_keys_are_read_as_openclaw_reads_them(
    text: str, agent: str | None, rest: str
) -> None:
    """What its parseAgentSessionKey returned; where it returns null, ours refuses with a hint."""
    if agent is None:
        with pytest.raises(InvalidInput):
            parse_key(text)
        return
    key = parse_key(text)
    assert (key.agent, key.text) == (agent, f"agent:{agent}:{rest}")


def test_a_key_may_name_a_thread_and_the_account_of_a_group(sessions: Sessions) -> None:
    """Threads hang behind; the default account of a group is not named, as in OpenClaw."""
    key = sessions.key_for("main", "slack", "C1", chat_type="channel", thread="9")
    assert key == "agent:main:slack:channel:C1:thread:9"
    key = sessions.key_for("main", "telegram", "-1", account="second", chat_type="group")
    assert key == "agent:main:telegram:second:group:-1"
    key = sessions.key_for("main", "telegram", "5", thread="7")
    assert parse_key(key).user == "telegram:5"


@pytest.mark.parametrize("scope", ["main", "per-peer", "per-channel-peer"])
@pytest.mark.parametrize(("channel", "peer"), [("telegram", "-100"), ("whatsapp", "7@g.us")])
def test_a_group_that_is_said_to_be_a_direct_chat_keeps_its_own_session(
    home: Home, scope: str, channel: str, peer: str
) -> None:
    """A bridge that tells no kind of chat must not bring a group into what the owner hears."""
    sessions = served(home, direct_scope=scope)
    key = sessions.key_for("main", channel, peer, chat_type="direct")
    assert key == f"agent:main:{channel}:group:{peer}"
    assert key == sessions.key_for("main", channel, peer, chat_type="group")


def test_a_group_is_one_place_whatever_its_rows_call_it() -> None:
    """Rows of older versions say direct; those in the group hear what was said before."""
    groups = {
        visibility_group_of(Speakers(channel="telegram", chat_type=kind, peer="-100"), NOBODY_NAMED)
        for kind in ("direct", "group")
    }
    assert len(groups) == 1
    assert not groups.pop().is_private


def test_a_person_has_one_name_on_every_channel(home: Home) -> None:
    """Whether the key comes from us or is written by the program; rows have the account."""
    sessions = served(home, identity_links=("ann=telegram:123", "ann=discord:9"))
    keys = (
        sessions.key_for("main", "telegram", "123"),
        sessions.key_for("main", "discord", "9"),
        "discord:9",
        "agent:main:telegram:acc:direct:123",
    )
    made = {sessions.create(key=key).id for key in keys}
    assert {session.user for session in sessions.list()} == {"telegram:123", "discord:9"}
    stranger = sessions.create(key="slack:123")
    ann = sessions.within(sessions.links.scope_of(Scope(user="ann")))
    assert {session.id for session in ann.list()} == made
    assert (stranger.user, stranger.id in made) == ("slack:123", False)


def test_nobody_is_taken_for_a_linked_person(home: Home) -> None:
    """An account that is called like one must be linked first."""
    sessions = served(home, identity_links=("ann=telegram:123",))
    with pytest.raises(InvalidInput, match="the name of a person"):
        sessions.key_for("main", "web", "ann")
    assert sessions.key_for("main", "web", "ann", chat_type="group")


def test_links_that_cannot_be_read_are_refused(home: Home) -> None:
    """Before anybody is mistaken for somebody else."""
    with pytest.raises(ConfigError):
        served(home, identity_links=("ann",)).create(key="telegram:1")


def test_a_main_session_may_do_everything(sessions: Sessions) -> None:
    """It is one person's; only what others said is never recalled."""
    for key in (None, "notes", "agent:main:main", "cron:nightly"):
        rules = sessions.rules(sessions.create(key=key, owner=True).id)
        assert (rules.mode, rules.tools, rules.sandbox) == ("main", None, False)
        assert (rules.file_access, rules.browser_access) == (True, "full")
        assert not (rules.cross_user_memory)
        assert not (rules.needs_call)
        assert not (rules.one_at_a_time)
        assert rules.allows("email")


def test_a_group_is_held_short(home: Home) -> None:
    """The values of the agent plan; the tools are those of the settings."""
    sessions = served(home, groups=GroupSettings(tools=("weather",)))
    rules = sessions.rules(sessions.create(key=GROUP).id)
    assert (rules.mode, rules.tools, rules.sandbox) == ("group", ("weather",), True)
    assert (rules.file_access, rules.browser_access) == (False, "read_only")
    assert rules.needs_call
    assert rules.allows("weather")
    assert not rules.allows("email")


def test_what_is_not_known_is_held_like_a_group(sessions: Sessions) -> None:
    """Sub-agents, hooks and kinds of chat that nobody has heard of; but nobody must call them."""
    for key in ("agent:main:subagent:1", "hook:1", "agent:main:web:kiosk", "a:b:c"):
        rules = sessions.rules(sessions.create(key=key).id)
        assert not rules.file_access
        assert rules.sandbox
        assert not rules.needs_call


def test_a_fork_is_held_like_its_parent(sessions: Sessions) -> None:
    """It has no key, but it is the same conversation."""
    group = sessions.create(key=f"{GROUP}:thread:7")
    fork = sessions.fork(group.id)
    assert sessions.rules(fork.id) == sessions.rules(group.id)
    assert sessions.visibility_group(fork.id) == sessions.visibility_group(
        sessions.create(key=GROUP).id
    )


@pytest.mark.parametrize(
    ("key", "text", "reply", "addressed"),
    [
        (GROUP, "what do you think?", False, False),
        (GROUP, "what do you think?", True, True),
        (GROUP, "Tea, what do you think?", False, True),
        (GROUP, "@helper?", False, True),
        (GROUP, "hey:what do you think?", False, True),
        ("agent:main:slack:room:1", "in the main hall", False, False),
        ("telegram:42", "what do you think?", False, True),
        (None, "what do you think?", False, True),
    ],
)
def test_in_a_group_the_agent_answers_who_calls_it(
    home: Home, key: str | None, text: str, reply: bool, addressed: bool
) -> None:
    """By its name, a name of the settings, or a reply; `main` is no name."""
    sessions = served(home, groups=GroupSettings(mentions=("@helper", "hey:")))
    session = sessions.create(key=key)
    assert sessions.is_addressed(session.id, text, reply_to_agent=reply) is addressed


def test_what_was_said_before_the_call_stands_in_the_prompt(sessions: Sessions) -> None:
    """The whole loop: wait, be called, answer, forget."""
    session = sessions.create(key=GROUP)
    for sender, text in (("Ann", "green or black?"), ("Bob", "black")):
        assert not sessions.is_addressed(session.id, text)
        sessions.history.add(GROUP, sender, text)
    assert sessions.is_addressed(session.id, "tea, decide")
    prompt = sessions.history.render(GROUP, "Ann", "tea, decide")
    assert prompt.startswith(f"{BEFORE}\nAnn: green or black?\nBob: black\n\n{CURRENT}\n")
    sessions.history.clear(GROUP)
    assert sessions.history.render(GROUP, "Ann", "tea?") == "Ann: tea?"


def test_the_queue_is_a_mode_of_every_session(home: Home) -> None:
    """A group in a queue is still a group; a change is told as an event."""
    sessions = home.sessions
    session = sessions.create(key="telegram:42", mode="queue")
    assert (session.mode, sessions.rules(session.id).one_at_a_time) == ("queue", True)
    assert sessions.set_mode(session.id, "main").mode == "main"
    group = sessions.create(key=GROUP, mode="queue")
    rules = sessions.rules(group.id)
    assert (rules.mode, rules.one_at_a_time, rules.file_access) == ("queue", True, False)
    assert sessions.get(sessions.set_mode(group.id, "group").id).mode == "group"
    told = home.database.read(lambda tx: list(events_since(tx, 0)))
    assert sum(isinstance(each.event, SessionChanged) for each in told) == 2


def test_a_session_has_settings_of_its_own(home: Home) -> None:
    """Those that are not named stay, None takes one back; a fork has them, and it is an event."""
    sessions = home.sessions
    session = sessions.create(key="telegram:42")
    sessions.set_overrides(session.id, {"model": "openai:gpt-5-mini", "theme": {"dark": True}})
    changed = sessions.set_overrides(session.id, {"thinking": "high", "theme": None})
    assert changed.overrides == {"model": "openai:gpt-5-mini", "thinking": "high"}
    assert sessions.get(session.id) == changed
    assert sessions.fork(session.id).overrides == changed.overrides
    assert sessions.set_overrides(session.id, {}).overrides == changed.overrides
    told = home.database.read(lambda tx: list(events_since(tx, 0)))
    assert sum(isinstance(each.event, SessionChanged) for each in told) == 3


@pytest.mark.parametrize(
    "overrides",
    [{"model": ""}, {"model": "a b"}, {"model": 7}, {"thinking": "deep"}, {"own": {1}}],
    ids=str,
)
def test_settings_of_a_session_that_cannot_be_are_refused(
    home: Home, overrides: dict[str, object]
) -> None:
    """A model is a name, thinking one of four levels, and all of it JSON."""
    session = home.sessions.create(key="telegram:42")
    with pytest.raises(InvalidInput) as caught:
        home.sessions.set_overrides(session.id, overrides)
    assert caught.value.hint
    assert home.sessions.get(session.id).overrides == {}


@pytest.mark.parametrize(
    ("key", "mode"), [(GROUP, "main"), ("telegram:42", "group"), (None, "group"), (None, "solo")]
)
def test_what_many_read_stays_a_group(sessions: Sessions, key: str | None, mode: str) -> None:
    """The key tells, and nothing else becomes one."""
    with pytest.raises(InvalidInput) as caught:
        sessions.set_mode(sessions.create(key=key).id, mode)
    assert caught.value.hint
    with pytest.raises(InvalidInput):
        sessions.create(key=key, mode=mode)


def test_a_session_outside_the_scope_is_not_served(home: Home) -> None:
    """No rule, visibility group, part, call or turn of it is told."""
    session = home.sessions.create(key="telegram:42").id
    other = home.sessions_of(Scope(user="43"))
    for ask in (other.rules, other.visibility_group, other.parts):
        with pytest.raises(NotFound):
            ask(session)
    with pytest.raises(NotFound), other.turn(session):
        raise AssertionError("never reached")


def test_turns_of_a_session_come_one_after_the_other(sessions: Sessions) -> None:
    """Each sees what the one before it wrote; who waits too long is told."""
    session = sessions.create(mode="queue").id

    def answer() -> None:
        with sessions.turn(session, 60) as mine:
            sessions.append(session, "assistant", f"after {mine.last_seq}")

    with sessions.turn(session):
        threads = [threading.Thread(target=answer) for _ in range(4)]
        for thread in threads:
            thread.start()
        with pytest.raises(StoreBusy), sessions.turn(session, 0.001):
            raise AssertionError("never reached")
        assert sessions.messages(session) == []
    for thread in threads:
        thread.join(60)
    assert [m.text for m in sessions.messages(session)] == [f"after {n}" for n in range(4)]


def test_sessions_without_a_folder_have_no_queue(home: Home) -> None:
    """There is no place for the tickets."""
    sessions = Sessions(
        SessionAccess(
            database=home.database,
            clock=home.clock,
            ids=home.ids,
            settings=SessionSettings(),
            drafts=DraftMaker(home.clock, home.ids, None),
        )
    )
    session = sessions.create()
    with pytest.raises(InvalidInput), sessions.turn(session.id):
        raise AssertionError("never reached")
