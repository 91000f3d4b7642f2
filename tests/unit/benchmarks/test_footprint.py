"""What a home takes: the stages of both processes, the bytes by file and by table."""

from __future__ import annotations

from pathlib import Path

from benchmarks.load.footprint import (
    Footprint,
    FootprintPlan,
    FootprintRunner,
    describe_footprint,
    footprint_grids,
)
from benchmarks.measure.environment import describe_environment


def test_a_small_home_is_measured_by_two_processes(tmp_path: Path) -> None:
    """Each begins with an empty home; a vector lies in one table only."""
    told: list[str] = []
    runner = FootprintRunner(tmp_path, describe_environment(), lambda stage, *_: told.append(stage))
    run = runner.run([FootprintPlan(messages=90)])
    (size,) = run.sizes
    assert told == ["writing", "reading"]
    assert [(stage.process, stage.name) for stage in size.stages] == [
        ("writes", "empty home"),
        ("writes", "opened"),
        ("writes", "written"),
        ("writes", "100 searches"),
        ("reads", "empty home"),
        ("reads", "opened"),
        ("reads", "100 searches"),
    ]
    assert size.tables["index.db: vectors"] > 90 * 768
    assert size.tables["index.db: embedding_cache"] <= 4096, "one empty page"
    assert sum(size.files.values()) >= sum(size.tables.values())
    assert describe_footprint(run)


def test_the_figures_are_shown_a_message(tmp_path: Path) -> None:
    """The largest first, all of them at the end."""
    size = Footprint(
        plan=FootprintPlan(messages=1_000),
        stages=(),
        files={"records.db": 1_000_000, "index.db": 2_000_000},
        tables={"index.db: vectors": 800_000},
    )
    run = FootprintRunner(tmp_path, describe_environment(), lambda *_: None).run([])
    grids = footprint_grids(type(run)(environment=run.environment, sizes=(size,)))
    assert [grid.title for grid in grids] == ["Memory", "Disk by file", "Disk by table"]
    assert grids[1].rows == (
        ("1,000", "index.db", "2.0", "2,000"),
        ("1,000", "records.db", "1.0", "1,000"),
        ("1,000", "all", "3.0", "3,000"),
    )
