"""Installs an integration into the files of an agent program, and removes it.

The changes are computed first, as an `Installation` of whole files, so that they can be shown
before anything is written. `apply` records in ``integrations.json`` of the home what it wrote: its
own files, and the steps in files of others. `removal` computes from that record, and from the
current files, how to undo all of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from recollect.core.decoding import decode_json
from recollect.core.errors import Conflict, StoreError
from recollect.governance.tokens import Right
from recollect.integrations.file_change import (
    FileChange,
    WrittenFile,
    content_of,
    json_change,
    own_change,
    taken_back,
    toml_change,
)
from recollect.integrations.json_text import JsonEntry
from recollect.store.failures import os_errors
from recollect.store.files import is_draft_of, sync_folder, write_file

RECORD_FILE = "integrations.json"
"""In the home: what was written where."""


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What an integration needs to know of this machine.

    Attributes:
        home: The absolute folder of the memory.
        python: The absolute path of the interpreter.
        hook: The absolute path of the hook client.
        url: The address of the worker, for clients that call it directly; None where it has no
            fixed one.
        options: The user's choices, by name.
    """

    home: Path
    python: str
    hook: str
    url: str | None = None
    options: Mapping[str, Any] = {}


class TokenOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A token that the hooks or the plugin of a client need; see `recollect.governance.tokens`."""

    audience: str = "owner"
    rights: Right = "hooks"


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """All that is written for a client, or undone.

    Attributes:
        client: The agent program, such as ``claude-code``.
        changes: Files, including unchanged ones.
        notes: What the user must know or do, one sentence each.
        follows: Entries of ``workspace.transcripts`` that it needs; in a removal, those that an
            installation added.
        token: The token that it needs, in `token_file`; None: it needs none.
        autostart: What it sets ``worker.autostart`` to; None: it leaves that as it is.
        roots: Entries of ``checkpoints.roots`` that it needs, which switch checkpoints on; in a
            removal, those that an installation added.
        options: The user's choices, to be recorded; see `Setup`.
        is_removal: Whether it removes an integration.
    """

    client: str
    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    token: TokenOrder | None = None
    autostart: bool | None = None
    roots: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    is_removal: bool = False


class Integration(Protocol):
    """An agent program that recollect can be installed into."""

    name: str
    """As in commands: ``claude-code``."""
    title: str
    """Its name as users write it: ``Claude Code``."""

    def is_here(self) -> bool:
        """Return whether the program was used on this machine by this user."""

    def installation(self, setup: Setup) -> Installation:
        """Return the changes that an installation would make; nothing is written."""


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The record of what was written for a client.

    Attributes:
        files: All of them.
        folders: Those that were created for them, outermost first.
        follows: As in `Installation`, without what the settings had before.
        token: As in `Installation`.
        autostart: As in `Installation`; None where the user had set it.
        roots: As in `Installation`, without what the settings had before.
        options: As in `Installation`.
    """

    files: tuple[WrittenFile, ...] = ()
    folders: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    token: TokenOrder | None = None
    autostart: bool | None = None
    roots: tuple[str, ...] = ()
    options: dict[str, Any] = {}


def token_file(home: Path, client: str) -> Path:
    """Return the path of the token of a client's hooks."""
    return home / "hooks" / f"{client}.token"


def checkpointed(setup: Setup) -> tuple[str, ...]:
    """Return the folder whose files are kept before tools change them, as the user chose."""
    root = setup.options.get("checkpoints")
    return (root,) if root else ()


def installation_of(
    home: Path,
    client: str,
    *,
    own: Mapping[Path, bytes] | None = None,
    entries: Mapping[Path, Sequence[JsonEntry]] | None = None,
    tables: Mapping[Path, str] | None = None,
    notes: Sequence[str] = (),
    follows: Sequence[str] = (),
    token: TokenOrder | None = None,
    roots: Sequence[str] = (),
) -> Installation:
    """Return the changes that leave what is wanted in a client's files, and nothing older of ours.

    What only an earlier installation wrote is removed.

    Args:
        home: The home of the memory, with the record.
        client: As in `Installation`.
        own: Files of our own, whole.
        entries: The required entries, by JSON file of another program.
        tables: A required table, by TOML file of another program.
        notes: As in `Installation`.
        follows: As in `Installation`.
        token: As in `Installation`.
        roots: As in `Installation`.

    Raises:
        Conflict: a file that would be ours was not written by us.
        InvalidInput: a file is not valid; the hint has what to put into it by hand.
        Denied: a file is a link, or not the user's.
        StoreError: a file cannot be read.
    """
    records = {Path(each.path): each for each in _record_of(home, client).files}
    paths = {*(own or {}), *(entries or {}), *(tables or {})}
    changes = [own_change(path, records.get(path), each) for path, each in (own or {}).items()]
    changes += [json_change(path, records.get(path), e) for path, e in (entries or {}).items()]
    changes += [toml_change(path, records.get(path), t) for path, t in (tables or {}).items()]
    changes += [taken_back(each) for path, each in records.items() if path not in paths]
    return Installation(
        client=client,
        changes=tuple(changes),
        notes=tuple(notes),
        follows=tuple(follows),
        token=token,
        roots=tuple(roots),
    )


