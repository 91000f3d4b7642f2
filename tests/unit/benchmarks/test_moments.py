"""The labelled moments are well formed, and scored by type."""

from __future__ import annotations

import pytest

from benchmarks.measure.environment import describe_environment
from benchmarks.quality.moments import (
    STEPS,
    MomentSet,
    MomentsRun,
    TypeScore,
    load_moments,
    moment_grids,
)

TYPES = {
    "decision", "bugfix", "architecture", "code_change", "git_operation", "research", "tool_use",
    "exploration", "routine", "prompt", "answer",
}  # fmt: skip
SETS: tuple[MomentSet, ...] = ("seen", "unseen")


@pytest.mark.parametrize("name", SETS)
def test_a_half_has_every_type_and_language(name: MomentSet) -> None:
    """Words decide what was said, the tool all else."""
    moments = load_moments(name)
    assert len(moments) >= 150
    assert {each.type for each in moments} == TYPES
    assert {"en", "de", "es", "zh", "fr", "pt", "ja"} == {each.language for each in moments}
    assert {each.importance for each in moments} == set(STEPS)
    said = {"UserPromptSubmit", "Stop"}
    assert all(
        (each.by == "words") == (each.event["hook_event_name"] in said) for each in moments
    )  # fmt: skip


def test_a_report_lists_errors_if_asked() -> None:
    """Precision and recall of each type."""
    score = TypeScore(by="words", group="decision", classified=4, right=3, labelled=6)
    run = MomentsRun(
        environment=describe_environment(), set="seen", scores=(score,), ordered=0.5,
        errors=("seen-001 tool_use for decision: use pnpm",),
    )  # fmt: skip
    assert (score.precision, score.recall) == (0.75, 0.5)
    grid, _, errors = moment_grids(run, errors=True)
    assert grid.rows == (("words: decision", "0.750", "3 of 4", "0.500", "3 of 6"),)
    assert errors.rows[0][0].startswith("seen-001")
