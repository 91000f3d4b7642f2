"""Starts the commands of `worker` as processes and speaks with them over pipes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 120


class Process:
    """A running command.

    Args:
        command: Its name in `worker`.
        arguments: What it takes.
        orders: Where it reads its lines from; a pipe of ours if not given.
    """

    def __init__(self, command: str, *arguments: object, orders: IO[str] | None = None) -> None:
        self._running = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.index.worker", command, *map(str, arguments)],
            cwd=ROOT,
            stdin=subprocess.PIPE if orders is None else orders,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def lines(self) -> IO[str]:
        """What it says."""
        assert self._running.stdout is not None
        return self._running.stdout

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._running.poll() is not None

    def order(self, line: str) -> None:
        """Send a line."""
        assert self._running.stdin is not None
        self._running.stdin.write(line + "\n")
        self._running.stdin.flush()

    def answer(self) -> str:
        """Return the next line; empty when it has ended."""
        return self.lines.readline().rstrip("\n")

    def has_ended_within(self, seconds: float) -> bool:
        """Wait for the end, but not for long."""
        try:
            self._running.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> bool:
        """Kill it (SIGKILL); return whether it was in time, before it ended by itself."""
        self._running.kill()
        self._running.communicate(timeout=PATIENCE_S)
        return self._running.returncode < 0

    def finish(self) -> list[str]:
        """Wait for its end and return the remaining lines.

        Raises:
            AssertionError: it failed; with what it wrote to stderr.
        """
        rest, errors = self._running.communicate(timeout=PATIENCE_S)
        assert self._running.returncode == 0, errors
        return rest.splitlines()


@contextmanager
def running(command: str, *arguments: object, orders: IO[str] | None = None) -> Iterator[Process]:
    """Give the block a process that does not outlive it."""
    process = Process(command, *arguments, orders=orders)
    try:
        yield process
    finally:
        process.kill()
