"""Every error has an exit code, a sentence and, where one can help, a hint."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import typer

from recollect.answers.error import FAILED, HANDLING, USAGE
from recollect.cli.failures import (
    tell_error,
    tell_interrupt,
    tell_no_output,
    tell_unexpected,
    tell_usage,
)
from recollect.cli.invocation import NotAgreed
from recollect.core import errors
from recollect.core.errors import ConfigError, InvalidInput, NotFound, RecollectError


def _tree(root: type[RecollectError]) -> Iterator[type[RecollectError]]:
    yield root
    for child in root.__subclasses__():
        yield from _tree(child)


def test_every_error_has_an_exit_code() -> None:
    """The table is total over the tree."""
    known = {kind for kind in _tree(RecollectError) if kind.__module__ == errors.__name__}
    assert set(HANDLING) == known
    assert {kind for kind, row in HANDLING.items() if row.exit_code != FAILED} == {InvalidInput}
    assert HANDLING[InvalidInput].exit_code == USAGE


def test_an_error_is_a_sentence_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr."""
    code = tell_error(NotFound("there is no tea", hint="buy some"), as_json=False)
    shown = capsys.readouterr()
    assert (code, shown.out) == (1, "")
    assert shown.err == "error: there is no tea\n hint: buy some\n"


def test_what_the_command_line_gave_is_usage_and_what_lies_there_is_not() -> None:
    """B7: wrong usage is 2, whoever refuses it; a damaged file or setting is 1."""
    usage = (InvalidInput("no"), ConfigError("no", origin="argument search.limit"))
    failed = (InvalidInput("no", path="a.md"), ConfigError("no", origin="config.yaml line 2"))
    assert [tell_error(each, as_json=False) for each in usage] == [2, 2]
    assert [tell_error(each, as_json=False) for each in failed] == [1, 1]
    assert tell_error(NotAgreed("no"), as_json=False) == 1


def test_an_error_without_a_hint_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """No empty hint."""
    tell_error(NotFound("there is no tea"), as_json=False)
    assert capsys.readouterr().err == "error: there is no tea\n"


def test_an_error_as_json_has_code_message_and_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """The shape of every surface."""
    tell_error(NotFound("there is no tea", hint="buy some"), as_json=True)
    told = json.loads(capsys.readouterr().err)
    assert told == {
        "error": {"code": "not_found", "message": "there is no tea", "hint": "buy some"}
    }


def test_an_error_of_another_package_has_an_exit_code() -> None:
    """A provider may have its own class below ours."""

    class Odd(NotFound):
        pass

    assert tell_error(Odd("odd"), as_json=False) == 1


def test_an_unexpected_error_does_not_show_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    """It could hold what the user said."""
    code = tell_unexpected(ValueError("my secret"), as_json=False, debug=False)
    shown = capsys.readouterr().err
    assert code == 1
    assert "my secret" not in shown
    assert "unexpected ValueError" in shown
    assert "RECOLLECT_DEBUG" in shown


def test_debugging_shows_where_an_unexpected_error_came_from(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With its text; somebody asked for it."""
    tell_unexpected(ValueError("the reason"), as_json=False, debug=True)
    assert "ValueError: the reason" in capsys.readouterr().err


def test_an_interrupt_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """130, as shells have it."""
    assert tell_interrupt(as_json=True) == 130
    assert json.loads(capsys.readouterr().err)["error"]["code"] == "interrupted"


def test_a_full_disk_behind_stdout_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """By its reason."""
    assert tell_no_output(OSError(28, "No space left on device"), as_json=False) == 1
    assert "No space left on device" in capsys.readouterr().err


def test_wrong_usage_points_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """On one line, without a context too."""
    assert tell_usage(typer.BadParameter("two\nlines."), as_json=False) == 2
    assert capsys.readouterr().err == "error: Invalid value: two lines\n"
