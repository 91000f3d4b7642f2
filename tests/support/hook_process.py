"""The hook client as agent programs run it: a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from recollect.hook import client
from recollect.hook.spool import Spool

CLIENT = str(Path(client.__file__))
SECRET = "ghp_" + "a" * 36
PATIENCE_S = 60.0


def payload(**more: object) -> bytes:
    """Return what Claude Code says after a tool."""
    told = {
        "session_id": "5b1f6a3e-0c1d-4a55-9d0a-6f1d2c3b4a01",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"export GITHUB_TOKEN={SECRET}"},
        "tool_use_id": "toolu_01ABCdefGHIjklMNOpqrSTUv",
    }
    return json.dumps(told | more).encode()


class Hook:
    """A hook of a home as processes of their own; those that hang are killed at the end.

    Args:
        home: Its home.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {"PATH": os.defpath, "HOME": str(home.parent / "nobody")}
        self.started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Hook:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for each in self.started:
            each.kill()
            each.wait()
            for stream in (each.stdin, each.stdout, each.stderr):
                if stream is not None:
                    stream.close()

    def start(self, event: str = "PostToolUse", *options: str, **streams: Any) -> Any:
        """Start it, with pipes unless other streams are given."""
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        command = [sys.executable, "-I", "-S", CLIENT, "claude-code", event]
        given = [*command, "--home", str(self.home), *options]
        process = subprocess.Popen(given, env=self.environment, **(pipes | streams))
        self.started.append(process)
        return process

    def run(self, told: bytes | None = None, *options: str, event: str = "PostToolUse") -> bytes:
        """Return what it prints; it must end with 0 and say nothing on stderr."""
        process = self.start(event, *options)
        out, err = process.communicate(payload() if told is None else told)
        assert (process.returncode, err) == (0, b"")
        return bytes(out)


def until(found: Callable[[], object]) -> None:
    """Wait until something is so."""
    waiting = threading.Event()
    for _ in range(int(PATIENCE_S / 0.02)):
        if found():
            return
        waiting.wait(0.02)
    raise AssertionError("it did not come")


def spooled(home: Path, count: int = 1) -> list[dict[str, Any]]:
    """Return the events in the spool as soon as there are so many."""
    spool = Spool(home)
    until(lambda: len(spool.files()) >= count)
    return [json.loads(path.read_text()) for path in spool.files()]
