"""The table of commands, and the help pages that are read off it."""

from __future__ import annotations

import pytest
from typer.core import TyperCommand
from typer.main import get_command

from recollect.cli.help import App
from recollect.cli.main import PLACES, CommandTable, app
from tests.unit.cli.conftest import Run


def test_every_place_holds_its_command() -> None:
    """The table names modules by hand."""
    table = CommandTable()
    assert list(table) == list(PLACES)
    assert {name: table[name].name for name in table} == {name: name for name in PLACES}


def test_the_table_is_a_mapping_that_can_be_changed() -> None:
    """As typer expects of it."""
    table = CommandTable()
    command = TyperCommand("new")
    table["new"] = command
    assert table["new"] is command
    del table["new"]
    assert len(table) == len(PLACES)
    with pytest.raises(KeyError):
        table["new"]


@pytest.mark.parametrize("name", PLACES)
def test_every_command_has_a_help_page(run: Run, name: str) -> None:
    """A sentence, how it is called, and its options."""
    done = run(name, "--help")
    assert done.code == 0
    assert f"Usage: recollect {name} [OPTIONS]" in done.out
    assert "--help" in done.out
    assert all(len(line) <= 100 for line in done.out.splitlines())


def test_every_option_is_explained() -> None:
    """Also those of commands inside groups."""
    root = get_command(app)

    def walk(command: object, path: str) -> list[str]:
        found = [
            f"{path} {parameter.name}"
            for parameter in getattr(command, "params", [])
            if not getattr(parameter, "help", None)
        ]
        inner = getattr(command, "commands", {})
        if path.endswith("bench"):
            return found
        for name in inner:
            found += walk(inner[name], f"{path} {name}")
        return found

    assert walk(root, "recollect") == []


def test_the_help_groups_the_commands(run: Run) -> None:
    """The golden look of the first page."""
    lines = run("--help").out.splitlines()
    assert lines[:4] == [
        "The memory of an AI agent, on the agent's own machine.",
        "",
        "Usage: recollect [OPTIONS] [COMMAND]",
        "",
    ]
    titles = [line for line in lines if line and not line.startswith((" ", "Usage"))]
    assert titles[1:6] == ["Begin", "Find", "Keep", "Set up", "Options"]


def test_a_page_shows_what_must_be_given(run: Run) -> None:
    """Arguments by name, optional ones in brackets."""
    assert "Usage: recollect search [OPTIONS] QUERY...\n" in run("search", "-h").out
    assert "Usage: recollect import [OPTIONS] [FORMAT] [PATH...]\n" in run("import", "-h").out
    assert "Usage: recollect config [OPTIONS] [COMMAND]\n" in run("config", "-h").out


def test_a_long_name_gets_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """And the text stands below it, where all texts do."""
    page = App()

    @page.command()
    def brew(*, temperature_of_the_water_in_degrees: int = 80, time: int = 3) -> None:
        """Make tea."""

    get_command(page).main(["--help"], standalone_mode=False)
    lines = capsys.readouterr().out.splitlines()
    place = lines.index("  --temperature-of-the-water-in-degrees <int>")
    below, time = lines[place + 1], lines[place + 2]
    assert below.strip() == "[default: 80]"
    assert time.startswith("  --time <int>  ")
    assert below.index("[") == time.index("[")
