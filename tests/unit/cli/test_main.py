"""The entry point: every way in has an exit code, and nothing ends in a traceback."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import typer

import recollect
from recollect.cli import main as entry
from recollect.cli.help import App
from tests.unit.cli.conftest import Run


def test_the_version_is_told(run: Run) -> None:
    """And nothing else."""
    assert run("--version").out == f"recollect {recollect.__version__}\n"


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    """Which is wrong usage all the same."""
    done = run()
    assert done.code == 2
    assert "Usage: recollect [OPTIONS] [COMMAND]" in done.out


def test_without_a_command_json_is_an_error_document(run: Run) -> None:
    """A page of help would be no JSON."""
    done = run("--json")
    assert (done.code, done.out, done.error["code"]) == (2, "", "usage")


def test_json_behind_the_name_of_a_group_is_the_same(run: Run, home: Path) -> None:
    """It has three places to stand."""
    for arguments in (
        ("--json", "config", "get", "search.limit"),
        ("config", "--json", "get", "search.limit"),
        ("config", "get", "search.limit", "--json"),
    ):
        assert run("--home", home, *arguments).json["value"] == 6


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_unknown_command_is_wrong_usage(run: Run, options: tuple[str, ...]) -> None:
    """With the nearest one."""
    done = run(*options, "serch")
    assert (done.code, done.out) == (2, "")
    assert "Did you mean 'search'" in done.err


@pytest.mark.parametrize("option", ["--home", "--workspace", "--debug", "--version"])
def test_an_option_behind_the_command_is_sent_to_its_place(run: Run, option: str) -> None:
    """A usual slip."""
    done = run("status", option, "x")
    assert done.code == 2
    assert f"{option} must be given before the command" in done.err


def test_json_behind_two_dashes_is_text(run: Run) -> None:
    """A question may hold anything."""
    done = run("search", "--", "--json")
    assert done.code == 1
    assert done.err.startswith("error: the home ")


class _Broken:
    """A command that does what no command should."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def main(self, **_: object) -> object:
        raise self._error


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> object:
    """Replace the commands by one that raises."""

    def install(error: BaseException) -> None:
        monkeypatch.setattr(entry, "get_command", lambda _: _Broken(error))

    return install


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (ValueError("secret"), 1, "unexpected ValueError"),
        (RecursionError(), 1, "unexpected RecursionError"),
        (MemoryError(), 1, "unexpected MemoryError"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (typer.Abort(), 130, "interrupted"),
        (SystemExit(3), 3, ""),
        (SystemExit(None), 0, ""),
        (OSError(28, "No space left on device"), 1, "the output could not be written"),
        (OSError(28, "No space left on device", "a/records.db"), 1, "records.db: no space is left"),
        (
            PermissionError(13, "Permission denied", "a/notes"),
            1,
            "notes: the file cannot be written",
        ),
    ],
)
def test_whatever_happens_is_told_in_a_line(
    run: Run, broken: object, error: BaseException, code: int, told: str
) -> None:
    """And never with a traceback."""
    assert callable(broken)
    broken(error)
    done = run()
    assert done.code == code
    assert told in done.err
    assert "Traceback" not in done.err
    assert "secret" not in done.err


@pytest.mark.parametrize("how", ["option", "variable"])
def test_debugging_shows_the_traceback(
    run: Run, broken: object, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By option or variable."""
    assert callable(broken)
    broken(ValueError("the reason"))
    if how == "variable":
        monkeypatch.setenv("RECOLLECT_DEBUG", "1")
    done = run(*(["--debug"] if how == "option" else []), "status")
    assert "ValueError: the reason" in done.err


def test_closed_streams_are_no_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with `>&-` in a shell, and under some daemons."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert entry.main(["--version"]) == 0
    sys.stdout.close()
    sys.stderr.close()


def test_a_character_that_the_terminal_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of an error."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert entry.main(["config", "explain", "search.ranking.speaker"]) == 0
    sys.stdout.write("Zoé")
    sys.stdout.flush()
    assert raw.getvalue().endswith(b"Zo\\xe9")


def test_an_interrupt_in_a_command_has_its_own_exit_code(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through typer, which has a way of its own."""
    app = App()

    @app.command()
    def wait() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "app", app)
    done = run()
    assert (done.code, done.out) == (130, "")
    assert done.err == "error: interrupted\n"


def test_a_screen_of_no_columns_shows_everything(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some terminals and programs set COLUMNS=0; rich would print nothing."""
    monkeypatch.setenv("COLUMNS", "0")
    assert "Usage: recollect" in run("--help").out
