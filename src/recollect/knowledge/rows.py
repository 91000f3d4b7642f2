"""Facts: their rows. Plain functions of a transaction.

Every change of a row writes a line of its history, a new hash and a change for the index, in the
transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, LiteralString

import msgspec

from recollect.audience.visibility import Audience, hearer_of
from recollect.core.errors import NotFound, StoreCorrupt
from recollect.core.events import FactChanged
from recollect.core.numbers import parse_record
from recollect.core.scope import ConversationTurn, Scope
from recollect.knowledge.fact import Fact, FactAction, FactChange
from recollect.knowledge.wording import words_digest
from recollect.store.columns import (
    LISTED,
    Condition,
    decode,
    insert_into,
    integer,
    is_record_out,
    listed,
    text,
    text_or_none,
    typed_rows,
)
from recollect.store.counters import next_number
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.journal import (
    Operation,
    cut_references,
    record_change,
    record_changes,
    record_event,
)
from recollect.store.row_hash import row_hash
from recollect.store.twins import compared_rows, damaged_rows

KIND = "fact"
"""What the outbox and the counters call a fact."""

UNKNOWN_HEARER = ""
"""The key of facts that were stored before there were keys, see `hearer_of`."""
NO_SUCH = "take a number from `recollect facts`"
_UNHASHED = ("accessed_at", "access_count")
_FIELDS = tuple(name for name in Fact.__struct_fields__ if name not in _UNHASHED)
"""In the order of the columns."""
_COLUMNS: LiteralString = """
    id, number, tenant, agent, user_id, project, session_id, message_id, start_at, end_at, channel,
    account, chat_type, peer, turn_sender, text, kind, subject, name, slot, value, importance,
    confidence, trust, made_by, valid_from, valid_to, created_at, is_pinned, status, replaced_by,
    version"""
_STORED: LiteralString = _COLUMNS + ", row_hash, accessed_at, access_count"
_INSERT: LiteralString = insert_into("facts", _STORED + ", words, hearer")
_UPDATE: LiteralString = """
    UPDATE facts SET session_id = ?, message_id = ?, start_at = ?, end_at = ?, text = ?, words = ?,
        slot = ?, value = ?, importance = ?, confidence = ?, trust = ?, made_by = ?, valid_to = ?,
        is_pinned = ?, status = ?, replaced_by = ?, version = ?, row_hash = ?, accessed_at = ?,
        access_count = ?
    WHERE id = ?
"""
_SESSION_COLUMN: LiteralString = "f.session_id"
_BY_TIME: LiteralString = "FROM facts f INDEXED BY facts_twin WHERE "
_BY_USER: LiteralString = "FROM facts f INDEXED BY facts_twin_by_user WHERE "
_KEYED_BY_USER = (" AND user_id = ?", " AND (user_id IN (SELECT value FROM json_each(?)))")
"""Conditions on one user, and on the accounts of a person, that the index answers."""
_BY_ID: LiteralString = f"FROM {LISTED} facts f WHERE f.id = listed AND "
_NUMBERED: LiteralString = (
    "FROM facts INDEXED BY facts_twin_by_number WHERE tenant = ? AND number = ?"
)
_IS_THERE: LiteralString = """
    SELECT id FROM facts INDEXED BY facts_twin_by_id
    WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
