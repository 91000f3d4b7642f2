"""Observations on a terminal: as lines, and with all that is kept of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from recollect.cli.output.sanitize import one_line
from recollect.cli.output.screen import say, show
from recollect.core.clock import to_iso

if TYPE_CHECKING:  # for a name only
    from recollect.observations.observation import Observation, ObservationBatch


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


def show_observations(batch: ObservationBatch) -> None:
    """Show details. What a tool gave back is text from outside, and said to be."""
    for each in batch.found:
        show_lines([each])
        if each.summary and each.summary != each.title:
            show((each.summary, ""))
        for path in each.files:
            show((f"  {path}", "dim"))
        for name, text in (("input", each.input), ("output", each.output)):
            if text:
                show((f"{name} ({each.trust}):", "dim"))
                show((text, ""))
    for id_ in batch.missing:
        say((f"not found: {id_}", ""))
