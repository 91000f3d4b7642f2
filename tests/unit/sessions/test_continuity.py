"""Continuity: resume, continue, fork, reset, and two programs that want the same session."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.events import SessionForked, SessionReset, SessionResumed
from recollect.core.scope import Scope
from recollect.sessions.record.lineage import LineageSegment, within
from recollect.sessions.sessions import Sessions
from recollect.store.journal import events_since
from tests.unit.sessions.home import MINUTE, Home

KEY = "agent:main:telegram:acc:direct:42"


def _say(sessions: Sessions, session_id: str, *texts: str) -> None:
    sessions.append_many(session_id, [("user", text) for text in texts])


def _texts(sessions: Sessions, session_id: str, **options: Any) -> list[str]:
    return [message.text for message in sessions.messages(session_id, **options)]


def test_a_fork_begins_with_what_was_said_and_goes_its_own_way(sessions: Sessions) -> None:
    """The parent is not changed, and neither sees what the other says later."""
    parent = sessions.create(key=KEY, project="/p")
    _say(sessions, parent.id, "one", "two", "three")
    fork = sessions.fork(parent.id, at_seq=2, title="strict")
    _say(sessions, fork.id, "strict three")
    _say(sessions, parent.id, "four")
    assert _texts(sessions, fork.id) == ["one", "two", "strict three"]
    assert _texts(sessions, parent.id) == ["one", "two", "three", "four"]
    assert [m.seq for m in sessions.messages(fork.id)] == [1, 2, 3]
    assert (fork.parent_id, fork.forked_at_seq, fork.project) == (parent.id, 2, "/p")
    assert (fork.agent, fork.user, fork.chat_type) == ("main", "telegram:42", "direct")


def test_a_fork_does_not_take_the_key_over(sessions: Sessions) -> None:
    """What comes in under the key goes on going to the parent."""
    parent = sessions.open(KEY)
    _say(sessions, parent.id, "one")
    fork = sessions.fork(parent.id)
    _say(sessions, fork.id, "elsewhere")
    assert sessions.open(KEY).id == parent.id
    assert fork.key is None


def test_forks_of_forks_read_through_all_of_them(sessions: Sessions) -> None:
    """In order, with gap-free numbers, and with limits that cross the seams."""
    first = sessions.create()
    _say(sessions, first.id, "a1", "a2", "a3")
    second = sessions.fork(first.id)
    _say(sessions, second.id, "b4", "b5")
    third = sessions.fork(second.id, at_seq=4)
    _say(sessions, third.id, "c5")
    assert _texts(sessions, third.id) == ["a1", "a2", "a3", "b4", "c5"]
    assert _texts(sessions, third.id, limit=2) == ["b4", "c5"]
    assert _texts(sessions, third.id, limit=2, after_seq=1) == ["a2", "a3"]
    assert _texts(sessions, third.id, before_seq=4, limit=1) == ["a3"]
    early = sessions.fork(third.id, at_seq=2)
    assert _texts(sessions, early.id) == ["a1", "a2"]
    nothing = sessions.fork(third.id, at_seq=0)
    assert _texts(sessions, nothing.id) == []


@pytest.mark.parametrize("seq", [-1, 4])
def test_a_fork_at_a_message_that_is_not_there_is_refused(sessions: Sessions, seq: int) -> None:
    """The hint tells what there is; nothing is made."""
    parent = sessions.create()
    _say(sessions, parent.id, "one", "two", "three")
    with pytest.raises(InvalidInput) as caught:
        sessions.fork(parent.id, at_seq=seq)
    assert "0 to 3" in caught.value.hint
    assert len(sessions.list()) == 1


def test_a_fork_shares_the_tool_calls_of_what_it_shares(sessions: Sessions) -> None:
    """A call behind the branching point is not part of it."""
    parent = sessions.create()
    for number in (1, 2):
        sessions.append(
            parent.id,
            "assistant",
            [{"type": "tool_use", "id": f"t{number}", "name": "bash", "input": {}}],
        )
    fork = sessions.fork(parent.id, at_seq=1)
    assert [call.call_id for call in sessions.tool_calls(fork.id)] == ["t1"]
    assert len(sessions.tool_calls(parent.id)) == 2


@given(st.lists(st.integers(0, 5), max_size=5), st.integers(0, 12), st.integers(0, 14) | st.none())
def test_a_cut_of_segments_is_a_cut_of_their_messages(
    lengths: list[int], after: int, before: int | None
) -> None:
    """Whatever the seams."""
    parts, seq = [], 0
    for number, length in enumerate(lengths):
        if length:
            parts.append(LineageSegment(str(number), seq + 1, seq + length))
        seq += length
    kept = [s for part in within(parts, after, before) for s in range(part.first, part.last + 1)]
    end = seq + 1 if before is None else before
    assert kept == [s for s in range(1, seq + 1) if after < s < end]


def test_reset_keeps_what_was_and_begins_anew(home: Home) -> None:
    """`/new`: lineage and the count of compactions stay, the old session is archived."""
    old = home.sessions.open(KEY)
    _say(home.sessions, old.id, "before")
    home.clock.now += MINUTE
    new = home.sessions.reset(KEY)
    assert (new.previous_id, new.key, new.message_count) == (old.id, KEY, 0)
    assert home.sessions.get(old.id).status == "archived"
    assert _texts(home.sessions, old.id) == ["before"]
    assert home.sessions.open(KEY).id == new.id
    assert home.sessions.reset("telegram:7").previous_id is None


def test_a_session_that_grew_stale_is_named_by_the_next(home: Home) -> None:
    """With the reason, in the event."""
    old = home.sessions.open(KEY)
    home.clock.now += 241 * MINUTE
    new = home.sessions.open(KEY)
    assert new.previous_id == old.id
    told = [e.event for e in home.database.read(lambda tx: events_since(tx, 0))]
    resets = [event for event in told if isinstance(event, SessionReset)]
    assert [(e.previous_id, e.reason) for e in resets] == [(old.id, "idle")]


def test_resume_finds_by_id_end_of_id_and_title(sessions: Sessions) -> None:
    """An archived session becomes active again."""
    session = sessions.create(title="Green  tea")
    sessions.create(title="Black tea")
    sessions.set_status(session.id, "archived")
    for name in (session.id, session.id[-8:], "green tea"):
        assert sessions.resume(name).id == session.id
    assert sessions.get(session.id).status == "active"


def test_an_unknown_name_gets_near_ones(sessions: Sessions) -> None:
    """By title or by id; without any, where to look."""
    session = sessions.create(title="Quarterly report")
    with pytest.raises(NotFound) as caught:
        sessions.resume("quartely report")
    assert session.id in caught.value.hint
    with pytest.raises(NotFound) as caught:
        sessions.resume("xyz")
    assert "recollect sessions" in caught.value.hint


def test_a_title_of_several_sessions_lists_their_ids(sessions: Sessions) -> None:
    """Nobody is asked to guess."""
    ids = {sessions.create(title="Tea").id, sessions.create(title="tea").id}
    with pytest.raises(Conflict) as caught:
        sessions.resume("TEA")
    assert set(caught.value.facts["ids"]) == ids  # type: ignore[call-overload]
    assert all(session_id in caught.value.hint for session_id in ids)


def test_a_deleted_session_is_not_resumed(sessions: Sessions) -> None:
    """It is hidden, its rows stay, and its status brings it back."""
    session = sessions.create(title="Old")
    _say(sessions, session.id, "still here")
    sessions.set_status(session.id, "deleted")
    assert sessions.list() == []
    with pytest.raises(Conflict):
        sessions.resume(session.id)
    assert [s.id for s in sessions.list(status="deleted")] == [session.id]
    sessions.set_status(session.id, "active")
    assert _texts(sessions, session.id) == ["still here"]


def test_a_scope_resumes_only_its_own(home: Home) -> None:
    """Not by title either, and no hint names what it may not see."""
    session = home.sessions.create(key=KEY, title="Diary")
    other = home.sessions_of(Scope(user="7"))
    for name in ("Diary", session.id):
        with pytest.raises(NotFound) as caught:
            other.resume(name)
        assert session.id not in caught.value.hint


def test_selectors_exclude_each_other_and_fork_goes_with_any(sessions: Sessions) -> None:
    """Two at once are an error, not a silent choice."""
    first = sessions.start(session_id="mine", project="/p")
    assert (first.id, first.project) == ("mine", "/p")
    _say(sessions, "mine", "one")
    assert sessions.start(session_id="mine").id == "mine"
    assert sessions.start(continue_latest=True, project="/p").id == "mine"
    assert sessions.start(resume="mine").id == "mine"
    fork = sessions.start(resume="mine", fork=True)
    assert fork.parent_id == "mine"
    assert sessions.start().id not in {"mine", fork.id}
    for wrong in ({"session_id": "a", "resume": "mine"}, {"resume": "a", "continue_latest": True}):
        with pytest.raises(InvalidInput):
            sessions.start(**wrong)
    with pytest.raises(InvalidInput):
        sessions.start(fork=True)
    with pytest.raises(InvalidInput):
        sessions.start(session_id="../up")


def test_latest_is_of_the_project_and_not_of_a_machine(home: Home) -> None:
    """Jobs and sub-agents do not push a person's session away, unless they are asked for."""
    mine = home.sessions.create(key=KEY, project="/p")
    home.clock.now += MINUTE
    job = home.sessions.create(key="agent:main:cron:nightly", project="/p")
    home.sessions.create(key="agent:main:subagent:7", project="/q")
    latest = home.sessions.latest("/p")
    assert latest is not None
    assert latest.id == mine.id
    with_jobs = home.sessions.latest("/p", automatic=True)
    assert with_jobs is not None
    assert with_jobs.id == job.id


