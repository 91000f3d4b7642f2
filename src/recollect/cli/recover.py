"""`recollect recover`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, require_home
from recollect.cli.output.formatting import count
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import next_steps, say, show, warn

if TYPE_CHECKING:  # for a name only
    from recollect.governance.recover import RecoverReport

MOST_LISTED = 20
"""Damaged lines on the screen; the JSON document has up to a hundred."""

app = App()


@app.command(rich_help_panel="Keep")
def recover(
    context: typer.Context,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would come back.")
    ] = False,
) -> None:
    """Rebuild a lost or damaged records.db from transcripts/; what is there is kept aside."""
    from recollect.governance.recover import recover as rebuild

    home = require_home(context)
    with show_progress(quiet=answers_json(context)) as progress:
        report = rebuild(home, dry_run=dry_run, on_progress=progress.recovering)
    answer(context, report, lambda: _show(report))


def _show(report: RecoverReport) -> None:
    amount = f"{count(report.sessions, 'session')}, {count(report.messages, 'message')}"
    show((report.reason, ""))
    if report.dry_run:
        show(("nothing was changed", "bold green"), (f": {amount} would come back", ""))
    else:
        show(("recovered", "bold green"), (f"  {amount}", ""))
    if report.aside:
        show(("set aside", "bold green"), (f"  {report.aside}", ""))
    show(("not in any transcript", "bold"), (f": {', '.join(report.lost)}", ""))
    for warning in report.warnings:
        warn(warning)
    for line in report.damaged[:MOST_LISTED]:
        say((f"  {line.path}:{line.line}", "magenta"), ("  cannot be read", ""))
    if report.damaged_count > MOST_LISTED:
        say((f"  and {report.damaged_count - MOST_LISTED:,} more; see --json", "dim"))
    if not report.dry_run:
        next_steps([("recollect sync", "build the index now; a search does it too")])
