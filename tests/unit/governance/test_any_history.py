"""After any history and with any caps: what is above them is gone, and nothing else is."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.clock import DAY_MS
from recollect.governance.plan import PruneReport
from recollect.governance.selection import Selection
from recollect.sessions.mirror.mirror_file import MirrorState
from recollect.sessions.record.session import Session
from recollect.store.columns import text
from tests.unit.governance.kept_home import KeptHome

ITEMS = st.sampled_from(["user", "assistant", "call", "result"])
TALK = st.tuples(st.lists(ITEMS, max_size=9), st.integers(0, 6))
"""What is said, and how many days ago."""
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("new"), TALK),
        st.tuples(st.just("fork"), TALK, st.integers(0, 9), st.integers(0, 20)),
        st.tuples(st.just("more"), TALK, st.integers(0, 9)),
        st.tuples(st.just("prune"), st.integers(0, 3)),
    ),
    min_size=2,
    max_size=12,
)
CAPS = st.fixed_dictionaries(
    {
        "max_sessions": st.integers(0, 3),
        "max_messages": st.integers(0, 5),
        "days": st.integers(0, 4),
    }
)


class History:
    """A home in which things happen."""

    def __init__(self, home: KeptHome) -> None:
        self.home = home
        self.words = 0

    def take(self, step: tuple[Any, ...]) -> None:
        """Let one thing happen."""
        sessions = self.home.sessions
        known = sessions.list()
        if step[0] == "new":
            self.say(sessions.create().id, step[1])
        elif step[0] == "prune":
            self.home.retention(max_messages=step[1]).prune()
        elif known:
            session = known[step[2] % len(known)]
            if step[0] == "fork":
                low, high = session.pruned_seq, session.last_seq
                session = sessions.fork(session.id, low + step[3] % (high - low + 1))
            self.say(session.id, step[1])

    def say(self, session_id: str, talk: tuple[list[str], int]) -> None:
        """Store what is said, each message with a word of its own."""
        said, days = talk
        at = self.home.clock.now - days * DAY_MS
        items = []
        for what in said:
            self.words += 1
            items.append({"role": "user", "content": self.content(what), "at": at})
            if what in {"assistant", "call"}:
                items[-1]["role"] = "assistant"
        self.home.sessions.append_many(session_id, items)

    def content(self, what: str) -> Any:
        """Return a message; calls and results join those of the same id, near or far."""
        word, call = f"word{self.words}", f"c{self.words % 3}"
        if what == "call":
            return [{"type": "tool_use", "id": call, "name": word, "input": {}}]
        if what == "result":
            return [{"type": "tool_result", "tool_use_id": call, "content": word}]
        return word


def views(home: KeptHome) -> dict[str, list[str]]:
    """Return what each session shows, as ids of messages."""
    return {s.id: [m.id for m in home.sessions.messages(s.id)] for s in home.sessions.list()}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(STEPS, CAPS)
def test_only_what_is_above_a_cap_goes(steps: list[tuple[Any, ...]], caps: dict[str, int]) -> None:
    """Pairs stay whole, forks stay readable; search, mirrors and counters agree."""
    with tempfile.TemporaryDirectory() as folder:
        home = KeptHome(Path(folder) / "home")
        try:
            history = History(home)
            for step in steps:
                history.take(step)
            check(home, caps)
        finally:
            home.close()


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(STEPS, st.integers(0, 9))
def test_only_what_is_erased_goes(steps: list[tuple[Any, ...]], which: int) -> None:
    """A session with the forks that read it; all others show what they did before."""
    with tempfile.TemporaryDirectory() as folder:
        home = KeptHome(Path(folder) / "home")
        try:
            history = History(home)
            for step in steps:
                history.take(step)
            known, before = home.sessions.list(), views(home)
            if known:
                chosen = known[which % len(known)].id
                wanted = Selection(session_id=chosen, with_forks=True)
                dry = home.eraser().preview(wanted)
                receipt = home.eraser().erase(wanted)
                assert msgspec.structs.replace(receipt, id=None, dry_run=True) == dry
                gone = set(receipt.session_ids)
                assert receipt.is_clean
                assert views(home) == {id_: v for id_, v in before.items() if id_ not in gone}
                check_rows(home, views(home))
        finally:
            home.close()


def check(home: KeptHome, caps: dict[str, int]) -> None:
    """Prune, and compare before with after."""
    order, before = home.sessions.list(), views(home)
    dry = home.retention(**caps).preview()
    assert views(home) == before
    report = home.retention(**caps).prune()
    assert msgspec.structs.replace(dry, dry_run=False) == report
    after = views(home)
    assert set(report.session_ids) == set(before) - set(after)
    for id_, view in after.items():
        assert view == before[id_][len(before[id_]) - len(view) :]
        assert view == before[id_] or id_ in report.cut_ids
    check_caps(home, caps, order, report)
    check_rows(home, after)
    assert home.retention(**caps).prune().messages == 0


def check_caps(
    home: KeptHome, caps: dict[str, int], order: list[Session], report: PruneReport
) -> None:
    """What is above a cap is gone, or a fork or a pair needs it."""
    left = {session.id: session for session in home.sessions.list()}
    oldest = home.clock.now - caps["days"] * DAY_MS
    for position, session in enumerate(order):
        is_above = caps["max_sessions"] and position >= caps["max_sessions"]
        is_old = caps["days"] and session.updated_at < oldest
        assert bool(is_above or is_old) == (session.id not in left) or (
            session.id in report.kept_for_forks
        )
    for session in left.values():
        if caps["max_messages"] and session.message_count > caps["max_messages"]:
            assert session.id in report.kept_for_forks or home.sessions.tool_calls(session.id)


def check_rows(home: KeptHome, after: dict[str, list[str]]) -> None:
    """Rows, counters, index and mirrors tell of the same messages."""
    assert home.index.catch_up()
    home.mirror.flush()
    shown = {id_ for view in after.values() for id_ in view}
    assert column(home.records, "SELECT id FROM messages") == shown
    documents = "SELECT ref FROM documents WHERE source "
    assert column(home.index_database, f"{documents} = 'sessions'") == shown
    episodes = column(home.records, "SELECT id FROM episodes")
    assert column(home.index_database, f"{documents} = 'episodes'") <= episodes
    counted = home.records.read(
        lambda tx: tx.all(
            "SELECT s.id FROM sessions s WHERE message_count <>"
            " (SELECT count(*) FROM messages m WHERE m.session_id = s.id)"
        )
    )
    assert counted == []
    said = home.records.read(lambda tx: tx.all("SELECT message_id, result_id FROM tool_calls"))
    assert {id_ for pair in said for id_ in pair if id_ is not None} <= shown
    written = [session.id for session in home.sessions.list() if session.message_count]
    assert {home.mirror.state(id_) for id_ in written} <= {MirrorState.EQUAL}
    assert home.mirror.strays() == []


def column(database: Any, sql: str) -> set[str]:
    """Return the texts of one column."""
    return {text(value) for (value,) in database.read(lambda tx: tx.all(sql))}
