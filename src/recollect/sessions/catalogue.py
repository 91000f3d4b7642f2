"""The catalogue: finding sessions by id, title, key, project, status and time."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import LiteralString, TypeAlias

import msgspec

from recollect.audience.people import People
from recollect.audience.session_key import AUTOMATIC, SessionKey, parse_key
from recollect.core.checks import check_count, checked
from recollect.core.clock import check_span, check_time
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.sessions.lifecycle import draft_session
from recollect.sessions.policy.turns import heard_sessions, hears_session
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import Branch, family
from recollect.sessions.record.session import (
    DELETED,
    LIST_THEM,
    STATUSES,
    Session,
    compare_session,
    each_session,
    find_session,
    plain_user,
    require_session,
    select_channels,
    select_sessions,
)
from recollect.store.columns import Condition, decode, text
from recollect.store.engine import Transaction

_HOLDS: LiteralString = "instr(lower(coalesce(title, '')), lower(?)) > 0"
_BEGINS: LiteralString = "instr(id, ?) = 1"

# Inside the class `list` is the method.
SessionList: TypeAlias = list[Session]


@checked
class Catalogue:
    """The part of the sessions that finds one, or some, of a scope."""

    _access: SessionAccess
    _people: People

    def get(self, session_id: str) -> Session:
        """Return a session.

        Raises:
            NotFound: there is none with this id in the scope.
            StoreCorrupt: it is missing, or is not what was stored.
        """
        scope = self._access.scope

        def unit(tx: Transaction) -> Session:
            compare_session(tx, scope, session_id)
            return require_session(tx, scope, session_id)

        return self._access.database.read(unit)

    def find(self, id_or_title: str, *, deleted: bool = False) -> Session:
        """Return the session with an id, the end of one, a title or a session key.

        The number of a message, an episode or an observation, such as ``m88``, means the session
        that it belongs to.

        Args:
            id_or_title: Its id, title, key or the number of a record.
            deleted: Whether a deleted one may be found by its title or key, if no other has that;
                by its id it always is.

        Raises:
            NotFound: there is nothing with that name; the hint has near names.
            Conflict: several sessions match; the hint has their ids.
        """
        return self._access.database.read(
            lambda tx: named_session(tx, self._access.scope, id_or_title, deleted=deleted)
        )

    def known(self, id_or_key: str, *, owner: bool | None = None) -> Session | None:
        """Return the session with exactly this id, or the one under this key that was used last.

        An active one under the key comes before an archived one; a deleted one is found by its id
        only. None if there is none: no other name of a session is looked at.

        Args:
            id_or_key: Which one.
            owner: Under a plain name, only the session that `open` returns with this; by default,
                that one first.
        """
        access = self._access

        def unit(tx: Transaction) -> Session | None:
            session = find_session(tx, access.scope, id_or_key)
            if session is not None or (key := _key_of(id_or_key)) is None:
                return session
            is_person = not owner and access.settings.plain_keys == "person"
            user = plain_user(key, access.scope, is_person=is_person)
            where = Condition(access.scope).also("key = ?", key.text)
            if owner is not None and key.plain_name is not None:
                where.also("user_id IS NOT DISTINCT FROM ?", user)
            under = select_sessions(tx, where.also("status <> ?", DELETED), None)
            return min(under, key=lambda s: (s.user != user, s.status != "active"), default=None)

        return access.database.read(unit)

    def preview(
        self, key: str | None, project: str | None = None, *, owner: bool = False
    ) -> Session:
        """Return the session that `Sessions.create` would begin; nothing is stored.

        Raises:
            InvalidInput: the key cannot be one.
            Denied: the key or project belongs to another owner than the scope's.
        """
        return draft_session(self._access, key, project, owner=owner)

    def latest(self, project: str | None = None, *, automatic: bool = False) -> Session | None:
        """Return the active session that was used last, in one project or anywhere.

        Args:
            project: Only in this project: a path of it, its name or its id.
            automatic: Also those of jobs, hooks and sub-agents.
        """
        sessions = self.list(project=project, status="active", automatic=automatic, limit=1)
        return sessions[0] if sessions else None

    def list(
        self,
        *,
        project: str | None = None,
        key: str | None = None,
        status: str | None = None,
        agent: str | None = None,
        channel: str | None = None,
        title: str | None = None,
        since: int | datetime | None = None,
        until: int | datetime | None = None,
        automatic: bool = True,
        id_prefix: str | None = None,
        for_session: str | None = None,
        limit: int | None = None,
    ) -> SessionList:
        """Return the sessions that meet all the filters given, the last used first.

        Args:
            project: Of this project: a path of it, its name or its id.
            key: Of this session key.
            status: With this status; without one all but the deleted.
            agent: Of this agent.
            channel: From this channel.
            title: With this text in the title, whatever its case.
            since: Used at this time or later, ms UTC or datetime.
            until: Used before this time.
            automatic: Also those of jobs, hooks and sub-agents.
            id_prefix: Those with an id that begins with this.
            for_session: On behalf of this session: only those that it may hear.
            limit: How many at most.

        Raises:
            InvalidInput: an unknown status, a bad key, a limit below 0, or a reversed time.
            NotFound: the scope has no session ``for_session``.
            StoreCorrupt: a session is missing, or is not what was stored.
        """
        check_count(limit, "a limit")
        where = Condition(self._access.scope).equal("status", _check_status(status))
        where.of_project(None if project is None else self._access.projects().find(project))
        where.equal("agent", agent).equal("channel", channel)
        where.equal("key", None if key is None else parse_key(key).text)
        if status is None:
            where.also("status <> ?", "deleted")
        for begins_or_holds, part in ((_HOLDS, title), (_BEGINS, id_prefix)):
            if part is not None:
                where.also(begins_or_holds, part)
        _used_within(where, since, until)
        for chat_type in () if automatic else sorted(AUTOMATIC):
            where.also("coalesce(chat_type, '') <> ?", chat_type)

        def unit(tx: Transaction) -> SessionList:
            if for_session is None:
                return list(islice(each_session(tx, where), limit))
            own = require_session(tx, self._access.scope, for_session)
            owner = self._people.at(tx, self._access.scope.tenant)
            return heard_sessions(tx, where, own, owner, limit)

        return self._access.database.read(unit)

    def channels(self) -> tuple[str, ...]:
        """Return the channels that sessions are on, the deleted included, in alphabetical order."""
        where = Condition(self._access.scope)
        return tuple(self._access.database.read(lambda tx: select_channels(tx, where)))

    def lineage(self, session_id: str, *, for_session: str | None = None) -> Branch:
        """Return the tree of forks and resets that a session belongs to.

        Args:
            session_id: Which one.
            for_session: On behalf of this session: only those that it may hear; what grew from
                another is left out with it.

        Raises:
            NotFound: the scope has no such session, or ``for_session`` does not hear it.
        """
        scope = self._access.scope

        def read(tx: Transaction, session: Session) -> Branch:
            if for_session is None:
                return family(tx, scope, session)
            own = require_session(tx, scope, for_session)
            owner = self._people.at(tx, scope.tenant)
            if not hears_session(tx, own, session, owner):
                raise NotFound("the session does not exist", hint=LIST_THEM)
            return family(tx, scope, session, lambda other: hears_session(tx, own, other, owner))

        return self._access.read_session(session_id, read)


def _used_within(
    where: Condition, since: int | datetime | None, until: int | datetime | None
) -> None:
    """Narrow a condition to the sessions that were used between two times."""
    first, after = check_span(
        None if since is None else check_time(since),
        None if until is None else check_time(until),
    )
    if first is not None:
        where.also("updated_at >= ?", first)
    if after is not None:
        where.also("updated_at < ?", after)


def _check_status(status: str | None) -> str | None:
    if status is not None and status not in STATUSES:
        hint = f"Use one of {', '.join(STATUSES)}."
        raise InvalidInput("unknown status of a session", hint=hint)
    return status


SHORTEST = 6
"""Characters of an id's end that can stand for it."""
SHOWN = 5
"""Ids or names that an error lists."""
LIST_ALL = "list all sessions, the deleted too, with `recollect sessions --all`"

