"""The real Claude Code, run without a terminal against the stand-in for its API.

It gets an environment of its own and nothing of ours: a home in a folder of the test, a dummy key,
no traffic but to the stand-in.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.messages_api import MODEL, MessagesApi

OPT_IN = "RECOLLECT_TEST_CLAUDE"
INSTALLED = Path(__file__).parents[2] / ".cache" / "agents" / "claude"
REASON = f"the real Claude Code is not wanted: `make agents`, or its path in {OPT_IN}"
PATIENCE_S = 120
FIXED = {
    "IS_SANDBOX": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "ENABLE_TOOL_SEARCH": "false",
    "ANTHROPIC_API_KEY": "not-a-key",
    "ANTHROPIC_MODEL": MODEL,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
}


def find_claude() -> Path | None:
    """Return the command: named by the environment, or installed by `make agents`."""
    named = os.environ.get(OPT_IN)  # noqa: TID251 - who runs the tests opts in
    found = Path(named) if named else INSTALLED
    return found if found.is_file() else None


@dataclass(frozen=True)
class Run:
    """How a run ended.

    ``seconds`` is from its start to its end, as a user waits.
    """

    returncode: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def result(self) -> dict[str, Any]:
        """What it printed with ``--output-format json``: result, session_id, is_error, ..."""
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        return found

    @property
    def session_id(self) -> str:
        """The id of its session."""
        return str(self.result["session_id"])


@dataclass
class ClaudeCode:
    """Runs of one user's Claude Code.

    Args:
        program: The command.
        home: The user's home; made.
        api: Where it sends its requests.
        environment: More variables, for its hooks and servers too.
        path: Folders of the PATH.
    """

    program: Path
    home: Path
    api: MessagesApi
    environment: Mapping[str, str] = field(default_factory=dict)
    path: Sequence[str] = ("/usr/bin", "/bin")

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)

    @property
    def config(self) -> Path:
        """Where its settings and transcripts are."""
        return self.home / ".claude"

    def transcripts(self) -> list[Path]:
        """Return the transcripts of main threads, by name."""
        return sorted(self.config.glob("projects/*/*.jsonl"))

    def run(self, prompt: str, *options: object, folder: Path) -> Run:
        """Run one prompt to its end in a folder.

        Raises:
            AssertionError: It failed.
        """
        run = self.try_run(prompt, *options, folder=folder)
        assert run.returncode == 0, run.stdout + run.stderr
        return run

    def try_run(self, prompt: str, *options: object, folder: Path) -> Run:
        """Run one prompt to its end, however it ends."""
        before = time.perf_counter()
        process = self.start(prompt, *options, folder=folder)
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return Run(process.returncode, out, err, time.perf_counter() - before)

    def start(self, prompt: str, *options: object, folder: Path) -> subprocess.Popen[str]:
        """Start one prompt in a process group of its own."""
        folder.mkdir(parents=True, exist_ok=True)
        words = [self.program, "-p", prompt, "--output-format", "json", *options]
        return subprocess.Popen(
            [str(word) for word in words],
            cwd=folder,
            env=self.surroundings(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )

    def command(self, *words: object, folder: Path) -> Run:
        """Run another of its commands, such as ``plugin validate``."""
        before = time.perf_counter()
        done = subprocess.run(
            [str(word) for word in (self.program, *words)],
            cwd=folder,
            env=self.surroundings(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=PATIENCE_S,
        )
        return Run(done.returncode, done.stdout, done.stderr, time.perf_counter() - before)

    def surroundings(self) -> dict[str, str]:
        """Return its whole environment."""
        own = {"HOME": str(self.home), "ANTHROPIC_BASE_URL": self.api.url}
        return FIXED | own | {"PATH": ":".join(self.path)} | dict(self.environment)
