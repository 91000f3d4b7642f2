"""`recollect scrub`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, opened
from recollect.cli.output.formatting import count
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import show, show_pairs, warn

if TYPE_CHECKING:  # for a name only
    from recollect.governance.scrubbing import ScrubReceipt

app = App()


@app.command(rich_help_panel="Keep")
def scrub(
    context: typer.Context,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be changed.")
    ] = False,
) -> None:
    """Redact everything stored again, by the current rules and settings of privacy."""
    with opened(context) as memory, show_progress(quiet=answers_json(context)) as progress:
        receipt = memory.scrub(dry_run=dry_run, on_progress=progress.scrubbing)
    answer(context, receipt, lambda: _show(receipt))


def _show(receipt: ScrubReceipt) -> None:
    total, secrets = sum(receipt.rows.values()), sum(receipt.secrets.values())
    text = f"{count(secrets, 'secret')} in {count(total, 'row')}"
    if not (total or receipt.files or receipt.removed_copies):
        show(("nothing to redact", "bold green"))
    elif receipt.dry_run:
        show(("nothing was changed", "bold green"), (f": {text} would be redacted", ""))
    else:
        show(("redacted", "bold green"), (f" {text}", ""))
    show_pairs((count(number, "row"), f"of {name}") for name, number in receipt.rows.items())
    show_pairs((f"{number:,}", kind) for kind, number in receipt.secrets.items())
    if receipt.files:
        show_pairs([(count(receipt.files, "file"), "of readable transcripts")])
    goes = "would go" if receipt.dry_run else "went"
    show_pairs((path, f"is an older copy and {goes}") for path in receipt.removed_copies)
    show_pairs(
        (f"{location.path}, line {', '.join(map(str, location.lines))}", "is yours to change")
        for location in receipt.left
    )
    for warning in receipt.warnings:
        warn(warning)
