"""Rewinds of a conversation: what was taken out is nowhere, and all of it comes back on undo.

A twin home that never had the turns says what a home must say after a rewind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, InvalidInput, NotFound, RewindConflict
from recollect.memory import Memory
from tests.unit.sessions.home import HandClock

SETTINGS = {"embedding.provider": "none"}
KEPT = (
    ("user", "My editor is Helix. We build the boat shed in Tromsø."),
    ("assistant", "I noted the plan of the shed and the pine boards."),
)
TAKEN = (
    ("user", "My editor is Kakoune now. I always want short answers about zeppelins."),
    ("assistant", "Understood. The zeppelin needs helium from Odessa."),
    ("user", "We decided to paint the zeppelin green."),
)
LATER = (
    ("user", "The shed gets a window to the north."),
    ("assistant", "A window of larch then, with pine boards around it."),
)
QUESTIONS = ("zeppelin", "pine boards of the shed", "editor", "window", "helium from Odessa")


class Twins:
    """A home, and its twin that never has what is withdrawn in the first; one clock for both."""

    def __init__(self, folder: Path) -> None:
        self.clock = HandClock()
        self.home, self.twin = (
            recollect.open(folder / name, overrides=SETTINGS, clock=self.clock, live=False)
            for name in ("home", "twin")
        )

    def say(self, sessions: Sequence[str], said: Sequence[tuple[str, str]]) -> None:
        """Store messages in the session of each home, a second apart."""
        for each in said:
            self.clock.now += 1_000
            for memory, session in zip((self.home, self.twin), sessions, strict=False):
                memory.sessions.append(session, *each)

    def close(self) -> None:
        """Close both."""
        self.home.close()
        self.twin.close()


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Twins]:
    """Two homes."""
    both = Twins(tmp_path)
    yield both
    both.close()


def said(memory: Memory, session: str) -> list[str]:
    """Return the texts of a session."""
    return [each.text for each in memory.sessions.messages(session)]


def seen(memory: Memory, session: str) -> dict[str, object]:
    """Return all that a memory says, without ids, numbers and seqs."""
    memory.sync()
    view, block = memory.sessions.view(session), memory.context(session)
    hits = {
        question: [(hit.source, hit.snippet) for hit in memory.search(question, limit=20).hits]
        for question in QUESTIONS
    }
    return {
        "messages": said(memory, session),
        "view": (view.summary, [each.text for each in view.messages], view.tokens, view.omitted),
        "hits": hits,
        "count": memory.sessions.get(session).message_count,
        "counts": (memory.counts(), memory.known()),
        "documents": [(each.source, each.files) for each in memory.status().source_counts],
        "facts": sorted((f.text, f.status, f.valid_to) for f in memory.facts.list()),
        "episodes": [(e.summary, e.message_count) for e in memory.sessions.episodes(session)],
        "tools": [each.tool_name for each in memory.sessions.tool_calls(session)],
        "state": memory.sessions.state(session),
        "timeline": [line.title for line in memory.observations.timeline(since=1, after=50).lines],
        "block": re.sub(r"\b[mfe#]\d+\b", "#", block.text),
    }


def test_what_a_rewind_takes_out_is_nowhere_and_an_undo_returns_it(twins: Twins) -> None:
    """Search, view, counts, facts, timeline and block are those of a home without the turns."""
    home, twin = twins.home, twins.twin
    sessions = home.sessions.create().id, twin.sessions.create().id
    twins.say(sessions, KEPT)
    home.sync()
    twin.sync()
    twins.say(sessions[:1], TAKEN)
    before = seen(home, sessions[0])
    assert "helium" in str(before)
    rewind = home.sessions.rewind(sessions[0], 2)
    assert (rewind.from_seq, rewind.to_seq) == (3, 5)
    assert seen(home, sessions[0]) == seen(twin, sessions[1])
    home.sessions.undo_rewind(rewind.id)
    assert seen(home, sessions[0]) == before


def test_new_messages_follow_with_the_next_seq(twins: Twins) -> None:
    """The rows stay where they are; nobody sees the gap."""
    home, twin = twins.home, twins.twin
    sessions = home.sessions.create().id, twin.sessions.create().id
    twins.say(sessions, KEPT)
    twins.say(sessions[:1], TAKEN)
    home.sync()
    twin.sync()
    home.sessions.rewind(sessions[0], 2)
    twins.say(sessions, LATER)
    assert seen(home, sessions[0]) == seen(twin, sessions[1])
    assert [each.seq for each in home.sessions.messages(sessions[0])] == [1, 2, 6, 7]


def test_an_undo_is_refused_after_new_messages_and_names_the_fork(twins: Twins) -> None:
    """The fork shows what was taken out, and finds it; the session does not."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    rewind = home.sessions.rewind(session, 2)
    twins.say([session], LATER)
    with pytest.raises(RewindConflict, match="newer messages") as refused:
        home.sessions.undo_rewind(rewind.id)
    assert (refused.value.facts["at_seq"], refused.value.facts["paths"]) == (5, ())
    fork = home.sessions.fork(session, rewind.to_seq)
    assert said(home, fork.id) == [text for _, text in (*KEPT, *TAKEN)]
    assert said(home, session) == [text for _, text in (*KEPT, *LATER)]
    home.sync()
    hits = home.search("zeppelin", sources=["sessions"]).hits
    assert {hit.session_id for hit in hits} == {fork.id}
    assert {3, 4} <= {hit.seq for hit in hits}