def test_sessions_are_found_by_title_and_time(home: Home) -> None:
    """Half-open in time, whatever the case in the title."""
    first = home.sessions.create(title="Green tea")
    home.clock.now += MINUTE
    second = home.sessions.create(title="Black tea")
    assert {s.id for s in home.sessions.list(title="TEA")} == {first.id, second.id}
    assert [s.id for s in home.sessions.list(title="green")] == [first.id]
    assert [s.id for s in home.sessions.list(since=home.clock.now)] == [second.id]
    assert [s.id for s in home.sessions.list(until=home.clock.now)] == [first.id]


def test_the_second_program_is_refused_or_gets_a_fork(home: Home) -> None:
    """As it asks; the first one is not disturbed."""
    session = home.sessions.create(title="Report")
    with home.sessions.hold("Report") as held:
        held.append("user", "one")
        with pytest.raises(Conflict) as caught:
            home.sessions.hold(session.id)
        assert "free in 60 s" in caught.value.hint
        with home.sessions.hold(session.id, on_busy="fork") as other:
            other.append("user", "elsewhere")
            assert other.session.parent_id == session.id
        held.append("user", "two")
    assert _texts(home.sessions, session.id) == ["one", "two"]
    with home.sessions.hold(session.id) as again:
        assert again.lease.fence == 2


