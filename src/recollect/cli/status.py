"""`recollect status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import AsJson, answers_json, opened
from recollect.cli.output.document import print_document

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.recall.status import Status

app = App()


@app.command(rich_help_panel="Keep")
def status(
    context: typer.Context,
    *,
    probe: Annotated[
        bool, typer.Option("--probe", help="Ask the embedder for one word, and the vector store.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what the memory holds and how every part of it is doing."""
    as_json = answers_json(context, as_json)
    with opened(context) as memory:
        found = memory.status()
        if as_json:
            document = msgspec.to_builtins(found)
            print_document(document | (_probes(memory) if probe else {}))
        else:
            _show(found)
            if probe:
                _show_probes(memory)


def _probes(memory: Memory) -> dict[str, object]:
    return {
        "embedding_probe": msgspec.to_builtins(memory.probe_embedding()),
        "vector_probe": memory.probe_vectors(),
    }


def _show(found: Status) -> None:
    from recollect.cli.output.screen import show_pairs, warn
    from recollect.cli.output.status_lines import pairs_of, warnings_of

    show_pairs(pairs_of(found))
    for warning in warnings_of(found):
        warn(warning)


def _show_probes(memory: Memory) -> None:
    from recollect.cli.output.screen import show_pairs, warn

    asked = memory.probe_embedding()
    vectors = "can be reached" if memory.probe_vectors() else "cannot be reached"
    show_pairs([("embedder", "answers" if asked.ok else "does not answer"), ("vectors", vectors)])
    if not asked.ok:
        warn(f"{asked.error}: {asked.hint}" if asked.hint else f"{asked.error}")
