"""The one search: from a question to chunks with their scores and parts.

Candidates come from the words, the best sessions, the codes and the speaker; `ranking` scores them
all; the best get their exact vectors. Up to `exact_below` visible chunks, all are candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.settings import SearchSettings
from recollect.index.document import SOURCES
from recollect.index.feedback import READ, feedback_score, feedback_terms, moved_query
from recollect.index.layout import Floats, Ints, Mask
from recollect.index.lexical.port import Asked, Scores
from recollect.index.partition import Partition
from recollect.index.question import Question
from recollect.index.ranking import Parts, best_possible, priors, weights_for
from recollect.index.vectors.code_matrix import CodeScan
from recollect.index.vectors.smoothing import estimated, neighbourhood, smoothed_vectors
from recollect.store.engine import Transaction

BEST_GROUPS = 5
"""Sessions whose every message is a candidate; wins back what a cut of messages without any query
word loses (docs/experiments.md, candidates)."""
GROUP_READ = 400
"""Messages of such a session that are read at most, the newest ones."""
PRESELECTED = 8
"""So many times the candidates get their priors, from the best by words alone."""
RESCORED, RESCORED_AMONG_MANY = 100, 64
"""Chunks that get their exact vectors, from the best by the codes' estimate; fewer in large scopes,
where reading their rows is what costs (docs/experiments.md, candidates)."""
SPEAKER_ARM = 200
"""Nearest codes among the messages of the speaker that the question names."""

FILES = SOURCES.index("memory")

Vector = NDArray[np.float32]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What to search for, and where.

    Attributes:
        question: The analysed question.
        vector: Its unit vector; None for words only.
        lexical: Whether words take part.
        visible: Which chunks the caller may see; None for all living ones.
        most: How many chunks to return.
    """

    question: Question
    vector: Vector | None
    lexical: bool
    visible: Mask | None
    most: int


class Ranked(msgspec.Struct, frozen=True):
    """The best chunks, best first, with the weighted parts of their scores."""

    numbers: list[int]
    scores: list[float]
    why: list[dict[str, float]]


def rank(
    tx: Transaction, partition: Partition, request: Request, settings: SearchSettings
) -> Ranked:
    """Return the best chunks for a request; the caller holds the partition's lock."""
    return _Ranking(tx, partition, request, settings).run()