def test_a_program_that_was_away_too_long_writes_nothing(home: Home) -> None:
    """Its fence is old; whoever took over is not mixed with it."""
    session = home.sessions.create()
    slow = home.sessions.hold(session.id)
    home.clock.now += 61_000
    fast = home.sessions.hold(session.id)
    fast.append("user", "mine now")
    with pytest.raises(Conflict):
        slow.append("user", "too late")
    with pytest.raises(Conflict):
        slow.append_many([("user", "too late")])
    with pytest.raises(Conflict):
        slow.renew()
    slow.release()
    fast.append("user", "still mine")
    assert _texts(home.sessions, session.id) == ["mine now", "still mine"]


def test_each_message_is_a_sign_of_life(home: Home) -> None:
    """A lease that ran out is good while nobody else came."""
    session = home.sessions.create()
    held = home.sessions.hold(session.id)
    for _ in range(3):
        home.clock.now += 50_000
        held.append("user", "here")
    with pytest.raises(Conflict):
        home.sessions.hold(session.id)
    home.clock.now += 100_000
    held.renew()
    with pytest.raises(Conflict):
        home.sessions.hold(session.id)


def test_the_same_holder_may_come_again(home: Home) -> None:
    """A program that was restarted knows its name."""
    session = home.sessions.create()
    first = home.sessions.hold(session.id, holder="agent-7")
    second = home.sessions.hold(session.id, holder="agent-7")
    assert first.lease.fence == second.lease.fence
    told = [e.event for e in home.database.read(lambda tx: events_since(tx, 0))]
    assert [e.fence for e in told if isinstance(e, SessionResumed)] == [1, 1]
    with pytest.raises(InvalidInput):
        home.sessions.hold(session.id, on_busy="wait")


def test_the_tree_shows_forks_and_resets(home: Home) -> None:
    """From the oldest ancestor down, whichever session is asked for."""
    root = home.sessions.open(KEY)
    _say(home.sessions, root.id, "one")
    fork = home.sessions.fork(root.id)
    home.clock.now += MINUTE
    after = home.sessions.reset(KEY)
    for session_id in (root.id, fork.id, after.id):
        tree = home.sessions.lineage(session_id)
        assert (tree.session.id, tree.relation) == (root.id, "root")
        assert [(b.session.id, b.relation) for b in tree.branches] == [
            (fork.id, "fork"),
            (after.id, "reset"),
        ]
    told = [e.event for e in home.database.read(lambda tx: events_since(tx, 0))]
    forks = [event for event in told if isinstance(event, SessionForked)]
    assert [(event.parent_id, event.at_seq) for event in forks] == [(root.id, 1)]


def test_an_id_that_exists_is_not_given_twice(sessions: Sessions) -> None:
    """The first one keeps it."""
    sessions.create(session_id="mine", title="first")
    with pytest.raises(Conflict):
        sessions.create(session_id="mine")
    assert sessions.get("mine").title == "first"
