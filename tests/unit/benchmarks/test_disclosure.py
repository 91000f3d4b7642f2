"""Recall in three steps: what it costs and finds, beside the best in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.measure.environment import describe_environment
from benchmarks.quality.disclosure import (
    HALVES,
    disclosure_grids,
    read_first,
    read_knowing,
    run_disclosure,
)


def test_three_steps_cost_a_part_and_show_the_answer_as_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By words alone, on a small home; `python -m benchmarks disclosure` has the figures."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    run = run_disclosure(describe_environment(), tmp_path, 7, 1_000, lambda *_: None)
    assert run.mode == "lexical"
    for half in HALVES:
        best, first, knowing = [each for each in run.recalled if each.half == half.name]
        assert best.questions == 80
        assert first.tokens <= 0.2 * best.tokens
        assert knowing.tokens <= 0.2 * best.tokens
        assert first.loaded <= best.loaded <= knowing.loaded
    assert [len(grid.rows) for grid in disclosure_grids(run)] == [3, 3]


def test_a_reader_opens_what_is_there() -> None:
    """The first lines; the line of the answer, and the first where it is not shown."""
    assert list(read_first([5, 6], None)) == [0]
    assert list(read_first([], None)) == []
    assert list(read_knowing([5, 6], 6)) == [1]
    assert list(read_knowing([5, 6], 7)) == [0]
