"""Retention through the facade, and in the background of a program that stays."""

from __future__ import annotations

import threading
from pathlib import Path

import recollect
from recollect.core.clock import SystemClock
from recollect.core.events import SessionPruned
from recollect.governance.retention import PruneProgress

CAPS = {"embedding.provider": "none", "sessions.retention.days": 5}
LONG_AGO = 1_700_000_000_000


def test_a_memory_prunes_when_asked(tmp_path: Path) -> None:
    """A dry run first; the progress counts sessions; subscribers hear of it."""
    heard: list[object] = []
    steps: list[PruneProgress] = []
    # Not a live one: its background would do it first, now and then.
    with recollect.open(tmp_path / "home", overrides=CAPS, live=False) as memory:
        old = memory.sessions.create(title="old", at=LONG_AGO)
        memory.sessions.append(old.id, "user", "The gasket is MAG-4471.", at=LONG_AGO)
        memory.sync()
        memory.events.subscribe(heard.append, types=["session.pruned"])
        assert memory.prune(dry_run=True).session_ids == (old.id,)
        assert memory.search("gasket").hits
        report = memory.prune(on_progress=steps.append)
        assert (report.session_ids, report.is_clean) == ((old.id,), True)
        assert memory.search("gasket", sources=["sessions"]).hits == []
        assert {hit.source for hit in memory.search("gasket").hits} <= {"episodes", "facts"}
    assert len(heard) == 1
    assert steps == [PruneProgress(done=1, total=1)]


def test_a_session_that_is_cut_keeps_what_was_observed_in_it(tmp_path: Path) -> None:
    """The cap of messages is one of messages; observations have their own."""
    caps = {"embedding.provider": "none", "sessions.retention.max_messages": 4}
    with recollect.open(tmp_path / "home", overrides=caps, live=False) as memory:
        session = memory.sessions.create(title="long")
        for number in range(8):
            memory.sessions.append(session.id, ("user", "assistant")[number % 2], f"round {number}")
        memory.observations.record(session.id, "Bash", input={"command": "make"}, output="done")
        assert memory.prune().cut_ids == (session.id,)
        assert [each.seq for each in memory.sessions.messages(session.id)] == [5, 6, 7, 8]
        assert len(memory.observations.list(session_id=session.id)) == 1


def test_a_program_that_stays_prunes_once_a_day(tmp_path: Path) -> None:
    """After its first work in the background; one that ends at once does not."""
    home = tmp_path / "home"
    with recollect.open(home, overrides=CAPS, live=False) as memory:
        old = memory.sessions.create(title="old", at=LONG_AGO)
        memory.sessions.append(old.id, "user", "hello", at=LONG_AGO)
        memory.sync()
    gone = threading.Event()
    with recollect.open(home, overrides=CAPS, live=True) as memory:
        assert memory.sessions.list()
        memory.events.subscribe(lambda _: gone.set(), types=["session.pruned"])
        new = memory.sessions.create(title="new")
        memory.sessions.append(new.id, "user", "hello")
        assert gone.wait(60.0)
    with recollect.open(home, overrides=CAPS) as memory:
        assert [session.id for session in memory.sessions.list()] == [new.id]
        (event,) = [r.event for r in memory.events.since(types=["session.pruned"])]
        assert isinstance(event, SessionPruned)
        assert event.at <= SystemClock().now_ms()
