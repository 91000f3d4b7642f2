"""Callers: what a token may do, whom it hears, and to which sessions it may write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.caller import Caller, Callers
from recollect.core.errors import Denied, InvalidInput, NotFound, Unauthorized
from recollect.core.scope import Scope
from recollect.pool import MemoryPool
from recollect.sessions.lifecycle import ForeignName, Moment

SETTINGS = {
    "embedding.provider": "none",
    "sessions.owner": ["telegram:42"],
    "sessions.identity_links": ["ann=telegram:7", "ann=discord:9"],
}
GROUP = "agent:main:telegram:group:-100"


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[MemoryPool]:
    """Memories of a home."""
    with MemoryPool(tmp_path / "home", SETTINGS) as opened:
        yield opened


@pytest.fixture
def callers(pool: MemoryPool) -> Callers:
    """Who finds out who calls."""
    return Callers(pool)


def refusal(caller: Caller, key: str) -> tuple[str, str, str]:
    """Return how a session is refused, to be written to and to be heard."""
    with pytest.raises(recollect.RecollectError) as written:
        caller.writes_to(key)
    with pytest.raises(recollect.RecollectError) as heard:
        caller.session(key)
    return written.value.code, heard.value.code, str(heard.value)


def test_who_shows_a_token_calls_as_it_says(callers: Callers) -> None:
    """The memory is within its scope; nothing of the request can widen it."""
    text = callers.tokens().add("a", tenant="acme", agent="work", project="/p").text
    caller = callers.of(text)
    assert caller.token.name == "a"
    assert caller.memory.scope == Scope(tenant="acme", agent="work", project="/p")
    assert callers.of(text) is caller


def test_no_caller_outlives_its_token(callers: Callers) -> None:
    """Revoked, or rotated: neither is let in again, nor does it go on with what it has."""
    tokens = callers.tokens()
    text = tokens.add("a").text
    caller = callers.of(text)
    caller.check()
    tokens.revoke("a")
    tokens.file.ensure()
    owners = callers.of(tokens.file.text())
    owners.check()
    tokens.rotate()
    for gone in (caller, owners):
        with pytest.raises(Unauthorized):
            gone.check()
    for shown in (text, None, "rcl_no"):
        with pytest.raises(Unauthorized):
            callers.of(shown)
    assert callers.of(tokens.file.text()) is not owners
    callers.of(tokens.file.text()).check()


def test_a_change_of_settings_reaches_who_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a restart: the pool is asked again."""
    monkeypatch.setattr("recollect.caller.KEPT_S", 0.0)
    home = tmp_path / "home"
    with MemoryPool(home, {"embedding.provider": "none"}) as pool:
        callers = Callers(pool)
        text = callers.tokens().add("a").text
        assert callers.of(text).memory.settings.search.limit != 3
        (home / "config.yaml").write_text("search:\n  limit: 3\n")
        assert callers.of(text).memory.settings.search.limit == 3


def test_a_right_that_is_missing_is_refused_and_told_in_the_audit(callers: Callers) -> None:
    """With what to do; a program that goes on asking fills no disk."""
    caller = callers.of(callers.tokens().add("a", rights="capture").text)
    caller.require("read")
    caller.require("capture")
    for _ in range(3):
        with pytest.raises(Denied) as refused:
            caller.require("write")
        assert "--rights write" in refused.value.hint
    with pytest.raises(Denied):
        caller.require("admin")
    told = [(e.actor, e.action, e.outcome) for e in caller.memory.audit.latest()[1:]]
    assert told == [("a", "right.write", "refused"), ("a", "right.admin", "refused")]


def test_what_a_caller_does_names_its_token(callers: Callers) -> None:
    """Every event; what is done without a token names none."""
    caller = callers.local("owner", "write", "mcp")
    with caller.acting():
        caller.memory.sessions.create()
    caller.memory.sessions.create()
    events = list(caller.memory.events.since())
    assert [event.actor for event in events] == ["mcp", None]


def test_the_operator_hears_everything_and_narrows_it(callers: Callers) -> None:
    """Without a session everything; with one what it hears; with a wrong one nothing."""
    caller = callers.local("owner")
    notes = caller.memory.sessions.create("notes")
    guest = caller.memory.sessions.create("telegram:5")
    assert caller.for_session() is None
    assert caller.for_session("notes") == notes.id
    assert caller.for_session(guest.id) == caller.for_session("telegram:5") == guest.id
    assert caller.hears(guest.id)
    with pytest.raises(NotFound):
        caller.for_session("nothing")
    assert not caller.hears("nothing")


