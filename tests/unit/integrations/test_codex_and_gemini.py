"""What `recollect init codex` and `init gemini` write, and that it all goes again."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput
from recollect.integrations.codex.install import Codex
from recollect.integrations.gemini.install import Gemini
from recollect.integrations.installing import Integration, Setup, apply, removal

CONFIG = """\
# my settings
model = "gpt-5.5"

[projects."/home/ada/shop"]
trust_level = "trusted"

[mcp_servers.mine]  # keep
command = "mine"
args = ["a", # not b
  "c"]
"""
HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}'
GEMINI = '{\n  // my theme\n  "ui": {"theme": "Dracula"},\n}\n'


class Machine:
    """The folder of a user and the home of recollect in it."""

    def __init__(self, folder: Path) -> None:
        self.user = folder
        self.codex, self.gemini = folder / ".codex", folder / ".gemini"
        self.codex.mkdir()
        self.gemini.mkdir()
        self.home = folder / ".recollect"
        self.home.mkdir()
        self.setup = Setup(home=self.home, python="/usr/my python/bin/python3", hook="/usr/hook.py")

    def files(self) -> dict[str, bytes]:
        """Return all files and folders of the user, with what they hold."""
        found = sorted(self.user.rglob("*"))
        return {str(each): each.read_bytes() if each.is_file() else b"" for each in found}

    def install(self, integration: Integration) -> None:
        """Install, as the command does."""
        apply(self.home, integration.installation(self.setup))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A user who has both programs."""
    monkeypatch.setenv("HOME", str(tmp_path))
    machine = Machine(tmp_path)
    (machine.codex / "config.toml").write_text(CONFIG, encoding="utf-8")
    (machine.codex / "hooks.json").write_text(HOOKS, encoding="utf-8")
    (machine.gemini / "settings.json").write_text(GEMINI, encoding="utf-8")
    return machine


@pytest.mark.parametrize("integration", [Codex(), Gemini()], ids=["codex", "gemini"])
def test_all_that_init_wrote_goes_again_and_nothing_else(
    machine: Machine, integration: Integration
) -> None:
    """Byte for byte, folders too; a second installation writes nothing."""
    before = machine.files()
    machine.install(integration)
    assert machine.files() != before
    again = integration.installation(machine.setup)
    assert all(change.before == change.after for change in again.changes)
    apply(machine.home, removal(machine.home, integration.name))
    assert machine.files() == before


def test_codex_gets_hooks_beside_those_of_the_user_and_a_server(machine: Machine) -> None:
    """The shape that Codex 0.169 took from a file like this."""
    machine.install(Codex())
    hooks = json.loads((machine.codex / "hooks.json").read_text())["hooks"]
    assert hooks["Stop"][0] == json.loads(HOOKS)["hooks"]["Stop"][0]
    (handler,) = hooks["Stop"][1]["hooks"]
    assert shlex.split(handler["command"]) == [
        *["/usr/my python/bin/python3", "-I", "-S", "/usr/hook.py", "codex", "Stop"],
        *["--home", str(machine.home), "--deadline-ms", "300"],
    ]
    assert set(hooks) == {
        *["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop"],
        *["PreCompact", "Interrupt", "SessionEnd"],
    }
    config = tomllib.loads((machine.codex / "config.toml").read_text())
    server = config["mcp_servers"]["recollect"]
    assert server["command"] == "/usr/my python/bin/python3"
    assert server["args"][-3:] == ["mcp", "--as", "owner"]
    assert config["mcp_servers"]["mine"] == {"command": "mine", "args": ["a", "c"]}


def test_codex_is_asked_for_no_more_time_than_it_grants(machine: Machine) -> None:
    """It grants 3 s at the end of a session, and warns at each start where more is asked for."""
    slow = Setup(
        **{
            **{name: getattr(machine.setup, name) for name in ("home", "python", "hook")},
            "options": {"deadline_ms": 4_000},
        }
    )
    apply(machine.home, Codex().installation(slow))
    hooks = json.loads((machine.codex / "hooks.json").read_text())["hooks"]
    timeouts = {event: groups[-1]["hooks"][0]["timeout"] for event, groups in hooks.items()}
    assert timeouts["SessionEnd"] == timeouts["Interrupt"] == 3
    assert timeouts["PostToolUse"] == 6


def test_a_codex_user_is_told_to_trust_the_hooks(machine: Machine) -> None:
    """Codex leaves out hooks that nobody trusted, without a word; nobody else may trust them."""
    notes = Codex().installation(machine.setup).notes
    assert any("/hooks" in note for note in notes)
    assert not any("two files" in note for note in notes)
    config = machine.codex / "config.toml"
    config.write_text(CONFIG + "\n[[hooks.Stop]]\nhooks = []\n", encoding="utf-8")
    assert any("two files" in note for note in Codex().installation(machine.setup).notes)
    machine.install(Codex())
    assert "trusted_hash" not in config.read_text()


def test_gemini_gets_an_extension_and_its_settings_are_not_touched(machine: Machine) -> None:
    """Its settings may hold comments, and Gemini CLI rewrites them."""
    machine.install(Gemini())
    folder = machine.gemini / "extensions" / "recollect"
    manifest = json.loads((folder / "gemini-extension.json").read_text())
    assert manifest["name"] == "recollect"
    assert manifest["mcpServers"]["recollect"]["args"][-3:] == ["mcp", "--as", "owner"]
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"}
    (handler,) = hooks["AfterTool"][0]["hooks"]
    assert handler["timeout"] == 2_300, "milliseconds"
    assert (machine.gemini / "settings.json").read_text() == GEMINI


def test_the_folders_that_the_programs_were_told_to_use_count(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CODEX_HOME and GEMINI_CLI_HOME."""
    elsewhere = machine.user / "elsewhere"
    monkeypatch.setenv("CODEX_HOME", str(elsewhere / "codex"))
    monkeypatch.setenv("GEMINI_CLI_HOME", str(elsewhere))
    assert not Codex().is_here()
    assert not Gemini().is_here()
    for integration in (Codex(), Gemini()):
        machine.install(integration)
        assert integration.is_here()
    assert (elsewhere / "codex" / "hooks.json").is_file()
    assert (elsewhere / ".gemini" / "extensions" / "recollect").is_dir()


def test_a_server_that_the_user_entered_by_hand_is_not_replaced(machine: Machine) -> None:
    """It may hear somebody else; the hint has the table to compare."""
    config = machine.codex / "config.toml"
    config.write_text('[mcp_servers.recollect]\ncommand = "x"\n', encoding="utf-8")
    with pytest.raises(InvalidInput, match="of its own") as caught:
        Codex().installation(machine.setup)
    assert "[mcp_servers.recollect]" in str(caught.value.hint)
