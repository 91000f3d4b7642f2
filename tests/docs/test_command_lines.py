"""Command lines: every `recollect …` and `python -m benchmarks …` of a page can be typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from benchmarks.commands import app as benchmarks
from recollect.cli.main import app as recollect

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUN = re.compile(r"`(python -m benchmarks [^`]*)`")
PROGRAMS = {"recollect": recollect, "benchmarks": benchmarks}


def _typed() -> Iterator[str]:
    """Lines of consoles, and the runs that a figure names beside it."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in CONSOLE.findall(text):
            shown = (line[2:] for line in block.splitlines() if line.startswith("$ "))
            yield from (line for line in shown if re.search(r"recollect |-m benchmarks", line))
        yield from RUN.findall(text)
    for command in _commands(typer.main.get_group(recollect)):
        yield from filter(None, [command.epilog] if command.params else [])


def _commands(command: Any) -> Iterator[Any]:
    inner = getattr(command, "commands", {})
    for each in inner.values():
        yield from _commands(each)
    if not inner:
        yield command


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
    words = [word for word in shlex.split(line, comments=True) if word != "…"]
    place = next(place for place, word in enumerate(words) if word in PROGRAMS)
    command: Any = typer.main.get_group(PROGRAMS[words[place]])
    rest = iter(words[place + 1 :])
    for word in rest:
        if word.startswith("-"):
            options = _options(command)
            assert word in options, word
            if options[word]:
                next(rest)
        elif isinstance(command, TyperGroup) and command.commands:
            assert word in command.commands, word
            command = command.commands[word]


def test_no_page_names_the_command_that_went() -> None:
    """`recollect bench` is gone; the changelog and the decision alone may say so."""
    may = {ROOT / "CHANGELOG.md", ROOT / "docs" / "adr" / "0006-rooms.md"}
    pages = {page for page in PAGES if "recollect bench" in page.read_text(encoding="utf-8")}
    assert pages <= may
