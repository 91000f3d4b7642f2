"""The course of a conversation: what an episode tells beside its summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, NotFound
from recollect.memory import Memory
from recollect.sessions.context.episode import Episode, topics_of
from recollect.text.summary.tone import prevailing, tones_in
from tests.unit.sessions.home import HandClock


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, clock: HandClock) -> Iterator[Memory]:
    """A memory for words only."""
    settings = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=settings, clock=clock, live=False) as opened:
        yield opened


def _episode(memory: Memory, *said: tuple[str, str]) -> Episode:
    session = memory.sessions.create().id
    memory.sessions.append_many(session, said)
    (episode,) = memory.episodes.create(session)
    return episode


def test_an_episode_tells_decisions_outcome_and_open_ends(memory: Memory) -> None:
    """In the words of those who said them."""
    episode = _episode(
        memory,
        ("user", "The login fails since Tuesday, this is so annoying."),
        ("assistant", "I look at it."),
        ("user", "We decided to drop the old cookie."),
        ("assistant", "Fixed: the cookie had the wrong path."),
        ("user", "Still need to tell the support team."),
        ("assistant", "Shall I write the mail?"),
    )
    assert episode.decisions == ("We decided to drop the old cookie.",)
    assert episode.outcome == "Fixed: the cookie had the wrong path."
    assert episode.open_ends == ("Still need to tell the support team.", "Shall I write the mail?")
    assert episode.tone == "annoyed"


def test_topics_are_words_as_they_are_written(memory: Memory) -> None:
    """Not stems, and each once, whatever its ending."""
    episode = _episode(
        memory,
        ("user", "The deployments to Valencia are slow. Which deployments failed?"),
        ("assistant", "Two deployments to Valencia failed."),
    )
    assert episode.topics[:2] == ("deployments", "Valencia")


def test_topics_of_scripts_without_spaces_are_in_their_characters() -> None:
    """Pairs of them, as they are searched."""
    assert "数据" in topics_of("- user: 数据库迁移\n- user: 数据库")


def test_duration_and_times_are_those_of_its_messages(memory: Memory, clock: HandClock) -> None:
    """In minutes."""
    session = memory.sessions.create().id
    memory.sessions.append(session, "user", "We begin with the green tea.")
    clock.now += 90_000
    memory.sessions.append(session, "user", "We end with it, too.")
    (episode,) = memory.episodes.create(session)
    assert (episode.duration_minutes, episode.message_count) == (1.5, 2)


def test_each_person_of_a_shared_session_gets_an_own_episode(memory: Memory) -> None:
    """None holds words of two."""
    session = memory.sessions.create("agent:main:main").id
    memory.sessions.append(session, "user", "Ann plans a feast.", sender="telegram:1")
    memory.sessions.append(session, "user", "Bob plans a trip.", sender="telegram:2")
    made = memory.episodes.create(session)
    assert sorted(each.summary.split(": ")[1] for each in made) == [
        "Ann plans a feast.",
        "Bob plans a trip.",
    ]
    heard = memory.episodes.list(for_session=session, for_sender="telegram:1")
    assert ["Ann" in each.summary for each in heard] == [True]
    (bobs,) = (each for each in made if "Bob" in each.summary)
    name = f"e{bobs.number}"
    with pytest.raises(NotFound):
        memory.episodes.get(name, for_session=session, for_sender="telegram:1")
    assert memory.episodes.get(name, for_session=session, for_sender="telegram:2") == bobs
    assert memory.episodes.get(bobs.id) == bobs


def test_a_session_that_was_deleted_gets_no_episode(memory: Memory) -> None:
    """Nor does one that never was."""
    session = memory.sessions.create().id
    memory.sessions.set_status(session, "deleted")
    with pytest.raises(Conflict):
        memory.episodes.create(session)
    with pytest.raises(NotFound):
        memory.episodes.create("nobody")


def test_what_came_of_a_compacted_part_is_told_too(memory: Memory) -> None:
    """It is not read again; its lines are."""
    session = memory.sessions.create().id
    memory.sessions.append(session, "user", "We decided to paint the boat red.")
    memory.sessions.append_many(
        session, [("user", f"Nail {number} is in.") for number in range(30)]
    )
    memory.sessions.compact(session, keep_messages=2)
    (episode,) = memory.episodes.create(session)
    assert episode.decisions == ("We decided to paint the boat red.",)


@pytest.mark.parametrize(
    ("said", "tone"),
    [
        ("Perfect, thank you!", "pleased"),
        ("Super, danke dir!", "pleased"),
        ("太好了，谢谢", "pleased"),
        ("This is so frustrating.", "annoyed"),
        ("Das nervt.", "annoyed"),
        ("I am worried about the exam.", "worried"),
        ("Estoy preocupada.", "worried"),
        ("I am not happy.", "neutral"),
        ("Deploy it on Monday.", "neutral"),
        ("The class is a superset of the other.", "neutral"),
    ],
)
def test_the_tone_is_found_by_words_of_several_languages(said: str, tone: str) -> None:
    """Whole ones; a negated one has none."""
    assert prevailing(Counter(tones_in(said))) == tone


def test_two_tones_about_as_frequent_are_mixed() -> None:
    """One against two is; one against three is not."""
    assert prevailing(Counter({"pleased": 3, "annoyed": 2})) == "mixed"
    assert prevailing(Counter({"pleased": 4, "annoyed": 2})) == "pleased"
