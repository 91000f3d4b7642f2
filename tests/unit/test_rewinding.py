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
    fork = home.sessions.fork(session, refused.value.facts["at_seq"])
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
