"""Messages from the command line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


def test_a_message_is_stored_at_the_end(run: Run, home: Path) -> None:
    """Its place can be given to `recollect get`."""
    said = ("delivery", "user", "And in July?", "--name", "Mira")
    place = run("--home", home, "sessions", "say", *said).out.strip()
    message = run("--home", home, "get", place, "--json").json["message"]
    assert (message["seq"], message["name"], message["text"]) == (5, "Mira", "And in July?")


def test_a_text_may_come_from_stdin(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is long, or has quotes in it."""
    monkeypatch.setattr("sys.stdin", io.StringIO('It\'s\n"July".\n'))
    message = run("--home", home, "sessions", "say", "delivery", "assistant", "-", "--json").json
    assert message["text"] == 'It\'s\n"July".\n'


def test_the_same_event_twice_is_one_message(run: Run, home: Path) -> None:
    """A script may always try again."""
    once = ("sessions", "say", "delivery", "user", "hi", "--event-id", "e1")
    assert run("--home", home, *once).out == run("--home", home, *once).out


@pytest.mark.parametrize("role", ["robot", ""])
def test_an_unknown_role_is_refused(run: Run, home: Path, role: str) -> None:
    """With those that there are."""
    done = run("--home", home, "sessions", "say", "delivery", role, "hi", "--json")
    assert done.code == 2
    assert "assistant" in done.error["hint"]


def test_what_arrived_before_an_interruption_is_kept(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marked as unfinished; the same event id later makes it whole."""

    def interrupted() -> Iterator[str]:
        yield "first line\n"
        yield "second line\n"
        raise KeyboardInterrupt

    said = ("sessions", "say", "delivery", "assistant", "-", "--event-id", "e1")
    monkeypatch.setattr("sys.stdin", interrupted())
    assert run("--home", home, *said).code == 130
    message = run("--home", home, "get", "delivery:5", "--json").json["message"]
    assert message["text"].startswith("first line")
    assert message["metadata"]["unfinished"]
    monkeypatch.setattr("sys.stdin", io.StringIO("first line\nsecond line\nthird line\n"))
    assert run("--home", home, *said, "--json").json["seq"] == 5
    message = run("--home", home, "get", "delivery:5", "--json").json["message"]
    assert (message["text"].strip().count("\n"), message["metadata"]) == (2, {})


def test_nothing_on_stdin_is_no_message(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe that broke says nothing, and neither does a variable that is not set."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for text, code in (("-", 1), ("", 2)):
        done = run("--home", home, "sessions", "say", "delivery", "user", text, "--json")
        assert (done.code, done.error["code"]) == (code, "invalid_input")
    assert run("--home", home, "sessions", "show", "delivery", "--json").json["last_seq"] == 4
