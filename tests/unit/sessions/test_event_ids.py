"""Event ids: the same one twice is one message of its conversation, and never hides another's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.core.errors import Denied, InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.core.settings.sessions import FreshnessSettings
from recollect.sessions.sessions import Sessions
from tests.unit.sessions.home import MINUTE, Home

PRIVATE = "agent:main:telegram:direct:42"
GROUP = "agent:main:telegram:group:-7"


def said(sessions: Sessions, session_id: str) -> list[str]:
    """Return the texts of a transcript."""
    return [message.text for message in sessions.messages(session_id)]


def test_a_group_may_use_the_event_id_of_a_private_message(sessions: Sessions) -> None:
    """docs/sessions.md: the message of the group was lost, and the private one was returned."""
    private, group = sessions.open(PRIVATE), sessions.open(GROUP)
    sessions.append(private.id, "user", "my secret", event_id="900")
    stored = sessions.append(group.id, "user", "hello all", event_id="900")
    assert (stored.text, stored.session_id) == ("hello all", group.id)
    assert (said(sessions, private.id), said(sessions, group.id)) == (["my secret"], ["hello all"])


def test_two_sessions_may_count_their_messages_alike(sessions: Sessions) -> None:
    """Design 4: unique within its session; in one call too."""
    items = [{"role": "user", "content": f"{n}", "event_id": f"{n % 2}"} for n in range(4)]
    first, second = sessions.create(), sessions.create()
    for session in (first, second):
        assert [m.seq for m in sessions.append_many(session.id, items)] == [1, 2, 1, 2]
        assert said(sessions, session.id) == ["0", "1"]


def test_a_fork_knows_what_it_shares(sessions: Sessions) -> None:
    """Design 4: also forks of forks; a retry stores nothing and returns the shared message."""
    parent = sessions.create()
    shared = sessions.append(parent.id, "user", "shared", event_id="1")
    fork = sessions.fork(parent.id)
    own = sessions.append(fork.id, "user", "of the fork", event_id="2")
    deeper = sessions.fork(fork.id)
    assert sessions.append(fork.id, "user", "again", event_id="1") == shared
    assert sessions.append(deeper.id, "user", "again", event_id="1") == shared
    assert sessions.append(deeper.id, "user", "again", event_id="2") == own
    assert said(sessions, deeper.id) == ["shared", "of the fork"]


def test_a_fork_stores_what_it_does_not_share(sessions: Sessions) -> None:
    """What was said behind the branch, in the parent or in another fork, is not the fork's."""
    parent = sessions.create()
    sessions.append(parent.id, "user", "shared", event_id="1")
    fork, sibling = sessions.fork(parent.id), sessions.fork(parent.id)
    deeper = sessions.fork(fork.id, 0)
    sessions.append(parent.id, "user", "of the parent", event_id="2")
    for session, text in ((fork, "of the fork"), (sibling, "of the sibling")):
        assert sessions.append(session.id, "user", text, event_id="2").text == text
    assert sessions.append(deeper.id, "user", "another start", event_id="1").seq == 1
    assert said(sessions, fork.id) == ["shared", "of the fork"]
    assert said(sessions, parent.id) == ["shared", "of the parent"]


def test_a_retry_after_a_reset_finds_the_first_message(sessions: Sessions) -> None:
    """Design 4: through all sessions that the key had before, not through the later ones."""
    first = sessions.append(sessions.open(PRIVATE).id, "user", "hello", event_id="1")
    second = sessions.reset(PRIVATE)
    assert sessions.append(second.id, "user", "again", event_id="1") == first
    later = sessions.append(second.id, "user", "more", event_id="2")
    third = sessions.reset(PRIVATE)
    assert sessions.append(third.id, "user", "again", event_id="1") == first
    assert sessions.append(third.id, "user", "again", event_id="2") == later
    assert said(sessions, third.id) == []
    assert sessions.append(first.session_id, "user", "new there", event_id="2").seq == 2


def test_a_retry_after_the_session_went_stale_finds_the_first_message(home: Home) -> None:
    """The next message under a key begins a session; a retry of the last one is no next message."""
    fresh = SessionSettings(fresh=FreshnessSettings(mode="idle", idle_minutes=60))
    sessions = home.sessions_of(Scope(), fresh)
    first = sessions.append(sessions.open(PRIVATE).id, "user", "hello", event_id="1")
    home.clock.now += 61 * MINUTE
    follower = sessions.open(PRIVATE)
    assert follower.previous_id == first.session_id
    assert sessions.append(follower.id, "user", "again", event_id="1") == first


def test_a_session_beside_another_of_its_key_does_not_share_its_ids(sessions: Sessions) -> None:
    """It follows nothing: a program that makes a session for each talk counts from 1 in each."""
    for text in ("one", "two"):
        session = sessions.create(PRIVATE)
        assert sessions.append(session.id, "user", text, event_id="1").text == text


