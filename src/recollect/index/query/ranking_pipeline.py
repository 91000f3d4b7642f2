"""The one search: from a question to chunks with their scores and parts.

`candidates` proposes, `ranking` scores them all, the best get their exact vectors. Up to
`exact_below` visible chunks, all are candidates.

Feedback is a second round with what the best chunks have in common beside the question's words: the
question's vector moves towards theirs, and the terms that weigh most in them are searched. It finds
texts that speak of the same thing in other words. It is for files, where the best chunks have a
topic in common; messages of one conversation have its small talk in common, and there it costs more
than it finds (docs/experiments.md, feedback).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

import msgspec
import numpy as np

from recollect.core.settings import RankingSettings, SearchSettings
from recollect.index.lexical.bm25 import K1, B, idf
from recollect.index.lexical.port import EVERY, Asked, FoundTerm, Scores
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import Floats, Ints, Mask
from recollect.index.query.candidates import FILE, FILE_ARM, Candidates
from recollect.index.query.partition import PartitionView
from recollect.index.query.question import Ranked, RankingRequest
from recollect.index.query.ranking import (
    Adjusted,
    Adjustments,
    ScoreParts,
    best_possible,
    own_share,
    own_weight,
    plain_weights,
    priors,
    thing_shares,
    weights_for,
)
from recollect.index.vectors.vector_rows import estimated, smoothed_vectors
from recollect.store.engine import Transaction
from recollect.text.terms import is_unspaced

RESCORED, RESCORED_AMONG_MANY = 100, 64
"""Chunks that get their exact vectors, from the best by the codes' estimate; fewer in large scopes,
where reading their rows is what costs (docs/experiments.md, candidates)."""

PLAIN = RankingSettings(assistant=0.0, newest=0.0)
"""The adjustments of OpenClaw's sum: none of ours."""
MOST_PLAIN_CANDIDATES = 200
"""Of each way of finding in OpenClaw's sum."""


READ = 15
"""Chunks whose terms are read."""
MOVED_BY, MOVE = 5, 0.5
"""Chunks that the question's vector moves towards, and how far."""
LOOKED_UP = 60
"""Terms whose rarity is looked up, the heaviest by their counts alone."""
TERMS = 30
"""Terms that are added to the query."""
SHARPNESS = 0.15
"""The scale of scores below which a chunk counts much less than the best one."""


def rank(
    tx: Transaction, view: PartitionView, request: RankingRequest, settings: SearchSettings
) -> Ranked:
    """Return the best chunks for a request; the caller holds the partition's lock."""
    return RankingPipeline(tx, view, request, with_candidates(settings, request.most)).rank()


def with_candidates(settings: SearchSettings, limit: int) -> SearchSettings:
    """Return settings with the candidates of OpenClaw's sum, where it has a multiplier."""
    multiplier = settings.hybrid.candidate_multiplier
    if not (settings.hybrid.enabled and multiplier):
        return settings
    candidates = min(MOST_PLAIN_CANDIDATES, max(1, limit * multiplier))
    return msgspec.structs.replace(settings, candidates=candidates, exact_below=0)


