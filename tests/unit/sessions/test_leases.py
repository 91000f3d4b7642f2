"""Leases: while one program holds a session, no other changes what is in its view."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.core.errors import Conflict
from recollect.sessions.leased_session import LeasedSession
from recollect.sessions.sessions import Sessions
from tests.unit.sessions.home import MINUTE, NOON, Home

CHANGES: dict[str, Callable[[Sessions, str], object]] = {
    "compact": lambda sessions, id_: sessions.compact(id_, keep_messages=0),
    "rename": lambda sessions, id_: sessions.rename(id_, "other"),
    "set_status": lambda sessions, id_: sessions.set_status(id_, "deleted"),
    "set_mode": lambda sessions, id_: sessions.set_mode(id_, "queue"),
    "set_overrides": lambda sessions, id_: sessions.set_overrides(id_, {"model": "openai:o4"}),
    "reset": lambda sessions, _: sessions.reset("agent:main:main"),
}


def said(sessions: Sessions) -> str:
    """Return a session with two messages."""
    session_id = sessions.create(key="agent:main:main").id
    sessions.append_many(session_id, [("user", "Hello."), ("assistant", "Hi.")])
    return session_id


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_held_is_not_changed_by_another_program(home: Home, change: str) -> None:
    """The refusal says until when; after that it is free, and after the release at once."""
    sessions, session_id = home.sessions, said(home.sessions)
    before = sessions.get(session_id)
    with sessions.hold(session_id):
        with pytest.raises(Conflict) as caught:
            CHANGES[change](sessions, session_id)
        facts = caught.value.facts
        assert (facts["expires_at"], facts["free_in_s"]) == (NOON + MINUTE, 60)
        assert caught.value.hint
        assert (sessions.get(session_id), sessions.compactions(session_id)) == (before, [])
    CHANGES[change](sessions, session_id)


def test_the_holder_may_change_it(home: Home) -> None:
    """Through its handle, or with its lease."""
    sessions, session_id = home.sessions, said(home.sessions)
    with sessions.hold(session_id) as held:
        assert held.compact(keep_messages=0).outcome == "compacted"
        assert held.keep_within_window().outcome == "not_due"
        assert held.rename("ours").title == "ours"
        assert held.set_mode("queue").mode == "queue"
        assert held.set_overrides({"thinking": "low"}).overrides == {"thinking": "low"}
        held.append_stream(["Good ", "day."])
        assert sessions.rename(session_id, "mine", lease=held.lease).title == "mine"
        assert held.set_status("archived").status == "archived"
        with pytest.raises(Conflict):
            sessions.resume(session_id)
    assert sessions.resume(session_id).status == "active"


def test_a_summary_is_not_even_asked_for_while_another_program_holds_it(home: Home) -> None:
    """It may cost money; a full view is refused too, and one with room is nothing to refuse."""
    sessions, session_id = home.sessions, said(home.sessions)
    with sessions.hold(session_id):
        assert sessions.keep_within_window(session_id).outcome == "not_due"
        with pytest.raises(Conflict):
            sessions.keep_within_window(session_id, 10_000_000)


def test_who_has_given_a_session_back_does_not_take_it_again(home: Home) -> None:
    """Neither by a message nor by a sign of life, nor after another holder came and went."""
    sessions, session_id = home.sessions, said(home.sessions)
    held = sessions.hold(session_id)
    held.release()
    for attempt in (lambda: held.append("user", "late"), held.renew, lambda: held.rename("late")):
        with pytest.raises(Conflict, match="released"):
            attempt()
    assert sessions.lease(session_id) is None
    assert sessions.get(session_id).last_seq == 2
    with sessions.hold(session_id):
        pass
    with pytest.raises(Conflict):
        held.append("user", "late")


@pytest.mark.parametrize("is_exclusive", [False, True])
@pytest.mark.parametrize("mode", ["main", "queue"])
def test_others_append_unless_they_would_disturb(home: Home, mode: str, is_exclusive: bool) -> None:
    """In a queue, and where the holder asked for it alone; the holder's own go on."""
    sessions, session_id = home.sessions, said(home.sessions)
    sessions.set_mode(session_id, mode)
    with sessions.hold(session_id, exclusive=is_exclusive) as held:
        held.append("user", "ours")
        stream = sessions.stream(session_id)
        if mode == "queue" or is_exclusive:
            for attempt in (
                lambda: sessions.append(session_id, "user", "theirs"),
                lambda: sessions.append_many(session_id, [("user", "theirs")]),
                lambda: finished(stream),
            ):
                with pytest.raises(Conflict) as caught:
                    attempt()
                assert caught.value.facts["expires_at"] == NOON + MINUTE
            assert sessions.get(session_id).last_seq == 3
        else:
            sessions.append(session_id, "user", "theirs")
            finished(stream)
            assert sessions.get(session_id).last_seq == 5
        held.append("user", "ours too")
    sessions.append(session_id, "user", "theirs")


def finished(stream: object) -> None:
    """Let a stream say something and end."""
    stream.add("streamed")  # type: ignore[attr-defined]
    stream.finish()  # type: ignore[attr-defined]


def test_importers_append_to_what_is_held(home: Home, tmp_path: object) -> None:
    """What was said elsewhere was said."""
    from pathlib import Path

    path = Path(str(tmp_path)) / "said.jsonl"
    line = '{"role": "user", "content": "one"}\n'
    path.write_text(line)
    home.importer().run(path, "jsonl")
    (session,) = home.sessions.list()
    with home.sessions.hold(session.id, exclusive=True):
        path.write_text(line + line.replace("one", "two"))
        assert home.importer().run(path, "jsonl").messages == 1


def test_a_lease_that_ran_out_keeps_nobody_out(home: Home) -> None:
    """And stays exclusive when it is renewed."""
    sessions, session_id = home.sessions, said(home.sessions)
    held = sessions.hold(session_id, exclusive=True)
    home.clock.now += 2 * MINUTE
    sessions.append(session_id, "user", "theirs")
    held.renew()
    with pytest.raises(Conflict):
        sessions.append(session_id, "user", "theirs")
    assert isinstance(held, LeasedSession)