def test_what_cannot_be_rewound_is_refused(twins: Twins) -> None:
    """A seq that is not there, is out, or is the last one; an undo that was made, or never was."""
    sessions = twins.home.sessions
    session = sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    for seq in (-1, 6):
        with pytest.raises(InvalidInput, match="no message with this seq"):
            sessions.rewind(session, seq)
    with pytest.raises(InvalidInput, match="no message after"):
        sessions.rewind(session, 5)
    rewind = sessions.rewind(session, 2)
    with pytest.raises(InvalidInput, match="taken this message out") as refused:
        sessions.rewind(session, 4)
    assert refused.value.hint.startswith("use 2")
    sessions.undo_rewind(rewind.id)
    with pytest.raises(Conflict, match="undone before"):
        sessions.undo_rewind(rewind.id)
    with pytest.raises(NotFound):
        sessions.undo_rewind("0192f0c8-0000-7000-8000-000000000000")


def test_a_fork_that_was_made_before_keeps_what_is_taken_out(twins: Twins) -> None:
    """In its view and in its search; after the undo the session finds it again."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    fork = home.sessions.fork(session).id
    home.sync()
    rewind = home.sessions.rewind(session, 2)
    assert said(home, fork) == [text for _, text in (*KEPT, *TAKEN)]
    home.sync()
    found = home.search("zeppelin", sources=["sessions"])
    assert {(hit.session_id, hit.seq) for hit in found.hits} >= {(fork, 3), (fork, 4), (fork, 5)}
    of_fork = home.search("zeppelin", sources=["sessions"], scope=recollect.Scope(session=fork))
    of_session = home.search(
        "zeppelin", sources=["sessions"], scope=recollect.Scope(session=session)
    )
    assert len(of_fork.hits) == 3
    assert not of_session.hits
    assert "Kakoune" in str(home.facts.list())
    home.sessions.undo_rewind(rewind.id)
    home.sync()
    found = home.search("zeppelin", sources=["sessions"])
    assert {hit.session_id for hit in found.hits} == {session}


def test_a_fork_after_a_rewind_continues_what_the_session_shows(twins: Twins) -> None:
    """At its newest message by default, also where nothing is left; new seqs are its own."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    home.sessions.rewind(session, 2)
    fork = home.sessions.fork(session)
    assert (fork.forked_at_seq, said(home, fork.id)) == (2, [text for _, text in KEPT])
    twins.say([session], LATER)
    after = home.sessions.fork(session)
    assert (after.forked_at_seq, said(home, after.id)) == (7, [t for _, t in (*KEPT, *LATER)])
    with pytest.raises(InvalidInput, match="a session above"):
        home.sessions.fork(after.id, 4)
    home.sessions.rewind(session, 0)
    assert home.sessions.fork(session).forked_at_seq == 0
    assert said(home, after.id) == [text for _, text in (*KEPT, *LATER)]