def test_a_session_is_named_by_its_id_or_key_only(callers: Callers) -> None:
    """No title, no end of an id: a program must not hit another one by chance."""
    caller = callers.local("owner", "write")
    session = caller.memory.sessions.create("notes", title="Tea")
    for name in ("Tea", session.id[-8:], "note", ""):
        with pytest.raises(NotFound):
            caller.session(name)


def test_a_shared_token_hears_what_it_captured_itself(pool: MemoryPool, callers: Callers) -> None:
    """It is a guest of its own: nobody's words, not even those of another token."""
    memory = pool.memory()
    mine = memory.sessions.create("notes")
    memory.sessions.append(mine.id, "user", "kites of the owner")
    one, other = (callers.local("shared", "write", name) for name in ("one", "other"))
    session = one.writes_to("notes")
    one.memory.sessions.append(session.id, "user", "kites of one")
    found = one.memory.search("kites", for_session=one.for_session()).hits
    assert [hit.session_id for hit in found] == [session.id]
    assert other.memory.search("kites", for_session=other.for_session()).hits == []
    assert one.session("notes").id == session.id
    for foreign in (mine.id, session.id):
        with pytest.raises(NotFound):
            other.session(foreign)
        assert other.writes_to(foreign).id != foreign


def test_the_own_session_of_a_guest_is_not_the_owners_of_the_same_name(callers: Callers) -> None:
    """Under a plain name the owner has one, and a person of that name another."""
    owners = callers.local("owner", "write").writes_to("notes", owner=True)
    guest = callers.local("session:notes", "write", "a")
    assert guest.for_session() != owners.id
    assert not guest.hears(owners.id)


@pytest.mark.parametrize("limit", [None, 1, 3])
def test_the_session_that_a_list_begins_is_not_in_it(callers: Callers, limit: int | None) -> None:
    """That as which a guest hears; nor does it take the place of another one."""
    guest = callers.local("shared", "write", "one")
    assert guest.sessions(limit=limit) == []
    other = callers.local("shared", "write", "two")
    theirs = [other.writes_to(name).id for name in ("kites", "boats", "songs")]
    found = [each.id for each in other.sessions(limit=limit) if each.id in theirs]
    assert len(found) == (3 if limit is None else limit)


def test_what_is_not_there_and_what_is_not_theirs_are_said_alike(callers: Callers) -> None:
    """No answer tells that a session exists."""
    owner = callers.local("owner")
    there = owner.memory.sessions.create("telegram:5").id
    for audience in ("shared", "session:discord:9", f"session:{GROUP}"):
        caller = callers.local(audience, "write", "a")
        with pytest.raises(NotFound) as known:
            caller.session(there)
        with pytest.raises(NotFound) as unknown:
            caller.session("0" * 36)
        assert known.value.as_dict() == unknown.value.as_dict()
        assert refusal(caller, "telegram:5") == refusal(caller, "telegram:6")
        for name in (there, "0" * 36):
            session = caller.writes_to(name)
            assert session.id not in {there, name}
            assert caller.session(name).id == session.id


@pytest.mark.parametrize(
    ("audience", "key"),
    [
        ("shared", "guest:direct:a:thread:notes"),
        (f"session:{GROUP}", f"{GROUP}:thread:notes"),
        ("session:telegram:5", "telegram:direct:5:thread:notes"),
        ("session:agent:work:slack:T1:direct:U7", "agent:work:slack:T1:direct:U7:thread:notes"),
        (f"session:{GROUP}:thread:9", f"{GROUP}:thread:notes"),
        ("session:agent:work:main", "agent:work:notes"),
        ("session:agent:main:main", "agent:main:notes"),
    ],
)
def test_a_plain_key_names_a_session_within_the_tokens_own_group(
    callers: Callers, audience: str, key: str
) -> None:
    """It is written to and heard under the name that the caller knows."""
    caller = callers.local(audience, "write", "a")
    session = caller.writes_to("notes")
    assert session.key == key
    assert caller.writes_to("notes").id == session.id
    assert caller.writes_to(session.id).id == session.id
    assert caller.session("notes").id == session.id
    assert caller.for_session("notes") == session.id
    group = caller.memory.sessions.visibility_group
    assert group(session.id).name == group(caller.for_session() or "").name