class _Ranking:
    """One run of the search; its steps share the scores and the scan."""

    def __init__(
        self, tx: Transaction, partition: Partition, request: Request, settings: SearchSettings
    ) -> None:
        self._tx = tx
        self._partition = partition
        self._arrays = partition.arrays
        self._request = request
        self._settings = settings
        self._lexical = self._score_words()
        self._scan = self._scan_codes()
        self._weights = weights_for(
            request.question,
            settings.ranking,
            lexical=self._lexical is not None,
            vector=self._scan is not None,
        )

    def run(self) -> Ranked:
        parts = self._answering(self._rescored(self._parts(self._candidates())))
        total = parts.total(self._weights)
        order = self._ordered(parts.numbers, total)[: self._request.most]
        order = order[total[order] > 0]
        return Ranked(
            parts.numbers[order].tolist(),
            total[order].tolist(),
            [self._why(parts, place) for place in order.tolist()],
        )

    def _answering(self, parts: Parts) -> Parts:
        """Leave out what has only its speaker or its time for it: that alone is no answer."""
        if self._scan is not None:
            return parts
        words = sum(
            (parts.values.get(name, 0.0) for name in ("context", "group")),
            np.zeros(len(parts.numbers), np.float32),
        )
        return parts.take(np.flatnonzero(words > 0))

    def _score_words(self) -> Scores | None:
        question = self._request.question
        if not (self._request.lexical and question.terms):
            return None
        asked = Asked(
            terms=question.terms,
            budget=self._settings.posting_budget if self._is_large() else 1 << 62,
            visible=self._request.visible,
            most=self._request.most,
        )
        return self._partition.words.score(self._tx, self._arrays, asked)

    def _scan_codes(self) -> CodeScan | None:
        vector, codes = self._request.vector, self._partition.codes
        if vector is None or codes is None:
            return None
        return codes.scan(vector, self._arrays.count)

    def _is_large(self) -> bool:
        return self._visible_count() > self._settings.exact_below

    def _visible_count(self) -> int:
        visible = self._request.visible
        return int(
            self._arrays.totals.chunks.sum() if visible is None else np.count_nonzero(visible)
        )

    def _visible(self, numbers: Ints) -> Ints:
        mask = self._request.visible
        allowed = self._arrays.alive[numbers] if mask is None else mask[numbers]
        return numbers[allowed]

    def _candidates(self) -> Ints:
        if not self._is_large():
            mask = self._request.visible
            alive = self._arrays.alive[: self._arrays.count]
            return np.flatnonzero(alive if mask is None else mask)
        arms: list[Callable[[], Ints]] = [
            self._by_words,
            self._by_groups,
            self._by_codes,
            self._by_speaker,
        ]
        return self._visible(np.unique(np.concatenate([arm() for arm in arms])))

    def _by_words(self) -> Ints:
        if self._lexical is None:
            return np.zeros(0, np.int64)
        lexical, weights, most = self._lexical, self._weights, self._settings.candidates
        found = self._visible(np.flatnonzero(lexical.chunks > 0))
        rough = weights["context"] * lexical.chunks[found]
        rough += weights["group"] * lexical.groups[self._arrays["group"][found]]
        best = _highest(rough, PRESELECTED * most)
        found, rough = found[best], rough[best]
        for name, value in priors(self._arrays, found, self._request.question).items():
            rough += weights.get(name, 0.0) * value
        return found[_highest(rough, most)]

    def _by_groups(self) -> Ints:
        if self._lexical is None:
            return np.zeros(0, np.int64)
        groups, arrays = self._lexical.groups, self._arrays
        best = _highest(groups, BEST_GROUPS)
        newest = [int(arrays.groups.last[g]) for g in best.tolist() if groups[g] > 0]
        return np.array([n for last in newest for n in self._back_from(last)], np.int64)

    def _back_from(self, number: int) -> Iterator[int]:
        """Yield a chunk and those before it in its group, up to `GROUP_READ`."""
        for _ in range(GROUP_READ):
            if number < 0:
                return
            yield number
            number = int(self._arrays.before[number])

    def _by_codes(self) -> Ints:
        if self._scan is None:
            return np.zeros(0, np.int64)
        near = self._scan.nearest(self._settings.candidates, self._request.visible)
        return np.unique(neighbourhood(self._arrays, near)[:3].clip(0))

    def _by_speaker(self) -> Ints:
        speakers = self._request.question.speakers
        if self._scan is None or not speakers:
            return np.zeros(0, np.int64)
        count = self._arrays.count
        said = np.isin(self._arrays["speaker"][:count], np.fromiter(speakers, np.int64))
        mask = self._request.visible
        said &= self._arrays.alive[:count] if mask is None else mask
        return self._scan.nearest(SPEAKER_ARM, said)

    def _parts(self, numbers: Ints) -> Parts:
        values = priors(self._arrays, numbers, self._request.question)
        if self._lexical is not None:
            values["context"] = self._lexical.complete(numbers)
            values["group"] = self._lexical.groups[self._arrays["group"][numbers]]
        if self._scan is not None:
            values["vector"] = estimated(self._scan, neighbourhood(self._arrays, numbers))
        return Parts(numbers, values)

    def _rescored(self, parts: Parts) -> Parts:
        """Return the best by the estimate with their exact vectors."""
        vector = self._request.vector
        if self._scan is None or vector is None:
            return parts
        best = self._ordered(parts.numbers, parts.total(self._weights))
        least = RESCORED_AMONG_MANY if self._is_large() else RESCORED
        kept = parts.take(best[: max(least, 2 * self._request.most)])
        around = neighbourhood(self._arrays, kept.numbers)
        rows = smoothed_vectors(self._tx, self._partition.number, around, len(vector))
        return self._with_feedback(kept.with_part("vector", rows @ vector), rows, vector)

    def _with_feedback(self, parts: Parts, rows: Floats, vector: Vector) -> Parts:
        """Ask again with what the best have in common, when they are files (see `feedback`)."""
        best = self._ordered(parts.numbers, parts.total(self._weights))
        if not (self._settings.ranking.feedback and self._are_files(parts.numbers[best[:READ]])):
            return parts
        parts = parts.with_part("vector", rows @ moved_query(vector, rows[best]))
        if self._lexical is None:
            return parts
        total = parts.total(self._weights)
        best = self._ordered(parts.numbers, total)[:READ]
        texts = [self._partition.terms_of(self._tx, n) for n in parts.numbers[best].tolist()]
        found = feedback_terms(
            self._arrays,
            texts,
            total[best] * best_possible(self._weights),
            lambda term: self._partition.words.find(self._tx, term),
            set(self._request.question.terms),
        )
        self._weights["feedback"] = self._settings.ranking.feedback
        return parts.with_part("feedback", feedback_score(self._arrays, found, parts.numbers))

    def _are_files(self, numbers: Ints) -> bool:
        sources = self._arrays["source"][numbers]
        return 2 * int(np.count_nonzero(sources == FILES)) > len(numbers)

    def _ordered(self, numbers: Ints, total: NDArray[np.float32]) -> Ints:
        """Return the places, best first; ties by time and place in the group, not by arrival."""
        arrays = self._arrays
        keys = (arrays["order"][numbers], arrays["at"][numbers], -total)
        return np.lexsort(keys)

    def _why(self, parts: Parts, place: int) -> dict[str, float]:
        best = best_possible(self._weights)
        shares = {
            name: float(weight * parts.values[name][place] / best)
            for name, weight in self._weights.items()
            if name in parts.values
        }
        return {name: share for name, share in shares.items() if share}


def _highest(values: NDArray[np.float32], most: int) -> Ints:
    """Return the places of the ``most`` highest values, in no order."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(-values, most)[:most]
