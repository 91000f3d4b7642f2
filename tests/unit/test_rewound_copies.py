"""Rewinds outside of the records: mirrors, recovery, exports, transcripts, erasures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.core.errors import NotFound
from recollect.exchange.recover import recover
from recollect.memory import Memory
from recollect.sessions.record.message import StandIn
from tests.unit.exchange.test_importer import MAIN, claude, lines, write
from tests.unit.sessions.home import NOON, HandClock
from tests.unit.test_rewinding import KEPT, LATER, SETTINGS, TAKEN, said

SECOND = 1_000


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, clock: HandClock) -> Iterator[Memory]:
    """A memory for words only."""
    with open_home(tmp_path / "home", clock) as opened:
        yield opened


def open_home(folder: Path, clock: HandClock) -> Memory:
    """Return a home in a folder."""
    return recollect.open(folder, overrides=SETTINGS, clock=clock, live=False)


def talk(memory: Memory, clock: HandClock, *parts: tuple[tuple[str, str], ...]) -> str:
    """Return a session with what was said in it, a second apart."""
    session = memory.sessions.create().id
    for role, text in (each for part in parts for each in part):
        clock.now += SECOND
        memory.sessions.append(session, role, text)
    return session


def document(memory: Memory) -> list[dict[str, Any]]:
    """Return the lines of an export, without its header and end."""
    return [msgspec.json.decode(line) for line in memory.export().lines()][1:-1]


def test_a_recovered_home_knows_what_was_taken_out(tmp_path: Path, clock: HandClock) -> None:
    """The mirror has all messages and the ranges; so the undo works there, too."""
    home = tmp_path / "home"
    with open_home(home, clock) as memory:
        session = talk(memory, clock, KEPT, TAKEN)
        fork = memory.sessions.fork(session).id
        memory.sync()
        rewind = memory.sessions.rewind(session, 2)
        memory.sync()
        facts, counts = memory.facts.list(), memory.counts()
    (home / "records.db").write_bytes(b"not a database" * 1_000)
    for rest in ("records.db-wal", "records.db-shm"):
        (home / rest).unlink(missing_ok=True)
    recover(home)
    with open_home(home, clock) as memory:
        memory.sync()
        assert said(memory, session) == [text for _, text in KEPT]
        assert len(said(memory, fork)) == 5
        assert memory.counts().messages == counts.messages
        assert {each.text for each in memory.facts.list()} == {each.text for each in facts}
        memory.sessions.undo_rewind(rewind.id)
        assert len(said(memory, session)) == 5


def test_a_mirror_has_the_messages_and_the_ranges(tmp_path: Path, clock: HandClock) -> None:
    """The last line of the session counts; no other line changes."""
    home = tmp_path / "home"
    with open_home(home, clock) as memory:
        session = talk(memory, clock, KEPT, TAKEN)
        rewind = memory.sessions.rewind(session, 2)
    mirror = home / "transcripts" / f"{session}.jsonl"
    out = mirror.read_bytes()
    assert out.count(b'"type":"message"') == 5
    assert b'"withdrawn"' in out.splitlines()[0]
    with open_home(home, clock) as memory:
        memory.sessions.undo_rewind(rewind.id)
    assert mirror.read_bytes().startswith(out)
    assert b'"returned_at"' in mirror.read_bytes().splitlines()[-1]


def test_an_export_is_that_of_a_home_without_the_turns(tmp_path: Path, clock: HandClock) -> None:
    """No message, fact or summary of them is in it; an import of it is whole."""
    names = ("home", "twin")
    documents = []
    for name in names:
        clock.now = NOON
        with open_home(tmp_path / name, clock) as memory:
            session = talk(memory, clock, KEPT, TAKEN if name == "home" else ())
            memory.sessions.end(session)
            memory.sync()
            if name == "home":
                memory.sessions.rewind(session, 2)
                memory.sync()
                memory.sessions.finish_endings()
            clock.now = NOON + 60 * SECOND
            for role, text in LATER:
                memory.sessions.append(session, role, text)
            memory.sync()
            documents.append([plain(line) for line in document(memory)])
    assert "zeppelin" not in str(documents[0])
    assert documents[0] == documents[1]


def plain(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line without ids, numbers, seqs, times of storing, and what a fact went through."""
    moved = {"id", "seq", "number", "session_id", "message_id", "through_seq", "created_at", "at"}
    moved |= {"valid_from", "accessed_at", "recorded_at", "replaced_by", "version", "history"}
    ((kind, record),) = line.items()
    return {kind: {key: value for key, value in record.items() if key not in moved}}


