"""Hooks of agent programs over real HTTP: their payloads in, what they honour out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.claude_hooks import ClaudeSession
from tests.support.running_server import RunningServer
from tests.unit.server.client import Client, folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A real server; each test has sessions and projects of its own."""
    with RunningServer(tmp_path_factory.mktemp("served") / "home") as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


def test_a_day_of_claude_code(client: Client, tmp_path: Path) -> None:
    """Issue 13.1: observations by hooks; the next session is given what was learnt."""
    monday = ClaudeSession(client, folder(tmp_path, "tea"))
    assert monday.start() == {}
    assert monday.prompt("Rename the retry helper and add a test.") == {}
    assert monday.before("Bash", command="git commit -m 'Fix the PATH of cron'") == {}
    assert (
        monday.tool("Bash", {"stdout": "1 file"}, command="git commit -m 'Fix the PATH of cron'")
        == {}
    )
    assert monday.stop("Renamed and tested.") == {}
    assert monday.end() == {}
    session = monday.session
    assert (session.source, session.foreign_id, session.key) == ("claude-code", monday.id, None)
    assert (session.agent, session.project, session.status) == (
        "claude-code",
        monday.folder,
        "archived",
    )
    assert [(each.event, each.type) for each in monday.observations] == [
        ("prompt", "tool_use"),
        ("tool", "bugfix"),
        ("answer", "tool_use"),
    ]
    tuesday = ClaudeSession(client, monday.folder)
    given = tuesday.start()["hookSpecificOutput"]
    assert given["hookEventName"] == "SessionStart"
    assert "Fix the PATH of cron" in given["additionalContext"]
