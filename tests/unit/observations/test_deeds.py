"""What an agent did, as the lines that stand beside the summary of its session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.observations.deeds import deeds_of
from recollect.store.columns import Condition


class Work:
    """A session in which an agent works."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._session = memory.sessions.create().id

    def edit(self, path: str, **more: Any) -> None:
        """Change a file."""
        tool_input = {"file_path": path, "old_string": "a", "new_string": "b"}
        self._memory.observations.record(self._session, "Edit", input=tool_input, **more)

    def run(self, what: str, **more: Any) -> None:
        """Run a command."""
        tool_input = {"command": "make", "description": what}
        self._memory.observations.record(self._session, "Bash", input=tool_input, **more)

    def lines(self, tokens: int = 500) -> list[str]:
        """Return the lines."""
        where = Condition(Scope()).also("session_id = ?", self._session)
        records = self._memory._rooms.records  # noqa: SLF001  # as the writer of episodes asks
        return records.read(lambda tx: deeds_of(tx, where, tokens)).splitlines()


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    """Work in a memory for words only."""
    words_only = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=words_only, live=False) as memory:
        yield Work(memory)


def changed(work: Work) -> str:
    """Return the line of the changed files."""
    return next((line for line in work.lines() if line.startswith("- changed: ")), "")


def test_the_newest_files_are_named_each_once_and_how_many_more_there_are(work: Work) -> None:
    """Eight names; nobody reads a hundred."""
    for number in [*range(8), 3]:
        work.edit(f"f{number}.py")
    assert changed(work) == "- changed: f3.py, f7.py, f6.py, f5.py, f4.py, f2.py, f1.py, f0.py"
    work.edit("late.py")
    work.edit("later.py")
    assert changed(work).startswith("- changed: later.py, late.py, f3.py, ")
    assert changed(work).endswith(" and 2 more")


def test_a_file_that_could_not_be_written_is_not_changed(work: Work) -> None:
    """Nor one that was only read."""
    work.edit("kettle.py", error="old_string was not found")
    work.run("Read it")
    assert changed(work) == ""


def test_what_failed_and_succeeded_later_is_not_failing(work: Work) -> None:
    """The last outcome of each deed counts, the newest failure stands first."""
    work.run("Build it", error="Exit code 2")
    work.run("Lint it", error="boom")
    work.run("Test it", error="boom")
    work.run("Build it")
    assert [line for line in work.lines() if "still failing" in line] == [
        "- still failing: Test it (failed)",
        "- still failing: Lint it (failed)",
    ]
    work.run("Build it", error="Exit code 3")
    assert work.lines()[0] == "- still failing: Build it (failed with exit code 3)"


def test_important_deeds_have_a_line_and_small_ones_are_counted(work: Work) -> None:
    """A design is one; five times a look is none."""
    work.edit("docs/adr/tea.md")
    for _ in range(3):
        work.edit("tea.py")
    assert work.lines() == [
        "- did: 3× code change, 1× architecture",
        "- changed: tea.py, docs/adr/tea.md",
        "- Edit docs/adr/tea.md",
    ]


def test_lines_that_do_not_fit_are_left_out_whole(work: Work) -> None:
    """A shorter one after them may still fit."""
    work.edit(f"{'long/' * 40}kettle.py")
    assert work.lines(20) == ["- did: 1× code change"]
    assert work.lines(0) == []


def test_who_did_nothing_has_no_line(work: Work) -> None:
    """A session of words alone."""
    assert work.lines() == []
