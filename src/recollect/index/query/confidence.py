"""The probability that the answer is among the hits: a small logistic model over the hits.

A score says how well a hit fits the words and the meaning of a question; it is as high for a
question about something never discussed, if it uses the same words. How far the best stands out
from the rest tells the two apart, and so does whether the person asked about speaks of themselves:
"what pet do you have?" is said by somebody who may have none. Constants: docs/experiments.md,
confidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from recollect.core.errors import InvalidInput
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.question import Ranked
from recollect.text.query_cues import speaks_of_oneself

SIXTH, THIRTIETH = 5, 29
"""The ranks of those that the best hit is compared with."""
MOST_TERMS = 12
"""Longer questions count as this long; the fitted data sets have few of them."""
LEAST_SCORE = 0.01
LEAST_THIRTIETH = 0.1
"""Equal to a missing thirtieth."""
WORDS = ("context", "group")
"""The parts of a score that depend on the words of the question."""

LEAST_ODDS = -30.0
"""Practically zero. A damaged vector can give less, where `math.exp` overflows, or no number."""


class Measures(msgspec.Struct, frozen=True):
    """The measures that the probability is computed from.

    Attributes:
        score: The natural logarithm of the best score.
        words: What words add to the sixth of the ranking; 0 where there is none.
        rest: The score of the thirtieth, as a share of the best.
        terms: Distinct terms in the question, `MOST_TERMS` at most.
        other: 1 where the best hit is of the person asked about, and not about themselves; else 0.
    """

    score: float
    words: float
    rest: float
    terms: float
    other: float


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of the logistic model by measure, and its intercept; 0 leaves a measure out."""

    score: float
    words: float = 0.0
    rest: float = 0.0
    terms: float = 0.0
    other: float = 0.0
    constant: float

    def probability(self, measures: Measures) -> float:
        """Return the probability, in [0, 1)."""
        odds = self.constant
        for name in MEASURES:
            odds += getattr(self, name) * getattr(measures, name)
        return 1.0 / (1.0 + math.exp(-max(LEAST_ODDS, odds)))


MEASURES = Measures.__struct_fields__
CALIBRATIONS = {
    "hybrid": Calibration(
        score=7.1, words=-12.4, rest=-4.88, terms=0.232, other=-1.19, constant=10.07
    ),
    "lexical": Calibration(
        score=4.4, words=-3.82, rest=-4.86, terms=0.271, other=-0.925, constant=7.07
    ),
    "vector": Calibration(score=5.47, rest=-8.86, other=-1.36, constant=8.93),
}
"""By mode. Fitted by `python -m benchmarks confidence` on LoCoMo dev and BEAM; measures that a mode
leaves out gained nothing there."""


def measures(hits: Sequence[Hit], ranked: Ranked, terms: int) -> Measures:
    """Return the measures that the probability is computed from.

    Args:
        hits: At least one.
        ranked: The ranking that they are from, before what was replaced changes it.
        terms: Distinct terms of the question.
    """
    best = max(hits, key=_plain_score)
    score = max(_plain_score(best), LEAST_SCORE)
    sixth = ranked.why([SIXTH])[0] if ranked.end > SIXTH else {}
    thirtieth = ranked.scores[THIRTIETH] if ranked.end > THIRTIETH else 0.0
    is_person = best.name is not None and best.why.get("speaker", 0.0) > 0
    return Measures(
        score=math.log(score),
        words=sum(sixth.get(part, 0.0) for part in WORDS),
        rest=max(thirtieth, LEAST_THIRTIETH) / score,
        terms=float(min(terms, MOST_TERMS)),
        other=float(is_person and not speaks_of_oneself(best.snippet)),
    )


def _plain_score(hit: Hit) -> float:
    """Return the score without what a thing of the kind that is asked for adds to any text."""
    return hit.score - hit.why.get("kind", 0.0)


def confidence_in(hits: Sequence[Hit], ranked: Ranked, terms: int, mode: str) -> float:
    """Return the probability that the answer is among ``hits``, in [0, 1]; 0 without any."""
    if not hits:
        return 0.0
    return CALIBRATIONS[mode].probability(measures(hits, ranked, terms))


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
