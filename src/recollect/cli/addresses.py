"""Addresses: how people name a message or lines of a file on the command line.

A message is named by its number, ``m88``, its id or ``SESSION:SEQ``, where the session is anything
that `Sessions.find` understands; lines by ``PATH:12`` or ``PATH:12-18``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from recollect.core.errors import NotFound
from recollect.core.numbers import parse_record

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.server.client import WorkerMemory
    from recollect.sessions.record.message import Message
    from recollect.sessions.sessions import Sessions

SHORT = 8
"""Characters of a shown session id. They are its last: ids of one moment begin alike."""

_IN_SESSION = re.compile(r"(.+):(\d{1,9})")
_LINES = re.compile(r"(.+\.md):(\d{1,9})(?:-(\d{1,9}))?")


class LineRange(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a memory file; ``first`` from 1, ``last`` inclusive, None to the end."""

    path: str
    first: int = 1
    last: int | None = None


def short(session_id: str) -> str:
    """Return the part of a session id that is shown."""
    return session_id[-SHORT:]


def lines_of(address: str) -> LineRange | None:
    """Return the lines that an address means; None when it means a record."""
    match = _LINES.fullmatch(address)
    if match:
        path, first, last = match.groups()
        return LineRange(path=path, first=int(first), last=int(last) if last else None)
    if parse_record(address) is not None or _IN_SESSION.fullmatch(address):
        return None
    return LineRange(path=address)


def find_message(sessions: Sessions, address: str) -> Message:
    """Return the message of an address.

    Raises:
        NotFound: there is none.
        Conflict: it could be in several sessions.
    """
    match = _IN_SESSION.fullmatch(address)
    if not match:
        return sessions.message(address)
    session, seq = sessions.find(match[1]), int(match[2])
    messages = sessions.messages(session.id, limit=1, after_seq=seq - 1)
    if not messages or messages[0].seq != seq:
        raise NotFound(
            f"session {short(session.id)} has no message {seq}",
            hint=f"see `recollect transcript {short(session.id)}`; it has {session.last_seq}",
        )
    return messages[0]


def path_or_name(text: str) -> str:
    """Return the absolute path if the text looks like a path; otherwise the text.

    >>> path_or_name("shop")
    'shop'
    """
    looks = text.startswith(("~", ".", "/"))
    return os.path.abspath(os.path.expanduser(text)) if looks else text


def project_path(memory: Memory | WorkerMemory, text: str) -> str:
    """Return a path of the project that somebody names by a path, a name or an id.

    Raises:
        NotFound: none does.
    """
    return memory.projects.path_of(path_or_name(text))


def path_to_keep(memory: Memory, text: str) -> str:
    """Return a path of the project that somebody names; of a folder of none, the folder's.

    Raises:
        NotFound: it is neither a project nor a folder.
    """
    folder = Path(text).expanduser()
    if not folder.is_dir():
        return project_path(memory, text)
    project = memory.projects.known(str(folder.resolve()))
    return str(folder.resolve()) if project is None else project.paths[0]
