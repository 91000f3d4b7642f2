"""`recollect projects`: which paths are one project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import path_or_name
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, opened
from recollect.cli.output.formatting import count
from recollect.cli.output.screen import next_steps, say, show
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.observations.project_rows import Project

app = App()
group = App(
    help="List projects, or declare which paths are the same one.", invoke_without_command=True
)
app.add_typer(group, name="projects", rich_help_panel="Find")

Which = Annotated[str, argument(metavar="A", help="A path of it, its name or its id.")]
Other = Annotated[str, argument(metavar="B", help="A path of the other one, its name or its id.")]


@group.callback()
def projects(context: typer.Context) -> None:
    """List projects, or declare which paths are the same one."""
    if context.invoked_subcommand is None:
        list_projects(context)


@group.command("list")
def list_projects(context: typer.Context) -> None:
    """List projects with their paths, and those that look like duplicates."""
    with opened(context) as memory:
        projects = memory.projects.list()
    from recollect.answers.project import ProjectList

    answer(context, ProjectList(projects=projects), lambda: _show(projects))


@group.command()
def alias(
    context: typer.Context,
    path: Annotated[str, argument(metavar="PATH", help="A folder; it need not exist any more.")],
    name: Annotated[str, argument(metavar="NAME", help="The project, or the name of a new one.")],
) -> None:
    """Assign a path to a project; nothing stored is rewritten."""
    with opened(context) as memory:
        project = memory.projects.alias(path_or_name(path), path_or_name(name))
    answer(context, project, lambda: _show_one(project))


@group.command()
def merge(
    context: typer.Context,
    one: Which,
    other: Other,
    *,
    undo: Annotated[
        bool, typer.Option("--undo", help="Separate them again, if A was merged into B.")
    ] = False,
    apart: Annotated[
        bool, typer.Option("--apart", help="They are different: do not suggest it again.")
    ] = False,
) -> None:
    """Make A part of B; nothing stored is rewritten, and --undo takes it back."""
    if undo and apart:
        raise InvalidInput("--undo and --apart exclude each other", hint="leave one of them out")
    with opened(context) as memory:
        projects = memory.projects
        change = projects.keep_apart if apart else projects.unmerge if undo else projects.merge
        project = change(path_or_name(one), path_or_name(other))
    answer(context, project, lambda: _show_one(project))
    if not (undo or apart or answers_json(context)):
        say((f"undo: recollect projects merge --undo {one} {other}", "dim"))


def _show(projects: list[Project]) -> None:
    if not projects:
        show(("no projects yet", "bold"), (": sessions with a folder make them", ""))
    for project in projects:
        _show_one(project)
    alike = [(project.name, other) for project in projects for other in project.looks_like]
    if alike:
        one, other = alike[0]
        next_steps(
            [
                (f"recollect projects merge {one} {other}", "they are one"),
                (f"recollect projects merge --apart {one} {other}", "they are two"),
            ]
        )


def _show_one(project: Project) -> None:
    remote = f"  {project.remote}" if project.remote else ""
    show(
        (project.name, "bold"),
        (f"  {count(project.sessions, 'session')}{remote}", ""),
        (f"  {project.id}", "dim"),
    )
    for path in project.paths:
        show((f"  {path}", ""))
    for name in project.merged:
        show((f"  with {name}", "dim"))
    for name in project.looks_like:
        show((f"  looks like the same as {name}", "yellow"))
