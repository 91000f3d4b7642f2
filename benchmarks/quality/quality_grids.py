"""A quality report as grids: by group, every measure, differences, cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.measure.environment import describe_lines
from benchmarks.measure.intervals import Estimate
from benchmarks.measure.report import Grid
from benchmarks.measure.results import (
    DatasetReport,
    Difference,
    QualityReport,
    Table,
    VariantSettings,
)
from benchmarks.measure.stopwatch import Rate, Spent, rate_of
from benchmarks.measure.summary import PRIMARY_OF

_MEASURES = {
    "turn": (
        *("R@1", "R@5", "R@6", "R@10", "R@12", "R@15", "R@20", "R@50"),
        *("hit@5", "all@10", "MRR", "nDCG@10"),
    ),
    "session": ("hit@1", "hit@5", "R@5", "MRR"),
    "document": ("R@10", "R@50", "hit@1", "MRR", "nDCG@10"),
}

_POOLS = {
    "conversation": "a home per conversation",
    "scope": "one home, scoped to the conversation",
    "guest": "one home, asked by the guest of the conversation",
    "global": "one home, all conversations",
    "collection": "memory files",
}


def describe_quality(report: QualityReport) -> list[str]:
    """Return lines that say what was run on what."""
    lines = describe_lines(report.environment)
    lines += [_describe_variant(variant) for variant in report.variants]
    for dataset in report.datasets:
        lines.append(f"{dataset.name}: {dataset.questions} questions, data {dataset.digest}")
        lines += [f"{dataset.name}: {note}" for note in dataset.notes]
    return lines


def quality_grids(report: QualityReport) -> list[Grid]:
    """Return the grids of every data set: by group, all measures, differences, cost."""
    return [grid for dataset in report.datasets for grid in _dataset_grids(dataset)]


def show_share(number: float) -> str:
    """Return a share with three digits.

    >>> show_share(0.8371)
    '.837'
    """
    return f"{number:.3f}".removeprefix("0")


def _describe_variant(variant: VariantSettings) -> str:
    changed = ", ".join(f"{key}={value}" for key, value in variant.overrides.items())
    return f"settings {variant.name}: {variant.fingerprint} ({changed or 'as they are'})"


def _dataset_grids(dataset: DatasetReport) -> Iterator[Grid]:
    for level in PRIMARY_OF:
        for pool in _POOLS:
            tables = [
                table for table in dataset.tables if table.level == level and table.pool == pool
            ]
            if tables:
                title = f"{dataset.name}, {level} level, {_POOLS[pool]}"
                yield _group_grid(f"{title}: {PRIMARY_OF[level]} (95 % over questions)", tables)
                yield _measure_grid(f"{title}: {tables[0].rows[0].label}", tables)
    if dataset.differences:
        yield _difference_grid(f"{dataset.name}: differences", dataset.differences)
    yield _cost_grid(dataset)


def _group_grid(title: str, tables: Sequence[Table]) -> Grid:
    measure = PRIMARY_OF[tables[0].level]
    names = [_run_name(table.variant, table.mode, tables) for table in tables]
    rows: list[tuple[str, ...]] = []
    for position, first in enumerate(tables[0].rows):
        cells = [_with_interval(table.rows[position].scores[measure]) for table in tables]
        rows.append((first.label, str(first.n), *cells))
    return Grid(title=title, columns=("questions", "n", *names), rows=tuple(rows))


def _measure_grid(title: str, tables: Sequence[Table]) -> Grid:
    level = tables[0].level
    primary, measures = PRIMARY_OF[level], _MEASURES[level]
    clustered = tables[0].rows[0].scores[primary].over_clusters is not None
    rows: list[tuple[str, ...]] = []
    for table in tables:
        scores = table.rows[0].scores
        name = _run_name(table.variant, table.mode, tables)
        figures = [show_share(scores[measure].mean) for measure in measures]
        if clustered:
            figures.append(_interval(scores[primary].over_clusters))
        rows.append((name, str(table.rows[0].n), *figures))
    last = (f"{primary} 95 % over conversations",) if clustered else ()
    return Grid(title=title, columns=("run", "n", *measures, *last), rows=tuple(rows))


def _difference_grid(title: str, differences: Iterable[Difference]) -> Grid:
    return Grid(
        title=title,
        columns=("run", "against", "pool", "measure", "n", "points", "95 %", "over conversations"),
        rows=tuple(
            (
                one.run,
                one.against,
                one.pool,
                f"{one.level} {one.measure}",
                str(one.gain.n),
                f"{one.gain.mean * 100:+.1f}",
                _points(one.gain.over_questions),
                _points(one.gain.over_clusters),
            )
            for one in differences
        ),
    )


def _cost_grid(dataset: DatasetReport) -> Grid:
    stored = _total(home.stored for home in dataset.homes)
    indexed = _total(home.indexed for home in dataset.homes)
    rows = [
        ("store, items/s", f"{stored.per_cpu_s:,.0f}", f"{stored.per_wall_s:,.0f}", ""),
        ("index, items/s", f"{indexed.per_cpu_s:,.0f}", f"{indexed.per_wall_s:,.0f}", ""),
    ]
    for search in dataset.searches:
        cpu, wall = search.latency.cpu_ms, search.latency.wall_ms
        rows.append(
            (
                f"search, {search.variant} {search.mode}, {search.pool}, ms p50 / p95",
                f"{cpu.p50:.2f} / {cpu.p95:.2f}",
                f"{wall.p50:.2f} / {wall.p95:.2f}",
                str(search.latency.n),
            )
        )
    return Grid(
        title=f"{dataset.name}: cost, embeddings included",
        columns=("what", "CPU", "wall", "n"),
        rows=tuple(rows),
    )


def _run_name(variant: str, mode: str, tables: Sequence[Table]) -> str:
    only_one = len({table.variant for table in tables}) == 1
    return mode if only_one else f"{variant} {mode}"


def _with_interval(one: Estimate) -> str:
    return f"{show_share(one.mean)} ({_interval(one.over_questions)})"


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{show_share(ends[0])}-{show_share(ends[1])}"


def _points(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0] * 100:+.1f} to {ends[1] * 100:+.1f}"


def _total(rates: Iterable[Rate]) -> Rate:
    counted = list(rates)
    spent = Spent(
        cpu_s=sum(rate.cpu_s for rate in counted), wall_s=sum(rate.wall_s for rate in counted)
    )
    return rate_of(sum(rate.count for rate in counted), spent)
