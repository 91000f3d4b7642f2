"""Finding a session by what a person types: an id, the end of one, a title or a key.

What is not found gets the nearest names, what is not clear gets the ids of all that are meant.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import LiteralString

import msgspec

from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.sessions.keys import parse_key
from recollect.sessions.session import Condition, Session, find_session, require_session
from recollect.store.cell import text, text_or_none
from recollect.store.engine import Transaction

SHORTEST = 6
"""Characters of an id's end that can stand for it."""
SHOWN = 5
"""Ids or names that an error lists."""

_NAMES: LiteralString = "SELECT id, foreign_id, key, title, status FROM sessions WHERE "


def named_session(tx: Transaction, scope: Scope, name: str) -> Session:
    """Return the session that ``name`` means.

    An id wins over the end of one, that over the id that it had in another program, that over a
    title, whose case does not matter, and that over a session key, which means the current session
    of it. A deleted session is found by its id or the end of it alone.

    Raises:
        InvalidInput: it is no text.
        NotFound: nothing is called so; the hint has near names.
        Conflict: several are; the hint has their ids, the fact ``ids`` all of them.
    """
    if not isinstance(name, str):
        raise InvalidInput("the name of a session is no text", hint="give an id or a title")
    found = find_session(tx, scope, name)
    if found is not None:
        return found
    known = _known(tx, scope)
    there = [session for session in known if session.status != "deleted"]
    others = (named(there, name) for named in (_by_foreign_id, _by_title, _by_key))
    for meant in (_by_end(known, name), *others):
        if len(meant) == 1:
            return require_session(tx, scope, meant[0].id)
        if meant:
            raise _unclear(meant)
    raise NotFound("there is no such session", hint=_near(there, name))


class _Known(msgspec.Struct, frozen=True, gc=False):
    """What a session is called; ten thousand of these are read in the time of a few sessions."""

    id: str
    foreign_id: str | None
    key: str | None
    title: str | None
    status: str


def _known(tx: Transaction, scope: Scope) -> list[_Known]:
    """Return the names of all sessions, the last used first."""
    where = Condition(scope)
    rows = tx.rows(_NAMES + where.sql + " ORDER BY updated_at DESC, id DESC", where.params)
    return [
        _Known(
            text(id_), text_or_none(foreign), text_or_none(key), text_or_none(title), text(status)
        )
        for id_, foreign, key, title, status in rows
    ]


def _by_end(sessions: Sequence[_Known], name: str) -> list[_Known]:
    return [s for s in sessions if len(name) >= SHORTEST and s.id.endswith(name)]


def _by_foreign_id(sessions: Sequence[_Known], name: str) -> list[_Known]:
    return [s for s in sessions if s.foreign_id == name]


def _by_title(sessions: Sequence[_Known], name: str) -> list[_Known]:
    wanted = " ".join(name.split()).casefold()
    return [s for s in sessions if s.title and " ".join(s.title.split()).casefold() == wanted]


def _by_key(sessions: Sequence[_Known], name: str) -> list[_Known]:
    try:
        key = parse_key(name).text
    except InvalidInput:
        return []
    meant = [s for s in sessions if s.key == key]
    return sorted(meant, key=lambda s: s.status != "active")[:1]


def _unclear(meant: Sequence[_Known]) -> Conflict:
    ids = [session.id for session in meant]
    more = "" if len(ids) <= SHOWN else f" and {len(ids) - SHOWN} more"
    return Conflict(
        f"{len(ids)} sessions are called so",
        hint=f"use an id: {', '.join(ids[:SHOWN])}{more}",
        ids=tuple(ids),
    )


def _near(sessions: Sequence[_Known], name: str) -> str:
    names = {named.casefold(): s for s in sessions for named in (s.key, s.title) if named}
    found = [names[near] for near in difflib.get_close_matches(name.casefold(), names, n=SHOWN)]
    ids = {session.id: session for session in sessions}
    found += [ids[i] for i in difflib.get_close_matches(name, ids, n=SHOWN, cutoff=0.8)]
    if not found:
        return "`recollect sessions` lists those that are there"
    listed = ", ".join(dict.fromkeys(session.id for session in found))
    return f"near is {listed}; `recollect sessions show ID` tells more"
