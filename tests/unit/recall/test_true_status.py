"""A status says what a sync would do, and a search knows what was just written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import StoreClosed
from recollect.memory import Memory
from recollect.pool import MemoryPool

LEXICAL: dict[str, object] = {"embedding.provider": "none"}
LINE = '{"role": "user", "content": "The kettle is blue."}\n'
MORE = '{"role": "user", "content": "The teapot is green."}\n'


def _workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace" / "memory").mkdir(parents=True)
    return tmp_path / "workspace"


def _chats(tmp_path: Path) -> Path:
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / "a.jsonl").write_text(LINE, encoding="utf-8")
    return tmp_path / "chats"


def _opened(
    tmp_path: Path, workspace: Path | None = None, overrides: Mapping[str, object] | None = None
) -> Memory:
    """A memory as a command opens it: nothing is watched."""
    return recollect.open(
        tmp_path / "home", workspace, overrides=LEXICAL | dict(overrides or {}), live=False
    )


def test_files_that_were_added_changed_or_removed_make_a_status_dirty(tmp_path: Path) -> None:
    """Until they are synced; looking leaves the next search to look itself."""
    workspace = _workspace(tmp_path)
    note = workspace / "memory" / "tea.md"
    with _opened(tmp_path, workspace) as memory:
        memory.sync()
        assert not memory.status().dirty
        note.write_text("Green tea.\n", encoding="utf-8")
        assert memory.status().dirty
        assert memory.search("green").hits
        assert not memory.status().dirty
        note.write_text("Black tea, strong.\n", encoding="utf-8")
        assert memory.status().dirty
        memory.sync()
        note.unlink()
        assert memory.status().dirty


def test_a_file_that_cannot_be_read_does_not_stay_dirty(tmp_path: Path) -> None:
    """A sync would do nothing about it."""
    workspace = _workspace(tmp_path)
    (workspace / "memory" / "picture.md").write_bytes(b"\0\1")
    with _opened(tmp_path, workspace) as memory:
        assert memory.sync().warnings
        assert not memory.status().dirty


def test_a_home_that_was_never_synced_is_dirty(tmp_path: Path) -> None:
    """Files and followed transcripts wait there."""
    workspace = _workspace(tmp_path)
    (workspace / "MEMORY.md").write_text("Green tea.\n", encoding="utf-8")
    with _opened(tmp_path, workspace) as memory:
        assert memory.status().dirty
    chats = _chats(tmp_path)
    with _opened(tmp_path / "other", None, {"workspace.transcripts": [str(chats)]}) as memory:
        assert memory.status().dirty
        memory.sync()
        assert not memory.status().dirty
        (chats / "notes.jsonl").write_text("no JSON\n", encoding="utf-8")
        memory.sync()
        assert not memory.status().dirty


def test_changed_settings_make_a_status_dirty(tmp_path: Path) -> None:
    """The index was built with others."""
    workspace = _workspace(tmp_path)
    (workspace / "MEMORY.md").write_text("Green tea.\n", encoding="utf-8")
    with _opened(tmp_path, workspace) as memory:
        memory.sync()
    with _opened(tmp_path, workspace, {"chunking.tokens": 200, "chunking.overlap": 20}) as memory:
        assert memory.status().index.outdated
        assert memory.status().dirty
        memory.sync()
        assert not memory.status().dirty


@pytest.mark.parametrize("live", [True, False])
def test_a_search_finds_the_lines_just_written_of_followed_transcripts(
    tmp_path: Path, live: bool
) -> None:
    """Whether the program stays or not; `sync.on_search` says whether it reads them."""
    chats = _chats(tmp_path)
    given = LEXICAL | {"workspace.transcripts": [str(chats)], "sync.watch": False}
    with recollect.open(tmp_path / "home", overrides=given, live=live) as memory:
        assert memory.search("kettle").hits
        with (chats / "a.jsonl").open("a", encoding="utf-8") as file:
            file.write(MORE)
        assert memory.search("teapot").hits
        with (chats / "a.jsonl").open("a", encoding="utf-8") as file:
            file.write(MORE.replace("teapot", "saucer"))
        assert memory.search("saucer").hits
    given["sync.on_search"] = False
    with recollect.open(tmp_path / "other", overrides=given, live=False) as memory:
        assert not memory.search("kettle").hits


def test_a_long_transcript_does_not_keep_a_search_waiting(tmp_path: Path) -> None:
    """What another thread reads at the moment is left to it, and said."""
    chats = _chats(tmp_path)
    with _opened(tmp_path, None, {"workspace.transcripts": [str(chats)]}) as memory:
        followed = memory._rooms.opened.maintenance._followed  # noqa: SLF001
        assert followed is not None
        with followed.reading:
            found = memory.search("kettle")
        assert not found.hits
        assert found.warnings == ["followed transcripts are still being read"]
        assert memory.search("kettle").warnings == []


def test_transcripts_that_cannot_be_stored_leave_a_search_its_answer(tmp_path: Path) -> None:
    """The files of the home may be read only by now."""
    chats = _chats(tmp_path)
    with _opened(tmp_path, None, {"workspace.transcripts": [str(chats)]}) as memory:
        memory.sync()
        with (chats / "a.jsonl").open("a", encoding="utf-8") as file:
            file.write(MORE)
        memory._rooms.records._writer.close()  # noqa: SLF001
        found = memory.search("kettle")
        assert found.hits
        assert any("followed transcripts" in warning for warning in found.warnings)


def test_the_pool_follows_the_transcripts_that_its_settings_name(tmp_path: Path) -> None:
    """From the first search after the change on; they are the home's, not those of an agent."""
    chats, home = _chats(tmp_path), tmp_path / "home"
    home.mkdir(mode=0o700)
    config = home / "config.yaml"
    config.write_text("embedding: {provider: none}\n", encoding="utf-8")
    with MemoryPool(home) as pool:
        assert not pool.memory().search("kettle").hits
        told = f"embedding: {{provider: none}}\nworkspace: {{transcripts: ['{chats}']}}\n"
        config.write_text(told, encoding="utf-8")
        assert pool.memory().search("kettle").hits
        assert not pool.memory("work").search("kettle").hits


