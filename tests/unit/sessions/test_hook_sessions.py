"""Sessions of hooks: from the start that a client tells to its end, however long that takes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.core.errors import InvalidInput
from recollect.core.events import SessionChanged, SessionResumed
from recollect.core.settings import SessionSettings
from recollect.sessions.lifecycle import Hooked, Moment
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.sessions import Sessions
from recollect.store.journal import events_since
from tests.unit.sessions.home import MINUTE, NOON, Home

KEY = "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01"
YEAR = 365 * 24 * 60 * MINUTE


def test_a_hook_session_has_no_freshness(home: Home, sessions: Sessions) -> None:
    """docs/sessions.md: it lasts from start to end; `open` would have begun another one."""
    begun = sessions.hooked(KEY, "/srv/tea", "start")
    home.clock.now += YEAR
    again = sessions.hooked(KEY, "/srv/tea", "during")
    assert begun.became == "began"
    assert again == Hooked(session=begun.session, became="continued")
    assert sessions.open(KEY, "/srv/tea").id != begun.session.id


@pytest.mark.parametrize("moment", ["start", "resume", "during", "end"])
def test_any_hook_creates_its_session(sessions: Sessions, moment: Moment) -> None:
    """docs/sessions.md: a start that was lost loses nothing else."""
    made = sessions.hooked(KEY, "/srv/tea", moment)
    assert made.became == "began"
    assert (made.session.key, made.session.project) == (KEY, "/srv/tea")


def test_the_end_is_kept_and_a_start_begins_another_one(home: Home, sessions: Sessions) -> None:
    """docs/sessions.md: from start to end."""
    first = sessions.hooked(KEY, None, "start").session
    home.clock.now += MINUTE
    ended = sessions.set_status(first.id, "archived")
    assert ended.ended_at == sessions.get(first.id).ended_at == NOON + MINUTE
    second = sessions.hooked(KEY, None, "start")
    assert second.became == "began"
    assert second.session.id != first.id
    assert sessions.get(first.id).status == "archived"


def test_a_resume_opens_it_again(home: Home, sessions: Sessions) -> None:
    """docs/sessions.md; and only where it had ended is something written."""
    first = sessions.hooked(KEY, None, "start").session
    sessions.set_status(first.id, "archived")
    resumed = sessions.hooked(KEY, None, "resume")
    assert resumed.became == "resumed"
    assert (resumed.session.id, resumed.session.status) == (first.id, "active")
    assert resumed.session.ended_at is sessions.get(first.id).ended_at is None
    assert sessions.hooked(KEY, None, "resume").became == "continued"
    events = [each.event for each in home.database.read(lambda tx: events_since(tx, 0))]
    told = [type(event) for event in events if isinstance(event, SessionChanged | SessionResumed)]
    assert told == [SessionChanged, SessionChanged, SessionResumed]


def test_what_happened_before_the_end_belongs_to_what_ended(home: Home, sessions: Sessions) -> None:
    """A hook that comes late must not begin a session of its own, nor end one twice."""
    first = sessions.hooked(KEY, None, "start").session
    home.clock.now += MINUTE
    ended = sessions.set_status(first.id, "archived")
    late = sessions.hooked(KEY, None, "during", at=NOON)
    assert late == sessions.hooked(KEY, None, "end") == Hooked(session=ended, became="over")
    home.clock.now += MINUTE
    assert sessions.hooked(KEY, None, "during").became == "began"


def test_two_projects_under_one_key_have_a_session_each(sessions: Sessions) -> None:
    """A key such as ``main`` says nothing about the folder; a `cd` begins no session."""
    tea = sessions.hooked("main", "/srv/tea", "start").session
    shop = sessions.hooked("main", "/srv/shop", "start").session
    assert tea.id != shop.id
    assert sessions.hooked("main", "/srv/tea", "during").session.id == tea.id
    assert sessions.hooked("main", "/srv/tea/leaves", "during").session.id in {tea.id, shop.id}


def test_a_deleted_session_is_passed_over(sessions: Sessions) -> None:
    """As by every other way that names a key."""
    first = sessions.hooked(KEY, None, "start").session
    sessions.set_status(first.id, "deleted")
    for moment in ("resume", "during"):
        assert sessions.hooked(KEY, None, moment).session.id != first.id


def test_hooks_at_the_same_time_share_one_session(home: Home, sessions: Sessions) -> None:
    """Tools run side by side; each of their hooks may be the first."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: sessions.hooked(KEY, None, "during"), range(40)))
    assert len({each.session.id for each in found}) == 1
    assert sum(each.became == "began" for each in found) == 1


def test_an_unknown_moment_is_refused(sessions: Sessions) -> None:
    """There are four."""
    with pytest.raises(InvalidInput, match="moment"):
        sessions.hooked(KEY, None, "afterwards")  # type: ignore[arg-type]


def test_a_hook_of_a_session_that_goes_on_wakes_nothing(home: Home) -> None:
    """What looks for transcripts when a session starts would do so for each use of a tool."""
    opened: list[str] = []
    access = SessionAccess(
        database=home.database,
        clock=home.clock,
        ids=home.ids,
        settings=SessionSettings(),
        drafts=DraftMaker(home.clock, home.ids, None),
    )
    sessions = Sessions(access, opened=lambda: opened.append("opened"))
    sessions.hooked("k")
    sessions.hooked("k")
    sessions.hooked("k", moment="end")
    assert opened == ["opened"]
    sessions.hooked("k", moment="start")
    assert opened == ["opened", "opened"]
