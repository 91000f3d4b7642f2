"""Puts an integration into the files of an agent program, and takes it out again.

What is written is computed first, as an `Installation` of whole files, so that it can be shown
before anything happens. `apply` remembers in ``integrations.json`` of the home what it wrote: its
own files, and in files of others the steps that it took. `removal` computes from that record, and
from the files as they are now, what takes all of it back.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from recollect.core.errors import Conflict, Denied, InvalidInput, StoreError
from recollect.integrations.json_text import Entry, Step, object_of, with_entries, without_steps
from recollect.integrations.toml_tables import Table, with_table, without_table
from recollect.store.failures import os_errors
from recollect.store.files import is_draft_of, sync_folder, write_file

RECORD_FILE = "integrations.json"
"""In the home: what was written where."""
OWN_MODE = 0o600
_MOST_BYTES = 8 * 1024 * 1024
"""No settings file is larger; a larger one is something else by mistake."""
_EMPTY = "{}\n"
_Kind = TypeVar("_Kind", Step, Table)


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What an integration needs to know of this machine.

    Attributes:
        home: The absolute folder of the memory.
        python: The absolute path of the interpreter.
        hook: The absolute path of the hook client.
        url: Where the worker serves, for clients that call it directly; None where no fixed
            address is known.
        options: What the user chose, by name.
    """

    home: Path
    python: str
    hook: str
    url: str | None = None
    options: Mapping[str, Any] = {}


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """A file before and after.

    Attributes:
        path: Absolute.
        before: None where it is missing.
        after: None where it is removed. May equal ``before``.
        mode: Who may use it.
        steps: What was done to a file of another program; None for a file of our own.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = OWN_MODE
    steps: tuple[Step | Table, ...] | None = None


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """All that is written for a client, or taken back.

    Attributes:
        client: The agent program, such as ``claude-code``.
        changes: Files, also those that stay as they are.
        notes: What a user must know or do, one sentence each.
        follows: Entries of ``workspace.transcripts`` that it needs; of a removal those that an
            installation put there.
        token: Whether its hooks have a token of their own, see `token_file`.
        is_removal: It takes an integration back.
    """

    client: str
    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    token: bool = False
    is_removal: bool = False


class Integration(Protocol):
    """An agent program that recollect can be put into."""

    name: str
    """As in commands: ``claude-code``."""
    title: str
    """As its users write it: ``Claude Code``."""

    def is_here(self) -> bool:
        """Return whether the program was used on this machine by this user."""

    def installation(self, setup: Setup) -> Installation:
        """Return what would be written; nothing is."""


class Written(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the record says of a file.

    Attributes:
        path: Absolute.
        is_made: It was not there before.
        blank: What a file without a value held; None where it had one.
        steps: As in `FileChange`.
    """

    path: str
    is_made: bool = False
    blank: str | None = None
    steps: tuple[Step | Table, ...] | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was written for a client.

    Attributes:
        files: All of them.
        folders: Those that were made for them, outermost first.
        follows: As in `Installation`: what the settings did not have before.
        token: As in `Installation`.
    """

    files: tuple[Written, ...] = ()
    folders: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    token: bool = False


def token_file(home: Path, client: str) -> Path:
    """Return where the token of a client's hooks lies."""
    return home / "hooks" / f"{client}.token"


def installation_of(
    home: Path,
    client: str,
    *,
    own: Mapping[Path, bytes] | None = None,
    entries: Mapping[Path, Sequence[Entry]] | None = None,
    tables: Mapping[Path, str] | None = None,
    notes: Sequence[str] = (),
    follows: Sequence[str] = (),
    token: bool = False,
) -> Installation:
    """Return what makes a client's files hold what is wanted, and nothing of an older version.

    What an earlier installation wrote and this one does not want goes.

    Args:
        home: The home of the memory, with the record.
        client: As in `Installation`.
        own: Whole files of ours.
        entries: By JSON file of another program, what it must hold.
        tables: By TOML file of another program, a table that it must hold.
        notes: As in `Installation`.
        follows: As in `Installation`.
        token: As in `Installation`.

    Raises:
        Conflict: a file that would be ours was written by somebody else.
        InvalidInput: a file is not what it must be; the hint has what to put into it by hand.
        Denied: a file is a link, or not the user's.
        StoreError: a file cannot be read.
    """
    known = {Path(each.path): each for each in _record_of(home, client).files}
    wanted = {*(own or {}), *(entries or {}), *(tables or {})}
    changes = [_own_change(path, known.get(path), each) for path, each in (own or {}).items()]
    changes += [_json_change(path, known.get(path), e) for path, e in (entries or {}).items()]
    changes += [_toml_change(path, known.get(path), t) for path, t in (tables or {}).items()]
    changes += [_taken_back(each) for path, each in known.items() if path not in wanted]
    return Installation(
        client=client,
        changes=tuple(changes),
        notes=tuple(notes),
        follows=tuple(follows),
        token=token,
    )


