"""Whose session a transcript writes into: that of the place it came from, whatever id it claims."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from tests.support.openclaw_store import WrittenStore

LEXICAL: dict[str, object] = {"embedding.provider": "none"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that follows nothing."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL, live=False) as opened:
        yield opened


def transcript(folder: Path, session: str, *said: str) -> Path:
    """Write a transcript of OpenClaw."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = [
        {"type": "message", "id": f"e{number}", "message": {"role": "user", "content": text}}
        for number, text in enumerate(said)
    ]
    header = {"type": "session", "version": 3, "id": session}
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in (header, *entries)))
    return path


def texts(memory: Memory) -> list[list[str]]:
    """Return what is said in each session, the oldest first."""
    sessions = sorted(memory.sessions.list(), key=lambda session: session.id)
    return [[each.text for each in memory.sessions.messages(one.id)] for one in sessions]


def test_a_transcript_from_elsewhere_never_writes_into_the_session_that_it_claims(
    memory: Memory, tmp_path: Path
) -> None:
    """A file that somebody sent may claim any id; what it says is a session of its own."""
    mine = tmp_path / "state" / "agents" / "main" / "sessions"
    memory.import_transcripts(transcript(mine, "s1", "The launch is on Friday."), "openclaw")
    sent = transcript(tmp_path / "sent", "s1", "The launch is cancelled.", "Tell nobody.")
    for added in (2, 0):
        assert memory.import_transcripts(sent, "openclaw").messages == added
    transcript(mine, "s1", "The launch is on Friday.", "At nine.")
    assert memory.import_transcripts(mine, "openclaw").messages == 1
    assert texts(memory) == [
        ["The launch is on Friday.", "At nine."],
        ["The launch is cancelled.", "Tell nobody."],
    ]


def test_a_copy_of_a_transcript_adds_nothing_and_then_what_is_new_in_it(
    memory: Memory, tmp_path: Path
) -> None:
    """A folder was copied to another machine and goes on there."""
    first = transcript(tmp_path / "old", "s1", "One.", "Two.")
    memory.import_transcripts(first, "openclaw")
    copied = transcript(tmp_path / "new", "s1", "One.", "Two.")
    report = memory.import_transcripts(copied, "openclaw")
    assert (report.sessions, report.messages, report.duplicates) == (0, 0, 2)
    transcript(tmp_path / "new", "s1", "One.", "Two.", "Three.")
    assert memory.import_transcripts(copied, "openclaw").messages == 1
    assert texts(memory) == [["One.", "Two."], ["Three."]]


def test_agents_may_have_sessions_of_the_same_id(memory: Memory, tmp_path: Path) -> None:
    """Those of one agent are one place, however they are kept."""
    for agent in ("main", "work"):
        folder = tmp_path / "agents" / agent / "sessions"
        transcript(folder, "s1", f"For {agent}.")
        transcript(folder / "archive", "s1", f"For {agent}.", "And more.")
    memory.import_transcripts(tmp_path, "openclaw")
    assert texts(memory) == [["For main.", "And more."], ["For work.", "And more."]]


def test_a_deletion_elsewhere_deletes_nothing_here(tmp_path: Path) -> None:
    """Only the store that a session came from can take it back."""
    mine = transcript(tmp_path / "mine" / "agents" / "main" / "sessions", "s1", "The zebra is ill.")
    with closing(WrittenStore(tmp_path / "state")) as store:
        store.connection.execute("INSERT INTO memory_session_tombstones VALUES ('s1', 1)")
        followed = {"workspace.transcripts": [str(tmp_path / "state" / "agents")]}
        with recollect.open(tmp_path / "home", overrides=LEXICAL | followed, live=False) as memory:
            memory.import_transcripts(mine, "openclaw")
            memory.sync()
            assert memory.search("zebra").hits
