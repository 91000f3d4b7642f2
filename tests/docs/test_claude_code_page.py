"""The page of Claude Code: its commands run, its tables are what is written, its sources work."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import recollect
from recollect.cli.main import main
from recollect.integrations.claude_code.install import WAITED_FOR
from recollect.integrations.claude_code.payloads import EVENTS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "agents" / "claude-code.md").read_text(encoding="utf-8")
NEEDS_WORKER = "serve"


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The home directory of a user of Claude Code."""
    for name in ("RECOLLECT_HOME", "RECOLLECT_MODELS", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    (tmp_path / ".claude").mkdir()
    yield tmp_path
    monkeypatch.undo()
    time.tzset()


def _commands() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    lines = (line for block in blocks for line in block.splitlines())
    return [line.removeprefix("$ recollect ") for line in lines]


def test_the_commands_of_the_page_run_in_their_order(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an empty home, from the first to the removal."""
    for command in _commands():
        if command.startswith(NEEDS_WORKER):
            continue
        code = main(shlex.split(command, comments=True))
        assert (command, code) == (command, 0), capsys.readouterr().err


def test_the_page_names_every_file_that_is_written(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And no other."""
    assert main(["init", "claude-code"]) == 0
    written = {path.relative_to(user) for path in (user / ".claude").rglob("*") if path.is_file()}
    home = user / ".recollect"
    assert (home / "hooks" / "claude-code.token").is_file()
    named = {Path(each) for each in re.findall(r"^\| `~/(\.claude/[^`]+)` \|", TEXT, re.MULTILINE)}
    assert named == written
    assert re.findall(r"^\| `([^`~]+)` in the home", TEXT, re.MULTILINE) == [
        "config.yaml",
        "hooks/claude-code.token",
    ]


def test_the_page_names_every_event_and_those_that_are_waited_for_first() -> None:
    """In the order of the table."""
    rows = re.findall(r"^\| ((?:`[A-Z]\w+`(?:, )?)+) \|", TEXT, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"\w+", row)]
    assert sorted(named) == sorted(EVENTS)
    assert named[:3] == list(WAITED_FOR)


def test_its_own_notes_are_found_and_not_put_into_its_prompts_again(user: Path) -> None:
    """The settings of the page; what Claude Code loads itself is left out for it only."""
    notes = user / ".claude" / "projects" / "-src-shop" / "memory"
    texts = {
        user / ".claude" / "CLAUDE.md": "The kettle is rinsed before the first tea.",
        notes / "MEMORY.md": "The kettle of the shop is blue.",
        notes / "kettle.md": "The kettle leaks since May.",
        user / "src" / "shop" / "CLAUDE.md": "The kettle tests run with make kettle.",
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Notes\n\n{text}\n", "utf-8")
    (home := user / "home").mkdir(mode=0o700)
    (settings,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert len(yaml.safe_load(settings)["workspace"]["extra_paths"]) == 3
    (home / "config.yaml").write_text(settings, "utf-8")
    with recollect.open(home, live=False) as memory:
        memory.sync()
        assert {Path(hit.path or "") for hit in memory.search("kettle").hits} == set(texts)
        session = memory.sessions.create()

        def given(client: str) -> set[Path]:
            block = memory.context(
                session.id, "the kettle", None, "prompt", client, sources=["memory"], record=False
            )
            return {Path(item.id.partition("#")[0]) for item in block.items}

        assert given("other") == set(texts)
        assert given("claude-code") == {notes / "kettle.md"}
