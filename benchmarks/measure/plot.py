"""Draws reports as pictures, with matplotlib where it is installed (the extra ``bench``)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure.results import DatasetReport, LoadRun, QualityReport, Table
from benchmarks.measure.summary import PRIMARY_OF
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")

_WIDTH = 9.0
"""Inches of a panel."""

_HEIGHT = 4.0
"""Inches of a panel of lines."""

_BAR, _MARGIN = 0.16, 1.0
"""Inches of one bar, and of what stands above and below the bars of a panel."""

_DPI = 120

_COLOURS = ("#9aa5b1", "#e0903c", "#2f6db5", "#5b9a68", "#a05a9c", "#b5523b")
"""By run: lexical, vector, hybrid, then variants."""


def check_plot(path: Path) -> None:
    """Find out early whether a plot can be drawn.

    Raises:
        NotFound: matplotlib is not installed.
        InvalidInput: the suffix of ``path`` is not a picture's.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(
            f"a plot cannot be written as {path.suffix or 'a file without suffix'}",
            hint=f"end its name in {', '.join(SUFFIXES)}",
        )
    if find_spec("matplotlib") is None:
        raise NotFound("matplotlib is not installed", hint='pip install "recollect[bench]"')


def plot_quality(report: QualityReport, path: Path) -> None:
    """Write one panel per data set, level and pool: bars of the main measure with intervals.

    Raises:
        NotFound: matplotlib is not installed.
        InvalidInput: the suffix of ``path`` is not a picture's, or nothing was measured.
    """
    panels = [panel for dataset in report.datasets for panel in _quality_panels(dataset)]
    heights = [_MARGIN + _BAR * (len(tables) + 1) * len(tables[0].rows) for _, tables in panels]
    figure, axes = _panels(heights, path)
    for axis, (title, tables) in zip(axes, panels, strict=True):
        _draw_bars(axis, title, tables)
    figure.savefig(path, dpi=_DPI)


def plot_load(run: LoadRun, path: Path) -> None:
    """Write three panels over the number of messages: search, rates of filling, disk and memory.

    Raises:
        NotFound: matplotlib is not installed.
        InvalidInput: the suffix of ``path`` is not a picture's.
    """
    figure, (search, filling, space) = _panels([_HEIGHT] * 3, path)
    sizes = [size.messages for size in run.sizes]
    for position, found in enumerate(run.sizes[0].searches):
        cpu = [size.searches[position].latency.cpu_ms for size in run.sizes]
        search.plot(sizes, [one.p50 for one in cpu], "o-", label=f"{found.mode} p50")
        search.plot(sizes, [one.p95 for one in cpu], "o--", label=f"{found.mode} p95")
    filling.plot(
        sizes, [size.stored.per_cpu_s for size in run.sizes], "o-", label="store and index"
    )
    filling.plot(sizes, [size.indexed.per_cpu_s for size in run.sizes], "o-", label="index anew")
    filling.plot(sizes, [size.chunks.per_cpu_s for size in run.sizes], "o-", label="file chunks")
    filling.plot(sizes, [size.vectors.per_cpu_s for size in run.sizes], "o-", label="vectors")
    disk = [sum(size.disk_bytes.values()) / 1e6 for size in run.sizes]
    space.plot(sizes, disk, "o-", label="disk")
    memory = [size.processes[-1].searched_mb or 0.0 for size in run.sizes]
    space.plot(sizes, memory, "o-", label="resident memory")
    titles = ("search, ms of CPU", "filling, items per CPU second", "MB")
    for axis, title in zip((search, filling, space), titles, strict=True):
        axis.set(title=title, xlabel="messages", xscale="log", yscale="log")
        axis.legend()
    figure.savefig(path, dpi=_DPI)


def _quality_panels(dataset: DatasetReport) -> list[tuple[str, list[Table]]]:
    panels: dict[str, list[Table]] = {}
    for table in dataset.tables:
        measure = PRIMARY_OF[table.level]
        title = f"{dataset.name}, {table.level} level, pool: {table.pool}, {measure}"
        panels.setdefault(title, []).append(table)
    return list(panels.items())


def _draw_bars(axis: Axes, title: str, tables: Sequence[Table]) -> None:
    measure = PRIMARY_OF[tables[0].level]
    height = 0.8 / len(tables)
    for position, table in enumerate(tables):
        scores = [row.scores[measure] for row in table.rows]
        lows = [score.mean - score.over_questions[0] for score in scores]
        highs = [score.over_questions[1] - score.mean for score in scores]
        bars = axis.barh(
            [row + position * height for row in range(len(scores))],
            [score.mean for score in scores],
            height,
            label=f"{table.variant} {table.mode}",
            color=_COLOURS[position % len(_COLOURS)],
            xerr=[lows, highs],
            error_kw={"elinewidth": 0.8, "ecolor": "#333333"},
        )
        axis.bar_label(bars, [f" {score.mean:.3f}" for score in scores], fontsize=7)
    middle = 0.4 - height / 2
    labels = [f"{row.label} (n={row.n})" for row in tables[0].rows]
    axis.set_yticks([row + middle for row in range(len(labels))], labels, fontsize=8)
    axis.set(title=title, xlim=(0, 1.08))
    axis.invert_yaxis()
    axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _panels(heights: Sequence[float], path: Path) -> tuple[Figure, list[Axes]]:
    check_plot(path)
    if not heights:
        raise InvalidInput("there is nothing to plot", hint="run with at least one mode")
    # Imported here: it is an extra, takes most of a second, and only plots need it.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    grid = figure.add_gridspec(len(heights), 1, height_ratios=list(heights))
    return figure, [figure.add_subplot(grid[position]) for position in range(len(heights))]
