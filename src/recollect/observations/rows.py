"""Observations: their rows. Plain functions of a transaction.

The number is drawn here, in the transaction that stores the row; the change for the index is in it
too. Who owns a row is copied from its session by the query that finds the session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import LiteralString

import msgspec

from recollect.audience.visibility import Audience
from recollect.core.decoding import convert_value
from recollect.core.errors import Conflict, Denied, NotFound, RecollectError, StoreCorrupt
from recollect.core.scope import ConversationTurn, Scope
from recollect.observations.links.said import said_in
from recollect.observations.observation import Observation
from recollect.observations.payload import without_payload
from recollect.store.columns import (
    LISTED,
    Condition,
    decode,
    integer,
    is_record_out,
    json_cell,
    listed,
    text,
    text_or_none,
    typed_rows,
)
from recollect.store.counters import next_numbers
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.journal import Operation, record_change, record_changes
from recollect.store.meta import drop_value
from recollect.store.row_hash import row_hash
from recollect.store.twins import compared_rows, damaged_rows

KIND = "observation"
"""What the outbox and the counters call an observation."""

RECLASSIFIED = "observations.reclassified:"
"""The key of how far the rows of a tenant, whose name follows, are classified again."""

_FIELDS = tuple(name for name in Observation.__struct_fields__ if name != "is_forgotten")
"""In the order of the columns."""
_COLUMNS: LiteralString = """
    id, number, session_id, type, tool_name, title, summary, input, output, input_blob, output_blob,
    tokens, importance, trust, files, error, message_id, tool_use_id, agent_id, event, event_id,
    made_by, created_at, tenant, agent, user_id, project, turn_sender"""
_INSERT: LiteralString = f"""
    INSERT INTO observations ({_COLUMNS}, row_hash, is_forgotten)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        ?, ?)
"""  # noqa: S608  # literals
_STORED: LiteralString = _COLUMNS + ", is_forgotten, row_hash"
_SELECT: LiteralString = f"SELECT {_STORED} FROM observations o WHERE "  # noqa: S608  # literals
_BY_TIME: LiteralString = "FROM observations o INDEXED BY observations_twin WHERE "
_BY_ID: LiteralString = f"FROM {LISTED} observations o WHERE o.id = listed"
_AT: LiteralString = (
    " AND created_at IN (SELECT value FROM json_each(?)) AND id IN (SELECT value FROM json_each(?))"
)
_IS_THERE: LiteralString = """
    SELECT 1 FROM observations INDEXED BY observations_twin_by_id
    WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1
"""
_NUMBERED: LiteralString = (
    "FROM observations INDEXED BY observations_twin_by_number WHERE tenant = ? AND number = ?"
)
_REWRITE: LiteralString = """
    UPDATE observations
    SET title = ?, summary = ?, type = ?, importance = ?, tokens = ?, files = ?, error = ?,
        made_by = ?, row_hash = ?
    WHERE id = ?
"""
_LIVING: LiteralString = f"""
    AND EXISTS (SELECT 1 FROM sessions s INDEXED BY sessions_twin
        WHERE s.id = o.session_id AND s.status <> 'deleted')
    AND NOT {is_record_out("observation", "o.id")}
"""  # noqa: S608  # literals
_TURN_COLUMNS: LiteralString = (
    "o.id, s.agent, s.user_id, s.channel, s.account, s.chat_type, s.peer, o.turn_sender"
)
_TURNS_BY_ID: LiteralString = f"""
    FROM {LISTED} observations o
    JOIN sessions s INDEXED BY sessions_twin ON s.id = o.session_id
    WHERE o.id = listed ORDER BY o.id
"""
_SESSION: LiteralString = """
    SELECT tenant, agent, user_id, project, channel, account, chat_type, peer, status, parent_id,
        forked_at_seq
    FROM sessions WHERE """
_TURN: LiteralString = """
    SELECT turn_sender FROM messages
    WHERE session_id = ? AND seq <= ? AND role <> 'system' ORDER BY seq DESC LIMIT 1