def test_an_export_has_what_a_fork_still_shows(
    tmp_path: Path, memory: Memory, clock: HandClock
) -> None:
    """With the range, so that the importing home shows in each what it showed here."""
    session = talk(memory, clock, KEPT, TAKEN)
    fork, whole = memory.sessions.fork(session, 4).id, memory.sessions.fork(session, 4).id
    memory.sessions.rewind(session, 2)
    clock.now += SECOND
    memory.sessions.append(session, *LATER[0])
    memory.sessions.rewind(fork, 3)
    shown = [said(memory, each) for each in (session, fork, whole)]
    kinds = [next(iter(line)) for line in document(memory)]
    assert kinds.count("withdrawal") == 2
    memory.export().save(tmp_path / "all.jsonl")
    with open_home(tmp_path / "other", clock) as other:
        report = other.import_export(tmp_path / "all.jsonl")
        assert [said(other, each) for each in (session, fork, whole)] == shown
        assert report.added["withdrawal"] == 2
        assert "withdrawal" not in other.import_export(tmp_path / "all.jsonl").added


def test_a_transcript_that_still_holds_the_turn_does_not_bring_it_back(
    tmp_path: Path, memory: Memory, clock: HandClock
) -> None:
    """Neither read again, nor where its last lines come only after the rewind."""
    first = [
        claude("u1", "We build a shed."),
        claude("u2", "The zeppelin needs helium.", timestamp="2026-02-01T08:01:00Z"),
    ]
    path = write(tmp_path / f"{MAIN}.jsonl", lines(*first))
    memory.import_transcripts(path)
    (session,) = memory.sessions.list()
    rewind = memory.sessions.rewind(session.id, 1)
    late = claude("u3", "Helium from Odessa.", timestamp="2026-02-01T08:02:00Z")
    write(path, lines(*first, late))
    memory.import_transcripts(path)
    assert said(memory, session.id) == ["We build a shed."]
    later = claude("u4", "And a window.", timestamp="2026-02-11T08:02:00Z")
    other = memory.sessions.fork(session.id, 3)
    assert said(memory, other.id)[-1] == "Helium from Odessa."
    memory.sessions.undo_rewind(rewind.id)
    assert said(memory, session.id)[1:] == ["The zeppelin needs helium.", "Helium from Odessa."]
    memory.sessions.rewind(session.id, 1)
    write(path, lines(*first, late, later))
    memory.import_transcripts(path)
    assert said(memory, session.id) == ["We build a shed.", "And a window."]


def test_an_erasure_takes_what_was_taken_out_as_well(
    tmp_path: Path, memory: Memory, clock: HandClock
) -> None:
    """Its preview counts it, no byte is left, and there is nothing to undo."""
    session = talk(memory, clock, KEPT, TAKEN)
    memory.sync()
    rewind = memory.sessions.rewind(session, 2)
    planned = memory.erase(session_id=session, dry_run=True)
    assert planned.counts["messages"] == 5
    assert memory.erase(session_id=session).is_clean
    assert "zeppelin" not in str(memory.facts.list())
    with pytest.raises(NotFound):
        memory.sessions.undo_rewind(rewind.id)
    memory.close()
    held = [p for p in memory.home.rglob("*") if p.is_file() and b"zeppelin" in p.read_bytes()]
    assert not held


def test_an_erasure_of_a_part_finds_what_is_out(memory: Memory, clock: HandClock) -> None:
    """The facts of a withdrawn message go with it; the undo returns what is left."""
    session = talk(memory, clock, KEPT, TAKEN)
    memory.sync()
    rewind = memory.sessions.rewind(session, 2)
    memory.erase(session_id=session, query="helium from Odessa")
    assert memory.sessions.get(session).message_count == 2
    memory.sessions.undo_rewind(rewind.id)
    assert "helium" not in str(said(memory, session))
    assert memory.sessions.get(session).message_count == len(said(memory, session)) == 4


def test_what_a_hidden_fact_replaced_counts_again(memory: Memory, clock: HandClock) -> None:
    """By the words of a message, and by hand; the undo replaces it again."""
    session = talk(memory, clock, KEPT, TAKEN)
    memory.sync()
    by_text = {each.text: each for each in memory.facts.list()}
    states = {each.id: (each.status, each.replaced_by) for each in by_text.values()}
    rewind = memory.sessions.rewind(session, 2)
    memory.sync()
    (helix,) = (each for each in memory.facts.list() if "Helix" in each.text)
    assert (helix.status, helix.valid_to) == ("current", None)
    memory.sessions.undo_rewind(rewind.id)
    memory.sync()
    assert {e.id: (e.status, e.replaced_by) for e in memory.facts.list()} == states


def test_a_hook_may_report_the_words_of_a_withdrawn_turn_again(
    tmp_path: Path, memory: Memory
) -> None:
    """Without the id of a turn they are a new prompt; the transcript's own line stays out."""
    path = write(
        tmp_path / f"{MAIN}.jsonl", lines(claude("u1", "We build a shed."), claude("u2", "Go on."))
    )
    memory.import_transcripts(path)
    (session,) = memory.sessions.list()
    prompt = StandIn(prompt=None, role="prompt")
    assert memory.sessions.stand_in(session.id, prompt, "Go on.") is None
    memory.sessions.rewind(session.id, 1)
    again = memory.sessions.stand_in(session.id, prompt, "Go on.")
    assert again is not None
    assert [each.seq for each in memory.sessions.messages(session.id)] == [1, 3]
