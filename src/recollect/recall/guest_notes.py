"""Guests' notes: finds the lines that flushes wrote for sessions that are not the owner's.

Such sessions are no longer flushed, see `flush`. What was written before is in the notes of the
workspace, where every direct chat reads it. A line is recognized by its text: one that the owner
said as well is also listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from recollect.audience.visibility import is_owners
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.events import MemoryFlushed
from recollect.sessions.context.flush import note_key, stated
from recollect.sessions.context.flushed_notes import LARGEST_BYTES
from recollect.sessions.context.summary import utterance_of
from recollect.sessions.record.message import Message
from recollect.sessions.sessions import Sessions
from recollect.store.paths import read_beneath

_BATCH = 1_000


class GuestNotes(msgspec.Struct, frozen=True, kw_only=True):
    """The notes of one session in one file.

    Attributes:
        session_id: The session that said it.
        path: The file, relative to the workspace.
        written: Lines that its flushes wrote there.
        lines: The numbers of those that are still there, from 1; empty where they were removed, or
            written by a language model.
    """

    session_id: str
    path: str
    written: int
    lines: tuple[int, ...]


def guest_notes(
    sessions: Sessions, flushes: Iterable[MemoryFlushed], workspace: Path
) -> list[GuestNotes]:
    """Return the notes of a workspace that come from sessions of guests.

    Sessions and files that are gone are left out.

    Args:
        sessions: Of the home; their `owner` decides who is a guest.
        flushes: All flushes so far.
        workspace: The folder that holds ``memory/``.
    """
    counts: dict[str, Counter[str]] = {}
    for flush in flushes:
        session_id = flush.scope.session
        if flush.lines and session_id is not None:
            counts.setdefault(session_id, Counter())[flush.path] += flush.lines
    notes: list[GuestNotes] = []
    for session_id, files in counts.items():
        if _is_guests(sessions, session_id):
            keys = _said(sessions, session_id)
            notes += [
                GuestNotes(session_id=session_id, path=path, written=number, lines=lines)
                for path, number in files.items()
                if (lines := _lines(workspace, path, keys)) is not None
            ]
    return notes


def _is_guests(sessions: Sessions, session_id: str) -> bool:
    try:
        return not is_owners(sessions.get(session_id), sessions.owner)
    except NotFound:
        return False


def _said(sessions: Sessions, session_id: str) -> set[str]:
    """Return the keys of all notes that a session can have produced."""
    utterances = map(utterance_of, _messages(sessions, session_id))
    return {note_key(note.text) for note in stated(utterances)} - {""}


def _messages(sessions: Sessions, session_id: str) -> Iterator[Message]:
    after = 0
    while batch := sessions.messages(session_id, _BATCH, after_seq=after):
        yield from batch
        after = batch[-1].seq


def _lines(workspace: Path, path: str, keys: set[str]) -> tuple[int, ...] | None:
    """Return the numbers of the lines whose key is one of ``keys``; None without the file."""
    try:
        content = read_beneath(workspace, path, limit=LARGEST_BYTES)
    except (NotFound, Denied, InvalidInput):
        return None
    lines = content.decode("utf-8-sig", "replace").splitlines()
    return tuple(number for number, line in enumerate(lines, start=1) if note_key(line) in keys)