def test_a_fork_rewinds_into_what_it_shares(twins: Twins) -> None:
    """Only the fork loses it; the session above shows and finds it as before."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    fork = home.sessions.fork(session).id
    twins.say([fork], LATER)
    rewind = home.sessions.rewind(fork, 1)
    assert (rewind.from_seq, rewind.to_seq) == (2, 7)
    assert said(home, fork) == [KEPT[0][1]]
    assert len(said(home, session)) == 5
    home.sync()
    assert not home.search("larch window", scope=recollect.Scope(session=fork)).hits
    assert home.search("zeppelin", scope=recollect.Scope(session=session)).hits
    twins.say([fork], [("user", "Let us build a pier instead.")])
    assert [each.seq for each in home.sessions.messages(fork)] == [1, 8]
    again = home.sessions.fork(fork).id
    assert said(home, again) == said(home, fork)


def test_rewinds_within_rewinds_are_undone_from_the_last(twins: Twins) -> None:
    """An inner range stays out when the outer one comes back."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    inner = home.sessions.rewind(session, 3)
    outer = home.sessions.rewind(session, 1)
    assert len(said(home, session)) == home.sessions.get(session).message_count == 1
    home.sessions.undo_rewind(outer.id)
    assert len(said(home, session)) == home.sessions.get(session).message_count == 3
    home.sessions.undo_rewind(inner.id)
    assert len(said(home, session)) == home.sessions.get(session).message_count == 5
    assert [each.returned_at is None for each in home.sessions.rewinds(session)] == [False] * 2


def test_a_rewind_below_a_compaction_shows_the_messages_again(twins: Twins) -> None:
    """The summary of what is out is not in the view; the one before it is, and both come back."""
    home, twin = twins.home, twins.twin
    sessions = home.sessions.create().id, twin.sessions.create().id
    twins.say(sessions, KEPT)
    for memory, session in zip((home, twin), sessions, strict=True):
        memory.sessions.compact(session, "The shed.", keep_messages=1)
    twins.say(sessions[:1], TAKEN)
    home.sessions.compact(sessions[0], "The shed and the zeppelin.", keep_messages=1)
    before = home.sessions.view(sessions[0])
    rewind = home.sessions.rewind(sessions[0], 2)
    view = home.sessions.view(sessions[0])
    assert "zeppelin" not in str(view)
    assert view.summary == twin.sessions.view(sessions[1]).summary
    assert view.through_seq == twin.sessions.view(sessions[1]).through_seq
    home.sessions.undo_rewind(rewind.id)
    assert home.sessions.view(sessions[0]) == before


def test_a_rewind_into_what_retention_removed_is_refused(twins: Twins, tmp_path: Path) -> None:
    """What is gone cannot be the end; all of the rest can be taken out."""
    settings = {**SETTINGS, "sessions.retention.max_messages": 3}
    with recollect.open(tmp_path / "third", overrides=settings, live=False) as home:
        session = home.sessions.create().id
        home.sessions.append_many(session, (*KEPT, *TAKEN))
        home.prune()
        (first, *_) = home.sessions.messages(session)
        pruned = first.seq - 1
        assert pruned > 1
        with pytest.raises(InvalidInput, match="were removed") as refused:
            home.sessions.rewind(session, pruned - 1)
        assert f"use {pruned} to 5, or 0" in refused.value.hint
        rewind = home.sessions.rewind(session, 0)
        assert not home.sessions.messages(session)
        home.sessions.undo_rewind(rewind.id)
        assert len(home.sessions.messages(session)) == 5 - pruned


def test_only_the_holder_of_a_session_rewinds_it(twins: Twins) -> None:
    """Another program is refused, and so is its undo."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    with home.sessions.hold(session) as held:
        with pytest.raises(Conflict, match="another program"):
            home.sessions.rewind(session, 2)
        rewind = held.rewind(2)
        with pytest.raises(Conflict, match="another program"):
            home.sessions.undo_rewind(rewind.id)
        assert held.rewinds() == (rewind,)
        home.sessions.undo_rewind(rewind.id, lease=held.lease)
    assert len(said(home, session)) == 5


def test_a_retry_of_what_is_out_changes_nothing(twins: Twins) -> None:
    """The same event id is the same row: it neither comes back nor is stored twice."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], KEPT)
    first = home.sessions.append(session, "user", "The zeppelin.", event_id="e-1")
    rewind = home.sessions.rewind(session, 2)
    again = home.sessions.append(session, "user", "The zeppelin.", event_id="e-1")
    assert (again.id, again.seq) == (first.id, first.seq)
    assert len(said(home, session)) == 2
    home.sessions.undo_rewind(rewind.id)
    assert said(home, session)[-1] == "The zeppelin."


