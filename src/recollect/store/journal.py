"""The journal of records.db: events, for people and streams, and changes, for the index.

Both are written in the transaction that they report, so that neither can be ahead of the truth or
lag. They are read by sequence number, in commit order.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal, LiteralString

import msgspec
from msgspec import Struct

from recollect.core.checks import LARGEST
from recollect.core.decoding import READ, json_decoder
from recollect.core.errors import StoreCorrupt
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
from recollect.store.twins import compared_rows

Operation = Literal["put", "delete"]

_WRITE_EVENT = """
    INSERT INTO events (tenant, agent, user_id, project, session_id, type, payload, at, actor)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_READ_EVENTS: LiteralString = """
    SELECT seq, tenant, agent, user_id, project, session_id, type, payload, at, actor, EXISTS (
        SELECT 1 FROM events t INDEXED BY events_twin
        WHERE t.session_id IS events.session_id AND t.seq = events.seq
            AND t.tenant = events.tenant AND t.agent IS events.agent
            AND t.user_id IS events.user_id AND t.project IS events.project
            AND t.type = events.type AND t.payload = events.payload AND t.at = events.at
            AND t.actor IS events.actor) AS is_whole
    FROM events NOT INDEXED WHERE seq > ?"""
"""``is_whole``: the twin, an index with all columns on other pages, has the same row."""
_SAME_NUMBER: LiteralString = """
    SELECT (SELECT count(*) FROM events NOT INDEXED WHERE seq > ?1 AND session_id = ?2)
        = (SELECT count(*) FROM events INDEXED BY events_twin WHERE session_id = ?2 AND seq > ?1)
"""
_BETWEEN: LiteralString = "FROM events INDEXED BY events_twin_by_seq WHERE seq BETWEEN ? AND ?"
"""Where an inner page of the table is damaged, rows are missing, and all others are sound."""
_OLDEST_FIRST: LiteralString = " ORDER BY seq LIMIT ?"
_NEWEST_FIRST: LiteralString = " ORDER BY seq DESC LIMIT ?"
# Not of the rows: the last of them may have been removed, with its session or by age.
_LAST_EVENT = "SELECT seq FROM sqlite_sequence WHERE name = 'events'"
_WRITE_CHANGE = "INSERT INTO changes (tenant, kind, ref, op, at) VALUES (?, ?, ?, ?, ?)"
_CUT: tuple[LiteralString, ...] = (
    "DELETE FROM injected_items WHERE ref = ?",
    "DELETE FROM never_injected WHERE ref = ?",
)
"""Rows that name a record by its id alone."""
_LAST_CHANGE = "SELECT seq FROM changes ORDER BY seq DESC LIMIT 1"

_COLUMNS = ("type", "scope", "at")


class EventFilter(Struct, frozen=True, kw_only=True):
    """A filter of events.

    Attributes:
        scope: Only those that belong to it; None for all.
        types: Only these types; None for all.
    """

    scope: Scope | None = None
    types: tuple[str, ...] | None = None