def test_a_predecessor_of_somebody_else_is_not_asked(home: Home) -> None:
    """The operator's session under a key may follow one of a person: two visibility groups."""
    ana = home.sessions_of(Scope(user="ana"))
    ana.append(ana.open("agent:main:main").id, "user", "secret", event_id="1")
    follower = home.sessions.reset("agent:main:main")
    assert follower.previous_id is not None
    assert home.sessions.append(follower.id, "user", "mine", event_id="1").text == "mine"
    again = home.sessions.append(
        home.sessions.reset("agent:main:main").id, "user", "x", event_id="1"
    )
    assert again.text == "mine"


def test_tenants_users_and_agents_share_no_ids(home: Home) -> None:
    """Where it was refused before, it is stored; a stranger's message is never returned."""
    scopes = (Scope(user="ana"), Scope(user="ben"), Scope(agent="x"), Scope(tenant="other"))
    for scope in scopes:
        sessions = home.sessions_of(scope)
        message = sessions.append(sessions.create().id, "user", repr(scope), event_id="1")
        assert message.text == repr(scope)


def test_who_may_see_one_session_is_shown_what_stands_in_it(home: Home) -> None:
    """Shared messages stand in a fork; those before a reset do not, and are not stored again."""
    shared = home.sessions.append(home.sessions.open(PRIVATE).id, "user", "shared", event_id="1")
    fork, follower = home.sessions.fork(shared.session_id), home.sessions.reset(PRIVATE)
    assert home.sessions_of(Scope(session=fork.id)).append(
        fork.id, "user", "again", event_id="1"
    ) == (shared)
    with pytest.raises(Denied):
        home.sessions_of(Scope(session=follower.id)).append(
            follower.id, "user", "again", event_id="1"
        )
    assert said(home.sessions, follower.id) == []


def test_a_retried_tool_call_is_one_row(sessions: Sessions) -> None:
    """In a fork and after a reset; in another session the same call id is another call."""
    call = [{"type": "tool_use", "id": "c1", "name": "Read"}]
    first = sessions.append(sessions.open(PRIVATE).id, "assistant", call, event_id="1")
    fork, follower = sessions.fork(first.session_id), sessions.reset(PRIVATE)
    for session in (fork, follower):
        assert sessions.append(session.id, "assistant", call, event_id="1") == first
    assert [c.message_id for c in sessions.tool_calls(fork.id)] == [first.id]
    assert sessions.tool_calls(follower.id) == ()
    group = sessions.open(GROUP)
    own = sessions.append(group.id, "assistant", call, event_id="1")
    assert [c.message_id for c in sessions.tool_calls(group.id)] == [own.id]


def test_a_finished_stream_is_not_repeated(sessions: Sessions) -> None:
    """In a fork and after a reset; elsewhere it is another message."""
    first = sessions.append_stream(sessions.open(PRIVATE).id, ["an ", "answer"], event_id="1")
    fork, follower = sessions.fork(first.session_id), sessions.reset(PRIVATE)
    for session in (fork, follower):
        assert sessions.append_stream(session.id, ["other"], event_id="1") == first
    elsewhere = sessions.append_stream(sessions.open(GROUP).id, ["other"], event_id="1")
    assert elsewhere.text == "other"


def test_an_unfinished_stream_is_finished_where_it_began(home: Home) -> None:
    """After a reset too: one row, sound, with its tools and its cost in its own session."""
    session = home.sessions.open(PRIVATE)
    with pytest.raises(InvalidInput):
        home.sessions.append_stream(session.id, iter(["a line\n", 42]), event_id="1")  # type: ignore[arg-type]  # 42
    follower = home.sessions.reset(PRIVATE)
    with home.sessions.stream(follower.id, event_id="1") as reply:
        reply.add("a line\nand ")
        reply.flush()
        reply.add({"type": "tool_use", "id": "c1", "name": "Read"})
        reply.finish(usage={"output": 5})
    assert reply.message is not None
    assert (reply.message.session_id, reply.message.seq) == (session.id, 1)
    assert home.sessions.message(reply.message.id) == reply.message
    assert said(home.sessions, follower.id) == []
    (call,) = home.sessions.tool_calls(session.id)
    assert (call.call_id, call.message_id) == ("c1", reply.message.id)
    assert home.sessions.get(session.id).output_tokens == 5


def test_an_import_and_a_program_may_use_the_same_id(home: Home, tmp_path: Path) -> None:
    """What a program called its message is no reason to leave a line of a transcript out."""
    taken = home.sessions.append(home.sessions.create().id, "user", "x", event_id="jsonl:a:1")
    path = tmp_path / "talk.jsonl"
    line = {"role": "user", "content": "from the file", "id": "1", "session": "a"}
    path.write_text(json.dumps(line) + "\n", "utf-8")
    for stored in (1, 0):
        assert home.importer().run(path).messages == stored
        path.touch()
    (imported,) = [each for each in home.sessions.list() if each.id != taken.session_id]
    assert said(home.sessions, imported.id) == ["from the file"]
