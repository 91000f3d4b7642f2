"""Lineage: what a session shares with those it was forked from, and what grew out of it.

A fork copies nothing: it names its parent and the last seq that both share. Reading walks up the
parents, so the cost is their number and not that of the messages. A reset under one key is told
apart from a fork: it begins empty and only names the session before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import LiteralString, TypeAlias

import msgspec

from recollect.core.errors import StoreCorrupt
from recollect.core.scope import Scope
from recollect.sessions.session import Condition, Session, select_sessions
from recollect.store.cell import integer_or_none, text_or_none
from recollect.store.engine import SqlValue, Transaction

MAX_DEPTH = 10_000
"""Forks of forks; more can only be a damaged chain that leads in a circle."""

_DOCTOR = "run `recollect doctor`"
_PARENT: LiteralString = "SELECT parent_id, forked_at_seq FROM sessions WHERE id = ? AND tenant = ?"


class Segment(msgspec.Struct, frozen=True):
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


def segments(tx: Transaction, session: Session) -> list[Segment]:
    """Return where the messages of a session stand, oldest first; not those that were removed.

    Raises:
        StoreCorrupt: the chain of parents is broken or leads in a circle.
    """
    found: list[Segment] = []
    session_id, last = session.id, session.last_seq
    parent, shared = session.parent_id, session.forked_at_seq
    for _ in range(MAX_DEPTH):
        first = (shared or 0) + 1
        if first <= last:
            found.append(Segment(session_id, first, last))
        if parent is None:
            return within(found[::-1], session.pruned_seq, None)
        session_id, last = parent, min(shared or 0, last)
        row = tx.row(_PARENT, (parent, session.tenant))
        if row is None:
            break
        parent, shared = text_or_none(row[0]), integer_or_none(row[1])
    raise StoreCorrupt("the parents of a session cannot be followed", hint=_DOCTOR)


def within(parts: Sequence[Segment], after: int, before: int | None) -> list[Segment]:
    """Return what of ``parts`` lies behind ``after`` and, if given, ahead of ``before``."""
    end = None if before is None else before - 1
    cut = [
        Segment(p.session_id, max(p.first, after + 1), p.last if end is None else min(p.last, end))
        for p in parts
    ]
    return [part for part in cut if part.first <= part.last]


def family(tx: Transaction, session: Session) -> Branch:
    """Return the tree that a session belongs to, from its oldest ancestor down.

    A key that is reset for years makes a very deep tree; nothing here calls itself.

    Raises:
        StoreCorrupt: the chain of parents is broken or leads in a circle.
    """
    root = _oldest(tx, session)
    found: list[_Grown] = [(root, "root", None)]
    known = {root.id}
    for place, (above, _, _) in enumerate(found):  # it grows while it is read
        for child, how in _grown(tx, above):
            if child.id in known:
                raise StoreCorrupt("the branches of a session do not end", hint=_DOCTOR)
            known.add(child.id)
            found.append((child, how, place))
    return _joined(found)


_Grown: TypeAlias = tuple[Session, str, int | None]
"""A session, how it grew, and the place of the one above in the list."""


def _joined(found: Sequence[_Grown]) -> Branch:
    """Build the branches from the last one up: each stands behind the one it grew out of."""
    branches: list[list[Branch]] = [[] for _ in found]
    for place in range(len(found) - 1, -1, -1):
        session, how, above = found[place]
        grown = tuple(reversed(branches[place]))
        branch = Branch(session=session, relation=how, branches=grown)
        if above is None:
            return branch
        branches[above].append(branch)
    raise StoreCorrupt("a tree of sessions has no root", hint=_DOCTOR)


def _oldest(tx: Transaction, session: Session) -> Session:
    for _ in range(MAX_DEPTH):
        above = session.parent_id or session.previous_id
        found = _select(tx, "id = ?", session.tenant, above) if above else []
        if not found:
            return session
        session = found[0]
    raise StoreCorrupt("the parents of a session cannot be followed", hint=_DOCTOR)


def _grown(tx: Transaction, session: Session) -> Iterator[tuple[Session, str]]:
    forks = [(s, "fork") for s in _select(tx, "parent_id = ?", session.tenant, session.id)]
    resets = [(s, "reset") for s in _select(tx, "previous_id = ?", session.tenant, session.id)]
    yield from sorted([*forks, *resets], key=lambda pair: (pair[0].created_at, pair[0].id))


def _select(tx: Transaction, sql: LiteralString, tenant: str, value: SqlValue) -> list[Session]:
    return select_sessions(tx, Condition(Scope(tenant=tenant)).also(sql, value), None)
