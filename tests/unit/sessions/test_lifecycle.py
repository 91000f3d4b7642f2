"""Sessions: create, find, list, and whose they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound
from recollect.core.events import SessionCreated
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.core.settings.sessions import FreshnessSettings
from recollect.sessions.sessions import Sessions
from recollect.store.journal import events_since
from tests.unit.sessions.home import MINUTE, NOON, Home

KEY = "agent:main:telegram:acc:direct:42"


def test_a_new_session_has_the_owner_that_its_key_names(sessions: Sessions) -> None:
    """DESIGN 7: create(key, project, title, metadata)."""
    session = sessions.create(key=KEY, project="/p", title="Tea", metadata={"mood": "calm"})
    assert (session.agent, session.user, session.project) == ("main", "telegram:42", "/p")
    assert (session.key, session.channel, session.chat_type) == (KEY, "telegram", "direct")
    assert (session.title, session.metadata, session.status) == ("Tea", {"mood": "calm"}, "active")
    assert (session.created_at, session.updated_at, session.last_seq) == (NOON, NOON, 0)
    assert sessions.get(session.id) == session


def test_a_session_needs_nothing(sessions: Sessions) -> None:
    """create() is enough."""
    session = sessions.create()
    assert (session.key, session.agent, session.user, session.title) == (None, None, None, None)


def test_creating_a_session_is_an_event(home: Home) -> None:
    """Streams and audits hear of it in the order of commits."""
    session = home.sessions.create(key=KEY)
    (recorded,) = home.database.read(lambda tx: events_since(tx, 0))
    assert recorded.event == SessionCreated(
        scope=Scope(agent="main", user="telegram:42", session=session.id), at=NOON, key=KEY
    )


def test_the_beginning_may_be_given(sessions: Sessions) -> None:
    """As ms or datetime; a session never was used in the future."""
    at = datetime(2024, 1, 1, tzinfo=UTC)
    assert sessions.create(at=at).created_at == 1_704_067_200_000
    assert sessions.create(at=NOON + 1).updated_at == NOON


def test_an_unknown_session_is_not_found(sessions: Sessions) -> None:
    """With a hint where to look."""
    with pytest.raises(NotFound) as caught:
        sessions.get("nope")
    assert caught.value.hint
    for read in (sessions.messages, sessions.tool_calls, sessions.message):
        with pytest.raises(NotFound):
            read("nope")
    with pytest.raises(NotFound):
        sessions.append("nope", "user", "x")
    with pytest.raises(NotFound):
        sessions.append_many("nope", [])


def test_lists_are_newest_first_and_filtered(home: Home) -> None:
    """Every filter narrows; the key is normalised first."""
    made = []
    for key, project in ((KEY, "/p"), ("slack:7", "/p"), (None, "/q")):
        home.clock.now += MINUTE
        made.append(home.sessions.create(key=key, project=project))
    home.clock.now += MINUTE
    home.sessions.append(made[0].id, "user", "back again")

    def ids(**filters: str | int | None) -> list[str]:
        return [each.id for each in home.sessions.list(**filters)]  # type: ignore[arg-type]  # mixed

    assert ids() == [made[0].id, made[2].id, made[1].id]
    assert ids(limit=1) == [made[0].id]
    assert ids(limit=0) == []
    assert ids(project="/p") == [made[0].id, made[1].id]
    assert ids(key="Slack:7") == [made[1].id]
    assert ids(agent="main") == ids(channel="telegram") == [made[0].id]
    assert ids(status="archived") == []


def test_the_latest_session_may_be_asked_for_by_project(home: Home) -> None:
    """The last used, not the last made."""
    first = home.sessions.create(project="/p")
    home.clock.now += MINUTE
    home.sessions.create(project="/q")
    assert home.sessions.latest(project="/p") == first
    latest = home.sessions.latest()
    assert latest is not None
    assert latest.project == "/q"
    assert home.sessions.latest(project="/r") is None


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.create(key="a:\n"),
        lambda s: s.create(title="x" * 600),
        lambda s: s.create(title=7),
        lambda s: s.create(metadata=[1]),
        lambda s: s.create(metadata={"x": "y" * 300_000}),
        lambda s: s.create(at="yesterday"),
        lambda s: s.create(at=-1),
        lambda s: s.list(status="gone"),
        lambda s: s.list(limit=-1),
        lambda s: s.open(""),
    ],
)
def test_unusable_arguments_are_refused_with_a_hint(
    sessions: Sessions,
    call: object,
) -> None:
    """Nothing is stored, the hint says what to do."""
    assert callable(call)
    with pytest.raises(InvalidInput) as caught:
        call(sessions)
    assert caught.value.hint
    assert sessions.list() == []


def test_open_returns_the_session_while_it_is_fresh(home: Home) -> None:
    """Idle for at most idle_minutes is fresh; a minute more is not."""
    first = home.sessions.open(KEY)
    home.clock.now += 240 * MINUTE
    assert home.sessions.open(KEY).id == first.id
    home.clock.now += 1
    second = home.sessions.open(KEY)
    assert second.id != first.id
    assert home.sessions.open(KEY.upper().replace("ACC", "acc")).id == second.id


def test_a_message_keeps_a_session_fresh(home: Home) -> None:
    """Freshness counts from the last message."""
    session = home.sessions.open(KEY)
    home.clock.now += 200 * MINUTE
    home.sessions.append(session.id, "user", "still here")
    home.clock.now += 200 * MINUTE
    assert home.sessions.open(KEY).id == session.id


def test_without_an_idle_time_a_session_stays_fresh(home: Home) -> None:
    """idle_minutes = 0 never starts a new one."""
    sessions = home.sessions_of(Scope(), SessionSettings(fresh=FreshnessSettings(idle_minutes=0)))
    first = sessions.open(KEY)
    home.clock.now += 365 * 24 * 60 * MINUTE
    assert sessions.open(KEY).id == first.id


def test_a_clock_that_was_set_back_begins_one_session_and_not_one_for_each_message(
    home: Home,
) -> None:
    """A session of yesterday with a later time than now hides none that is fresh."""
    settings = SessionSettings(time_zone="UTC", fresh=FreshnessSettings(mode="daily"))
    sessions = home.sessions_of(Scope(), settings)
    old = sessions.open(KEY)
    home.clock.now = NOON + 17 * 60 * MINUTE + MINUTE  # 05:01, an hour into the next day
    sessions.append(old.id, "user", "still there")
    home.clock.now -= 30 * MINUTE
    new = sessions.open(KEY)
    assert (new.previous_id, sessions.open(KEY).id) == (old.id, new.id)


def test_a_scope_sees_its_own_rows_only(home: Home) -> None:
    """Tenant, agent, user and project are part of every query."""
    ana = home.sessions.create(key="agent:main:telegram:acc:direct:ana", project="/p")
    message = home.sessions.append(ana.id, "user", "hello")
    for scope in (
        Scope(tenant="other"),
        Scope(agent="other"),
        Scope(user="ben"),
        Scope(user="ana"),
        Scope(user="slack:ana"),
        Scope(project="/q"),
        Scope(session="other"),
    ):
        stranger = home.sessions_of(scope)
        assert stranger.list() == []
        with pytest.raises(NotFound):
            stranger.get(ana.id)
        with pytest.raises(NotFound):
            stranger.messages(ana.id)
        with pytest.raises(NotFound):
            stranger.message(message.id)
        with pytest.raises(NotFound):
            stranger.append(ana.id, "user", "intruder")
    same = home.sessions.within(
        Scope(user="telegram:ana", agent="main", project="/p", session=ana.id)
    )
    assert [each.id for each in same.list()] == [ana.id]
    assert same.message(message.id) == message


def test_a_scope_owns_what_is_made_in_it(home: Home) -> None:
    """What the key leaves open comes from the scope."""
    session = home.sessions_of(Scope(tenant="t", user="ana", agent="a", project="/p")).create()
    assert (session.tenant, session.user, session.agent, session.project) == ("t", "ana", "a", "/p")


def test_nothing_is_made_for_somebody_else(home: Home) -> None:
    """A key or project outside the scope is denied, not silently changed."""
    for scope in (Scope(user="ana"), Scope(agent="b"), Scope(project="/q")):
        with pytest.raises(Denied):
            home.sessions_of(scope).create(key=KEY, project="/p")


def test_a_fork_under_a_key_is_its_current_session(home: Home) -> None:
    """As after a reset: the one before is archived, and the next message goes to the fork."""
    sessions = home.sessions
    old = sessions.create(key="agent:main:main", project="/p")
    sessions.append(old.id, "user", "Hello.")
    before = sessions.open("agent:main:notes", owner=True)
    fork = sessions.fork(old.id, key="agent:main:notes", owner=True, title="On")
    assert sessions.open("agent:main:notes", owner=True) == fork
    assert (fork.parent_id, fork.project, fork.title) == (old.id, "/p", "On")
    assert sessions.get(before.id).status == "archived"
    again = sessions.fork(fork.id, 0, key="agent:main:notes", owner=True)
    assert (sessions.get(fork.id).status, again.forked_at_seq) == ("archived", 0)
    assert sessions.fork(old.id, key="agent:main:alone", owner=True).key == "agent:main:alone"


def test_a_fork_under_a_key_is_heard_by_whoever_heard_the_session(home: Home) -> None:
    """Else words of one conversation would be in another; and nobody's hold on it is broken."""
    sessions = home.sessions
    old = sessions.create(key="agent:main:main")
    with pytest.raises(Denied) as caught:
        sessions.fork(old.id, key=KEY)
    assert caught.value.hint
    with sessions.hold(old.id), pytest.raises(Conflict):
        sessions.fork(old.id, key="agent:main:main")
    assert [each.id for each in sessions.list()] == [old.id]
