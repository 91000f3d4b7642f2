"""`recollect prune`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, opened, require_agreement
from recollect.cli.output.formatting import count, size
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import show, show_pairs, warn

if TYPE_CHECKING:  # for a name only
    from recollect.governance.plan import Amount, PruneReport

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
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove for good what exceeds the limits of sessions.retention and retention."""
    with opened(context) as memory:
        report = memory.prune(dry_run=True)
        if not dry_run:
            if (report.messages or report.sessions or report.records) and not yes:
                offer = f"{_amount(report)} would be removed for good"
                require_agreement(
                    context,
                    offer,
                    unasked=(offer, "add --yes to agree; --dry-run shows what it is"),
                    declined=("nothing was removed", "the caps are in sessions.retention"),
                )
            with show_progress(quiet=answers_json(context)) as progress:
                report = memory.prune(on_progress=progress.pruning)
    answer(context, report, lambda: _show(report))


def _show(report: PruneReport) -> None:
    amount = _amount(report)
    if not (report.sessions or report.messages or report.records):
        show(("nothing to remove", "bold green"), (": no cap is passed", ""))
    elif report.dry_run:
        show(("nothing was changed", "bold green"), (f": {amount} would be removed", ""))
    else:
        show(("removed", "bold green"), (f" {amount}", ""))
    show_pairs((_amount(part), _WHY[reason]) for reason, part in report.by_reason.items())
    show_pairs(
        (f"{count(part.records, 'record')} ({size(part.bytes)})", f"above retention.{name}")
        for name, part in report.records.items()
    )
    remaining = [
        (report.kept_for_forks, "stay because a fork reads them"),
        (report.kept_in_use, "stay because a program uses them"),
        (report.changed, "stay because they were used meanwhile"),
    ]
    show_pairs((count(len(ids), "session"), why) for ids, why in remaining if ids)
    for warning in report.warnings:
        warn(warning)


def _amount(part: PruneReport | Amount) -> str:
    records = getattr(part, "records", {})
    parts = [count(part.sessions, "session")] if part.sessions else []
    if part.messages or not records:
        parts.append(f"{count(part.messages, 'message')} ({size(part.bytes)})")
    total = sum(each.records for each in records.values())
    total_size = sum(each.bytes for each in records.values())
    return ", ".join(
        [*parts, *([f"{count(total, 'record')} ({size(total_size)})"] if records else [])]
    )
