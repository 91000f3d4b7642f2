"""Progress of long work on stderr: bars on a terminal, now and then a line elsewhere.

Nothing is shown of work that is done at once, so a search that indexes one new message stays quiet.
Bars need threads and many modules of rich; they are imported when the first one is drawn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.cli.output.formatting import duration, size
from recollect.cli.output.screen import console, remarking

if TYPE_CHECKING:  # for a name only
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from recollect.exchange.export import ExportProgress
    from recollect.exchange.recover import RecoverProgress
    from recollect.exchange.report import ImportProgress
    from recollect.governance.backup import BackupProgress
    from recollect.governance.erasure import ErasureProgress
    from recollect.governance.retention import PruneProgress
    from recollect.governance.scrubbing import ScrubProgress
    from recollect.index.model.sync_report import Progress as IndexProgress

PATIENCE_S = 0.4
"""Work that takes no longer is not shown."""
LINE_EVERY_S = 5.0
"""Between two lines where there is no terminal."""

Monotonic = Callable[[], float]


class Steps:
    """Takes reports of several kinds and hands each stage to a painter as done, total, unit."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter

    def indexing(self, report: IndexProgress) -> None:
        """Show a report of the index; its ``left`` may be an estimate."""
        units = {"reading": "documents", "extracting": "messages"}
        unit = units.get(report.stage, "chunks")
        self._painter.paint(report.stage.capitalize(), report.done, report.done + report.left, unit)

    def pruning(self, report: PruneProgress) -> None:
        """Show a report of a pruning."""
        self._painter.paint("Removing", report.done, report.total, "sessions")

    def copying(self, report: BackupProgress) -> None:
        """Show a report of a backup or a restore."""
        self._painter.paint(report.stage.capitalize(), report.done, report.total, "bytes")

    def copying_files(self, current: int, total: int) -> None:
        """Show how much of some files is here, in bytes."""
        self._painter.paint("Copying", current, total, "bytes")

    def downloading(self, current: int, total: int) -> None:
        """Show how much of a download is here, in bytes."""
        self._painter.paint("Downloading", current, total, "bytes")

    def recovering(self, report: RecoverProgress) -> None:
        """Show a report of a recovery."""
        self._painter.paint("Recovering", report.done, report.total, "bytes")

    def erasing(self, report: ErasureProgress) -> None:
        """Show a report of an erasure."""
        self._painter.paint("Erasing", report.done, report.total, "messages")

    def scrubbing(self, report: ScrubProgress) -> None:
        """Show a report of a scrubbing."""
        self._painter.paint("Scrubbing", report.done, report.total, "rows")

    def importing(self, report: ImportProgress) -> None:
        """Show a report of an import."""
        self._painter.paint("Importing", report.bytes_done, report.bytes, "bytes")

    def exporting(self, report: ExportProgress) -> None:
        """Show a report of an export."""
        self._painter.paint("Exporting", report.done, report.total, "sessions")


class Painter:
    """Shows nothing."""

    def paint(self, stage: str, current: int, total: int, unit: str) -> None:
        """Show how far a stage is."""

    def close(self) -> None:
        """Leave the screen as it was."""


class ProgressLines(Painter):
    """Prints a line now and then; for logs.

    Args:
        write: Takes a line.
        now: Tells seconds.
    """

    def __init__(self, write: Callable[[str], None], now: Monotonic = time.monotonic) -> None:
        self._write = write
        self._now = now
        self._stage = ""
        self._began = self._written = now()
        self._began_at = 0

    def paint(self, stage: str, current: int, total: int, unit: str) -> None:
        """Print a line when the last one is some seconds ago."""
        now = self._now()
        if stage != self._stage:
            self._stage, self._began, self._began_at = stage, now, current
        if now - self._written < LINE_EVERY_S:
            return
        self._written = now
        rate = (current - self._began_at) / max(now - self._began, 1e-9)
        remaining = (
            f", {duration((total - current) / rate)} left" if rate > 0 and total > current else ""
        )
        percent = 100 * current // total if total else 100
        self._write(
            f"{stage.lower()}: {amount(current, unit)} of {amount(total, unit)}, {percent} %,"
            f" {amount(int(rate), unit)}/s{remaining}"
        )


class Bars(Painter):
    """Draws a bar for each stage on a terminal; they vanish when the work is done."""

    def __init__(self, now: Monotonic = time.monotonic) -> None:
        self._now = now
        self._began = now()
        self._bars: RichProgress | None = None
        self._tasks: dict[str, TaskID] = {}

    def paint(self, stage: str, current: int, total: int, unit: str) -> None:
        """Move the bar of a stage; the one before is complete."""
        if self._bars is None:
            if self._now() - self._began < PATIENCE_S:
                return
            self._bars = _rich_bars()
            self._bars.start()
        if stage not in self._tasks:
            for task in self._tasks.values():
                self._bars.update(task, visible=False)
            self._tasks[stage] = self._bars.add_task(stage, unit=unit)
        self._bars.update(self._tasks[stage], completed=current, total=max(total, 1))

    def close(self) -> None:
        """Take the bars away."""
        if self._bars is not None:
            self._bars.stop()


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Steps]:
    """Yield the receiver of progress reports: bars on a terminal, lines elsewhere.

    Args:
        quiet: Print no lines; a program may read stderr as JSON.
    """
    painter = _painter(quiet=quiet)
    try:
        yield Steps(painter)
    finally:
        painter.close()


def amount(number: int, unit: str) -> str:
    """Return ``1,234`` of a unit; bytes as sizes."""
    return size(number) if unit == "bytes" else f"{number:,}"


def _painter(*, quiet: bool) -> Painter:
    if sys.stderr.isatty():
        return Bars()
    return Painter() if quiet else ProgressLines(_print_line)


def _print_line(text: str) -> None:
    with remarking():
        print(text, file=sys.stderr, flush=True)


def _rich_bars() -> RichProgress:
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Amounts(ProgressColumn):
        """Done of total, and how many a second."""

        def render(self, task: Task) -> Text:
            unit: Any = task.fields["unit"]
            rate = f"  {amount(int(task.speed), unit)}/s" if task.speed else ""
            current, total = int(task.completed), int(task.total or 0)
            return Text(f"{amount(current, unit)} of {amount(total, unit)}{rate}")

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        Amounts(),
        TimeRemainingColumn(compact=True),
        console=console(stderr=True),
        transient=True,
    )
