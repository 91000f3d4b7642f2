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
        made = memory.capture.pause(None if project is None else path_or_name(project), for_ms)
    answer(context, made, lambda: _show_pause(made, project))


@app.command(rich_help_panel="Keep")
def resume(context: typer.Context, *, project: OfProject = None) -> None:
    """Capture again; what was said meanwhile stays out."""
    with opened(context) as memory:
        left = memory.capture.resume(None if project is None else path_or_name(project))
    from recollect.answers.project import PauseList

    answer(context, PauseList(pauses=left), lambda: _show_left(left))


@group.callback()
def privacy(context: typer.Context) -> None:
    """Look at what is captured: without a command, whether this folder is."""
    if context.invoked_subcommand is None:
        check(context, Path.cwd())


@group.command()
def check(
    context: typer.Context,
    path: Annotated[Path, argument(metavar="PATH", help="A folder of a project, or a file.")],
) -> None:
    """Say whether a path is captured, and why not."""
    from recollect.core.settings.environment import user_path

    with opened(context) as memory:
        found = memory.capture.check(os.path.abspath(user_path(path)))
    answer(context, found, lambda: _show_check(found))


def _show_pause(made: Pause, project: str | None) -> None:
    until = "until `recollect resume`" if made.until is None else f"until {moment(made.until)}"
    what = "nothing" if project is None else f"nothing of {project}"
    show(("paused", "bold yellow"), (f": {what} is captured {until}", ""))


def _show_left(left: list[Pause]) -> None:
    if not left:
        show(("capturing", "bold green"))
    else:
        whole = any(pause.project_id is None for pause in left)
        what = "everything" if whole else f"{len(left)} projects" if len(left) > 1 else "1 project"
        show(("still paused", "bold yellow"), (f": {what}; `recollect status` shows it", ""))


def _show_check(found: CaptureCheck) -> None:
    word = ("captured", "bold green") if found.is_captured else ("not captured", "bold yellow")
    project = f", of the project {found.project}" if found.project else ""
    show(word, (f": {found.path}{project}", ""))
    for refusal in found.refusals:
        show((f"  {refusal.reason:<9} ", "cyan"), (refusal.why, ""))
