"""The lines of a mirror: what one session looks like as readable JSON lines.

A header, then one line for each message in the order of seq, and one for each compaction after
the message that was the newest when it was made. The same rows give the same bytes, so that a
mirror can be checked by comparing. Knows the database, no files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import LiteralString

import msgspec

from recollect.core.clock import to_iso
from recollect.store.columns import decode, integer, text, text_or_none
from recollect.store.engine import Database, Row, Transaction

BATCH_BYTES = 4 * 1024 * 1024
"""How much is read, and written, at once: one long message, or some thousand short ones."""

_BATCH_ROWS = 1_000

_FORMAT = 1
_HEADER: LiteralString = """
    SELECT id, created_at, tenant, key, agent, user_id, project, parent_id, forked_at_seq
    FROM sessions WHERE id = ?
"""
_MESSAGES: LiteralString = """
    SELECT seq, id, role, name, created_at, content, metadata, sender
    FROM messages WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?
"""
_END: LiteralString = "SELECT last_seq FROM sessions WHERE id = ?"
_COMPACTIONS: LiteralString = """
    SELECT last_seq, through_seq, id, created_at, summary, made_by, tokens_before, tokens_after
    FROM compactions WHERE session_id = ? AND (last_seq, through_seq) > (?, ?)
    ORDER BY last_seq, through_seq
"""


class HeaderLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line; only what never changes, because lines are only added."""

    recollect: int
    """The version of this format; the key tells whose file it is."""
    type: str
    id: str
    created_at: str
    tenant: str
    key: str | None = None
    agent: str | None = None
    user: str | None = None
    project: str | None = None
    parent_id: str | None = None
    forked_at_seq: int | None = None


class MessageLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message."""

    type: str
    seq: int
    id: str
    role: str
    at: str
    content: msgspec.Raw
    name: str | None = None
    sender: str | None = None
    metadata: msgspec.Raw | None = None


class CompactionLine(msgspec.Struct, frozen=True, kw_only=True):
    """One compaction: ``summary`` replaces in the view the messages up to ``through_seq``."""

    type: str
    seq: int
    """The newest message when it was made."""
    through_seq: int
    id: str
    at: str
    summary: str
    made_by: str
    tokens_before: int
    tokens_after: int


class MirrorPlace(msgspec.Struct, frozen=True, order=True):
    """Where a line is; that of a message has no ``through_seq``, and a header neither."""

    seq: int = 0
    through_seq: int = 0


def mirror_lines(database: Database, session_id: str) -> Iterator[bytes]:
    """Yield all lines of a session, without line breaks; none if the session does not exist."""
    row = database.read(lambda tx: tx.row(_HEADER, (session_id,)))
    if row is not None:
        yield _header_line(row)
        yield from lines_behind(database, session_id, MirrorPlace())


def lines_behind(database: Database, session_id: str, place: MirrorPlace) -> Iterator[bytes]:
    """Yield the lines after a place, as far as they go when the first one is asked for."""
    end, compactions = database.read(lambda tx: _head(tx, session_id, place))
    after = place.seq
    while rows := database.read(lambda tx, seq=after: _rows(tx, session_id, seq, end)):  # type: ignore[misc]  # bound at once
        for row in rows:
            after = integer(row[0])
            while compactions and integer(compactions[0][0]) < after:
                yield _compaction_line(compactions.popleft())
            yield _message_line(row)
    yield from map(_compaction_line, compactions)


def line_at(database: Database, session_id: str, place: MirrorPlace) -> bytes | None:
    """Return the line at a place; None if there is none, or it is the header's."""
    if place.through_seq:
        before = MirrorPlace(place.seq, place.through_seq - 1)
        found = database.read(lambda tx: _head(tx, session_id, before))[1]
        is_there = bool(found) and found[0][:2] == (place.seq, place.through_seq)
        return _compaction_line(found[0]) if is_there else None
    rows = database.read(lambda tx: _rows(tx, session_id, place.seq - 1, place.seq))
    return _message_line(rows[0]) if rows else None


def place_of(line: bytes) -> MirrorPlace | None:
    """Return where a line is; None if it is not a line of a mirror."""
    try:
        if b'"recollect"' in line[:20]:
            header = msgspec.json.decode(line, type=HeaderLine)
            return MirrorPlace() if header.recollect == _FORMAT else None
        place = msgspec.json.decode(line, type=MirrorPlace)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return place if place.seq > 0 else None


def _head(tx: Transaction, session_id: str, place: MirrorPlace) -> tuple[int, deque[Row]]:
    """Return the seq of the newest message, and the compactions after a place."""
    row = tx.row(_END, (session_id,))
    found = tx.rows(_COMPACTIONS, (session_id, place.seq, place.through_seq))
    return integer(row[0]) if row else 0, deque(found)


def _rows(tx: Transaction, session_id: str, after_seq: int, through_seq: int) -> list[Row]:
    found: list[Row] = []
    size = 0
    for row in tx.rows(_MESSAGES, (session_id, after_seq, through_seq, _BATCH_ROWS)):
        found.append(row)
        size += len(text(row[5]))
        if size > BATCH_BYTES:
            break
    return found


def _header_line(row: Row) -> bytes:
    at = to_iso(integer(row[1]))
    names = HeaderLine.__struct_fields__[2:]
    line = decode(HeaderLine, names, row, recollect=_FORMAT, type="session", created_at=at)
    return msgspec.json.encode(line)


def _message_line(row: Row) -> bytes:
    seq, id_, role, name, created_at, content, metadata, sender = row
    return msgspec.json.encode(
        MessageLine(
            type="message",
            seq=integer(seq),
            id=text(id_),
            role=text(role),
            name=text_or_none(name),
            sender=text_or_none(sender),
            at=to_iso(integer(created_at)),
            content=msgspec.Raw(text(content).encode()),
            metadata=None if metadata == "{}" else msgspec.Raw(text(metadata).encode()),
        )
    )


def _compaction_line(row: Row) -> bytes:
    at = to_iso(integer(row[3]))
    names = CompactionLine.__struct_fields__[1:]
    line = decode(CompactionLine, names, row, type="compaction", at=at)
    return msgspec.json.encode(line)
