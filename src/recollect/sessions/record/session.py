"""Sessions: one conversation timeline, its owner, its row, and which rows a scope may see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, LiteralString

import msgspec

from recollect.audience.session_key import DIRECT, UNKNOWN, SessionKey, parse_key, user_at
from recollect.core.clock import moved_id
from recollect.core.errors import Conflict, Denied, NotFound
from recollect.core.events import SessionCreated
from recollect.core.scope import Scope, includes_user
from recollect.sessions.record.tombstone import OURS, is_buried
from recollect.store.columns import Condition, columns_of, decode, insert_into, text_or_none
from recollect.store.engine import Row, Transaction
from recollect.store.journal import record_change, record_event
from recollect.store.twins import compared_rows, damaged_rows, each_compared
from recollect.text.boundaries import brief_repr

STATUSES = ("active", "archived", "deleted")
"""The life of a session; nothing is removed by a status."""

LIST_THEM = "list those that are there with `recollect sessions`"
DELETED = "deleted"

MODES = ("main", "group", "queue")
"""How a session is served: one person, many who call the agent, or one message at a time."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation timeline.

    Attributes:
        id: Sorts by the time of creation.
        status: One of `STATUSES`.
        key: Who and where, normalised; None if it was not given. See `audience.session_key`.
        channel: From the key.
        account: From the key.
        chat_type: From the key.
        peer: From the key.
        title: Its title.
        mode: One of `MODES`.
        model: The model that answers in it, where it is known.
        overrides: Settings of this session alone, JSON.
        previous_id: The session that had its key before.
        parent_id: The session that it was forked from.
        forked_at_seq: The last seq of the parent that it shares.
        message_count: Messages of its own.
        last_seq: The seq of its newest message; 0 if there is none. A fork begins after its
            parent's.
        pruned_seq: Its messages up to here were removed by retention; 0 for none.
        compaction_count: How often its view was compacted, the sessions before it included.
        flush_compaction_count: The compaction count when memory was flushed last; None for never.
        flushed_at: When that was, ms UTC.
        flush_failures: Flushes that failed in this compaction cycle, since the last that did not.
        input_tokens: Read by models for it, as they report it.
        output_tokens: Written by models.
        cache_tokens: Read from a provider's cache, part of the input.
        total_tokens: Input and output of all calls.
        context_tokens: Tokens of the last prompt.
        source: The format that it was imported from.
        foreign_id: Its id there.
        created_at: Ms UTC.
        updated_at: The time of its newest message, ms UTC, never in the future.
        ended_at: When it was archived, ms UTC, or the time of its newest message where that is not
            known; None while it goes on.
        metadata: Facts of the caller, JSON.
        tenant: Owner.
        agent: Owner.
        user: Owner.
        project: Owner.
    """

    __repr__ = brief_repr

    id: str
    tenant: str
    status: str
    created_at: int
    updated_at: int
    key: str | None = None
    channel: str | None = None
    account: str | None = None
    chat_type: str | None = None
    peer: str | None = None
    title: str | None = None
    mode: str = "main"
    model: str | None = None
    overrides: dict[str, Any] = msgspec.field(default_factory=dict)
    previous_id: str | None = None
    parent_id: str | None = None
    forked_at_seq: int | None = None
    message_count: int = 0
    last_seq: int = 0
    pruned_seq: int = 0
    compaction_count: int = 0
    flush_compaction_count: int | None = None
    flushed_at: int | None = None
    flush_failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_tokens: int = 0
    total_tokens: int = 0
    context_tokens: int = 0
    source: str | None = None
    foreign_id: str | None = None
    agent: str | None = None
    user: str | None = None
    project: str | None = None
    ended_at: int | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def above_id(self) -> str | None:
        """The session that it grew from: its parent, or the one that had its key before."""
        return self.parent_id or self.previous_id


CHANGED_KIND = "session.changed"
"""In the outbox, a session whose title, status, mode or link changed."""


PLACE = ("channel", "account", "chat_type", "peer")
"""The fields that come from the key."""


def session_of(row: Row) -> Session:
    """Return the session of a row with the columns of `_SELECT`.

    Raises:
        StoreCorrupt: a cell is not what its column promises.
    """
    return decode(Session, Session.__struct_fields__, row, ("metadata", "overrides"))


_COLUMNS = columns_of(
    Session,
    user="user_id",
    ended_at="CASE status WHEN 'archived' THEN coalesce(ended_at, updated_at) END",
)
_SELECT: LiteralString = f"SELECT {_COLUMNS} FROM sessions WHERE "  # noqa: S608  # literals
_BY_KEY: LiteralString = f"SELECT {_COLUMNS} FROM sessions INDEXED BY sessions_by_key WHERE "  # noqa: S608
"""Named, as a twin has all columns: SQLite would read all of a tenant from it instead."""
_BY_TIME: LiteralString = "FROM sessions INDEXED BY sessions_twin_by_time WHERE "
_HAS_TWIN: LiteralString = "SELECT 1 FROM sessions INDEXED BY sessions_twin WHERE "
_LATER = frozenset(
    {
        *(
            "flush_compaction_count",
            "flushed_at",
            "flush_failures",
            "input_tokens",
            "output_tokens",
        ),
        *("cache_tokens", "total_tokens", "context_tokens", "ended_at"),
    }
)
"""The fields that no new session has."""
_INSERT = insert_into("sessions", columns_of(Session, user="user_id", **dict.fromkeys(_LATER, "")))
_LAST_USED: LiteralString = " ORDER BY updated_at DESC, id DESC LIMIT ?"
_PLACE_OF: LiteralString = "SELECT place FROM sessions WHERE id = ?"
_SET_PLACE: LiteralString = "UPDATE sessions SET place = ? WHERE id = ? AND place IS NULL"
_IS_THERE: LiteralString = "SELECT 1 FROM sessions WHERE id = ?"
_IS_REMOVED: LiteralString = "SELECT 1 FROM prunings WHERE session_id = ?"
"""While retention removes a session its status is ``deleted`` too; a write then keeps it."""


def find_session(tx: Transaction, scope: Scope, session_id: str) -> Session | None:
    """Return a session that the scope may see.

    Raises:
        StoreCorrupt: an index has it, and another does not.
    """
    where = Condition(scope).also("id = ?", session_id)
    row = tx.row(_SELECT + where.sql, where.params)
    if row is None and tx.row(_HAS_TWIN + where.sql, where.params) is not None:
        raise damaged_rows()
    return None if row is None else session_of(row)


def id_within(tx: Transaction, scope: Scope, id_: str) -> str:
    """Return the id under which a scope has, or may begin, the session with an id.

    An id that another owner has is replaced by one derived from it, each time the same, so that the
    caller does not learn of the other.
    """
    derived = moved_id(id_, *(part or "" for part in msgspec.structs.astuple(scope)))
    if find_session(tx, scope, id_) is not None:
        return id_
    is_free = tx.row(_IS_THERE, (id_,)) is None
    return id_ if is_free and find_session(tx, scope, derived) is None else derived


def select_sessions(tx: Transaction, where: Condition, limit: int | None) -> list[Session]:
    """Return the sessions that meet a condition, the last used first."""
    select: LiteralString = _BY_KEY if " AND key = ?" in where.sql else _SELECT
    rows = tx.all(select + where.sql + _LAST_USED, [*where.params, -1 if limit is None else limit])
    return [session_of(row) for row in rows]


def select_channels(tx: Transaction, where: Condition) -> list[str]:
    """Return the channels of the sessions that meet a condition, in alphabetical order."""
    rows = compared_rows(tx, "DISTINCT channel", _BY_TIME + where.sql + " ORDER BY 1", where.params)
    return [name for row in rows if (name := text_or_none(row[0])) is not None]


def each_session(tx: Transaction, where: Condition) -> Iterator[Session]:
    """Yield the sessions that meet a condition, the last used first, as they are read."""
    of: LiteralString = _BY_TIME + where.sql + _LAST_USED
    return map(session_of, each_compared(tx, _COLUMNS, of, [*where.params, -1]))


def compare_session(tx: Transaction, scope: Scope, session_id: str) -> None:
    """Compare what `find_session` returns with its twins.

    Raises:
        StoreCorrupt: it is missing, or is not what was stored.
    """
    session = find_session(tx, scope, session_id)
    if session is None:
        return
    where = Condition(scope).also("id = ?", session_id).also("updated_at = ?", session.updated_at)
    if [session] != list(each_session(tx, where)):
        raise damaged_rows()


def under_key(session: Session, scope: Scope) -> Condition:
    """Return the condition of the sessions of a key, deleted ones too.

    A plain name may mean a session of the owner and, separately, one of a person.
    """
    where = Condition(scope).equal("key", session.key)
    if session.key is not None and parse_key(session.key).plain_name is not None:
        where.also("user_id IS NOT DISTINCT FROM ?", session.user)
    return where


def find_foreign(tx: Transaction, tenant: str, source: str, foreign_id: str) -> Session | None:
    """Return the session that was imported from one of another program."""
    where = Condition(Scope(tenant=tenant)).also("source = ?", source)
    sessions = select_sessions(tx, where.also("foreign_id = ?", foreign_id), 1)
    return sessions[0] if sessions else None


def find_placed(
    tx: Transaction, tenant: str, source: str, claimed: str, location: str | None
) -> tuple[str, Session | None]:
    """Return the session of a foreign id at a location, and its foreign id as stored here.

    A session that was stored before locations were recorded, or by a hook, belongs to the first
    location that asks for it; so does any session if the location is not known.

    Args:
        tx: A transaction.
        tenant: Its owner.
        source: The program.
        claimed: Its id there.
        location: Where ids of that program mean the same session, see `batch.location_of`.
    """
    session = find_foreign(tx, tenant, source, claimed)
    row = None if session is None or location is None else tx.row(_PLACE_OF, (session.id,))
    if row is None or text_or_none(row[0]) in {None, location}:
        return claimed, session
    own = f"{claimed}@{location}"
    return own, find_foreign(tx, tenant, source, own)


def session_at(
    tx: Transaction, tenant: str, source: str, claimed: str, location: str
) -> tuple[str, Session | None]:
    """Return the result of `find_placed`, and record the location of a session that has none."""
    foreign_id, session = find_placed(tx, tenant, source, claimed, location)
    if session is not None:
        set_place(tx, session.id, location)
    return foreign_id, session


def set_place(tx: Transaction, session_id: str, location: str) -> None:
    """Record the location that a session comes from, unless it is known."""
    tx.execute(_SET_PLACE, (location, session_id))


def owner_of(session: Session) -> Scope:
    """Return the owner of a session's rows."""
    s = session
    return Scope(tenant=s.tenant, agent=s.agent, user=s.user, project=s.project, session=s.id)


