"""What somebody waits for on a day with an agent that remembers, command by command.

The day is that of the tests, with the agent that they play; the commands are real processes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from tests.support.agent_user import PlayedAgent, User
from tests.support.day import Day, live


class DayRun(msgspec.Struct, frozen=True, kw_only=True):
    """The waits of some days.

    Attributes:
        environment: Where it ran.
        waits: Seconds of each wait, one of each day, by what was waited for.
    """

    environment: Environment
    waits: dict[str, list[float]]


class DayRunner:
    """Lives days, each in a new home.

    Args:
        folder: Where the homes are made.
        environment: Where it runs.
        progress: Told what goes on.
    """

    def __init__(self, folder: Path, environment: Environment, progress: Progress) -> None:
        self._folder, self._environment, self._progress = folder, environment, progress

    def run(self, days: int) -> DayRun:
        """Return the figures."""
        waits: dict[str, list[float]] = {}
        program = Path(sys.executable).with_name("recollect")
        for number in range(days):
            self._progress("living days", number, days)
            user = User(self._folder / f"user{number}", program)
            day = Day(user, PlayedAgent(user))
            live(day)
            for what, seconds in day.waits:
                waits.setdefault(what, []).append(seconds)
        return DayRun(environment=self._environment, waits=waits)


def describe_day(run: DayRun) -> list[str]:
    """Return what was run on what."""
    days = len(next(iter(run.waits.values())))
    return [f"{days} days, a played agent", *describe_lines(run.environment)]


def day_grids(run: DayRun) -> list[Grid]:
    """Return the waits as a table."""
    rows = tuple(
        (what, *(f"{seconds:.2f} s" for seconds in (sorted(each)[len(each) // 2], max(each))))
        for what, each in run.waits.items()
    )
    columns = ("waiting for", "median", "max")
    return [Grid(title="What a user waits for", columns=columns, rows=rows)]
