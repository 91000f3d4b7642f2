"""The plugin that `recollect init claude-code` writes, in the real Claude Code."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.integrations.claude_code.install import TOKEN_VARIABLE
from tests.agents.claude_code import ClaudeCode
from tests.agents.messages_api import MessagesApi, Script, Use

PERMITTED = ("--permission-mode", "acceptEdits", "--allowedTools", "mcp__plugin_recollect_memory")


class Memory:
    """The memory of the client's user, by its command line."""

    def __init__(self, claude: ClaudeCode) -> None:
        self._surroundings = claude.surroundings()

    def __call__(self, *words: object) -> Any:
        """Run a command and return its document."""
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *map(str, words), "--json"],
            env=self._surroundings,
            capture_output=True,
            check=True,
        )
        return json.loads(done.stdout)


@pytest.fixture
def memory(claude: ClaudeCode) -> Iterator[Memory]:
    """A memory with a worker, and the plugin installed."""
    run = Memory(claude)
    run("init")
    run("serve", "--daemon")
    run("init", "claude-code")
    yield run
    run("serve", "stop")


def test_the_client_accepts_the_plugin(claude: ClaudeCode, memory: Memory, project: Path) -> None:
    """Strictly; its marketplace too. It is loaded from the folder of skills as it is."""
    plugin = claude.config / "skills" / "recollect"
    for path in (plugin, plugin / ".claude-plugin" / "plugin.json"):
        done = claude.command("plugin", "validate", path, "--strict", folder=project)
        assert done.returncode == 0, done.stdout
    listed = claude.command("plugin", "list", folder=project)
    assert "recollect@skills-dir" in listed.stdout
    assert "loaded" in listed.stdout
    assert not (claude.config / "settings.json").exists()


def test_what_a_session_does_is_remembered(
    claude: ClaudeCode, messages_api: MessagesApi, memory: Memory, project: Path
) -> None:
    """Hooks report with the token of their own; the tools answer."""
    note = {"file_path": str(project / "note.txt"), "content": "one\n"}
    search = Use("mcp__plugin_recollect_memory__memory_search", {"query": "note"}, "toolu_s")
    messages_api.script = Script(main=[[Use("Write", note, "toolu_w")], [search], ["Written."]])
    claude.run("Write a note about the Rhubarb tea", *PERMITTED, folder=project)
    memory("sync")
    hits = memory("search", "rhubarb")["hits"]
    assert any("Rhubarb" in hit["snippet"] for hit in hits)
    answered = json.dumps(messages_api.conversation()[-1].body)
    assert "toolu_s" in answered
    assert "No such tool" not in answered
    tokens = {each["name"]: each for each in memory("token", "list")["tokens"]}
    assert tokens["claude-code-hooks"]["last_used_at"]


def test_hooks_over_http_report_with_the_token_of_a_variable(
    claude: ClaudeCode, messages_api: MessagesApi, project: Path
) -> None:
    """The prompt comes by HTTP: the transcript is not read here."""
    memory = Memory(claude)
    memory("init")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    memory("config", "set", "server.port", port)
    memory("init", "claude-code", "--http")
    memory("config", "unset", "workspace.transcripts")
    memory("serve", "--daemon")
    try:
        token = (claude.home / ".recollect" / "hooks" / "claude-code.token").read_text("ascii")
        claude.environment = {TOKEN_VARIABLE: token.strip()}
        messages_api.script = Script(main=[["Noted."]])
        claude.run("The Rhubarb tea is sold out", folder=project)
        memory("sync")
        assert any("Rhubarb" in hit["snippet"] for hit in memory("search", "rhubarb")["hits"])
    finally:
        memory("serve", "stop")


def test_after_a_removal_the_client_knows_nothing_of_it(
    claude: ClaudeCode, messages_api: MessagesApi, memory: Memory, project: Path
) -> None:
    """No hook, no tool, no file."""
    memory("init", "claude-code", "--remove")
    assert not (claude.config / "skills").exists()
    messages_api.script = Script(main=[["Hello."]])
    claude.run("Say hello", folder=project)
    assert "recollect" not in json.dumps(messages_api.conversation()[-1].body)
    assert memory("sessions")["sessions"] == []
