"""recollect in the settings of OpenClaw, and taken out again: what else stands there stays.

The places are those that OpenClaw 2026.9.6 reads: plugins.load.paths, slots, entries, mcp.servers.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.core.errors import InvalidInput, NotFound
from recollect.integrations.installing import Setup, apply, removal
from recollect.integrations.openclaw.install import PLUGIN_FILES, OpenClaw

WRITTEN = """{
  "gateway": { "mode": "local", "port": 18789 },
  "plugins": {
    "slots": { "memory": "memory-core" }
  },
  "channels": {"telegram": {"enabled": true}}
}
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of a user of OpenClaw."""
    path = tmp_path / "state" / "openclaw.json"
    path.parent.mkdir()
    path.write_text(WRITTEN)
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(path.parent))
    monkeypatch.delenv("OPENCLAW_CONFIG_PATH", raising=False)
    return path


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """A home beside it."""
    home = tmp_path / "home"
    home.mkdir()
    return Setup(home=home, python="/srv/venv/bin/python", hook="/srv/venv/client.py")


def test_the_plugin_gets_the_memory_slot_and_gives_it_back(config: Path, setup: Setup) -> None:
    """The files lie in the home; the slot is again whose it was, byte for byte."""
    openclaw = OpenClaw()
    assert openclaw.is_here()
    made = openclaw.installation(setup)
    assert config.read_text(encoding="utf-8") == WRITTEN, "nothing is written before it is applied"
    assert made.follows == ("openclaw",)
    assert made.token
    apply(setup.home, made)
    folder = setup.home / "integrations" / "openclaw"
    assert sorted(each.name for each in folder.iterdir()) == sorted(PLUGIN_FILES)
    told = json.loads(config.read_text(encoding="utf-8"))
    assert told["gateway"] == {"mode": "local", "port": 18789}
    plugins = told["plugins"]
    assert plugins["load"]["paths"] == [str(folder)]
    assert plugins["slots"]["memory"] == "recollect"
    assert "allow" not in plugins
    entry = plugins["entries"]["recollect"]
    start = [setup.python, "-m", "recollect", "--home", str(setup.home), "--json", "serve"]
    assert entry["config"] == {"home": str(setup.home), "start": [*start, "--by-event"]}
    assert entry["hooks"] == {"allowConversationAccess": True}
    again = openclaw.installation(setup)
    assert all(change.before == change.after for change in again.changes)
    apply(setup.home, removal(setup.home, "openclaw"))
    assert config.read_text(encoding="utf-8") == WRITTEN
    assert not folder.exists()


def test_a_list_of_allowed_plugins_gets_ours(config: Path, setup: Setup) -> None:
    """Where there is one, a plugin that is not on it is not loaded."""
    written = {"plugins": {"allow": ["telegram"], "load": {"paths": ["/srv/other"]}}}
    config.write_text(json.dumps(written, indent=4), encoding="utf-8")
    apply(setup.home, OpenClaw().installation(setup))
    plugins = json.loads(config.read_text(encoding="utf-8"))["plugins"]
    assert plugins["allow"] == ["telegram", "recollect"]
    assert plugins["load"]["paths"][0] == "/srv/other"
    apply(setup.home, removal(setup.home, "openclaw"))
    assert config.read_text(encoding="utf-8") == json.dumps(written, indent=4)


def test_settings_with_comments_are_not_touched(config: Path, setup: Setup) -> None:
    """OpenClaw reads JSON5; the hint has what to put into it by hand."""
    config.write_text("{ // mine\n  gateway: {mode: 'local'},\n}\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        OpenClaw().installation(setup)
    hint = refused.value.hint
    pasted = json.loads(hint[hint.index("{") :])
    assert pasted["plugins"]["slots"] == {"memory": "recollect"}
    assert config.read_text(encoding="utf-8").startswith("{ // mine")


def test_who_wants_no_plugin_gets_an_mcp_server(config: Path, setup: Setup) -> None:
    """It hears as a guest, because OpenClaw does not tell it who speaks; the note says so."""
    wanted = Setup(home=setup.home, python=setup.python, hook=setup.hook, options={"mcp": True})
    made = OpenClaw().installation(wanted)
    apply(setup.home, made)
    server = json.loads(config.read_text(encoding="utf-8"))["mcp"]["servers"]["recollect"]
    assert (server["command"], server["transport"]) == (setup.python, "stdio")
    assert server["args"][-2:] == ["--as", "shared"]
    assert "plugins" in json.loads(config.read_text(encoding="utf-8"))
    assert not (setup.home / "integrations").exists()
    assert any("guest" in note for note in made.notes)
    assert not made.token
    apply(setup.home, removal(setup.home, "openclaw"))
    assert config.read_text(encoding="utf-8") == WRITTEN


def test_from_plugin_to_server_and_back_leaves_no_trace(config: Path, setup: Setup) -> None:
    """What an installation before wrote, and this one does not want, goes."""
    wanted = Setup(home=setup.home, python=setup.python, hook=setup.hook, options={"mcp": True})
    for each in (setup, wanted, setup, wanted):
        apply(setup.home, OpenClaw().installation(each))
    told = json.loads(config.read_text(encoding="utf-8"))
    assert told["plugins"] == {"slots": {"memory": "memory-core"}}
    apply(setup.home, removal(setup.home, "openclaw"))
    assert config.read_text(encoding="utf-8") == WRITTEN


def test_without_settings_of_openclaw_nothing_is_made(config: Path, setup: Setup) -> None:
    """A file of ours alone would be half of a setup."""
    config.unlink()
    assert not OpenClaw().is_here()
    with pytest.raises(NotFound, match=r"openclaw\.json is missing"):
        OpenClaw().installation(setup)


def test_the_settings_may_lie_elsewhere(
    config: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`OPENCLAW_CONFIG_PATH` moves only them."""
    elsewhere = config.rename(config.parent.parent / "mine.json")
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(elsewhere))
    apply(setup.home, OpenClaw().installation(setup))
    assert "recollect" in elsewhere.read_text()
    assert not config.exists()
