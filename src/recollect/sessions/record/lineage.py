"""Lineage: the messages that a session shares with its parents, and its forks and resets.

A fork copies nothing: it names its parent and the last seq that both share. Reading walks up the
parents, so the cost is their number and not that of the messages. A reset under one key differs
from a fork: it begins empty and only names the session before it.

A rewind takes a range out of a session, and new messages follow it, so the messages are a tree: a
session shows none of its ranges, and a fork those that it ends in, not those that it ends after.
What is in a range is found as in a deleted session: through the forks that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, LiteralString, TypeAlias

import msgspec

from recollect.core.errors import InvalidInput, StoreCorrupt
from recollect.core.scope import Scope
from recollect.sessions.record.session import DELETED, Session, find_session
from recollect.store.columns import (
    Condition,
    columns_of,
    decode,
    insert_into,
    integer,
    is_message_out,
    text,
)
from recollect.store.engine import Row, Transaction

MAX_DEPTH = 10_000
"""Forks of forks; more can only be a damaged chain that leads back to itself."""

_DOCTOR = "run `recollect doctor`"
_ROOT: LiteralString = """
    WITH RECURSIVE line (id, above) AS (
        SELECT id, coalesce(parent_id, previous_id) FROM sessions WHERE id = ? AND tenant = ?
        UNION
        SELECT s.id, coalesce(s.parent_id, s.previous_id)
        FROM sessions s JOIN line ON s.id = line.above AND s.tenant = ?
    )
    SELECT id FROM line WHERE above IS NULL OR above NOT IN (SELECT id FROM line)
"""
_KIN: LiteralString = """
    WITH RECURSIVE kin (id) AS (
        SELECT ?
        UNION
        SELECT s.id FROM sessions s JOIN kin
        ON s.parent_id = kin.id OR (s.previous_id = kin.id AND s.parent_id IS NULL)
    )
    SELECT id FROM kin
"""
_DEPTH: LiteralString = """
    WITH RECURSIVE line (id, above) AS (
        SELECT id, parent_id FROM sessions WHERE id = ? AND tenant = ?
        UNION
        SELECT s.id, s.parent_id FROM sessions s JOIN line ON s.id = line.above
    )
    SELECT count(*) FROM line
"""
WITHDRAWN: LiteralString = is_message_out()
"""Whether a rewind took a message ``t`` out of its session."""
_ENDED: LiteralString = (
    is_message_out("t", "f.parent_id").removesuffix(")") + " AND h.to_seq < f.forked_at_seq)"
)
"""Whether a fork ``f`` continues what followed when a message ``t`` was taken out above it."""
READER: LiteralString = f"""(
    WITH RECURSIVE reader (id) AS (
        SELECT f.id FROM sessions f WHERE f.parent_id = t.session_id AND f.forked_at_seq >= t.seq
        AND NOT {_ENDED}
        UNION
        SELECT f.id FROM reader JOIN sessions f
        ON f.parent_id = reader.id AND f.forked_at_seq >= t.seq
        AND NOT {_ENDED}
    )
    SELECT min(f.id) FROM reader JOIN sessions f ON f.id = reader.id
    WHERE f.status <> 'deleted' AND f.pruned_seq < t.seq
        AND NOT {is_message_out("t", "f.id")})"""  # noqa: S608  # literals
"""The oldest living fork that shows a message ``t`` of its parents; NULL where none does."""
SHOWN_BY: LiteralString = (
    f"CASE WHEN s.status <> 'deleted' AND NOT {WITHDRAWN} THEN t.session_id ELSE {READER} END"
)
"""The session that shows a message ``t`` of a session ``s``; NULL where none does."""
_TOUCH: LiteralString = """
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT tenant, 'message', id, 'put', ? FROM messages
    WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq
"""
_SPANS: LiteralString = """
    SELECT from_seq, to_seq FROM withdrawn_ranges
    WHERE session_id = ? AND returned_at IS NULL ORDER BY to_seq
