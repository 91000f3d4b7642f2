"""Commands that are killed: ahead of a call to the disk, or at any moment between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from msgspec import Struct

from tests.durability.processes import Worker
from tests.durability.scale import chance

LAST = 120
"""Calls at the end, where files get their names: a quarter of the kills."""


class Life(Struct, frozen=True):
    """How long a command lives that nobody kills."""

    calls: int
    """To the disk: SQLite's, and our own."""
    seconds: float


def run(command: str, *arguments: object, dies: str = "never") -> Life | None:
    """Let a worker do a command, and return how long it lived; None where it was killed.

    Args:
        command: One of `tests.durability.worker` that takes its death as its first argument.
        arguments: The others.
        dies: ``never``, ``call N`` (ahead of the N-th), or ``second S`` (after so many).
    """
    worker = Worker(command, dies, *arguments)
    told = worker.answer()
    if not told:
        worker.kill()
        return None
    worker.finish()
    calls, seconds = told.split()
    return Life(int(calls), float(seconds))


def deaths(name: str, life: Life) -> Iterator[str]:
    """Yield, without end, when a trial is killed: at calls and at moments, half of each."""
    draw = chance(f"deaths {name}")
    for number in count():
        if number % 2:
            yield f"second {draw.uniform(0, life.seconds):.6f}"
        else:
            first = max(0, life.calls - LAST) if number % 4 else 0
            yield f"call {draw.randrange(first, life.calls)}"