class RankingPipeline:
    """One run of the search; its steps share the scores and the scan.

    Chunks have their numbers in the view; results have those in the partition.
    """

    def __init__(
        self,
        tx: Transaction,
        view: PartitionView,
        request: RankingRequest,
        settings: SearchSettings,
    ) -> None:
        self._tx = tx
        self._view = view
        self._arrays = view.arrays
        self._request = request
        self._settings = settings
        alive = self._arrays.alive[: self._arrays.count]
        self._mask: Mask = alive if request.visible is None else request.visible
        self._is_large = np.count_nonzero(self._mask) > settings.exact_below
        self._lexical = self._score_words()
        self._scan = None if request.vector is None else view.scan(tx, request.vector)
        self._weights = self._chosen_weights()
        self._pinned: dict[int, int] = {}

    def rank(self) -> Ranked:
        """Return the best chunks with their scores and the parts of these."""
        parts = self._parts(self._candidates())
        self._pinned = self._best_of_named(parts)
        parts = self._with_own(self._answering(self._with_things(self._rescored(parts))))
        respelled = {} if self._lexical is None else self._lexical.respelled
        share = len(respelled) / max(1, len(self._request.question.terms))
        ranking = PLAIN if self._settings.hybrid.enabled else self._settings.ranking
        adjustments = Adjustments(
            self._settings.recency,
            ranking,
            self._request,
            self._pinned,
            share,
            parts.values.get("things"),
        )
        adjusted = adjustments.apply(self._view, parts.numbers, parts.total(self._weights))
        total = adjusted.total
        ranks = np.zeros(len(parts.numbers), np.float32)
        for number, rank in self._pinned.items():
            ranks[parts.numbers == number] = rank
        positions = np.flatnonzero(total > 0)
        order = self._best(parts.numbers[positions], (total + ranks)[positions], RESCORED)
        best = positions[order]
        return Ranked(
            numbers=self._view.global_numbers(parts.numbers[best]).tolist(),
            scores=total[best].tolist(),
            ranks=ranks[best].astype(int).tolist(),
            are_files=(self._arrays.columns["source"][parts.numbers[best]] == FILE).tolist(),
            is_all=len(best) == len(positions) and len(positions) < self._request.most,
            why=lambda positions: self._why(parts, adjusted, best[positions]),
            respelled=respelled,
            newest=ranking.newest if self._request.question.asks_now else 0.0,
        )

    def _chosen_weights(self) -> dict[str, float]:
        lexical, vector = self._lexical is not None, self._scan is not None
        if self._settings.hybrid.enabled:
            return plain_weights(self._settings.hybrid, lexical=lexical, vector=vector)
        return weights_for(
            self._request.question, self._settings.ranking, lexical=lexical, vector=vector
        )

    def _best_of_named(self, parts: ScoreParts) -> dict[int, int]:
        """Return the best chunk of each file that the question names, with the rank."""
        total = parts.total(self._weights)
        rank_of: dict[int, int] = {}
        for file in self._request.named:
            positions = np.flatnonzero(np.isin(parts.numbers, file.chunks))
            if len(positions):
                best = self._ordered(parts.numbers[positions], total[positions], 1)[0]
                rank_of.setdefault(int(parts.numbers[positions[best]]), file.rank)
        return rank_of

    def _is_demanded(self, numbers: Ints) -> Mask:
        """Return a mask of the chunks that are hits whatever their score."""
        demanded = {*self._pinned, *self._request.triggered}
        if not demanded:
            return np.zeros(len(numbers), np.bool_)
        return np.isin(numbers, np.fromiter(demanded, np.int64))

    def _answering(self, parts: ScoreParts) -> ScoreParts:
        """Leave out chunks that match only by speaker or time: that alone is not an answer.

        The time is one where it is relative to today: "what happened yesterday?" A thing of the
        kind that a list is wanted of is an answer without a word of the question.
        """
        if self._scan is not None:
            return parts
        words = sum(
            (parts.values.get(name, 0.0) for name in ("context", "group")),
            np.zeros(len(parts.numbers), np.float32),
        )
        answers = (words > 0) | self._is_demanded(parts.numbers)
        answers |= np.greater(parts.values.get("things", 0.0), 0.0)
        if self._request.question.asks_of_time:
            answers |= np.equal(parts.values.get("date", 0.0), 1.0)
        return parts.take(np.flatnonzero(answers))

    def _score_words(self) -> Scores | None:
        question = self._request.question
        if not (self._request.lexical and question.terms):
            return None
        query = Asked(
            terms=question.terms,
            budget=self._settings.posting_budget if self._is_large else EVERY,
            visible=self._request.visible,
            most=self._request.most,
        )
        return self._view.words.score(self._tx, query)

    def _candidates(self) -> Ints:
        if not self._is_large:
            return np.flatnonzero(self._mask)
        return Candidates(
            arrays=self._arrays,
            mask=self._mask,
            request=self._request,
            settings=self._settings,
            lexical=self._lexical,
            scan=self._scan,
            weights=self._weights,
        ).numbers()

    def _parts(self, numbers: Ints) -> ScoreParts:
        values = priors(self._arrays, numbers, self._request.question, self._weights)
        if self._lexical is not None:
            values["context"] = self._lexical.complete(numbers)
            values["group"] = self._lexical.groups[self._arrays.columns["group"][numbers]]
        if self._scan is not None:
            values["vector"] = estimated(self._scan, self._arrays.around(numbers))
        return ScoreParts(numbers, values)

    def _rescored(self, parts: ScoreParts) -> ScoreParts:
        """Return the best by the estimate with their exact vectors."""
        vector, stored_vectors = self._request.vector, self._view.partition.vectors
        if self._scan is None or vector is None or stored_vectors is None:
            return parts
        demanded = self._is_demanded(parts.numbers)
        total = parts.total(self._weights) + demanded
        least = RESCORED_AMONG_MANY if self._is_large else RESCORED
        best = parts.take(self._best(parts.numbers, total, least))
        around = self._view.global_numbers(self._arrays.around(best.numbers))
        rows = smoothed_vectors(self._tx, stored_vectors, around, len(vector))
        return self._with_feedback(best.with_part("vector", rows @ vector), rows, vector)

    def _best(self, numbers: Ints, total: Floats, least: int) -> Ints:
        """Return the best positions, ``least`` or twice the limit, and further memory files.

        These come after them, the best `FILE_ARM`.
        """
        most = max(least, 2 * self._request.most)
        best = self._ordered(numbers, total, most)
        if not self._request.with_files or len(best) == len(numbers):
            return best
        is_left = self._arrays.columns["source"][numbers] == FILE
        is_left[best] = False
        files = np.flatnonzero(is_left)
        further = self._ordered(numbers[files], total[files], FILE_ARM)
        return np.concatenate([best, files[further]])

    def _with_feedback(self, parts: ScoreParts, rows: Floats, vector: Floats) -> ScoreParts:
        """Search again with what the best have in common, when they are files."""
        if self._settings.ranking.feedback <= 0 or self._settings.hybrid.enabled:
            return parts
        best = self._ordered(parts.numbers, parts.total(self._weights), READ)
        sources = self._arrays.columns["source"][parts.numbers[best]]
        if 2 * int(np.count_nonzero(sources == FILE)) <= len(sources):
            return parts
        parts = parts.with_part("vector", rows @ moved_query(vector, rows[best]))
        if self._lexical is None:
            return parts
        total = parts.total(self._weights)
        best = self._ordered(parts.numbers, total, READ)
        chunk_numbers = self._view.global_numbers(parts.numbers[best]).tolist()
        texts = [self._view.partition.terms_of(self._tx, number) for number in chunk_numbers]
        terms = feedback_terms(
            self._arrays,
            texts,
            total[best] * best_possible(self._weights),
            lambda term: self._view.words.find(self._tx, term),
            set(self._request.question.terms),
        )
        self._weights["feedback"] = self._settings.ranking.feedback
        return parts.with_part("feedback", feedback_score(self._arrays, terms, parts.numbers))

    def _with_own(self, parts: ScoreParts) -> ScoreParts:
        """Mark which pairs of characters the best hold themselves (see `own_weight`)."""
        weight = own_weight(self._request.question, self._settings.ranking)
        if self._lexical is None or self._settings.hybrid.enabled or not weight:
            return parts
        pairs = [term for term in self._request.question.terms if is_unspaced(term)]
        most = max(RESCORED, 2 * self._request.most)
        best = self._ordered(parts.numbers, parts.total(self._weights), most)
        terms = [self._view.words.find(self._tx, pair) for pair in pairs]
        shares = np.zeros(len(parts.numbers), np.float32)
        shares[best] = own_share(self._arrays, terms, parts.numbers[best])
        self._weights["own"] = weight
        return parts.with_part("own", shares)

    def _with_things(self, parts: ScoreParts) -> ScoreParts:
        """Add how far each names a thing of the kind that a list is wanted of, see there."""
        things, weight = self._request.question.things, self._settings.ranking.kind
        if self._lexical is None or self._settings.hybrid.enabled or not (things and weight):
            return parts
        terms = [self._view.words.find(self._tx, thing) for thing in things]
        return parts.with_part("things", thing_shares(self._arrays, terms, parts.numbers))

    def _ordered(self, numbers: Ints, total: Floats, most: int) -> Ints:
        """Return the first ``most`` positions, best first.

        Ties are ordered by time and position in the group, not by arrival.
        """
        positions = np.arange(len(numbers))
        if len(numbers) > most:  # sorting all of them would cost more than all the rest
            split = len(numbers) - most
            positions = np.flatnonzero(total >= np.partition(total, split)[split])
        columns, chunk_numbers = self._arrays.columns, numbers[positions]
        keys = (columns["order"][chunk_numbers], columns["at"][chunk_numbers], -total[positions])
        first: Ints = positions[np.lexsort(keys)[:most]]
        return first

    def _why(
        self, parts: ScoreParts, adjusted: Adjusted, positions: Ints
    ) -> list[dict[str, float]]:
        """Return the parts of the scores at some positions, without those of 0."""
        best = best_possible(self._weights)
        columns = {
            name: (weight * parts.values[name][positions] / best).tolist()
            for name, weight in self._weights.items()
            if name in parts.values
        }
        columns |= {name: change[positions].tolist() for name, change in adjusted.reasons.items()}
        shares = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        return [
            {"path": 1.0}
            if number in self._pinned
            else {name: share for name, share in each.items() if share}
            for number, each in zip(parts.numbers[positions].tolist(), shares, strict=True)
        ]


