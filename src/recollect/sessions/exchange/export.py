"""Exports: a session as the lines of a foreign transcript, whole, whatever its length.

A file appears complete under its name or not at all, for its owner alone, and never in place of
another file unless that was asked for. What the lines look like is the business of a writer.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from recollect.core.errors import Conflict, InvalidInput, NotFound, RecollectError
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.exchange.transcript_format import Owned, TranscriptWriter
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.sessions import Sessions
from recollect.store.failures import translate_os
from recollect.store.files import DRAFT_SUFFIX, sync, sync_folder

_PAGE = 500
"""Messages read at once."""
_CHUNK_BYTES = 1024 * 1024


class ExportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an export wrote.

    Attributes:
        session_id: Of which session.
        format: In which format.
        path: Where to, absolute.
        messages: How many messages, those that a fork shares with its parents included.
        bytes: Size of the file.
    """

    session_id: str
    format: str
    path: str
    messages: int
    bytes: int


class SessionExport:
    """One session on its way out.

    Args:
        sessions: Where it is, as its reader sees it.
        session_id: Which one.
        writer: What the lines look like.
    """

    def __init__(self, sessions: Sessions, session_id: str, writer: TranscriptWriter) -> None:
        self._sessions = sessions
        self._session = sessions.get(session_id)
        self._writer = writer
        self.messages = 0
        """How many messages were written so far."""

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, without line breaks.

        Raises:
            StoreError: the database cannot be read.
        """
        for record in self._writer.records(self._session, self._items()):
            yield msgspec.json.encode(record)

    def save(self, path: Path | str, *, replace: bool = False) -> ExportReport:
        """Write the lines into a file (0600); it is there whole or not at all.

        Raises:
            Conflict: there is something with this name, and it was not said to replace it.
            NotFound: the folder is missing.
            InvalidInput: the path cannot be one.
            StoreError: the disk or the database refused.
        """
        path = _placed(Path(path))
        if not replace and os.path.lexists(path):
            raise _is_there(path)
        size = write_lines(path, self.lines(), replace=replace)
        return ExportReport(
            session_id=self._session.id,
            format=self._writer.name,
            path=str(path),
            messages=self.messages,
            bytes=size,
        )

    def _items(self) -> Iterator[Owned | Compaction]:
        """Yield the messages, and each summary after the last one that it replaces."""
        waiting = self._sessions.compactions(self._session.id)[::-1]
        for message in self._messages():
            while waiting and waiting[-1].through_seq < message.seq:
                yield waiting.pop()
            self.messages += 1
            yield Owned(self._owner(message), message)
        yield from reversed(waiting)

    def _messages(self) -> Iterator[Message]:
        seq = 0
        while page := self._sessions.messages(self._session.id, _PAGE, after_seq=seq):
            yield from page
            seq = page[-1].seq

    def _owner(self, message: Message) -> Session:
        if message.session_id == self._session.id:
            return self._session
        if self._parent is None or self._parent.id != message.session_id:
            self._parent = self._sessions.get(message.session_id)
        return self._parent

    _parent: Session | None = None


def write_lines(path: Path, lines: Iterable[bytes], *, replace: bool) -> int:
    """Write a file of lines (0600) in one step; return its size in bytes.

    Raises:
        Conflict: it is there, and is not to be replaced.
        StoreError: the disk refused; nothing is left over.
    """
    draft = path.with_name(f".{path.name[:200]}.{secrets.token_hex(8)}{DRAFT_SUFFIX}")
    try:
        size = _write_draft(draft, lines)
        if replace:
            os.replace(draft, path)
        else:
            os.link(draft, path)
        sync_folder(path.parent)
    except FileExistsError as error:
        raise _is_there(path) from error
    except OSError as error:
        raise translate_os(error, path) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return size


def _write_draft(draft: Path, lines: Iterable[bytes]) -> int:
    size = 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(draft, flags, 0o600), "wb", buffering=_CHUNK_BYTES) as file:
        for line in lines:
            size += file.write(line + b"\n")
        file.flush()
        sync(file.fileno())
    return size


def _placed(path: Path) -> Path:
    try:
        placed = path.expanduser().absolute()
        placed.parent.lstat()
    except FileNotFoundError as error:
        raise NotFound("the folder of the export is missing", hint="make it first") from error
    except (RuntimeError, ValueError) as error:  # ~nobody, NUL
        raise InvalidInput("this can be no path", hint="name a new file") from error
    except OSError as error:
        raise translate_os(error, path) from error
    if "\0" in placed.name:
        raise InvalidInput("this can be no path", hint="name a new file")
    return placed


def _is_there(path: Path) -> RecollectError:
    return Conflict(
        "there is a file with this name",
        hint="choose another name, or say that it may be replaced (--force)",
        path=str(path),
    )
