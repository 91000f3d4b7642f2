"""Observations on a terminal, one line each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from recollect.cli.output.formatting import count, moment
from recollect.cli.output.sanitize import one_line
from recollect.cli.output.screen import show

if TYPE_CHECKING:  # for a name only
    from recollect.observations.observation import Observation


def show_lines(observations: Iterable[Observation]) -> None:
    """Show one line for each: number, time, type, title, and what the details cost."""
    for each in observations:
        show(
            (f"#{each.number}", "bold"),
            (f"  {moment(each.created_at)}  {one_line(each.type)}  ", "dim"),
            (one_line(each.title), ""),
            (f"  {count(each.tokens, 'token')}", "dim"),
        )
