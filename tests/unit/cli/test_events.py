"""`recollect events`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.cli import events
from recollect.store.journal import RecordedEvent
from recollect.store.streams import EventStream
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


def test_the_latest_events_are_shown(run: Run, home: Path) -> None:
    """Number, time, type, session and what is told; oldest first."""
    lines = run("--home", home, "events").out.splitlines()
    assert [line.split()[0] for line in lines] == [str(n + 1) for n in range(len(lines))]
    assert "session.created" in lines[0]
    assert "source=jsonl" in lines[0]
    assert "messages.appended" in lines[1]
    assert lines[1].endswith("first_seq=1, count=4")


def test_events_are_chosen_by_place_type_and_session(run: Run, home: Path) -> None:
    """As documents, one a line."""
    out = run("--home", home, "events", "--since", "1", "--json").out
    found = [json.loads(line) for line in out.splitlines()]
    assert [event["seq"] for event in found] == list(range(2, len(found) + 2))
    assert found[0]["type"] == "messages.appended"
    assert found[0]["scope"]["session"]
    only = ("--type", "session.created", "--session", "delivery", "--json")
    (line,) = run("--home", home, "events", *only).out.splitlines()
    assert json.loads(line)["source"] == "jsonl"
    assert run("--home", home, "events", "--type", "session.pruned").out == ""


def test_a_wrong_question_about_events_is_refused(run: Run, home: Path) -> None:
    """With a hint."""
    assert (
        "session.created" in run("--home", home, "--json", "events", "--type", "odd").error["hint"]
    )
    assert run("--home", home, "--json", "events", "--since", "-1").code == 2
    assert run("--home", home, "--json", "events", "--session", "nobody").code == 1


@pytest.mark.parametrize("given", [(), ("--since", "0")])
def test_following_shows_what_comes_until_ctrl_c(
    run: Run, home: Path, given: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is no error."""
    given_away: list[int] = []
    show = events._show  # noqa: SLF001  # ends the following from within

    def show_and_end(seq: int, fields: dict[str, Any]) -> None:
        show(seq, fields)
        given_away.append(1)
        if len(given_away) == known + 1:
            raise KeyboardInterrupt

    with recollect.open(home) as memory:
        known = memory.events.last_seq()
    monkeypatch.setattr(events, "_show", show_and_end)
    following = threading.Event()
    follow = EventStream.follow

    def follow_aloud(*arguments: Any, **named: Any) -> Iterator[RecordedEvent]:
        following.set()
        return follow(*arguments, **named)

    monkeypatch.setattr(EventStream, "follow", follow_aloud)

    def write() -> None:
        following.wait(20.0)
        with recollect.open(home) as memory:
            memory.sessions.create(title="late")

    writer = threading.Thread(target=write)
    writer.start()
    done = run("--home", home, "events", "--follow", *given)
    writer.join()
    assert (done.code, done.err) == (0, "")
    assert "session.created" in done.out.splitlines()[-1]


@pytest.mark.parametrize("more", [(), ("--follow",)])
def test_a_number_that_no_event_has_is_an_error(
    run: Run, home: Path, more: tuple[str, ...]
) -> None:
    """As after a restore; a script that follows would hear nothing."""
    ended = run("--home", home, "--json", "events", "--since", "9000", *more)
    assert ended.code == 1
    assert "9000 was asked for" in ended.error["message"]
