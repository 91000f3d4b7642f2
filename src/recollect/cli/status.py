"""`recollect status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, opened
from recollect.cli.output.screen import show_pairs, warn

if TYPE_CHECKING:  # for a name only
    from recollect.server.home.status import ShownStatus

app = App()


@app.command(rich_help_panel="Keep")
def status(
    context: typer.Context,
    *,
    probe: Annotated[
        bool,
        typer.Option(
            "--probe", help="Also send a test request to the embedder and to the vector store."
        ),
    ] = False,
) -> None:
    """Show what the memory holds, and the state of each part of it."""
    from recollect.server.home.status import status_of

    with opened(context, warns=False) as memory:
        document = status_of(memory, probe=probe)
    answer(context, document, lambda: _show(document))


def _show(status: ShownStatus) -> None:
    from recollect.cli.output.status_lines import (
        checkpoint_lines,
        checkpoint_pair,
        pairs_of,
        spool_lines,
        warnings_of,
        worker_lines,
    )

    show_pairs([*pairs_of(status), checkpoint_pair(status.checkpoints)])
    beside = (
        *worker_lines(status.worker),
        *spool_lines(status.spool),
        *checkpoint_lines(status.checkpoints),
    )
    for warning in [*warnings_of(status), *beside]:
        warn(warning)
    probe = status.embedding_probe
    if probe is msgspec.UNSET:
        return
    embedder = "answers" if probe.ok else "does not answer"
    vectors = "can be reached" if status.vector_probe else "cannot be reached"
    show_pairs([("embedder", embedder), ("vectors", vectors)])
    if not probe.ok:
        warn(f"{probe.error}: {probe.hint}" if probe.hint else f"{probe.error}")