def removal(home: Path, client: str) -> Installation:
    """Return the removal of an integration: own files go, and what is ours in files of others.

    Raises:
        InvalidInput: a file of another program can no longer be parsed.
        Denied: a file is a link now, or not the user's.
        StoreError: a file cannot be read.
    """
    record = _record_of(home, client)
    return Installation(
        client=client,
        changes=tuple(map(taken_back, record.files)),
        follows=record.follows,
        token=record.token,
        autostart=record.autostart,
        roots=record.roots,
        is_removal=True,
    )


def apply(home: Path, installation: Installation) -> None:
    """Apply an installation, each file in one step.

    The record is written first. Files of our own exist before a file of another program names them,
    and are removed after it: if killed at any point, the client works, and the same call or a
    removal continues.

    Raises:
        Conflict: a file changed since the installation was computed; nothing was written.
        StoreError: a file cannot be written. What was written so far is in the record.
    """
    changes = installation.changes
    for change in changes:
        if content_of(Path(change.path)) != change.before:
            raise _changed_meanwhile(change.path)
    records = installed(home)
    before = records.pop(installation.client, Record())
    record = _during(before, changes)
    if not installation.is_removal:
        new = [each for each in installation.follows if each not in before.follows]
        record = replace(
            record,
            follows=(*before.follows, *new),
            roots=tuple(dict.fromkeys((*before.roots, *installation.roots))),
            token=installation.token,
            autostart=installation.autostart,
            options=dict(installation.options),
        )
    _write_records(home, records | {installation.client: record})
    for change in sorted(changes, key=_goes_late):
        _write(change)
    remaining = _after(record, changes)
    is_kept = remaining.files and not installation.is_removal
    _write_records(home, records | ({installation.client: remaining} if is_kept else {}))


def installed(home: Path) -> dict[str, Record]:
    """Return the records of what was written, by client.

    Raises:
        StoreError: the record cannot be read.
    """
    path = home / RECORD_FILE
    content = content_of(path)
    if content is None:
        return {}
    try:
        return decode_json(content, dict[str, Record])
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"{RECORD_FILE} cannot be read",
            hint="take what recollect wrote out of the settings of your agents by hand,"
            f" then delete {path}",
            path=str(path),
        ) from error


def _record_of(home: Path, client: str) -> Record:
    return installed(home).get(client, Record())


def _changed_meanwhile(path: str) -> Conflict:
    return Conflict(
        f"{path} was changed meanwhile; nothing was written", hint="run it again", path=path
    )


def _goes_late(change: FileChange) -> int:
    """Return the sort key: our own files, then those of others, then removed files of ours."""
    return 1 if change.steps is not None else 0 if change.after is not None else 2


def _write(change: FileChange) -> None:
    path = Path(change.path)
    _sweep(path)
    if change.after == change.before:
        return
    if change.after is None:
        with os_errors(path):
            path.unlink(missing_ok=True)
            sync_folder(path.parent)
        return
    with os_errors(path.parent):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Set on the draft, so that the umask does not change the mode of a file of others.
    write_file(path, change.after, check=lambda draft: draft.chmod(change.mode))


def _sweep(path: Path) -> None:
    """Remove the drafts that a killed call left beside a file."""
    with suppress(OSError):
        for each in path.parent.iterdir():
            if is_draft_of(each.name, path.name):
                each.unlink(missing_ok=True)


def _during(before: Record, changes: Sequence[FileChange]) -> Record:
    """Return a record of what was written before and what is about to be written."""
    files = {each.path: each for each in before.files}
    folders = dict.fromkeys(before.folders)
    for change in changes:
        if change.after is not None:
            files[change.path] = _written(change, files.get(change.path))
            folders |= dict.fromkeys(_missing_parents(change.path))
    return replace(before, files=tuple(files.values()), folders=tuple(folders))


def _written(change: FileChange, record: WrittenFile | None) -> WrittenFile:
    """Return the entry to record for a file that may be in its old or its new state."""
    text = None if change.before is None else change.before.decode(errors="replace")
    blank = text if text is not None and not text.strip() else None
    steps = change.steps
    if record is not None and record.steps and steps is not None and steps != record.steps:
        steps = record.steps + steps
    return WrittenFile(
        path=change.path,
        is_made=text is None if record is None else record.is_made,
        blank=blank if record is None else record.blank,
        steps=steps,
    )


def _after(during: Record, changes: Sequence[FileChange]) -> Record:
    """Return the record of the current state; empty folders are removed."""
    steps = {each.path: each.steps for each in changes if each.after is not None}
    files = (
        replace(each, steps=steps[each.path])
        for each in during.files
        if each.path in steps and steps[each.path] != ()
    )
    for folder in sorted(during.folders, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)
    folders = tuple(folder for folder in during.folders if os.path.isdir(folder))
    return replace(during, files=tuple(files), folders=folders)


def _missing_parents(path: str) -> Iterator[str]:
    """Yield the folders to create for a file, outermost first."""
    yield from (str(each) for each in reversed(Path(path).parents) if not each.exists())


def _write_records(home: Path, records: Mapping[str, Record]) -> None:
    path = home / RECORD_FILE
    _sweep(path)
    if records:
        content = msgspec.json.format(msgspec.json.encode(records), indent=2)
        write_file(path, content + b"\n")
    elif path.exists():
        with os_errors(path):
            path.unlink()
            sync_folder(home)
