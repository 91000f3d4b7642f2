"""The plugin for Claude Code: its files, for this machine and after the rules of the client."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.integrations import commands
from recollect.integrations.claude_code.install import WAITED_FOR, ClaudeCode
from recollect.integrations.claude_code.payloads import EVENTS
from recollect.integrations.installing import Installation, Setup
from recollect.mcp import tools

SKILL = "skills/recollect/SKILL.md"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Claude Code, which its own variable names."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "config"


def _installed(tmp_path: Path, **options: Any) -> Installation:
    home = tmp_path / 'a "home" $HOME {version}'
    home.mkdir(exist_ok=True)
    setup = Setup(home=home, python="/usr/bin/a python", hook="/usr/lib/hook.py", options=options)
    return ClaudeCode().installation(setup)


def _files(tmp_path: Path, config: Path, **options: Any) -> dict[str, str]:
    folder = config / "skills" / "recollect"
    changes = _installed(tmp_path, **options).changes
    return {
        str(Path(each.path).relative_to(folder)): (each.after or b"").decode() for each in changes
    }


def test_paths_stand_in_it_as_they_are(tmp_path: Path, config: Path) -> None:
    """Whatever signs they have: exec form has no shell, and JSON escapes."""
    files = _files(tmp_path, config)
    home = str(tmp_path / 'a "home" $HOME {version}')
    server = json.loads(files[".mcp.json"])["mcpServers"]["memory"]
    assert (server["command"], server["args"][3]) == ("/usr/bin/a python", home)
    for groups in json.loads(files["hooks/hooks.json"])["hooks"].values():
        assert home in groups[0]["hooks"][0]["args"]


def test_it_has_a_hook_for_every_event_that_is_read(tmp_path: Path, config: Path) -> None:
    """Claude Code waits for three of them, and gives up later than the hook itself."""
    hooks = json.loads(_files(tmp_path, config, deadline_ms=4_000)["hooks/hooks.json"])["hooks"]
    assert list(hooks) == list(EVENTS)
    waited = {name for name, [group] in hooks.items() if "async" not in group["hooks"][0]}
    assert waited == set(WAITED_FOR)
    assert {group["hooks"][0]["timeout"] for [group] in hooks.values()} == {6}


def test_with_checkpoints_it_waits_around_tools_that_change_files(
    tmp_path: Path, config: Path
) -> None:
    """For commands, which keep a file themselves; each call still fires one hook of an event."""
    options = {"checkpoints": "/srv/app", "tools": ["Deploy", "Scribble:where"]}
    installation = _installed(tmp_path, **options)
    assert installation.roots == ("/srv/app",)
    hooks = json.loads(_files(tmp_path, config, **options)["hooks/hooks.json"])["hooks"]
    changing = ["Write", "Edit", "NotebookEdit", "Bash", "mcp__x__y", "Deploy", "Scribble"]
    for event in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        for tool in (*changing, "Read", "WriteX", "Task"):
            fired = [g for g in hooks[event] if re.search(g["matcher"], tool)]
            is_waited = [not g["hooks"][0].get("async") for g in fired]
            expected = [True] if tool in changing else [] if event == "PreToolUse" else [False]
            assert is_waited == expected, (event, tool)
        assert {g["hooks"][0]["type"] for g in hooks[event]} == {"command"}
    assert hooks["PreToolUse"][0]["hooks"][0]["timeout"] == 7


def test_the_manifests_tell_the_version_and_the_place(tmp_path: Path, config: Path) -> None:
    """The marketplace holds this plugin, in its own folder."""
    files = _files(tmp_path, config)
    plugin = json.loads(files[".claude-plugin/plugin.json"])
    (listed,) = json.loads(files[".claude-plugin/marketplace.json"])["plugins"]
    assert plugin["version"] == recollect.__version__
    assert (plugin["name"], listed["name"], listed["source"]) == ("recollect", "recollect", "./")
    assert len(files["README.md"].split()) >= 40, "a rule of the plugin directory"


def test_the_skill_teaches_tools_that_there_are(tmp_path: Path, config: Path) -> None:
    """Search, timeline, details: in this order, by their names."""
    text = _files(tmp_path, config)[SKILL]
    head, body = text.split("---\n")[1:]
    assert re.search(r"^name: recollect\ndescription: .{40,1000}$", head, re.MULTILINE)
    steps = re.findall(r"^\d\. \*\*\w+\*\*: `(\w+)`", body, re.MULTILINE)
    assert steps == ["memory_search", "timeline", "get_observations"]
    named = {*steps, *re.findall(r"`(memory_\w+|forget)`", body)}
    assert all(callable(getattr(tools, name)) for name in named)


def test_without_the_package_of_the_server_its_tools_are_left_out(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that cannot start would be an error in every session; the note says what to do."""
    monkeypatch.setattr(commands, "find_spec", lambda _: None)
    installation = _installed(tmp_path)
    assert not any(change.path.endswith(".mcp.json") for change in installation.changes)
    assert any("recollect[mcp]" in note for note in installation.notes)


def test_claude_code_is_here_where_its_folder_is(config: Path) -> None:
    """Its own variable counts."""
    assert not ClaudeCode().is_here()
    config.mkdir()
    assert ClaudeCode().is_here()
