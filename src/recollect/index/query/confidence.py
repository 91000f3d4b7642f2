"""The probability that the answer is among the hits: a small logistic model over the hits.

A score says how well a hit fits the words and the meaning of a question; it is as high for a
question about something never discussed, if it uses the same words. How far the best stands out
from the sixth tells the two apart. Constants: docs/experiments.md, confidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from recollect.core.errors import InvalidInput
from recollect.index.query.hit import Hit, SearchResult

SIXTH = 5
"""The rank of the hit that the best is compared with."""
MOST_TERMS = 12
"""Longer questions count as this long; the fitted data sets have few of them."""
LEAST_SCORE = 0.01
LEAST_SIXTH = 0.1
"""Equal to a missing sixth hit."""
WORDS = ("context", "group")
"""The parts of a score that depend on the words of the question."""

LEAST_ODDS = -30.0
"""Practically zero. A damaged vector can give less, where `math.exp` overflows, or no number."""


class Measures(msgspec.Struct, frozen=True):
    """The measures that the probability is computed from.

    Attributes:
        score: The natural logarithm of the best score.
        words: What words add to the sixth of the ranking; 0 where there is none.
        meaning: What its meaning adds.
        sixth: The natural logarithm of its whole score.
        terms: Distinct terms in the question, `MOST_TERMS` at most.
    """

    score: float
    words: float
    meaning: float
    sixth: float
    terms: float


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of the logistic model by measure, and its intercept; 0 leaves a measure out."""

    score: float
    words: float = 0.0
    meaning: float = 0.0
    sixth: float = 0.0
    terms: float = 0.0
    constant: float

    def probability(self, measures: Measures) -> float:
        """Return the probability, in [0, 1)."""
        odds = self.constant
        for name in MEASURES:
            odds += getattr(self, name) * getattr(measures, name)
        return 1.0 / (1.0 + math.exp(-max(LEAST_ODDS, odds)))


MEASURES = Measures.__struct_fields__
CALIBRATIONS = {
    "hybrid": Calibration(score=8.31, words=-14.22, meaning=-4.86, terms=0.086, constant=9.74),
    "lexical": Calibration(score=5.93, words=-6.8, terms=0.202, constant=6.81),
    "vector": Calibration(score=11.15, sixth=-5.11, terms=-0.008, constant=2.18),
}
"""By mode. Fitted by `python -m benchmarks confidence` on LoCoMo dev and BEAM; measures that a mode
leaves out gained nothing there."""


def measures(best: float, sixth: Mapping[str, float], terms: int) -> Measures:
    """Return the measures that the probability is computed from.

    Args:
        best: The best score, in [0, 1].
        sixth: The weighted parts of the sixth score; empty where there is none.
        terms: Distinct terms of the question.
    """
    return Measures(
        score=math.log(max(best, LEAST_SCORE)),
        words=sum(sixth.get(part, 0.0) for part in WORDS),
        meaning=sixth.get("vector", 0.0),
        sixth=math.log(max(sum(sixth.values()), LEAST_SIXTH)),
        terms=float(min(terms, MOST_TERMS)),
    )


def confidence_in(hits: Sequence[Hit], sixth: Mapping[str, float], terms: int, mode: str) -> float:
    """Return the probability that the answer is among ``hits``, in [0, 1]; 0 without any."""
    if not hits:
        return 0.0
    best = max(hit.score for hit in hits)
    return CALIBRATIONS[mode].probability(measures(best, sixth, terms))


def above_confidence(result: SearchResult, least: float | None) -> SearchResult:
    """Return the result; without its hits and with a warning when its confidence is lower.

    Raises:
        InvalidInput: ``least`` is neither None nor a number from 0 to 1.
    """
    if least is None:
        return result
    if type(least) not in (int, float) or not 0 <= least <= 1:
        raise InvalidInput("min_confidence is out of range", hint="use a number from 0 to 1")
    if not result.hits or result.confidence >= least:
        return result
    warning = (
        f"the hits were left out: their confidence is {result.confidence:.2f}, below {least:.2f}"
    )
    return msgspec.structs.replace(result, hits=[], warnings=[*result.warnings, warning])
