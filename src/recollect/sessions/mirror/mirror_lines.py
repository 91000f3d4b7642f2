"""The lines of a mirror: one session as readable JSON lines.

A line of the session, then one for each message in the order of seq, and one for each compaction
after the message that was the newest when it was made. When a title, a status or a link of the
session changes, its line is added again: the last one counts. The other lines are the same bytes
for the same rows, so that a mirror can be checked by comparing, and the rows can be made of it
again (`recovered`). Knows the database, no files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import zip_longest
from typing import Annotated, Any, LiteralString, TypeAlias

import msgspec

from recollect.core.clock import to_iso
from recollect.core.decoding import decode_json, json_decoder
from recollect.sessions.record.lineage import Withdrawal
from recollect.sessions.record.message_rows import (
    SELECT_MESSAGES,
    check_span,
    damaged_message,
    is_sound,
)
from recollect.store.columns import decode, integer, text
from recollect.store.engine import Database, Row, Transaction

BATCH_BYTES = 4 * 1024 * 1024
"""How much is read, and written, at once: one long message, or some thousand short ones."""

_BATCH_ROWS = 1_000

FORMAT = 3
"""2 had no numbers of messages."""
COMPLETE = 2
"""1 had no ids of clients and of other programs, and nothing of a session that changes."""
SESSION_LINE = b'{"recollect":'
"""The beginning of the line of a session, and of no other line."""
OUTDATED = (SESSION_LINE + b"1,", SESSION_LINE + b"2,")
_SESSION: LiteralString = """
    SELECT id, created_at, tenant, key, agent, user_id, project, parent_id, forked_at_seq, channel,
        account, chat_type, peer, source, foreign_id, previous_id, title, status, mode, pruned_seq,
        compaction_count - (SELECT count(*) FROM compactions WHERE session_id = sessions.id),
        flush_compaction_count, flushed_at, flushed_seq, ended_at, overrides, metadata,
        (SELECT json_group_array(json_object('id', operation_id, 'session_id', session_id,
            'from_seq', from_seq, 'to_seq', to_seq, 'said_at', said_at, 'stored_at', stored_at,
            'at', at, 'returned_at', returned_at)) FROM (
            SELECT * FROM withdrawn_ranges w WHERE w.session_id = sessions.id
            ORDER BY at, from_seq))
    FROM sessions WHERE id = ?
"""
_MESSAGES: LiteralString = (
    SELECT_MESSAGES + "session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
)
_ENDS: LiteralString = """
    SELECT max(coalesce(forked_at_seq, 0), pruned_seq), last_seq FROM sessions WHERE id = ?
"""
_COMPACTIONS: LiteralString = """
    SELECT last_seq, through_seq, id, created_at, summary, made_by, tokens_before, tokens_after,
        turn_sender
    FROM compactions WHERE session_id = ? AND (last_seq, through_seq) > (?, ?)
    ORDER BY last_seq, through_seq
"""


MOST = (1 << 53) - 1
"""The largest number in a line: every reader of JSON takes it as it is."""
Seq: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
Place: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MOST)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]
UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)
"""The errors raised for a line that is not one of ours."""


class SessionLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The facts of a session; fields as in `Session`, and ``flushed_seq`` of its row."""

    recollect: int
    """The version of this format; the key marks the file as ours."""
    type: str
    id: str
    created_at: str
    tenant: str
    key: str | None = None
    agent: str | None = None
    user: str | None = None
    project: str | None = None
    parent_id: str | None = None
    forked_at_seq: Seq | None = None
    channel: str | None = None
    account: str | None = None
    chat_type: str | None = None
    peer: str | None = None
    source: str | None = None
    foreign_id: str | None = None
    previous_id: str | None = None
    title: str | None = None
    status: str | None = None
    """None, and so the mode, in a line of format 1."""
    mode: str | None = None
    pruned_seq: Seq = 0
    other_compactions: Count = 0
    """Compactions that count and have no line here: of a session before it, or removed."""
    flush_compaction_count: Count | None = None
    flushed_at: Count | None = None
    flushed_seq: Count | None = None
    ended_at: Count | None = None
    overrides: dict[str, Any] = msgspec.field(default_factory=dict)
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    withdrawn: list[Withdrawal] = msgspec.field(default_factory=list)
    """What rewinds took out of it."""


