"""The commands that recall answer the same with a worker and without: seed 001, non-blocking."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.server import client
from tests.support.served import serving

MESSAGES = (
    ("user", "We moved the launch of the tea shop to 14 May."),
    ("assistant", "Noted: the launch is on 14 May, and the green tea comes on Thursdays."),
    ("user", "The password of the till is in the safe, and the tea is in the box."),
)
NOTE = "# Tea\n\n- green tea: box 4\n- launch: 14 May\n"
COMMANDS: tuple[tuple[str, ...], ...] = (
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
    ("get", "memory/none.md"),
    ("get", "#99", "m1"),
    ("context", "{session}", "--preview"),
    ("context", "--preview", "--query", "tea", "--budget", "200"),
    ("context", "--last"),
)
WRONG: tuple[tuple[str, ...], ...] = (
    ("search", "tea", "--limit", "0"),
    ("search", "tea", "--session", "no such session"),
    ("timeline", "m99"),
    ("timeline", "e1"),
    ("get", "m99"),
    ("get", "../../etc/passwd.md"),
    ("context", "no such session", "--preview"),
    ("context", "{session}", "--budget", "0"),
)
PROGRAM = """
import json, sys
from recollect.cli.main import main
code = main(sys.argv[1:])
sys.stdout.flush()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a home, a workspace, and nothing else of this user."""
    return tmp_path_factory.mktemp("equal")


@pytest.fixture(scope="module")
def session_id(folder: Path) -> str:
    """Make the home; return the id of its session."""
    workspace = folder / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "tea.md").write_text(NOTE)
    with recollect.open(
        folder / "home", workspace, overrides={"embedding.provider": "none"}, live=False
    ) as memory:
        session = memory.sessions.create(key="agent:main:main", project="shop", title="The shop")
        memory.sessions.append_many(session.id, list(MESSAGES))
        memory.observations.record(
            session.id, tool_name="Bash", input="make tea", output="tea is made", importance=0.9
        )
        memory.sync()
    text = f"embedding: {{provider: none}}\nworkspace: {{path: {workspace}}}\n"
    (folder / "home" / "config.yaml").write_text(text)
    return session.id


@pytest.fixture
def environ(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Variables of the command, the same as those of the worker."""
    monkeypatch.setenv("RECOLLECT_MODELS", str(folder / "models"))
    monkeypatch.setattr(client, "PATIENCE_S", 60.0)
    return os.environ | {"HOME": str(folder), "NO_COLOR": "1"}  # noqa: TID251 - of a process


def _run(folder: Path, environ: dict[str, str], *arguments: str) -> tuple[int, Any, str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--home", str(folder / "home"), *arguments, "--json"],
        capture_output=True,
        env=environ,
        text=True,
        check=False,
    )
    *said, modules = done.stderr.splitlines()
    document = json.loads(done.stdout or "".join(said))
    if isinstance(document, dict):
        document.pop("took_ms", None)
    return done.returncode, document, modules


@pytest.mark.parametrize("command", [*COMMANDS, *WRONG], ids=" ".join)
def test_a_command_answers_the_same_with_a_worker_and_without(
    folder: Path, session_id: str, environ: dict[str, str], command: tuple[str, ...]
) -> None:
    """Exit code, document or error; how long a search took is left out."""
    arguments = [part.format(session=session_id) for part in command]
    alone = _run(folder, environ, *arguments)[:2]
    with serving(folder / "home"):
        served = _run(folder, environ, *arguments)[:2]
    assert served == alone
    assert alone[0] == (0 if command in COMMANDS and "none" not in str(command) else alone[0])