"""
_TOUCH_OBSERVATIONS: LiteralString = """
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT tenant, 'observation', id, 'put', ? FROM observations WHERE session_id = ?
"""
_TOUCH_EPISODES: LiteralString = """
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT tenant, 'episode', id, 'put', ? FROM episodes WHERE session_id = ?
"""
_TOUCH_FACTS: LiteralString = """
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT tenant, 'fact', id, 'put', ? FROM facts WHERE session_id = ?
"""


SeqSpan: TypeAlias = tuple[int, int]
"""The first and the last seq of a range."""


class LineageSegment(msgspec.Struct, frozen=True):
    """A part of a transcript: the rows of ``session_id`` from ``first`` to ``last`` included."""

    session_id: str
    first: int
    last: int


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


_WITHDRAWAL: LiteralString = columns_of(Withdrawal, id="operation_id")
_ADD_WITHDRAWAL = insert_into("withdrawn_ranges", "tenant, " + _WITHDRAWAL)
_SELECT_WITHDRAWAL: LiteralString = f"SELECT {_WITHDRAWAL} FROM withdrawn_ranges WHERE "  # noqa: S608  # literals
_IN_ORDER: LiteralString = " ORDER BY at, from_seq"


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a tree.

    Attributes:
        session: The session itself.
        relation: ``root``, ``fork`` of the branch above, or ``reset``: it followed under its key.
        branches: Its forks and resets, oldest first.
    """

    session: Session
    relation: str
    branches: tuple[Branch, ...] = ()


class Kin(msgspec.Struct, frozen=True):
    """A session as far as its relations go; fields as in `Session`."""

    id: str
    parent_id: str | None
    forked_at_seq: int
    pruned_seq: int
    last_seq: int
    message_count: int
    created_at: int
    updated_at: int
    flushed_seq: int | None
    """The seq of the last message that a flush has read."""
    status: str

    @property
    def first_seq(self) -> int:
        """The seq of the oldest message of its own that may be there."""
        return max(self.forked_at_seq, self.pruned_seq) + 1


_SELECT_KIN: LiteralString = f"SELECT {columns_of(Kin)} FROM sessions WHERE "  # noqa: S608  # literals


def find_kin(tx: Transaction, tenant: str) -> dict[str, Kin]:
    """Return all sessions of a tenant by id."""
    return {kin.id: kin for kin in map(_kin, tx.rows(_SELECT_KIN + "tenant = ?", (tenant,)))}


def find_one(tx: Transaction, session_id: str, tenant: str) -> Kin | None:
    """Return one session of a tenant."""
    row = tx.row(_SELECT_KIN + "id = ? AND tenant = ?", (session_id, tenant))
    return None if row is None else _kin(row)


def find_children(tx: Transaction, session_id: str) -> list[Kin]:
    """Return the forks of a session."""
    return [_kin(row) for row in tx.rows(_SELECT_KIN + "parent_id = ?", (session_id,))]


def ancestors(
    session: Session | Kin, find: Callable[[str], Kin | None]
) -> Iterator[tuple[Kin, int]]:
    """Yield the ancestors of a session, nearest first, each with the last seq it reads there.

    Those of which it reads no row are included: the others are reached through them.

    Raises:
        StoreCorrupt: the chain of parents is broken or leads back to itself.
    """
    last, shared, parent = session.last_seq, session.forked_at_seq, session.parent_id
    for _ in range(MAX_DEPTH):
        if parent is None:
            return
        ancestor = find(parent)
        if ancestor is None:
            break
        last = min(shared or 0, last)
        yield ancestor, last
        shared, parent = ancestor.forked_at_seq, ancestor.parent_id
    raise StoreCorrupt("the parents of a session cannot be followed", hint=_DOCTOR)


