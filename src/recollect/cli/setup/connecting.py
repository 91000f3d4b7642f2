"""Puts recollect into an agent program, and takes it out: its files, what is followed, its token.

Each of these can be done again: what was killed in between goes on with the same command.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from recollect.cli.output.screen import show
from recollect.cli.setup.service import Service
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.integrations.agent_finding import FoundAgent
from recollect.integrations.agents import MCP, integration_of
from recollect.integrations.file_change import FileChange
from recollect.integrations.installing import (
    RECORD_FILE,
    Installation,
    Integration,
    Setup,
    TokenOrder,
    apply,
    installed,
    removal,
    token_file,
)
from recollect.integrations.mcp_clients.install import McpEntry
from recollect.server.presence import is_served

if TYPE_CHECKING:  # the memory brings the arrays
    from recollect.core.settings import ResolvedSettings
    from recollect.core.settings.config_file import Value
    from recollect.core.settings.server import ServerSettings

FOLLOWED, AUTOSTART = "workspace.transcripts", "worker.autostart"
KEEPS_FILES, ROOTS = "checkpoints.enabled", "checkpoints.roots"
_UNSET: Mapping[str, Value] = {FOLLOWED: (), AUTOSTART: False, KEEPS_FILES: False, ROOTS: ()}
"""The settings that an installation changes, and their defaults."""
_AROUND = 2
"""Lines of a file of another program around what changes in it."""


class ShownFile(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a file.

    Attributes:
        path: Absolute.
        does: ``stays``: it holds already what it must.
        diff: Lines after a space, ``-`` or ``+``; none of a file with a token.
    """

    path: str
    does: Literal["made", "changed", "removed", "stays"]
    diff: list[str] = []


class Connected(msgspec.Struct, frozen=True, kw_only=True):
    """What was written for an agent program, or taken back; of a dry run what would be."""

    client: str
    dry_run: bool
    is_removal: bool
    files: list[ShownFile]
    notes: list[str] = []
    has_hooks: bool = False


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """What `init` found and made."""

    home: str
    workspace: str | None
    made: list[str]
    """Paths that are new; none the second time."""
    embedder: str | None
    """The model that makes vectors; None for words only."""
    withheld: list[str] = []
    """Kinds of memory that are there, and that a paid embedder does not get yet."""
    aside: str | None = None
    """Where `--fresh` put what was there; None where there was nothing."""
    service: Service | None = None
    """What starts the worker with the user's session; None where it was not asked for."""
    agents: list[FoundAgent] = []
    """Agent programs on this machine that have no memory yet."""
    languages: list[str] = []
    """Codes of the languages that are spoken; otherwise those of the locale."""


class Leaving(msgspec.Struct, frozen=True, kw_only=True):
    """What goes and what stays; of a dry run what would."""

    dry_run: bool
    removed: dict[str, int]
    """Path -> bytes."""
    integrations: list[Connected]
    """What becomes of the files of each agent program that the memory is in."""
    stays: dict[str, str]
    """Path -> what it is."""
    sections: list[str]
    """Files of yours whose section of `recollect memory sync-section` is taken out."""
    package: str
    """The command that removes the package."""
    worker: int | None = None
    """The process of the worker, which is stopped; None where none runs."""
    service: str | None = None
    """The command that stops the service that started the worker; None where there is none."""


class PastedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What a person puts into a file by hand."""

    path: str
    text: str


def entry_of(home: Path, integration: Integration, options: Mapping[str, Any]) -> PastedEntry:
    """Return the entry of an MCP client, and where it goes.

    Raises:
        InvalidInput: the agent gets more than an entry.
    """
    if not isinstance(integration, McpEntry):
        raise InvalidInput(
            "only the entry of an MCP client can be printed", hint="use --dry-run: it shows all"
        )
    text = integration.text(_setup(home, _settings(home), options))
    return PastedEntry(path=str(integration.client.file), text=text)


def connect(
    home: Path,
    integration: Integration,
    options: Mapping[str, Any],
    *,
    dry_run: bool,
    new_files: Sequence[str] = (),
) -> Connected:
    """Put recollect into an agent program.

    Args:
        home: Of the memory; a dry run needs none.
        integration: Of the program.
        options: What the user chose.
        dry_run: Write nothing.
        new_files: Files of the home that are new with it, to be shown too.

    Raises:
        RecollectError: it cannot be, see `apply`.
    """
    settings = _settings(home)
    installation = integration.installation(_setup(home, settings, options))
    ours = _set_by(home, settings, installation, options)
    changed = _added(settings, ours)
    config = _configured(home, changed)
    connected = _connected(home, installation, config, new_files, dry_run=dry_run)
    if FOLLOWED in changed:
        connected = replace(connected, notes=[*connected.notes, *_about_worker(home)])
    if not dry_run:
        user_options = {name: value for name, value in options.items() if value}
        apply(home, replace(ours, options=user_options))
        _write_config(home, config)
        if installation.token:
            _ensure_token(home, installation.client, installation.token)
    return connected


def disconnect(home: Path, client: str, *, dry_run: bool, after: Sequence[str] = ()) -> Connected:
    """Take recollect out of an agent program; where it is not in it, nothing is done.

    Args:
        home: Of the memory.
        client: The name of the program in the record.
        dry_run: Write nothing.
        after: Of a dry run which other programs it would be taken out of before.

    Raises:
        RecollectError: it cannot be, see `removal`.
    """
    installation = removal(home, client)
    changed = _taken_out(home, installation, after)
    config = _configured(home, changed)
    connected = _connected(home, installation, config, after, dry_run=dry_run)
    if FOLLOWED in changed:
        connected = replace(connected, notes=[*connected.notes, *_about_worker(home)])
    if dry_run or client not in installed(home):
        return connected
    _write_config(home, config)
    notes = list(_without_token(home, client)) if installation.token else []
    apply(home, installation)
    return replace(connected, notes=[*connected.notes, *notes])


def out_of_date(home: Path) -> list[str]:
    """Return the clients whose files, tokens or settings are not those of this installation.

    Python, the home or recollect itself moved, somebody edited a file or revoked a token.

    Raises:
        RecollectError: a file cannot be read.
    """
    settings = _settings(home)
    stale = []
    for client, record in installed(home).items():
        setup = _setup(home, settings, record.options)
        installation = _integration(client).installation(setup)
        is_changed = any(change.before != change.after for change in installation.changes)
        missing_settings = _added(settings, _set_by(home, settings, installation, record.options))
        holds = record.token is None or _holds_token(home, client, record.token)
        if is_changed or AUTOSTART in missing_settings or not holds:
            stale.append(client)
    return stale


def update(home: Path) -> Iterator[str]:
    """Connect again what is out of date, and yield a sentence for each client.

    Raises:
        RecollectError: a file cannot be read.
    """
    for client in out_of_date(home):
        try:
            connect(home, _integration(client), installed(home)[client].options, dry_run=False)
            yield f"connected {client} again"
        except RecollectError as error:
            yield f"{client} could not be connected again: {error.message}"


def _integration(client: str) -> Integration:
    agent, _, name = client.partition("mcp-")
    return integration_of(agent or MCP, name or None)


def command_of(client: str) -> str:
    """Return the command that puts the memory into an agent program."""
    agent, _, name = client.partition("mcp-")
    return f"recollect init {agent or f'{MCP} --client {name}'}"


def show_connected(connected: Connected) -> None:
    """Print what became of each file; of a dry run its lines too."""
    if not connected.files:
        show(("nothing to remove" if connected.is_removal else "nothing to do", "bold green"))
    for line in connected.files:
        verb = f"would be {line.does}" if connected.dry_run and line.does != "stays" else line.does
        show((verb, "bold green" if line.does != "stays" else "dim"), (f"  {line.path}", ""))
        for each in line.diff if connected.dry_run else ():
            show((f"  {each}", {"+": "green", "-": "red"}.get(each[:1], "dim")))
    for note in connected.notes:
        show((note, "yellow"))


def _settings(home: Path) -> ResolvedSettings:
    from recollect.core.settings import load_settings

    return load_settings(home)


def _setup(home: Path, resolved: ResolvedSettings, options: Mapping[str, Any]) -> Setup:
    import recollect

    server = resolved.settings.server
    is_fixed = resolved.origins["server.port"] != "default"
    return Setup(
        home=home,
        python=sys.executable,
        hook=str(Path(recollect.__file__).parent / "hook" / "client.py"),
        url=_address(server) if is_fixed else None,
        options={
            "deadline_ms": resolved.settings.hooks.deadline_ms,
            "tools": resolved.settings.checkpoints.tools,
            **options,
        },
    )


def _address(server: ServerSettings) -> str:
    """Return where a program of this machine reaches the worker."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(server.host, server.host)  # noqa: S104
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{server.port}"


