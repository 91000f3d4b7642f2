"""A program that stays: what changes on the disk is found, by whom, and what starts it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory, open_memory
from tests.support.openclaw_store import WrittenStore

PATIENCE_S = 30.0
"""Longer than any machine takes; the tests wait for the thing itself."""

SETTINGS = {
    "embedding.provider": "none",
    "sessions.mirror": False,
    "sync.watch_debounce_ms": 50,
    "sync.transcripts.debounce_ms": 50,
    "sync.poll_s": 0.1,
}


def _until(condition: Callable[[], object]) -> None:
    waited = threading.Event()
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "it never came"
        waited.wait(0.01)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one note."""
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/a.md").write_text("The kettle is blue.\n", encoding="utf-8")
    return folder


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Memory]:
    """Somebody else who searches: knows no workspace, so reads no files."""
    with open_memory(tmp_path / "home", overrides=SETTINGS, live=False) as memory:
        yield memory


def _open(tmp_path: Path, **settings: object) -> Memory:
    workspace = tmp_path / "workspace"
    return recollect.open(tmp_path / "home", workspace, overrides=SETTINGS | settings)


def _is_watching(memory: Memory) -> bool:
    return memory.status().sync.watching == "notify"


def test_a_saved_file_is_found_by_somebody_else(
    tmp_path: Path, workspace: Path, reader: Memory
) -> None:
    """The program that watches does nothing but stay."""
    with _open(tmp_path) as memory:
        assert memory.status().sync.watching == "off"
        memory.search("kettle")
        _until(lambda: _is_watching(memory) and not memory.status().sync.dirty)
        (workspace / "memory/b.md").write_text("The teapot is green.\n", encoding="utf-8")
        _until(lambda: reader.search("teapot").hits)
        _until(lambda: memory.status().sync.last_reason == "watch")
        (workspace / "memory/b.md").unlink()
        _until(lambda: not reader.search("teapot").hits)
        state = memory.status().sync
        assert (state.last_error, state.watch_error, state.warnings) == (None, None, ())
    assert not [each for each in threading.enumerate() if each.name.startswith("recollect-watch")]


def test_a_program_that_ends_at_once_does_not_watch(tmp_path: Path, workspace: Path) -> None:
    """Such as a command."""
    with open_memory(tmp_path / "home", workspace, overrides=SETTINGS, live=False) as memory:
        memory.sessions.create()
        memory.search("kettle")
        memory.sync()
        state = memory.status().sync
        assert (state.watching, state.last_reason) == ("off", "manual")


def test_watching_can_be_left_out(tmp_path: Path, workspace: Path) -> None:
    """Then nothing starts but what is asked for."""
    off = {"sync.watch": False, "sync.on_session_start": False, "sync.on_search": False}
    with _open(tmp_path, **off) as memory:
        memory.sessions.open("agent:main:main")
        memory.search("nothing is found by this")
        assert memory.status().sync.watching == "off"
        _until(lambda: memory.status().sync.last_reason in {None, "message"})


