"""Rows of messages: the only writer of their table, and what proves that none of them is missing.

Each row carries a hash of itself, each session a digest of its rows: the sum of a part of their
hashes and their numbers, so that a row that comes, changes or goes costs one addition in its own
transaction, whatever the length of the session. Seqs that were removed are kept as ranges. Any
other gap, a row that is not what was stored, and a sum that differs are damage: `StoreCorrupt`,
never a short list. SQLite by itself notices neither a page that is an older copy of itself nor a
changed letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any, LiteralString

import msgspec

from recollect.core.decoding import json_decoder
from recollect.core.errors import StoreCorrupt
from recollect.sessions.record.content import TextBlock
from recollect.sessions.record.message import Message, decoded_content
from recollect.store.columns import (
    insert_into,
    integer,
    is_message_out,
    json_object,
    listed,
    text,
    typed_rows,
)
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.row_hash import row_hash
from recollect.store.twins import damaged_rows

_COLUMNS: LiteralString = """id, tenant, agent, user_id, project, session_id, seq, role, name,
    content, text, token_estimate, created_at, recorded_at, metadata, event_id, foreign_id, sender,
    turn_sender, number, row_hash"""
SELECT_MESSAGES: LiteralString = f"SELECT {_COLUMNS} FROM messages WHERE "  # noqa: S608  # literals
_INSERT = insert_into("messages", _COLUMNS)
_NEXT_NUMBER: LiteralString = """
    SELECT 1 + coalesce(max(number), 0) FROM (
        SELECT max(number) AS number FROM messages WHERE tenant = ?1
        UNION ALL SELECT last FROM counters WHERE tenant = ?1 AND kind = 'message')
"""
_TAKEN: LiteralString = """
    SELECT number FROM messages WHERE tenant = ? AND number IN (SELECT value FROM json_each(?))
"""
_MASK = (1 << 56) - 1
_COUNT: LiteralString = """
    UPDATE sessions SET last_seq = ?, message_count = message_count + ?, updated_at = ?,
        digest = (digest + ?) & 72057594037927935
    WHERE id = ?
"""
_KEEP_NUMBERS: LiteralString = """
    INSERT INTO counters (tenant, kind, last)
    SELECT tenant, 'message', max(number) FROM messages
    WHERE tenant = ? AND number IS NOT NULL GROUP BY tenant
    ON CONFLICT (tenant, kind) DO UPDATE SET last = max(last, excluded.last)
"""
_REMOVE: LiteralString = f"""
    DELETE FROM messages WHERE id = ? RETURNING seq, row_hash, number,
        NOT {is_message_out("messages", "messages.session_id")}
"""  # noqa: S608  # literals
"""With whether it counted: it does not while a rewind has taken it out."""
_UNCOUNT: LiteralString = """
    UPDATE sessions SET message_count = message_count - ?,
        digest = (digest + ?) & 72057594037927935
    WHERE id = ?
"""
_ADD_TO_DIGEST: LiteralString = (
    "UPDATE sessions SET digest = (digest + ?) & 72057594037927935 WHERE id = ?"
)
_HASH: LiteralString = "SELECT row_hash FROM messages WHERE id = ?"
_NUMBER_OTHERS: LiteralString = """
    UPDATE messages SET number = counted.number FROM (
        SELECT m.id, row_number() OVER (PARTITION BY m.tenant ORDER BY m.recorded_at, m.id)
            + coalesce((SELECT max(number) FROM (
                SELECT max(number) AS number FROM messages WHERE tenant = m.tenant
                UNION ALL SELECT last FROM counters WHERE tenant = m.tenant AND kind = 'message'
            )), 0) AS number
        FROM messages m WHERE m.number IS NULL
    ) AS counted WHERE messages.id = counted.id RETURNING messages.session_id, messages.number
"""
_REMOVED: LiteralString = """
    SELECT first, last FROM removed_seqs WHERE session_id = ? AND last >= ? AND first <= ?
    ORDER BY first
