"""`recollect uninstall`: takes the memory out of agent programs and removes what can be had again.

It says what stays, and where.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from glob import escape
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from recollect.cli.help import App
from recollect.cli.invocation import answer, home_of, invocation_of, require_agreement
from recollect.cli.output.formatting import count, size
from recollect.cli.output.screen import next_steps, show, show_pairs
from recollect.cli.setup.service import service_of
from recollect.server.presence import find_presence

if TYPE_CHECKING:  # it brings the database, which the help does without
    from recollect.cli.setup.connecting import Leaving

_OF_THE_HOME = re.compile(
    r"(records|index)\.db.*|[a-z]+\.lock|config\.yaml|token|(worker|demo|recovery|series)\.json"
    r"|integrations(\.json)?"
    r"|\.(records|index|recovery|integrations|series)\..*\.part|transcripts|blobs|notes|agents|aside"
    r"|checkpoints|recovering|turns|hooks|run|spool|chroma|qmd|logs|sample"
)
"""What recollect writes into a home; whatever else lies there stays."""
_OF_THE_MODEL = re.compile(r"model\.safetensors|vocab\.txt|manifest\.json|[a-z0-9]+\.onnx|\.lock")

_OURS = frozenset({"recollect", "models", "systemd", "user"})
"""Folders around what is removed that go where nothing is left in them."""

_BESIDE = {
    ".before-*": "a home from before a restore",
    ".restoring-*": "what a killed restore unpacked",
}

app = App()


@app.command(rich_help_panel="Set up")
def uninstall(
    context: typer.Context,
    *,
    with_memory: Annotated[
        bool,
        typer.Option("--with-memory", help="Also the home, with all conversations, for good."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be removed, and what stays.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Disconnect the memory from all agents; remove the model and, if asked, the home."""
    from recollect.cli.setup.connecting import Leaving, disconnect
    from recollect.integrations.installing import installed
    from recollect.store.sqlite.home import RECORDS_FILE
    from recollect.store.sqlite.snapshot import alone

    home = home_of(context)
    service, worker = service_of(home), find_presence(home)
    going = _going(home, with_memory=with_memory)
    clients = list(installed(home))
    sections, edited = _without_sections(home, dry_run=True)
    leaving = Leaving(
        dry_run=dry_run,
        removed={str(path): _bytes(path) for path in going},
        integrations=[
            disconnect(home, each, dry_run=True, after=clients[:at])
            for at, each in enumerate(clients)
        ],
        stays=dict(_stays(home, invocation_of(context).workspace, with_memory=with_memory))
        | dict.fromkeys(edited, "a section that you changed; take it out by hand"),
        sections=sections,
        package=f"{sys.executable} -m pip uninstall recollect",
        worker=None if worker is None else worker.pid,
        service=service.stop if service.is_written else None,
    )
    if (going or clients or sections) and not dry_run:
        if not yes:
            _agree(context, leaving)
        if worker is not None:
            _stop_worker(home)
        with alone(home / RECORDS_FILE):
            pass  # else the agents would lose their memory, and the home would stay
        _without_sections(home, dry_run=False)
        disconnected = [disconnect(home, each, dry_run=False) for each in clients]
        with alone(home / RECORDS_FILE):
            _remove(_going(home, with_memory=with_memory))
        leaving = replace(leaving, integrations=disconnected)
    answer(context, leaving, lambda: _show(leaving))


def _without_sections(home: Path, *, dry_run: bool) -> tuple[list[str], list[str]]:
    """Take the sections out of files of the user.

    Returns:
        The files that had one of ours, and those whose section a person changed: it stays.
    """
    from recollect.core.errors import RecollectError
    from recollect.memory import open_memory

    ours, edited = list[str](), list[str]()
    if not (home / "records.db").is_file():
        return ours, edited
    with suppress(RecollectError), open_memory(home, live=False) as memory:  # nor can it be listed
        for file in memory.sections.files():
            try:
                memory.sections.sync(file, remove=True, dry_run=dry_run)
            except RecollectError:
                edited.append(file)
            else:
                ours.append(file)
    return ours, edited


def _stop_worker(home: Path) -> None:
    from recollect.server.worker.daemon import stop

    stop(home)