def owned_session(
    session: Session, key: SessionKey | None, scope: Scope, *, is_person: bool = False
) -> Session:
    """Return ``session`` with the parts of its key and the owner that key and scope name.

    Args:
        session: Its facts beside its key.
        key: Who and where.
        scope: Who begins it; where that has a user, a plain name is a session of theirs.
        is_person: Whether a plain name is a person; else the session is the owner's.

    Raises:
        Denied: the key or the project names another owner than the scope's.
    """
    parts = key if key is not None else SessionKey(text="")
    return msgspec.structs.replace(
        session,
        key=parts.text or None,
        **{part: getattr(parts, part) for part in PLACE},
        mode="group" if parts.is_group else session.mode,
        agent=_owner("agent", scope.agent, parts.agent or session.agent),
        user=_user(scope, parts.user or plain_user(parts, scope, is_person=is_person)),
        project=_owner("project", scope.project, session.project),
    )


def with_account(session: Session) -> Session:
    """Return a session from outside with the user of its channel and peer, however it was spelt."""
    if session.chat_type != DIRECT or session.channel is None:
        return session
    user = user_at(session.channel, session.account, session.peer)
    return msgspec.structs.replace(session, user=user)


def of_unknown_origin(session: Session) -> Session:
    """Return a session whose hearers are unknown: it is a visibility group of its own."""
    return msgspec.structs.replace(session, chat_type=UNKNOWN, peer=session.id)


