"""The commands that measure the source tree itself: how large it is, and how far calls walk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.load.walks import describe_walks, run_walks, walk_grids
from benchmarks.measure.environment import describe_environment
from benchmarks.measure.lines import LinesRun, describe_size, measure_lines, size_grids
from benchmarks.options import AsJson, Markdown
from benchmarks.output import Output, show_progress
from benchmarks.quality.homes import work_folder

SOURCE = Path(__file__).resolve().parents[1] / "src"


def lines(
    *,
    against: Annotated[
        Path | None, typer.Option(help="The src folder of another checkout: its size beside ours.")
    ] = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Lines: of code, and statements, by room; what a script wrote apart."""
    output = Output(as_json=as_json, markdown=markdown)
    there = None if against is None else measure_lines(against.resolve())
    run = LinesRun(here=measure_lines(SOURCE), there=there)
    output.deliver(run, describe_size(run), size_grids(run))


def walks(
    *,
    against: Annotated[
        Path | None, typer.Option(help="The src folder of another checkout, walked in turns.")
    ] = None,
    as_json: AsJson = False,
    markdown: Markdown = None,
) -> None:
    """Walks: files, calls and moves from file to file of the everyday calls, background too."""
    output = Output(as_json=as_json, markdown=markdown)
    there = None if against is None else against.resolve()
    with show_progress() as progress, work_folder(None) as root:
        run = run_walks(describe_environment(), root, there, progress)
    output.deliver(run, describe_walks(run), walk_grids(run))
