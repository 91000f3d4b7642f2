"""Withdrawals: the ranges of messages that rewinds took out of sessions, as rows."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.store.columns import columns_of, decode, insert_into
from recollect.store.engine import Transaction


class Withdrawal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Messages that a rewind took out of a session; its fields are in the order of the columns.

    Attributes:
        id: Of the operation, which undoes it.
        session_id: The session.
        from_seq: The first message that was taken out.
        to_seq: The last one; the next message has a greater seq.
        said_at: When the first of them was said, ms UTC.
        stored_at: When it was stored.
        at: When they were taken out.
        returned_at: When they came back; None while they are out.
    """

    id: str
    session_id: str
    from_seq: int
    to_seq: int
    said_at: int
    stored_at: int
    at: int
    returned_at: int | None = None


_COLUMNS: LiteralString = columns_of(Withdrawal, id="operation_id")
_ADD = insert_into("withdrawn_ranges", "tenant, " + _COLUMNS)
_SELECT: LiteralString = f"SELECT {_COLUMNS} FROM withdrawn_ranges WHERE "  # noqa: S608  # literals
_ORDER: LiteralString = " ORDER BY at, from_seq"


def insert_withdrawal(tx: Transaction, tenant: str, withdrawal: Withdrawal) -> None:
    """Store a range."""
    tx.execute(_ADD, (tenant, *msgspec.structs.astuple(withdrawal)))


def withdrawals_of(tx: Transaction, tenant: str, operation_id: str) -> list[Withdrawal]:
    """Return the ranges of an operation, in order: more than one where a transcript came later."""
    rows = tx.all(_SELECT + "operation_id = ? AND tenant = ?" + _ORDER, (operation_id, tenant))
    return [decode(Withdrawal, Withdrawal.__struct_fields__, row) for row in rows]


def withdrawn_from(tx: Transaction, session_id: str) -> list[Withdrawal]:
    """Return all that was ever taken out of a session, the oldest first."""
    rows = tx.all(_SELECT + "session_id = ?" + _ORDER, (session_id,))
    return [decode(Withdrawal, Withdrawal.__struct_fields__, row) for row in rows]
