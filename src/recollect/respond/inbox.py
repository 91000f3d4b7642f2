"""The inbox: what came in, and what became of it. Its rows are the queue, over all processes.

A row is written in the transaction that appends the message to its session. It is ``received``
until the model is asked, ``asked`` until the transaction that stores the answer, and then what its
reply says. What is ``received`` or ``asked`` in the turn of the session is still to be
answered.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import LiteralString

import msgspec

from recollect.core.scope import Scope
from recollect.recall.context.injections import Injection, add_injection
from recollect.respond.reply import ReplyStatus
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import Draft
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import require_living
from recollect.sessions.record.transcript_rows import (
    append_messages,
    find_message,
    rewrite_message,
)
from recollect.sessions.transcripts import check_holder
from recollect.store.columns import (
    LISTED,
    Condition,
    columns_of,
    decode,
    first_integer,
    insert_into,
    listed,
    text_or_none,
)
from recollect.store.engine import SqlValue, Transaction

WAITING = frozenset({"received", "asked"})
"""States of messages that are still to be answered."""


class InboxRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something that came in; the fields are in the columns' order.

    Attributes:
        id: Sorts by arrival.
        tenant: Owner.
        session_id: Where it belongs.
        message_id: The message; None for a command.
        event_id: Its id on the channel.
        state: ``received``, ``asked``, or what became of it, see `ReplyStatus`.
        code: Of a failure.
        at: When the state changed, ms UTC.
    """

    id: str
    tenant: str
    session_id: str
    message_id: str | None
    event_id: str
    state: str
    code: str | None
    at: int

    @property
    def is_waiting(self) -> bool:
        """Whether it is still to be answered."""
        return self.state in WAITING

    @property
    def answer_event(self) -> str:
        """The event id of the answer, so that what a kill left of one is replaced."""
        return f"answer:{self.id}"


_COLUMNS: LiteralString = columns_of(InboxRow)
_ADD = insert_into("inbound", _COLUMNS)
_SELECT: LiteralString = f"SELECT {_COLUMNS} FROM "  # noqa: S608  # literals
_OF: LiteralString = "inbound WHERE "
_LISTED: LiteralString = f"{LISTED}inbound ON id = listed WHERE "
_OF_SESSION: LiteralString = " AND EXISTS (SELECT 1 FROM sessions WHERE id = session_id AND "
"""Looked up for each row: the sessions of a tenant are many, and most of them are not asked for."""
_OPEN: LiteralString = " AND state IN ('received', 'asked')"
_MARK: LiteralString = """
    UPDATE inbound SET state = ?, code = ?, at = ?
    WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('received', 'asked')
"""
_AGAIN: LiteralString = """
    UPDATE inbound SET state = 'received', code = NULL, at = ?
    WHERE session_id = ? AND state = 'failed' AND message_id IS NOT NULL
"""
_ANSWER: LiteralString = "SELECT id FROM messages WHERE session_id = ? AND event_id = ?"
_IS_LATER: LiteralString = """
    SELECT count(*) FROM inbound i JOIN messages m ON m.id = i.message_id
    WHERE i.tenant = ?1 AND i.session_id = ?2 AND i.id > ?3 AND i.state = 'received'
        AND (?4 OR m.turn_sender IS ?5)
"""
_ABSORB: LiteralString = """
    UPDATE inbound SET state = 'joined', code = NULL, at = ?
    WHERE state IN ('received', 'asked', 'failed')
        AND message_id IN (SELECT value FROM json_each(?))
"""
_BECOME: LiteralString = "UPDATE inbound SET message_id = ? WHERE id = ?"