def _agree(context: typer.Context, leaving: Leaving) -> None:
    offer = f"{size(sum(leaving.removed.values()))} would be removed for good"
    if leaving.integrations:
        offer += f", and the memory taken out of {', '.join(_named(leaving))}"
    if leaving.sections:
        offer += f", and the section out of {count(len(leaving.sections), 'file')} of yours"
    unasked = (offer, "add --yes to agree; --dry-run shows what it is")
    declined = ("nothing was removed", "--dry-run shows what it would be")
    require_agreement(context, offer, unasked=unasked, declined=declined)


def _named(leaving: Leaving) -> list[str]:
    return [each.client for each in leaving.integrations]


def _model_folder() -> Path:
    from recollect.core.settings import models_folder
    from recollect.models.local.folder import MODEL

    return models_folder() / MODEL


def _added_models() -> list[Path]:
    """Return the folders of the user's own models, and their lock files."""
    from recollect.core.settings import models_folder
    from recollect.models.local.added import list_models

    models = models_folder()
    return [*(models / name for name in list_models(models)), *models.glob(".lock")]


def _going(home: Path, *, with_memory: bool) -> list[Path]:
    from recollect.cli.setup.sample import MARKER, default_folder

    going = [*_files_of(_model_folder(), _OF_THE_MODEL), *_added_models()]
    service = service_of(home)
    going += [Path(service.path)] if service.is_written else []
    going += [default_folder()] if (default_folder() / MARKER).is_file() else []
    return going + (_files_of(home, _OF_THE_HOME) if with_memory else [])


def _files_of(folder: Path, names: re.Pattern[str]) -> list[Path]:
    from recollect.store.failures import os_errors

    with os_errors(folder):
        return (
            sorted(each for each in folder.iterdir() if names.fullmatch(each.name))
            if folder.is_dir()
            else []
        )


def _remove(paths: list[Path]) -> None:
    """Remove files and folders, and the folders that they were in where nothing else is left.

    The records go first: what is left of a killed removal is a home that says that it lost them.
    """
    from recollect.store.failures import os_errors

    for path in sorted(paths, key=lambda path: not path.name.startswith("records.db")):
        with os_errors(path):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    for path in paths:
        with suppress(OSError):
            path.parent.rmdir()
            for folder in takewhile(lambda each: each.name in _OURS, path.parent.parents):
                folder.rmdir()


def _stays(home: Path, workspace: Path | None, *, with_memory: bool) -> Iterator[tuple[str, str]]:
    """Yield each path that stays, with a description."""
    from recollect.core.errors import RecollectError
    from recollect.core.settings import load_settings

    if home.is_dir() and not with_memory:
        yield str(home), "your memory; --with-memory removes it"
    elif home.is_dir() and any(not _OF_THE_HOME.fullmatch(each.name) for each in home.iterdir()):
        yield str(home), "files in the home that recollect did not write"
    folder = home.resolve()  # it may be a link
    for end, what in _BESIDE.items() if folder.parent.is_dir() else ():
        for beside in sorted(folder.parent.glob(escape(folder.name) + end)):
            yield str(beside), what
    with suppress(RecollectError):
        settings = load_settings(home).settings
        own_workspace = workspace or settings.workspace.path
        if own_workspace:
            yield os.fspath(Path(own_workspace).expanduser()), "the workspace, which is yours"
        for followed in settings.workspace.transcripts:
            yield followed, "transcripts of another program"


def _bytes(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() and not path.is_symlink() else [path]
    return sum(each.lstat().st_size for each in files)


def _show(leaving: Leaving) -> None:
    from recollect.cli.setup.connecting import show_connected

    if leaving.worker is not None:
        verb = "would be stopped" if leaving.dry_run else "stopped"
        show((verb, "bold green"), (f"  the worker, process {leaving.worker}", ""))
    for connected in leaving.integrations:
        show_connected(connected)
    for file in leaving.sections:
        verb = "would be taken out" if leaving.dry_run else "taken out"
        show((verb, "bold green"), (f"  the section of {file}", ""))
    if not (leaving.removed or leaving.integrations or leaving.sections):
        show(("nothing to remove", "bold green"))
    elif leaving.removed and leaving.dry_run:
        show(("nothing was changed", "bold green"), (": these would be removed", ""))
    elif leaving.removed:
        show(("removed", "bold green"))
    show_pairs(((path, size(n)) for path, n in leaving.removed.items()), indent=2)
    if leaving.stays:
        show(("stays", "bold"))
        show_pairs(leaving.stays.items(), indent=2)
    stops = [] if leaving.service is None else [(leaving.service, "stops the worker's service")]
    next_steps([*stops, (leaving.package, "removes the package itself")])