"""
_GROW_RANGE: LiteralString = (
    "UPDATE removed_seqs SET last = ? WHERE session_id = ? AND last = ? RETURNING 1"
)
_ADD_RANGE: LiteralString = "INSERT INTO removed_seqs (session_id, first, last) VALUES (?, ?, ?)"
_BETWEEN: LiteralString = (
    "SELECT seq FROM messages WHERE session_id = ? AND seq >= ? AND seq <= ? ORDER BY seq"
)
_WHOLE: LiteralString = """
    SELECT digest, last_seq, (SELECT min(seq) FROM messages WHERE session_id = s.id),
        (SELECT max(seq) FROM messages WHERE session_id = s.id)
    FROM sessions s WHERE id = ?
"""
_DIGESTED: LiteralString = "SELECT row_hash, number, seq FROM messages WHERE session_id = ?"
_SPAN: LiteralString = """
    SELECT max(coalesce(forked_at_seq, 0), pruned_seq) + 1, last_seq FROM sessions WHERE id = ?
"""
_IS_THERE: LiteralString = "SELECT 1 FROM sessions NOT INDEXED WHERE id = ?"
_NEXT_SESSIONS: LiteralString = """
    SELECT id, max(coalesce(forked_at_seq, 0), pruned_seq) + 1, last_seq
    FROM sessions WHERE id > ?
        AND id NOT IN (SELECT session_id FROM prunings WHERE is_whole = 1)
    ORDER BY id LIMIT ?
"""

_AMONG: LiteralString = " IN (SELECT value FROM json_each(?))"
_TWINS: LiteralString = f"""
    SELECT id, number FROM messages INDEXED BY messages_twin
    WHERE tenant {_AMONG} AND created_at {_AMONG} AND id {_AMONG}
"""  # noqa: S608  # literals
_HAS_TWIN: LiteralString = f"""
    SELECT 1 FROM messages INDEXED BY messages_twin_by_id WHERE id {_AMONG} LIMIT 1