def removal(home: Path, client: str) -> Installation:
    """Return what takes an integration back: own files go, what is ours in files of others too.

    Raises:
        InvalidInput: a file of another program cannot be understood any more.
        Denied: a file is a link now, or not the user's.
        StoreError: a file cannot be read.
    """
    record = _record_of(home, client)
    return Installation(
        client=client,
        changes=tuple(map(_taken_back, record.files)),
        follows=record.follows,
        token=record.token,
        is_removal=True,
    )


def apply(home: Path, installation: Installation) -> None:
    """Write what an installation says, each file in one step.

    The record is written first. Files of our own are there before a file of another program names
    them, and go after it: killed at any place, the client works, and the same call or a removal
    goes on.

    Raises:
        Conflict: a file changed since the installation was computed; nothing was written.
        StoreError: a file cannot be written. What was written is in the record.
    """
    changes = installation.changes
    for change in changes:
        if _content(Path(change.path)) != change.before:
            raise _changed_meanwhile(change.path)
    records = installed(home)
    before = records.pop(installation.client, Record())
    record = _during(before, changes)
    if not installation.is_removal:
        new = [each for each in installation.follows if each not in before.follows]
        record = replace(record, follows=(*before.follows, *new), token=installation.token)
    _write_records(home, records | {installation.client: record})
    for change in sorted(changes, key=_goes_late):
        _write(change)
    left = _after(record, changes)
    kept = left.files and not installation.is_removal
    _write_records(home, records | ({installation.client: left} if kept else {}))


def installed(home: Path) -> dict[str, Record]:
    """Return what is recorded as written, by client.

    Raises:
        StoreError: the record cannot be read.
    """
    path = home / RECORD_FILE
    content = _content(path)
    if content is None:
        return {}
    try:
        return msgspec.json.decode(content, type=dict[str, Record])
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"{RECORD_FILE} cannot be read",
            hint="take what recollect wrote out of the settings of your agents by hand,"
            f" then delete {path}",
            path=str(path),
        ) from error


def _record_of(home: Path, client: str) -> Record:
    return installed(home).get(client, Record())


# --- what a file becomes ------------------------------------------------------------------------


def _own_change(path: Path, known: Written | None, content: bytes) -> FileChange:
    before = _content(path)
    if known is None and before not in (None, content):
        raise Conflict(
            f"{path} was not written for this home",
            hint=f"another home may use it; if nothing does, delete {path.parent}",
            path=str(path),
        )
    return FileChange(path=str(path), before=before, after=content)


def _json_change(path: Path, known: Written | None, entries: Sequence[Entry]) -> FileChange:
    before = _foreign_content(path)
    text = _text_of(before, path)
    document = text if text.strip() else _EMPTY
    known_steps = _steps(known, Step)
    try:
        after, steps = with_entries(without_steps(document, known_steps), entries)
        if known_steps and object_of(after) == object_of(document):
            after, steps = document, known_steps
    except InvalidInput as error:
        pasted = with_entries(_EMPTY, entries)[0]
        raise InvalidInput(
            f"{path}: {error.message}", hint=f"put this into it by hand: {pasted}", path=str(path)
        ) from error
    return _foreign_change(path, before, after, steps)


def _toml_change(path: Path, known: Written | None, table: str) -> FileChange:
    before = _foreign_content(path)
    bare = text = _text_of(before, path)
    try:
        for each in _steps(known, Table):
            bare = without_table(bare, each)
        after, step = with_table(bare, table)
    except InvalidInput as error:
        raise InvalidInput(
            f"{path}: {error.message}", hint=f"put this into it by hand: {table}", path=str(path)
        ) from error
    if tomllib.loads(after) == tomllib.loads(text):
        return _foreign_change(path, before, text, _steps(known, Table))
    return _foreign_change(path, before, after, (step,))


def _foreign_change(
    path: Path,
    before: bytes | None,
    after: str,
    steps: Sequence[Step | Table],
) -> FileChange:
    content = _bom(before) + after.encode()
    return FileChange(
        path=str(path), before=before, after=content, mode=_mode(path), steps=tuple(steps)
    )


def _taken_back(known: Written) -> FileChange:
    path = Path(known.path)
    if known.steps is None:
        return FileChange(path=known.path, before=_content(path), after=None)
    before = _foreign_content(path)
    text = _without(known, _text_of(before, path))
    after: bytes | None = _bom(before) + text.encode()
    if before is None or (known.is_made and text.strip() in ("", "{}")):
        after = None
    elif known.blank is not None and text.strip() in ("", "{}"):
        after = known.blank.encode()
    return FileChange(path=known.path, before=before, after=after, mode=_mode(path), steps=())


