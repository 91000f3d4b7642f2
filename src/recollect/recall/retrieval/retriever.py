"""The retriever: what is known that fits a question, of facts and of past sessions, as one text.

A fact is ranked by ``0.3 importance / 10 + 0.5 similarity + 0.2 exp(-days / 30)``, days since it
was last asked for; an episode likewise by its end, with the importance of a plain fact. Source: the
retrieval pipeline of the OpenClaw chapter on memory and sessions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from recollect.audience.visibility import Asker
from recollect.core.checks import check_count, check_most
from recollect.core.clock import DAY_MS, Clock, to_iso
from recollect.core.settings.knowledge import KnowledgeSettings
from recollect.knowledge.decay import Fading, ranked_share, strength_of
from recollect.recall.retrieval.episode_source import searched_text
from recollect.recall.retrieval.episodes import EpisodeParts, find_episodes
from recollect.sessions.context.episode import Episode
from recollect.text.terms import query_terms, terms

IMPORTANCE, SIMILARITY, RECENCY = 0.3, 0.5, 0.2
"""The weights of the three parts of a relevance; they sum to 1."""
RECENCY_DAYS = 30.0
PLAIN_IMPORTANCE = 5
MOST_EPISODES = 5
"""Beside the facts, as in the source."""
FULL = {"hybrid": 0.62, "lexical": 0.41, "vector": 0.91}
"""By mode of the search: the score from which a text counts as the same. Measured: the median of 60
messages of the demo, each searched by its own text among 224 in 30 sessions; the best hits of its
questions reach a third to two thirds of it."""
T = TypeVar("T")

_OVER = 3
"""How many times the limit is searched for: importance and recency change the order."""
_MOST = 300
_CHARS = 600
"""Characters of a summary in a prompt."""


class KnownFact(Fading, Protocol):
    """What recall needs of a fact."""

    @property
    def id(self) -> str:
        """Its id."""


class FactMatch(Protocol):
    """A fact that a question found, with its share of the best possible score."""

    @property
    def fact(self) -> KnownFact:
        """The fact."""

    @property
    def score(self) -> float:
        """0 to 1."""


class FactFinder(Protocol):
    """Finds facts; `memory.facts` does."""

    def search(
        self,
        user_id: str | None,
        query: str,
        limit: int = 10,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
        is_access: bool = True,
    ) -> Sequence[FactMatch]:
        """Return those that fit a question, the best first."""

    def note_access(self, facts: Sequence[Any]) -> None:
        """Count facts as asked for now."""


class RecalledFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that fits a question.

    Attributes:
        fact: The fact.
        relevance: The sum it is ranked by, 0 to 1.
        similarity: How near it is to the question, 0 to 1.
    """

    fact: KnownFact
    relevance: float
    similarity: float