def plain_user(key: SessionKey, scope: Scope, *, is_person: bool) -> str | None:
    """Return the user of a session under a plain name; arguments as for `owned_session`."""
    return key.plain_name if is_person and scope.user is None else scope.user


def _user(scope: Scope, user: str | None) -> str | None:
    """Return the user of a session; for a person with several accounts the one that is named."""
    if scope.user is None or includes_user(scope, user):
        return user
    return _owner("user", scope.user, user)


def _owner(what: str, allowed: str | None, owner: str | None) -> str | None:
    if allowed is not None and owner is not None and allowed != owner:
        raise Denied(
            f"the session would belong to another {what} than the scope allows",
            hint="use a key and a project of the scope, or ask with another scope",
        )
    return owner if owner is not None else allowed


def add_session(tx: Transaction, session: Session, scope: Scope | None = None) -> Session:
    """Store a new session with its event, and return it.

    Args:
        tx: A transaction.
        session: The session.
        scope: Within which a caller chose its id, see `id_within`; None: it is ours.

    Raises:
        Conflict: there is a session with its id, or one was erased.
    """
    if scope is not None:
        session = msgspec.structs.replace(session, id=id_within(tx, scope, session.id))
    if tx.row(_IS_THERE, (session.id,)) is not None:
        raise Conflict("there is a session with this id", hint="choose another id, or resume it")
    if is_buried(tx, session.tenant, [(OURS, session.id)]):
        raise Conflict("a session with this id was erased", hint="choose another id")
    insert_session(tx, session)
    at, key, source = session.updated_at, session.key, session.source
    record_event(tx, SessionCreated(scope=owner_of(session), at=at, key=key, source=source))
    return session


