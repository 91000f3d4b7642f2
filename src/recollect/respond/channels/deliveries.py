"""What became of answers: each state is committed before the step that it names.

So a kill leaves three kinds: ``received``, whose answer was not begun to be sent and is sent after
the next start; ``sending``, which may have arrived: it becomes ``unknown`` and is
never sent again; and what is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.clock import Clock
from recollect.store.columns import columns_of, decode, first_integer, integer, text
from recollect.store.engine import Database, Transaction
from recollect.store.meta import find_value, set_value

DeliveryState: TypeAlias = Literal["received", "sending", "sent", "unknown", "failed"]
KEPT = 10_000
"""Answers that are over, of each channel: a message that comes again is known by them."""

_ADD: LiteralString = """
    INSERT INTO deliveries (tenant, channel, key, event_id, address, state, at)
    VALUES (?, ?, ?, ?, ?, 'received', ?) ON CONFLICT (tenant, key, event_id) DO NOTHING
"""
_FIND: LiteralString = "SELECT 1 FROM deliveries WHERE tenant = ? AND key = ? AND event_id = ?"
_BEGIN: LiteralString = """
    UPDATE deliveries SET state = 'sending', at = ?
    WHERE tenant = ? AND key = ? AND event_id = ? AND state = 'received' RETURNING id
"""
_SET: LiteralString = "UPDATE deliveries SET state = ?, code = ?, at = ? WHERE id = ?"
_DROP: LiteralString = """
    DELETE FROM deliveries WHERE tenant = ? AND key = ? AND event_id = ? AND state = 'received'
"""
_FORGET: LiteralString = """
    DELETE FROM deliveries WHERE id IN (
        SELECT id FROM deliveries
        WHERE tenant = ? AND channel = ? AND state IN ('sent', 'unknown', 'failed')
        ORDER BY id DESC LIMIT -1 OFFSET ?)
"""
_CUT_OFF: LiteralString = """
    UPDATE deliveries SET state = 'unknown'
    WHERE tenant = ? AND channel = ? AND state = 'sending'
"""
_WAITING: LiteralString = """
    SELECT key, event_id, address FROM deliveries
    WHERE tenant = ? AND channel = ? AND state = 'received' ORDER BY id
"""
_COUNTS: LiteralString = """
    SELECT state, count(*) FROM deliveries WHERE tenant = ? GROUP BY state
"""


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of a channel whose send did not end well.

    Attributes:
        channel: Which one.
        key: Of the conversation.
        event_id: Of the message that it answers.
        state: ``unknown``: it may have arrived. ``failed``: it was refused.
        code: Why it was refused.
        at: When, ms UTC.
    """

    channel: str
    key: str
    event_id: str
    state: DeliveryState
    code: str | None
    at: int


_LOST: LiteralString = (
    f"SELECT {columns_of(Delivery)} FROM deliveries"  # noqa: S608  # literals
    " WHERE tenant = ? AND state IN ('unknown', 'failed') ORDER BY id DESC LIMIT ?"
)


class PendingDelivery(msgspec.Struct, frozen=True):
    """A message whose answer was not begun to be sent: its conversation, its id, its address."""

    key: str
    event_id: str
    address: Mapping[str, Any]


class Deliveries:
    """The answers of one channel. Threads may share it; one process sends for a channel.

    Args:
        records: ``records.db``.
        clock: Tells the time.
        tenant: Whose.
        channel: The name of the channel.
    """

    def __init__(self, records: Database, clock: Clock, tenant: str, channel: str) -> None:
        self._records = records
        self._clock = clock
        self._tenant = tenant
        self._channel = channel

    def add(self, waiting: PendingDelivery) -> None:
        """Note where the answer to a stored message goes; one that is noted stays as it is."""
        names = (self._tenant, self._channel, waiting.key, waiting.event_id)
        address = msgspec.json.encode(waiting.address).decode()
        now = self._clock.now_ms()
        self._records.write(lambda tx: tx.execute(_ADD, (*names, address, now)))

    def has(self, waiting: PendingDelivery) -> bool:
        """Return whether the message was noted before."""
        params = (self._tenant, waiting.key, waiting.event_id)
        return self._records.read(lambda tx: tx.row(_FIND, params)) is not None

    def begin(self, waiting: PendingDelivery) -> int | None:
        """Commit that an answer is being sent; None: it was, or is, sent already."""
        params = (self._clock.now_ms(), self._tenant, waiting.key, waiting.event_id)
        row = self._records.write(lambda tx: tx.row(_BEGIN, params))
        return None if row is None else integer(row[0])

    def end(self, id_: int, state: DeliveryState, code: str | None = None) -> None:
        """Note how it ended; ``received``: it was not sent, and may be sent again."""
        now = self._clock.now_ms()

        def set_state(tx: Transaction) -> None:
            tx.execute(_SET, (state, code, now, id_))
            tx.execute(_FORGET, (self._tenant, self._channel, KEPT))

        self._records.write(set_state)

    def drop(self, waiting: PendingDelivery) -> None:
        """Forget a message that has no answer to be sent."""
        params = (self._tenant, waiting.key, waiting.event_id)
        self._records.write(lambda tx: tx.execute(_DROP, params))

    def recover(self) -> list[PendingDelivery]:
        """Mark as unknown what a kill cut off; return what was not begun, oldest first."""
        params = (self._tenant, self._channel)
        self._records.write(lambda tx: tx.execute(_CUT_OFF, params))
        rows = self._records.read(lambda tx: tx.all(_WAITING, params))
        return [
            PendingDelivery(text(key), text(event_id), msgspec.json.decode(text(address)))
            for key, event_id, address in rows
        ]


class ChannelCursor:
    """Up to where a channel has taken messages in."""

    def __init__(self, records: Database, tenant: str, channel: str) -> None:
        self._records = records
        self._key = f"channel.cursor.{tenant}.{channel}"

    def load(self) -> int:
        """Return it; 0 at first."""
        return int(self._records.read(lambda tx: find_value(tx, self._key)) or 0)

    def store(self, value: int) -> None:
        """Commit it."""
        self._records.write(lambda tx: set_value(tx, self._key, str(value)))


def lost_deliveries(records: Database, tenant: str, limit: int) -> list[Delivery]:
    """Return the newest answers that were refused, or may have arrived, newest first."""
    rows = records.read(lambda tx: tx.all(_LOST, (tenant, limit)))
    return [decode(Delivery, Delivery.__struct_fields__, row) for row in rows]


def delivery_counts(records: Database, tenant: str) -> dict[str, int]:
    """Return how many answers there are in each state."""
    rows = records.read(lambda tx: tx.all(_COUNTS, (tenant,)))
    return {text(state): first_integer((number,)) for state, number in rows}
