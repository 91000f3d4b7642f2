"""`recollect status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, opened
from recollect.cli.output.screen import show_pairs, warn

if TYPE_CHECKING:  # for a name only
    from recollect.hook.spool import SpoolState
    from recollect.recall.probe import Probe
    from recollect.recall.status import Status
    from recollect.server.worker.daemon import WorkerState

app = App()


@app.command(rich_help_panel="Keep")
def status(
    context: typer.Context,
    *,
    probe: Annotated[
        bool, typer.Option("--probe", help="Ask the embedder for one word, and the vector store.")
    ] = False,
) -> None:
    """Show what the memory holds and how every part of it is doing."""
    from recollect.hook.spool import Spool
    from recollect.server.worker.daemon import look_at

    with opened(context, warns=False) as memory:
        found, spool = memory.status(), Spool(memory.home).state()
        asked: dict[str, Any] = {}
        worker = look_at(memory.home)
        if probe:
            asked["embedding_probe"] = memory.probe_embedding()
            asked["vector_probe"] = memory.probe_vectors()
    document = msgspec.structs.asdict(found) | {"spool": spool, "worker": worker} | asked
    answer(context, document, lambda: _show(found, spool, worker, **asked))


def _show(
    found: Status,
    spool: SpoolState,
    worker: WorkerState,
    embedding_probe: Probe | None = None,
    vector_probe: bool = False,
) -> None:
    from recollect.cli.output.status_lines import (
        pairs_of,
        spool_lines,
        warnings_of,
        worker_lines,
    )

    show_pairs(pairs_of(found))
    for warning in [*warnings_of(found), *worker_lines(worker), *spool_lines(spool)]:
        warn(warning)
    if embedding_probe is None:
        return
    embedder = "answers" if embedding_probe.ok else "does not answer"
    vectors = "can be reached" if vector_probe else "cannot be reached"
    show_pairs([("embedder", embedder), ("vectors", vectors)])
    if not embedding_probe.ok:
        hint = f": {embedding_probe.hint}" if embedding_probe.hint else ""
        warn(f"{embedding_probe.error}{hint}")
