"""`recollect backup` and `recollect restore`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, folder_option, home_of, opened
from recollect.cli.output.formatting import count, moment, size
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import show, show_pairs, warn
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.governance.backup import BackupReport
    from recollect.governance.restore import RestoreReport

app = App()


@app.command(rich_help_panel="Keep")
def backup(
    context: typer.Context,
    file: Annotated[
        Path,
        argument(metavar="FILE", help="A new file, or a folder for one with the date in its name."),
    ],
    *,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Include tokens, and the keys in config.yaml.")
    ] = False,
    workspace: Annotated[
        bool, typer.Option("--workspace", help="Include the memory files of the workspace.")
    ] = False,
    with_checkpoints: Annotated[
        bool,
        typer.Option("--with-checkpoints", help="Include what files were at checkpoints, as is."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write the whole home into one compressed file, while programs go on using it."""
    with opened(context) as memory, show_progress(quiet=answers_json(context)) as progress:
        report = memory.backup(
            file,
            secrets=with_secrets,
            workspace=workspace,
            with_checkpoints=with_checkpoints,
            replace=force,
            on_progress=progress.copying,
        )
    answer(context, report, lambda: _show_backup(report))


@app.command(rich_help_panel="Keep")
def restore(
    context: typer.Context,
    file: Annotated[Path, argument(metavar="FILE", help="A file that `recollect backup` wrote.")],
    *,
    workspace: Annotated[
        Path | None,
        folder_option(
            help="Where to write memory files of the backup; they are left out by default."
        ),
    ] = None,
    with_settings: Annotated[
        bool,
        typer.Option("--with-settings", help="Take all settings from the backup of another home."),
    ] = False,
) -> None:
    """Restore the home from a backup; the old one is kept beside it, as HOME.before-TIME."""
    from recollect.restoring import restore as restored

    home = home_of(context)
    with show_progress(quiet=answers_json(context)) as progress:
        try:
            report = restored(
                file,
                home,
                workspace=workspace,
                with_settings=with_settings,
                on_progress=progress.copying,
            )
        except InvalidInput as error:
            error.facts.setdefault("path", str(file))  # another kind of file
            raise
    answer(context, report, lambda: _show_restore(report))


def _show_backup(report: BackupReport) -> None:
    amount = f"{count(report.files, 'file')}, {size(report.content_bytes)}"
    show(("backed up", "bold green"), (f"  {report.path} ({size(report.bytes)})", ""))
    show_pairs([("holds", amount), ("of", moment(report.created_at))], indent=2)
    for warning in report.warnings:
        warn(warning)


def _show_restore(report: RestoreReport) -> None:
    show(("restored", "bold green"), (f"  {report.home}, of {moment(report.created_at)}", ""))
    pairs = [("holds", f"{count(report.files, 'file')}, {size(report.bytes)}")]
    if report.aside:
        pairs.append(("before", f"{report.aside}; delete it when you are satisfied"))
    if report.erased_again:
        pairs.append(("erased", f"{count(report.erased_again, 'session')} again, as before"))
    pairs += [("wrote", path) for path in report.memory_files]
    pairs += [("kept", path) for path in report.kept_files]
    show_pairs(pairs, indent=2)
    if report.settings_aside:
        warn(
            f"the backup is of another home: not in force are {', '.join(report.settings_aside)};"
            f" they are in {report.home}/aside. If you trust who made it, restore it again with"
            " --with-settings"
        )
    for warning in report.warnings:
        warn(warning)
