"""`recollect recover`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.answers.error import FAILED
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, require_home
from recollect.cli.output.formatting import count
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import next_steps, one_line, say, show, warn

if TYPE_CHECKING:  # for a name only
    from recollect.exchange.recover import RecoverReport

MOST_LISTED = 20
"""Lost sessions, and damaged lines, on the screen; the JSON document has up to a hundred."""

app = App()


@app.command(rich_help_panel="Keep")
def recover(
    context: typer.Context,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would come back.")
    ] = False,
) -> None:
    """Rebuild a lost or damaged records.db from transcripts/; the old files are set aside.

    Exits with 1 if less was recovered than one of the files held.
    """
    from recollect.exchange.recover import recover as rebuild

    home = require_home(context)
    with show_progress(quiet=answers_json(context)) as progress:
        report = rebuild(home, dry_run=dry_run, on_progress=progress.recovering)
    answer(context, report, lambda: _show(report))
    if report.missing_count:
        raise typer.Exit(FAILED)


def _show(report: RecoverReport) -> None:
    if report.reason is None:
        show(("nothing to recover", "bold green"), (": records.db is sound", ""))
        return
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
    if report.missing_count:
        warn(f"{count(report.missing_count, 'message')} that a file held did not come back")
    for gap in report.missing[:MOST_LISTED]:
        message = f"  lacks {count(gap.count, 'message')} of {gap.path}"
        say((f"  session {one_line(gap.session_id)}", "magenta"), (message, ""))
    for session in report.lost_sessions[:MOST_LISTED]:
        origin = f", imported from {', '.join(map(one_line, session.imported_from))}"
        message = f"  is lost{origin if session.imported_from else ''}"
        say((f"  session {one_line(session.id)}", "magenta"), (message, ""))
    _tell_more(report.lost_sessions_count)
    for line in report.damaged[:MOST_LISTED]:
        say((f"  {line.path}:{line.line}", "magenta"), ("  cannot be read", ""))
    _tell_more(report.damaged_count)
    if not report.dry_run:
        next_steps([("recollect sync", "build the index now; a search does it too")])


def _tell_more(number: int) -> None:
    if number > MOST_LISTED:
        say((f"  and {number - MOST_LISTED:,} more; see --json", "dim"))