"""  # noqa: S608  # literals

DAMAGED_HINT = "look with `recollect doctor`; `recollect recover` rebuilds the records"
_DIGEST_SIZE, _NUMBERLESS_SIZE, _OLD_DIGEST_SIZE = 24, 20, 16
"""The size of a hash says how it was made: with the number of a row, without it, or as before."""
_SUMMED = 7
"""Bytes of a hash that count in a digest: sums stay within the integers of SQL."""

_SAID = json_decoder(str)
_encode = msgspec.msgpack.Encoder().encode


def hash_of(row: Sequence[SqlValue]) -> bytes:
    """Return the hash of a row of `SELECT_MESSAGES` without its own; the number may be missing.

    A number that is assigned later is not part of it. The text of a plain message is in its
    content, too, and is not hashed twice.
    """
    content: str | None = None
    if isinstance(row[9], str) and row[9][:1] == '"':
        with suppress(msgspec.DecodeError):
            content = _SAID.decode(row[9])
    number = row[19:20] if row[19:20] != (None,) else ()
    cells = (*row[:10], *(row[11:19] if content == row[10] else row[10:19]), *number)
    try:
        # This encoding has the type and the length of each cell, and takes a tenth of the time.
        encoded = _encode(cells)
    except UnicodeEncodeError:  # half a pair: the statement refuses it
        return row_hash(cells)
    return blake2b(encoded, digest_size=_DIGEST_SIZE if number else _NUMBERLESS_SIZE).digest()


def _old_hash(row: Sequence[SqlValue]) -> bytes:
    """Return the hash that rows had before; without senders, that of the first version."""
    *cells, sender, turn_sender = row[:19]
    return row_hash(cells if sender is None and turn_sender is None else row[:19])


def is_sound(row: Row) -> bool:
    """Return whether a row of `SELECT_MESSAGES` is what was stored."""
    digest = row[20]
    if not isinstance(digest, bytes):
        return False
    if len(digest) == _OLD_DIGEST_SIZE:
        return _old_hash(row) == digest
    return hash_of(row if len(digest) == _DIGEST_SIZE else row[:19]) == digest


def message_of(row: Row) -> Message:
    """Return the message of a row of `SELECT_MESSAGES`.

    Raises:
        StoreCorrupt: the row is not what was stored.
    """
    cells: tuple[Any, ...] = row
    (  # in one go: thousands are read for one view
        id_, tenant, agent, user, project, session_id, seq, role, name, encoded, text, tokens,
        created_at, recorded_at, metadata, event_id, foreign_id, sender, turn_sender, number, digest
    ) = cells  # fmt: skip
    content: Any = decoded_content(encoded)
    is_plain = type(content) is str
    last = 20 if type(digest) is bytes and len(digest) == _DIGEST_SIZE else 19
    hashed = row[:10] + row[11:last] if is_plain and content == text else row[:last]
    size = _DIGEST_SIZE if last == 20 else _NUMBERLESS_SIZE
    # Before anything else: the hash proves the types of all cells, so that they are taken as given.
    if blake2b(_encode(hashed), digest_size=size).digest() != digest and (
        type(digest) is not bytes or len(digest) != _OLD_DIGEST_SIZE or _old_hash(row) != digest
    ):
        raise damaged_message(id_)
    return Message(
        id=id_,
        tenant=tenant,
        agent=agent,
        user=user,
        project=project,
        session_id=session_id,
        seq=seq,
        role=role,
        name=name,
        blocks=(TextBlock(text=content),) if is_plain else content,
        text=text,
        tokens=tokens or 0,
        created_at=created_at,
        recorded_at=recorded_at,
        metadata={} if metadata == "{}" else json_object(metadata),
        event_id=event_id,
        foreign_id=foreign_id,
        sender=sender,
        turn_sender=turn_sender,
        number=number or 0,
    )


def check_chosen(tx: Transaction, ids: Sequence[str]) -> None:
    """Check that messages are what was stored, and that those that are not there were removed.

    Raises:
        StoreCorrupt: a row is missing, or is not what was stored.
    """
    rows = tx.all(SELECT_MESSAGES + "id" + _AMONG, (listed(ids),))
    for row in rows:
        if not is_sound(row):
            raise damaged_message(row[0])
    tenants, moments = (
        listed({text(row[1]) for row in rows}),
        listed({integer(row[12]) for row in rows}),
    )
    twins = tx.all(_TWINS, (tenants, moments, listed(ids)))
    others = set(ids) - {text(row[0]) for row in rows}
    if {(row[0], row[19]) for row in rows} != set(twins) or (
        others and tx.row(_HAS_TWIN, (listed(others),)) is not None
    ):
        raise damaged_rows()


def damaged_message(id_: SqlValue) -> StoreCorrupt:
    """Return the error for a row that is not what was stored."""
    return StoreCorrupt("a message is damaged", hint=DAMAGED_HINT, id=str(id_))


def next_number(tx: Transaction, tenant: str) -> int:
    """Return the number that the next message of a tenant gets."""
    number: Any = tx.all(_NEXT_NUMBER, (tenant,))[0][0]
    return int(number)


def insert_messages(tx: Transaction, session_id: str, rows: Sequence[Row], updated_at: int) -> None:
    """Store rows after the newest of their session, in the order of their seqs, and count them.

    Args:
        tx: A transaction.
        session_id: The session.
        rows: Of `SELECT_MESSAGES`, but for their hashes, with their numbers; not empty.
        updated_at: When the session was last changed, with them.
    """
    hashed = [(*row, hash_of(row)) for row in rows]
    tx.executemany(_INSERT, hashed)
    _count(tx, session_id, hashed, updated_at)


def restore_rows(
    tx: Transaction, session_id: str, last_seq: int, rows: Sequence[Row], updated_at: int
) -> None:
    """Store older rows as `insert_messages` does; seqs that they leave out count as removed.

    A number that another message has is not stored, see `number_others`. ``last_seq`` is the seq
    after which they begin.
    """
    hashed = [(*row, hash_of(row)) for row in _with_free_numbers(tx, rows)]
    tx.executemany(_INSERT, hashed)
    seqs = [integer(row[6]) for row in rows]
    for before, seq in zip([last_seq, *seqs], seqs, strict=False):
        if seq > before + 1:
            note_removed(tx, session_id, before + 1, seq - 1)
    _count(tx, session_id, hashed, updated_at)


def _with_free_numbers(tx: Transaction, rows: Sequence[Row]) -> Iterator[Row]:
    """Yield rows of one tenant, without the numbers that others have, and those that are 0."""
    numbers = listed({integer(row[19] or 0) for row in rows})
    in_use = {0, *(integer(row[0]) for row in tx.all(_TAKEN, (rows[0][1], numbers)))}
    for row in rows:
        number = integer(row[19] or 0)
        yield (*row[:19], None if number in in_use else number)
        in_use.add(number)


def _count(tx: Transaction, session_id: str, rows: Sequence[Row], updated_at: int) -> None:
    added = sum_of((row[20], row[19]) for row in rows)
    tx.execute(_COUNT, (rows[-1][6], len(rows), updated_at, added, session_id))


def number_others(tx: Transaction) -> None:
    """Give restored messages without a number the next ones, in the order of their recording."""
    added: dict[SqlValue, int] = {}
    for session_id, number in tx.all(_NUMBER_OTHERS):
        added[session_id] = added.get(session_id, 0) + integer(number)
    tx.executemany(_ADD_TO_DIGEST, [(number, id_) for id_, number in added.items()])


def change_message(
    tx: Transaction, session_id: str, id_: str, columns: LiteralString, cells: Sequence[SqlValue]
) -> None:
    """Change columns of a row.

    Args:
        tx: A transaction.
        session_id: The session.
        id_: Of the message.
        columns: The columns, as ``text = ?, row_hash = ?``, the hash last.
        cells: Their new values.
    """
    before = tx.row(_HASH, (id_,))
    change: LiteralString = "UPDATE messages SET " + columns + " WHERE id = ?"  # noqa: S608
    tx.execute(change, (*cells, id_))
    if before is not None:
        tx.execute(_ADD_TO_DIGEST, (_part(cells[-1]) - _part(before[0]), session_id))


def remove_messages(
    tx: Transaction, tenant: str, session_id: str, ids: Sequence[str], *, reused: bool = False
) -> None:
    """Remove rows of a session, and note their seqs; ``reused``: others get these seqs."""
    tx.execute(_KEEP_NUMBERS, (tenant,))
    rows = tx.executemany(_REMOVE, [(id_,) for id_ in ids])
    if not rows:
        return
    less = sum_of((digest, number) for _, digest, number, _ in rows)
    counted = sum(integer(row[3]) for row in rows)
    tx.execute(_UNCOUNT, (counted, _MASK + 1 - less, session_id))
    if not reused:
        for first, last in _ranges(sorted(integer(row[0]) for row in rows)):
            note_removed(tx, session_id, first, last)


def note_removed(tx: Transaction, session_id: str, first: int, last: int) -> None:
    """Note that a session has no messages from one seq to another any more."""
    if tx.row(_GROW_RANGE, (last, session_id, first - 1)) is None:
        tx.execute(_ADD_RANGE, (session_id, first, last))


def sum_of(rows: Iterable[Row]) -> int:
    """Return the sum that rows, as hashes and numbers, add to the digest of their session."""
    numbered: Iterable[tuple[Any, Any]] = rows  # type: ignore[assignment]  # two cells
    return sum(_part(digest) + (number or 0) for digest, number in numbered) & _MASK


def _part(digest: SqlValue) -> int:
    return int.from_bytes(digest[:_SUMMED], "big") if isinstance(digest, bytes) else 0


def _ranges(seqs: Sequence[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for seq in seqs:
        if ranges and ranges[-1][1] == seq - 1:
            ranges[-1] = (ranges[-1][0], seq)
        else:
            ranges.append((seq, seq))
    return ranges


def check_span(
    tx: Transaction,
    session_id: str,
    span: tuple[int, int],
    seqs: Sequence[int],
    *,
    is_narrowed: bool,
) -> None:
    """Check that all rows that a session has from one seq to another were read.

    Args:
        tx: The transaction that read them.
        session_id: The session.
        span: The first and the last seq that may be there.
        seqs: Of the rows, in their order.
        is_narrowed: Only some turns were requested.

    Raises:
        StoreCorrupt: rows are missing, or are in another order.
    """
    first, last = span
    if len(seqs) == last - first + 1 and list(seqs) == list(range(first, last + 1)):
        return
    there = [integer(row[0]) for row in tx.rows(_BETWEEN, (session_id, first, last))]
    gaps = tx.all(_REMOVED, (session_id, first, last))
    spans = [(max(integer(a), first), min(integer(b), last)) for a, b in gaps]
    removed = {seq for start, end in spans for seq in range(start, end + 1)}
    if there != [seq for seq in range(first, last + 1) if seq not in removed]:
        raise _missing(session_id)
    left_out = set(there) - set(seqs)
    if list(seqs) != [seq for seq in there if seq not in left_out]:
        raise _missing(session_id)
    if left_out and not is_narrowed:  # outside the asker's scope, or damaged so that it seems to be
        select: LiteralString = SELECT_MESSAGES + "session_id = ? AND seq = ?"
        for seq in left_out:
            row = tx.row(select, (session_id, seq))
            if row is None or not is_sound(row):
                raise _missing(session_id)


def check_end(tx: Transaction, session_id: str, span: tuple[int, int], digest: int | None) -> None:
    """Check the newest rows of a session that was read to its end, and its digest.

    Args:
        tx: The transaction that read it.
        session_id: The session.
        span: The seqs that were read.
        digest: The sum of the rows; None where not all of them were read.

    Raises:
        StoreCorrupt: it has more rows than it knows of, or they are not those that were stored.
    """
    row = tx.row(_WHOLE, (session_id,))
    if row is None:
        raise _missing(session_id)
    expected, last_seq, least, most = row
    if most is not None and integer(most) > integer(last_seq):
        raise _missing(session_id)
    is_whole = least is None or (integer(least) >= span[0] and integer(most) <= span[1])
    if digest is not None and is_whole and digest != expected:
        raise _missing(session_id)


def damaged_messages(tx: Transaction, after_id: str, limit: int) -> tuple[str, list[str]]:
    """Return the id for the next call, and the ids of the next messages that are damaged.

    Args:
        tx: A transaction.
        after_id: The id that the last call returned; empty to begin.
        limit: How many messages are looked at. When fewer are left, the first value is empty.
    """
    rows = list(tx.rows(SELECT_MESSAGES + "id > ? ORDER BY id LIMIT ?", (after_id, limit)))
    damaged = [str(row[0]) for row in rows if not is_sound(row)]
    return str(rows[-1][0]) if len(rows) == limit else "", damaged


def damaged_sessions(tx: Transaction, after_id: str, limit: int) -> tuple[str, list[str]]:
    """Return the same as `damaged_messages` for sessions that lack messages or have old ones."""
    rows = typed_rows(tx.all(_NEXT_SESSIONS, (after_id, limit)), tuple[str, int, int])
    damaged = [id_ for id_, first, last in rows if damaged_session(tx, id_, first, last)]
    return rows[-1][0] if len(rows) == limit else "", damaged


def damaged_session(tx: Transaction, session_id: str, first: int, last: int) -> str | None:
    """Return the damage in the rows of a session as a whole, as a message; None if there is none.

    `is_sound` checks the rows themselves.
    """
    rows = tx.all(_DIGESTED, (session_id,))
    try:
        seqs = sorted(integer(seq) for _, _, seq in rows)
        check_span(tx, session_id, (first, last), seqs, is_narrowed=True)
        check_end(tx, session_id, (first, last), sum_of((h, n) for h, n, _ in rows))
    except StoreCorrupt as error:
        return error.message
    return None


def require_sound_session(tx: Transaction, session_id: str) -> None:
    """Refuse to overwrite what is left of a session from rows that fail their check.

    Raises:
        StoreCorrupt: a row is damaged, missing, or an older copy of itself.
    """
    row = tx.row(_SPAN, (session_id,))
    if row is not None and damaged_session(tx, session_id, integer(row[0]), integer(row[1])):
        raise _missing(session_id)
    for each in tx.rows(SELECT_MESSAGES + "session_id = ?", (session_id,)):
        if not is_sound(each):
            raise damaged_message(each[0])


def require_gone(tx: Transaction, session_id: str) -> None:
    """Refuse to treat a session as removed only because an index does not have it.

    Raises:
        StoreCorrupt: it is in the table.
    """
    if tx.row(_IS_THERE, (session_id,)) is not None:
        raise _missing(session_id)


def _missing(session_id: str) -> StoreCorrupt:
    return StoreCorrupt(
        "messages of a session are missing, or are not what was stored",
        hint=DAMAGED_HINT,
        session_id=session_id,
    )
