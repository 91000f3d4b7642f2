"""Grids of text, and how they are drawn: as tables for a terminal, and as Markdown.

`quality_grids` and `load_grids` decide what is shown and how a figure is written.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from rich.table import Table


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """A titled table of texts; the first column is left-aligned, the others are figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def as_table(grid: Grid) -> Table:
    """Return the grid as a table for a terminal, without its title, which may be wider."""
    table = Table()
    for position, column in enumerate(grid.columns):
        table.add_column(column, justify="right" if position else "left", no_wrap=not position)
    for row in grid.rows:
        table.add_row(*row)
    return table


def as_markdown(command: str, lines: Sequence[str], grids: Sequence[Grid]) -> str:
    """Return a section for the documentation: the command, what it ran on, and every grid."""
    parts = [f"```sh\n{command}\n```", "\n".join(f"- {line}" for line in lines)]
    parts += [_markdown_table(grid) for grid in grids]
    return "\n\n".join(parts) + "\n"


def _markdown_table(grid: Grid) -> str:
    rule = ["---", *("---:" for _ in grid.columns[1:])]
    rows = [grid.columns, rule, *grid.rows]
    body = "\n".join("| " + " | ".join(_escape(cell) for cell in row) + " |" for row in rows)
    return f"**{grid.title}**\n\n{body}"


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|")
