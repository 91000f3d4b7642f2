"""`recollect erase`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import typer

import recollect
from tests.support.leftovers import files_that_hold
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


def test_a_dry_run_shows_what_would_be_erased(run: Run, home: Path) -> None:
    """And changes nothing."""
    done = run("--home", home, "erase", "--session", "delivery", "--dry-run")
    assert done.out.startswith("nothing was changed: 1 session, 4 messages (")
    assert "events  would go with it" in done.out
    assert run("--home", home, "search", "Thursdays", "--json").json["hits"]


def test_erasing_needs_a_yes(run: Run, home: Path) -> None:
    """Where nobody can be asked, on the command line; then nothing of it is left in the home."""
    refused = run("--home", home, "--json", "erase", "--session", "delivery")
    assert (refused.code, "--yes" in refused.error["hint"]) == (1, True)
    session = run("--home", home, "sessions", "show", "delivery", "--json").json["id"]
    assert files_that_hold(home, "thursdays")
    done = run("--home", home, "erase", "--session", session, "--yes")
    assert (done.code, done.out[:28]) == (0, "erased 1 session, 4 messages")
    assert files_that_hold(home, "thursdays") == []
    again = run("--home", home, "--json", "erase", "--session", session, "--yes")
    assert again.error == {
        "code": "not_found",
        "message": "the session was erased",
        "hint": "list those that are left with `recollect sessions`",
    }


def test_a_deleted_session_is_erased_by_its_title(run: Run, home: Path) -> None:
    """Who deleted it knows it by that name; the hint for a wrong one leads to the deleted, too."""
    run("--home", home, "sessions", "delete", "delivery")
    wrong = run("--home", home, "erase", "--session", "deliverance", "--json").error
    assert wrong["message"] == "there is no such session"
    session = run("--home", home, "sessions", "--all", "--json").json["sessions"][0]["id"]
    assert session in run("--home", home, "erase", "--session", "delivry", "--json").error["hint"]
    assert (
        "recollect sessions --all" in run("--home", home, "erase", "--session", "x", "--json").err
    )
    done = run("--home", home, "erase", "--session", "delivery", "--yes")
    assert (done.code, done.out[:28]) == (0, "erased 1 session, 4 messages")


def test_a_deleted_session_is_restored_by_its_title(run: Run, home: Path) -> None:
    """Nothing else has that name."""
    run("--home", home, "sessions", "delete", "delivery")
    assert run("--home", home, "sessions", "restore", "delivery").code == 0
    assert run("--home", home, "transcript", "delivery").code == 0


def test_the_receipt_is_one_document(run: Run, home: Path) -> None:
    """With the figures by kind."""
    receipt = run("--home", home, "erase", "--session", "delivery", "--yes", "--json").json
    assert (receipt["counts"]["messages"], receipt["is_clean"], receipt["dry_run"]) == (
        4,
        True,
        False,
    )


def test_somebody_at_a_terminal_is_asked(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A no leaves everything as it is."""
    answers = iter([False, True])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", lambda *_, **__: next(answers))
    declined = run("--home", home, "erase", "--session", "delivery")
    assert (declined.code, "nothing was erased" in declined.err) == (1, True)
    assert run("--home", home, "erase", "--session", "delivery").out.startswith("erased 1 session")


def test_what_comes_in_while_somebody_is_asked_stays(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A yes is to what was shown."""

    def confirm(*_: object, **__: object) -> bool:
        with recollect.open(home) as memory:
            memory.sessions.append(memory.sessions.find("delivery").id, "user", "One more.")
        return True

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", confirm)
    refused = run("--home", home, "erase", "--session", "delivery")
    assert (refused.code, "has changed since the dry run" in refused.err) == (1, True)
    assert run("--home", home, "erase", "--session", "delivery", "--yes").out.startswith(
        "erased 1 session, 5 messages"
    )


def test_forks_are_named_and_go_only_when_told(run: Run, home: Path) -> None:
    """A fork shows the messages that it shares."""
    fork = run("--home", home, "sessions", "fork", "delivery", "--json").json["id"]
    refused = run("--home", home, "--json", "erase", "--session", "delivery", "--yes")
    assert (refused.code, fork in refused.error["message"]) == (1, True)
    assert "--with-forks" in refused.error["hint"]
    done = run("--home", home, "erase", "--session", "delivery", "--with-forks", "--yes")
    assert done.out.startswith("erased 2 sessions, 4 messages")
