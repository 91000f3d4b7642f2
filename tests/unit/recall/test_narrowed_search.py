"""A search that is narrowed: by time, and by type and importance of observations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import DAY_MS, to_datetime
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.memory import Memory

NOON = 1_780_000_000_000
GUEST = "agent:main:telegram:acc:direct:7"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Three days of one decision, one routine and one message each; all name the queue."""
    named = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    with recollect.open(tmp_path / "home", overrides=named) as opened:
        session = opened.sessions.create(project="/srv/queue").id
        for day in range(3):
            at = NOON + day * DAY_MS
            opened.sessions.append(session, "user", f"What of the queue on day {day}?", at=at)
            for kind, weight in (("decision", 0.8), ("routine", 0.1)):
                opened.observations.record(
                    session, type=kind, importance=weight, at=at, summary=f"queue {kind} {day}"
                )
        yield opened


def _found(memory: Memory, **narrowed: object) -> set[str]:
    hits = memory.search("queue", 50, **narrowed).hits  # type: ignore[arg-type]
    return {hit.snippet.removeprefix("queue ") for hit in hits}


def test_only_some_types_are_found(memory: Memory) -> None:
    """Issue 12.5: `type`. What is no observation has none."""
    assert _found(memory, types=["decision"]) == {f"decision {day}" for day in range(3)}
    assert _found(memory, types=["architecture"]) == set()


def test_only_what_is_important_is_found(memory: Memory) -> None:
    """Issue 12.5: `min_importance`."""
    assert _found(memory, min_importance=0.8) == {f"decision {day}" for day in range(3)}
    assert len(_found(memory, min_importance=0.0)) == 6


def test_only_what_is_of_some_time_is_found(memory: Memory) -> None:
    """DESIGN 7: since and until, of every kind of memory; the end is not in it."""
    later = _found(memory, since=NOON + DAY_MS)
    assert len(later) == 6
    assert not {text for text in later if "0" in text}
    day = {"since": to_datetime(NOON + DAY_MS), "until": to_datetime(NOON + 2 * DAY_MS)}
    assert _found(memory, **day) == {"decision 1", "routine 1", "What of the queue on day 1?"}


def test_the_number_of_a_record_does_not_lead_around_it(memory: Memory) -> None:
    """A question that names a record finds it only where it is of that kind."""
    routine = next(o for o in memory.observations.list() if o.type == "routine")
    assert memory.search(f"#{routine.number}").hits[0].ref == routine.id
    assert routine.id not in {
        hit.ref for hit in memory.search(f"#{routine.number}", types=["decision"]).hits
    }


def test_it_narrows_beside_audience_and_project(memory: Memory) -> None:
    """What may be heard is not widened by asking for a type."""
    guest = memory.sessions.create(key=GUEST).id
    assert memory.search("queue", types=["decision"], for_session=guest).hits == []
    other = Scope(project="/srv/other")
    assert memory.search("queue", types=["decision"], scope=other).hits == []


def test_the_project_that_is_named_as_near_comes_first(memory: Memory) -> None:
    """The other one is found as well."""
    for project in ("/srv/kites", "/srv/boats"):
        session = memory.sessions.create(project=project)
        memory.sessions.append(session.id, "user", f"The mast of {project} is of ash.")
    for name in ("kites", "boats"):
        hits = memory.search("mast ash", near_project=f"/srv/{name}").hits
        assert [f"/srv/{name}" in hit.snippet for hit in hits] == [True, False]


@pytest.mark.parametrize("wrong", [{"since": -1}, {"until": "some day"}, {"min_importance": 2}])
def test_what_cannot_be_meant_is_refused(memory: Memory, wrong: dict[str, object]) -> None:
    """Times are ms UTC or datetimes, shares from 0 to 1."""
    with pytest.raises(InvalidInput):
        _found(memory, **wrong)
