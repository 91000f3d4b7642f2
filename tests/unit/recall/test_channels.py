"""Channels, and the memory files that somebody may read: what lists narrow to."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory

TELEGRAM, GROUP = "agent:main:telegram:acc:direct:42", "agent:main:telegram:group:-7"
DISCORD = "agent:main:discord:acc:direct:9"


def found(memory: Memory, channel: str | None, **given: object) -> set[str]:
    """Return the first words of what a search finds on a channel."""
    result = memory.search("tea", 50, channel=channel, **given)  # type: ignore[arg-type]
    return {hit.snippet.split()[0] for hit in result.hits}


def test_a_search_keeps_to_a_channel(tmp_path: Path) -> None:
    """Seed 000: `channel` filters by telegram, whatsapp, discord."""
    overrides = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=overrides, live=False) as memory:
        sessions = memory.sessions
        said = {key: sessions.create(key=key).id for key in (TELEGRAM, GROUP, DISCORD)}
        said["none"] = sessions.create().id
        for key, word in zip(said, ("one", "many", "other", "home"), strict=True):
            sessions.append(said[key], "user", f"{word} cup of tea")
        memory.observations.record(said[TELEGRAM], summary="brewed tea")
        fork = sessions.fork(said[TELEGRAM])
        sessions.append(fork.id, "user", "forked tea")
        gone = sessions.create(key="agent:main:telegram:acc:direct:43")
        sessions.append(gone.id, "user", "deleted tea")
        sessions.set_status(gone.id, "deleted")
        assert found(memory, "telegram") == {"one", "many", "brewed", "forked"}
        assert found(memory, "discord") == {"other"}
        with pytest.raises(NotFound) as caught:
            found(memory, "signal")
        assert caught.value.hint == "use one of discord, telegram"
        assert found(memory, "signal", for_session=said[GROUP]) == set()
        assert found(memory, None) == {"one", "many", "other", "home", "brewed", "forked"}
        assert found(memory, "telegram", for_session=said[GROUP]) == {"many"}
        one = Scope(session=said[DISCORD])
        assert found(memory, "discord", scope=one) == {"other"}
        assert found(memory, "telegram", scope=one) == set()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Some memory files, and one that is none."""
    folder = tmp_path / "workspace"
    (folder / "memory" / "shared").mkdir(parents=True)
    for path in ("MEMORY.md", "memory/2026-05-04.md", "memory/shared/tea.md", "notes.txt"):
        (folder / path).write_text("tea\n", "utf-8")
    return folder


def test_memory_files_are_listed_for_those_who_may_read_them(
    tmp_path: Path, workspace: Path
) -> None:
    """DESIGN section 8: every surface answers only what the asking session may hear."""
    overrides = {
        "embedding.provider": "none",
        "sessions.owner": ["telegram:42"],
        "sessions.guests_read": ["memory/shared/**"],
    }
    home = tmp_path / "home"
    with recollect.open(home, workspace, overrides=overrides, live=False) as memory:
        every = ["MEMORY.md", "memory/2026-05-04.md", "memory/shared/tea.md"]
        assert memory.files() == every
        for key, files in ((TELEGRAM, every), (DISCORD, every[2:]), (GROUP, [])):
            session = memory.sessions.create(key=key).id
            assert memory.files(for_session=session) == files
        shared = memory.sessions.create(key="agent:main:main").id
        assert memory.files(for_session=shared, for_sender="discord:9") == every[2:]
        with pytest.raises(InvalidInput):
            memory.files(for_sender="discord:9")
    with recollect.open(home, live=False) as memory:
        assert memory.files() == []
