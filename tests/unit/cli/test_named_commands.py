"""Commands that hints, help and next steps name: each exists, and so do its options."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from recollect.cli.failures import MEANT
from recollect.cli.main import app
from recollect.integrations.agents import AGENTS, MCP
from tests.unit.cli.conftest import Run

SOURCES = Path(__file__).resolve().parents[3] / "src"
VARIES = "VARIES"
"""What stands for a part that is only known when the program runs."""
NAMED = re.compile(r"`recollect ([^`]+)`")
ALONE = re.compile(r"recollect ([a-z][^`]*)")
ROOT = typer.main.get_group(app)


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module, docstrings aside, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [
                part.value if isinstance(part, ast.Constant) else VARIES for part in node.values
            ]
            yield node.lineno, "".join(map(str, parts))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside
        ):
            yield node.lineno, node.value


def _commands() -> Iterator[tuple[str, str]]:
    """Yield place and command line of each command that a text names."""
    for path in sorted(SOURCES.rglob("*.py")):
        for number, text in _texts(path):
            lines = NAMED.findall(text)
            if not lines and (alone := ALONE.fullmatch(text.strip())):
                lines = [alone[1]]
            yield from ((f"{path.relative_to(SOURCES)}:{number}", line) for line in lines)


def _trouble(line: str) -> str | None:
    """Return what of a command line does not exist; None where all does."""
    try:
        words = [word.strip(".,;:…") for word in shlex.split(line)]
    except ValueError:  # a text that is put together from several
        words = line.split()
    command: Any = ROOT
    options: set[str] = set()
    for word in words:
        options |= {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        children = getattr(command, "commands", {})
        if word.startswith("--"):
            if VARIES not in word and word.partition("=")[0] not in {*options, "--help", "--json"}:
                return f"{word} is no option"
        elif word in children:
            command = children[word]
        elif children and word.isalpha() and word.islower():
            return f"{word} is no command"
    return None


@pytest.mark.slow
def test_every_command_that_a_text_names_exists() -> None:
    """A hint that cannot be typed is worse than none."""
    commands = list(_commands())
    assert len(commands) > 100
    prose = {"runs", "does", "wrote"}  # sentences that begin with the name of the program
    wrong = {
        f"{place}: recollect {line}": trouble
        for place, line in commands
        if line.split()[0] not in prose and (trouble := _trouble(line))
    }
    assert wrong == {}


def test_the_check_finds_what_is_missing() -> None:
    """Of these three the first exists."""
    assert _trouble("sessions list --title x") is None
    assert _trouble("facts lst") == "lst is no command"
    assert _trouble("search --limt 3") == "--limt is no option"


def test_what_people_type_instead_leads_to_commands() -> None:
    """The words are none themselves."""
    commands = ROOT.commands
    assert {each for each in MEANT.values() if each not in commands} == set()
    assert {each for each in MEANT if each in commands} == set()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["add", "x"], "try `recollect remember`"),
        (["init", "vscode"], "recollect init mcp --client vscode"),
        (["init", "vscod"], "recollect init mcp --client vscode"),
        (["config", "set", "search.limt", "3"], "try search.limit"),
        (["init", "codx"], "name codex"),
    ],
)
def test_a_wrong_word_is_answered_with_the_right_one(
    run: Run, home: Path, words: list[str], hint: str
) -> None:
    """As a newcomer types it."""
    run("--home", home, "init")
    done = run("--home", home, *words, "--json")
    assert done.code != 0
    assert hint in done.error["hint"]


def test_a_list_of_sessions_may_be_called_so(run: Run, home: Path) -> None:
    """As that of facts, episodes and tokens."""
    run("--home", home, "init")
    assert (
        run("--home", home, "sessions", "list", "--json").json
        == run("--home", home, "sessions", "--json").json
    )


@pytest.mark.slow
def test_every_agent_that_a_text_names_is_one() -> None:
    """`recollect init NAME`."""
    names = {
        words[1]
        for _, line in _commands()
        if (words := line.split())[0] == "init" and len(words) > 1
    }
    plain = {name for name in names if re.fullmatch(r"[a-z][a-z-]+", name)}
    assert plain <= {*AGENTS, MCP}
