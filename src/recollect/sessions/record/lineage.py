"""Lineage: the messages that a session shares with its parents, and its forks and resets.

A fork copies nothing: it names its parent and the last seq that both share. Reading walks up the
parents, so the cost is their number and not that of the messages. A reset under one key differs
from a fork: it begins empty and only names the session before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import LiteralString

import msgspec

from recollect.core.errors import InvalidInput, StoreCorrupt
from recollect.core.scope import Scope
from recollect.sessions.record.session import DELETED, Session, find_session
from recollect.store.columns import Condition, columns_of, decode, integer, text
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
READER: LiteralString = """(
    WITH RECURSIVE reader (id) AS (
        SELECT f.id FROM sessions f WHERE f.parent_id = t.session_id AND f.forked_at_seq >= t.seq
        UNION
        SELECT f.id FROM reader JOIN sessions f
        ON f.parent_id = reader.id AND f.forked_at_seq >= t.seq
    )
    SELECT min(f.id) FROM reader JOIN sessions f ON f.id = reader.id
    WHERE f.status <> 'deleted' AND f.pruned_seq < t.seq)"""
"""The oldest living fork that shows a message ``t`` of its parents; NULL where none does."""
_TOUCH: LiteralString = """
    INSERT INTO changes (tenant, kind, ref, op, at)
    SELECT tenant, 'message', id, 'put', ? FROM messages WHERE session_id = ? AND seq <= ?
    ORDER BY seq
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


class LineageSegment(msgspec.Struct, frozen=True):
    """A part of a transcript: the rows of ``session_id`` from ``first`` to ``last`` included."""

    session_id: str
    first: int
    last: int


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


def segments(tx: Transaction, session: Session) -> list[LineageSegment]:
    """Return the segments that hold the messages of a session, oldest first, without removed ones.

    Raises:
        StoreCorrupt: the chain of parents is broken or leads back to itself.
    """
    parts = [LineageSegment(session.id, (session.forked_at_seq or 0) + 1, session.last_seq)]
    for kin, last in stored_ancestors(tx, session):
        parts.append(LineageSegment(kin.id, kin.forked_at_seq + 1, last))
    return within(parts[::-1], session.pruned_seq, None)


def _readers(tx: Transaction, session_id: str) -> Iterator[tuple[Kin, int]]:
    """Yield the forks of a session that show a part of it, and their forks, with its last seq."""
    waiting = [(session_id, 2**62)]
    seen = {session_id}
    while waiting:
        parent, limit = waiting.pop()
        for child in find_children(tx, parent):
            last = min(limit, child.forked_at_seq)
            if child.id in seen or last == 0:
                continue
            seen.add(child.id)
            waiting.append((child.id, last))
            if last > child.pruned_seq:
                yield child, last


def living_readers(tx: Transaction, session_id: str) -> list[LineageSegment]:
    """Return the living forks of a session, and their forks, with the part that each shows."""
    return [
        LineageSegment(kin.id, kin.pruned_seq + 1, last)
        for kin, last in _readers(tx, session_id)
        if kin.status != DELETED
    ]


def is_shown(tx: Transaction, session: Session, seq: int) -> bool:
    """Return whether a session that is not deleted shows a message: its own, or a fork."""
    readers = living_readers(tx, session.id) if session.status == DELETED else None
    return readers is None or any(each.first <= seq <= each.last for each in readers)


def last_read(tx: Transaction, session_id: str) -> int:
    """Return the last seq of a session that one of its forks reads now; 0 for none."""
    return max((last for _, last in _readers(tx, session_id)), default=0)


def _kin(row: Row) -> Kin:
    return decode(Kin, Kin.__struct_fields__, row, forked_at_seq=row[2] or 0)


def touch_messages(tx: Transaction, session: Session, at: int) -> None:
    """Make the index read every record that a session shows again."""
    tx.execute(_TOUCH, (at, session.id, session.last_seq))
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


def touch_shared(tx: Transaction, session: Session, at: int) -> None:
    """Make the index read messages of deleted sessions again, which are found through forks.

    To be called when a fork comes, goes, or shows more or less than before.
    """
    for kin, last in stored_ancestors(tx, session):
        if kin.status == DELETED and last:
            tx.execute(_TOUCH, (at, kin.id, last))


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


def rows_of(scope: Scope, session_id: str) -> Condition:
    """Return the condition for the rows of a session; a parent's are seen through the fork."""
    return Condition(msgspec.structs.replace(scope, session=session_id), "session_id")


def family(tx: Transaction, scope: Scope, session: Session) -> Branch:
    """Return the tree that a session belongs to, from the oldest ancestor that the scope may see.

    The branches of a session of another owner are left out with it. A key that is reset for years
    makes a very deep tree, so this does not recurse.

    Raises:
        StoreCorrupt: the chain of parents leads back to itself.
    """
    root = tx.row(_ROOT, (session.id, session.tenant, session.tenant))
    if root is None:
        raise StoreCorrupt("the parents of a session cannot be followed", hint=_DOCTOR)
    owner = msgspec.structs.replace(scope, session=None)
    kin = [find_session(tx, owner, text(row[0])) for row in tx.rows(_KIN, root)]
    seen = {member.id: member for member in kin if member is not None}
    top = session
    while (above := seen.get(_above(top) or "")) is not None:
        top = above
    below: dict[str | None, list[Session]] = {}
    for member in sorted(seen.values(), key=lambda s: (s.created_at, s.id)):
        below.setdefault(_above(member), []).append(member)
    return _tree(top, below)


def _above(session: Session) -> str | None:
    return session.parent_id or session.previous_id


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