class RecordedEvent(Struct, frozen=True, kw_only=True):
    """An event and its position in the journal.

    Attributes:
        seq: Ascends in commit order.
        event: The event.
        actor: The name of the token whose request caused it; None without one.
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
    tx: Transaction, seq: int, limit: int = 1_000, event_filter: EventFilter | None = None
) -> list[RecordedEvent]:
    """Return up to ``limit`` events after ``seq``, oldest first.

    An event that this version does not know is returned as an `UnknownEvent`.

    Raises:
        StoreCorrupt: one is damaged, even if it is not requested or was removed.
    """
    return _read_events(tx, seq, event_filter, _OLDEST_FIRST, limit)


def latest_events(
    tx: Transaction, limit: int, event_filter: EventFilter | None = None
) -> list[RecordedEvent]:
    """Return the newest events, up to ``limit``, oldest first."""
    return _read_events(tx, 0, event_filter, _NEWEST_FIRST, limit)


def last_event(tx: Transaction) -> int:
    """Return the sequence number of the newest event, even if it was removed; 0 without any."""
    return first_integer(tx.row(_LAST_EVENT))


def record_change(
    tx: Transaction, *, tenant: str, kind: str, ref: str, op: Operation, at: int
) -> None:
    """Notify the index of a change to a searchable record."""
    tx.execute(_WRITE_CHANGE, (tenant, kind, ref, op, at))


def record_changes(
    tx: Transaction, *, tenant: str, kind: str, refs: Iterable[str], op: Operation, at: int
) -> None:
    """Notify the index of the same change to many records, in their order."""
    tx.executemany(_WRITE_CHANGE, [(tenant, kind, ref, op, at) for ref in refs])


def cut_references(tx: Transaction, ids: Iterable[str]) -> None:
    """Remove what names records that are removed: their lines in blocks, and their exclusions."""
    each = [(id_,) for id_ in ids]
    for statement in _CUT:
        tx.executemany(statement, each)


def last_change(tx: Transaction) -> int:
    """Return the sequence number of the newest change; 0 when there is none."""
    return first_integer(tx.row(_LAST_CHANGE))


def _read_events(
    tx: Transaction, seq: int, event_filter: EventFilter | None, order: LiteralString, limit: int
) -> list[RecordedEvent]:
    """Return the events after a number, oldest first, each compared with its twin."""
    event_filter = event_filter or EventFilter()
    sql, params = _READ_EVENTS, list[SqlValue]((seq,))
    session = None if event_filter.scope is None else event_filter.scope.session
    if session is not None:
        if tx.row(_SAME_NUMBER, (seq, session)) != (1,):
            raise _damaged()
        sql += " AND session_id = ?"
        params.append(session)
    condition, values = _narrowed(event_filter)
    # The filtered columns may be damaged: then the event is an error, not one of another scope.
    sql += " AND (NOT is_whole OR (" + condition + "))" + order
    events = [_read_event(row) for row in tx.all(sql, (*params, *values, limit))]
    if order != _OLDEST_FIRST:
        events.reverse()
    if any(later.seq <= earlier.seq for earlier, later in pairwise(events)):
        raise _damaged()  # pages of the table were swapped
    if session is None:
        is_full = 0 < limit == len(events)
        first = events[0].seq if is_full and order == _NEWEST_FIRST else seq + 1
        last = events[-1].seq if is_full and order == _OLDEST_FIRST else LARGEST
        compared_rows(tx, "count(*)", _BETWEEN, (first, last))
    return events


def _narrowed(event_filter: EventFilter) -> tuple[LiteralString, list[SqlValue]]:
    sql: LiteralString = "1"
    params: list[SqlValue] = []
    scope = event_filter.scope
    if scope is not None:
        sql += " AND tenant = ?"
        params.append(scope.tenant)
        if scope.user is not None:
            condition, users = user_condition(scope)
            sql += " AND " + condition
            params += users
        if scope.agent is not None:
            sql += " AND agent = ?"
            params.append(scope.agent)
        if scope.project is not None:
            sql += " AND " + OF_PROJECT
            params += [scope.project, scope.tenant, scope.project]
    if event_filter.types is not None:
        sql += " AND type IN (" + ", ".join(["?"] * len(event_filter.types)) + ")"
        params.extend(event_filter.types)
    return sql, params


def _read_event(row: Row) -> RecordedEvent:
    seq, *owner, kind, payload, at, actor, is_whole = row
    if not is_whole:
        raise _damaged()
    scope = decode(Scope, Scope.__struct_fields__, tuple(owner))
    fields = json_object(payload)
    attributes = {
        **fields,
        "type": text(kind),
        "scope": msgspec.to_builtins(scope),
        "at": integer(at),
    }
    if AnyEvent not in READ:  # as `convert_value`, which would be one more call for each event
        json_decoder(AnyEvent)
    event: Event
    try:
        event = msgspec.convert(attributes, AnyEvent)
    except msgspec.ValidationError:
        event = UnknownEvent(scope=scope, at=integer(at), name=text(kind), fields=fields)
    return RecordedEvent(seq=integer(seq), event=event, actor=text_or_none(actor))


def _damaged() -> StoreCorrupt:
    return StoreCorrupt("an event is damaged", hint="run `recollect doctor`")
