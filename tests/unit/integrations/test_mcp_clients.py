"""`recollect init mcp`: the entry of the MCP server in the file of any client."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput, NotFound
from recollect.integrations.agent_finding import found_agents
from recollect.integrations.agents import integration_of
from recollect.integrations.codex.install import Codex
from recollect.integrations.installing import Setup, apply, removal
from recollect.integrations.mcp_clients.clients import CLIENTS, McpClient, client_named
from recollect.integrations.mcp_clients.install import McpEntry


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A user with an empty home directory and nothing on the PATH."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    home = tmp_path / ".recollect"
    home.mkdir()
    return Setup(home=home, python="/usr/bin/python3", hook="/hook.py")


EXISTING = {
    ".json": '{\n\t"other": {"a": [1, 2]},\n\t"mcpServers": {"mine": {"command": "x"}}\n}',
    ".toml": 'model = "x"\n\n[mcp_servers.mine]\ncommand = "x"',
}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "existing"])
def test_an_entry_is_written_and_leaves_the_file_as_it_was(
    client: McpClient, is_new: bool, setup: Setup
) -> None:
    """In the place and the shape of each client."""
    if not is_new:
        client.file.parent.mkdir(parents=True)
        client.file.write_text(EXISTING[client.file.suffix], encoding="utf-8")
    before = sorted(setup.home.parent.rglob("*"))
    entry = McpEntry(client_named(client.name))
    apply(setup.home, entry.installation(setup))
    text = client.file.read_text()
    found = tomllib.loads(text) if client.file.suffix == ".toml" else json.loads(text)
    for key in (*client.key_path, "recollect"):
        found = found[key]
    command = found["command"]
    words = command if isinstance(command, list) else [command, *found["args"]]
    assert words == [
        *["/usr/bin/python3", "-m", "recollect", "--home", str(setup.home)],
        *["mcp", "--as", "shared"],
    ]
    apply(setup.home, removal(setup.home, f"mcp-{client.name}"))
    assert sorted(setup.home.parent.rglob("*")) == before
    assert is_new or client.file.read_text() == EXISTING[client.file.suffix]


def test_what_is_printed_is_what_would_be_written(setup: Setup) -> None:
    """For those who keep their settings elsewhere."""
    cursor = McpEntry(client_named("cursor"))
    (change,) = cursor.installation(setup).changes
    assert change.after == cursor.text(setup).encode()
    assert tomllib.loads(McpEntry(client_named("codex")).text(setup))["mcp_servers"]["recollect"]


def test_the_user_says_whom_a_client_hears(setup: Setup) -> None:
    """Nobody but guests' things without a word; a typo is no audience."""
    chosen = Setup(home=setup.home, python=setup.python, hook=setup.hook, options={"as": "owner"})
    assert '"owner"' in McpEntry(client_named("zed")).text(chosen)
    wrong = Setup(home=setup.home, python=setup.python, hook=setup.hook, options={"as": "me"})
    with pytest.raises(InvalidInput):
        McpEntry(client_named("zed")).text(wrong)


@pytest.mark.parametrize(
    ("given", "name"),
    [("VS Code", "vscode"), ("claude-desktop", "claude-desktop"), ("LMStudio", "lm-studio")],
)
def test_a_client_is_found_as_people_write_it(given: str, name: str) -> None:
    """Case, blanks and dashes do not matter."""
    assert client_named(given).name == name


def test_an_unknown_client_has_the_nearest_names_in_the_hint() -> None:
    """And one that is near nothing has all."""
    with pytest.raises(InvalidInput) as near:
        client_named("curser")
    assert "name one of cursor" in str(near.value.hint)
    with pytest.raises(InvalidInput) as far:
        client_named("emacs-42")
    assert all(each.name in str(far.value.hint) for each in CLIENTS)


def test_a_settings_file_with_comments_keeps_them(setup: Setup) -> None:
    """Zed's settings have them from the start."""
    zed = client_named("zed").file
    zed.parent.mkdir(parents=True)
    text = '// Zed settings\n{\n  "theme": "One", // light\n}\n'
    zed.write_text(text, encoding="utf-8")
    apply(setup.home, McpEntry(client_named("zed")).installation(setup))
    assert zed.read_text().startswith('// Zed settings\n{\n  "theme": "One", // light\n  "context')
    apply(setup.home, removal(setup.home, "mcp-zed"))
    assert zed.read_text() == text


def test_agents_are_found_by_their_folders_and_programs_and_never_started(setup: Setup) -> None:
    """And no more once they have their memory."""
    assert found_agents(setup.home) == []
    user = setup.home.parent
    for folder in (".gemini", ".cursor", ".kiro/settings", ".continue"):
        (user / folder).mkdir(parents=True)
    program = user / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ntouch started\n")
    program.chmod(0o755)
    assert [(each.name, each.command) for each in found_agents(setup.home)] == [
        ("codex", "recollect init codex"),
        ("cursor", "recollect init cursor"),
        ("gemini", "recollect init gemini"),
        ("continue", "recollect init mcp --client continue"),
        ("kiro", "recollect init mcp --client kiro"),
    ]
    apply(setup.home, Codex().installation(setup))
    apply(setup.home, McpEntry(client_named("kiro")).installation(setup))
    assert [each.name for each in found_agents(setup.home)] == ["cursor", "gemini", "continue"]
    assert not list(user.rglob("started"))


def test_an_agent_that_is_not_known_has_the_nearest_name_in_the_hint() -> None:
    """And the way for all others; what has its own integration is not made an MCP client."""
    with pytest.raises(NotFound) as near:
        integration_of("gemni")
    assert "name gemini" in str(near.value.hint)
    with pytest.raises(InvalidInput) as unnamed:
        integration_of("mcp")
    assert "--client" in str(unnamed.value.hint)
    with pytest.raises(InvalidInput):
        integration_of("codex", "cursor")
    with pytest.raises(InvalidInput) as better:
        integration_of("mcp", "claude-code")
    assert "recollect init claude-code" in str(better.value.hint)
    assert integration_of("mcp", "cursor").name == "mcp-cursor"
    assert integration_of("codex").name == "codex"
