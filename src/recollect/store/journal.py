"""The journal of records.db: events, for people and streams, and changes, for the index.

Both are written in the transaction of what they tell about, so that neither can be ahead of the
truth or lag. They are read by sequence number, in commit order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, LiteralString

import msgspec
from msgspec import Struct

from recollect.core.events import AnyEvent, Event, UnknownEvent
from recollect.core.scope import Scope
from recollect.store.columns import (
    OF_PROJECT,
    decode,
    first_integer,
    integer,
    json_object,
    text,
    text_or_none,
    user_condition,
)
from recollect.store.engine import Row, SqlValue, Transaction

Operation = Literal["put", "delete"]

_WRITE_EVENT = """
    INSERT INTO events (tenant, agent, user_id, project, session_id, type, payload, at, actor)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_READ_EVENTS: LiteralString = """
    SELECT seq, tenant, agent, user_id, project, session_id, type, payload, at, actor
    FROM events WHERE seq > ?"""
# Not of the rows: the last of them may have been removed, with its session or by age.
_LAST_EVENT = "SELECT seq FROM sqlite_sequence WHERE name = 'events'"
_WRITE_CHANGE = "INSERT INTO changes (tenant, kind, ref, op, at) VALUES (?, ?, ?, ?, ?)"
_LAST_CHANGE = "SELECT seq FROM changes ORDER BY seq DESC LIMIT 1"

_COLUMNS = ("type", "scope", "at")


class EventFilter(Struct, frozen=True, kw_only=True):
    """Which events are wanted.

    Attributes:
        scope: Only those that belong to it; None for those of everybody.
        types: Only these types; None for all.
    """

    scope: Scope | None = None
    types: tuple[str, ...] | None = None


class RecordedEvent(Struct, frozen=True, kw_only=True):
    """An event and its place in the journal.

    Attributes:
        seq: Ascends in commit order.
        event: What happened.
        actor: The name of the token in whose request it did; None without one.
    """

    seq: int
    event: Event
    actor: str | None = None

    def document(self) -> dict[str, Any]:
        """Return it as JSON shows it: seq, type, scope, at, the event's own fields, actor."""
        return {"seq": self.seq, **msgspec.to_builtins(self.event), "actor": self.actor}


def record_event(tx: Transaction, event: AnyEvent) -> None:
    """Write an event."""
    fields = msgspec.to_builtins(event)
    payload = {name: value for name, value in fields.items() if name not in _COLUMNS}
    scope = event.scope
    owner = (scope.tenant, scope.agent, scope.user, scope.project, scope.session)
    encoded = msgspec.json.encode(payload).decode()
    tx.execute(_WRITE_EVENT, (*owner, fields["type"], encoded, event.at, tx.actor))


def events_since(
    tx: Transaction, seq: int, limit: int = 1_000, wanted: EventFilter | None = None
) -> list[RecordedEvent]:
    """Return up to ``limit`` events after ``seq``, oldest first.

    An event that this version does not know comes as an `UnknownEvent`.
    """
    sql, params = _narrowed(wanted or EventFilter())
    sql = _READ_EVENTS + sql + " ORDER BY seq LIMIT ?"
    return [_read_event(row) for row in tx.rows(sql, (seq, *params, limit))]


def latest_events(
    tx: Transaction, limit: int, wanted: EventFilter | None = None
) -> list[RecordedEvent]:
    """Return the newest events, up to ``limit``, oldest first."""
    sql, params = _narrowed(wanted or EventFilter())
    rows = tx.all(_READ_EVENTS + sql + " ORDER BY seq DESC LIMIT ?", (0, *params, limit))
    return [_read_event(row) for row in reversed(rows)]


def last_event(tx: Transaction) -> int:
    """Return the sequence number of the newest event, also of a removed one; 0 without any."""
    return first_integer(tx.row(_LAST_EVENT))


def record_change(
    tx: Transaction, *, tenant: str, kind: str, ref: str, op: Operation, at: int
) -> None:
    """Tell the index of a change to a searchable record."""
    tx.execute(_WRITE_CHANGE, (tenant, kind, ref, op, at))


def record_changes(
    tx: Transaction, *, tenant: str, kind: str, refs: Iterable[str], op: Operation, at: int
) -> None:
    """Tell the index of the same change to many records, in their order."""
    tx.executemany(_WRITE_CHANGE, [(tenant, kind, ref, op, at) for ref in refs])


def last_change(tx: Transaction) -> int:
    """Return the sequence number of the newest change; 0 when there is none."""
    return first_integer(tx.row(_LAST_CHANGE))


def _narrowed(wanted: EventFilter) -> tuple[LiteralString, list[SqlValue]]:
    sql: LiteralString = ""
    params: list[SqlValue] = []
    scope = wanted.scope
    if scope is not None:
        sql += " AND tenant = ?"
        params.append(scope.tenant)
        if scope.user is not None:
            condition, users = user_condition(scope)
            sql += " AND " + condition
            params += users
        for column, value in (
            (" AND agent = ?", scope.agent),
            (" AND session_id = ?", scope.session),
        ):
            if value is not None:
                sql += column
                params.append(value)
        if scope.project is not None:
            sql += " AND " + OF_PROJECT
            params += [scope.project, scope.tenant, scope.project]
    if wanted.types is not None:
        sql += " AND type IN (" + ", ".join(["?"] * len(wanted.types)) + ")"
        params.extend(wanted.types)
    return sql, params


def _read_event(row: Row) -> RecordedEvent:
    seq, *owner, kind, payload, at, actor = row
    scope = decode(Scope, Scope.__struct_fields__, tuple(owner))
    fields = json_object(payload)
    told = {**fields, "type": text(kind), "scope": msgspec.to_builtins(scope), "at": integer(at)}
    event: Event
    try:
        event = msgspec.convert(told, type=AnyEvent)
    except msgspec.ValidationError:
        event = UnknownEvent(scope=scope, at=integer(at), name=text(kind), fields=fields)
    return RecordedEvent(seq=integer(seq), event=event, actor=text_or_none(actor))