def _without(known: Written, text: str) -> str:
    steps = _steps(known, Step)
    try:
        for table in _steps(known, Table):
            text = without_table(text, table)
        return without_steps(text, steps) if steps and text.strip() else text
    except InvalidInput as error:
        ours = [".".join((*step.into, step.key or "")) for step in steps if step.value]
        ours += [".".join(table.path) for table in _steps(known, Table)]
        raise InvalidInput(
            f"{known.path}: {error.message}",
            hint=f"mend it, or take out by hand: {', '.join(ours)}",
            path=known.path,
        ) from error


def _steps(known: Written | None, kind: type[_Kind]) -> tuple[_Kind, ...]:
    return tuple(each for each in (known and known.steps) or () if isinstance(each, kind))


# --- reading ------------------------------------------------------------------------------------


def _content(path: Path) -> bytes | None:
    with os_errors(path), suppress(FileNotFoundError, NotADirectoryError):
        return path.read_bytes()
    return None


def _foreign_content(path: Path) -> bytes | None:
    """Return what a file of another program holds; None where it is missing."""
    with os_errors(path), suppress(FileNotFoundError):
        there = path.lstat()
        if not stat.S_ISREG(there.st_mode):
            what = "a link" if stat.S_ISLNK(there.st_mode) else "not a file"
            raise Denied(
                f"{path} is {what}",
                hint="change what it leads to by hand; --dry-run shows what is needed",
                path=str(path),
            )
        if there.st_uid != os.geteuid():
            raise Denied(
                f"{path} belongs to another user", hint="run this as that user", path=str(path)
            )
        if there.st_size > _MOST_BYTES:
            raise InvalidInput(f"{path} is too large for a settings file", hint="look into it")
        return path.read_bytes()
    return None


_BOM = b"\xef\xbb\xbf"


def _bom(content: bytes | None) -> bytes:
    return _BOM if content is not None and content.startswith(_BOM) else b""


def _text_of(content: bytes | None, path: Path) -> str:
    try:
        return (content or b"").removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} must be UTF-8", hint="save it as UTF-8, then try again", path=str(path)
        ) from error


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return OWN_MODE


def _changed_meanwhile(path: str) -> Conflict:
    return Conflict(
        f"{path} was changed meanwhile; nothing was written", hint="run it again", path=path
    )


# --- writing ------------------------------------------------------------------------------------


def _goes_late(change: FileChange) -> int:
    """Return the order: our own files, then those of others, then what is removed of ours."""
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
    # Set on the draft: what the process masks out is not taken from a file of others.
    write_file(path, change.after, check=lambda draft: draft.chmod(change.mode))


def _sweep(path: Path) -> None:
    """Remove what a killed call left beside a file."""
    with suppress(OSError):
        for each in path.parent.iterdir():
            if is_draft_of(each.name, path.name):
                each.unlink(missing_ok=True)


def _during(before: Record, changes: Sequence[FileChange]) -> Record:
    """Return a record of what was written before and of what is about to be."""
    files = {each.path: each for each in before.files}
    folders = dict.fromkeys(before.folders)
    for change in changes:
        if change.after is not None:
            files[change.path] = _written(change, files.get(change.path))
            folders |= dict.fromkeys(_missing_parents(change.path))
    return replace(before, files=tuple(files.values()), folders=tuple(folders))


def _written(change: FileChange, known: Written | None) -> Written:
    """Return what the record says of a file while it may be as before or as after."""
    text = None if change.before is None else change.before.decode(errors="replace")
    blank = text if text is not None and not text.strip() else None
    steps = change.steps
    if known is not None and known.steps and steps is not None and steps != known.steps:
        steps = known.steps + steps
    return Written(
        path=change.path,
        is_made=text is None if known is None else known.is_made,
        blank=blank if known is None else known.blank,
        steps=steps,
    )


def _after(during: Record, changes: Sequence[FileChange]) -> Record:
    """Return the record of what is there now; folders in which nothing is left are removed."""
    steps = {each.path: each.steps for each in changes if each.after is not None}
    files = (
        replace(each, steps=steps[each.path])
        for each in during.files
        if each.path in steps and steps[each.path] != ()
    )
    for folder in sorted(during.folders, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)
    left = tuple(folder for folder in during.folders if os.path.isdir(folder))
    return replace(during, files=tuple(files), folders=left)


def _missing_parents(path: str) -> Iterator[str]:
    """Yield the folders that will be made for a file, outermost first."""
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
