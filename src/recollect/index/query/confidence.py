"""How probable it is that the answer is among the hits: a small logistic over what was found.

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
"""The place of the hit that the best is compared with."""
MOST_TERMS = 12
"""Longer questions count as this long; the sets that were fitted hold few of them."""
LEAST_SCORE = 0.01
EVIDENCE = ("context", "group", "vector")
"""The parts of a score that speak of the question's content, not of who, when and how."""


LEAST_ODDS = -30.0
"""As good as none. A damaged vector can give less, where `math.exp` overflows, or no number."""


class Calibration(msgspec.Struct, frozen=True):
    """Weights of the logistic.

    Attributes:
        score: Of the natural logarithm of the best score.
        sixth: Of the `EVIDENCE` of the sixth of the ranking; 0 where there is none.
        terms: Of the number of distinct terms in the question, `MOST_TERMS` at most.
        constant: Added.
    """

    score: float
    sixth: float
    terms: float
    constant: float

    def probability(self, found: Sequence[float]) -> float:
        """Return the probability for the three measures of `measures`, in (0, 1)."""
        score, sixth, terms = found
        odds = self.score * score + self.sixth * sixth + self.terms * terms + self.constant
        return 1.0 / (1.0 + math.exp(-max(LEAST_ODDS, odds)))


CALIBRATIONS = {
    "hybrid": Calibration(8.96, -12.77, 0.11, 11.23),
    "lexical": Calibration(7.31, -11.52, 0.205, 9.28),
    "vector": Calibration(9.52, -6.11, -0.014, 6.87),
}
"""By mode. Fitted by `python -m benchmarks confidence` on LoCoMo dev and BEAM."""


def measures(best: float, sixth: Mapping[str, float], terms: int) -> tuple[float, float, float]:
    """Return what the probability is made of.

    Args:
        best: The best score, in [0, 1].
        sixth: The weighted parts of the sixth score; empty where there is none.
        terms: Distinct terms of the question.
    """
    evidence = sum(sixth.get(part, 0.0) for part in EVIDENCE)
    return math.log(max(best, LEAST_SCORE)), evidence, float(min(terms, MOST_TERMS))


def confidence_in(hits: Sequence[Hit], sixth: Mapping[str, float], terms: int, mode: str) -> float:
    """Return how probable it is that the answer is among ``hits``, in [0, 1]; 0 without any."""
    if not hits:
        return 0.0
    best = max(hit.score for hit in hits)
    return CALIBRATIONS[mode].probability(measures(best, sixth, terms))


def above_confidence(result: SearchResult, least: float | None) -> SearchResult:
    """Return the result; without its hits, and with a warning, where it is less confident.

    Raises:
        InvalidInput: ``least`` is neither None nor a number from 0 to 1.
    """
    if least is None:
        return result
    if type(least) not in (int, float) or not 0 <= least <= 1:
        raise InvalidInput("min_confidence is out of range", hint="use a number from 0 to 1")
    if not result.hits or result.confidence >= least:
        return result
    told = f"the hits were left out: their confidence is {result.confidence:.2f}, below {least:.2f}"
    return msgspec.structs.replace(result, hits=[], warnings=[*result.warnings, told])
