"""Followed transcripts: which places are meant, and what of them is watched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.events import ImportFinished
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.exchange.importer import TranscriptImporter
from recollect.recall.followed import (
    LEDGER,
    FollowedPlace,
    FollowedTranscripts,
    followed_places,
)
from recollect.recall.following import following_formats
from recollect.store.journal import events_since
from recollect.store.sqlite.database import SqliteDatabase, open_records
from tests.support.destinations import destination_of

LINE = '{"role": "user", "content": "The kettle is blue."}\n'


@pytest.fixture
def records(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """A database of records."""
    (tmp_path / "home").mkdir()
    database = open_records(tmp_path / "home", StoreSettings(), SystemClock())
    yield database
    database.close()


def _followed(
    records: SqliteDatabase, *paths: Path, scope: Scope | None = None
) -> FollowedTranscripts:
    home = paths[0].parent
    destination = destination_of(records, home, SystemClock(), scope=scope)
    importer = TranscriptImporter(destination, following_formats(), LEDGER)
    return FollowedTranscripts([FollowedPlace(path=path) for path in paths], importer)


def test_a_name_means_the_usual_place_and_anything_else_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a path each file tells its format."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert followed_places(["claude-code", "openclaw", "~/chats"]) == [
        FollowedPlace(path=tmp_path / ".claude/projects", format_name="claude-code"),
        FollowedPlace(path=tmp_path / ".openclaw/agents", format_name="openclaw"),
        FollowedPlace(path=tmp_path / "chats", format_name="auto"),
    ]


def test_a_folder_is_watched_whole_and_a_file_alone(tmp_path: Path) -> None:
    """Other files beside it are nobody's business."""
    folder = FollowedPlace(path=tmp_path).place()
    assert folder.holds(str(tmp_path / "a/b.jsonl"), is_folder=False)
    assert folder.holds(str(tmp_path / "a"), is_folder=True)
    assert not folder.holds(str(tmp_path / "a/b.json"), is_folder=False)
    assert not folder.holds(str(tmp_path.parent / "b.jsonl"), is_folder=False)
    file = FollowedPlace(path=tmp_path / "chat.jsonl").place()
    assert file.holds(str(tmp_path / "chat.jsonl"), is_folder=False)
    assert not file.holds(str(tmp_path / "other.jsonl"), is_folder=False)
    assert not file.holds(str(tmp_path / "a"), is_folder=True)


def test_what_is_new_comes_once_and_a_place_that_is_missing_is_told(
    tmp_path: Path, records: SqliteDatabase
) -> None:
    """The others are read all the same."""
    (tmp_path / "chat.jsonl").write_text(LINE, encoding="utf-8")
    followed = _followed(records, tmp_path / "none", tmp_path / "chat.jsonl")
    report = followed.bring_in()
    assert (report.messages, len(report.warnings)) == (1, 1)
    assert followed.last == report
    (tmp_path / "chat.jsonl").write_text(LINE + "\n", encoding="utf-8")
    assert followed.bring_in().messages == 0
    assert len(followed.places()) == 2
    events = records.read(lambda tx: events_since(tx, 0))
    assert [e.event.messages for e in events if isinstance(e.event, ImportFinished)] == [1]


def test_what_belongs_to_a_deleted_session_is_left_out_and_told(tmp_path: Path) -> None:
    """The sync says so once, and a restored session gets what was left out."""
    chat = tmp_path / "chat.jsonl"
    chat.write_text(LINE, encoding="utf-8")
    settings = {"workspace.transcripts": [str(chat)], "embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=settings) as memory:
        memory.sync()
        (session,) = memory.sessions.list()
        memory.sessions.set_status(session.id, "deleted")
        chat.write_text(LINE + LINE.replace("blue", "green"), encoding="utf-8")
        assert not memory.search("green kettle").hits  # it reads what the sync tells of
        told = f"{chat}: messages of deleted sessions left out"
        assert told in memory.status().sync.warnings
        assert [told in memory.sync().warnings for _ in range(2)] == [True, False]
        memory.sessions.set_status(session.id, "active")
        assert memory.sync().warnings == ()
        assert len(memory.sessions.messages(session.id)) == 2
        assert memory.search("green kettle").hits


def test_it_ends_when_it_is_asked_to(tmp_path: Path, records: SqliteDatabase) -> None:
    """And goes on from there the next time, within a file as well."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(LINE * 1_500, encoding="utf-8")
    followed = _followed(records, tmp_path)
    asked = iter([False, True])
    assert followed.bring_in(lambda: next(asked, True)).messages == 1_000
    assert followed.bring_in().messages == 2_000


def test_secrets_are_taken_out_of_followed_transcripts(tmp_path: Path) -> None:
    """As of everything that is stored."""
    secret = "sk-abcdefghijklmnopqrstuvwxyz123456"
    line = f'{{"role": "user", "content": "my key is {secret} ok"}}\n'
    (tmp_path / "chat.jsonl").write_text(line, encoding="utf-8")
    settings = {
        "embedding.provider": "none",
        "workspace.transcripts": [str(tmp_path / "chat.jsonl")],
    }
    with recollect.open(tmp_path / "home", overrides=settings, live=False) as memory:
        memory.sync()
        (hit,) = memory.search("key").hits
        assert hit.snippet.startswith("my key is [redacted:")
        assert secret not in hit.snippet


def test_each_agent_follows_what_is_its_own(tmp_path: Path, records: SqliteDatabase) -> None:
    """All agents of OpenClaw lie in one folder; those of others are left out, and stay for them."""
    for agent in ("main", "work"):
        _transcript(tmp_path, agent, "The first teapot.")
    work = _followed(records, tmp_path / "agents", scope=Scope(agent="work"))
    main = _followed(records, tmp_path / "agents", scope=Scope(agent="main"))
    assert [work.bring_in().messages, work.bring_in().messages, main.bring_in().messages] == [
        1,
        0,
        1,
    ]
    for agent in ("main", "work"):
        _transcript(tmp_path, agent, "The second teapot.")
    assert [work.bring_in().messages, main.bring_in().messages] == [1, 1]
    assert _agents(records) == ["main", "work"]
    everyone = _followed(records, tmp_path / "agents")
    assert everyone.bring_in().messages == 0


def test_transcripts_of_another_project_are_left_out(
    tmp_path: Path, records: SqliteDatabase
) -> None:
    """A memory for one project follows the usual place of all of them."""
    for project in ("shop", "boat"):
        said = {"role": "user", "content": f"About the {project}."}
        header = {"type": "session", "version": 3, "id": project, "cwd": f"/home/ann/{project}"}
        lines = [header, {"type": "message", "message": said}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{project}.jsonl").write_text(text, encoding="utf-8")
    followed = _followed(records, tmp_path, scope=Scope(project="/home/ann/shop"))
    assert followed.bring_in().messages == 1
    assert records.read(lambda tx: tx.row("SELECT project FROM sessions")) == ("/home/ann/shop",)


def _transcript(folder: Path, agent: str, text: str) -> None:
    """Add a message to the transcript of an agent of OpenClaw."""
    sessions = folder / "agents" / agent / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    with (sessions / "talk.jsonl").open("a", encoding="utf-8") as file:
        if not file.tell():
            file.write(json.dumps({"type": "session", "version": 3, "id": f"t-{agent}"}) + "\n")
        message = {"role": "user", "content": text}
        file.write(json.dumps({"type": "message", "message": message}) + "\n")


def _agents(records: SqliteDatabase) -> list[str]:
    rows = records.read(lambda tx: list(tx.rows("SELECT agent FROM sessions ORDER BY agent")))
    return [str(agent) for (agent,) in rows]
