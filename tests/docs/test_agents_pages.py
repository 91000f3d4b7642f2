"""The pages about agents: their tables are those of the code, and every agent has a page."""

from __future__ import annotations

import re
from pathlib import Path

from recollect.integrations.agents import AGENTS
from recollect.integrations.codex.install import Codex
from recollect.integrations.gemini.install import Gemini
from recollect.integrations.installing import Setup
from recollect.integrations.mcp_clients.clients import CLIENTS

PAGES = Path(__file__).resolve().parents[2] / "docs" / "agents"


def page(name: str) -> str:
    """Return the text of a page."""
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_every_agent_has_a_row() -> None:
    """With the command that puts the memory into it."""
    commands = re.findall(r"^\| .* \| `recollect init ([\w-]+)` \|", page("index"), re.MULTILINE)
    assert set(commands) >= set(AGENTS)


def test_the_table_of_mcp_clients_is_that_of_the_code() -> None:
    """Name, file and place, in the same order."""
    rows = re.findall(r"^\| `([\w-]+)` \| `(.+)` \| `(\w+)` \|$", page("mcp"), re.MULTILINE)
    assert [(name, place) for name, _, place in rows] == [
        (each.name, each.key_path[0]) for each in CLIENTS
    ]
    for (_, file, _), client in zip(rows, CLIENTS, strict=True):
        assert file.endswith(client.path), file


def test_the_tables_of_events_are_those_that_are_installed(tmp_path: Path) -> None:
    """What a page says is remembered must be reported."""
    setup = Setup(home=tmp_path, python="/python3", hook="/hook.py")
    for agent in (Codex(), Gemini()):
        named = set(re.findall(r"^\| (`[A-Z]\w+`.*?) \|", page(agent.name), re.MULTILINE))
        events = {event for cell in named for event in re.findall(r"`(\w+)`", cell)}
        written = b"".join(change.after or b"" for change in agent.installation(setup).changes)
        installed = set(re.findall(rb" %b ([A-Z]\w+) --home" % agent.name.encode(), written))
        assert {event.decode() for event in installed} == events


def test_the_loop_of_the_page_has_thirty_lines() -> None:
    """The page says so."""
    example = (PAGES.parent / "examples" / "agent_loop.py").read_text(encoding="utf-8")
    shown = example.partition("# start\n")[2].partition("# end")[0]
    assert len([line for line in shown.splitlines() if line.strip()]) <= 30
