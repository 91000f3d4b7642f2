"""The command line as a process of its own, with an empty HOME and no other surroundings."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
COMMAND = (sys.executable, "-m", "recollect")
PATIENCE_S = 120


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What a process did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error document on stderr."""
        found: dict[str, str] = json.loads(self.err)["error"]
        return found


Run = Callable[..., Done]


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """The whole environment of a process."""
    (tmp_path / "user").mkdir()
    return {
        "HOME": str(tmp_path / "user"),
        "PATH": PATH,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
        "RECOLLECT_MODELS": str(tmp_path / "models"),
    }


@pytest.fixture
def run(surroundings: dict[str, str], tmp_path: Path) -> Run:
    """Run a command line to its end."""

    def invoke(*arguments: object, **variables: str) -> Done:
        done = subprocess.run(
            [*COMMAND, *(str(argument) for argument in arguments)],
            env=surroundings | variables,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(code=done.returncode, out=done.stdout, err=done.stderr)

    return invoke


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the home is, or may be made."""
    return tmp_path / "home"


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A transcript of three messages."""
    path = tmp_path / "chat.jsonl"
    texts = ("Where is the tea?", "In the blue box.", "And the sugar?")
    path.write_text("".join(message(text) for text in texts), encoding="utf-8")
    return path


@pytest.fixture
def private_mounts() -> tuple[str, ...]:
    """What to put before a command that mounts: its mounts are seen by it alone and end with it."""
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-m", "true"], check=False).returncode:
        pytest.skip("this machine does not let us mount")
    return (unshare, "-m")


def message(text: str) -> str:
    """Return one line of a plain transcript."""
    return json.dumps({"role": "user", "content": text}, ensure_ascii=False) + "\n"


def texts_of(run: Run, home: Path) -> list[str]:
    """Return everything that was said in a home, read back through the command line."""
    found = run("--home", home, "sessions", "--json", "-n", "1000").json["sessions"]
    return [
        said["text"]
        for session in found
        for said in run("--home", home, "transcript", session["id"], "--json").json["messages"]
    ]