class RecalledEpisode(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that fits a question; fields as in `RecalledFact`."""

    episode: Episode
    relevance: float
    similarity: float


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """What is known that fits a question.

    Attributes:
        facts: The most relevant first.
        episodes: The most relevant first.
        formatted: Both as a text for a prompt, empty where there is nothing. Its lines are data,
            whoever said them.
    """

    facts: tuple[RecalledFact, ...] = ()
    episodes: tuple[RecalledEpisode, ...] = ()
    formatted: str = ""


class Retriever:
    """Recalls facts and episodes.

    Args:
        facts: Finds facts.
        episodes: What episodes are found with.
        clock: Tells the time.
        settings: The section ``knowledge``.
    """

    def __init__(
        self, facts: FactFinder, episodes: EpisodeParts, clock: Clock, settings: KnowledgeSettings
    ) -> None:
        self._facts = facts
        self._episodes = episodes
        self._clock = clock
        self._settings = settings

    def recall(
        self,
        user_id: str | None,
        query: str,
        limit: int,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
        is_access: bool = True,
    ) -> Recalled:
        """Return what fits a question; see `Memory.recall`."""
        check_count(limit, "a limit", 1)
        check_most(limit, _MOST, "a limit")
        asker = Asker(for_session, for_sender)
        most = _OVER * MOST_EPISODES
        matches, result = find_episodes(self._episodes, user_id, query, most, asker)
        fact_matches = self._facts.search(
            user_id,
            query,
            _OVER * limit,
            for_session=for_session,
            for_sender=for_sender,
            is_access=False,
        )
        now, threshold = self._clock.now_ms(), self._settings.threshold
        rank = _Ranking(query, FULL[result.mode], threshold, now)
        facts = [
            RecalledFact(fact=fact, relevance=relevance, similarity=similarity)
            for fact, relevance, similarity in rank(
                _Found(each.fact, each.fact.text, each.score, each.fact.importance,
                       each.fact.accessed_at, self._left_of(each.fact, now))
                for each in fact_matches
            )
        ]  # fmt: skip
        episodes = [
            RecalledEpisode(episode=episode, relevance=relevance, similarity=similarity)
            for episode, relevance, similarity in rank(
                _Found(each.episode, _told(each.episode), each.score, PLAIN_IMPORTANCE,
                       each.episode.ended_at)
                for each in matches
            )
        ]  # fmt: skip
        if is_access:
            self._facts.note_access([each.fact for each in facts[:limit]])
        return _recalled(facts[:limit], episodes[:MOST_EPISODES])

    def _left_of(self, fact: Fading, now: int) -> float:
        return ranked_share(strength_of(fact, now, self._settings.decay))


class _Found(msgspec.Struct, Generic[T], frozen=True):
    """A fact or an episode that a search found.

    Attributes:
        item: The fact or episode.
        text: Its words.
        score: Its share of the best possible score.
        importance: 1 to 10.
        at: The time that its age counts from, ms UTC.
        left: The factor by which fading lowers its relevance.
    """

    item: T
    text: str
    score: float
    importance: int
    at: int
    left: float = 1.0


class _Ranking(msgspec.Struct, frozen=True):
    """Ranks what was found for a question.

    Attributes:
        query: The question.
        full: The score of a text that is about the same.
        threshold: The least similarity.
        now: The time, ms UTC.
    """

    query: str
    full: float
    threshold: float
    now: int

    def __call__(self, candidates: Iterable[_Found[T]]) -> list[tuple[T, float, float]]:
        """Return what is similar enough with its relevance and similarity, the best first."""
        ranked = []
        for each in candidates:
            similarity = min(1.0, each.score / self.full)
            if similarity >= self.threshold or holds_all(each.text, self.query):
                days = (self.now - each.at) / DAY_MS
                relevance = relevance_of(each.importance, similarity, days)
                ranked.append((each.item, each.left * relevance, similarity))
        return sorted(ranked, key=lambda each: -each[1])


def _recalled(facts: Sequence[RecalledFact], episodes: Sequence[RecalledEpisode]) -> Recalled:
    text = formatted([each.fact.text for each in facts], [each.episode for each in episodes])
    return Recalled(facts=tuple(facts), episodes=tuple(episodes), formatted=text)


def relevance_of(importance: float, similarity: float, days: float) -> float:
    """Return the relevance of something to a question, 0 to 1.

    Args:
        importance: 1 to 10.
        similarity: To the question, 0 to 1.
        days: Since it was last asked for; none of the future.

    >>> round(relevance_of(10, 1.0, 0.0), 3), round(relevance_of(5, 0.6, 30.0), 3)
    (1.0, 0.524)
    """
    recency = math.exp(-max(0.0, days) / RECENCY_DAYS)
    return IMPORTANCE * importance / 10 + SIMILARITY * similarity + RECENCY * recency


def holds_all(text: str, query: str) -> bool:
    """Return whether a text has all the words of a question: no threshold may cut that.

    >>> holds_all("The cellar key hangs behind the door.", "cellar key")
    True
    """
    words = set(query_terms(query))
    return bool(words) and words <= set(terms(text))


def formatted(facts: Sequence[str], episodes: Sequence[Episode]) -> str:
    """Return facts and episodes as a text for a prompt, each on one line."""
    parts = []
    if facts:
        parts.append("\n".join(["## What I Know About You", *(f"- {_line(f)}" for f in facts)]))
    if episodes:
        lines = (f"- {to_iso(each.ended_at)[:10]}: {_line(_told(each))}" for each in episodes)
        parts.append("\n".join(["## Recent Conversations", *lines]))
    return "\n\n".join(parts)


def _told(episode: Episode) -> str:
    return searched_text(episode, is_owners=False)


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CHARS else line[: _CHARS - 1].rstrip() + "…"
