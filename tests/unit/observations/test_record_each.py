"""Many observations of many sessions in one commit, each with an outcome of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound
from recollect.memory import Memory
from recollect.observations.rows import Recorded


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory without a model."""
    words_only = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=words_only, live=False) as opened:
        yield opened


def test_each_of_many_has_its_own_outcome(memory: Memory) -> None:
    """A worker that captures for many: what one client sends wrongly disturbs no other."""
    one, other, deleted = (memory.sessions.create().id for _ in range(3))
    memory.sessions.set_status(deleted, "deleted")
    memory.capture.pause()
    item = {"event": "manual", "tool_name": "Bash"}

    outcomes = memory.observations.record_each(
        [
            {"session_id": one, "output": "green tea", **item},
            {"session_id": one, "colour": "green"},
            {"session_id": "nobody", **item},
            {"session_id": deleted, **item},
            {"session_id": other, "tool_name": "Bash", "input": "make"},
            {"session_id": other, "tool_name": "Bash", "importance": 7.0, "event": "manual"},
            {"session_id": other, "output": "black tea", **item},
        ]
    )

    kinds = [type(outcome) for outcome in outcomes]
    assert kinds == [
        Recorded,
        InvalidInput,
        NotFound,
        Conflict,
        Denied,
        InvalidInput,
        Recorded,
    ]
    observations = [outcome.observation for outcome in outcomes if isinstance(outcome, Recorded)]
    assert [(each.number, each.session_id) for each in observations] == [(1, one), (2, other)]
    assert [each.output for each in memory.observations.get(["#1", "#2"]).found] == [
        "green tea",
        "black tea",
    ]
    assert memory.capture.counts() == {"paused": 1}


def test_the_same_tool_use_twice_in_a_batch_is_one_observation(memory: Memory) -> None:
    """A hook that was sent twice while the worker was busy; beside one that was stored before."""
    session = memory.sessions.create().id
    before = memory.observations.record(session, "Bash", event_id="e1")
    use = {"session_id": session, "tool_name": "Bash", "tool_use_id": "t1"}

    outcomes = memory.observations.record_each(
        [use, {"session_id": session, "tool_name": "Bash", "event_id": "e1"}, dict(use)]
    )

    recorded = [each for each in outcomes if isinstance(each, Recorded)]
    assert [each.observation.number for each in recorded] == [2, 1, 2]
    assert recorded[1] == Recorded(before, is_new=False)
    assert len(memory.observations.list(session_id=session)) == 2


def test_observations_of_one_commit_are_told_by_session(memory: Memory) -> None:
    """Whoever follows a session gets one event for each batch of its observations."""
    sessions = [memory.sessions.create().id for _ in range(2)]
    start = max(recorded.seq for recorded in memory.events.since(0))

    memory.observations.record_each(
        {"session_id": sessions[number % 2], "tool_name": "Bash"} for number in range(4)
    )

    events = [recorded.event for recorded in memory.events.since(start)]
    assert [(event.scope.session, event.numbers) for event in events] == [  # type: ignore[attr-defined]
        (sessions[0], (1, 3)),
        (sessions[1], (2, 4)),
    ]


def test_what_was_recorded_in_one_commit_is_found(memory: Memory) -> None:
    """Each of them is told to the index, not only the first."""
    session = memory.sessions.create().id
    memory.observations.record_each(
        {"session_id": session, "title": f"Looked at the {word} lamp", "event": "manual"}
        for word in ("orange", "violet")
    )
    memory.sync()

    snippets = [memory.search(word, limit=1).hits[0].snippet for word in ("orange", "violet")]
    assert "orange" in snippets[0]
    assert "violet" in snippets[1]


def test_an_empty_batch_stores_nothing(memory: Memory) -> None:
    """Nobody has to look first."""
    assert memory.observations.record_each([]) == []