def stored_ancestors(tx: Transaction, session: Session) -> Iterator[tuple[Kin, int]]:
    """Yield the `ancestors` of a session as they are stored, each read when it is requested."""
    return ancestors(session, lambda parent: find_one(tx, parent, session.tenant))


def segments(tx: Transaction, session: Session, *, own: bool = False) -> list[LineageSegment]:
    """Return where the shown messages of a session are, oldest first; ``own``: not in its parents.

    Raises:
        StoreCorrupt: the chain of parents is broken or leads back to itself.
    """
    parts, inherited = _line(tx, session)
    hidden = withdrawn_spans(tx, session.id) + inherited
    return without(within(parts[-1:] if own else parts, session.pruned_seq, None), hidden)


def _line(tx: Transaction, session: Session) -> tuple[list[LineageSegment], list[SeqSpan]]:
    """Return all segments of a session, oldest first, and the ranges that its parents took out."""
    parts = [LineageSegment(session.id, (session.forked_at_seq or 0) + 1, session.last_seq)]
    inherited: list[SeqSpan] = []
    for kin, last in stored_ancestors(tx, session):
        parts.append(LineageSegment(kin.id, kin.forked_at_seq + 1, last))
        inherited += _ended_before(withdrawn_spans(tx, kin.id), last)
    return parts[::-1], inherited


def withdrawn_spans(tx: Transaction, session_id: str) -> list[SeqSpan]:
    """Return the ranges that rewinds took out of a session, by their end; they may overlap."""
    spans: list[Any] = tx.all(_SPANS, (session_id,))
    return spans


def insert_withdrawal(tx: Transaction, tenant: str, withdrawal: Withdrawal) -> None:
    """Store a range."""
    tx.execute(_ADD_WITHDRAWAL, (tenant, *msgspec.structs.astuple(withdrawal)))


def withdrawals_of(tx: Transaction, tenant: str, operation_id: str) -> list[Withdrawal]:
    """Return the ranges of an operation, in order: more than one where a transcript came later."""
    rows = tx.all(
        _SELECT_WITHDRAWAL + "operation_id = ? AND tenant = ?" + _IN_ORDER, (operation_id, tenant)
    )
    return [decode(Withdrawal, Withdrawal.__struct_fields__, row) for row in rows]


def withdrawn_from(tx: Transaction, session_id: str) -> list[Withdrawal]:
    """Return all that was ever taken out of a session, the oldest first."""
    rows = tx.all(_SELECT_WITHDRAWAL + "session_id = ?" + _IN_ORDER, (session_id,))
    return [decode(Withdrawal, Withdrawal.__struct_fields__, row) for row in rows]


def is_within(spans: Iterable[SeqSpan], seq: int) -> bool:
    """Return whether a seq is in one of some ranges."""
    return any(first <= seq <= last for first, last in spans)


def _ended_before(spans: Iterable[SeqSpan], seq: int) -> list[SeqSpan]:
    """Return the ranges that a fork at a seq does not show: it continues what came after them."""
    return [span for span in spans if span[1] < seq]


def last_shown(tx: Transaction, session: Session, seq: int | None = None) -> int:
    """Return the newest seq up to ``seq`` that a session shows; by default of all of it.

    It is the seq of a message, unless none is left before it.
    """
    last = session.last_seq if seq is None else seq
    hidden = withdrawn_spans(tx, session.id) + inherited_spans(tx, session)
    for first, end in sorted(hidden, key=lambda span: -span[1]):
        last = first - 1 if first <= last <= end else last
    return last


def inherited_spans(tx: Transaction, session: Session) -> list[SeqSpan]:
    """Return the ranges of its parents that a session does not show."""
    return _line(tx, session)[1]


