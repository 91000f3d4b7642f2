"""Starts the workers of `worker` and speaks with them over pipes."""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Worker:
    """A process that runs one command of `tests.durability.worker`."""

    def __init__(self, command: str, *arguments: object) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.durability.worker", command, *map(str, arguments)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self._errors = self._process.stderr

    @property
    def is_over(self) -> bool:
        """Whether it was waited for."""
        return self._answers.closed

    def order(self, line: str = "go") -> None:
        """Send a line."""
        self._orders.write(line + "\n")
        self._orders.flush()

    def answer(self) -> str:
        """Return the next line; empty when the worker has ended."""
        return self._answers.readline().rstrip("\n")

    def listen(self, seconds: float) -> None:
        """Return when there is an answer to read, or after some time."""
        select.select([self._answers], [], [], seconds)

    def kill(self) -> list[str]:
        """Kill it (SIGKILL) and return the whole lines that it had sent and nobody read."""
        self._process.kill()
        rest = self._answers.read()
        self._process.wait()
        self._close()
        return [line.rstrip("\n") for line in rest.splitlines(keepends=True) if line[-1] == "\n"]

    def finish(self) -> list[str]:
        """Wait for its end and return the remaining lines.

        Raises:
            AssertionError: it failed; with what it wrote to stderr.
        """
        rest, errors = self._process.communicate()
        self._close()
        assert self._process.returncode == 0, errors
        return rest.splitlines()

    def _close(self) -> None:
        for pipe in (self._orders, self._answers, self._errors):
            pipe.close()


@contextmanager
def workers(count: int, command: str, *arguments: object) -> Iterator[list[Worker]]:
    """Start ``count`` workers; each gets its name ``w0``, ``w1`` … after ``arguments``' first."""
    first, *rest = arguments
    started = [Worker(command, first, f"w{number}", *rest) for number in range(count)]
    try:
        yield started
    finally:
        for worker in started:
            if not worker.is_over:
                worker.kill()


def start_at_once(started: list[Worker]) -> None:
    """Wait until all are ready, then let all go."""
    for worker in started:
        assert worker.answer() == "ready"
    for worker in started:
        worker.order()
