"""`recollect config import`: the seven settings of OpenClaw-Mem, as seed 001 has them."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.settings import load_settings
from recollect.sessions.sessions import Sessions
from tests.unit.cli.conftest import Run

SEED = {
    "port": 37778,
    "dataDir": "~/.openclaw-mem",
    "database": {"path": "~/.openclaw-mem/memory.db"},
    "vectorDb": {"enabled": True, "path": "~/.openclaw-mem/chroma"},
    "contextInjection": {
        "enabled": True,
        "maxTokens": 4000,
        "includeTypes": ["decision", "bugfix", "architecture"],
    },
}
"""Word for word."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A settings.json with other values than ours by default."""
    path = tmp_path / "settings.json"
    write(path, {
        "port": 40_000,
        "dataDir": "/d",
        "database": {"path": "/d/m.db"},
        "vectorDb": {"enabled": False, "path": "/d/chroma"},
        "contextInjection": {"enabled": False, "maxTokens": 900, "includeTypes": ["decision"]},
    })  # fmt: skip
    return path


def write(path: Path, settings: Any) -> None:
    """Write a settings.json."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings), "utf-8")


def outcomes(found: Any) -> dict[str, str]:
    """Return what became of each."""
    return {each["theirs"]: each["outcome"] for each in found["settings"]}


def test_each_is_mapped_or_told(run: Run, home: Path, file: Path) -> None:
    """Five have a setting here; three say what to do instead."""
    found = run("--home", home, "config", "import", file, "--json").json
    assert outcomes(found) == {
        "port": "set",
        "dataDir": "not taken",
        "database.path": "not taken",
        "vectorDb.enabled": "set",
        "vectorDb.path": "not taken",
        "contextInjection.enabled": "set",
        "contextInjection.maxTokens": "set",
        "contextInjection.includeTypes": "set",
    }
    assert all(each["why"] for each in found["settings"] if each["outcome"] == "not taken")
    settings = load_settings(home, environ={}).settings
    assert settings.server.port == 40_000
    assert settings.embedding.provider == "none"
    assert settings.context.enabled is False
    assert settings.context.budget_tokens == 900
    assert settings.context.types == ("decision",)


def test_the_defaults_of_the_seed_are_ours(run: Run, home: Path, tmp_path: Path) -> None:
    """Found where OpenClaw-Mem keeps it; nothing changes."""
    write(Path.home() / ".openclaw-mem" / "settings.json", SEED)
    found = run("--home", home, "config", "import", "--json").json
    assert set(outcomes(found).values()) == {"same", "not taken"}
    assert run("--home", home, "config", "--changed", "--json").json == {}


def test_config_yaml_is_stronger(run: Run, home: Path, file: Path) -> None:
    """What a person wrote stays, with its comments; a second import changes nothing."""
    run("--home", home, "config", "set", "context.budget_tokens", "1200")
    found = run("--home", home, "config", "import", file, "--json").json
    assert outcomes(found)["contextInjection.maxTokens"] == "kept"
    assert load_settings(home, environ={}).settings.context.budget_tokens == 1_200
    text = (home / "config.yaml").read_text("utf-8")
    again = run("--home", home, "config", "import", file, "--json").json
    assert "set" not in outcomes(again).values()
    assert (home / "config.yaml").read_text("utf-8") == text


def test_a_dry_run_writes_nothing(run: Run, home: Path, file: Path) -> None:
    """And shows the same."""
    shown = run("--home", home, "config", "import", file, "--dry-run").out
    assert "context.budget_tokens = 900" in shown
    assert not home.exists()


@pytest.mark.parametrize(
    ("settings", "theirs"),
    [
        ({"port": "40000"}, "port"),
        ({"port": True}, "port"),
        ({"port": 80}, "port"),
        ({"contextInjection": {"maxTokens": -1}}, "contextInjection.maxTokens"),
        ({"contextInjection": {"includeTypes": [1]}}, "contextInjection.includeTypes"),
        ({"theme": "dark"}, "theme"),
        ({"contextInjection": []}, "contextInjection"),
    ],
)
def test_what_does_not_fit_is_told_and_the_rest_is_taken(
    run: Run, home: Path, tmp_path: Path, settings: dict[str, Any], theirs: str
) -> None:
    """Never a file that stops every command."""
    write(tmp_path / "s.json", {"vectorDb": {"enabled": False}} | settings)
    found = run("--home", home, "config", "import", tmp_path / "s.json", "--json").json
    assert outcomes(found) == {"vectorDb.enabled": "set", theirs: "not taken"}
    assert load_settings(home, environ={}).settings.embedding.provider == "none"


@pytest.mark.parametrize("content", ["", "[]", "{", "hello"])
def test_other_files_are_refused(run: Run, home: Path, tmp_path: Path, content: str) -> None:
    """Nothing is written."""
    (tmp_path / "s.json").write_text(content, "utf-8")
    assert run("--home", home, "config", "import", tmp_path / "s.json").code == 1
    assert run("--home", home, "config", "import", tmp_path / "gone.json").code == 1
    assert not home.exists()


def test_without_injection_a_block_is_empty_unless_a_question_asks(tmp_path: Path) -> None:
    """What contextInjection.enabled says, for hooks, HTTP and MCP alike."""
    settings = {"embedding.provider": "none", "context.enabled": False, "context.prompt": True}
    with recollect.open(tmp_path / "home", overrides=settings, live=False) as memory:
        before = memory.sessions.create(key="agent:main:before", project="/p", owner=True)
        memory.observations.record(
            before.id, type="decision", title="milk goes in last", summary="we decided"
        )
        now = memory.sessions.create(key="agent:main:now", project="/p", owner=True)
        assert memory.context(now.id).text == ""
        assert memory.context(now.id, "when does milk go in", reason="prompt").text == ""
        assert "milk goes in last" in memory.context(now.id, "when does milk go in").text
        assert len(memory.context.injections(limit=9)) == 1


def test_the_settings_of_seed_004_are_mapped_or_told(run: Run, home: Path, tmp_path: Path) -> None:
    """Checkpointing and the caps have one here; those of one run are arguments."""
    path = tmp_path / "config.json"
    write(path, {
        "MemoryEnabled": True,
        "MemoryDbPath": ".micro_x/memory.db",
        "SessionId": None,
        "ContinueConversation": False,
        "ResumeSessionId": "abc",
        "ForkSession": False,
        "EnableFileCheckpointing": True,
        "MemoryMaxSessions": 200,
        "MemoryMaxMessagesPerSession": 5000,
        "MemoryRetentionDays": 30,
    })  # fmt: skip
    found = run("--home", home, "config", "import", path, "--json").json
    settings = load_settings(home).settings
    assert settings.checkpoints.enabled
    retention = settings.sessions.retention
    assert (retention.max_sessions, retention.max_messages, retention.days) == (200, 5000, 30)
    why = {each["theirs"]: each["why"] for each in found["settings"] if each["key"] is None}
    assert len(why) == 6
    parameters = inspect.signature(Sessions.start).parameters
    for name in ("SessionId", "ContinueConversation", "ResumeSessionId", "ForkSession"):
        (argument,) = re.findall(r"sessions\.start\((\w+)=", why[name])
        assert argument in parameters


RESPONDER = """
gateway:
  autoResponder:
    enabled: false
    maxConcurrent: 5
    debounceMs: 900
    maxHistoryMessages: 12
    sessionMaxAgeMs: 7200000        # 2 hours
    memoryIndexIntervalMessages: 3
    memorySearchMaxResults: 9
    memoryFtsEnabled: false
    systemPrompt: Be kind.
