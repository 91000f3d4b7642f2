"""`recollect checkpoint fsck`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from recollect.answers.error import FAILED
from recollect.cli.invocation import answer, opened
from recollect.cli.output.formatting import count
from recollect.cli.output.screen import one_line, show, warn

if TYPE_CHECKING:  # for a name only
    from recollect.checkpoints.soundness import FsckReport

MOST_SHOWN = 20
"""Paths on the screen; the JSON document has up to a thousand."""


def fsck(context: typer.Context) -> None:
    """Read every kept content; name the paths that cannot be put back. Exits with 1 if any is."""
    with opened(context) as memory:
        health = memory.checkpoints.fsck()
    answer(context, health, lambda: _show(health))
    if not health.is_sound:
        raise typer.Exit(FAILED)


def _show(health: FsckReport) -> None:
    if health.problem is not None:
        warn(f"checkpoints/contents.db cannot be read: {health.problem}")
    verdict = ("sound", "bold green") if health.is_sound else ("not sound", "bold red")
    show(verdict, (f"  {count(health.contents, 'content')} read, {health.damaged} damaged", ""))
    for id_ in health.broken:
        show((f"  checkpoint {id_}", "yellow"), ("  rows are missing or damaged", ""))
    for each in health.lost[:MOST_SHOWN]:
        name = f"  c{each.checkpoint}  {one_line(each.path)} of {one_line(each.root)}"
        show((name, "yellow"), (f"  uncaptured: {each.reason}", ""))
    if health.lost_count > MOST_SHOWN:
        show((f"  {count(health.lost_count, 'path')} in all", "dim"))
    for rewind in health.unfinished:
        show((f"  rewind {rewind.id} of {one_line(rewind.root)}", "yellow"), (rewind.status, ""))
    if health.orphans:
        nobody = f"  {count(health.orphans, 'content')} that nothing needs: `recollect prune`"
        show((nobody, "dim"))