"""
_MESSAGE: LiteralString = """
    WITH RECURSIVE line (id) AS (
        SELECT ? UNION SELECT s.parent_id FROM sessions s JOIN line ON s.id = line.id
        WHERE s.parent_id IS NOT NULL)
    SELECT turn_sender FROM messages WHERE id = ? AND session_id IN (SELECT id FROM line)
"""
_PARENT: LiteralString = "SELECT parent_id, forked_at_seq FROM sessions WHERE id = ?"
_ENDLESS = 2**62
TELLING = frozenset({"decision", "architecture", "bugfix"})
"""Types that make an observation of a prompt or answer worth keeping beside its message."""
IS_REPEATED: LiteralString = """(message_id IS NOT NULL AND event IN ('prompt', 'answer')
    AND type NOT IN ('decision', 'architecture', 'bugfix'))"""
"""True for an observation that repeats its message, which is found and shown instead."""
IS_TRIVIAL: LiteralString = """(importance < 0.4 AND type IN ('routine', 'exploration')
    OR importance < 0.2 AND type IN ('prompt', 'answer'))"""
"""True for a call that only looked (ls, cat, git status) and for "go on": kept and found, put into
no prompt by itself. One to which a caller gave more weight is not trivial."""
_BY_EVENT: LiteralString = (
    "SELECT id FROM observations WHERE tenant = ? AND session_id = ? AND event_id = ? LIMIT 1"
)
_BY_TOOL_USE: LiteralString = """
    SELECT id FROM observations
    WHERE tenant = ? AND session_id = ? AND tool_use_id = ? AND event = ? LIMIT 1