LASTING = (
    *("recollect", "type", "id", "created_at", "tenant", "key", "agent", "user", "project"),
    *("channel", "account", "chat_type", "peer", "source", "foreign_id", "metadata"),
)
"""The fields of a session that never change."""


_NO_FACTS = msgspec.Raw(b"")


class MessageLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message."""

    type: str
    seq: Place
    id: str
    role: str
    at: str
    content: msgspec.Raw
    name: str | None = None
    sender: str | None = None
    turn_sender: str | None = None
    metadata: msgspec.Raw = _NO_FACTS
    recorded_at: str | None = None
    """When it was stored, if that differs from when it was said."""
    event_id: str | None = None
    foreign_id: str | None = None
    number: Place | None = None
    """None in a line of an older format."""


class CompactionLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One compaction: ``summary`` replaces in the view the messages up to ``through_seq``."""

    type: str
    seq: Place
    """The newest message when it was made."""
    through_seq: Place
    id: str
    at: str
    summary: str
    made_by: str
    tokens_before: Count
    tokens_after: Count
    turn_sender: str | None = None
    """For whom it was made, where several people share the session."""


class MirrorPlace(msgspec.Struct, frozen=True, order=True):
    """The position of a line; only a compaction has a ``through_seq``."""

    seq: Seq = 0
    through_seq: Seq = 0


def mirror_lines(database: Database, session_id: str) -> Iterator[bytes]:
    """Yield all lines of a session, without line breaks; none if the session does not exist."""
    line = session_line(database, session_id)
    if line is not None:
        yield line
        yield from lines_behind(database, session_id, MirrorPlace())


def session_line(database: Database, session_id: str) -> bytes | None:
    """Return the line of a session as it is now; None if the session does not exist."""
    row = database.read(lambda tx: tx.row(_SESSION, (session_id,)))
    if row is None:
        return None
    at, withdrawn = to_iso(integer(row[1])), _withdrawn(text(row[-1]))
    names, objects = SessionLine.__struct_fields__[2:], ("overrides", "metadata")
    facts = {"recollect": FORMAT, "type": "session", "created_at": at, "withdrawn": withdrawn}
    return msgspec.json.encode(decode(SessionLine, names, row, objects, **facts))


def lines_behind(database: Database, session_id: str, position: MirrorPlace) -> Iterator[bytes]:
    """Yield the lines after a position, as far as they go when the first one is requested.

    Raises:
        StoreCorrupt: messages are missing, or are not what was stored; lines of those before them
            may have been yielded.
    """
    first, end, compactions = database.read(lambda tx: _head(tx, session_id, position))
    after = max(position.seq, first)
    page = partial(_rows, session_id=session_id, through_seq=end)
    while after < end:
        through, rows = database.read(partial(page, after_seq=after))
        for row in rows:
            while compactions and integer(compactions[0][0]) < integer(row[6]):
                yield _compaction_line(compactions.popleft())
            yield _message_line(row)
        after = through
    yield from map(_compaction_line, compactions)


def line_at(database: Database, session_id: str, position: MirrorPlace) -> bytes | None:
    """Return the line at a position; None if there is none, or it is the session's."""
    if position.through_seq:
        before = MirrorPlace(position.seq, position.through_seq - 1)
        compactions = database.read(lambda tx: _head(tx, session_id, before))[2]
        is_there = bool(compactions) and compactions[0][:2] == (position.seq, position.through_seq)
        return _compaction_line(compactions[0]) if is_there else None

    def unit(tx: Transaction) -> list[Row]:
        first, end, _ = _head(tx, session_id, position)
        is_inside = first < position.seq <= end
        return _rows(tx, session_id, position.seq - 1, position.seq)[1] if is_inside else []

    rows = database.read(unit)
    return _message_line(rows[0]) if rows else None


