"""Who works in the background of a home works for all tenants and agents."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.clock import DAY_MS
from recollect.core.scope import Scope
from recollect.pool import MemoryPool
from tests.integration.background.test_one_worker import until

CONFIG = """\
embedding: {{provider: none}}
sessions: {{retention: {{days: 30}}}}
agents:
  work:
    sessions: {{retention: {{days: 900}}}}
    workspace: {{path: {work}}}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose agent `work` keeps more than the others, and has a workspace."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "MEMORY.md").write_text("The kiln is cold.\n", encoding="utf-8")
    (tmp_path / "home").mkdir(mode=0o700)
    config = CONFIG.format(work=tmp_path / "work")
    (tmp_path / "home" / "config.yaml").write_text(config, encoding="utf-8")
    return tmp_path / "home"


class LongAgo:
    """The clock of who wrote what is too old by now."""

    def now_ms(self) -> int:
        """Return a moment of 2024."""
        return 1_770_681_600_000 - 700 * DAY_MS


class Today:
    """The clock of who works."""

    def now_ms(self) -> int:
        """Return a moment of 2026."""
        return 1_770_681_600_000


def _say(
    home: Path, agent: str, tenant: str = "local", clock: LongAgo | Today | None = None
) -> str:
    scope = Scope(tenant=tenant)
    with recollect.open(home, scope=scope, live=False, clock=clock) as memory:
        session = memory.sessions.create(key=f"agent:{agent}:main")
        memory.sessions.append(session.id, "user", "The kiln is hot.")
        return session.id


def _documents(home: Path, agent: str) -> dict[str, int]:
    """Return what is indexed, without indexing anything."""
    with recollect.open(home, scope=Scope(agent=agent), live=False) as memory:
        return memory.status().index.documents


def test_a_worker_indexes_for_agents_with_an_index_of_their_own(home: Path) -> None:
    """Their memory files too, before anybody asks."""
    _say(home, "work")
    with MemoryPool(home, role="worker"):
        until(lambda: _documents(home, "work") == {"memory": 1, "sessions": 1})
        until(lambda: _documents(home, "other") == {"sessions": 1})


@pytest.mark.parametrize("agent", [None, "work"])
def test_a_library_works_for_agents_that_it_is_not_of(home: Path, agent: str | None) -> None:
    """With the settings of the home for them, not its own."""
    _say(home, "work")
    _say(home, "other")
    given = {"search.limit": 7}
    with recollect.open(home, scope=Scope(agent=agent), overrides=given) as memory:
        memory.search("kiln")
        until(lambda: _documents(home, "work") == {"memory": 1, "sessions": 1})
        until(lambda: _documents(home, "other") == {"sessions": 2})
        assert memory.within(Scope(agent="work")).settings.search.limit == 7


def test_caps_are_kept_for_every_tenant_and_by_the_settings_of_each_agent(home: Path) -> None:
    """The rows of an agent with caps of its own are left to them."""
    old, kept = _say(home, "main", clock=LongAgo()), _say(home, "work", clock=LongAgo())
    theirs = _say(home, "main", "acme", clock=LongAgo())
    with recollect.open(home, clock=Today()) as memory:
        memory.search("kiln")
        until(lambda: _is_gone(home, old) and _is_gone(home, theirs, "acme"))
        assert memory.sessions.get(kept).status == "active"


def _is_gone(home: Path, session_id: str, tenant: str = "local") -> bool:
    with recollect.open(home, scope=Scope(tenant=tenant), live=False) as memory:
        return session_id not in {each.id for each in memory.sessions.list(limit=10)}
