"""A deleted session takes nothing in: what is said there would be found by nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.core.errors import Conflict
from recollect.sessions.sessions import Sessions
from tests.unit.exchange.test_importer import MAIN, claude, lines, said, texts, write
from tests.unit.sessions.home import Home

Use = Callable[[Sessions, str], object]

USES: dict[str, Use] = {
    "start": lambda sessions, id_: sessions.start(session_id=id_),
    "start, forked": lambda sessions, id_: sessions.start(session_id=id_, fork=True),
    "start, resumed": lambda sessions, id_: sessions.start(resume=id_),
    "resume": lambda sessions, id_: sessions.resume(id_),
    "append": lambda sessions, id_: sessions.append(id_, "user", "hello?"),
    "append_many": lambda sessions, id_: sessions.append_many(id_, [("user", "hello?")]),
    "append nothing": lambda sessions, id_: sessions.append_many(id_, []),
    "stream": lambda sessions, id_: sessions.stream(id_),
    "append_stream": lambda sessions, id_: sessions.append_stream(id_, ["hello?"]),
    "hold": lambda sessions, id_: sessions.hold(id_),
    "fork": lambda sessions, id_: sessions.fork(id_),
    "compact": lambda sessions, id_: sessions.compact(id_, keep_messages=0),
    "flush": lambda sessions, id_: sessions.flush(id_),
    "keep_within_window": lambda sessions, id_: sessions.keep_within_window(id_),
}


@pytest.fixture
def deleted(sessions: Sessions) -> str:
    """The id of a deleted session with two messages."""
    session = sessions.create()
    sessions.append_many(session.id, [("user", "tea?"), ("assistant", "tea.")])
    return sessions.set_status(session.id, "deleted").id


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_what_would_go_on_with_a_deleted_session_is_refused(
    sessions: Sessions, deleted: str, use: Use
) -> None:
    """The hint says how it comes back; nothing is stored, and then it works."""
    with pytest.raises(Conflict, match="the session was deleted") as refused:
        use(sessions, deleted)
    assert f"recollect sessions restore {deleted}" in refused.value.hint
    assert [message.text for message in sessions.messages(deleted)] == ["tea?", "tea."]
    assert sessions.list() == []
    sessions.set_status(deleted, "active")
    use(sessions, deleted)


def test_who_holds_a_session_that_is_deleted_writes_no_more(sessions: Sessions) -> None:
    """A lease is no right to be lost."""
    session = sessions.create()
    with sessions.hold(session.id) as held:
        held.append("user", "tea?")
        held.set_status("deleted")
        for use in (lambda: held.append("user", "hello?"), held.renew):
            with pytest.raises(Conflict, match="deleted"):
                use()
    assert [message.text for message in sessions.messages(session.id)] == ["tea?"]


def test_a_stream_whose_session_is_deleted_says_so_at_its_end(sessions: Sessions) -> None:
    """What was stored before stays."""
    session = sessions.create()
    reply = sessions.stream(session.id)
    reply.add("first\n")
    reply.flush()
    sessions.set_status(session.id, "deleted")
    reply.add("second\n")
    with pytest.raises(Conflict, match="deleted"):
        reply.finish()
    assert [message.text for message in sessions.messages(session.id)] == ["first\n"]


def test_an_import_leaves_out_what_belongs_to_a_deleted_session_and_says_so(
    home: Home, tmp_path: Path
) -> None:
    """It is counted, the file is not read for nothing, and a restored session gets all of it."""
    path = write(tmp_path / "talk.jsonl", lines(said("one")))
    home.importer().run(path)
    (session,) = home.sessions.list()
    home.sessions.set_status(session.id, "deleted")
    path.write_bytes(path.read_bytes() + lines(said("two"), said("three")))
    report = home.importer().run(path)
    assert (report.deleted, report.messages, report.unchanged) == (2, 0, 0)
    assert texts(home, session) == ["one"]
    again = home.importer().run(path)
    assert (again.deleted, again.messages, again.unchanged) == (0, 0, 1)
    home.sessions.set_status(session.id, "active")
    report = home.importer().run(path)
    assert (report.deleted, report.messages) == (0, 2)
    assert texts(home, session) == ["one", "two", "three"]
    assert home.importer().run(path).unchanged == 1


def test_other_sessions_of_the_same_file_are_imported(home: Home, tmp_path: Path) -> None:
    """One that was deleted stops nobody else."""
    other = MAIN.replace("5b1f", "6c2a")
    path = write(tmp_path / "chat.jsonl", lines(claude("u1", "one")))
    home.importer().run(path)
    (session,) = home.sessions.list()
    home.sessions.set_status(session.id, "deleted")
    path.write_bytes(
        path.read_bytes() + lines(claude("u2", "two"), claude("u3", "three", sessionId=other))
    )
    report = home.importer().run(path)
    assert (report.deleted, report.sessions, report.messages) == (1, 1, 1)
    assert home.importer().run(path).unchanged == 1
    home.sessions.set_status(session.id, "archived")
    report = home.importer().run(path)
    assert (report.deleted, report.messages, report.duplicates) == (0, 1, 1)
    assert texts(home, session) == ["one", "two"]