@pytest.mark.parametrize("key", ["a b", "ä:ö%", "direct", "thread", "subagent", "100%", "x" * 400])
def test_a_plain_key_cannot_break_out_of_its_group(callers: Callers, key: str) -> None:
    """Whatever is in it: it is escaped, and what comes out is looked at again."""
    caller = callers.local("shared", "write", "a")
    try:
        session = caller.writes_to(key)
    except (Denied, InvalidInput):
        return
    group = caller.memory.sessions.visibility_group
    assert group(session.id).name == group(caller.for_session() or "").name


@pytest.mark.parametrize(
    ("key", "channel"),
    [
        ("telegram:5", "telegram"),
        ("agent:main:slack:T1:group:C1", "slack"),
        ("cron:daily", "cron"),
        ("guest:b", "guest"),
        ("agent:main:direct:5", "*"),
        ("agent:main:group:5", "*"),
    ],
)
def test_a_key_of_a_channel_takes_a_token_that_speaks_for_it(
    callers: Callers, key: str, channel: str
) -> None:
    """Issue 12, 3: also the operator's; whoever writes there puts words into a mouth."""
    with pytest.raises(Denied) as refused:
        callers.local("owner", "write").writes_to(key)
    assert refused.value.facts["channel"] == channel
    speaks = callers.local("owner", "write", channels=(channel,))
    session = speaks.writes_to(key)
    assert speaks.writes_to(session.id).id == session.id
    with pytest.raises(Denied):
        callers.local("owner", "write").writes_to(session.id)
    assert callers.local("owner").session(session.id).id == session.id


def test_a_bridge_writes_for_its_channel_and_hears_nothing_of_it(callers: Callers) -> None:
    """A guest that may speak for a channel stores what was said there, for whom it is."""
    bridge = callers.local("shared", "capture", "bridge", channels=("telegram",))
    session = bridge.writes_to("telegram:5")
    assert bridge.writes_to(session.id).id == session.id
    with pytest.raises(NotFound):
        bridge.session(session.id)
    assert not bridge.hears(session.id)
    with pytest.raises(Denied):
        bridge.writes_to("slack:5")


def test_a_job_or_sub_agent_of_the_operator_is_no_channel(callers: Callers) -> None:
    """Nobody is spoken for."""
    caller = callers.local("owner", "write")
    for key in ("agent:main:main", "agent:main:cron:daily", "agent:main:subagent:7", "notes"):
        assert caller.writes_to(key).key == key


def test_a_person_is_heard_on_all_their_channels_and_spoken_for_on_one(callers: Callers) -> None:
    """Linked accounts are one visibility group; each channel takes its own word."""
    owner = callers.local("owner", "write", channels=("*",))
    there = owner.writes_to("discord:9")
    caller = callers.local("session:telegram:7", "write", "a")
    assert caller.session(there.id).id == there.id
    with pytest.raises(Denied):
        caller.writes_to(there.id)
    with pytest.raises(Denied):
        caller.writes_to("discord:9")
    speaks = callers.local("session:telegram:7", "write", "a", channels=("discord",))
    assert speaks.writes_to("discord:9").id == there.id


def test_a_shared_session_is_heard_as_whoever_spoke_last(callers: Callers) -> None:
    """As an agent that answers there; a turn of somebody else narrows what it may pass, too."""
    owner = callers.local("owner", "write", channels=("*",))
    main = owner.writes_to("agent:main:main")
    notes = owner.writes_to("notes", owner=True)
    append = owner.memory.sessions.append
    first = append(main.id, "user", "kites", sender="telegram:42")
    caller = callers.local("session:agent:main:main", "write", "a")
    assert caller.session("notes").id == notes.id
    second = append(main.id, "user", "kites", sender="telegram:5")
    with pytest.raises(NotFound):
        caller.session("notes")
    assert [caller.hears_message(each) for each in (first, second)] == [False, True]
    assert owner.hears_message(first)
    guest = callers.local("session:telegram:5", "write", "b")
    with pytest.raises(NotFound):
        guest.session(main.id)


