"""The page about OpenClaw as an agent: its files, tools and settings are those of the program."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from recollect.integrations.installing import Setup, apply
from recollect.integrations.openclaw.install import OpenClaw
from tests.support.plugin_host import PLUGIN

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agents" / "openclaw.md"
TEXT = PAGE.read_text(encoding="utf-8")
SCRIPT = (PLUGIN / "index.js").read_text(encoding="utf-8")
MANIFEST = json.loads((PLUGIN / "openclaw.plugin.json").read_text(encoding="utf-8"))


def test_the_table_names_every_file_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no other; the setting and the token are written by the command."""
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("OPENCLAW_CONFIG_PATH", raising=False)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "openclaw.json").write_text("{}", encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    made = OpenClaw().installation(Setup(home=home, python="python", hook="hook"))
    written = {change.path for change in made.changes}
    told = re.findall(r"^\| `([^`]+)`( in the home)? \|", TEXT, re.MULTILINE)
    named = {str(home / path if inside else path) for path, inside in told if "/" in path}
    named = {path.replace("~/.openclaw", str(tmp_path / "state")) for path in named}
    assert named - written == {str(home / "hooks" / "openclaw.token")}
    assert written <= named
    apply(home, made)
    entries = json.loads((tmp_path / "state" / "openclaw.json").read_text(encoding="utf-8"))
    for path in re.findall(r"`plugins\.([a-zA-Z.]+)`", TEXT.partition("plugins.allow")[0]):
        found = entries["plugins"]
        for part in path.split("."):
            found = found[part]


def test_the_tools_take_what_the_page_says() -> None:
    """Names, arguments, defaults and limits."""
    rows = dict(re.findall(r"^\| `(memory_\w+)` \|.*\| (.+) \|$", TEXT, re.MULTILINE))
    assert list(rows) == MANIFEST["contracts"]["tools"]
    for arguments in rows.values():
        for name in re.findall(r"`(\w+)`", arguments):
            assert re.search(rf"\b{name}: {{ type", SCRIPT), name
    for constant in ("RESULTS = 6;", "MOST_RESULTS = 50;", "MIN_SCORE = 0.35;"):
        assert f"const {constant}" in SCRIPT
    assert "SNIPPET_CHARS = 700;" in SCRIPT
    assert "RECALL_MS = 1_000;" in SCRIPT
    assert "TOOL_MS = 10_000;" in SCRIPT


def test_the_example_of_settings_is_one_that_the_plugin_takes() -> None:
    """It is copied as it stands; it shows every setting there is."""
    (example,) = re.findall(r"```json\n(.*?)\n```", TEXT, re.DOTALL)
    config = json.loads(example)["plugins"]["entries"]["recollect"]["config"]
    known = MANIFEST["configSchema"]["properties"]
    assert set(config) == set(known)
    kinds = {"string": str, "boolean": bool, "integer": int, "array": list}
    for name, value in config.items():
        assert type(value) is kinds[known[name]["type"]]
        assert f"Default: {json.dumps(value)}" in known[name]["description"] or name in {
            "home",
            "start",
        }
