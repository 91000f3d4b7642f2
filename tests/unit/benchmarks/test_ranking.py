"""The comparison of two rankings, and a made-up home whose ranking is known."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from benchmarks.measure.environment import describe_environment
from benchmarks.quality.ranking import (
    OURS,
    compare,
    describe_ranking,
    is_same,
    made_up_home,
    ranking_grids,
    run_ranking,
)
from benchmarks.quality.ranking_worker import Answers, RankedHit, answered

KNOWN = Path(__file__).with_name("known_ranking.json")
HOME = made_up_home(360, 60, 40)


def _hits(*scores: tuple[str, float]) -> list[RankedHit]:
    return [RankedHit(name, score) for name, score in scores]


def test_a_made_up_home_is_ranked_as_before(tmp_path: Path) -> None:
    """What `known_ranking.json` holds; a change of ranking on purpose writes it anew.

    ``python -m tests.unit.benchmarks.test_ranking`` does. What only makes a search faster must not
    need it. Source: DESIGN section 6, absolute scores.
    """
    known = msgspec.json.decode(KNOWN.read_bytes(), type=Answers)

    run = compare(describe_environment(), [HOME], answered(tmp_path, [HOME]), known)

    assert run.is_same, "\n".join(describe_ranking(run))
    assert run.rows[0].questions == 40
    assert run.rows[0].hits > 200


def test_two_trees_answer_in_processes_of_their_own(tmp_path: Path) -> None:
    """The answers of the other tree are kept for the next run."""
    home = made_up_home(60, 20, 4)

    runs = [
        run_ranking(describe_environment(), [home], tmp_path, OURS, lambda *_: None)
        for _ in range(2)
    ]

    assert all(run.is_same for run in runs)
    assert len(list(tmp_path.glob("*.json"))) == 1
    assert ranking_grids(runs[0])[0].rows[0][:2] == ("made-up", "4")


@pytest.mark.parametrize(
    ("there", "same"),
    [
        (_hits(("a", 0.5), ("b", 0.4)), True),
        (_hits(("a", 0.500009), ("b", 0.4)), True),
        (_hits(("a", 0.50002), ("b", 0.4)), False),
        (_hits(("b", 0.5), ("a", 0.4)), False),
        (_hits(("a", 0.5)), False),
        (_hits(("a", 0.5), ("c", 0.4)), False),
    ],
)
def test_an_answer_is_the_same_with_the_same_hits_order_and_scores(
    there: list[RankedHit], *, same: bool
) -> None:
    """Scores within 1e-5."""
    assert is_same(_hits(("a", 0.5), ("b", 0.4)), there) is same


def test_only_hits_that_are_tied_may_change_places() -> None:
    """Another order of additions decides between them."""
    here = _hits(("a", 0.5), ("b", 0.4), ("c", 0.4))

    assert is_same(here, _hits(("a", 0.5), ("c", 0.4), ("b", 0.4)))
    assert not is_same(here, _hits(("a", 0.5), ("c", 0.4), ("c", 0.4)))


def test_what_differs_is_told_with_both_answers() -> None:
    """Enough to ask the question again by hand."""
    here: Answers = [_hits(("a", 0.5))] * 40
    there: Answers = [_hits(("b", 0.25)), *here[1:]]

    run = compare(describe_environment(), [HOME], here, there)

    assert not run.is_same
    assert list(describe_ranking(run))[-1] == "made-up 0: a 0.500000 | b 0.250000"


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        KNOWN.write_bytes(msgspec.json.encode(answered(Path(name), [HOME])) + b"\n")
