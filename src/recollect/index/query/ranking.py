"""The ranking: parts of a score, their weights, their sum, and what changes it afterwards.

Every part has an absolute scale in [0, 1], so scores of one question are comparable with those of
another and nothing is normalised by the other candidates. Weights: docs/experiments.md, weights.

Age, annotations, a trigger and the name of a file adjust the sum. Each is bounded and keeps the
score in [0, 1]; what it added or took is a part of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.clock import DAY_MS
from recollect.core.settings import HybridSettings, RankingSettings, RecencySettings
from recollect.index.lexical.bm25 import idf
from recollect.index.lexical.port import FoundTerm
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import (
    EVERGREEN,
    FROM_ASSISTANT,
    FROM_USER,
    MOST_CAPITALS,
    QUESTION,
    TIME_WORD,
    Floats,
    Ints,
)
from recollect.index.model.document import SESSIONS, SOURCES
from recollect.index.query.partition import PartitionView
from recollect.index.query.question import Question, RankingRequest
from recollect.index.query.time_fit import time_fit
from recollect.text.terms import is_unspaced

Doubles = NDArray[np.float64]

MESSAGE = SOURCES.index(SESSIONS)

IMPORTANCE_AT_0, IMPORTANCE_STEP = 0.75, 0.05
"""Importance 1 multiplies by .8, 5 by 1, 10 by 1.25. Source: OpenClaw 2026.9."""
ACTIVE, INACTIVE = 1.15, 0.9
"""An entry for the projects at hand, and one for other projects. Source: OpenClaw 2026.9."""
RESPELLED = 0.2
"""The share of a score that is lost where all words were replaced. The order stays."""
FITS_AS_WELL = 0.6
"""The share of the best score that an equal statement must reach (docs/experiments.md, now)."""
TRIGGER_LIFT = 0.5
"""The share of the gap to 1 that a trigger adds: an entry without a word in common reaches .5,
where the first hits of a good answer are."""


class ScoreParts(msgspec.Struct, frozen=True):
    """The parts of the scores of some chunks, each (n,) and not weighted yet."""

    numbers: Ints
    values: Mapping[str, Floats]

    def total(self, weights: Mapping[str, float]) -> Floats:
        """Return the weighted sums, as shares of the best possible one, in [0, 1]."""
        raw = sum(
            (weights[name] * value for name, value in self.values.items() if name in weights),
            np.zeros(len(self.numbers), np.float32),
        )
        shares: Floats = np.clip(raw / best_possible(weights), 0.0, 1.0)
        return shares

    def take(self, positions: Ints) -> ScoreParts:
        """Return the parts of the chunks at ``positions``."""
        values = {name: value[positions] for name, value in self.values.items()}
        return ScoreParts(self.numbers[positions], values)

    def with_part(self, name: str, value: Floats) -> ScoreParts:
        """Return the parts with one added or replaced."""
        return ScoreParts(self.numbers, {**self.values, name: value})


def best_possible(weights: Mapping[str, float]) -> float:
    """Return the sum that a chunk with every part at its best would have."""
    return max(sum(weight for weight in weights.values() if weight > 0), 1e-9)


def weights_for(
    question: Question, ranking: RankingSettings, *, lexical: bool, vector: bool
) -> dict[str, float]:
    """Return the weights of the parts that can speak for this question; ``question`` is a malus."""
    weights: dict[str, float] = {"question": -ranking.question}
    if lexical and question.terms:
        group = ranking.group if vector else ranking.group_alone
        weights |= {"context": ranking.context, "group": group}
    if vector:
        weights["vector"] = ranking.vector
    if question.asks_of_somebody:
        weights["speaker"] = ranking.speaker
    if question.times:
        weights["date"] = ranking.relative_date if question.asks_of_time else ranking.date
    if question.asks_when or question.names_date:
        weights["time"] = ranking.time
    if question.asks_name:
        weights["capitals"] = ranking.capitals
    return weights


def own_weight(question: Question, ranking: RankingSettings) -> float:
    """Return the weight of holding the question's pairs of characters; 0 for a question in words.

    Pairs leave no function words out, and a short message takes over nearly all that the one before
    it holds: without this part it can rank before it. With words the same part costs recall
    (docs/experiments.md, own).
    """
    return ranking.own if any(not t.isascii() and is_unspaced(t) for t in question.terms) else 0.0


def own_share(arrays: ChunkArrays, terms: Sequence[FoundTerm], numbers: Ints) -> Floats:
    """Return the share of the rarity of ``terms`` that each of ``numbers`` holds, in [0, 1]."""
    living = int(arrays.totals.chunks.sum())
    shares = np.zeros(len(numbers), np.float32)
    whole = 0.0
    for term in terms:
        rarity = idf(living, term.frequency)
        whole += rarity
        if term.frequency:
            shares += np.float32(rarity) * (term.counts(numbers) > 0)
    return shares / np.float32(max(whole, 1e-9))


def thing_shares(arrays: ChunkArrays, things: Sequence[FoundTerm], numbers: Ints) -> Floats:
    """Return how rare the rarest of ``things`` is that each of ``numbers`` names, in [0, 1]."""
    living = int(arrays.totals.chunks.sum())
    shares = np.zeros(len(numbers), np.float32)
    for thing in things:
        if thing.frequency:
            share = np.float32(idf(living, thing.frequency) / idf(living, 1))
            np.maximum(shares, share * (thing.counts(numbers) > 0), out=shares)
    return shares


def plain_weights(hybrid: HybridSettings, *, lexical: bool, vector: bool) -> dict[str, float]:
    """Return the two weights of OpenClaw's sum, scaled to 1; a side that is alone has all of it.

    Two weights of 0 mean the usual ones.
    """
    weights = hybrid if hybrid.vector_weight + hybrid.text_weight > 0 else HybridSettings()
    if not (lexical and vector):
        return {"vector": 1.0} if vector else {"context": 1.0}
    total = weights.vector_weight + weights.text_weight
    return {"vector": weights.vector_weight / total, "context": weights.text_weight / total}


def priors(
    arrays: ChunkArrays, numbers: Ints, question: Question, names: Collection[str]
) -> dict[str, Floats]:
    """Return those of the parts ``names`` that come from who, when and how a chunk was said."""
    columns = arrays.columns

    def flagged(flag: int) -> Floats:
        flags: Floats = ((columns["flags"][numbers] & flag) > 0).astype(np.float32)
        return flags

    def speaker() -> Floats:
        if question.asks_assistant:
            return flagged(FROM_ASSISTANT)
        if not question.speakers:  # notes and actions are the user's as well
            mine: Floats = np.maximum(flagged(FROM_USER), columns["source"][numbers] != MESSAGE)
            return mine
        by_speaker = np.isin(columns["speaker"][numbers], np.fromiter(question.speakers, np.int64))
        return by_speaker.astype(np.float32)

    def capitals() -> Floats:
        counts = np.minimum(columns["capitals"][numbers], MOST_CAPITALS).astype(np.float32)
        shares: Floats = counts / np.float32(MOST_CAPITALS)
        return shares

    parts: dict[str, Callable[[], Floats]] = {
        "speaker": speaker,
        "date": lambda: time_fit(columns["at"][numbers], question.times),
        "time": lambda: flagged(TIME_WORD),
        "capitals": capitals,
        "question": lambda: flagged(QUESTION),
    }
    return {name: part() for name, part in parts.items() if name in names}


class Adjusted(msgspec.Struct, frozen=True):
    """Scores, and what was added to them or taken off, by reason."""

    total: Floats
    reasons: Mapping[str, Floats]


class Adjustments(msgspec.Struct, frozen=True):
    """The adjustments for one question.

    Attributes:
        recency: The settings; not enabled, age does not count.
        ranking: What replies lose, and the oldest of several statements.
        request: Its time, its projects, and the chunks with a trigger in it.
        pinned: Chunks of files that the question names.
        respelled: Share of the question's terms that were replaced, in [0, 1].
        things: Of each chunk how rare a thing it names of the kind that a list is wanted of, in
            [0, 1]; None where none is wanted.
    """

    recency: RecencySettings
    ranking: RankingSettings
    request: RankingRequest
    pinned: Collection[int]
    respelled: float = 0.0
    things: Floats | None = None

    def apply(self, view: PartitionView, numbers: Ints, total: Floats) -> Adjusted:
        """Return the scores ``total`` of the chunks ``numbers`` adjusted."""
        reasons: dict[str, Floats] = {}
        for name, factor in self._factors(view, numbers, total):
            changed = np.clip(total * factor, 0.0, 1.0).astype(np.float32)
            reasons[name] = changed - total
            total = changed
        for name, share in self._lifts(numbers):
            reasons[name] = (share * (1.0 - total)).astype(np.float32)
            total = total + reasons[name]
        return Adjusted(total, reasons)

    def _factors(
        self, view: PartitionView, numbers: Ints, total: Floats
    ) -> Iterator[tuple[str, NDArray[np.floating]]]:
        arrays = view.arrays
        if self.recency.enabled:
            ages = ages_in_days(arrays.columns["at"][numbers], self.request.now_ms)
            ages[(arrays.columns["flags"][numbers] & EVERGREEN) > 0] = 0.0
            yield "recency", recency_factors(ages, self.recency)
        annotations = view.partition.annotations
        annotated = []
        if annotations.of_chunk:
            annotated = list(annotations.among(view.global_numbers(numbers)))
        if annotated:
            importance, project = np.ones((2, len(numbers)), np.float32)
            for position, annotation in annotated:
                importance[position] = importance_factor(annotation.importance)
                project[position] = project_factor(annotation.projects, self.request.projects)
            yield "importance", importance
            yield "project", project
        question = self.request.question
        if self.ranking.assistant and not question.asks_of_somebody:
            replied = (arrays.columns["flags"][numbers] & (FROM_ASSISTANT | QUESTION)) > 0
            replied &= arrays.columns["speaker"][numbers] == 0  # speakers with a name are people
            yield "assistant", 1 - np.float32(self.ranking.assistant) * replied
        if self.request.near and self.ranking.elsewhere:
            projects = arrays.columns["project"][numbers]
            is_other = (projects != 0) & ~np.isin(projects, self.request.near)
            yield "elsewhere", 1 - np.float32(self.ranking.elsewhere) * is_other
        if self.ranking.newest and question.asks_now and len(numbers):
            at = arrays.columns["at"][numbers]
            yield "newest", newest_factors(at, total, self.ranking.newest)
        if self.respelled:
            yield "spelling", np.full(len(numbers), 1.0 - RESPELLED * self.respelled)

    def _lifts(self, numbers: Ints) -> Iterator[tuple[str, Floats]]:
        lifts = (("trigger", self.request.triggered, TRIGGER_LIFT), ("path", self.pinned, 1.0))
        if self.things is not None:
            yield "kind", self.ranking.kind * self.things
        for name, lifted, share in lifts:
            if lifted:
                is_lifted = np.isin(numbers, np.fromiter(lifted, np.int64))
                yield name, share * is_lifted.astype(np.float32)


def importance_factor(importance: int | None) -> float:
    """Return the factor of a score for an importance of 1 to 10; 1 for none.

    >>> importance_factor(10)
    1.25
    """
    return 1.0 if importance is None else IMPORTANCE_AT_0 + IMPORTANCE_STEP * importance


def project_factor(projects: Collection[str], active: Collection[str]) -> float:
    """Return the factor of an entry's score for its projects.

    Args:
        projects: Keys as they are written; none changes nothing.
        active: Keys of the projects at hand, folded; without any nothing changes.
    """
    if not (projects and active):
        return 1.0
    return ACTIVE if all(project_key(key) in active for key in projects) else INACTIVE


def project_key(name: str) -> str:
    """Return the key of a project as keys are compared: without case and outer blanks."""
    return name.strip().casefold()


def recency_factors(ages_days: Doubles, settings: RecencySettings) -> Doubles:
    """Return the factor for each age, in [floor, 1]: 1 for today and the future.

    ``floor + (1 - floor) * 2 ** (-age / half_life_days)``
    """
    ages = np.maximum(ages_days, 0.0)
    remaining = np.exp2(-ages / settings.half_life_days)
    factors: Doubles = settings.floor + (1.0 - settings.floor) * remaining
    return factors


def newest_factors(at: Ints, total: Floats, most: float) -> Doubles:
    """Return the factor for each time (ms UTC), in [1 - most, 1], where the newest counts.

    The times between the oldest and the newest of what fits nearly as well as the best count, so
    that a contradiction of last week weighs as much as one of last year.
    """
    fits = at[~(total < FITS_AS_WELL * total.max())]  # all of them where a score is not a number
    oldest, newest = int(fits.min()), int(fits.max())
    older = np.clip((newest - at) / max(newest - oldest, DAY_MS), 0.0, 1.0)
    factors: Doubles = 1.0 - most * older
    return factors


def ages_in_days(at: Ints, now_ms: int) -> Doubles:
    """Return how many days before ``now_ms`` each time (ms UTC) was; negative in the future."""
    ages: Doubles = (now_ms - at) / DAY_MS
    return ages
