"""`recollect doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.answers.doctor import CheckResult, DoctorFindings
from recollect.answers.error import FAILED
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, invocation_of, require_home
from recollect.cli.output.formatting import count
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import show

MARKS = {"ok": ("✓", "green"), "note": ("•", "yellow"), "wrong": ("✗", "bold red")}

app = App()


@app.command(rich_help_panel="Keep")
def doctor(
    context: typer.Context,
    *,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair the mirrors; repair, update or rebuild the index.")
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Check every row of the index instead of a sample.")
    ] = False,
) -> None:
    """Check the home for problems; repair them with --fix. Exits with 1 while one is left."""
    home, workspace = require_home(context), invocation_of(context).workspace
    from recollect.cli.doctor.checks import Checkup
    from recollect.cli.doctor.repair import repair

    repairs: list[str] = []
    if fix:
        with show_progress(quiet=answers_json(context)) as progress:
            repairs += repair(home, workspace, progress.indexing, deep=deep)
    results = list(Checkup(home, workspace, deep=deep).run())
    healthy = all(result.state != "wrong" for result in results)
    findings = DoctorFindings(healthy=healthy, fixed=repairs, checks=results)
    answer(context, findings, lambda: _show(results, repairs))
    if not healthy:
        raise typer.Exit(FAILED)


def _show(results: list[CheckResult], repairs: list[str]) -> None:
    for sentence in repairs:
        show(("fixed", "bold green"), (f"  {sentence}", ""))
    if repairs:
        show()
    width = max(len(result.name) for result in results) + 2
    for result in results:
        mark, style = MARKS[result.state]
        show((mark, style), (f" {result.name:<{width}}", "cyan"), (result.detail, ""))
        if result.hint and result.state != "ok":
            show((" " * (width + 2) + result.hint, "dim"))
    wrong = sum(result.state == "wrong" for result in results)
    verdict = (f"{count(wrong, 'thing')} wrong", "bold red") if wrong else ("healthy", "bold green")
    show()
    show(verdict)
