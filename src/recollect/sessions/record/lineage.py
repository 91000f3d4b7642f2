"""Lineage: what a session shares with those it was forked from, and what grew out of it.

A fork copies nothing: it names its parent and the last seq that both share. Reading walks up the
parents, so the cost is their number and not that of the messages. A reset under one key is told
apart from a fork: it begins empty and only names the session before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import LiteralString

import msgspec

from recollect.core.errors import InvalidInput, StoreCorrupt
from recollect.core.scope import Scope
from recollect.sessions.record.session import Session, find_session
from recollect.store.columns import integer, integer_or_none, text, text_or_none
from recollect.store.engine import Transaction

MAX_DEPTH = 10_000
"""Forks of forks; more can only be a damaged chain that leads in a circle."""

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
_PARENT: LiteralString = "SELECT parent_id, forked_at_seq FROM sessions WHERE id = ? AND tenant = ?"


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
        branches: What grew out of it, oldest first.
    """

    session: Session
    relation: str
    branches: tuple[Branch, ...] = ()


def segments(tx: Transaction, session: Session) -> list[LineageSegment]:
    """Return where the messages of a session stand, oldest first; not those that were removed.

    Raises:
        StoreCorrupt: the chain of parents is broken or leads in a circle.
    """
    found: list[LineageSegment] = []
    session_id, last = session.id, session.last_seq
    parent, shared = session.parent_id, session.forked_at_seq
    for _ in range(MAX_DEPTH):
        first = (shared or 0) + 1
        if first <= last:
            found.append(LineageSegment(session_id, first, last))
        if parent is None:
            return within(found[::-1], session.pruned_seq, None)
        session_id, last = parent, min(shared or 0, last)
        row = tx.row(_PARENT, (parent, session.tenant))
        if row is None:
            break
        parent, shared = text_or_none(row[0]), integer_or_none(row[1])
    raise StoreCorrupt("the parents of a session cannot be followed", hint=_DOCTOR)


def check_depth(tx: Transaction, parent: Session) -> None:
    """Refuse a fork that nobody could read.

    Raises:
        InvalidInput: its parents are as many as are followed.
    """
    row = tx.row(_DEPTH, (parent.id, parent.tenant))
    if row is not None and integer(row[0]) >= MAX_DEPTH:
        raise InvalidInput(
            f"the session stands behind {MAX_DEPTH:,} forks of forks",
            hint="fork one of its parents, or begin a new session",
        )


def within(parts: Sequence[LineageSegment], after: int, before: int | None) -> list[LineageSegment]:
    """Return what of ``parts`` lies behind ``after`` and, if given, ahead of ``before``."""
    end = None if before is None else before - 1
    cut = [
        LineageSegment(
            p.session_id, max(p.first, after + 1), p.last if end is None else min(p.last, end)
        )
        for p in parts
    ]
    return [part for part in cut if part.first <= part.last]


def family(tx: Transaction, scope: Scope, session: Session) -> Branch:
    """Return the tree that a session belongs to, from the oldest ancestor that the scope may see.

    What stands behind a session of somebody else is left out with it. A key that is reset for
    years makes a very deep tree, so nothing here calls itself.

    Raises:
        StoreCorrupt: the chain of parents leads in a circle.
    """
    root = tx.row(_ROOT, (session.id, session.tenant, session.tenant))
    if root is None:
        raise StoreCorrupt("the parents of a session cannot be followed", hint=_DOCTOR)
    owner = msgspec.structs.replace(scope, session=None)
    kin = [find_session(tx, owner, text(row[0])) for row in tx.rows(_KIN, root)]
    seen = {found.id: found for found in kin if found is not None}
    top = session
    while (above := seen.get(_above(top) or "")) is not None:
        top = above
    below: dict[str | None, list[Session]] = {}
    for found in sorted(seen.values(), key=lambda s: (s.created_at, s.id)):
        below.setdefault(_above(found), []).append(found)
    return _tree(top, below)


def _above(session: Session) -> str | None:
    return session.parent_id or session.previous_id


def _tree(top: Session, below: Mapping[str | None, Sequence[Session]]) -> Branch:
    """Build the branches from the last one up."""
    order = [top]
    for session in order:  # it grows while it is read
        order.extend(below.get(session.id, ()))
    made: dict[str, Branch] = {}
    for session in reversed(order):
        branches = tuple(made.pop(child.id) for child in below.get(session.id, ()))
        relation = "root" if session is order[0] else "fork" if session.parent_id else "reset"
        made[session.id] = Branch(session=session, relation=relation, branches=branches)
    return made[order[0].id]
