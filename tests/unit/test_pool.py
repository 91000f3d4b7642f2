"""The pool: one open memory for each agent and workspace, with the settings of that agent."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.core.errors import ConfigError, NotFound, StoreClosed
from recollect.pool import MemoryPool

CONFIG = """\
embedding:
  provider: none
search:
  limit: 9
agents:
  work:
    search:
      limit: 2
    chunking:
      tokens: 100
    workspace:
      path: {work}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with an agent `work`, whose workspace holds one note."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("The boiler is serviced in October.\n", encoding="utf-8")
    (tmp_path / "home").mkdir(mode=0o700)
    config = CONFIG.format(work=workspace)
    (tmp_path / "home" / "config.yaml").write_text(config, encoding="utf-8")
    return tmp_path / "home"


@pytest.fixture
def pool(home: Path) -> Iterator[MemoryPool]:
    """The pool of that home."""
    with MemoryPool(home) as opened:
        yield opened


def test_an_agent_is_opened_once(pool: MemoryPool) -> None:
    """In any spelling of its name; another agent and another workspace are other memories."""
    memory = pool.memory("work")
    assert pool.memory("Work") is memory
    assert pool.memory("other") is not memory
    assert pool.memory("work", pool.home.parent / "work") is not memory


def test_each_agent_has_its_own_settings(pool: MemoryPool) -> None:
    """What it does not set is as for everybody."""
    assert pool.memory("work").settings.search.limit == 2
    assert pool.memory("other").settings.search.limit == 9
    assert pool.memory().settings.search.limit == 9


def test_an_agent_with_settings_has_an_index_of_its_own(pool: MemoryPool) -> None:
    """With its files and its sessions, and nobody else's."""
    work, everybody = pool.memory("work"), pool.memory()
    mine = work.sessions.create(key="agent:work:telegram:acc:direct:42")
    other = everybody.sessions.create(key="agent:home:telegram:acc:direct:42")
    work.sessions.append(mine.id, "user", "The boiler rattles again.")
    everybody.sessions.append(other.id, "user", "The boiler of the neighbours rattles too.")
    assert (pool.home / "agents" / "work" / "index.db").is_file()
    assert {hit.source for hit in work.search("boiler").hits} == {"memory", "sessions"}
    assert {hit.session_id for hit in work.search("boiler rattles").hits} == {mine.id, None}
    assert work.status().index.documents["sessions"] == 1
    found = {hit.session_id for hit in everybody.search("boiler rattles").hits}
    assert found == {mine.id, other.id}


def test_a_change_of_the_settings_gives_a_new_memory(pool: MemoryPool) -> None:
    """Those of other agents stay open."""
    work, other = pool.memory("work"), pool.memory("other")
    path = pool.home / "config.yaml"
    path.write_text(path.read_text("utf-8").replace("limit: 2", "limit: 4"), encoding="utf-8")
    assert pool.memory("work") is not work
    assert pool.memory("work").settings.search.limit == 4
    assert pool.memory("other") is other


def test_old_settings_close_with_their_last_memory(pool: MemoryPool) -> None:
    """At once: what rooms keep does not keep them, so no collector has to find a circle."""
    old, narrow, agent = pool.memory(), pool.memory(agent="other"), pool.memory(agent="work")
    for memory in (old, narrow, agent):
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "The boiler is loud.")
        memory.observations.record(session.id, "Bash", summary="looked at the boiler")
        assert memory.search("boiler").hits
        assert memory.context(session.id, "boiler").text
        assert next(memory.export().lines())
        memory.prune(dry_run=True)
        memory.erase(session_id=session.id, dry_run=True)
        with pytest.raises(NotFound):
            memory.import_transcripts("/nowhere")
    del memory
    path = pool.home / "config.yaml"
    path.write_text(path.read_text("utf-8").replace("limit: 9", "limit: 7"), "utf-8")
    records = old._rooms.records  # noqa: SLF001
    assert pool.memory() is not old
    gc.disable()
    try:
        del old, narrow
        records.read(lambda tx: tx.row("SELECT 1"))  # an agent's memory uses them still
        del agent
        with pytest.raises(StoreClosed):
            records.read(lambda tx: tx.row("SELECT 1"))
    finally:
        gc.enable()


def test_a_mistake_in_the_settings_leaves_what_is_open(pool: MemoryPool) -> None:
    """It is told, and can be corrected."""
    memory = pool.memory("work")
    path = pool.home / "config.yaml"
    good = path.read_text("utf-8")
    path.write_text(good + "nonsense: 1\n", encoding="utf-8")
    with pytest.raises(ConfigError):
        pool.memory("work")
    path.write_text(good, encoding="utf-8")
    assert pool.memory("work") is memory


def test_a_closed_pool_opens_nothing(home: Path) -> None:
    """What it held is closed with it."""
    pool = MemoryPool(home)
    memory = pool.memory("work")
    pool.close()
    pool.close()
    with pytest.raises(StoreClosed):
        pool.memory("work")
    with pytest.raises(StoreClosed):
        memory.search("boiler")
