"""Observations on a terminal, one line each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from recollect.cli.output.sanitize import one_line
from recollect.cli.output.screen import show
from recollect.core.clock import to_iso

if TYPE_CHECKING:  # for a name only
    from recollect.observations.observation import Observation


def show_lines(observations: Iterable[Observation]) -> None:
    """Show one line for each: number, time, type, title, and what the details cost."""
    for each in observations:
        at = to_iso(each.created_at)[:16].replace("T", " ")
        show(
            (f"#{each.number}", "bold"),
            (f"  {at}  {each.type}  ", "dim"),
            (one_line(each.title), ""),
            (f"  {each.tokens} tokens", "dim"),
        )
