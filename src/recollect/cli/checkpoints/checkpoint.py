"""`recollect checkpoint`: keep what files are, and look at what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.checkpoints.fsck import fsck
from recollect.cli.checkpoints.here import paths_here, session_here
from recollect.cli.help import App
from recollect.cli.invocation import (
    answer,
    answers_json,
    argument,
    folder_option,
    home_of,
    opened,
)
from recollect.cli.output.formatting import count, moment, size
from recollect.cli.output.screen import next_steps, one_line, say, show, show_table
from recollect.cli.sessions.lines import complete_session
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:  # for a name only
    from collections.abc import Sequence

    from recollect.answers.checkpoint import RootList
    from recollect.checkpoints.files.state import PathState
    from recollect.checkpoints.record.rows import Checkpoint, FileRecord
    from recollect.cli.output.screen import Span

app = App()
group = App(help="Keep what files are, so that `recollect rewind` can put them back.")
app.add_typer(group, name="checkpoint", rich_help_panel="Keep")

OfSession = Annotated[
    str | None,
    typer.Option(
        "--session",
        help="A session; the newest of this folder's project if not given.",
        metavar="ID",
        autocompletion=complete_session,
    ),
]


@group.command()
def take(
    context: typer.Context,
    paths: Annotated[
        list[str] | None, argument(metavar="PATH", help="Only these; all below the root if none.")
    ] = None,
    *,
    session: OfSession = None,
    root: Annotated[Path | None, folder_option(help="This folder if not given.")] = None,
    label: Annotated[str | None, typer.Option("--label", help="What to call it.")] = None,
) -> None:
    """Keep what files are now. Contents are stored as they are, in the home and nowhere else."""
    from recollect.answers.checkpoint import checkpoint_answer

    folder = _folder(Path.cwd() if root is None else root)
    with opened(context) as memory:
        whose = session_here(memory, session)
        checkpoint = memory.checkpoints.take(whose, folder, paths_here(paths, folder), label)
    document = checkpoint_answer(checkpoint)
    answer(context, document, lambda: show((document.id, "bold green"), (_held(checkpoint), "")))
    if not answers_json(context):
        next_steps([(f"recollect rewind {document.id} --plan", "what going back to it would do")])


@group.command("list")
def list_checkpoints(
    context: typer.Context,
    session: Annotated[
        str | None,
        argument(
            metavar="SESSION",
            help="Of this folder's project, the newest, if not given.",
            autocompletion=complete_session,
        ),
    ] = None,
) -> None:
    """List the checkpoints of a session, oldest first; a fork has those of its parents."""
    from recollect.answers.checkpoint import checkpoint_list

    with opened(context) as memory:
        checkpoints = memory.checkpoints.list(session_here(memory, session))
    answer(context, checkpoint_list(checkpoints), lambda: _show_list(checkpoints))


@group.command("show")
def show_checkpoint(
    context: typer.Context,
    checkpoint: Annotated[
        str, argument(metavar="C", help="c12 or its id; m88: before that message was answered.")
    ],
) -> None:
    """Show a checkpoint and the paths that it has."""
    from recollect.answers.checkpoint import checkpoint_with_paths

    with opened(context) as memory:
        target = memory.checkpoints.target(checkpoint)
        files = memory.checkpoints.files(target)
    answer(context, checkpoint_with_paths(target, files), lambda: _show_one(target, files))


@group.command()
def roots(
    context: typer.Context,
    *,
    add: Annotated[Path | None, folder_option("--add", help="Register a folder.")] = None,
    remove: Annotated[Path | None, folder_option("--remove", help="Take one out.")] = None,
) -> None:
    """Show the folders in which what agent programs change is kept, or change them."""
    from recollect.answers.checkpoint import RootList
    from recollect.core.settings import load_settings

    home = home_of(context)
    settings = load_settings(home).settings.checkpoints
    folders = list(settings.roots)
    if add is not None and (path := str(_folder(add))) not in folders:
        folders.append(path)
    if remove is not None:
        folders.remove(_registered(remove, folders))
    if folders != list(settings.roots):
        from recollect.cli.config.config import change_config
        from recollect.core.settings.config_file import with_setting

        change_config(home, lambda text: with_setting(text, "checkpoints.roots", folders))
        folders = list(load_settings(home).settings.checkpoints.roots)
    document = RootList(roots=folders, enabled=settings.enabled)
    answer(context, document, lambda: _show_roots(document))


def _folder(path: Path) -> Path:
    """Return a folder without links in its path.

    Raises:
        NotFound: it is none.
    """
    folder = path.expanduser().resolve()
    if not folder.is_dir():
        raise NotFound("the root is not a folder", hint="name a folder", path=str(folder))
    return folder


def _registered(path: Path, roots: Sequence[str]) -> str:
    """Return the root that a path means; the folder may be gone."""
    names = {str(path), str(path.expanduser().absolute()), str(path.expanduser().resolve())}
    for root in roots:
        if root in names:
            return root
    raise InvalidInput(
        "the folder is not registered", hint="list those that are with `recollect checkpoint roots`"
    )


def _show_list(checkpoints: Sequence[Checkpoint]) -> None:
    if not checkpoints:
        say(("no checkpoints", "dim"))
        return
    show_table(
        ("id", "when", "before", "files", "root"), [_row(each) for each in checkpoints], flexible=2
    )


def _row(of: Checkpoint) -> list[Span]:
    missed = f", {of.coverage.uncaptured:,} not kept" if of.coverage.uncaptured else ""
    return [
        (f"c{of.number}", "cyan"),
        (moment(of.created_at), "dim"),
        (_before(of), ""),
        (f"{of.coverage.files:,}{missed}", "yellow" if missed else ""),
        (one_line(of.root), "dim"),
    ]


def _before(of: Checkpoint) -> str:
    """Return what a checkpoint was taken before."""
    paths = ", ".join(of.coverage.paths or ())
    what = f"{of.tool_name or of.kind} {paths}" if of.kind == "tool" else of.label or of.kind
    kind = f"rescue: before a {of.label}" if of.kind == "rescue" else what
    return one_line(kind if of.actor is None else f"{kind} ({of.actor})")


def _held(of: Checkpoint) -> str:
    missed = of.coverage.uncaptured
    rest = f", {count(missed, 'path')} could not be kept" if missed else ""
    return f"  {count(of.coverage.files, 'path')} of {one_line(of.root)}{rest}"


def _show_one(of: Checkpoint, files: Sequence[FileRecord]) -> None:
    show((f"c{of.number}", "bold"), (f"  {moment(of.created_at)}  {_before(of)}", ""))
    show((_held(of), "dim"))
    for each in files:
        rest = "" if each.after is None else f"  -> {_state(each.after)}"
        style = "yellow" if each.before.kind == "uncaptured" else ""
        show((f"  {one_line(each.path)}", "cyan"), (f"  {_state(each.before)}{rest}", style))


def _state(of: PathState) -> str:
    if of.kind == "file":
        return f"{size(of.size)}, {of.mode or 0:03o}"
    if of.kind == "symlink":
        return f"link to {one_line(of.target or '')}"
    return f"not kept: {of.reason}" if of.kind == "uncaptured" else of.kind


def _show_roots(document: RootList) -> None:
    for root in document.roots:
        show((root, ""))
    if not document.roots:
        say(("no folder is registered", "dim"))
    if not document.enabled:
        next_steps([("recollect config set checkpoints.enabled true", "keep what agents change")])


group.command()(fsck)
