"""`recollect pause`, `resume` and `privacy check`: what is captured."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import path_or_name
from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import show
from recollect.text.times.moments import read_duration

if TYPE_CHECKING:  # for a name only
    from recollect.observations.controls import CaptureCheck, Pause

app = App()
group = App(help="Look at what is captured.", invoke_without_command=True)
app.add_typer(group, name="privacy", rich_help_panel="Keep")

OfProject = Annotated[
    str | None,
    typer.Option("--project", help="Only this project: a path, name or id.", show_default=False),
]


@app.command(rich_help_panel="Keep")
def pause(
    context: typer.Context,
    *,
    project: OfProject = None,
    length: Annotated[
        str | None,
        typer.Option("--for", help="How long: 30m, 1h, 2d. Until resume by default."),
    ] = None,
) -> None:
    """Capture nothing from hooks, followed transcripts and imports for a while."""
    for_ms = None if length is None else read_duration(length)
    with opened(context) as memory:
        pause = memory.capture.pause(None if project is None else path_or_name(project), for_ms)
    answer(context, pause, lambda: _show_pause(pause, project))


@app.command(rich_help_panel="Keep")
def resume(context: typer.Context, *, project: OfProject = None) -> None:
    """Resume capturing; what was said meanwhile stays out."""
    with opened(context) as memory:
        pauses = memory.capture.resume(None if project is None else path_or_name(project))
    from recollect.answers.project import PauseList

    answer(context, PauseList(pauses=pauses), lambda: _show_remaining(pauses))


@group.callback()
def privacy(context: typer.Context) -> None:
    """Show what is captured; without a command, whether this folder is."""
    if context.invoked_subcommand is None:
        check(context, Path.cwd())


@group.command()
def check(
    context: typer.Context,
    path: Annotated[Path, argument(metavar="PATH", help="A folder of a project, or a file.")],
) -> None:
    """Show whether a path is captured, and if not, why."""
    from recollect.core.settings.environment import user_path

    with opened(context) as memory:
        verdict = memory.capture.check(os.path.abspath(user_path(path)))
    answer(context, verdict, lambda: _show_check(verdict))


def _show_pause(pause: Pause, project: str | None) -> None:
    until = "until `recollect resume`" if pause.until is None else f"until {moment(pause.until)}"
    what = "nothing" if project is None else f"nothing of {project}"
    show(("paused", "bold yellow"), (f": {what} is captured {until}", ""))


def _show_remaining(pauses: list[Pause]) -> None:
    if not pauses:
        show(("capturing", "bold green"))
    else:
        whole = any(pause.project_id is None for pause in pauses)
        what = (
            "everything" if whole else f"{len(pauses)} projects" if len(pauses) > 1 else "1 project"
        )
        show(("still paused", "bold yellow"), (f": {what}; `recollect status` shows it", ""))


def _show_check(check: CaptureCheck) -> None:
    word = ("captured", "bold green") if check.is_captured else ("not captured", "bold yellow")
    project = f", of the project {check.project}" if check.project else ""
    show(word, (f": {check.path}{project}", ""))
    for refusal in check.refusals:
        show((f"  {refusal.reason:<9} ", "cyan"), (refusal.why, ""))