@pytest.mark.usefixtures("workspace")
def test_of_two_programs_one_watches_and_the_other_takes_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the first one ends."""
    monkeypatch.setattr("recollect.recall.sync.LOOK_S", 0.02)
    first, second = _open(tmp_path), _open(tmp_path)
    try:
        first.search("kettle")
        _until(lambda: _is_watching(first))
        second.search("kettle")
        second.sessions.create()
        _until(lambda: second.status().sync.dirty)
        assert second.status().sync.watching == "off"
        first.close()
        _until(lambda: _is_watching(second))
    finally:
        first.close()
        second.close()


@pytest.mark.usefixtures("workspace")
def test_messages_of_another_program_are_indexed_by_the_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Memory
) -> None:
    """It looks at the journal every few seconds."""
    monkeypatch.setattr("recollect.recall.sync.LOOK_S", 0.02)
    with _open(tmp_path) as owner:
        owner.search("kettle")
        _until(lambda: _is_watching(owner) and not owner.status().sync.dirty)
        session = reader.sessions.create()
        reader.sessions.append(session.id, "user", "We need more teapots.")
        _until(lambda: owner.status().index.documents.get("sessions") == 1)


def _said(text: str, number: int, **more: object) -> str:
    message = {"role": "user", "content": text}
    line = {"type": "user", "sessionId": "s-1", "uuid": f"u-{number}", "message": message}
    return json.dumps(line | more) + "\n"


@pytest.mark.usefixtures("workspace")
def test_a_followed_transcript_is_brought_in_as_it_grows(tmp_path: Path, reader: Memory) -> None:
    """With session and seq, once, without sub-agents; a file that is written anew is read anew."""
    projects = tmp_path / "projects/p"
    projects.mkdir(parents=True)
    transcript = projects / "s-1.jsonl"
    transcript.write_text(_said("Where is the teapot?", 1), encoding="utf-8")
    (projects / "agent-7.jsonl").write_text(_said("Look for teapots.", 2), encoding="utf-8")
    followed = {"workspace.transcripts": [str(tmp_path / "projects"), str(tmp_path / "none")]}
    with _open(tmp_path, **followed) as memory:
        memory.sync()
        (hit,) = memory.search("teapot", sources=["sessions"]).hits
        assert (hit.seq, hit.role) == (1, "user")
        assert any("none" in warning for warning in memory.status().sync.warnings)
        _until(lambda: _is_watching(memory))
        with transcript.open("a", encoding="utf-8") as file:
            file.write(_said("The teapot is in the garden.", 3))
            file.write(_said("A sub-agent speaks of teapots.", 4, isSidechain=True))
        _until(lambda: len(reader.search("teapot", sources=["sessions"]).hits) == 2)
        transcript.write_text(_said("A shorter teapot.", 5), encoding="utf-8")
        _until(lambda: len(reader.search("teapot", sources=["sessions"]).hits) == 3)
        assert {h.session_id for h in reader.search("teapot").hits} == {hit.session_id}
        _until(lambda: not memory.status().sync.dirty)
        assert memory.sync().put == 0


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("place", ["", "agents/main/agent/openclaw-agent.sqlite"])
def test_a_followed_store_is_read_as_its_log_grows(
    tmp_path: Path, reader: Memory, place: str
) -> None:
    """The gateway holds it open; a folder and the store itself can be named."""
    with closing(WrittenStore(tmp_path / "state")) as store:
        store.window("agent:main:telegram:direct:501", "s1")
        store.person("s1", "Where is the teapot?", "501")
        followed = {"workspace.transcripts": [str(tmp_path / "state" / place)]}
        with _open(tmp_path, **followed) as memory:
            memory.search("anything")
            _until(lambda: _is_watching(memory) and not memory.status().sync.dirty)
            assert len(reader.search("teapot", sources=["sessions"]).hits) == 1
            store.person("s1", "The teapot is in the garden.", "501")
            _until(lambda: len(reader.search("teapot", sources=["sessions"]).hits) == 2)
            _until(lambda: memory.status().sync.last_reason == "transcript")


@pytest.mark.usefixtures("workspace")
def test_an_import_that_a_person_calls_takes_what_following_leaves_out(tmp_path: Path) -> None:
    """The two keep account apart, and a message is stored once."""
    projects = tmp_path / "projects"
    projects.mkdir()
    lines = _said("The teapot.", 1) + _said("A sub-agent.", 2, isSidechain=True)
    (projects / "s-1.jsonl").write_text(lines, encoding="utf-8")
    settings = SETTINGS | {"workspace.transcripts": [str(projects)]}
    with recollect.open(tmp_path / "home", overrides=settings, live=False) as memory:
        memory.sync()
        assert memory.status().messages == 1

        report = memory.import_transcripts(projects)
        assert (report.messages, report.duplicates) == (1, 1)
        assert memory.import_transcripts(projects).unchanged == 1
        memory.sync()
        assert memory.status().messages == 2


@pytest.mark.usefixtures("workspace")
def test_a_session_that_is_opened_starts_a_sync(tmp_path: Path) -> None:
    """What was written before it is ready for it."""
    with _open(tmp_path, **{"sync.watch": False}) as memory:
        memory.sessions.open("agent:main:main")
        _until(lambda: memory.status().index.documents.get("memory") == 1)
        memory.sessions.open("agent:main:main")
        _until(lambda: not memory.status().sync.dirty)


@pytest.mark.usefixtures("workspace")
def test_a_search_reads_followed_transcripts_where_nothing_watches(tmp_path: Path) -> None:
    """In the background, whether it found something or not."""
    projects = tmp_path / "projects"
    projects.mkdir()
    settings = {"workspace.transcripts": [str(projects)], "sync.watch": False, "sync.poll_s": 0.1}
    with _open(tmp_path, **settings) as memory:
        memory.sync()
        (projects / "s-1.jsonl").write_text(_said("The teapot.", 1), encoding="utf-8")
        _until(lambda: memory.search("teapot").hits)


def test_a_search_without_hits_causes_no_work(tmp_path: Path, workspace: Path) -> None:
    """Only what is not indexed does."""
    with _open(tmp_path, **{"sync.watch": False}) as memory:
        memory.sync()
        synced = memory.status().sync.last_sync_at
        for _ in range(5):
            assert memory.search("unheardof").hits == []
        state = memory.status().sync
        assert (state.dirty, state.last_reason, state.last_sync_at) == (False, "manual", synced)
