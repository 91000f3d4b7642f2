"""Exports: a session as the lines of a foreign transcript, whole, whatever its length.

A file appears complete under its name or not at all, for its owner alone, and never in place of
another file unless that was requested. The format of the lines is the business of a writer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from recollect.core.checks import checked
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.settings import user_path
from recollect.exchange.transcript import Owned, TranscriptWriter
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.sessions import Sessions
from recollect.store.failures import translate_os
from recollect.store.files import write_file

_PAGE = 500
"""Messages read at once."""


class ExportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an export wrote.

    Attributes:
        session_id: The session.
        format: The format.
        path: The file, absolute.
        messages: The number of messages, those that a fork shares with its parents included.
        bytes: Size of the file.
    """

    session_id: str
    format: str
    path: str
    messages: int
    bytes: int


@checked
class SessionExport:
    """The export of one session.

    Args:
        sessions: Reads it, as its reader sees it.
        session_id: The session.
        writer: Writes the lines.
    """

    def __init__(self, sessions: Sessions, session_id: str, writer: TranscriptWriter) -> None:
        self._sessions = sessions
        self._session = sessions.get(session_id)
        self._writer = writer
        self.messages: int = 0
        """The number of messages written so far."""

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
            Conflict: there is something with this name, and ``replace`` is not given.
            NotFound: the folder is missing.
            InvalidInput: the path cannot be one.
            StoreError: the disk or the database refused.
        """
        path = placed(Path(path))
        size = write_file(path, (line + b"\n" for line in self.lines()), replace=replace)
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


def placed(path: Path) -> Path:
    """Return the absolute path of a new file.

    Raises:
        NotFound: its folder is missing.
        InvalidInput: it cannot be the name of a file.
    """
    try:
        placed = user_path(path).absolute()
        placed.parent.lstat()
    except FileNotFoundError as error:
        raise NotFound("the folder of the export is missing", hint="make it first") from error
    except (RuntimeError, ValueError) as error:  # no such ~user, NUL
        raise InvalidInput("the path must name a file", hint="name a new file") from error
    except OSError as error:
        raise translate_os(error, path) from error
    if "\0" in placed.name:
        raise InvalidInput("the path must name a file", hint="name a new file")
    return placed
