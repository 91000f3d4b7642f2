"""What callers should not pass: an error of ours each time, and nothing changed."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.core.errors import InvalidInput, NotFound, RecollectError, StoreCorrupt
from recollect.sessions.record import lineage
from recollect.sessions.sessions import Sessions
from tests.unit.sessions.home import Home

KEY = "agent:main:telegram:acc:direct:42"


@pytest.mark.parametrize("number", [-1, True, 1.5, "x", 10**30])
def test_a_number_that_cannot_be_one_is_refused(sessions: Sessions, number: Any) -> None:
    """Whole numbers from 0 that a database can hold; other things may come from JSON."""
    session = sessions.create()
    sessions.append(session.id, "user", "one")
    calls = (
        lambda: sessions.messages(session.id, number),
        lambda: sessions.messages(session.id, after_seq=number),
        lambda: sessions.messages(session.id, before_seq=number),
        lambda: sessions.list(limit=number),
        lambda: sessions.fork(session.id, at_seq=number),
        lambda: sessions.view(session.id, number),
        lambda: sessions.compact(session.id, keep_messages=number),
    )
    for call in calls:
        with pytest.raises(InvalidInput):
            call()
    assert len(sessions.list()) == 1


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", "", "x" * 65, "\x00", 5])
def test_an_id_like_a_path_is_refused(sessions: Sessions, name: Any) -> None:
    """It is neither made nor found, whatever is asked for."""
    with pytest.raises(InvalidInput):
        sessions.create(session_id=name)
    for call in (sessions.resume, sessions.get, sessions.fork, sessions.lineage, sessions.view):
        with pytest.raises((InvalidInput, NotFound)):
            call(name)


def test_a_reset_without_a_key_ends_no_session(sessions: Sessions) -> None:
    """Not even the one that was used last."""
    session = sessions.open(KEY)
    missing: Any = None
    with pytest.raises(InvalidInput):
        sessions.reset(missing)
    assert sessions.get(session.id).status == "active"


@pytest.mark.parametrize("column", ["parent_id", "previous_id"])
def test_a_visibility_group_of_sessions_is_an_error_and_no_endless_loop(
    home: Home, column: str
) -> None:
    """Only a damaged database holds one."""
    first, second = home.sessions.open(KEY), home.sessions.reset(KEY)
    home.sessions.append(first.id, "user", "one")
    ends = ((first.id, second.id), (second.id, first.id))
    for one, other in ends:
        home.database.write(
            lambda tx, one=one, other=other: tx.execute(  # type: ignore[misc]  # bound at once
                "UPDATE sessions SET parent_id = ?, forked_at_seq = 1 WHERE id = ?"
                if column == "parent_id"
                else "UPDATE sessions SET previous_id = ? WHERE id = ?",
                (other, one),
            )
        )
    with pytest.raises(StoreCorrupt):
        home.sessions.lineage(first.id)
    if column == "parent_id":
        for call in (home.sessions.messages, home.sessions.view, home.sessions.tool_calls):
            with pytest.raises(RecollectError):
                call(first.id)


@pytest.mark.slow
def test_a_very_long_chain_of_forks_reads_as_any_other(home: Home) -> None:
    """More than a program may call itself, and still gap-free."""
    tip = home.sessions.create().id
    home.sessions.append(tip, "user", "first")
    for _ in range(1_050):
        tip = home.sessions.fork(tip).id
    home.sessions.append(tip, "user", "last")
    assert [m.seq for m in home.sessions.messages(tip)] == [1, 2]
    assert [m.text for m in home.sessions.view(tip).messages] == ["first", "last"]
    assert home.sessions.lineage(tip).relation == "root"


def test_a_fork_that_nobody_could_read_is_refused(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there can still be read, and be forked nearer to its root."""
    monkeypatch.setattr(lineage, "MAX_DEPTH", 4)
    tips = [sessions.create().id]
    sessions.append(tips[0], "user", "first")
    for _ in range(3):
        tips.append(sessions.fork(tips[-1]).id)
    with pytest.raises(InvalidInput, match="forks of forks"):
        sessions.fork(tips[-1])
    assert [message.text for message in sessions.messages(tips[-1])] == ["first"]
    assert sessions.fork(tips[-2]).forked_at_seq == 1
