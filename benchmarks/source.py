"""The commands that measure the source tree itself: how large it is, and how far calls walk."""

from __future__ import annotations

from pathlib import Path

from benchmarks.load.walks import describe_walks, run_walks, walk_grids
from benchmarks.measure.environment import describe_environment
from benchmarks.measure.lines import LinesRun, describe_size, measure_lines, size_grids
from benchmarks.options import Against, AsJson, Markdown
from benchmarks.output import Output, show_progress
from benchmarks.quality.homes import work_folder

SOURCE = Path(__file__).resolve().parents[1] / "src"


def lines(
    *,
    against: Against = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Lines: of code, and statements, by room; what a script wrote apart."""
    output = Output(as_json=as_json, markdown=markdown)
    there = None if against is None else measure_lines(against)
    run = LinesRun(here=measure_lines(SOURCE), there=there)
    output.deliver(run, describe_size(run), size_grids(run))


def walks(
    *,
    against: Against = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Walks: files, calls and moves from file to file of the everyday calls, background too."""
    output = Output(as_json=as_json, markdown=markdown)
    with show_progress() as progress, work_folder(None) as root:
        run = run_walks(describe_environment(), root, against, progress)
    output.deliver(run, describe_walks(run), walk_grids(run))
