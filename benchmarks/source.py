"""The commands that measure the source tree itself: how large it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.measure.lines import LinesRun, describe_size, measure_lines, size_grids
from benchmarks.options import AsJson, Markdown
from benchmarks.output import Output

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
