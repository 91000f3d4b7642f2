"""Changes of one file: computed from its current content, without writing.

A file of our own is written and removed whole. A file of another program is changed in its text,
and the steps are recorded: they undo the change, whatever else was edited since.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from recollect.core.errors import Conflict, Denied, InvalidInput
from recollect.integrations.json_text import JsonEntry, Step, object_of, with_entries, without_steps
from recollect.integrations.toml_tables import TomlTable, with_table, without_table
from recollect.store.failures import os_errors

OWN_MODE = 0o600
_MOST_BYTES = 8 * 1024 * 1024
"""No settings file is larger; a larger file is not one."""
_EMPTY = "{}\n"
_BOM = b"\xef\xbb\xbf"
_Kind = TypeVar("_Kind", Step, TomlTable)


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """A file before and after.

    Attributes:
        path: Absolute.
        before: None where it is missing.
        after: None where it is removed. May equal ``before``.
        mode: Who may use it.
        steps: The changes to a file of another program; None for a file of our own.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = OWN_MODE
    steps: tuple[Step | TomlTable, ...] | None = None


class WrittenFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The record of a written file.

    Attributes:
        path: Absolute.
        is_made: Whether it did not exist before.
        blank: The content of a file that had no value; None where it had one.
        steps: As in `FileChange`.
    """

    path: str
    is_made: bool = False
    blank: str | None = None
    steps: tuple[Step | TomlTable, ...] | None = None


def own_change(path: Path, record: WrittenFile | None, content: bytes) -> FileChange:
    """Return the change that gives a file of ours its content.

    Raises:
        Conflict: another file exists that this home did not write.
        StoreError: it cannot be read.
    """
    before = content_of(path)
    if record is None and before not in (None, content):
        ours = next((each for each in path.parents if each.name == "recollect"), path)
        raise Conflict(
            f"{path} was not written for this home",
            hint=f"delete {ours} and try again, unless another home uses it",
            path=str(path),
        )
    return FileChange(path=str(path), before=before, after=content)


def json_change(path: Path, record: WrittenFile | None, entries: Sequence[JsonEntry]) -> FileChange:
    """Return the change that leaves entries, and no older ones, in another program's JSON file.

    Raises:
        InvalidInput: the file is not valid; the hint has what to put in by hand.
        Denied: it is a link, or not the user's.
        StoreError: it cannot be read.
    """
    pasted = with_entries(_EMPTY, entries)[0]
    before = _foreign_content(path, pasted)
    text = _text_of(before, path)
    document = text if text.strip() else _EMPTY
    known_steps = _steps(record, Step)
    try:
        after, steps = with_entries(without_steps(document, known_steps), entries)
        if known_steps and object_of(after) == object_of(document):
            after, steps = document, known_steps
    except InvalidInput as error:
        raise InvalidInput(
            f"{path}: {error.message}", hint=f"put this into it by hand: {pasted}", path=str(path)
        ) from error
    return _foreign_change(path, before, after, steps)


def toml_change(path: Path, record: WrittenFile | None, table: str) -> FileChange:
    """Return the change that leaves a table, and no older one, in another program's TOML file.

    Raises:
        InvalidInput: the file is not valid; the hint has what to put in by hand.
        Denied: it is a link, or not the user's.
        StoreError: it cannot be read.
    """
    before = _foreign_content(path, table)
    bare = text = _text_of(before, path)
    try:
        for each in _steps(record, TomlTable):
            bare = without_table(bare, each)
        after, step = with_table(bare, table)
    except InvalidInput as error:
        raise InvalidInput(
            f"{path}: {error.message}", hint=f"put this into it by hand: {table}", path=str(path)
        ) from error
    if tomllib.loads(after) == tomllib.loads(text):
        return _foreign_change(path, before, text, _steps(record, TomlTable))
    return _foreign_change(path, before, after, (step,))


def _foreign_change(
    path: Path,
    before: bytes | None,
    after: str,
    steps: Sequence[Step | TomlTable],
) -> FileChange:
    content = _bom(before) + after.encode()
    return FileChange(
        path=str(path), before=before, after=content, mode=_mode(path), steps=tuple(steps)
    )


def taken_back(record: WrittenFile) -> FileChange:
    """Return the change that undoes what was written to a file, based on its current content.

    Raises:
        InvalidInput: it can no longer be parsed; the hint says what is ours in it.
        Denied: it is a link now, or not the user's.
        StoreError: it cannot be read.
    """
    path = Path(record.path)
    if record.steps is None:
        return FileChange(path=record.path, before=content_of(path), after=None)
    before = _foreign_content(path)
    text = _without(record, _text_of(before, path))
    after: bytes | None = _bom(before) + text.encode()
    if before is None or (record.is_made and text.strip() in ("", "{}")):
        after = None
    elif record.blank is not None and text.strip() in ("", "{}"):
        after = record.blank.encode()
    return FileChange(path=record.path, before=before, after=after, mode=_mode(path), steps=())


def _without(record: WrittenFile, text: str) -> str:
    steps = _steps(record, Step)
    try:
        for table in _steps(record, TomlTable):
            text = without_table(text, table)
        return without_steps(text, steps) if steps and text.strip() else text
    except InvalidInput as error:
        ours = [".".join((*step.into, step.key or "")) for step in steps if step.value]
        ours += [".".join(table.path) for table in _steps(record, TomlTable)]
        raise InvalidInput(
            f"{record.path}: {error.message}",
            hint=f"take {', '.join(ours)} out by hand, or make the file readable again",
            path=record.path,
        ) from error


def _steps(record: WrittenFile | None, kind: type[_Kind]) -> tuple[_Kind, ...]:
    return tuple(each for each in (record and record.steps) or () if isinstance(each, kind))


def content_of(path: Path) -> bytes | None:
    """Return the content of a file; None where it is missing.

    Raises:
        StoreError: it cannot be read.
    """
    with os_errors(path), suppress(FileNotFoundError, NotADirectoryError):
        return path.read_bytes()
    return None


def _foreign_content(path: Path, pasted: str | None = None) -> bytes | None:
    """Return the content of another program's file; None where it is missing.

    Args:
        path: The file.
        pasted: What a person can put into it by hand; None: what is ours must be removed.
    """
    by_hand = (
        "take what is of recollect out of what it leads to by hand"
        if pasted is None
        else f"put this into what it leads to by hand: {pasted}"
    )
    with os_errors(path), suppress(FileNotFoundError):
        there = path.lstat()
        if not stat.S_ISREG(there.st_mode):
            what = "a link" if stat.S_ISLNK(there.st_mode) else "not a file"
            raise Denied(
                f"{path} is {what}",
                hint=by_hand,
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


def _bom(content: bytes | None) -> bytes:
    return _BOM if content is not None and content.startswith(_BOM) else b""


def _text_of(content: bytes | None, path: Path) -> str:
    try:
        return (content or b"").removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} must be UTF-8", hint="write it as UTF-8, then try again", path=str(path)
        ) from error


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return OWN_MODE