"""
"""The section of seed 000, with other values and one more."""


def test_the_yaml_of_seed_000_is_taken_over(run: Run, home: Path, tmp_path: Path) -> None:
    """Each of its eight settings; what has no place here is reported."""
    path = tmp_path / "openclaudecode.yaml"
    path.write_text(RESPONDER, "utf-8")
    found = run("--home", home, "config", "import", path, "--json").json
    became = outcomes(found)
    assert became.pop("gateway.autoResponder.systemPrompt") == "not taken"
    assert set(became.values()) == {"set"}
    assert len(became) == 8
    settings = load_settings(home, environ={}).settings
    responder = settings.auto_responder
    assert not responder.enabled
    assert (responder.max_concurrent, responder.debounce_ms) == (5, 900)
    assert responder.max_history_messages == 12
    assert settings.sessions.fresh.idle_minutes == 120
    assert responder.memory_index_interval_messages == 3
    assert responder.memory_search_max_results == 9
    assert not responder.memory_fts_enabled


@pytest.mark.parametrize("content", ["- a list", "gateway: [", "just a text", "1: 2"])
def test_other_yaml_is_refused(run: Run, home: Path, tmp_path: Path, content: str) -> None:
    """With what is wanted."""
    path = tmp_path / "config.yml"
    path.write_text(content, "utf-8")
    refused = run("--home", home, "config", "import", path, "--json")
    assert refused.code == 1
    assert refused.error["code"] == "invalid_input"
