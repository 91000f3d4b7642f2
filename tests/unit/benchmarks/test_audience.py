"""The oracle of audiences: the same histories in two trees, and a tree that tells more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.measure.environment import describe_environment
from benchmarks.quality.audience import (
    OURS,
    AudiencePlan,
    AudienceRun,
    AudienceRunner,
    audience_grids,
    describe_audience,
    first_difference,
)
from benchmarks.quality.audience_histories import draw_history

TELLS_MORE = """

_read = Memory.read


def _read_as_operator(self, path, *, for_session=None, for_sender=None):
    return _read(self, path)


Memory.read = _read_as_operator
"""
"""Behind the module of the facade: whoever asks may read every memory file."""


def _run(against: Path, histories: int, served: float = 0.0, seed: int = 1) -> AudienceRun:
    plan = AudiencePlan(against=against, histories=histories, seed=seed, served=served)
    return AudienceRunner(describe_environment(), lambda *_: None).run(plan)


def test_a_seed_makes_the_same_history_again() -> None:
    """And another one another; the share that is served is drawn too."""
    assert draw_history(7) == draw_history(7)
    assert draw_history(7) != draw_history(8)
    assert draw_history(7, served=1.0).is_served
    assert not draw_history(7, served=0.0).is_served


@pytest.mark.parametrize("served", [0.0, 1.0], ids=["asked", "served"])
def test_a_tree_tells_the_same_as_itself(served: float) -> None:
    """Ids, times and what counts as tokens differ between two homes, and are the same here."""
    run = _run(OURS, 2, served)

    assert run.is_same, "\n".join(describe_audience(run))
    assert run.unsteady == ()
    assert run.answers > 100
    assert audience_grids(run)[0].rows[0][3] == "2"


def test_a_tree_that_tells_guests_more_is_found_out(tmp_path: Path) -> None:
    """The history is shown without the steps that it does not need."""
    other = tmp_path / "src"
    shutil.copytree(OURS, other, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "recollect" / "memory.py").open("a", encoding="utf-8") as facade:
        facade.write(TELLS_MORE)

    run = _run(other, 3)

    assert run.differing
    each = run.differences[0]
    assert len(each.steps) < len(draw_history(each.seed, 0.0).steps)
    assert '"error"' in each.here
    assert "of the owner" in each.there
    assert any("first difference: read" in line for line in describe_audience(run))


def test_the_first_difference_is_shown_with_what_is_around_it() -> None:
    """Also where one tree was asked for more."""
    here, there = ("view", "x" * 1_000 + "a"), ("view", "x" * 1_000 + "b")
    asked, ours, theirs = first_difference([here], [there])
    assert (asked, ours[-1], theirs[-1]) == ("view", "a", "b")
    assert len(ours) < 500
    assert first_difference([here], [])[0] == "view | nothing more is asked"
    assert first_difference([here], [here])[0] == "nothing"