def _readers(tx: Transaction, session_id: str) -> Iterator[tuple[Kin, int, list[SeqSpan]]]:
    """Yield the forks of a session that show a part of it, and their forks.

    Each with its last seq, and the ranges up to it that it does not show.
    """
    waiting: list[tuple[str, int, list[SeqSpan]]] = [(session_id, 2**62, [])]
    seen = {session_id}
    while waiting:
        parent, limit, above = waiting.pop()
        spans = withdrawn_spans(tx, parent)
        for child in find_children(tx, parent):
            last = min(limit, child.forked_at_seq)
            if child.id in seen or last == 0:
                continue
            hidden = above + _ended_before(spans, child.forked_at_seq)
            seen.add(child.id)
            waiting.append((child.id, last, hidden))
            if last > child.pruned_seq:
                yield child, last, hidden + withdrawn_spans(tx, child.id)


def living_readers(tx: Transaction, session_id: str) -> list[LineageSegment]:
    """Return the living forks of a session, and their forks, with the parts that each shows."""
    return [
        part
        for kin, last, hidden in _readers(tx, session_id)
        if kin.status != DELETED
        for part in without([LineageSegment(kin.id, kin.pruned_seq + 1, last)], hidden)
    ]


def found_parts(tx: Transaction, session: Session) -> list[LineageSegment]:
    """Return where the index has the messages of a session: what a parent hides, in its forks."""
    pieces: list[LineageSegment] = []
    for part in segments(tx, session):
        if part.session_id == session.id:
            pieces.append(part)
            continue
        kin = find_one(tx, part.session_id, session.tenant)
        is_deleted = kin is not None and kin.status == DELETED
        spans = [(1, part.last)] if is_deleted else withdrawn_spans(tx, part.session_id)
        living = living_readers(tx, part.session_id) if spans else []
        pieces += without([part], spans)
        for first, last in spans:
            inside = within([part], first - 1, last + 1)
            pieces += [_meet(each, piece) for piece in inside for each in living]
    return [part for part in pieces if part.first <= part.last]


def _meet(part: LineageSegment, other: LineageSegment) -> LineageSegment:
    first, last = max(part.first, other.first), min(part.last, other.last)
    return LineageSegment(part.session_id, first, last)


def shows(tx: Transaction, session: Session, seq: int) -> bool:
    """Return whether a session itself shows a seq."""
    return any(part.first <= seq <= part.last for part in segments(tx, session))


def is_shown(tx: Transaction, session: Session, seq: int) -> bool:
    """Return whether a session that is not deleted shows a message: its own, or a fork."""
    if session.status != DELETED and not is_within(withdrawn_spans(tx, session.id), seq):
        return True
    return any(each.first <= seq <= each.last for each in living_readers(tx, session.id))


def last_read(tx: Transaction, session_id: str) -> int:
    """Return the last seq of a session that one of its forks reads now; 0 for none."""
    return max((last for _, last, _ in _readers(tx, session_id)), default=0)


def _kin(row: Row) -> Kin:
    return decode(Kin, Kin.__struct_fields__, row, forked_at_seq=row[2] or 0)


def touch_messages(tx: Transaction, session: Session, at: int) -> None:
    """Make the index read every record that a session shows again."""
    tx.execute(_TOUCH, (at, session.id, 0, session.last_seq))
    tx.execute(_TOUCH_OBSERVATIONS, (at, session.id))
    touch_episodes(tx, session.id, at)
    touch_facts(tx, session.id, at)
    touch_shared(tx, session, at)


def touch_episodes(tx: Transaction, session_id: str, at: int) -> None:
    """Make the index read the episodes of a session again; the session may be gone."""
    tx.execute(_TOUCH_EPISODES, (at, session_id))


def touch_facts(tx: Transaction, session_id: str, at: int) -> None:
    """Make the index read the facts that were said in a session again."""
    tx.execute(_TOUCH_FACTS, (at, session_id))