class JoinedMessages(msgspec.Struct, frozen=True):
    """What is answered together, oldest first; never empty where it is answered."""

    pairs: list[tuple[InboxRow, Message]]
    is_group: bool

    @property
    def ids(self) -> set[str]:
        """The ids of the rows."""
        return {row.id for row, _ in self.pairs}

    @property
    def rows(self) -> list[InboxRow]:
        """What came in."""
        return [row for row, _ in self.pairs]

    @property
    def messages(self) -> list[Message]:
        """The messages of the rows."""
        return [message for _, message in self.pairs]

    @property
    def sender(self) -> str | None:
        """Whose turn it is."""
        return self.pairs[-1][1].turn_sender

    @property
    def seq(self) -> int:
        """That of the newest message."""
        return self.pairs[-1][1].seq

    def may_be_joined_by(self, sender: str | None) -> bool:
        """Return whether a newer message is answered with them: in a group anybody's."""
        return self.is_group or self.sender == sender


class Inbox:
    """The rows of the inbox that a scope sees.

    Args:
        access: The records, and their owner.
    """

    def __init__(self, access: SessionAccess) -> None:
        self._access = access

    def find(self, key: str, event_id: str) -> InboxRow | None:
        """Return what came in under a key with an event id."""
        return self._access.database.read(lambda tx: self._find(tx, key, event_id))

    def by_id(self, ids: Collection[str]) -> list[InboxRow]:
        """Return rows by their ids, those that are gone left out."""
        return self._access.database.read(lambda tx: self._of(tx, ids))

    def waiting(self, key: str | None = None) -> list[InboxRow]:
        """Return what is still to be answered, oldest first.

        Args:
            key: Only under this session key.
        """
        where = self._where(key)
        sql: LiteralString = where.sql + _OPEN
        return self._access.database.read(lambda tx: _rows(tx, _OF + sql, where.params))

    def receive(
        self,
        session_id: str,
        key: str,
        event_id: str,
        draft: Draft | None,
        state: ReplyStatus | str = "received",
    ) -> InboxRow:
        """Store a message and its row in one transaction; return the row that the event id has.

        Args:
            session_id: Where the message is appended.
            key: The session key.
            event_id: Its id; what came in with it before is returned as it is.
            draft: The message; None for a command.
            state: Of the row.

        Raises:
            NotFound: the session is gone.
            Conflict: it was deleted, or another program holds it.
            StoreError: the database refused.
        """
        access = self._access

        def unit(tx: Transaction) -> InboxRow:
            row = self._find(tx, key, event_id)
            if row is not None:
                return row
            session = require_living(tx, access.scope, session_id)
            check_holder(tx, session, access)
            drafts = [] if draft is None else [draft]
            messages = append_messages(tx, access.scope, session, drafts)
            row = InboxRow(
                id=access.ids.new(),
                tenant=session.tenant,
                session_id=session.id,
                message_id=messages[0].id if messages else None,
                event_id=event_id,
                state=state,
                code=None,
                at=access.clock.now_ms(),
            )
            tx.execute(_ADD, msgspec.structs.astuple(row))
            return row

        return access.write(unit)

    def replace(self, row: InboxRow, draft: Draft) -> bool:
        """Give a message that still waits other words; return whether it still waits."""
        access = self._access

        def unit(tx: Transaction) -> bool:
            if not any(each.is_waiting for each in self._of(tx, [row.id])):
                return False
            message = self._message(tx, row)
            if message is not None:
                session = require_living(tx, access.scope, message.session_id)
                rewrite_message(tx, session, message, draft, finished=False)
            return True

        return access.write(unit)

    def mark(
        self, tx: Transaction, rows: Sequence[InboxRow], state: str, code: str | None = None
    ) -> None:
        """Set the state of rows that wait, in the caller's transaction; of others it stays."""
        now = self._access.clock.now_ms()
        tx.execute(_MARK, (state, code, now, listed([row.id for row in rows])))

    def ask_again(self, row: InboxRow) -> None:
        """Let what failed in the session of a row wait again, to be answered in its order."""
        now = self._access.clock.now_ms()
        self._access.write(lambda tx: tx.execute(_AGAIN, (now, row.session_id)))

    def settle(self, rows: Sequence[InboxRow], state: str, code: str | None = None) -> None:
        """Set the state of rows; the ones before the last one were answered with it."""
        self._access.write(lambda tx: self.conclude(tx, rows, state, code))

    def conclude(
        self, tx: Transaction, rows: Sequence[InboxRow], state: str, code: str | None = None
    ) -> None:
        """As `settle`, in the caller's transaction. Of what failed each is asked again."""
        self.mark(tx, rows[:-1], state if state == "failed" else "joined", code)
        self.mark(tx, rows[-1:], state, code)

    def answered(self, tx: Transaction, rows: Sequence[InboxRow], also: Collection[str]) -> None:
        """Note that rows are answered, in the caller's transaction.

        Args:
            tx: A transaction.
            rows: What was asked.
            also: Ids of earlier messages without an answer that were in the prompt with them.
        """
        self.conclude(tx, rows, "answered")
        tx.execute(_ABSORB, (self._access.clock.now_ms(), listed(also)))

    def ask(self, rows: Sequence[InboxRow], injection: Injection) -> None:
        """Note that the model is asked, and what of the memory is in the prompt."""

        def unit(tx: Transaction) -> None:
            self.mark(tx, rows, "asked")
            if injection.items:
                add_injection(tx, injection)

        self._access.write(unit)

    def become_message(self, row: InboxRow, draft: Draft) -> None:
        """Append what came in as a command and is none."""
        access = self._access

        def unit(tx: Transaction) -> None:
            session = require_living(tx, access.scope, row.session_id)
            (message,) = append_messages(tx, access.scope, session, [draft])
            tx.execute(_BECOME, (message.id, row.id))

        access.write(unit)

    def has_later(self, batch: JoinedMessages) -> bool:
        """Return whether a message that may join came in after others, in whatever process."""
        row = batch.rows[-1]
        values = (row.tenant, row.session_id, row.id, batch.is_group, batch.sender)
        return bool(first_integer(self._access.database.read(lambda tx: tx.row(_IS_LATER, values))))

    def message(self, row: InboxRow) -> Message | None:
        """Return the message that came in; None for a command."""
        return self._access.database.read(lambda tx: self._message(tx, row))

    def answer(self, row: InboxRow) -> Message | None:
        """Return the answer to what came in, as far as it is stored."""

        def read(tx: Transaction) -> Message | None:
            cells = tx.row(_ANSWER, (row.session_id, row.answer_event))
            id_ = None if cells is None else text_or_none(cells[0])
            return None if id_ is None else find_message(tx, self._access.scope, id_)

        return self._access.database.read(read)

    def _find(self, tx: Transaction, key: str, event_id: str) -> InboxRow | None:
        where = self._where(key).also("event_id = ?", event_id)
        return next(iter(_rows(tx, _OF + where.sql, where.params)), None)

    def _of(self, tx: Transaction, ids: Collection[str]) -> list[InboxRow]:
        where = self._where(None)
        return _rows(tx, _LISTED + where.sql, [listed(ids), *where.params])

    def _message(self, tx: Transaction, row: InboxRow) -> Message | None:
        if row.message_id is None:
            return None
        return find_message(tx, self._access.scope, row.message_id)

    def _where(self, key: str | None) -> Condition:
        """Return the condition of the rows of a scope, and of a key."""
        scope = self._access.scope
        theirs = Condition(scope).equal("key", key)
        where = Condition(Scope(tenant=scope.tenant))
        where.sql += _OF_SESSION + theirs.sql + ")"
        where.params += theirs.params
        return where


def _rows(tx: Transaction, of: LiteralString, params: Sequence[SqlValue]) -> list[InboxRow]:
    rows = tx.all(_SELECT + of + " ORDER BY id", params)
    return [decode(InboxRow, InboxRow.__struct_fields__, row) for row in rows]
