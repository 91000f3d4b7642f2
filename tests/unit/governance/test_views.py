"""The view of a session of which something was removed."""

from __future__ import annotations

from recollect.core.clock import DAY_MS
from tests.unit.governance.kept_home import KeptHome


def test_a_cut_session_shows_what_is_left(home: KeptHome) -> None:
    """Nothing counts as left out that is gone."""
    session = home.talk("long", 40)
    home.retention(max_messages=10).prune()
    view = home.sessions.view(session)
    assert [message.seq for message in view.messages] == list(range(31, 41))
    assert (view.summary, view.omitted) == (None, 0)


def test_the_last_summary_stays_in_the_view(home: KeptHome) -> None:
    """Those that it replaced go with the messages."""
    session = home.talk("long", 40)
    assert home.sessions.compact(session, keep_messages=20).outcome == "compacted"
    home.sessions.append_many(session, [("user", "later"), ("assistant", "yes")])
    assert home.sessions.compact(session, keep_messages=10).outcome == "compacted"
    home.retention(max_messages=4).prune()
    view = home.sessions.view(session)
    assert view.summary
    assert [message.seq for message in view.messages] == [39, 40, 41, 42]
    rows = home.records.read(lambda tx: tx.all("SELECT through_seq FROM compactions"))
    assert rows == [(view.through_seq,)]
    assert home.sessions.append(session, "user", "go on").seq == 43


def test_summaries_go_with_their_session(home: KeptHome) -> None:
    """Only the episode stays."""
    session = home.talk("long", 40, days_ago=9)
    home.sessions.compact(session, keep_messages=20)
    home.clock.now += DAY_MS
    assert home.retention(days=5).prune().session_ids == (session,)
    rows = home.records.read(lambda tx: tx.all("SELECT 1 FROM compactions"))
    assert rows == []
    home.mirror.flush()
    assert home.mirror.strays() == []
