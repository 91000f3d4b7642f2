"""Followed transcripts: which places are meant, and what of them is watched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import IdSource, SystemClock
from recollect.core.settings import StoreSettings
from recollect.integrations.following import following_formats
from recollect.recall.followed import (
    LEDGER,
    FollowedPlace,
    FollowedTranscripts,
    followed_places,
)
from recollect.sessions.importer import TranscriptImporter
from recollect.store.sqlite import SqliteDatabase, open_records

LINE = '{"role": "user", "content": "The kettle is blue."}\n'


@pytest.fixture
def records(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """A database of records."""
    (tmp_path / "home").mkdir()
    database = open_records(tmp_path / "home", StoreSettings(), SystemClock())
    yield database
    database.close()


def _followed(records: SqliteDatabase, *paths: Path) -> FollowedTranscripts:
    clock = SystemClock()
    importer = TranscriptImporter(
        database=records,
        clock=clock,
        ids=IdSource(clock),
        redactor=None,
        formats=following_formats(),
        ledger=LEDGER,
    )
    return FollowedTranscripts([FollowedPlace(path=path) for path in paths], importer)


def test_a_name_means_the_usual_place_and_anything_else_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a path each file tells its format."""
    monkeypatch.setenv("HOME", str(tmp_path))
    formats = following_formats()
    assert followed_places(["claude-code", "openclaw", "~/chats"], formats) == [
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
    assert followed.bring_in().messages == 0
    assert len(followed.places()) == 2


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
