"""A load run as grids: filling, searching, writing, fresh processes, disk."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.measure.environment import describe_lines
from benchmarks.measure.report import Grid
from benchmarks.measure.results import LoadReport, LoadRun


def describe_load(run: LoadRun) -> list[str]:
    """Return lines that say what was run on what."""
    lines = [*describe_lines(run.environment), f"seed {run.seed}, words: {run.law}"]
    for size in run.sizes:
        lines.append(
            f"{size.messages:,} messages of {size.words:.0f} words; "
            f"{size.chunks.count:,} chunks of memory files"
        )
        lines += [f"{size.messages:,} messages: {note}" for note in size.notes]
    return lines


def load_grids(run: LoadRun) -> list[Grid]:
    """Return the grids of a load run: filling, searching, writing, processes, disk."""
    return [
        _filling_grid(run.sizes),
        _search_grid(run.sizes),
        _write_grid(run.sizes),
        _process_grid(run.sizes),
        _disk_grid(run.sizes),
    ]


def _filling_grid(sizes: Sequence[LoadReport]) -> Grid:
    rows: list[tuple[str, ...]] = []
    for size in sizes:
        for name, rate in (
            ("store and index messages", size.stored),
            ("index messages anew", size.indexed),
            ("index chunks of files", size.chunks),
            ("bring vectors in", size.vectors),
        ):
            rows.append(
                (
                    f"{size.messages:,}",
                    name,
                    f"{rate.count:,}",
                    f"{rate.per_cpu_s:,.0f}",
                    f"{rate.per_wall_s:,.0f}",
                )
            )
    columns = ("messages", "what", "items", "per CPU second", "per second")
    return Grid(title="Filling, without embeddings", columns=columns, rows=tuple(rows))


def _search_grid(sizes: Sequence[LoadReport]) -> Grid:
    rows = tuple(
        (
            f"{size.messages:,}",
            f"{search.mode}, {search.asked}",
            str(search.latency.n),
            *(
                f"{number:.2f}"
                for number in (
                    search.latency.cpu_ms.mean,
                    search.latency.cpu_ms.p50,
                    search.latency.cpu_ms.p95,
                    search.latency.cpu_ms.max,
                    search.latency.wall_ms.p50,
                    search.latency.wall_ms.p95,
                    search.latency.wall_ms.max,
                )
            ),
            f"{search.found:.2f}",
        )
        for size in sizes
        for search in size.searches
    )
    return Grid(
        title="Searching, ms, query vector given",
        columns=(
            "messages",
            "mode",
            "n",
            "CPU mean",
            "p50",
            "p95",
            "max",
            "wall p50",
            "p95",
            "max",
            "found in 10",
        ),
        rows=rows,
    )


def _write_grid(sizes: Sequence[LoadReport]) -> Grid:
    rows: list[tuple[str, ...]] = []
    for size in sizes:
        writes = size.writes
        for name, latency, slow in (
            ("alone", writes.alone, ""),
            (f"while {writes.backlog:,} are indexed", writes.merging, str(writes.slow)),
        ):
            wall = latency.wall_ms
            figures = (f"{number:.2f}" for number in (wall.p50, wall.p95, wall.p99, wall.max))
            rows.append((f"{size.messages:,}", name, str(latency.n), *figures, slow))
    return Grid(
        title="Single writes, wall ms",
        columns=("messages", "what", "n", "p50", "p95", "p99", "max", "over 100 ms"),
        rows=tuple(rows),
    )


def _process_grid(sizes: Sequence[LoadReport]) -> Grid:
    rows: list[tuple[str, ...]] = []
    for size in sizes:
        rows += [
            (
                f"{size.messages:,}",
                f"fresh process, {process.mode}",
                f"{process.start_to_answer_ms:.0f}",
                f"{process.open_ms:.0f}",
                f"{process.first_search_ms:.0f}",
                _megabytes(process.opened_mb),
                _megabytes(process.searched_mb),
                _megabytes(process.peak_mb),
            )
            for process in size.processes
        ]
        if size.command_ms:
            best, worst = min(size.command_ms), max(size.command_ms)
            name = f"recollect search, best and worst of {len(size.command_ms)}"
            start = f"{best:.0f} to {worst:.0f}"
            rows.append((f"{size.messages:,}", name, start, "", "", "", "", ""))
    return Grid(
        title="Fresh processes",
        columns=(
            "messages",
            "what",
            "start to answer, ms",
            "open",
            "first search",
            "MB opened",
            "MB searched",
            "MB peak",
        ),
        rows=tuple(rows),
    )


def _disk_grid(sizes: Sequence[LoadReport]) -> Grid:
    rows = tuple(
        (f"{size.messages:,}", name, f"{count / 1e6:,.1f}", f"{count / size.messages:,.0f}")
        for size in sizes
        for name, count in size.disk_bytes.items()
    )
    return Grid(title="Disk", columns=("messages", "file", "MB", "bytes a message"), rows=rows)


def _megabytes(number: float | None) -> str:
    return "" if number is None else f"{number:.0f}"