def place_of(line: bytes) -> MirrorPlace | None:
    """Return the position of a line; None if it is not a line of a mirror."""
    try:
        if line.startswith(SESSION_LINE):
            session = decode_json(line, SessionLine)
            return MirrorPlace() if session.recollect == FORMAT else None
        position = decode_json(line, MirrorPlace)
    except UNREADABLE:
        return None
    return position if position.seq > 0 else None


def is_of_session(line: bytes, current: bytes) -> bool:
    """Return whether a line is what the session of the line ``current`` may have been before."""
    try:
        before, now = (decode_json(each, SessionLine) for each in (line, current))
    except UNREADABLE:
        return False
    return all(getattr(before, name) == getattr(now, name) for name in LASTING)


def says_the_same(outdated: Iterable[bytes], lines: Iterable[bytes]) -> bool:
    """Return whether lines of an older format say nothing that the current lines do not say."""
    now = iter(lines)
    current = next(now, b"")
    older = (old for old in outdated if not _was_of_session(old, current))
    pairs = zip_longest(older, now, fillvalue=b"")
    return all(not old or _is_part(old, new) for old, new in pairs)


def _was_of_session(old: bytes, current: bytes) -> bool:
    """Return whether an older line is the session's, whatever its title and status were."""
    return old.startswith(SESSION_LINE) and _is_part(old, current, LASTING)


def _is_part(old: bytes, new: bytes, names: Iterable[str] = ()) -> bool:
    """Return whether a line says all of an older one; with ``names`` of these fields alone."""
    try:
        before, now = (decode_json(line, dict[str, Any]) for line in (old, new))
    except UNREADABLE:
        return False
    fields = (before.keys() & {*names} or before.keys()) - {"recollect"}
    return all(now.get(name) == before[name] for name in fields)


def _head(tx: Transaction, session_id: str, position: MirrorPlace) -> tuple[int, int, deque[Row]]:
    """Return the seq before the oldest message, the newest seq, and the compactions that follow."""
    row = tx.row(_ENDS, (session_id,))
    compactions = tx.rows(_COMPACTIONS, (session_id, position.seq, position.through_seq))
    first, end = (integer(row[0]), integer(row[1])) if row else (0, 0)
    return first, end, deque(compactions)


def _rows(
    tx: Transaction, session_id: str, after_seq: int, through_seq: int
) -> tuple[int, list[Row]]:
    """Return the seq up to which the messages are complete, and their rows."""
    rows: list[Row] = []
    size = 0
    is_cut = True
    for row in tx.rows(_MESSAGES, (session_id, after_seq, through_seq, _BATCH_ROWS)):
        rows.append(row)
        size += len(text(row[9]))
        if size > BATCH_BYTES:
            break
    else:
        is_cut = len(rows) == _BATCH_ROWS
    for row in rows:
        if not is_sound(row):
            raise damaged_message(row[0])
    seqs = [integer(row[6]) for row in rows]
    through = seqs[-1] if is_cut and seqs else through_seq
    check_span(tx, session_id, (after_seq + 1, through), seqs, is_narrowed=False)
    return through, rows


def _message_line(row: Row) -> bytes:
    """Return the line of a sound row of `SELECT_MESSAGES`: its hash proves the types of cells."""
    cells: tuple[Any, ...] = row
    id_, *_, seq, role, name, content, _, _, at, recorded_at, facts = cells[:15]
    event_id, foreign_id, sender, turn_sender, number, _ = cells[15:]
    return _LINES.encode(
        MessageLine(
            type="message",
            seq=seq,
            id=id_,
            role=role,
            name=name,
            sender=sender,
            turn_sender=turn_sender,
            at=to_iso(at),
            content=msgspec.Raw(content.encode()),
            metadata=_NO_FACTS if facts == "{}" else msgspec.Raw(facts.encode()),
            recorded_at=None if recorded_at == at else to_iso(recorded_at),
            event_id=event_id,
            foreign_id=foreign_id,
            number=number,
        )
    )


_LINES = msgspec.json.Encoder()
_withdrawn = json_decoder(list[Withdrawal]).decode


def _compaction_line(row: Row) -> bytes:
    at = to_iso(integer(row[3]))
    names = CompactionLine.__struct_fields__[1:]
    line = decode(CompactionLine, names, row, type="compaction", at=at)
    return msgspec.json.encode(line)
