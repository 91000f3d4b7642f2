"""What a benchmark shows while it runs, and where its report goes."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar

from benchmarks.measure.plot import check_plot
from benchmarks.measure.report import Grid, as_markdown, as_table
from benchmarks.quality.homes import Progress
from recollect.core.errors import InvalidInput

_REDRAW_S = 0.2
"""Between two pictures of the progress bar. It is drawn by the one who reports, never by a thread
of its own: that would count into the CPU time of whatever is being measured."""

_PAGE = 160
"""Columns of text that is written to a file or a pipe: the widest table cuts no figure."""


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """Where a report goes.

    Raises:
        NotFound: a folder or matplotlib is missing: it would fail after the run.
        InvalidInput: the plot has no picture's suffix.
    """

    as_json: bool
    plot: Path | None = None
    markdown: Path | None = None
    answers: Path | None = None

    def __post_init__(self) -> None:
        if self.plot is not None:
            check_plot(self.plot)
        for path in (self.plot, self.markdown, self.answers):
            if path is not None and not path.absolute().parent.is_dir():
                raise InvalidInput(
                    f"the folder of {path.name} does not exist", hint="make it first"
                )

    def deliver(self, report: object, lines: Sequence[str], grids: Sequence[Grid]) -> None:
        """Print the report, as JSON or as tables, and write the Markdown if asked."""
        if self.markdown is not None:
            command = shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]])
            text = as_markdown(command, lines, grids)
            write_whole(self.markdown, lambda path: path.write_text(text, encoding="utf-8"))
        if self.as_json:
            print_json(report)
        else:
            print_tables(lines, grids)


def print_json(report: object) -> None:
    """Print one JSON document and nothing else."""
    print(msgspec.json.encode(report).decode())


def print_tables(lines: Sequence[str], grids: Sequence[Grid]) -> None:
    """Print what was run on what, then every grid."""
    console = Console(width=None if sys.stdout.isatty() else _PAGE)
    for line in lines:
        console.print(line, style="dim", highlight=False)
    for grid in grids:
        console.print(f"\n{grid.title}", style="bold", highlight=False)
        console.print(as_table(grid))


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a file beside ``path`` and put it there when it is complete."""
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    try:
        write(partial)
        partial.replace(path)
    except OSError as error:
        raise InvalidInput(
            f"{path.name} cannot be written", hint="choose another place", path=str(path)
        ) from error
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def show_progress() -> Iterator[Progress]:
    """Yield a function that shows on stderr how far a stage is; silent where nobody looks."""
    bar = ProgressBar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
        disable=not sys.stderr.isatty(),
    )
    task = bar.add_task("starting", total=None)
    drawn = 0.0

    def report(stage: str, done: int, total: int) -> None:
        nonlocal drawn
        if bar.disable or (time.monotonic() - drawn < _REDRAW_S and 0 < done < total):
            return
        drawn = time.monotonic()
        bar.update(task, description=stage, completed=done, total=total, refresh=True)

    with bar:
        yield report