def test_edits_pins_and_numbers_come_back_with_an_undo(twins: Twins) -> None:
    """A fact that was corrected and pinned is hidden as it is, and returns as it was."""
    home = twins.home
    session = home.sessions.create().id
    twins.say([session], (*KEPT, *TAKEN))
    home.sync()
    fact = next(each for each in home.facts.list() if "Kakoune" in each.text)
    home.facts.pin(fact.id)
    fact = home.facts.correct(fact.id, "Answers about zeppelins must be short.")
    history, before = home.facts.history(fact.id), home.facts.list()
    rewind = home.sessions.rewind(session, 2)
    assert "zeppelin" not in str(home.facts.list())
    home.sync()
    assert "zeppelin" not in str(home.facts.list())
    assert home.facts.search(None, "zeppelins") == ()
    home.sessions.undo_rewind(rewind.id)
    home.sync()
    assert {each.id: each.text for each in home.facts.list()} == {e.id: e.text for e in before}
    assert home.facts.history(fact.id) == history


def test_the_summary_of_a_session_is_written_again_without_what_is_out(twins: Twins) -> None:
    """It is hidden at once; the new one has what is left, and an undo returns the old one."""
    home, twin = twins.home, twins.twin
    sessions = home.sessions.create().id, twin.sessions.create().id
    twins.say(sessions, KEPT)
    twins.say(sessions[:1], TAKEN)
    home.sessions.end(sessions[0])
    twin.sessions.end(sessions[1])
    (before,) = home.sessions.episodes(sessions[0])
    assert "zeppelin" in before.summary
    rewind = home.sessions.rewind(sessions[0], 2)
    assert home.sessions.episodes(sessions[0]) == []
    home.sessions.finish_endings()
    assert seen(home, sessions[0]) == seen(twin, sessions[1])
    home.sessions.undo_rewind(rewind.id)
    assert home.sessions.episodes(sessions[0]) == [before]
    home.sync()
    assert home.search("zeppelin", sources=["episodes"]).hits


def test_observations_of_a_turn_leave_with_it(twins: Twins) -> None:
    """Those that belong to a message, and those that only have a time."""
    home, twin = twins.home, twins.twin
    sessions = home.sessions.create().id, twin.sessions.create().id
    twins.say(sessions, KEPT)
    for memory, session in zip((home, twin), sessions, strict=True):
        memory.observations.record(session, tool_name="Write", summary="Wrote the shed plan")
    twins.say(sessions[:1], TAKEN[:1])
    twins.clock.now += 1_000
    home.observations.record(sessions[0], tool_name="Write", summary="Wrote the zeppelin plan")
    home.sessions.set_state(sessions[0], "Fill the zeppelin")
    before = seen(home, sessions[0])
    assert "Fill the zeppelin" in str(before)
    rewind = home.sessions.rewind(sessions[0], 2)
    assert seen(home, sessions[0]) == seen(twin, sessions[1])
    home.sessions.undo_rewind(rewind.id)
    assert seen(home, sessions[0]) == before


def test_the_next_session_is_given_nothing_of_what_was_taken_out(tmp_path: Path) -> None:
    """Also where the session ended again since, and its line is made of its messages."""
    with recollect.open(tmp_path, overrides=SETTINGS, live=False) as memory:
        session = memory.sessions.create(project="/srv/harbour").id
        for asked, reported in (
            (
                "Please repair the leaking kettle in the harbour kitchen before the guests arrive.",
                "I repaired the leaking kettle of the kitchen and tested it with boiling water.",
            ),
            (
                "Now paint the violin shed in a very dark green colour with two coats please.",
                "I painted the violin shed dark green and cleaned the brushes afterwards.",
            ),
        ):
            memory.sessions.append_many(session, [("user", asked), ("assistant", reported)])
        memory.sessions.rewind(session, 2)
        memory.episodes.create(session)
        memory.sync()
        text = memory.context.about("/srv/harbour").text
        assert "kettle" in text
        assert "painted" not in text
        assert "violin" not in text
