"""Episodes in the one search: what was said is found by what it was about, after it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from tests.unit.sessions.home import HandClock

DAY = 86_400_000


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, clock: HandClock) -> Iterator[Memory]:
    """A memory for words only that keeps sessions for a month."""
    settings = {"embedding.provider": "none", "sessions.retention.days": 30}
    with recollect.open(tmp_path / "home", overrides=settings, clock=clock, live=False) as opened:
        yield opened


def _talk(memory: Memory, *said: tuple[str, str], key: str | None = None) -> str:
    session = memory.sessions.create(key).id
    memory.sessions.append_many(session, said)
    return session


VALENCIA = (
    ("user", "We plan the trip to Valencia with the children in March."),
    ("assistant", "I found a flat near the old river bed."),
    ("user", "We decided to take the flat at the river. Perfect, thank you!"),
    ("assistant", "The flat is booked for 12 March. Shall I look for trains, too?"),
)


def test_what_was_pruned_is_found_by_what_it_was_about(memory: Memory, clock: HandClock) -> None:
    """The summary is all that is left, and the one search has it."""
    session = _talk(memory, *VALENCIA)
    clock.now += 40 * DAY
    _talk(memory, ("user", "The printer in the office needs paper."))
    memory.prune()
    hit = memory.search("which flat did we take in Valencia").hits[0]
    assert (hit.source, hit.session_id, hit.number) == ("episodes", session, 1)
    assert hit.citation == "episode:e1"
    assert "flat at the river" in hit.snippet


def test_an_episode_comes_after_the_messages_of_its_session(memory: Memory) -> None:
    """It repeats them; only what has no messages left stands by its own score."""
    session = _talk(memory, *VALENCIA)
    before = memory.search("the flat in Valencia").hits
    memory.sessions.end(session)
    hits = memory.search("the flat in Valencia").hits
    assert [hit.source for hit in hits] == ["sessions"] * (len(hits) - 1) + ["episodes"]
    assert [(hit.ref, hit.score) for hit in hits[:-1]] == [(hit.ref, hit.score) for hit in before]


def test_episodes_take_no_place_of_a_message(memory: Memory) -> None:
    """Where the limit is reached by messages, none of them gives way; nor does any score change."""
    for number in range(12):
        said = ("user", f"Gate code {number} of the garden is 4{number}.")
        session = _talk(memory, said, *VALENCIA)
        if number % 2:
            memory.sessions.end(session)
    with_episodes = memory.search("garden gate code", limit=6)
    only_messages = memory.search("garden gate code", limit=6, sources=["sessions"])
    assert with_episodes == only_messages
    assert len(with_episodes.hits) == 6


def test_episodes_alone_can_be_asked_for(memory: Memory) -> None:
    """Then they are ordered by their scores."""
    memory.sessions.end(_talk(memory, *VALENCIA))
    memory.sessions.end(_talk(memory, ("user", "The printer in the office needs paper.")))
    hits = memory.search("Valencia flat", sources=["episodes"]).hits
    assert [hit.number for hit in hits] == [1]


def test_a_guest_never_gets_the_episode_of_another(memory: Memory, clock: HandClock) -> None:
    """Pruned or not: an episode is heard by whom its turns were heard by."""
    ann = _talk(memory, *VALENCIA, key="agent:main:telegram:acc:direct:1")
    bob = _talk(memory, ("user", "Hello"), key="agent:main:telegram:acc:direct:2")
    again = _talk(memory, ("user", "Hi"), key="agent:main:telegram:acc:direct:1")
    for session in (ann, bob, again):
        memory.sessions.end(session)

    def heard(session: str) -> list[str | None]:
        found = memory.search("flat in Valencia", for_session=session, sources=["episodes"])
        return [hit.session_id for hit in found.hits]

    assert heard(bob) == []
    assert heard(again) == [ann]
    clock.now += 40 * DAY
    memory.sessions.append(bob, "user", "Hello again")
    memory.sessions.append(again, "user", "Hi again")
    memory.prune()
    assert heard(bob) == []
    assert heard(again) == [ann]


def test_a_deleted_session_takes_its_episode_along_until_it_is_restored(memory: Memory) -> None:
    """As its messages."""
    session = _talk(memory, *VALENCIA)
    memory.sessions.end(session)
    memory.sessions.set_status(session, "deleted")
    assert memory.search("flat in Valencia").hits == []
    memory.sessions.set_status(session, "active")
    assert memory.search("flat in Valencia").hits[-1].source == "episodes"


def test_an_erased_session_leaves_no_episode_in_the_index(memory: Memory) -> None:
    """Nor a row."""
    session = _talk(memory, *VALENCIA)
    memory.sessions.end(session)
    assert memory.search("Valencia", sources=["episodes"]).hits
    memory.erase(session_id=session)
    assert memory.search("Valencia", sources=["episodes"]).hits == []
