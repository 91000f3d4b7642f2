"""Shells complete commands, options, keys and formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import Run

Complete = Callable[[str], list[str]]


@pytest.fixture
def complete(run: Run, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """What bash would offer for the last word of a line."""

    def offered(line: str) -> list[str]:
        monkeypatch.setenv("_RECOLLECT_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        done = run()
        assert done.code == 0
        return done.out.split()

    return offered


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("recollect se", ["search", "sessions", "serve"]),
        ("recollect search --mo", ["--mode"]),
        ("recollect search --mode h", ["hybrid"]),
        ("recollect search --source se", ["sessions"]),
        ("recollect import cl", ["claude-code", "claude-mem"]),
        ("recollect config get search.li", ["search.limit"]),
        ("recollect models ins", ["install"]),
        ("recollect cha", ["chat", "channels"]),
        ("recollect chat --con", ["--continue"]),
        ("recollect sessions --status de", ["deleted"]),
        ("recollect sessions say x as", ["assistant"]),
        ("recollect sessions mode x qu", ["queue"]),
        ("recollect sessions show x", []),
    ],
)
def test_what_can_follow_is_offered(complete: Complete, line: str, offers: list[str]) -> None:
    """And only that."""
    assert complete(line) == offers


def test_a_session_of_the_home_is_offered(complete: Complete, run: Run, home: Path) -> None:
    """By the id that the list shows; a home that cannot be read offers nothing."""
    with recollect.open(home) as memory:
        made = memory.sessions.create(title="Tea")
    shown = made.id[-8:]
    line = f"recollect --home {home} sessions show "
    assert complete(line) == [shown]
    assert complete(line + shown[:3]) == [shown]
    assert complete(line + "zzz") == []
    (home / "config.yaml").write_text("no: setting\n", encoding="utf-8")
    assert complete(line) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_can_be_shown(
    run: Run, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks the entry point."""
    monkeypatch.setenv("_RECOLLECT_COMPLETE", f"source_{shell}")
    done = run()
    assert done.code == 0
    assert "_RECOLLECT_COMPLETE" in done.out