_UNDELETED: LiteralString = (
    " AND NOT EXISTS (SELECT 1 FROM sessions s INDEXED BY sessions_twin"
    " WHERE s.id = f.session_id AND s.status = 'deleted')"
)
LIVING: LiteralString = f"{_UNDELETED} AND NOT {is_record_out('fact', 'f.id')}"
"""Leaves out facts ``f`` of deleted sessions, and those that a rewind hides."""
_SAME: LiteralString = "SELECT id FROM facts WHERE tenant = ? AND words = ? ORDER BY id"
_VALUES: LiteralString = """
    SELECT id FROM facts WHERE tenant = ? AND slot IS NOT NULL AND status = 'current' ORDER BY id
"""
_REPLACED: LiteralString = """
    SELECT id FROM facts WHERE tenant = ? AND replaced_by IS NOT NULL AND status = 'replaced'
    ORDER BY id
"""
_SAID_TO: LiteralString = f"""
    SELECT f.id FROM {LISTED} facts f INDEXED BY facts_by_words
    WHERE f.tenant = ? AND f.words = ? AND f.hearer = listed ORDER BY f.id
"""  # noqa: S608  # literals
_IN_SLOT: LiteralString = f"""
    SELECT f.id FROM {LISTED} facts f INDEXED BY facts_by_slot
    WHERE f.tenant = ? AND f.slot = ? AND f.hearer = listed AND f.status = 'current' ORDER BY f.id
"""  # noqa: S608  # literals
_BY_HAND: LiteralString = """
    SELECT f.id FROM facts f INDEXED BY facts_by_hand
    WHERE f.tenant = ? AND f.slot = ? AND f.made_by = 'hand' AND f.status = 'current' ORDER BY f.id
"""
_MADE_WAY: LiteralString = f"SELECT f.id FROM {LISTED} facts f WHERE f.replaced_by = listed"  # noqa: S608
_OF_MESSAGES: LiteralString = f"SELECT f.id FROM {LISTED} facts f WHERE f.message_id = listed"  # noqa: S608
_LOST: LiteralString = f"""
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT f.tenant, 'fact', f.id, 'put', ? FROM {LISTED} facts f WHERE f.message_id = listed
"""  # noqa: S608  # literals
_ADD_CHANGE: LiteralString = """
    INSERT INTO fact_history (fact_id, version, action, at, actor, text, confidence, status,
        replaced_by, is_pinned, row_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_HISTORY: LiteralString = """
    SELECT fact_id, version, action, at, actor, text, confidence, status, replaced_by, is_pinned,
        row_hash
    FROM fact_history WHERE fact_id = ? ORDER BY version
"""
_NEW_LINE_HASH: LiteralString = (
    "UPDATE fact_history SET row_hash = ? WHERE fact_id = ? AND version = ?"
)
_ACCESS: LiteralString = """
    UPDATE facts SET accessed_at = ?, access_count = access_count + 1 WHERE id = ?