"""


class SessionFacts(msgspec.Struct, frozen=True, array_like=True):
    """What an observation takes from its session."""

    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    channel: str | None
    account: str | None
    chat_type: str | None
    peer: str | None
    status: str
    parent_id: str | None
    forked_at_seq: int | None


def find_facts(tx: Transaction, scope: Scope, session_id: str) -> SessionFacts:
    """Return the facts that observations take from a session.

    Raises:
        NotFound: the scope has no such session.
    """
    where = Condition(scope).also("id = ?", session_id)
    rows = typed_rows(tx.all(_SESSION + where.sql, where.params), SessionFacts)
    if not rows:
        raise NotFound("the session does not exist", hint="list sessions with `recollect sessions`")
    return rows[0]


def turn_of(
    tx: Transaction, session_id: str, facts: SessionFacts, message_id: str | None
) -> ConversationTurn:
    """Return the place of an observation: the turn of its message, else of the newest one.

    A message of another session says nothing of this one, unless this one was forked from it.
    """
    row = None if message_id is None else tx.row(_MESSAGE, (session_id, message_id))
    sender = _newest_turn(tx, session_id) if row is None else text_or_none(row[0])
    f = facts
    return ConversationTurn(f.agent, f.user, f.channel, f.account, f.chat_type, f.peer, sender)


def _newest_turn(tx: Transaction, session_id: str) -> str | None:
    """Return the turn sender of the newest message of a session or, for a fork, of its parents."""
    last = _ENDLESS
    current: str | None = session_id
    while current is not None:
        row = tx.row(_TURN, (current, last))
        if row is not None:
            return text_or_none(row[0])
        parent = tx.row(_PARENT, (current,))
        if parent is None or parent[0] is None:
            return None
        current, last = text(parent[0]), min(last, integer(parent[1]))
    return None


class Recorded(msgspec.Struct, frozen=True):
    """An observation as it is stored, and whether it was not stored before."""

    observation: Observation
    is_new: bool


class AddedObservations(msgspec.Struct, frozen=True):
    """What became of some drafts.

    Attributes:
        outcomes: For each draft what is stored, or why it is not.
        fresh: Those that were not stored before, in order.
    """

    outcomes: list[Recorded | RecollectError]
    fresh: list[Observation]


def add_observations(
    tx: Transaction, drafts: Sequence[Observation], scope: Scope
) -> AddedObservations:
    """Store observations of any sessions of a scope.

    One of the same session with its event id, or with its tool use and event, is the same. An
    outcome is `NotFound` where the scope has no such session, `Conflict` where that was deleted,
    and `Denied` where its project is not that of the scope.
    """
    lookup = _TurnLookup(tx, scope)
    outcomes = [lookup.find(draft) for draft in drafts]
    count = len(lookup.fresh)
    numbers = next_numbers(tx, scope.tenant, KIND, count) if count else range(0)
    fresh = [
        msgspec.structs.replace(each, number=number)
        for each, number in zip(lookup.fresh, numbers, strict=True)
    ]
    if fresh:
        tx.executemany(_INSERT, [_stored(each) for each in fresh])
        refs, at = [each.id for each in fresh], max(each.created_at for each in fresh)
        record_changes(tx, tenant=scope.tenant, kind=KIND, refs=refs, op="put", at=at)
    untold = set(range(count))
    return AddedObservations([_outcome(each, fresh, untold) for each in outcomes], fresh)


def _outcome(
    result: int | Observation | RecollectError, fresh: Sequence[Observation], untold: set[int]
) -> Recorded | RecollectError:
    """Return the outcome of a draft; only the first of several equal ones is new."""
    if isinstance(result, int):
        is_new = result in untold
        untold.discard(result)
        return Recorded(fresh[result], is_new=is_new)
    return Recorded(result, is_new=False) if isinstance(result, Observation) else result


class _TurnLookup:
    """Gives drafts their owners; asks once for what those of a session have in common.

    Attributes:
        fresh: Drafts that were not stored before, without their numbers.
    """

    def __init__(self, tx: Transaction, scope: Scope) -> None:
        self._tx = tx
        self._scope = scope
        self._sessions: dict[str, SessionFacts] = {}
        self._turns: dict[tuple[str, str | None], str | None] = {}
        self._copies: dict[tuple[str | None, ...], int] = {}
        self.fresh: list[Observation] = []

    def find(self, draft: Observation) -> int | Observation | RecollectError:
        """Return the index of a draft in ``fresh``, the observation stored before, or a refusal."""
        try:
            return self._find(draft)
        except (NotFound, Conflict, Denied) as refusal:
            return refusal

    def _find(self, draft: Observation) -> int | Observation:
        facts = self._facts(draft.session_id)
        names = _names(draft)
        same = next((self._copies[name] for name in names if name in self._copies), None)
        existing = find_same(self._tx, draft, facts.tenant) if same is None else same
        if existing is not None:
            return existing
        project = facts.project if draft.project is None else draft.project
        if self._scope.project not in {None, project}:
            raise Denied(
                "the observation would belong to another project than the scope allows",
                hint="leave the project out, or ask with another scope",
            )
        self._copies.update(dict.fromkeys(names, len(self.fresh)))
        message_id = draft.message_id or said_in(self._tx, draft)
        owned = msgspec.structs.replace(
            draft,
            message_id=message_id,
            tenant=facts.tenant,
            agent=facts.agent,
            user=facts.user,
            project=project,
            turn_sender=self._turn(draft.session_id, facts, message_id),
        )
        self.fresh.append(owned)
        return len(self.fresh) - 1

    def _facts(self, session_id: str) -> SessionFacts:
        facts = self._sessions.get(session_id)
        if facts is None:
            facts = self._sessions[session_id] = find_facts(self._tx, self._scope, session_id)
        if facts.status == "deleted":
            raise Conflict(
                "the session was deleted",
                hint=f"bring it back with `recollect sessions restore {session_id}`",
                session_id=session_id,
            )
        return facts

    def _turn(self, session_id: str, facts: SessionFacts, message_id: str | None) -> str | None:
        name = (session_id, message_id)
        if name not in self._turns:
            turn = turn_of(self._tx, session_id, facts, message_id)
            self._turns[name] = turn.turn_sender
        return self._turns[name]


def _names(draft: Observation) -> list[tuple[str | None, ...]]:
    """Return the keys by which a draft is recognised as stored already."""
    names: list[tuple[str | None, ...]] = []
    if draft.event_id is not None:
        names.append((draft.session_id, draft.event_id))
    if draft.tool_use_id is not None:
        names.append((draft.session_id, draft.tool_use_id, draft.event))
    return names


def restore_observation(tx: Transaction, observation: Observation) -> None:
    """Store an observation under its own id, number and owner."""
    tx.execute(_INSERT, _stored(observation))
    drop_value(tx, RECLASSIFIED + observation.tenant)  # older rules may have made it
    note_observation(tx, observation, "put", observation.created_at)


def note_observation(tx: Transaction, of: Observation, op: Operation, at: int) -> None:
    """Tell the index of a change to an observation."""
    record_change(tx, tenant=of.tenant, kind=KIND, ref=of.id, op=op, at=at)


def renew_observation(tx: Transaction, id_: str, update: Callable[[], None], at: int) -> None:
    """Let a row change on purpose; give it a new hash, and tell the index.

    A damaged row keeps the hash that shows the damage.
    """
    select: LiteralString = _SELECT + "id = ?"
    before = tx.row(select, (id_,))
    update()
    after = tx.row(select, (id_,))
    if before is None or after is None:
        return
    if row_hash(before[:-2]) == before[-1]:
        tx.execute("UPDATE observations SET row_hash = ? WHERE id = ?", (row_hash(after[:-2]), id_))
    tenant = text(after[_FIELDS.index("tenant")])
    record_change(tx, tenant=tenant, kind=KIND, ref=id_, op="put", at=at)


def set_forgotten(tx: Transaction, of: Observation, *, is_forgotten: bool, at: int) -> None:
    """Take an observation out of everything, or bring it back."""
    tx.execute("UPDATE observations SET is_forgotten = ? WHERE id = ?", (int(is_forgotten), of.id))
    note_observation(tx, of, "put", at)


def rewrite(tx: Transaction, old: Observation, new: Observation, at: int) -> bool:
    """Give an observation other words, type and importance; return False if it had changed."""
    where = _where(Scope(tenant=old.tenant)).also("made_by = ?", old.made_by)
    if not select_observations(tx, where, "id", 1, deleted=True, ids=[old.id]):
        return False
    cells: list[SqlValue] = [new.title, new.summary, new.type, new.importance, new.tokens]
    cells += [msgspec.json.encode(new.files).decode(), new.error, new.made_by, row_hash(_row(new))]
    tx.execute(_REWRITE, (*cells, old.id))
    if _found_by(old) != _found_by(new):
        note_observation(tx, new, "put", at)
    return True


def _found_by(of: Observation) -> tuple[object, ...]:
    """Return what a search, a list or a filter goes by."""
    return of.title, of.summary, of.type, of.importance, of.files, of.error


def select_observations(
    tx: Transaction,
    where: Condition,
    order: LiteralString,
    limit: int,
    *,
    offset: int = 0,
    deleted: bool = False,
    ids: Sequence[str] | None = None,
) -> list[Observation]:
    """Return the observations that meet a condition.

    Args:
        tx: A transaction.
        where: Which ones.
        order: The columns to order by.
        limit: How many at most; -1 for all, and always with ``ids``.
        offset: How many to skip.
        deleted: Those of deleted sessions, too.
        ids: Only these.

    Raises:
        StoreCorrupt: a row is missing, or is not what was stored.
    """
    living: LiteralString = "" if deleted else _LIVING
    tail: LiteralString = living + " ORDER BY " + order + " LIMIT ? OFFSET ?"
    parameters = [] if ids is None else [listed(ids)]
    table: LiteralString = _BY_TIME if ids is None else _BY_ID + " AND "
    params = [*parameters, *where.params, limit, offset]
    rows = compared_rows(tx, _STORED, table + where.sql + tail, params, key="id")
    observations = [_observation_of(row) for row in rows]
    if ids is not None:
        _check_chosen(tx, where, living, ids, {each.id for each in observations})
    return observations


def _check_chosen(
    tx: Transaction, where: Condition, living: LiteralString, ids: Sequence[str], ids_read: set[str]
) -> None:
    """Compare which of some observations meet a condition with what their twins say.

    Raises:
        StoreCorrupt: they disagree.
    """
    id_list = listed(ids)
    present = tx.all("SELECT id, created_at " + _BY_ID, (id_list,))  # literals
    if len(present) < len(set(ids)):
        others = listed(set(ids) - {text(id_) for id_, _ in present})
        if tx.row(_IS_THERE, (others,)) is not None:
            raise damaged_rows()
    moments = listed({integer(at) for _, at in present})
    select: LiteralString = "SELECT id " + _BY_TIME + where.sql + _AT + living
    twins = tx.all(select, [*where.params, moments, id_list])
    if ids_read != {text(id_) for (id_,) in twins}:
        raise damaged_rows()


def find_number(tx: Transaction, tenant: str, number: int) -> str | None:
    """Return the id of the observation with a number.

    Raises:
        StoreCorrupt: its row is not where its number says.
    """
    rows = compared_rows(tx, "id", _NUMBERED, (tenant, number))
    return text(rows[0][0]) if rows else None


def select_numbers(tx: Transaction, where: Condition) -> list[int]:
    """Return the numbers of the observations that meet a condition."""
    rows = compared_rows(tx, "number, id", _BY_TIME + where.sql + " ORDER BY number", where.params)
    return [integer(number) for number, _ in rows]


def turns_of(tx: Transaction, ids: Sequence[str]) -> dict[str, ConversationTurn]:
    """Return the place of each of some observations, by id."""
    rows = compared_rows(tx, _TURN_COLUMNS, _TURNS_BY_ID, (listed(ids),))
    return {text(row[0]): convert_value(row[1:], ConversationTurn) for row in rows}


def only_heard(
    tx: Transaction, audience: Audience, observations: Sequence[Observation]
) -> list[Observation]:
    """Return those of some observations that an audience hears."""
    if audience.group is None:
        return list(observations)
    turns = turns_of(tx, [each.id for each in observations])
    return [each for each in observations if audience.hears_record(KIND, turns[each.id])]


def as_heard(
    tx: Transaction, audience: Audience, observations: Sequence[Observation]
) -> list[Observation]:
    """Return those of some observations that an audience hears, as it sees them."""
    visible = only_heard(tx, audience, observations)
    return visible if audience.is_owners else [without_payload(each) for each in visible]


def find_same(tx: Transaction, draft: Observation, tenant: str) -> Observation | None:
    """Return the stored observation that a draft is a copy of."""
    here = (tenant, draft.session_id)
    row = None
    if draft.event_id is not None:
        row = tx.row(_BY_EVENT, (*here, draft.event_id))
    if row is None and draft.tool_use_id is not None:
        row = tx.row(_BY_TOOL_USE, (*here, draft.tool_use_id, draft.event))
    if row is None:
        return None
    where = _where(Scope(tenant=tenant))
    return select_observations(tx, where, "id", 1, deleted=True, ids=[text(row[0])])[0]


def _where(scope: Scope) -> Condition:
    return Condition(scope, "session_id")


def _row(of: Observation) -> list[SqlValue]:
    fields = msgspec.structs.asdict(of)
    fields["files"] = msgspec.json.encode(of.files).decode()
    return [fields[name] for name in _FIELDS]


def _stored(of: Observation) -> list[SqlValue]:
    row = _row(of)
    return [*row, row_hash(row), int(of.is_forgotten)]


def _observation_of(row: Row) -> Observation:
    *cells, is_forgotten, stored_hash = row
    if row_hash(cells) != stored_hash:
        raise StoreCorrupt("an observation is damaged", hint="run `recollect doctor`")
    files = json_cell(row[_FIELDS.index("files")], tuple[str, ...])
    forgotten = bool(is_forgotten)
    return decode(Observation, _FIELDS, tuple(cells), files=files, is_forgotten=forgotten)