_NUMBERED: dict[str, LiteralString] = {
    "message": "SELECT session_id FROM messages WHERE ",
    "episode": "SELECT session_id FROM episodes WHERE ",
    "observation": "SELECT session_id FROM observations WHERE ",
}
"""By kind of record: the query for the session of one."""
_NAMES: LiteralString = "SELECT id, foreign_id, key, title, status, agent FROM sessions WHERE "


def _key_of(text: str) -> SessionKey | None:
    try:
        return parse_key(text)
    except InvalidInput:
        return None


def named_session(tx: Transaction, scope: Scope, name: str, *, deleted: bool = False) -> Session:
    """Return the session with a name.

    An id wins over the end of one, that over the id that it had in another program, that over a
    title, whose case does not matter, and that over a session key, which means the current session
    of it, and that over the plain name in the key of an agent; the number of one of its records
    comes last. A deleted session is found by its id or the
    end of it; with ``deleted`` by its other names too, where no other session has them.

    Raises:
        InvalidInput: it is not a text.
        NotFound: there is nothing with that name; the hint has near names.
        Conflict: several match; the hint has their ids, the fact ``ids`` all of them.
    """
    if not isinstance(name, str):
        raise InvalidInput("the name of a session must be a text", hint="give an id or a title")
    exact = find_session(tx, scope, name)
    if exact is not None:
        return exact
    sessions = _known(tx, scope)
    there = [session for session in sessions if session.status != "deleted"]
    removed = [session for session in sessions if session.status == "deleted"] if deleted else []
    others = (
        look_up(named_so, name)
        for named_so in (there, removed)
        for look_up in (_by_foreign_id, _by_title, _by_key, _by_plain_name)
    )
    for matches in (_by_end(sessions, name), *others):
        if len(matches) == 1:
            return require_session(tx, scope, matches[0].id)
        if matches:
            raise _unclear(matches)
    owner = _by_record(tx, scope, name)
    if owner is not None:
        return owner
    raise NotFound(
        "there is no such session", hint=_near([*there, *removed], name, deleted=deleted)
    )