"""
_PAGE: LiteralString = "SELECT " + _STORED + " FROM facts WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608
_NEW_HASH: LiteralString = "UPDATE facts SET row_hash = ?, words = ?, hearer = ? WHERE id = ?"


def find_fact(tx: Transaction, scope: Scope, name: str) -> Fact | None:
    """Return the fact that an id, or a number such as ``f12``, means to a scope.

    Raises:
        StoreCorrupt: its row is not what was stored.
    """
    record = parse_record(name)
    if record is None or record.kind not in {None, KIND}:
        return None
    id_ = record.id
    if id_ is None:
        rows = compared_rows(tx, "id", _NUMBERED, (scope.tenant, record.number))
        id_ = text(rows[0][0]) if rows else None
    return None if id_ is None else next(iter(facts_by_id(tx, scope, [id_])), None)


def require_fact(tx: Transaction, scope: Scope, name: str) -> Fact:
    """Return the fact that an id or a number means to a scope.

    Raises:
        NotFound: there is none.
    """
    fact = find_fact(tx, scope, name)
    if fact is None:
        raise NotFound("the fact does not exist", hint=NO_SUCH)
    return fact


def facts_by_id(
    tx: Transaction, scope: Scope, ids: Sequence[str], *, deleted: bool = False
) -> list[Fact]:
    """Return those of some facts that a scope has, in the order of their ids.

    Args:
        tx: A transaction.
        scope: Their owner.
        ids: Which.
        deleted: Also those of deleted sessions, and those that a rewind hides.

    Raises:
        StoreCorrupt: one is missing, or is not what was stored.
    """
    rows = typed_ids(tx.all("SELECT id " + _BY_ID + "1 ORDER BY f.id", (listed(ids),)))
    if rows != typed_ids(tx.all(_IS_THERE, (listed(ids),))):
        raise damaged_rows()
    where = Condition(scope, _SESSION_COLUMN)
    living: LiteralString = "" if deleted else LIVING
    select: LiteralString = "SELECT " + _STORED + " " + _BY_ID + where.sql + living
    return [
        _fact_of(row) for row in tx.all(select + " ORDER BY f.id", (listed(ids), *where.params))
    ]


def typed_ids(rows: Sequence[Row]) -> list[str]:
    """Return the ids of rows that have nothing else."""
    return [id_ for (id_,) in typed_rows(rows, tuple[str])]


def of_facts(scope: Scope) -> Condition:
    """Return the condition on facts of a scope."""
    return Condition(scope, _SESSION_COLUMN)


def select_facts(
    tx: Transaction, where: Condition, limit: int, *, offset: int = 0, withdrawn: bool = False
) -> list[Fact]:
    """Return the facts that meet a condition on columns of `facts_twin`, the newest first.

    Args:
        tx: A transaction.
        where: Which ones, see `of_facts`.
        limit: How many at most; -1 for all.
        offset: How many to skip.
        withdrawn: Also those that a rewind hides.

    Raises:
        StoreCorrupt: a row is missing, or is not what was stored.
    """
    # Of one user among many a few rows are read, not those of all.
    is_keyed = any(keyed in where.sql for keyed in _KEYED_BY_USER)
    table: LiteralString = _BY_USER if is_keyed else _BY_TIME
    visibility: LiteralString = _UNDELETED if withdrawn else LIVING
    tail: LiteralString = visibility + " ORDER BY f.created_at DESC, f.id DESC LIMIT ? OFFSET ?"
    params = [*where.params, limit, offset]
    rows = compared_rows(tx, _STORED, table + where.sql + tail, params, key="id")
    return [_fact_of(row) for row in rows]


def same_words(tx: Transaction, tenant: str, words: str) -> list[Fact]:
    """Return the facts of a tenant that have the words of a text, in whatever audience."""
    ids = typed_ids(tx.all(_SAME, (tenant, words_digest(words))))
    return facts_by_id(tx, Scope(tenant=tenant), ids) if ids else []


def said_to(tx: Transaction, tenant: str, words: str, hearers: Iterable[str]) -> list[Fact]:
    """Return the facts that have the words of a text, and one of some keys of `hearer_of`."""
    keys = listed({*hearers, UNKNOWN_HEARER})
    ids = typed_ids(tx.all(_SAID_TO, (keys, tenant, words_digest(words))))
    return facts_by_id(tx, Scope(tenant=tenant), ids) if ids else []


def in_slot(tx: Transaction, tenant: str, slot: str, hearers: Iterable[str]) -> list[Fact]:
    """Return the current facts that give a slot its value, with one of some keys of `hearer_of`."""
    ids = typed_ids(tx.all(_IN_SLOT, (listed({*hearers, UNKNOWN_HEARER}), tenant, slot)))
    return facts_by_id(tx, Scope(tenant=tenant), ids) if ids else []


def values_by_hand(tx: Transaction, tenant: str, slot: str) -> list[Fact]:
    """Return the current facts, given by hand, that give a slot its value; of all audiences."""
    ids = typed_ids(tx.all(_BY_HAND, (tenant, slot)))
    return facts_by_id(tx, Scope(tenant=tenant), ids) if ids else []


def current_values(tx: Transaction, tenant: str) -> list[Fact]:
    """Return the current facts of a tenant that give anything a value."""
    ids = typed_ids(tx.all(_VALUES, (tenant,)))
    return facts_by_id(tx, Scope(tenant=tenant), ids) if ids else []


def replaced_facts(tx: Transaction, tenant: str) -> list[Fact]:
    """Return the facts of a tenant that made way for others."""
    ids = typed_ids(tx.all(_REPLACED, (tenant,)))
    return facts_by_id(tx, Scope(tenant=tenant), ids, deleted=True) if ids else []


def of_messages(tx: Transaction, tenant: str, message_ids: Sequence[str]) -> list[Fact]:
    """Return the facts whose first source is one of some messages."""
    ids = typed_ids(tx.all(_OF_MESSAGES, (listed(message_ids),)))
    return facts_by_id(tx, Scope(tenant=tenant), ids) if ids else []


def made_way(tx: Transaction, tenant: str, ids: Sequence[str]) -> list[Fact]:
    """Return the facts that made way for some others."""
    older = typed_ids(tx.all(_MADE_WAY, (listed(ids),)))
    return facts_by_id(tx, Scope(tenant=tenant), older, deleted=True) if older else []


def only_heard(audience: Audience, facts: Sequence[Fact]) -> list[Fact]:
    """Return those of some facts that an audience hears."""
    if audience.group is None:
        return list(facts)
    return [each for each in facts if audience.hears(each.turn, each.turn_sender)]


def add_fact(tx: Transaction, fact: Fact, at: int) -> Fact:
    """Store a new fact, with the next number of its tenant; return it."""
    fact = msgspec.structs.replace(fact, number=next_number(tx, fact.tenant, KIND), version=1)
    restore_fact(tx, fact)
    _add_change(tx, fact, "new", at)
    return fact


def restore_fact(tx: Transaction, fact: Fact) -> None:
    """Store a fact under its own id, number and owner, without a history, and for the index."""
    row = _row(fact)
    accesses = (fact.accessed_at, fact.access_count)
    keys = (words_digest(fact.text), hearer_of(fact.turn))
    tx.execute(_INSERT, [*row, row_hash(row), *accesses, *keys])
    note_fact(tx, fact, "put", fact.created_at)


def change_fact(tx: Transaction, fact: Fact, action: FactAction, at: int, **changes: Any) -> Fact:
    """Change some fields of a fact, with a line of its history and an event; return it."""
    changed = msgspec.structs.replace(fact, version=fact.version + 1, **changes)
    write_fact(tx, changed)
    _add_change(tx, changed, action, at)
    note_fact(tx, changed, "put", at)
    record_event(tx, FactChanged(scope=fact.owner, at=at, number=fact.number, action=action))
    return changed


def write_fact(tx: Transaction, fact: Fact) -> None:
    """Write the columns of a fact that may change, and its hash; without a line in its history."""
    f, words = fact, words_digest(fact.text)
    source = (f.session_id, f.message_id, f.start, f.end)
    content = (f.text, words, f.slot, f.value, f.importance, f.confidence, f.trust, f.made_by)
    state = (f.valid_to, int(f.is_pinned), f.status, f.replaced_by, f.version)
    tx.execute(
        _UPDATE,
        (*source, *content, *state, row_hash(_row(fact)), f.accessed_at, f.access_count, f.id),
    )


def note_fact(tx: Transaction, fact: Fact, op: Operation, at: int) -> None:
    """Record a change to a fact for the index."""
    record_change(tx, tenant=fact.tenant, kind=KIND, ref=fact.id, op=op, at=at)


def note_lost_sources(tx: Transaction, message_ids: Sequence[str], at: int) -> None:
    """Record for the index that messages of facts are gone: searches then find the facts alone."""
    tx.execute(_LOST, (at, listed(message_ids)))


def note_access(tx: Transaction, ids: Sequence[str], at: int) -> None:
    """Note that facts were found."""
    tx.executemany(_ACCESS, [(at, id_) for id_ in ids])


def renew_fact(tx: Transaction, id_: str, update: Callable[[], None], at: int) -> None:
    """Let a row change on purpose; give it a new hash, and record it for the index.

    A damaged row keeps the hash that shows the damage.
    """
    select: LiteralString = "SELECT " + _STORED + " FROM facts WHERE id = ?"  # noqa: S608
    before = tx.row(select, (id_,))
    update()
    after = tx.row(select, (id_,))
    if before is None or after is None:
        return
    size = len(_FIELDS)
    if row_hash(before[:size]) == before[size]:
        words = words_digest(text(after[_FIELDS.index("text")]))
        cells = (after[_FIELDS.index(name)] for name in ConversationTurn.__struct_fields__)
        hearer = hearer_of(ConversationTurn(*map(text_or_none, cells)))
        tx.execute(_NEW_HASH, (row_hash(after[:size]), words, hearer, id_))
    tenant = text(after[_FIELDS.index("tenant")])
    record_change(tx, tenant=tenant, kind=KIND, ref=id_, op="put", at=at)


def renew_history(tx: Transaction, fact_id: str, update: Callable[[], None], at: int) -> None:
    """Let lines of the history of a fact change on purpose; give them new hashes.

    Damaged lines keep the hash that shows the damage.
    """
    sound = {row[1] for row in tx.all(_HISTORY, (fact_id,)) if row_hash(row[:-1]) == row[-1]}
    update()
    for row in tx.all(_HISTORY, (fact_id,)):
        if row[1] in sound:
            tx.execute(_NEW_LINE_HASH, (row_hash(row[:-1]), fact_id, row[1]))


def damaged_facts(tx: Transaction, after: str, most: int) -> tuple[str, list[str]]:
    """Return facts whose row or history is not what was stored, a page at a time.

    Args:
        tx: A transaction.
        after: The last id of the page before; empty for the first.
        most: Facts of a page.

    Returns:
        The last id of the page, empty after the last page; and the ids of the damaged ones.
    """
    damaged: list[str] = []
    rows = tx.all(_PAGE, (after, most))
    for row in rows:
        try:
            history_of(tx, _fact_of(row))
        except StoreCorrupt:
            damaged.append(text(row[0]))
    return text(rows[-1][0]) if len(rows) == most else "", damaged


def count_facts(tx: Transaction, scope: Scope) -> int:
    """Return the number of current facts of a scope.

    Raises:
        StoreCorrupt: the table and its twin disagree.
    """
    where = of_facts(scope).also("status = ?", "current")
    (row,) = compared_rows(tx, "count(*)", _BY_TIME + where.sql + LIVING, where.params)
    return integer(row[0])


def delete_facts(tx: Transaction, tenant: str, ids: Sequence[str], at: int) -> None:
    """Remove facts with their history, and record that for the index."""
    each = [(id_,) for id_ in ids]
    cut_references(tx, ids)
    tx.executemany("DELETE FROM fact_history WHERE fact_id = ?", each)
    tx.executemany("DELETE FROM fact_sources WHERE fact_id = ?", each)
    tx.executemany("DELETE FROM facts WHERE id = ?", each)
    record_changes(tx, tenant=tenant, kind=KIND, refs=ids, op="delete", at=at)


def history_of(tx: Transaction, fact: Fact) -> tuple[FactChange, ...]:
    """Return the history of a fact, the oldest line first.

    Raises:
        StoreCorrupt: a line is missing, or is not what was stored.
    """
    rows = tx.all(_HISTORY, (fact.id,))
    changes = tuple(_change_of(row) for row in rows)
    if [each.version for each in changes] != list(range(1, fact.version + 1)):
        raise damaged_rows()
    return changes


def add_history(tx: Transaction, fact: Fact, changes: Sequence[FactChange]) -> None:
    """Store the history of a fact that comes from elsewhere."""
    for each in changes:
        tx.execute(_ADD_CHANGE, _change_row(fact.id, each))


def _add_change(tx: Transaction, fact: Fact, action: FactAction, at: int) -> None:
    change = FactChange(
        version=fact.version,
        action=action,
        at=at,
        actor=tx.actor,
        text=fact.text,
        confidence=fact.confidence,
        status=fact.status,
        replaced_by=fact.replaced_by,
        is_pinned=fact.is_pinned,
    )
    tx.execute(_ADD_CHANGE, _change_row(fact.id, change))


def _change_row(fact_id: str, change: FactChange) -> list[SqlValue]:
    fields = msgspec.structs.astuple(change)
    row: list[SqlValue] = [fact_id, *fields[:-1], int(change.is_pinned)]
    return [*row, row_hash(row)]


def _change_of(row: Row) -> FactChange:
    *cells, digest = row
    if row_hash(cells) != digest:
        raise StoreCorrupt("the history of a fact is damaged", hint="run `recollect doctor`")
    pinned = bool(integer(cells[-1]))
    return decode(FactChange, FactChange.__struct_fields__, tuple(cells[1:]), is_pinned=pinned)


def _row(fact: Fact) -> list[SqlValue]:
    fields = msgspec.structs.asdict(fact)
    return [int(v) if isinstance(v := fields[name], bool) else v for name in _FIELDS]


def _fact_of(row: Row) -> Fact:
    size = len(_FIELDS)
    if row_hash(row[:size]) != row[size]:
        raise StoreCorrupt("a fact is damaged", hint="run `recollect doctor`")
    accessed_at, count = row[size + 1 : size + 3]
    parsed: dict[str, Any] = {
        "accessed_at": accessed_at,
        "access_count": count,
        "is_pinned": bool(row[_FIELDS.index("is_pinned")]),
    }
    return decode(Fact, _FIELDS, row[:size], **parsed)
