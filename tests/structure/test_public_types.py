"""What type checkers see: strict mypy refuses each wrong use of the surface, and no right one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
import recollect


async def awaited() -> None:
    async with recollect.open_async("home") as memory, memory.sessions.hold("id") as held:
        {awaited}


with recollect.open("home") as memory, memory.sessions.hold("id") as held:
    {plain}
"""
WRONG = (
    "held.appendd()",
    "held.append()",
    'held.append("user", text="x")',
    "held.search(42)",
    'held.search("x", nonsense=True)',
    'held.search("x").hit',
    'held.messages("x")',
    "held.messages()[0].sequence",
    "held.view(budget_tokens='much')",
    'held.observations.record(tool="x")',
    "held.observations.lisst()",
    'held.context(query="x", budget=1)',
    'held.backup("x")',
    'held.rename(title=["x"])',
    'memory.sessions.append("id")',
    "memory.sessions.memory",
    "memory.sessions.opened()",
    "memory.sessions.list(limit='x')",
    "memory.files(for_user='x')",
    "memory.observations.timelin()",
    "memory.nothing",
)
RIGHT = (
    'held.append("user", "x", name="Ann", event_id="e1")',
    'held.append_many([("user", "x"), {"role": "assistant", "content": "y"}])',
    'held.search("x", limit=3, mode="lexical", sources=["sessions"])',
    "held.messages(5, after_seq=1)",
    "held.view(budget_tokens=500)",
    "held.compact(keep_messages=3)",
    "held.fork(2, title='what if')",
    'held.observations.record("Bash", input={"command": "ls"}, importance=0.5)',
    "held.observations.list(limit=3)",
    'held.context("x", 400)',
    'held.read("memory/notes.md", lines=3)',
    'memory.sessions.append("id", "user", "x")',
    "memory.sessions.list(limit=3)",
    'memory.files(for_session="id")',
    'memory.observations.timeline("#1")',
    'memory.context("id", query="x")',
    'memory.sessions.history.pending("telegram:42")',
)
VALUES = {"memory.sessions.memory", "memory.nothing"}
"""What is no call, and is not awaited."""


def test_strict_mypy_refuses_each_wrong_line_and_no_right_one(tmp_path: Path) -> None:
    """As in a program that uses the package: of the synchronous surface, and of its twin."""
    wrong, right = tmp_path / "wrong.py", tmp_path / "right.py"
    wrong.write_text(_program(WRONG), encoding="utf-8")
    right.write_text(_program(RIGHT), encoding="utf-8")
    refused = _refused(wrong, right)
    lines = wrong.read_text(encoding="utf-8").splitlines()
    meant = {n for n, line in enumerate(lines, 1) if line.startswith("    ") and "with" not in line}
    assert [lines[n - 1] for n in sorted(meant - refused["wrong.py"])] == []
    assert refused == {"wrong.py": meant, "right.py": set()}


def _program(uses: tuple[str, ...]) -> str:
    awaited = [use if use in VALUES else f"await {use}" for use in uses]
    awaited = [re.sub(r"await (.*\))([.\[].*)$", r"(await \1)\2", use) for use in awaited]
    return HEAD.format(awaited="\n        ".join(awaited), plain="\n    ".join(uses))


def _refused(*paths: Path) -> dict[str, set[int]]:
    """Return the numbers of the lines with an error, by file."""
    options = ["--strict", "--no-error-summary"]
    command = [sys.executable, "-m", "mypy", *options, *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    found: dict[str, set[int]] = {path.name: set() for path in paths}
    for name, line in re.findall(r"^.*?(\w+\.py):(\d+): error", done.stdout, re.MULTILINE):
        found[name].add(int(line))
    return found
