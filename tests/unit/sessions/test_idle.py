"""Sessions that rest: nobody reports their end, so whoever has the home open summarises them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from recollect.sessions.endings import MOST_IDLE
from tests.unit.sessions.home import HandClock

MINUTE = 60_000


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a home."""
    return tmp_path / "home"


def _open(home: Path, clock: HandClock, **settings: object) -> Memory:
    given = {"embedding.provider": "none", **settings}
    return recollect.open(home, overrides=given, clock=clock, live=False)


@pytest.fixture
def memory(home: Path, clock: HandClock) -> Iterator[Memory]:
    """A memory for words only."""
    with _open(home, clock) as opened:
        yield opened


def _said(memory: Memory, text: str = "We decided to buy the green kettle.") -> str:
    session = memory.sessions.create().id
    memory.sessions.append(session, "user", text)
    return session


def test_a_session_that_rests_gets_its_episode_at_the_next_look(
    memory: Memory, clock: HandClock
) -> None:
    """After the minutes of `sessions.fresh.idle_minutes`; it stays active."""
    session = _said(memory)
    clock.now += 239 * MINUTE
    assert memory.episodes.list() == []
    clock.now += 2 * MINUTE
    (episode,) = memory.episodes.list()
    assert (episode.session_id, episode.message_count) == (session, 1)
    assert episode.decisions == ("We decided to buy the green kettle.",)
    assert memory.sessions.get(session).status == "active"


def test_one_that_goes_on_and_rests_again_gets_another_in_its_place(
    memory: Memory, clock: HandClock
) -> None:
    """Under the same number; one that does not go on is not read again."""
    session = _said(memory)
    clock.now += 300 * MINUTE
    (first,) = memory.episodes.list()
    clock.now += 300 * MINUTE
    assert memory.episodes.list() == [first]
    memory.sessions.append(session, "user", "The kettle came with a dent.")
    assert memory.episodes.list() == [first]
    clock.now += 300 * MINUTE
    (second,) = memory.episodes.list()
    assert (second.number, second.message_count) == (first.number, 2)


def test_idle_archives_archives_what_rests(home: Path, clock: HandClock) -> None:
    """As the seed does; the next message under the key begins another session."""
    with _open(home, clock, **{"sessions.idle_archives": True}) as memory:
        session = memory.sessions.open("agent:main:telegram:acc:direct:1")
        memory.sessions.append(session.id, "user", "Tea?")
        clock.now += 300 * MINUTE
        assert len(memory.episodes.list()) == 1
        assert memory.sessions.get(session.id).status == "archived"
        assert memory.sessions.open("agent:main:telegram:acc:direct:1").id != session.id


def test_who_opens_the_home_next_writes_what_a_killed_program_left(
    home: Path, clock: HandClock
) -> None:
    """Nothing is kept in the program."""
    with _open(home, clock) as memory:
        session = _said(memory)
    clock.now += 300 * MINUTE
    with _open(home, clock) as memory:
        (found,) = memory.episodes.search(None, "which kettle")
        assert found.episode.session_id == session


def test_thousands_at_once_are_written_in_steps_the_newest_first(
    memory: Memory, clock: HandClock
) -> None:
    """An import brings them; nobody waits for all."""
    sessions = []
    for number in range(MOST_IDLE + 5):
        clock.now += MINUTE
        sessions.append(_said(memory, f"We decided to buy kettle {number}."))
    clock.now += 300 * MINUTE
    made = [each.session_id for each in memory.episodes.list(limit=100)]
    assert made == sessions[: -MOST_IDLE - 1 : -1]
    assert len(memory.episodes.list(limit=100)) == MOST_IDLE + 5


def test_a_session_without_words_of_a_person_is_looked_at_once(
    memory: Memory, clock: HandClock
) -> None:
    """It leaves no episode, and is not read again and again."""
    session = memory.sessions.create().id
    memory.sessions.append(session, "tool", "42 files")
    clock.now += 300 * MINUTE
    assert memory.episodes.list() == []
    clock.now += 2 * MINUTE
    assert memory.sessions.note_idle() == 0
