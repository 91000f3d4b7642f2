"""A memory narrowed to a scope answers as one that is opened with it, and shares what is open."""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect.aio.memory import AsyncMemoryPool
from recollect.core.errors import Denied, RecollectError, StoreClosed
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.pool import MemoryPool

CONFIG = """\
embedding: {{provider: none}}
workspace: {{path: {desk}}}
sessions:
  owner: ["telegram:42"]
  identity_links: ["ann=telegram:77", "ann=slack:9"]
  retention: {{max_sessions: 1}}
agents:
  work:
    search: {{limit: 3}}
    workspace: {{path: {work}}}
"""
AGENTS, PEOPLE, PROJECTS = ("main", "home", "work"), ("42", "77"), (None, "/p/tea", "/p/kiln")
SCOPES = [
    Scope(agent=agent, user=user, project=project)
    for agent, user, project in itertools.product(
        (None, *AGENTS), (None, "telegram:77", "ann"), (None, "/p/tea")
    )
]
SAID = st.lists(
    st.tuples(
        st.sampled_from(AGENTS),
        st.sampled_from(PEOPLE),
        st.sampled_from(PROJECTS),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


class Noon:
    """A clock that stands still: what is asked twice is of the same time."""

    def now_ms(self) -> int:
        """Return it."""
        return 1_770_681_600_000


def home_at(folder: Path) -> Path:
    """Return a home with an agent of own settings; it and the home have a workspace each."""
    for name in ("desk", "work"):
        (folder / name / "memory").mkdir(parents=True)
        text = f"# Apples\n\nThe apple of the {name} is red.\n"
        (folder / name / "MEMORY.md").write_text(text, encoding="utf-8")
    (folder / "home").mkdir(mode=0o700)
    config = CONFIG.format(work=folder / "work", desk=folder / "desk")
    (folder / "home" / "config.yaml").write_text(config, encoding="utf-8")
    return folder / "home"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """That home."""
    return home_at(tmp_path)


def _open(home: Path, scope: Scope | None = None, **options: Any) -> Memory:
    return recollect.open(home, scope=scope, live=False, clock=Noon(), **options)


def _say(memory: Memory, agent: str, peer: str, project: str | None, is_deed: bool) -> None:
    key = f"agent:{agent}:telegram:acc:direct:{peer}"
    session = memory.sessions.create(key=key, project=project)
    words = f"The apple that {peer} of {agent} picked for {project} fell."
    memory.sessions.append_many(session.id, [("user", words), ("assistant", "Noted.")])
    if is_deed:
        memory.observations.record(session.id, "Read", input={"path": "apple.txt"}, summary=words)


def _tried(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except RecollectError as error:
        return type(error), error.message


def _answers(memory: Memory, ids: list[str], names: list[str]) -> dict[str, Any]:
    """Return what every surface says, in plain values."""
    found = memory.search("apple", 50, 0.0)
    said: dict[str, Any] = {
        "search": found,
        "lines": memory.lines(found),
        "get": memory.get(names),
        "read": [_tried(partial(memory.read, p)) for p in ("MEMORY.md", "memory/none.md")],
        "sessions": memory.sessions.list(),
        "observations": memory.observations.list(),
        "projects": memory.projects.list(),
        "pauses": memory.capture.pauses(),
        "events": list(memory.events.since()),
        "latest": memory.events.latest(5),
        "prune": memory.prune(dry_run=True),
        "settings": memory.settings,
        "workspace": memory.workspace,
        "import": _tried(partial(memory.import_transcripts, "/nowhere")),
    }
    for id_ in ids:
        asked: dict[str, Callable[[], Any]] = {
            "session": partial(memory.sessions.get, id_),
            "messages": partial(memory.sessions.messages, id_),
            "export": lambda: list(memory.export_session(id_, "jsonl").lines()),  # noqa: B023
            "erase": partial(memory.erase, session_id=id_, dry_run=True),
            "heard": partial(memory.search, "apple", for_session=id_),
            "around": partial(memory.observations.timeline, query="apple", for_session=id_),
            "context": partial(memory.context, id_, record=False),
        }
        said |= {f"{name} {id_}": _tried(call) for name, call in asked.items()}
    return {name: _plain(value) for name, value in said.items()}


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, enc_hook=str)


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(said=SAID, scope=st.sampled_from(SCOPES), further=st.sampled_from(SCOPES))
def test_a_narrowed_memory_answers_as_one_that_is_opened_with_the_scope(
    tmp_path_factory: pytest.TempPathFactory,
    said: list[tuple[str, str, str | None, bool]],
    scope: Scope,
    further: Scope,
) -> None:
    """Every surface, of what any history left; also when it is narrowed once more."""
    folder = tmp_path_factory.mktemp("within")
    home = home_at(folder)
    with _open(home) as memory:
        for each in said:
            _say(memory, *each)
        ids = [session.id for session in memory.sessions.list(limit=100)]
        names = [f"#{n}" for n in range(1, 9)] + [f"m{n}" for n in range(1, 17)]
        narrow = memory.within(scope)
        _compare(narrow, home, ids, names)
        twice = narrow.scope.narrowed(memory.sessions.links.scope_of(further))
        if twice is not None:
            _compare(narrow.within(further), home, ids, names)
        else:
            with pytest.raises(Denied):
                narrow.within(further)


def _compare(narrow: Memory, home: Path, ids: list[str], names: list[str]) -> None:
    with _open(home, narrow.scope) as opened:
        narrow.sync()
        opened.sync()
        assert _answers(narrow, ids, names) == _answers(opened, ids, names)


def test_a_narrowed_memory_shares_what_is_open(home: Path) -> None:
    """Databases, models and the work in the background; an agent's own index is opened once."""
    with _open(home) as memory:
        narrow = memory.within(Scope(user="telegram:77"))
        mine, theirs = memory._rooms, narrow._rooms  # noqa: SLF001
        assert theirs.records is mine.records
        assert theirs.opened.database is mine.opened.database
        assert theirs.opened.maintenance is mine.opened.maintenance
        assert theirs.mirror is mine.mirror
        work = memory.within(Scope(agent="work"))._rooms  # noqa: SLF001
        again = narrow.within(Scope(agent="work", project="/p/tea"))._rooms  # noqa: SLF001
        assert work.records is mine.records
        assert work.opened.database is again.opened.database
        assert work.opened.database is not mine.opened.database


def test_closing_a_narrowed_memory_does_nothing(home: Path) -> None:
    """Neither to its origin nor to itself: it ends with the origin, those of agents too."""
    with _open(home) as memory:
        with (
            memory.within(Scope(user="telegram:77")) as narrow,
            memory.within(Scope(agent="work")) as work,
        ):
            _say(memory, "main", "77", None, is_deed=True)
        _say(memory, "main", "77", None, is_deed=True)
        assert len(narrow.sessions.list()) == 2
        recorded = list(narrow.events.since())[1:]
        events = narrow.events.follow(0)
        assert next(events).seq == 1
    for closed in (narrow, work):
        with pytest.raises(StoreClosed):
            closed.search("apple")
        with pytest.raises(StoreClosed):
            closed.read("MEMORY.md")
    assert list(events) == recorded


def test_nothing_outside_of_the_scope_can_be_asked_for(home: Path) -> None:
    """Another owner is refused, and so is what takes in the whole home."""
    with _open(home) as memory:
        narrow = memory.within(Scope(agent="home"))
        for wanted in (
            Scope(agent="work"),
            Scope(tenant="acme"),
            Scope(agent="work", user="telegram:77"),
        ):
            with pytest.raises(Denied, match="another owner"):
                narrow.within(wanted)
        with pytest.raises(Denied, match="the whole home"):
            narrow.backup(home.parent / "b.recollect")
        with pytest.raises(Denied, match="the whole home"):
            narrow.scrub()
        assert memory.within(Scope()).backup(home.parent / "b.recollect").path


def test_a_sync_of_one_serves_all_that_are_narrowed(home: Path) -> None:
    """As long as somebody holds them; a rebuild does too."""
    with _open(home) as memory:
        narrow = memory.within(Scope(user="telegram:77"))
        memory.sync()
        assert memory.status().files == 2
        (home.parent / "desk" / "memory" / "pear.md").write_text("A pear.\n", encoding="utf-8")
        narrow.sync()
        assert memory.status().files == 4
        memory.reindex()
        assert memory.status().files == 4
        assert [hit.path for hit in narrow.search("pear").hits] == ["memory/pear.md"]
        del narrow
        gc.collect()
        memory.reindex()
        assert memory.status().files == 2


def test_the_pool_opens_a_home_once_for_all_tenants(home: Path) -> None:
    """Another tenant has its own rows, and memory files only where it is given a folder."""
    with MemoryPool(home) as pool:
        mine, theirs = pool.memory(), pool.memory(scope=Scope(tenant="acme"))
        given_one = pool.memory(workspace=home.parent / "work", scope=Scope(tenant="acme"))
        assert pool.memory(scope=Scope(tenant="acme")) is theirs
        for memory in (mine, theirs):
            session = memory.sessions.create(key="agent:main:main")
            memory.sessions.append(session.id, "user", f"An apple for {memory.scope.tenant}.")
        assert theirs._rooms.records is mine._rooms.records  # noqa: SLF001
        assert theirs.workspace is None
        found = {hit.source for hit in mine.search("apple").hits}
        assert found == {"memory", "sessions"}
        assert [hit.snippet for hit in theirs.search("apple").hits] == ["An apple for acme."]
        paths = [hit.path for hit in given_one.search("apple").hits]
        assert set(paths) == {"MEMORY.md", None}
        assert {each.event.scope.tenant for each in theirs.events.since()} == {"acme"}
        with pytest.raises(Denied):
            mine.within(Scope(tenant="acme"))


@pytest.mark.parametrize("agent", [None, "work"])
def test_settings_of_a_pool_give_no_other_tenant_the_files(home: Path, agent: str | None) -> None:
    """A folder that is given to one memory of another tenant is that memory's alone."""
    desk, work = home.parent / "desk", home.parent / "work"
    overrides = {"workspace.path": str(desk), "workspace.extra_paths": [str(work / "MEMORY.md")]}
    acme = Scope(tenant="acme", agent=agent)
    with MemoryPool(home, overrides) as pool:
        mine, theirs = pool.memory(agent), pool.memory(scope=acme)
        given_one = pool.memory(workspace=work, scope=acme)
        assert (mine.workspace, theirs.workspace, given_one.workspace) == (desk, None, work)
        assert [found.search("apple red").hits != [] for found in (mine, theirs)] == [True, False]
        assert {hit.source for hit in given_one.search("apple red").hits} == {"memory"}
        assert theirs.within(Scope(tenant="acme", agent=agent, project="/p/tea")).workspace is None


def test_the_settings_of_an_agent_are_followed(home: Path) -> None:
    """A memory that was narrowed before stays as it was, and open."""
    config = home / "config.yaml"
    with _open(home) as memory:
        old = memory.within(Scope(agent="work"))
        config.write_text(config.read_text("utf-8").replace("limit: 3", "limit: 4"), "utf-8")
        new = memory.within(Scope(agent="work"))
        assert (old.settings.search.limit, new.settings.search.limit) == (3, 4)
        assert old.search("apple").hits
        index = old._rooms.opened.database  # noqa: SLF001
        del old
        gc.collect()
        with pytest.raises(StoreClosed):
            index.read(lambda tx: tx.row("SELECT 1"))
        assert new.search("apple").hits


def test_the_asynchronous_twin_is_narrowed_alike(home: Path) -> None:
    """Closing what was narrowed leaves the calls of the others their threads."""

    async def run() -> None:
        async with recollect.open_async(home, live=False) as memory:
            async with await memory.within(Scope(agent="home")) as narrow:
                session = await narrow.sessions.create(key="agent:home:main")
                await narrow.sessions.append(session.id, "user", "An apple.")
            assert len((await memory.search("an apple", sources=["sessions"])).hits) == 1
            assert narrow.scope == Scope(agent="home")
            assert (await narrow.search("apple")).hits
        async with AsyncMemoryPool(home) as pool:
            theirs = await pool.memory(scope=Scope(tenant="acme"))
            assert not (await theirs.search("apple")).hits

    asyncio.run(run())