def insert_session(tx: Transaction, session: Session) -> None:
    """Store a new session; the caller records its event."""
    row = msgspec.structs.asdict(session)
    for name in ("metadata", "overrides"):
        row[name] = msgspec.json.encode(row[name]).decode()
    tx.execute(_INSERT, [cell for name, cell in row.items() if name not in _LATER])


def note_change(tx: Transaction, session: Session, at: int) -> None:
    """Tell the mirror that a field of the session itself changed."""
    record_change(tx, tenant=session.tenant, kind=CHANGED_KIND, ref=session.id, op="put", at=at)


def require_session(tx: Transaction, scope: Scope, session_id: str) -> Session:
    """Return a session that the scope may see.

    Raises:
        NotFound: there is none with this id in the scope.
    """
    session = find_session(tx, scope, session_id)
    if session is None:
        raise NotFound("there is no such session", hint=LIST_THEM)
    return session


def require_living(tx: Transaction, scope: Scope, session_id: str) -> Session:
    """Return a session that can be continued.

    Raises:
        NotFound: there is none with this id in the scope.
        Conflict: it was deleted: what is said in it would not be found.
    """
    session = require_session(tx, scope, session_id)
    if session.status == DELETED and tx.row(_IS_REMOVED, (session.id,)) is None:
        raise was_deleted(session)
    return session


def was_deleted(session: Session) -> Conflict:
    """Return the error for continuing a deleted session."""
    return Conflict(
        "the session was deleted",
        hint=f"bring it back with `recollect sessions restore {session.id}`, or begin another one",
        session_id=session.id,
    )