def test_a_change_of_the_settings_leaves_a_memory_to_who_uses_it(tmp_path: Path) -> None:
    """It is closed when the last one has let go of it, or with the pool."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    config = home / "config.yaml"
    config.write_text("embedding: {provider: none}\n", encoding="utf-8")
    with MemoryPool(home) as pool:
        old = pool.memory()
        records = old._rooms.records  # noqa: SLF001
        config.write_text("embedding: {provider: none}\nsearch: {limit: 3}\n", encoding="utf-8")
        new = pool.memory()
        assert new is not old
        session = old.sessions.create(key="k")
        old.sessions.append(session.id, "user", "The kettle is blue.")
        assert old.search("kettle").hits
        assert new.search("kettle").hits
        del old
        with pytest.raises(StoreClosed):
            records.read(lambda tx: tx.row("SELECT 1"))
        kept = pool.memory()
        config.write_text("embedding: {provider: none}\n", encoding="utf-8")
        assert pool.memory() is not kept
    with pytest.raises(StoreClosed):
        kept.search("kettle")


def test_a_fallback_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Somebody counts on it."""
    given: dict[str, object] = {
        "embedding.provider": "openai",
        "embedding.fallback": "local",
        "embedding.model_path": str(tmp_path / "nothing"),
        "embedding.remote.api_key": "sk-test",
    }
    with recollect.open(tmp_path / "home", overrides=given, live=False) as memory:
        status = memory.status()
    assert status.fallback_error == "local: the local model is not installed"


def test_search_by_words_alone_is_no_warning_where_it_was_chosen(tmp_path: Path) -> None:
    """Who asks for vectors all the same hears why there are none."""
    with _opened(tmp_path) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append(session.id, "user", "The kettle is blue.")
        found = memory.search("kettle")
        assert (found.mode, found.warnings) == ("lexical", [])
        asked = memory.search("kettle", mode="vector")
    assert asked.warnings == ["embedding.provider is none: only words were compared"]
