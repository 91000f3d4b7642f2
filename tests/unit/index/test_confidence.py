"""How probable it is that the answer is among the hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from recollect.core.errors import InvalidInput
from recollect.index.query.confidence import CALIBRATIONS, above_confidence, confidence_in
from recollect.index.query.hit import Hit, SearchResult
from tests.unit.index.scripted import ScriptedFeed, ScriptedIndex, said

if TYPE_CHECKING:
    from pathlib import Path


def _hit(score: float) -> Hit:
    return Hit(score=score, source="sessions", ref="m", snippet="", why={}, at=0)


@pytest.mark.parametrize("mode", CALIBRATIONS)
def test_a_better_best_hit_is_more_probably_the_answer(mode: str) -> None:
    """From next to nothing to nearly sure, always a probability."""
    confidences = [confidence_in([_hit(n / 20)], {}, 5, mode) for n in range(21)]

    assert confidences == sorted(confidences)
    assert 0 <= confidences[0] < 0.05
    assert 0.95 < confidences[-1] <= 1


@pytest.mark.parametrize("mode", CALIBRATIONS)
def test_a_crowd_of_equal_hits_is_less_confident_than_one_that_stands_out(mode: str) -> None:
    """What all of them say is small talk."""
    alone = confidence_in([_hit(0.5)], {"context": 0.05, "vector": 0.05}, 5, mode)
    crowd = confidence_in([_hit(0.5)], {"context": 0.2, "group": 0.1, "vector": 0.1}, 5, mode)

    assert crowd < alone
    assert alone <= confidence_in([_hit(0.5)], {}, 5, mode)


@pytest.mark.parametrize("evidence", [1e6, float("nan"), float("inf")])
def test_a_score_that_a_damaged_vector_made_is_not_trusted(evidence: float) -> None:
    """Its size tells nothing, and must not end the search."""
    assert confidence_in([_hit(0.5)], {"vector": evidence}, 5, "hybrid") < 1e-12


def test_no_hits_have_no_confidence() -> None:
    """Whatever the question."""
    assert confidence_in([], {}, 5, "hybrid") == 0.0


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
