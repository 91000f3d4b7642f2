"""The pages about agents: their tables are those of the code, and every agent has a page."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from recollect.integrations.agents import AGENTS, integration_of
from recollect.integrations.codex.install import Codex
from recollect.integrations.gemini.install import Gemini
from recollect.integrations.installing import Setup
from recollect.integrations.mcp_clients.clients import CLIENTS
from recollect.integrations.opencode.install import PLUGIN
from recollect.integrations.opencode.payloads import EVENTS
from recollect.server.routes.client_hooks import CLIENTS as CLIENTS_BY_NAME

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


@pytest.mark.parametrize("name", ["cursor", "windsurf", "copilot"])
def test_the_events_of_documented_clients_are_those_that_are_installed(
    name: str, tmp_path: Path
) -> None:
    """What a page says is remembered must be reported."""
    agent = integration_of(name)
    table = page(name).partition("## What is remembered")[2].partition("\n\nWhat ")[0]
    cells = re.findall(r"^\| (`\w+`.*?) \|", table, re.MULTILINE)
    events = {event for cell in cells for event in re.findall(r"`(\w+)`", cell)}
    setup = Setup(home=tmp_path, python="/python3", hook="/hook.py")
    written = b"".join(change.after or b"" for change in agent.installation(setup).changes)
    installed = set(re.findall(rb" %b (\w+) --home" % name.encode(), written))
    assert {event.decode() for event in installed} == events


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("cursor", "beforeSubmitPrompt"),
        ("windsurf", "post_run_command"),
        ("copilot", "postToolUse"),
        ("opencode", "prompt"),
    ],
)
def test_the_example_of_a_page_is_read_as_it_says(name: str, event: str) -> None:
    """The payload as printed, and the line below it."""
    payload = json.loads(page(name).partition("```json\n")[2].partition("```")[0])
    line = page(name).partition("```text\n")[2].partition("```")[0].strip()
    read = CLIENTS_BY_NAME[name].read(event, payload)
    told = read.text or f"{read.tool_name} {json.dumps(read.input)}"
    assert line == f"{name} {read.moment} {read.foreign_id} {read.project_path}: {told}"


def test_the_events_of_opencode_are_those_of_its_plugin() -> None:
    """The plugin and the page name the same six."""
    plugin = files("recollect.integrations.opencode") / "plugin" / PLUGIN
    reported = set(re.findall(r'report\("(\w+)"', plugin.read_text(encoding="utf-8")))
    rows = re.findall(r"^\| `(\w+)` \|", page("opencode"), re.MULTILINE)
    assert set(rows) == reported == set(EVENTS)


def test_the_loop_of_the_page_has_thirty_lines() -> None:
    """The page says so."""
    example = (PAGES.parent / "examples" / "agent_loop.py").read_text(encoding="utf-8")
    shown = example.partition("# start\n")[2].partition("# end")[0]
    assert len([line for line in shown.splitlines() if line.strip()]) <= 30
