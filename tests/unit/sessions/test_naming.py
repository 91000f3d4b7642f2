"""How people name a session."""

from __future__ import annotations

import pytest

from recollect.core.errors import Conflict, NotFound
from recollect.sessions.sessions import Sessions
from tests.unit.sessions.home import MINUTE, NOON, Home

KEY = "agent:main:telegram:acc:direct:42"


def test_a_session_answers_to_every_name(sessions: Sessions) -> None:
    """Id, end of the id, title in any case, key in any spelling."""
    made = sessions.create(key=KEY, title="Tea  Time")
    for name in (made.id, made.id[-6:], "tea time", KEY, "agent:Main:Telegram:acc:direct:42"):
        assert sessions.find(name) == made


def test_a_key_means_its_current_session(home: Home) -> None:
    """Those before it have ids."""
    first = home.sessions.open(KEY)
    home.clock.now = NOON + MINUTE
    second = home.sessions.reset(KEY)
    assert home.sessions.find(KEY).id == second.id
    home.sessions.set_status(second.id, "archived")
    assert home.sessions.find(KEY).id == second.id
    home.sessions.set_status(first.id, "active")
    assert home.sessions.find(KEY).id == first.id


def test_a_deleted_session_answers_to_its_id_alone(sessions: Sessions) -> None:
    """Its title and its key may be given again."""
    gone = sessions.create(key=KEY, title="Tea")
    sessions.set_status(gone.id, "deleted")
    assert sessions.find(gone.id).id == sessions.find(gone.id[-8:]).id == gone.id
    for name in ("Tea", KEY):
        with pytest.raises(NotFound):
            sessions.find(name)


def test_a_deleted_session_can_be_meant_by_its_other_names(sessions: Sessions) -> None:
    """Where that is asked for, and no existing session has that name."""
    gone = sessions.create(key=KEY, title="Tea")
    sessions.set_status(gone.id, "deleted")
    for name in ("tea", KEY):
        assert sessions.find(name, deleted=True).id == gone.id
    there = sessions.create(title="Tea")
    assert sessions.find("Tea", deleted=True).id == there.id


def test_a_title_of_several_is_refused(sessions: Sessions) -> None:
    """With all ids, of which the hint shows some."""
    ids = {sessions.create(title="Tea").id for _ in range(7)}
    with pytest.raises(Conflict, match="7 sessions") as caught:
        sessions.find("tea")
    assert {*caught.value.facts["ids"]} == ids  # type: ignore[misc]  # facts may be anything
    assert "and 2 more" in caught.value.hint


@pytest.mark.parametrize("name", ["", " ", "a::b", "x" * 600, "\x00", "0198"])
def test_what_can_be_no_name_is_not_found(sessions: Sessions, name: str) -> None:
    """Also where it cannot be a key."""
    sessions.create(title="Tea")
    with pytest.raises(NotFound):
        sessions.find(name)


def test_near_names_are_offered(sessions: Sessions) -> None:
    """A slip of the finger costs one look."""
    made = sessions.create(title="Delivery days")
    with pytest.raises(NotFound) as caught:
        sessions.find("delivry days")
    assert made.id in caught.value.hint
