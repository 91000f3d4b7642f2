"""How probable it is that the answer is among the hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from recollect.core.errors import InvalidInput
from recollect.index.query.confidence import CALIBRATIONS, above_confidence, confidence_in
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.question import Ranked
from tests.unit.index.scripted import ScriptedFeed, ScriptedIndex, said

if TYPE_CHECKING:
    from pathlib import Path


def _hit(score: float, **said: object) -> Hit:
    hit = Hit(score=score, source="sessions", ref="m", snippet="", why={}, at=0)
    return msgspec.structs.replace(hit, **said)


def _ranked(sixth: dict[str, float] | None = None, thirtieth: float = 0.0) -> Ranked:
    scores = [0.5] * 29 + [thirtieth] if thirtieth else [0.5] * (0 if sixth is None else 6)
    return Ranked(
        numbers=[*range(len(scores))],
        scores=scores,
        ranks=[],
        are_files=[],
        is_all=False,
        why=lambda positions: [sixth or {} for _ in positions],
        respelled={},
    )


@pytest.mark.parametrize("mode", CALIBRATIONS)
def test_a_better_best_hit_is_more_probably_the_answer(mode: str) -> None:
    """From next to nothing to nearly sure, always a probability."""
    confidences = [confidence_in([_hit(n / 20)], _ranked(), 5, mode) for n in range(21)]

    assert confidences == sorted(confidences)
    assert 0 <= confidences[0] < 0.05
    assert 0.95 < confidences[-1] <= 1


@pytest.mark.parametrize("mode", CALIBRATIONS)
def test_a_crowd_of_equal_hits_is_less_confident_than_one_that_stands_out(mode: str) -> None:
    """What all of them say is small talk."""
    few, many = {"context": 0.05, "vector": 0.05}, {"context": 0.2, "group": 0.1, "vector": 0.1}
    alone = confidence_in([_hit(0.5)], _ranked(few, 0.15), 5, mode)
    crowd = confidence_in([_hit(0.5)], _ranked(many, 0.4), 5, mode)

    assert crowd < alone
    assert alone <= confidence_in([_hit(0.5)], _ranked(), 5, mode)


@pytest.mark.parametrize("mode", CALIBRATIONS)
def test_who_asks_back_is_less_probably_the_answer(mode: str) -> None:
    """Pets of Ana are not known by what Ana asks others about theirs."""

    def confidence(snippet: str, **said: object) -> float:
        return confidence_in([_hit(0.5, snippet=snippet, **said)], _ranked(), 5, mode)

    asks, tells = "Sweet! What pet do you have?", "My hamster fell ill."
    by_ana = {"name": "Ana", "why": {"speaker": 0.1}}
    assert confidence(asks, **by_ana) < confidence(tells, **by_ana)
    assert confidence(asks, name="Ben") == confidence(tells, name="Ben")  # who was not asked about
    mine = {"why": {"speaker": 0.1}}  # of a user without a name, who need not say I
    assert confidence(asks, **mine) == confidence(tells, **mine)


@pytest.mark.parametrize("evidence", [1e6, float("nan"), float("inf")])
def test_a_score_that_a_damaged_vector_made_is_not_trusted(evidence: float) -> None:
    """Its size tells nothing, and must not end the search."""
    confidence = confidence_in([_hit(0.5)], _ranked({"context": evidence}), 5, "hybrid")
    assert confidence < 1e-12


def test_no_hits_have_no_confidence() -> None:
    """Whatever the question."""
    assert confidence_in([], _ranked(), 5, "hybrid") == 0.0


def test_a_search_tells_its_confidence(tmp_path: Path) -> None:
    """An answer in the words of the question against one word in common."""
    feed = ScriptedFeed(
        said("m1", "the marsala goes into the mushroom pasta"),
        said("m2", "the choir sings on Mondays"),
        said("m3", "a pasta machine was on sale"),
    )
    with ScriptedIndex(tmp_path, feed) as home:
        sure = home.ask("marsala mushroom pasta")
        unsure = home.ask("pasta recipe of grandmother Lurdes with anchovies")

    assert 0.0 < unsure.confidence < 0.5 < sure.confidence <= 1.0


def test_hits_below_the_least_confidence_are_left_out_with_a_warning() -> None:
    """And the confidence stays to be seen."""
    result = SearchResult(hits=[_hit(0.3)], mode="hybrid", warnings=["first"], confidence=0.25)

    assert above_confidence(result, None) is result
    assert above_confidence(result, 0.25) is result
    empty = above_confidence(result, 0.5)
    assert (empty.hits, empty.confidence) == ([], 0.25)
    assert empty.warnings == [
        "first",
        "the hits were left out: their confidence is 0.25, below 0.50",
    ]
    nothing = msgspec.structs.replace(result, hits=[], confidence=0.0)
    assert above_confidence(nothing, 0.5) is nothing


@pytest.mark.parametrize("least", [-0.1, 1.1, "much", True, float("nan")])
def test_a_least_confidence_that_is_no_share_is_refused(least: object) -> None:
    """With a hint."""
    result = SearchResult(hits=[], mode="hybrid")

    with pytest.raises(InvalidInput) as caught:
        above_confidence(result, least)  # type: ignore[arg-type]
    assert caught.value.hint
