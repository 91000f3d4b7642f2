"""`recollect sync` and `recollect reindex`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
import typer

from recollect.cli.document import print_document
from recollect.cli.help import App
from recollect.cli.invocation import answers_json, opened
from recollect.cli.options import AsJson
from recollect.cli.progress import show_progress

if TYPE_CHECKING:  # for a name only
    from recollect.index.report import SyncReport

_BY_RULE = ("symlink", "hard link", "special file")
_LEFT_OUT, _REPLACED = ": left out, ", "bytes that are not UTF-8 were replaced"
"""How the feed of memory files words what it could not read; links are left out on purpose."""

app = App()


@app.command(rich_help_panel="Keep")
def sync(context: typer.Context, *, as_json: AsJson = False) -> None:
    """Index what is new, and make the vectors that are missing."""
    as_json = answers_json(context, as_json)
    with opened(context) as memory, show_progress(quiet=as_json) as progress:
        started = time.perf_counter()
        report = memory.sync(progress.indexing)
        took_s = time.perf_counter() - started
    _give(report, took_s, as_json=as_json)


@app.command(rich_help_panel="Keep")
def reindex(context: typer.Context, *, as_json: AsJson = False) -> None:
    """Build the index anew; searches are answered by the old one meanwhile."""
    as_json = answers_json(context, as_json)
    with opened(context) as memory:
        if not as_json:
            from recollect.cli.screen import say

            say(("building the index anew; the old one answers meanwhile", "dim"))
        with show_progress(quiet=as_json) as progress:
            started = time.perf_counter()
            report = memory.reindex(progress.indexing)
            took_s = time.perf_counter() - started
    _give(report, took_s, as_json=as_json)


def _give(report: SyncReport, took_s: float, *, as_json: bool) -> None:
    if as_json:
        print_document(msgspec.structs.asdict(report) | {"took_ms": round(took_s * 1000, 3)})
    else:
        _show(report, took_s)
    failed = sum(map(_is_failure, report.warnings))
    if failed:
        raise typer.Exit(_tell_failed(failed, as_json=as_json))


def _is_failure(warning: str) -> bool:
    is_left_out = _LEFT_OUT in warning and not warning.endswith(_BY_RULE)
    return is_left_out or warning.endswith(_REPLACED)


def _show(report: SyncReport, took_s: float) -> None:
    from recollect.cli.figures import duration
    from recollect.cli.screen import show, warn

    done = "rebuilt" if report.rebuilt else "up to date"
    told = ", ".join(_counts(report)) or "nothing new"
    show((done, "bold green"), (f" in {duration(took_s)}: {told}", ""))
    for warning in report.warnings:
        warn(warning)


def _tell_failed(number: int, *, as_json: bool) -> int:
    from recollect.cli.failures import tell_incomplete
    from recollect.cli.figures import count

    message = f"{count(number, 'memory file')} could not be read in full, see the warnings"
    return tell_incomplete(message, "everything else is indexed", as_json=as_json)


def _counts(report: SyncReport) -> list[str]:
    from recollect.cli.figures import count

    counts = [
        (count(report.put, "document"), report.put),
        (count(report.chunks, "chunk"), report.chunks),
        (count(report.vectors, "vector"), report.vectors),
        (f"{count(report.removed, 'document')} removed", report.removed),
    ]
    return [text for text, number in counts if number]