def moved_query(vector: Floats, best: Floats) -> Floats:
    """Return the unit vector of ``vector`` moved towards the first rows of ``best``.

    Source: Rocchio, "Relevance Feedback in Information Retrieval" (1971), positive part.
    """
    moved = vector + MOVE * best[:MOVED_BY].mean(axis=0)
    unit_vector: Floats = moved / max(float(np.linalg.norm(moved)), 1e-9)
    return unit_vector


def feedback_terms(
    arrays: ChunkArrays,
    texts: Sequence[Sequence[str]],
    scores: Floats,
    lookup: Callable[[str], FoundTerm],
    excluded: Collection[str],
) -> list[FoundTerm]:
    """Return the terms of a second round, the most informative first.

    Args:
        arrays: The chunks that the caller hears.
        texts: The terms of the best chunks.
        scores: Their unscaled scores, for their weight.
        lookup: Finds a term in the index.
        excluded: Terms of the question, left out.
    """
    gains = _drawn(texts, scores, excluded)
    heaviest = sorted(gains, key=lambda term: (-gains[term], term))[:LOOKED_UP]
    living = int(arrays.totals.chunks.sum())
    looked_up = [(lookup(term), gains[term]) for term in heaviest]
    ranked = sorted(
        looked_up, key=lambda pair: (-pair[1] * idf(living, pair[0].frequency), pair[0].term)
    )
    return [term for term, _ in ranked[:TERMS]]


