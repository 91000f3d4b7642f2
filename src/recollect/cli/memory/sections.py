"""`recollect memory sync-section`: what was decided, in a file that agents read by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import path_or_name
from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.formatting import count
from recollect.cli.output.screen import say, show

if TYPE_CHECKING:  # for a name only
    from recollect.recall.context.sections import SectionResult

app = App()
group = App(help="Keep what was decided in files of yours.", invoke_without_command=True)
app.add_typer(group, name="memory", rich_help_panel="Keep")

_DONE = {
    "written": ("written", "would be written"),
    "unchanged": ("unchanged", "unchanged"),
    "removed": ("removed", "would be removed"),
    "empty": ("nothing to write or remove", "nothing to write or remove"),
}


@group.callback()
def memory(context: typer.Context) -> None:
    """Keep decisions in files of your own; without a command, list those files."""
    if context.invoked_subcommand is None:
        with opened(context) as memory:
            files = memory.sections.files()
        from recollect.answers.file import FileList

        answer(context, FileList(files=files), lambda: _show_files(files))


@group.command("sync-section")
def sync_section(
    context: typer.Context,
    file: Annotated[Path, argument(metavar="FILE", help="MEMORY.md, CLAUDE.md, AGENTS.md, ….")],
    *,
    project: Annotated[
        str | None,
        typer.Option(help="The project: a path, name or id; by default the one that FILE is in."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the section.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite lines of it that were edited by hand.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be written.")
    ] = False,
) -> None:
    """Write the most important decisions and fixes of a project into a section of FILE."""
    about = None if project is None else path_or_name(project)
    with opened(context) as memory:
        result = memory.sections.sync(file, about, remove=remove, force=force, dry_run=dry_run)
    answer(context, result, lambda: _show(result))


def _show_files(files: list[str]) -> None:
    for file in files:
        show((file, ""))
    if not files:
        say(("no file has a section: see recollect memory sync-section --help", "dim"))


def _show(result: SectionResult) -> None:
    for line in result.lines:
        show((line, ""))
    outcome = _DONE[result.outcome][result.dry_run]
    cost = f", {count(len(result.numbers), 'observation')}, {count(result.tokens, 'token')}"
    rest = f", {result.left_out} left out" if result.left_out else ""
    say((f"\n{result.path}: {outcome}", "bold"), (cost + rest if result.lines else "", "dim"))
