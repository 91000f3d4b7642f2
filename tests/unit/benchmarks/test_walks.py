"""The largest walks of some runs, and two trees side by side."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from benchmarks.load.walk_worker import WalkRow, WalkRunner
from benchmarks.load.walks import (
    RUNS,
    WalkedTree,
    WalkRun,
    describe_walks,
    largest,
    walk_grids,
)
from benchmarks.measure.environment import describe_environment
from benchmarks.measure.walk import Walk
from recollect.core.errors import StoreError


def _row(call: str, files: int, moves: int, reads: int | None = None) -> WalkRow:
    walk = Walk(files=files, calls=2 * moves, moves=moves, entered={f"of{moves}.py": 1})
    return WalkRow(call=call, part="all", walk=walk, reads=reads)


def _tree(*rows: WalkRow) -> WalkedTree:
    return WalkedTree(source="src", modules=7, rows=rows)


def test_the_largest_figures_of_all_runs_count() -> None:
    """Each for itself: the background of one run enters more files, that of another moves more."""
    rows = largest([[_row("append", 9, 30, 2)], [_row("append", 8, 40, 3), _row("search", 2, 3)]])
    append, search = rows
    assert (append.walk.files, append.walk.moves, append.walk.calls, append.reads) == (9, 40, 80, 3)
    assert list(append.walk.entered) == ["of40.py"]
    assert (search.call, search.reads) == ("search", None)


def test_two_trees_are_shown_side_by_side() -> None:
    """A call that the other tree does not have is left empty."""
    here, there = (
        _tree(_row("append", 9, 30, 2), _row("search", 2, 3)),
        _tree(_row("append", 8, 20)),
    )
    run = WalkRun(environment=describe_environment(), here=here, there=there)

    (grid,) = walk_grids(run)

    assert grid.rows[0] == ("append", "all", "9", "60", "30", "2", "", "8", "40", "20", "", "")
    assert grid.rows[1][7:] == ("",) * 5
    assert len(grid.columns) == len(grid.rows[0])
    assert f"the largest of {RUNS} runs" in "\n".join(describe_walks(run))


def test_a_thread_that_was_started_before_fails_the_run(tmp_path: Path) -> None:
    """It would walk, and nobody would count it."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="early")
    thread.start()
    try:
        with pytest.raises(StoreError, match="early"):
            WalkRunner(tmp_path)
    finally:
        end.set()
        thread.join()
