"""A client that works in a folder: its project comes first, and every hit says where it is from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

import recollect
from recollect.caller import Callers
from recollect.core.errors import Conflict
from recollect.mcp.server import make_server
from recollect.pool import MemoryPool
from recollect.sessions.lifecycle import ForeignName
from tests.integration.mcp.conftest import WORDS_ONLY, Home, answer, call, failure

SAID = "The deploy key of the kite service is in the vault"


class Work:
    """A home with three projects; in one of them every session has ended."""

    def __init__(self, root: Path) -> None:
        self.home, self.names = root / "home", ("shop", "blog", "empty")
        self.folders = {name: root / "src" / name for name in self.names}
        for folder in self.folders.values():
            (folder / ".git").mkdir(parents=True)
            (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
        self.sessions: dict[str, str] = {}
        with recollect.open(self.home, overrides=WORDS_ONLY, live=False) as memory:
            for name, agent in (("shop", "claude-code"), ("blog", "codex")):
                foreign = ForeignName(source=agent, id=name)
                session = memory.sessions.hooked(foreign, str(self.folders[name])).session.id
                memory.sessions.rename(session, f"Work on the {name}")
                memory.sessions.append(session, "user", f"{SAID}, says the {name}.")
                memory.observations.record(
                    session, type="decision", summary=f"kite {name}", importance=0.9
                )
                self.sessions[name] = session
            memory.sessions.set_status(self.sessions["shop"], "archived")
            memory.sync()

    def ask(self, folder: Path | None, tool: str, **given: Any) -> Any:
        """Return what a tool answers to the owner's client in a folder."""

        async def talk(pool: MemoryPool) -> Any:
            caller = Callers(pool).local("owner", "write", folder=folder)
            async with Client(make_server(lambda _: caller)) as client:
                return await client.call_tool(tool, given)

        with MemoryPool(self.home, WORDS_ONLY) as pool:
            return anyio.run(talk, pool)

    def hits(self, folder: Path | None, **given: Any) -> list[dict[str, Any]]:
        """Return the hits of a search for the key, messages alone."""
        given = {"query": "deploy key of the kite service", "sources": ["sessions"]} | given
        return list(answer(self.ask(folder, "memory_search", **given))["results"])


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """Return a home with projects."""
    return Work(tmp_path)


@pytest.mark.parametrize("name", ["shop", "blog"])
def test_the_project_at_hand_comes_first_and_others_are_found(work: Work, name: str) -> None:
    """Issue 23, 4: also from a folder below, and each hit names its project and session."""
    below = work.folders[name] / "src"
    below.mkdir()
    for folder in (work.folders[name], below):
        hits = work.hits(folder)
        assert [hit["project"] for hit in hits] == sorted(("shop", "blog"), key=name.__ne__)
        assert hits[0]["sessionTitle"] == f"Work on the {name}"
        assert hits[0]["score"] > hits[1]["score"]


def test_all_prefers_none_and_a_name_narrows(work: Work) -> None:
    """Issue 23, 4: project: all or a name widen or narrow."""
    folder = work.folders["shop"]
    assert len({hit["score"] for hit in work.hits(folder, project="all")}) == 1
    assert len({hit["score"] for hit in work.hits(None)}) == 1
    assert [hit["project"] for hit in work.hits(folder, project="blog")] == ["blog"]
    assert len({hit["score"] for hit in work.hits(Path("/"))}) == 1


def test_timelines_stay_in_the_project_at_hand(work: Work) -> None:
    """Around a question, and around a moment as long as there is something."""
    for name in ("shop", "blog"):
        query = {"query": "deploy key of the kite service"}
        found = answer(work.ask(work.folders[name], "timeline", **query))
        assert {line["project"] for line in found["lines"]} == {name}
        found = answer(work.ask(work.folders[name], "timeline", anchor="2020-01-01T00:00:00Z"))
        assert {line["project"] for line in found["lines"]} == {name}
    since = {"anchor": "2020-01-01T00:00:00Z"}
    for folder, more in ((work.folders["shop"], {"project": "all"}), (work.folders["empty"], {})):
        found = answer(work.ask(folder, "timeline", **since, **more))
        assert {line["project"] for line in found["lines"]} == {"shop", "blog"}


def test_the_context_is_that_of_the_project_though_its_sessions_ended(work: Work) -> None:
    """Issue 23, 4: ended sessions count; never another window's project."""
    found = answer(work.ask(work.folders["shop"], "session_context"))
    assert found["session"] == work.sessions["shop"]
    assert "kite shop" in found["text"]
    assert "kite blog" not in found["text"]
    found = answer(work.ask(None, "session_context"))
    assert found["session"] in work.sessions.values()
    new = answer(work.ask(work.folders["empty"], "session_context"))
    assert "session" not in new
    assert "kite" not in new["text"]
    with recollect.open(work.home, overrides=WORDS_ONLY, live=False) as memory:
        memory.sessions.set_status(work.sessions["blog"], "archived")
    found = answer(work.ask(None, "session_context"))
    assert found["session"] in work.sessions.values()


def test_a_name_that_several_have_is_an_error_that_names_them(work: Work, tmp_path: Path) -> None:
    """Issue 23, 3: of a session that two agents have, and of a project; never an empty answer."""
    other = tmp_path / "old" / "shop"
    other.mkdir(parents=True)
    with recollect.open(work.home, overrides=WORDS_ONLY, live=False) as memory:
        made = [memory.sessions.open(f"agent:{a}:notes", owner=True).id for a in ("one", "two")]
        alone = memory.sessions.open("agent:one:alone", owner=True).id
        memory.sessions.create(project=str(other))
        with pytest.raises(Conflict, match="2 sessions have this name") as several:
            memory.sessions.find("notes")
        named = zip(made, ("one", "two"), strict=True)
        assert all(f"{id_} of {agent}" in several.value.hint for id_, agent in named)
        assert memory.sessions.find("alone").id == alone
    # On whose behalf is asked is never guessed: a plain name may be a guest's.
    for name in ("notes", "alone"):
        assert "not_found" in failure(work.ask(None, "session_context", session=name))
    told = failure(work.ask(None, "memory_search", query="kite", project="shop"))
    assert "2 projects have this name (conflict)" in told
    assert str(other) in told
    assert str(work.folders["shop"]) in told


def test_a_client_over_stdio_works_in_its_folder(home: Home, work: Work) -> None:
    """The folder is that of the process, as the client starts it."""
    config = home.folder / "config.yaml"
    (work.home / "config.yaml").write_text(config.read_text("utf-8"), "utf-8")

    async def talk() -> Any:
        command = home.command("--as", "owner")
        command.args[3], command.cwd = str(work.home), work.folders["blog"]
        async with Client(stdio_client(command)) as client:
            return await call("session_context")(client)

    assert answer(anyio.run(talk))["session"] == work.sessions["blog"]
