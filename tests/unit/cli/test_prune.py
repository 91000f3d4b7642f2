"""`recollect prune`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import typer

from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


@pytest.fixture
def capped(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with one session of four messages, and a cap of two."""
    monkeypatch.setenv("RECOLLECT_SESSIONS__RETENTION__MAX_MESSAGES", "2")
    return home


def test_without_caps_there_is_nothing_to_remove(run: Run, home: Path) -> None:
    """And nobody is asked."""
    done = run("--home", home, "prune")
    assert (done.code, done.err) == (0, "")
    assert done.out == "nothing to remove: no cap is passed\n"


def test_a_dry_run_shows_what_would_go(run: Run, capped: Path) -> None:
    """And changes nothing."""
    done = run("--home", capped, "prune", "--dry-run")
    assert done.out.startswith("nothing was changed: 2 messages (")
    assert "more messages than sessions.retention.max_messages" in done.out
    assert (
        run("--home", capped, "sessions", "show", "delivery", "--json").json["message_count"] == 4
    )


def test_removing_needs_a_yes(run: Run, capped: Path) -> None:
    """Where nobody can be asked, on the command line."""
    refused = run("--home", capped, "--json", "prune")
    assert refused.code == 1
    assert "--yes" in refused.error["hint"]
    done = run("--home", capped, "prune", "--yes")
    assert done.out.startswith("removed 2 messages (")
    shown = run("--home", capped, "transcript", "delivery", "--json").json
    assert [message["seq"] for message in shown["messages"]] == [3, 4]
    (left,) = run("--home", capped, "search", "Thursdays", "--json").json["hits"]
    assert left["source"] == "episodes"
    again = run("--home", capped, "prune", "--json").json
    assert (again["messages"], again["is_clean"], again["dry_run"]) == (0, True, False)


def test_somebody_at_a_terminal_is_asked(
    run: Run, capped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A no leaves everything as it is."""
    answers = iter([False, True])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", lambda *_, **__: next(answers))
    assert run("--home", capped, "prune").code == 1
    assert run("--home", capped, "prune").out.startswith("removed 2 messages")


def test_what_stays_is_told(run: Run, capped: Path) -> None:
    """With the reason."""
    import recollect

    with recollect.open(capped) as memory:
        memory.sessions.fork(memory.sessions.find("delivery").id)
    done = run("--home", capped, "prune")
    assert "1 session" in done.out
    assert "stay because a fork reads them" in done.out