def _set_by(
    home: Path, resolved: ResolvedSettings, installation: Installation, options: Mapping[str, Any]
) -> Installation:
    """Return an installation with what it adds to the settings, and not the user.

    The worker is to start with the first event, unless the user or an earlier installation chose.
    """
    settings, before = resolved.settings, {each.autostart for each in installed(home).values()}
    is_theirs = resolved.origins[AUTOSTART] != "default" and before <= {None}
    starts: bool | None = False not in before and not options.get("no_start")
    if installation.token is None or (starts and is_theirs):
        starts = None
    follows = tuple(
        each for each in installation.follows if each not in settings.workspace.transcripts
    )
    roots = tuple(each for each in installation.roots if each not in settings.checkpoints.roots)
    return replace(
        installation, follows=follows, autostart=starts, roots=roots, options=dict(options)
    )


def _added(resolved: ResolvedSettings, installation: Installation) -> dict[str, Value]:
    """Return the settings that an installation changes."""
    settings, starts = resolved.settings, installation.autostart
    changed: dict[str, Value] = {}
    if installation.follows:
        changed[FOLLOWED] = (*settings.workspace.transcripts, *installation.follows)
    is_set = resolved.origins[AUTOSTART] != "default" and settings.worker.autostart == starts
    if starts is not None and not is_set:
        changed[AUTOSTART] = starts
    if installation.roots:
        changed[ROOTS] = (*settings.checkpoints.roots, *installation.roots)
    if installation.options.get("checkpoints") and not settings.checkpoints.enabled:
        changed[KEEPS_FILES] = True
    return changed


def _taken_out(home: Path, installation: Installation, after: Sequence[str]) -> dict[str, Value]:
    """Return the settings that a removal changes back, unless the user changed them since."""
    if not (installation.follows or installation.roots) and installation.autostart is None:
        return {}
    settings = _settings(home).settings
    folders = settings.workspace.transcripts
    changed: dict[str, Value] = {}
    remaining = tuple(each for each in folders if each not in installation.follows)
    if remaining != folders:
        changed[FOLLOWED] = remaining or None
    records = {name: each for name, each in installed(home).items() if name not in after}
    is_shared = sum(each.autostart is not None for each in records.values()) > 1
    if settings.worker.autostart == installation.autostart and not is_shared:
        changed[AUTOSTART] = None
    roots = settings.checkpoints.roots
    others = tuple(each for each in roots if each not in installation.roots)
    if others != roots:
        changed |= {ROOTS: others or None} | ({} if others else {KEEPS_FILES: None})
    return changed


def _configured(home: Path, changed: Mapping[str, Value]) -> FileChange | None:
    """Return the change of config.yaml that sets these; None takes a setting out."""
    from recollect.core.settings.config_file import first_config, with_setting, without_setting
    from recollect.core.settings.sources import FILE_NAME

    if not changed:
        return None
    path = home / FILE_NAME
    text = (path.read_text("utf-8-sig") if path.exists() else "") or first_config()
    after = text
    for key, value in changed.items():
        after = (
            without_setting(after, key, _UNSET[key])
            if value is None
            else with_setting(after, key, value)
        )
    return FileChange(path=str(path), before=text.encode(), after=after.encode())


def _write_config(home: Path, config: FileChange | None) -> None:
    from recollect.store.files import write_file

    if config is not None and config.after is not None:
        write_file(Path(config.path), config.after)