def touch_shared(tx: Transaction, session: Session, at: int, after: int = 0) -> None:
    """Make the index read messages again that their own session does not show, but forks may.

    To be called when a fork comes, goes, or shows more or less after a seq than before.
    """
    for kin, last in stored_ancestors(tx, session):
        is_deleted = kin.status == DELETED
        for first, end in [(1, last)] if is_deleted else withdrawn_spans(tx, kin.id):
            tx.execute(_TOUCH, (at, kin.id, max(after, first - 1), min(end, last)))


def touch_range(tx: Transaction, session: Session, after: int, at: int) -> None:
    """Make the index read the messages after a seq again that a session shows or did before."""
    tx.execute(_TOUCH, (at, session.id, after, session.last_seq))
    touch_shared(tx, session, at, after)


def check_depth(tx: Transaction, parent: Session) -> None:
    """Refuse a fork that could not be read.

    Raises:
        InvalidInput: its parent has `MAX_DEPTH` parents already.
    """
    row = tx.row(_DEPTH, (parent.id, parent.tenant))
    if row is not None and integer(row[0]) >= MAX_DEPTH:
        raise InvalidInput(
            f"the session must be below fewer than {MAX_DEPTH:,} forks of forks",
            hint="fork one of its parents, or begin a new session",
        )


def within(parts: Sequence[LineageSegment], after: int, before: int | None) -> list[LineageSegment]:
    """Return the parts of ``parts`` after the seq ``after`` and, if given, before ``before``."""
    end = None if before is None else before - 1
    cut = [
        LineageSegment(
            p.session_id, max(p.first, after + 1), p.last if end is None else min(p.last, end)
        )
        for p in parts
    ]
    return [part for part in cut if part.first <= part.last]


def without(parts: Sequence[LineageSegment], spans: Sequence[SeqSpan]) -> list[LineageSegment]:
    """Return what some ranges leave of some parts."""
    rest = list(parts)
    for first, last in spans:
        rest = [
            piece
            for part in rest
            for piece in (*within([part], 0, first), *within([part], last, None))
        ]
    return rest


def rows_of(scope: Scope, session_id: str) -> Condition:
    """Return the condition for the rows of a session; a parent's are seen through the fork."""
    return Condition(msgspec.structs.replace(scope, session=session_id), "session_id")


def family(
    tx: Transaction,
    scope: Scope,
    session: Session,
    is_heard: Callable[[Session], bool] = lambda _: True,
) -> Branch:
    """Return the tree that a session belongs to, from the oldest ancestor that the scope may see.

    The branches of a session of another owner, or that is not heard, are left out with it. A key
    that is reset for years makes a very deep tree, so this does not recurse.

    Raises:
        StoreCorrupt: the chain of parents leads back to itself.
    """
    root = tx.row(_ROOT, (session.id, session.tenant, session.tenant))
    if root is None:
        raise StoreCorrupt("the parents of a session cannot be followed", hint=_DOCTOR)
    owner = msgspec.structs.replace(scope, session=None)
    kin = [find_session(tx, owner, text(row[0])) for row in tx.rows(_KIN, root)]
    seen = {member.id: member for member in kin if member is not None and is_heard(member)}
    top = session
    while (above := seen.get(top.above_id or "")) is not None:
        top = above
    below: dict[str | None, list[Session]] = {}
    for member in sorted(seen.values(), key=lambda s: (s.created_at, s.id)):
        below.setdefault(member.above_id, []).append(member)
    return _tree(top, below)


def _tree(top: Session, below: Mapping[str | None, Sequence[Session]]) -> Branch:
    """Build the branches from the last one up."""
    order = [top]
    for session in order:  # it grows while it is read
        order.extend(below.get(session.id, ()))
    by_id: dict[str, Branch] = {}
    for session in reversed(order):
        branches = tuple(by_id.pop(child.id) for child in below.get(session.id, ()))
        relation = "root" if session is order[0] else "fork" if session.parent_id else "reset"
        by_id[session.id] = Branch(session=session, relation=relation, branches=branches)
    return by_id[order[0].id]
