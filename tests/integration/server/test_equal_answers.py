"""The commands that recall answer the same with a worker and without: seed 001, non-blocking."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.cli.main import main
from recollect.server import client
from tests.support.served import serving

MESSAGES = (
    ("user", "We moved the launch of the tea shop to 14 May."),
    ("assistant", "Noted: the launch is on 14 May, and the green tea comes on Thursdays."),
    ("user", "The password of the till is in the safe, and the tea is in the box."),
)
NOTE = "# Tea\n\n- green tea: box 4\n- launch: 14 May\n"
ANSWERED: tuple[tuple[str, ...], ...] = (
    ("search", "tea launch"),
    ("search", "tea", "--lines"),
    ("search", "tea", "--limit", "1", "--mode", "lexical", "--source", "sessions"),
    ("search", "tea", "--session", "{session}"),
    ("search", "tea", "--for-session", "{session}"),
    ("search", "tea", "--project", "shop"),
    ("search", "m1"),
    ("search", "nothing that anybody said"),
    ("timeline", "m2"),
    ("timeline", "#1"),
    ("timeline", "which tea"),
    ("timeline", "--at", "2026-05-01"),
    ("timeline", "m2", "--for-session", "{session}", "--before", "1"),
    ("get", "#1"),
    ("get", "#1", "m1", "m2", "--tokens", "20"),
    ("get", "m1"),
    ("get", "memory/tea.md:2-4"),
    ("context", "{session}", "--preview"),
    ("context", "--preview", "--query", "tea", "--budget", "200"),
    ("context", "--last"),
)
REFUSED: tuple[tuple[str, ...], ...] = (
    ("get", "memory/none.md"),
    ("get", "#99", "m1"),
    ("search", "tea", "--limit", "0"),
    ("search", "tea", "--session", "no such session"),
    ("search", "tea", "--channel", "telegram"),
    ("search", "tea", "--project", "/nope"),
    ("timeline", "m99"),
    ("timeline", "e1"),
    ("get", "m99"),
    ("get", "../../etc/passwd.md"),
    ("context", "no such session", "--preview"),
    ("context", "{session}", "--budget", "0"),
)
BY_WORKER = ("search", "timeline", "get", "context")
PROGRAM = """
import json, sys
from recollect.cli.main import main
from recollect.server import client
client.PATIENCE_S = 60.0
code = main(sys.argv[1:])
sys.stdout.flush()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
MOST_AS_JSON = 69
"""Modules of ours in a search that a worker answers; 191 without."""
NEVER = ("apsw", "http", "numpy", "recollect.memory", "rich", "ssl", "uvicorn")

Run = Callable[..., tuple[int, Any]]


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; return its exit code, and its document but for how long it took."""
    monkeypatch.setattr(client, "PATIENCE_S", 60.0)

    def invoke(*arguments: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = main(["--home", str(home), *arguments, "--json"])
        shown = capsys.readouterr()
        document = json.loads(shown.out or shown.err)
        if isinstance(document, dict):
            document.pop("took_ms", None)
        return code, document

    return invoke


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a session, an observation and a note."""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "tea.md").write_text(NOTE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    text = f"embedding: {{provider: none}}\nworkspace: {{path: {workspace}}}\n"
    (home / "config.yaml").write_text(text)
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create(key="agent:main:main", project="shop", title="The shop")
        memory.sessions.append_many(session.id, list(MESSAGES))
        memory.observations.record(
            session.id, tool_name="Bash", input="make tea", output="tea is made", importance=0.9
        )
        memory.sync()
    return home


def _commands(home: Path) -> list[tuple[str, ...]]:
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.find("The shop").id
    return [
        tuple(part.format(session=session) for part in command) for command in (*ANSWERED, *REFUSED)
    ]


def test_commands_answer_the_same_with_a_worker_and_without(home: Path, run: Run) -> None:
    """Exit code, and document or error."""
    commands = _commands(home)
    alone = {command: run(*command) for command in commands}
    with serving(home):
        served = {command: run(*command) for command in commands}
    assert served == alone
    assert [code for code, _ in alone.values()].count(0) == len(ANSWERED)


def test_people_see_the_same_with_a_worker_and_without(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Titles of sessions too, without opening a database for them."""
    monkeypatch.setattr(client, "PATIENCE_S", 60.0)

    def shown(*arguments: str) -> str:
        capsys.readouterr()
        main(["--home", str(home), *arguments])
        return capsys.readouterr().out

    commands = [command for command in _commands(home) if command[0] != "context"]
    alone = [shown(*command) for command in commands]
    with serving(home):
        assert [shown(*command) for command in commands] == alone
    assert "The shop" in alone[0]


def test_a_search_that_a_worker_answers_opens_nothing(home: Path) -> None:
    """Neither arrays nor a database: that is what makes it fast. A module more is a decision."""
    with serving(home):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "--home", str(home), "search", "tea", "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
    assert len(json.loads(done.stdout)["hits"]) > 1
    modules: list[str] = json.loads(done.stderr.splitlines()[-1])
    ours = [each for each in modules if each.partition(".")[0] == "recollect"]
    assert len(ours) <= MOST_AS_JSON
    loaded = [m for m in modules if any(m == n or m.startswith(f"{n}.") for n in NEVER)]
    assert loaded == []


def test_a_command_with_other_settings_works_by_itself(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker would answer by its own."""
    with serving(home):
        assert len(run("search", "tea")[1]["hits"]) > 1
        monkeypatch.setenv("RECOLLECT_SEARCH__LIMIT", "1")
        assert len(run("search", "tea")[1]["hits"]) == 1


def test_a_workspace_of_its_own_is_read_by_the_command_itself(
    home: Path, run: Run, tmp_path: Path
) -> None:
    """The worker serves that of the settings."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text("# Other\n\ncoffee\n")
    with serving(home):
        code, found = run("--workspace", str(other), "get", "MEMORY.md")
        assert (code, "coffee" in found["text"]) == (0, True)
        assert run("get", "MEMORY.md")[0] == 1