def test_what_a_token_may_not_write_to_is_neither_begun_nor_opened_again(callers: Callers) -> None:
    """A refused hook leaves the sessions and the events as they were."""
    owner = callers.local("owner", "write", channels=("*",))
    sessions = owner.memory.sessions
    main, over = owner.writes_to("agent:main:main"), owner.writes_to("agent:main:over")
    sessions.append(main.id, "user", "kites", sender="telegram:5")
    sessions.set_status(over.id, "archived")
    caller = callers.local("session:agent:main:main", "write", "a")
    events = len(list(owner.memory.events.since()))
    with pytest.raises(NotFound):
        caller.hooked("over", None, "resume")
    moment: Moment
    for moment in ("start", "resume", "during", "end"):
        with pytest.raises(NotFound):
            caller.hooked("new", None, moment)
    with pytest.raises(NotFound):
        caller.writes_to("new")
    assert sessions.get(over.id).status == "archived"
    assert sessions.known("agent:main:new") is None
    assert len(list(owner.memory.events.since())) == events
    assert caller.hooked("agent:main:main", None, "end").session.id == main.id


def test_a_plain_session_lasts_and_one_of_a_channel_is_as_the_settings_say(tmp_path: Path) -> None:
    """Issue 12, 5: a hook session has no freshness."""
    with MemoryPool(tmp_path / "home", SETTINGS) as pool:
        caller = Callers(pool).local("owner", "write", channels=("*",))
        create, long_ago = caller.memory.sessions.create, 1_600_000_000_000
        old, chat = create("hook-1", at=long_ago), create("telegram:5", at=long_ago)
        assert caller.writes_to("hook-1").id == old.id
        assert caller.writes_to("telegram:5").previous_id == chat.id


def test_a_session_of_the_tokens_project_may_be_named_by_any_path_of_it(
    pool: MemoryPool, callers: Callers, tmp_path: Path
) -> None:
    """Another project is refused."""
    shop, other = tmp_path / "shop", tmp_path / "other"
    for folder in (shop / "src", other):
        folder.mkdir(parents=True)
    (shop / ".recollect-project").write_text("name: shop\n")
    pool.memory().sessions.create("first", project=str(shop))
    caller = callers.local("owner", "write", scope=Scope(project=str(shop)))
    assert caller.writes_to("a", str(shop)).project == str(shop)
    assert caller.writes_to("b", str(shop / "src")).project == str(shop)
    assert caller.writes_to("c").project == str(shop)
    with pytest.raises(Denied):
        caller.writes_to("d", str(other))
    with pytest.raises(NotFound):
        callers.local("owner", scope=Scope(project=str(other))).session("a")


def test_a_token_of_an_agent_or_tenant_stays_there(callers: Callers) -> None:
    """Ids of elsewhere do not exist for it; a key of another agent is refused."""
    there = callers.local("owner", "write").writes_to("notes")
    for scope in (Scope(tenant="acme"), Scope(agent="work")):
        caller = callers.local("owner", "write", scope=scope)
        with pytest.raises(NotFound):
            caller.session(there.id)
        assert caller.writes_to("notes").id != there.id
    worker = callers.local("owner", "write", scope=Scope(agent="work"))
    with pytest.raises(Denied):
        worker.writes_to("agent:main:notes")


def test_a_sender_takes_a_token_that_speaks_for_its_channel(callers: Callers) -> None:
    """Whose turn it is says who hears it."""
    bridge = callers.local("owner", "write", channels=("telegram",))
    session = bridge.writes_to("telegram:5")
    assert bridge.sender(None, session) is None
    assert bridge.sender("telegram:5", session) == "telegram:5"
    for other in ("slack:T1:U7", "ann"):
        with pytest.raises(Denied):
            bridge.sender(other, session)
    assert callers.local("owner", "write", channels=("*",)).sender("ann", session) == "ann"
    with pytest.raises(InvalidInput):
        bridge.sender("a:", session)


