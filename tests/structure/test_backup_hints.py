"""What tells people to restore a backup tells them how."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOLD = re.compile(r"\b(restore|put|needs?|take) (the |a |an )?(latest )?(backup|blobs)\b")
COMMAND = "`recollect restore"


def _texts() -> Iterator[tuple[str, str]]:
    """Yield where, and what every text of the sources says, joined as Python joins it."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            # A docstring is of several lines, or tells and does not ask for anything.
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def test_a_hint_that_says_restore_a_backup_names_the_command() -> None:
    """In errors, in `recollect doctor` and on the pages."""
    silent = [where for where, said in _texts() if TOLD.search(said) and COMMAND not in said]
    pages = [ROOT / "docs" / f"{name}.md" for name in ("durability", "health", "reference/errors")]
    for page in pages:
        lines = page.read_text(encoding="utf-8").splitlines()
        silent += [
            f"{page.name}:{number}"
            for number, line in enumerate(lines, 1)
            if TOLD.search(line) and COMMAND not in line
        ]
    assert silent == []
