"""Messages from the command line."""

from __future__ import annotations

import io
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
    assert done.code == 1
    assert "assistant" in done.error["hint"]