@pytest.mark.parametrize("sender", ["telegram:42", "telegram:7", "ann"])
def test_nobody_speaks_as_another_to_hear_what_they_hear(callers: Callers, sender: str) -> None:
    """The newest turn of a session says who hears: the owner's, in a guest's own session."""
    bridge = callers.local("shared", "write", "bridge", channels=("*",))
    own = bridge.writes_to("mine")
    for session in (own, bridge.writes_to("guest:bridge")):
        with pytest.raises(Denied):
            bridge.sender(sender, session)
        assert bridge.sender("guest:bridge", session) == "guest:bridge"
    there = bridge.writes_to("telegram:42")
    assert bridge.sender(sender, there) == sender


def test_an_erased_session_of_a_token_is_begun_again_empty(callers: Callers) -> None:
    """Its key still says as whom it hears."""
    caller = callers.local("session:telegram:5", "write", "a")
    first = caller.writes_to("telegram:5")
    caller.memory.sessions.append(first.id, "user", "kites")
    caller.memory.erase(session_id=first.id)
    again = caller.for_session()
    assert again != first.id
    assert caller.memory.search("kites", for_session=again).hits == []


def test_an_id_that_looks_like_the_tokens_key_is_not_its_session(callers: Callers) -> None:
    """A program may give a session any id; only the key counts."""
    owner = callers.local("owner", "write", channels=("*",))
    trap = owner.memory.sessions.create("telegram:5", session_id="home")
    caller = callers.local("session:home", "write", "a")
    assert caller.for_session() != trap.id


@pytest.mark.parametrize(
    ("audience", "rights"), [("all", "read"), ("session:", "read"), ("owner", "x")]
)
def test_who_calls_without_a_token_has_to_be_somebody(
    callers: Callers, audience: str, rights: str
) -> None:
    """As a token has."""
    with pytest.raises(InvalidInput):
        callers.local(audience, rights)  # type: ignore[arg-type]


def test_a_program_of_many_hears_as_the_session_that_it_names(
    pool: MemoryPool, callers: Callers
) -> None:
    """Each in its own group; without one what a guest hears, and other ways in stay closed."""
    sessions = pool.memory().sessions
    owners, groups = sessions.open("agent:main:telegram:direct:42"), sessions.open(GROUP)
    caller = callers.local("session:*")
    for each in (owners, groups):
        assert caller.for_session(each.key) == caller.for_session(each.id) == each.id
        assert not caller.hears(each.id)
        with pytest.raises(NotFound):
            caller.session(each.id)
    own = sessions.get(str(caller.for_session()))
    assert own.key == "guest:local"
    with pytest.raises(NotFound):
        caller.for_session("agent:main:telegram:direct:7")


def test_only_a_program_of_many_begins_a_foreign_session_by_asking(
    pool: MemoryPool, callers: Callers
) -> None:
    """Under the name and the key that its transcript will have; none without a person in it."""
    key = "agent:main:telegram:direct:7"
    name = ForeignName(source="openclaw", id="w1", key=key)
    for other in ("owner", "shared", "session:telegram:7"):
        with pytest.raises(NotFound):
            callers.local(other).for_foreign(name)
    caller = callers.local("session:*")
    made = pool.memory().sessions.get(caller.for_foreign(name))
    assert (made.source, made.foreign_id, made.key, made.agent) == ("openclaw", "w1", key, "main")
    assert caller.for_foreign(ForeignName(source="openclaw", id="w2", key=key)) == made.id
    for nobody in ("agent:main:cron:7", "agent:main:subagent:x", "notes"):
        with pytest.raises(NotFound):
            caller.for_foreign(ForeignName(source="openclaw", id="w3", key=nobody))


def test_a_program_of_many_does_not_ask_as_a_session_of_another_key(
    pool: MemoryPool, callers: Callers
) -> None:
    """A transcript that tells no key is the owner's; its id lets no guest hear it."""
    sessions, caller = pool.memory().sessions, callers.local("session:*")
    plain = sessions.hooked(ForeignName(source="openclaw", id="w1"), moment="start").session
    group = ForeignName(source="openclaw", id="w2", key=GROUP)
    of_group = sessions.hooked(group, moment="start").session
    sessions.set_status(plain.id, "archived")
    for known in (plain, of_group):
        asked = str(known.foreign_id)
        with pytest.raises(NotFound):
            caller.for_foreign(
                ForeignName(source="openclaw", id=asked, key="agent:main:telegram:direct:7")
            )
    assert sessions.get(plain.id).status == "archived"
