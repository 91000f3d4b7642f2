"""`recollect status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from recollect.cli.document import print_document
from recollect.cli.help import App
from recollect.cli.invocation import answers_json, opened
from recollect.cli.options import AsJson

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Status

app = App()


@app.command(rich_help_panel="Keep")
def status(context: typer.Context, *, as_json: AsJson = False) -> None:
    """Show what the memory holds and how it is doing."""
    with opened(context) as memory:
        found = memory.status()
        if answers_json(context, as_json):
            print_document(found)
        else:
            _show(found)


def _show(found: Status) -> None:
    from recollect.cli.screen import show_pairs, warn

    show_pairs(pairs_of(found))
    for warning in warnings_of(found):
        warn(warning)


def pairs_of(found: Status) -> list[tuple[str, str]]:
    """Return what is shown of a status, names and values."""
    from recollect.cli.figures import count

    index = found.index
    documents = ", ".join(f"{number:,} {source}" for source, number in index.documents.items())
    return [
        ("home", found.home),
        ("workspace", found.workspace or "none; `recollect init --workspace DIR` names one"),
        (
            "records",
            f"{count(found.messages, 'message')} in {count(found.sessions, 'session')}",
        ),
        ("index", f"{documents or 'nothing yet'}; {count(index.chunks, 'chunk')}"),
        ("vectors", _vectors(found)),
        ("embedder", found.embedder_reason),
        ("SQLite", f"{found.records_health.sqlite_version}, {_durability(found)}"),
    ]


def _vectors(found: Status) -> str:
    from recollect.cli.figures import count

    index = found.index
    if not (found.embedder or index.vectors):
        return "none: words only"
    missing = index.chunks - index.vectors
    waiting = f", {missing:,} more with `recollect sync`" if missing > 0 else ""
    return f"{count(index.vectors, 'vector')}{waiting}"


def _durability(found: Status) -> str:
    is_full = found.records_health.durability == "full"
    return "every row is on the disk at once" if is_full else "a power cut may take the last rows"


def warnings_of(found: Status) -> list[str]:
    """Return what somebody should look after, and how."""
    told = []
    if found.index.outdated:
        told.append(f"{found.index.outdated}: run `recollect reindex`")
    if found.index.rebuilding:
        told.append("a rebuild of the index is not finished: `recollect reindex` goes on with it")
    if found.embedder is None and found.embedder_hint:
        told.append(f"no search by meaning: {found.embedder_hint}")
    errors = {
        "records.db": found.records_health.last_error,
        "index.db": found.index_health.last_error,
        "mirrors": found.mirror_error,
        "background": found.background_error,
    }
    told += [f"{place}: the last write failed ({code})" for place, code in errors.items() if code]
    return told
