"""`recollect prune`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import AsJson, answers_json, opened
from recollect.cli.output.document import print_document
from recollect.cli.output.progress import show_progress
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.governance.plan import PruneReport

_WHY = {
    "age": "not used for longer than sessions.retention.days",
    "sessions": "more sessions than sessions.retention.max_sessions",
    "messages": "more messages than sessions.retention.max_messages",
}

app = App()


@app.command(rich_help_panel="Keep")
def prune(
    context: typer.Context,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be removed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without a question.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove for good what is above the caps of sessions.retention."""
    as_json = answers_json(context, as_json)
    with opened(context) as memory:
        report = memory.prune(dry_run=True)
        if not dry_run:
            if report.messages or report.sessions:
                _agree(report, yes=yes, as_json=as_json)
            with show_progress(quiet=as_json) as progress:
                report = memory.prune(on_progress=progress.pruning)
    if as_json:
        print_document(report)
    else:
        _show(report)


def _agree(report: PruneReport, *, yes: bool, as_json: bool) -> None:
    if yes:
        return
    summary = f"{_amount(report.sessions, report.messages, report.bytes)} would be removed for good"
    if as_json or not sys.stdin.isatty():
        raise InvalidInput(summary, hint="add --yes to agree; --dry-run shows what it is")
    if not typer.confirm(f"{summary}. Go on?", err=True):
        raise InvalidInput("nothing was removed", hint="the caps are in sessions.retention")


def _show(report: PruneReport) -> None:
    from recollect.cli.output.screen import show, show_pairs, warn

    amount = _amount(report.sessions, report.messages, report.bytes)
    if not (report.sessions or report.messages):
        show(("nothing to remove", "bold green"), (": no cap of sessions.retention is passed", ""))
    elif report.dry_run:
        show(("nothing was changed", "bold green"), (f": {amount} would be removed", ""))
    else:
        show(("removed", "bold green"), (f" {amount}", ""))
    show_pairs(
        (_amount(part.sessions, part.messages, part.bytes), _WHY[reason])
        for reason, part in report.by_reason.items()
    )
    show_pairs(_kept(report))
    for warning in report.warnings:
        warn(warning)


def _kept(report: PruneReport) -> list[tuple[str, str]]:
    from recollect.cli.output.formatting import count

    kept = [
        (report.kept_for_forks, "stay because a fork reads them"),
        (report.kept_in_use, "stay because a program uses them"),
        (report.changed, "stay because they were used meanwhile"),
    ]
    return [(count(len(ids), "session"), why) for ids, why in kept if ids]


def _amount(sessions: int, messages: int, length: int) -> str:
    from recollect.cli.output.formatting import count, size

    parts = [count(sessions, "session")] if sessions else []
    return f"{', '.join([*parts, count(messages, 'message')])} ({size(length)})"