class _Known(msgspec.Struct, frozen=True, gc=False):
    """The names of a session; ten thousand of these are read in the time of a few sessions."""

    id: str
    foreign_id: str | None
    key: str | None
    title: str | None
    status: str
    agent: str | None


def _known(tx: Transaction, scope: Scope) -> list[_Known]:
    """Return the names of all sessions, the last used first."""
    where = Condition(scope)
    rows = tx.all(_NAMES + where.sql + " ORDER BY updated_at DESC, id DESC", where.params)
    return [decode(_Known, _Known.__struct_fields__, row) for row in rows]


def _by_end(sessions: Sequence[_Known], name: str) -> list[_Known]:
    return [s for s in sessions if len(name) >= SHORTEST and s.id.endswith(name)]


def _by_foreign_id(sessions: Sequence[_Known], name: str) -> list[_Known]:
    return [s for s in sessions if s.foreign_id == name]


def _by_title(sessions: Sequence[_Known], name: str) -> list[_Known]:
    title = " ".join(name.split()).casefold()
    return [s for s in sessions if s.title and " ".join(s.title.split()).casefold() == title]


def _by_key(sessions: Sequence[_Known], name: str) -> list[_Known]:
    key = _key_of(name)
    matches = [s for s in sessions if key is not None and s.key == key.text]
    return sorted(matches, key=lambda s: s.status != "active")[:1]


def _by_plain_name(sessions: Sequence[_Known], name: str) -> list[_Known]:
    """Return the current session of each agent that has a plain name, as ``agent:work:notes``."""
    plain_name, by_key = name.strip().lower(), dict[str, _Known]()
    for session in sessions:
        key = _key_of(session.key) if session.key and session.key.startswith("agent:") else None
        if key is not None and key.plain_name == plain_name:
            current = by_key.setdefault(key.text, session)
            if session.status == "active" != current.status:
                by_key[key.text] = session
    return list(by_key.values())


def _by_record(tx: Transaction, scope: Scope, name: str) -> Session | None:
    """Return the session of the record with a number; None if there is none."""
    record = parse_record(name)
    table = None if record is None else _NUMBERED.get(record.kind or "")
    if record is None or table is None:
        return None
    where = Condition(scope, "session_id").also("number = ?", record.number)
    row = tx.row(table + where.sql, where.params)
    session = None if row is None else find_session(tx, scope, text(row[0]))
    return None if session is None or session.status == DELETED else session


def _unclear(sessions: Sequence[_Known]) -> Conflict:
    ids = [session.id for session in sessions]
    more = "" if len(ids) <= SHOWN else f" and {len(ids) - SHOWN} more"
    agents = [f"{s.id} of {s.agent}" if s.agent else s.id for s in sessions[:SHOWN]]
    return Conflict(
        f"{len(ids)} sessions have this name",
        hint=f"use an id: {', '.join(agents)}{more}",
        ids=tuple(ids),
    )


def _near(sessions: Sequence[_Known], name: str, *, deleted: bool) -> str:
    names = {label.casefold(): s for s in sessions for label in (s.key, s.title) if label}
    matches = [names[near] for near in difflib.get_close_matches(name.casefold(), names, n=SHOWN)]
    ids = {session.id: session for session in sessions}
    matches += [ids[i] for i in difflib.get_close_matches(name, ids, n=SHOWN, cutoff=0.8)]
    if not matches:
        return LIST_ALL if deleted else LIST_THEM
    listed = ", ".join(dict.fromkeys(session.id for session in matches))
    return f"see `recollect sessions show ID` for what is near: {listed}"