def _drawn(
    texts: Sequence[Sequence[str]], scores: Floats, excluded: Collection[str]
) -> dict[str, float]:
    """Return the share of the best chunks that each term makes up, the best weighted most."""
    weights = np.exp((scores - scores.max()) / SHARPNESS)
    mean = max(1.0, sum(len(terms) for terms in texts) / len(texts))
    gains: dict[str, float] = {}
    for terms, weight in zip(texts, (weights / weights.sum()).tolist(), strict=True):
        norm = K1 * (1 - B + B * len(terms) / mean)
        for term, count in Counter(terms).items():
            if term not in excluded:
                gains[term] = gains.get(term, 0.0) + weight * count / (count + norm)
    return gains


def feedback_score(arrays: ChunkArrays, terms: Sequence[FoundTerm], numbers: Ints) -> Floats:
    """Return the share of the feedback's weight that each of ``numbers`` holds, in [0, 1]."""
    living = int(arrays.totals.chunks.sum())
    total = np.zeros(len(numbers), np.float32)
    mass = sum(idf(living, term.frequency) for term in terms) * (K1 + 1)
    mean = (arrays.totals.length / np.maximum(arrays.totals.chunks, 1))[
        arrays.columns["source"][numbers]
    ]
    norm = K1 * (1 - B + B * arrays.columns["length"][numbers] / np.maximum(mean, 1.0))
    for term in terms:
        counts = term.counts(numbers)
        total += (idf(living, term.frequency) * (K1 + 1) * counts / (counts + norm)).astype(
            np.float32
        )
    return total / max(mass, 1e-9)
