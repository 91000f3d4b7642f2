"""Stand-ins for the external command: small programs that note how they were called."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

HIT = {
    "docid": "#732fb4",
    "score": 0.72,
    "file": "qmd://workspace/memory/tea.md",
    "line": 2,
    "title": "Tea",
    "snippet": "@@ -2,2 @@ (1 before, 1 after)\n\nGreen tea on Mondays.",
}
"""What the real one (2.8.3) prints of a hit."""

_HEAD = """#!{python} -IS
import json, os, sys, time
NOTES = {notes!r}
HIT = {hit!r}
with open(NOTES, "a") as notes:
    notes.write(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]) + "\\n")
asked = sys.argv[3]
"""


class StandIn:
    """A program in the place of the command."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "stand-in"
        self._notes = folder / "notes.jsonl"

    def does(self, search: str, other: str = "pass") -> None:
        """Let it do that for a search, and that for anything else."""
        head = _HEAD.format(python=sys.executable, notes=str(self._notes), hit=HIT)
        chosen = f"if asked in ('search', 'vsearch', 'query'):\n{indent(search, '    ')}\nelse:\n"
        draft = self.path.with_suffix(".draft")
        draft.write_text(head + chosen + indent(other, "    "), encoding="utf-8")
        draft.chmod(draft.stat().st_mode | stat.S_IXUSR)
        draft.replace(self.path)

    def finds(self, *hits: dict[str, Any]) -> None:
        """Let it find something."""
        self.does(f"print({json.dumps(json.dumps(hits))})")

    def calls(self) -> list[list[str]]:
        """Return the arguments of each call, without the name of the index."""
        return [arguments[2:] for arguments, _, _ in self.notes()]

    def notes(self) -> list[tuple[list[str], str, dict[str, str]]]:
        """Return arguments, folder and variables of each call."""
        if not self._notes.exists():
            return []
        return [
            tuple(json.loads(line)) for line in self._notes.read_text(encoding="utf-8").splitlines()
        ]


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    """One that finds the line about tea."""
    folder = tmp_path / "program"
    folder.mkdir()
    made = StandIn(folder)
    made.finds(HIT)
    return made


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Two notes."""
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Long term\n\nThe kettle is old.\n", encoding="utf-8")
    (folder / "memory" / "tea.md").write_text(
        "# Tea\n\nGreen tea on Mondays, password: tr0ub4dor-3x\n\nNo milk.\n", encoding="utf-8"
    )
    return folder
