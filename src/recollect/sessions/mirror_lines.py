"""The lines of a mirror: what one session looks like as readable JSON lines.

A header, then one line for each message in the order of seq. The same rows give the same bytes,
so that a mirror can be checked by comparing. Knows the database, no files.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import LiteralString

import msgspec

from recollect.core.clock import to_datetime
from recollect.store.cell import integer, text, text_or_none
from recollect.store.engine import Database, Row, SqlValue, Transaction

BATCH_BYTES = 4 * 1024 * 1024
"""How much is read, and written, at once: one long message, or some thousand short ones."""

_BATCH_ROWS = 1_000

_FORMAT = 1
_HEADER: LiteralString = """
    SELECT id, tenant, agent, user_id, project, key, parent_id, forked_at_seq, created_at
    FROM sessions WHERE id = ?
"""
_MESSAGES: LiteralString = """
    SELECT seq, id, role, name, created_at, content, metadata
    FROM messages WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?
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
    metadata: msgspec.Raw | None = None


class _Place(msgspec.Struct, frozen=True):
    seq: int


def mirror_lines(database: Database, session_id: str) -> Iterator[bytes]:
    """Yield all lines of a session, without line breaks; none if there is no such session."""
    row = database.read(lambda tx: tx.row(_HEADER, (session_id,)))
    if row is not None:
        yield _header_line(row)
        yield from message_lines(database, session_id, 0)


def message_lines(database: Database, session_id: str, after_seq: int) -> Iterator[bytes]:
    """Yield the lines of the messages with a greater seq."""
    while rows := database.read(partial(_rows, session_id=session_id, after_seq=after_seq)):
        yield from map(_message_line, rows)
        after_seq = integer(rows[-1][0])


def message_line(database: Database, session_id: str, seq: int) -> bytes | None:
    """Return the line of one message."""
    rows = database.read(lambda tx: _rows(tx, session_id, seq - 1, 1))
    return _message_line(rows[0]) if rows and rows[0][0] == seq else None


def seq_of_line(line: bytes) -> int | None:
    """Return the seq that a line names: 0 for a header, None if it is no line of a mirror."""
    try:
        if b'"recollect"' in line[:20]:
            return 0 if msgspec.json.decode(line, type=HeaderLine).recollect == _FORMAT else None
        return msgspec.json.decode(line, type=_Place).seq
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _rows(tx: Transaction, session_id: str, after_seq: int, limit: int = _BATCH_ROWS) -> list[Row]:
    found: list[Row] = []
    size = 0
    for row in tx.rows(_MESSAGES, (session_id, after_seq, limit)):
        found.append(row)
        size += len(text(row[5]))
        if size > BATCH_BYTES:
            break
    return found


def _header_line(row: Row) -> bytes:
    values: list[SqlValue] = list(row)
    return msgspec.json.encode(
        HeaderLine(
            recollect=_FORMAT,
            type="session",
            id=text(values[0]),
            tenant=text(values[1]),
            agent=text_or_none(values[2]),
            user=text_or_none(values[3]),
            project=text_or_none(values[4]),
            key=text_or_none(values[5]),
            parent_id=text_or_none(values[6]),
            forked_at_seq=None if values[7] is None else integer(values[7]),
            created_at=_iso(integer(values[8])),
        )
    )


def _message_line(row: Row) -> bytes:
    seq, id_, role, name, created_at, content, metadata = row
    return msgspec.json.encode(
        MessageLine(
            type="message",
            seq=integer(seq),
            id=text(id_),
            role=text(role),
            name=text_or_none(name),
            at=_iso(integer(created_at)),
            content=msgspec.Raw(text(content).encode()),
            metadata=None if metadata == "{}" else msgspec.Raw(text(metadata).encode()),
        )
    )


def _iso(ms: int) -> str:
    return to_datetime(ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")