def _ensure_token(home: Path, client: str, order: TokenOrder) -> None:
    """Make a token for the hooks of a client, unless its file holds one that is valid."""
    from recollect.memory import open_memory
    from recollect.store.files import private_folder, write_file

    if _holds_token(home, client, order):
        return
    path = private_folder(token_file(home, client).parent) / token_file(home, client).name
    with open_memory(home, live=False) as memory:
        with suppress(NotFound):
            memory.tokens.revoke(_token_name(client))
        issued = memory.tokens.add(
            _token_name(client), audience=order.audience, rights=order.rights
        )
        write_file(path, f"{issued.text}\n".encode())


def _holds_token(home: Path, client: str, order: TokenOrder) -> bool:
    """Return whether the file of a client has a valid token with the requested rights."""
    from recollect.memory import open_memory

    path = token_file(home, client)
    if not path.is_file():
        return False
    with open_memory(home, live=False) as memory, suppress(RecollectError):
        token = memory.tokens.verify(path.read_text("ascii", errors="replace").strip())
        return (token.audience, token.rights) == (order.audience, order.rights)
    return False


def _without_token(home: Path, client: str) -> Iterator[str]:
    """Revoke the token of a client's hooks and remove its file; yield what could not be done."""
    from recollect.memory import open_memory
    from recollect.store.failures import os_errors

    try:
        with open_memory(home, live=False) as memory, suppress(NotFound):
            memory.tokens.revoke(_token_name(client))
    except RecollectError as error:
        yield f"The token {_token_name(client)} is still valid: {error.message}."
    path = token_file(home, client)
    with os_errors(path):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()


def _token_name(client: str) -> str:
    return f"{client}-hooks"


def _connected(
    home: Path,
    installation: Installation,
    config: FileChange | None,
    beside: Sequence[str],
    *,
    dry_run: bool,
) -> Connected:
    changes = [*installation.changes, *([] if config is None else [config])]
    files = [_line(change) for change in changes if (change.before, change.after) != (None, None)]
    path = token_file(home, installation.client)
    if installation.token and (path.exists() or not installation.is_removal):
        does: Any = "removed" if installation.is_removal else "stays" if path.exists() else "made"
        files.append(ShownFile(path=str(path), does=does))
    return Connected(
        client=installation.client,
        dry_run=dry_run,
        is_removal=installation.is_removal,
        files=_with_home(home, installation, files, beside),
        notes=list(installation.notes),
        has_hooks=installation.token is not None,
    )


def _with_home(
    home: Path, installation: Installation, files: Sequence[ShownFile], beside: Sequence[str]
) -> list[ShownFile]:
    """Return the changed files, with the record and the new files of the home.

    Args:
        home: Of the memory.
        installation: What is written, or taken back.
        files: What becomes of all others.
        beside: Files that are made; of a removal the programs that were taken out before.
    """
    clients, client = installed(home), installation.client
    does: Any = "stays"
    if installation.is_removal:
        if client not in clients:
            return list(files)
        does = "changed" if clients.keys() - {client, *beside} else "removed"
        return [*files, ShownFile(path=str(home / RECORD_FILE), does=does)]
    if client not in clients or any(each.does != "stays" for each in files):
        does = "changed" if clients else "made"
    changes = [replace(each, does="made") if each.path in beside else each for each in files]
    new = [path for path in beside if path not in {each.path for each in files}]
    return [
        *changes,
        ShownFile(path=str(home / RECORD_FILE), does=does),
        *(ShownFile(path=path, does="made") for path in new),
    ]


def _about_worker(home: Path) -> list[str]:
    """Return what to do if a worker still runs with the previous settings."""
    if not is_served(home):
        return []
    return ["Start the worker again, it follows no transcripts yet: recollect serve stop."]


def _line(change: FileChange) -> ShownFile:
    if change.before == change.after:
        return ShownFile(path=change.path, does="stays")
    does: Any = (
        "made" if change.before is None else "removed" if change.after is None else "changed"
    )
    return ShownFile(path=change.path, does=does, diff=_diff(change))


def _diff(change: FileChange) -> list[str]:
    texts = [(side or b"").decode(errors="replace") for side in (change.before, change.after)]
    before, after = (text.splitlines() for text in texts)
    lines = difflib.unified_diff(before, after, lineterm="", n=_AROUND)
    return [line for line in lines if not line.startswith(("---", "+++"))]
