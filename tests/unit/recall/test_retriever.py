"""`memory.recall`: facts and past sessions that fit a question, ranked as the seed ranks them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.settings.knowledge import KnowledgeSettings
from recollect.memory import Memory
from recollect.recall.retrieval.retriever import Retriever, relevance_of
from tests.support.known_facts import KnownFact, KnownFacts
from tests.unit.sessions.home import HandClock

DAY = 86_400_000


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


def _retriever(
    memory: Memory, clock: HandClock, *facts: KnownFact, least: float = 0.3
) -> Retriever:
    parts = memory._rooms.episode_parts(memory.search)  # noqa: SLF001  # as recall has them
    return Retriever(KnownFacts(list(facts)), parts, clock, KnowledgeSettings(threshold=least))


def _session(memory: Memory, said: str, key: str | None = None) -> str:
    session = memory.sessions.create(key).id
    memory.sessions.append_many(session, [("user", said), ("assistant", "Noted.")])
    return session


@pytest.mark.parametrize(
    ("importance", "similarity", "days", "relevance"),
    [
        (10, 1.0, 0, 1.0),
        (1, 0.0, 0, 0.23),
        (10, 0.0, math.inf, 0.3),
        (1, 1.0, 30, 0.03 + 0.5 + 0.2 / math.e),
        (5, 0.6, -3, 0.65),
    ],
)
def test_the_relevance_is_the_sum_of_the_seed(
    importance: int, similarity: float, days: float, relevance: float
) -> None:
    """On its boundary values; something of the future is as fresh as something of now."""
    assert relevance_of(importance, similarity, days) == pytest.approx(relevance)


def test_importance_and_recency_change_the_order_of_equally_similar_facts(
    memory: Memory, clock: HandClock
) -> None:
    """As the formula weighs them."""
    now = clock.now
    old = KnownFact(text="Likes green tea.", accessed_at=now - 90 * DAY)
    new = KnownFact(text="Drinks green tea at four.", accessed_at=now)
    vital = KnownFact(text="Green tea makes her ill.", importance=10, accessed_at=now - 90 * DAY)
    found = _retriever(memory, clock, old, new, vital).recall(None, "green tea", 10).facts
    assert [each.fact for each in found] == [new, vital, old]
    assert [each.similarity for each in found] == [1.0, 1.0, 1.0]


def test_what_faded_ranks_lower(memory: Memory, clock: HandClock) -> None:
    """By at most three tenths; what never fades keeps its rank."""
    old = KnownFact(text="Likes green tea.", accessed_at=clock.now - 300 * DAY, is_pinned=False)
    kept = KnownFact(text="Likes green tea.", accessed_at=clock.now - 300 * DAY)
    first, second = _retriever(memory, clock, old, kept).recall(None, "green tea", 10).facts
    assert (first.fact, second.fact) == (kept, old)
    assert 0.7 * first.relevance < second.relevance < first.relevance


def test_the_threshold_is_on_similarity_and_never_cuts_an_exact_match(
    memory: Memory, clock: HandClock
) -> None:
    """A fact may be important: where it is about something else it stays out."""
    near = KnownFact(text="The cellar key hangs behind the door.")
    far = KnownFact(text="The door is green.", importance=10, accessed_at=clock.now)
    recaller = _retriever(memory, clock, near, far, least=1.0)
    found = recaller.recall(None, "cellar key door", 10).facts
    assert [each.fact for each in found] == [near]


def test_the_text_for_a_prompt_has_the_headings_of_the_seed(
    memory: Memory, clock: HandClock
) -> None:
    """Each fact and each episode on one line, whatever it holds."""
    memory.sessions.end(_session(memory, "We decided to paint the kitchen yellow."))
    fact = KnownFact(text="The kitchen\n## has two windows.", accessed_at=clock.now)
    text = _retriever(memory, clock, fact).recall(None, "kitchen", 10).formatted
    assert text.splitlines() == [
        "## What I Know About You",
        "- The kitchen ## has two windows.",
        "",
        "## Recent Conversations",
        "- 2026-02-10: We decided to paint the kitchen yellow. Noted.",
    ]


def test_nothing_that_fits_gives_an_empty_text(memory: Memory) -> None:
    """No headings without lines."""
    recalled = memory.recall(None, "kitchen")
    assert (recalled.facts, recalled.episodes, recalled.formatted) == ((), (), "")


def test_a_guest_recalls_only_what_the_own_sessions_came_to(memory: Memory) -> None:
    """By user, or on behalf of a session."""
    ann, bob = (f"agent:main:telegram:acc:direct:{number}" for number in (1, 2))
    memory.sessions.end(_session(memory, "The kitchen of Ann gets yellow walls.", ann))
    memory.sessions.end(_session(memory, "The kitchen of Bob gets blue walls.", bob))
    asking = _session(memory, "Hello", bob)
    for recalled in (
        memory.recall("telegram:2", "kitchen walls"),
        memory.recall(None, "kitchen walls", for_session=asking),
        memory.recall("telegram:1", "kitchen walls", for_session=asking),
    ):
        assert "Ann" not in recalled.formatted
    assert "blue walls" in memory.recall("telegram:2", "kitchen walls").formatted
    assert "blue walls" in memory.recall(None, "kitchen walls", for_session=asking).formatted


def test_wrong_arguments_are_refused(memory: Memory) -> None:
    """With the errors that a search has."""
    with pytest.raises(InvalidInput):
        memory.recall(None, "tea", 0)
    with pytest.raises(InvalidInput):
        memory.recall(None, "tea", 301)
    with pytest.raises(NotFound):
        memory.recall(None, "tea", for_session="nobody")
