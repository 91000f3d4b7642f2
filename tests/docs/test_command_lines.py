"""Command lines: every `recollect …` that a page tells the reader to type can be typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from recollect.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _typed() -> Iterator[str]:
    for page in PAGES:
        for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
            yield from (line[2:] for line in block.splitlines() if "recollect " in line)


def _options(command: Any) -> dict[str, bool]:
    """Return the options of a command, and whether each takes a value."""
    taken = {"--help": False, "--json": False}
    for parameter in command.params:
        flag = getattr(parameter, "is_flag", False)
        taken |= dict.fromkeys([*parameter.opts, *parameter.secondary_opts], not flag)
    return taken


@pytest.mark.parametrize("line", sorted({line for line in _typed() if "pip " not in line}))
def test_a_command_line_of_a_page_can_be_typed(line: str) -> None:
    """A page that shows a command which does not exist is worse than no page."""
    command: Any = typer.main.get_group(app)
    words = shlex.split(line, comments=True)
    rest = iter(words[words.index("recollect") + 1 :])
    for word in rest:
        if word.startswith("-"):
            options = _options(command)
            assert word in options, word
            if options[word]:
                next(rest)
        elif isinstance(command, TyperGroup) and command.commands:
            assert word in command.commands, word
            command = command.commands[word]
