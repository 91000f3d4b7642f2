"""The life of a session: begin, go on, reset, fork, archive; by key, or as hooks report it.

Plain functions of a transaction. Each one writes its event in the same one. Nothing is removed
here: a reset, a status or a fork only says which rows belong to what.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any, Literal, LiteralString, get_args

import msgspec

from recollect.audience.owner import Owner
from recollect.audience.session_key import parse_key
from recollect.audience.visibility import visibility_group_of
from recollect.core.clock import check_time, to_datetime
from recollect.core.errors import Conflict, Denied, InvalidInput
from recollect.core.events import SessionChanged, SessionForked, SessionReset, SessionResumed
from recollect.core.scope import Scope
from recollect.sessions.context.flushed_notes import hide_lines
from recollect.sessions.endings import note_end
from recollect.sessions.lease import check_change
from recollect.sessions.policy.freshness import FreshnessRule
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.record.lineage import (
    check_depth,
    inherited_spans,
    is_within,
    last_shown,
    touch_messages,
    touch_shared,
)
from recollect.sessions.record.session import (
    DELETED,
    PLACE,
    STATUSES,
    Session,
    add_session,
    find_placed,
    insert_session,
    note_change,
    owned_session,
    owner_of,
    require_living,
    require_session,
    select_sessions,
    set_place,
    under_key,
)
from recollect.sessions.record.tombstone import OURS, is_buried
from recollect.sessions.record.transcript_rows import (
    append_messages,
    unfinished_message,
)
from recollect.store.columns import Condition
from recollect.store.engine import Transaction
from recollect.store.journal import record_event
from recollect.store.paths import check_id
from recollect.store.recognised import drop_recognised

_SET_STATUS: LiteralString = "UPDATE sessions SET status = ?, ended_at = ? WHERE id = ?"
_READ_AGAIN: LiteralString = (
    "UPDATE imports SET mtime_ns = 0 WHERE tenant = ? AND session_id IS NOT NULL"
)
"""The next import reads the files again that wait for a session."""
_SET_TITLE: LiteralString = "UPDATE sessions SET title = ? WHERE id = ?"


Moment = Literal["start", "resume", "during", "end"]
"""The event in the life of a session that a hook reports."""
Became = Literal["began", "resumed", "continued", "over"]
"""The effect of that on the session."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The time of a request, and the rule that decides what is still fresh then."""

    now: int
    rule: FreshnessRule
    zone: tzinfo | None

    def stale_reason(self, session: Session) -> str:
        """Return the reason why a session is no longer the current one of its key."""
        reason = self.rule.stale_reason(
            began=session.created_at, last=session.updated_at, now=self.now, zone=self.zone
        )
        return reason or "new"


def fresh_session(tx: Transaction, new: Session, scope: Scope, turn: Turn) -> Session | None:
    """Return the fresh session of the key and project of ``new`` that was used last.

    Not only the newest one is checked: after the clock was set back, an older one has a later time.
    """
    where = _active(new, scope)
    where.also("updated_at >= ?", turn.rule.oldest_message(turn.now))
    where.also("created_at >= ?", turn.rule.oldest_start(turn.now, turn.zone))
    return next(iter(select_sessions(tx, where, 1)), None)


def open_session(tx: Transaction, new: Session, scope: Scope, turn: Turn) -> Session:
    """Return the fresh session of a key, or begin ``new`` where there is none."""
    fresh = fresh_session(tx, new, scope, turn)
    if fresh is not None:
        return fresh
    before = _newest(tx, new, scope)
    if before is None:
        return add_session(tx, new)
    return _follow(tx, before, new, turn.stale_reason(before))


def _newest(tx: Transaction, new: Session, scope: Scope) -> Session | None:
    return next(iter(select_sessions(tx, _active(new, scope), 1)), None)


def _active(new: Session, scope: Scope) -> Condition:
    return under_key(new, scope).equal("status", "active").equal("project", new.project)


def reset_session(tx: Transaction, new: Session, scope: Scope, reason: str) -> Session:
    """Begin ``new`` in place of the current session of its key, which is archived.

    Raises:
        Conflict: another program holds that one.
    """
    current = _newest(tx, new, scope)
    if current is None:
        return add_session(tx, new)
    check_change(tx, current.id, None, new.updated_at)
    set_status(tx, current, "archived", new.updated_at)
    return _follow(tx, current, new, reason)


def fork_session(
    tx: Transaction, parent: Session, branch: Session, at_seq: int | None, drafts: DraftMaker
) -> Session:
    """Begin ``branch`` with the messages of ``parent`` up to ``at_seq``; all of them by default.

    It has no key: messages under the key of the parent still go there. Of a message that is still
    arriving it keeps the part that is stored. At a message that a rewind took out of the parent it
    shows what was taken out.

    Raises:
        InvalidInput: the parent has no such message, or has too many forks above it.
    """
    seq = last_shown(tx, parent) if at_seq is None else at_seq
    if isinstance(seq, bool) or seq not in range(parent.last_seq + 1):
        raise InvalidInput(
            "the session has no message with this seq",
            hint=f"use 0 to {parent.last_seq}; 0 shares nothing",
            last_seq=parent.last_seq,
        )
    if 0 < seq < parent.pruned_seq:
        raise InvalidInput(
            "the messages up to this seq were removed",
            hint=f"use {parent.pruned_seq} to {parent.last_seq}, or 0",
            pruned_seq=parent.pruned_seq,
        )
    if is_within(inherited_spans(tx, parent), seq):
        raise InvalidInput(
            "a rewind of a session above had taken this message out",
            hint="fork that session at this seq",
        )
    running = unfinished_message(tx, parent, seq)
    if running is None:
        return _branch_off(tx, parent, branch, seq)
    forked = _branch_off(tx, parent, branch, running.seq - 1)
    copied = drafts.message(
        running.role,
        list(running.blocks),
        name=running.name,
        at=to_datetime(running.created_at),
        metadata=running.metadata,
        sender=running.sender,
    )
    append_messages(tx, owner_of(forked), forked, [copied])
    return require_session(tx, Scope(tenant=forked.tenant), forked.id)


def fork_under_key(  # noqa: PLR0917  # as fork_session
    tx: Transaction,
    parent: Session,
    branch: Session,
    at_seq: int | None,
    drafts: DraftMaker,
    owner: Owner,
) -> Session:
    """Begin ``branch`` as `fork_session` does, as the current session of its own key.

    The one before is archived.

    Raises:
        Denied: others hear what is said under the key.
        Conflict: another program holds the current session.
        InvalidInput: as `fork_session`.
    """
    if visibility_group_of(branch, owner) != visibility_group_of(parent, owner):
        raise Denied("others hear the sessions of the key", hint="fork it without a key")
    before = _newest(tx, branch, Scope(tenant=branch.tenant))
    if before is not None:
        check_change(tx, before.id, None, branch.updated_at)
    forked = fork_session(tx, parent, branch, at_seq, drafts)
    if before is not None:
        set_status(tx, before, "archived", branch.updated_at)
    return forked


def _branch_off(tx: Transaction, parent: Session, branch: Session, seq: int) -> Session:
    check_depth(tx, parent)
    inherited = _INHERITED if branch.key is None else _INHERITED_ANYWHERE
    forked = msgspec.structs.replace(
        branch,
        **{name: getattr(parent, name) for name in inherited},
        parent_id=parent.id,
        forked_at_seq=seq,
        last_seq=seq,
        pruned_seq=min(parent.pruned_seq, seq),
    )
    insert_session(tx, forked)
    note_change(tx, forked, branch.updated_at)
    touch_shared(tx, forked, branch.updated_at)
    scope, at = owner_of(forked), branch.updated_at
    record_event(tx, SessionForked(scope=scope, at=at, parent_id=parent.id, at_seq=seq))
    return forked


_INHERITED_ANYWHERE = ("project", "mode", "model", "overrides", "compaction_count")
_INHERITED = ("agent", "user", *PLACE, *_INHERITED_ANYWHERE)


def set_status(tx: Transaction, session: Session, status: str, at: int) -> Session:
    """Give a session another status; its rows stay. A deleted one is in no search.

    So are the lines of notes that only deleted sessions said.

    Raises:
        InvalidInput: the status is unknown.
    """
    if status not in STATUSES:
        raise InvalidInput("unknown status of a session", hint=f"use one of {', '.join(STATUSES)}")
    if session.status == status:
        return session
    ended_at = at if status == "archived" else None
    tx.execute(_SET_STATUS, (status, ended_at, session.id))
    note_change(tx, session, at)
    drop_recognised(tx, session.id)
    if status == "archived" and session.status == "active":
        note_end(tx, session, at)
    if DELETED in {status, session.status}:
        touch_messages(tx, session, at)
        hide_lines(tx, session.id, is_hidden=status == DELETED)
    if session.status == DELETED:
        tx.execute(_READ_AGAIN, (session.tenant,))
    record_event(tx, SessionChanged(scope=owner_of(session), at=at, status=status))
    return msgspec.structs.replace(session, status=status, ended_at=ended_at)


def set_title(tx: Transaction, session: Session, title: str | None, at: int) -> Session:
    """Give a session another title, or none."""
    if session.title == title:
        return session
    tx.execute(_SET_TITLE, (title, session.id))
    note_change(tx, session, at)
    record_event(tx, SessionChanged(scope=owner_of(session), at=at, status=session.status))
    return msgspec.structs.replace(session, title=title)


def _follow(tx: Transaction, before: Session, new: Session, reason: str) -> Session:
    session = msgspec.structs.replace(
        new,
        previous_id=before.id,
        compaction_count=before.compaction_count,
        mode=before.mode,
    )
    add_session(tx, session)
    scope, at = owner_of(session), session.updated_at
    note_end(tx, before, at)
    record_event(tx, SessionReset(scope=scope, at=at, previous_id=before.id, reason=reason))
    return session


class ForeignName(msgspec.Struct, frozen=True, kw_only=True):
    """The name of a session in another program; it means one session, which may go on for years.

    Attributes:
        source: The program, which is the agent too.
        id: Its id there.
        place: As for `find_placed`; None where it is not known.
        key: Its key there, if the program has keys; it decides whose agent it is.
    """

    source: str
    id: str
    place: str | None = None
    key: str | None = None


class NewSession(msgspec.Struct, frozen=True, kw_only=True):
    """The caller's facts about a new session; fields as the arguments of `Sessions.create`."""

    title: str | None = None
    metadata: Mapping[str, Any] | None = None
    at: int | datetime | None = None
    id: str | None = None


_PLAIN = NewSession()


def draft_session(
    access: SessionAccess,
    name: str | ForeignName | None,
    project: str | None = None,
    options: NewSession = _PLAIN,
    *,
    owner: bool = False,
) -> Session:
    """Return a session as it would begin, under its owner; nothing is stored.

    Args:
        access: The records, and their owner.
        name: Its key, or its name in another program.
        project: What it is about.
        options: More facts of the caller.
        owner: Whether a plain name is a session of the owner's; else ``sessions.plain_keys``
            decides its owner.

    Raises:
        InvalidInput: one of them cannot be stored.
        Denied: the key or project belongs to another owner than the scope's.
    """
    now, drafts = access.clock.now_ms(), access.drafts
    began = now if options.at is None else check_time(options.at)
    foreign = name if isinstance(name, ForeignName) else None
    key_text = name.key if isinstance(name, ForeignName) else name
    key = None if key_text is None else parse_key(drafts.checked(key_text, "session key"))
    session = Session(
        id=access.ids.new()
        if options.id is None
        else drafts.checked(check_id(options.id), "session id"),
        tenant=access.scope.tenant,
        status="active",
        created_at=began,
        updated_at=min(began, now),
        agent=None if foreign is None or key is not None else foreign.source,
        source=None if foreign is None else foreign.source,
        foreign_id=None if foreign is None else drafts.identifier(foreign.id),
        project=access.project_label(project),
        title=None if options.title is None else drafts.label(options.title, "title"),
        metadata=drafts.facts(options.metadata or {}),
    )
    is_person = not owner and access.settings.plain_keys == "person"
    return owned_session(session, key, access.scope, is_person=is_person)


class Hooked(msgspec.Struct, frozen=True, kw_only=True):
    """The session that a hook belongs to.

    Attributes:
        session: As it is now.
        became: ``began``: it is new. ``resumed``: it had ended, and goes on. ``continued``: it was
            there. ``over``: it had ended, and what happened belongs to it.
    """

    session: Session
    became: Became


def check_moment(moment: object) -> None:
    """Refuse what is not a `Moment`.

    Raises:
        InvalidInput: it is not.
    """
    if moment not in get_args(Moment):
        raise InvalidInput(
            "unknown moment of a session", hint=f"use one of {', '.join(get_args(Moment))}"
        )


class LifeHook(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook reports of the life of a session.

    Attributes:
        moment: The reported event.
        at: When it happened, ms UTC; now where it is None.
        place: The location of a session named by another program, see `ForeignName`.
    """

    moment: Moment
    at: int | None
    place: str | None = None


def expected_hooked(tx: Transaction, new: Session, scope: Scope, hook: LifeHook) -> Hooked:
    """Return the session that a hook belongs to, as it is before one begins or is opened again.

    Args:
        tx: A transaction.
        new: What would begin, with its name and project.
        scope: The owner of the sessions.
        hook: What the hook reports.

    Raises:
        Conflict: another program has it under an id, and it was deleted or erased here.
        NotFound: likewise, and it belongs to another owner than the scope's.
    """
    if new.foreign_id is not None:
        return _expected_foreign(tx, new, scope, hook)
    moment, at = hook.moment, hook.at
    running = _of_hook(tx, new, scope, moment, "active")
    if running is not None:
        return Hooked(session=running, became="continued")
    if moment == "start" or (moment == "during" and at is None):
        return Hooked(session=new, became="began")
    over = _of_hook(tx, new, scope, moment, "archived")
    if over is not None and moment == "resume":
        return Hooked(session=over, became="resumed")
    if over is None or (at is not None and at > (over.ended_at or 0)):
        return Hooked(session=new, became="began")
    return Hooked(session=over, became="over")


def _expected_foreign(tx: Transaction, new: Session, scope: Scope, hook: LifeHook) -> Hooked:
    tenant, source = new.tenant, new.source or ""
    id_, session = find_placed(tx, tenant, source, new.foreign_id or "", hook.place)
    if session is None and is_buried(tx, tenant, [(source, id_), (OURS, id_)]):
        raise Conflict("the session was erased", hint="begin another one")
    if session is None:
        return Hooked(session=msgspec.structs.replace(new, foreign_id=id_), became="began")
    require_living(tx, scope, session.id)
    if session.status == "active":
        return Hooked(session=session, became="continued")
    is_later = hook.at is None or hook.at > (session.ended_at or 0)
    goes_on = hook.moment in {"start", "resume"} and is_later
    return Hooked(session=session, became="resumed" if goes_on else "over")


def hook_session(tx: Transaction, new: Session, scope: Scope, hook: LifeHook) -> Hooked:
    """Return the session that a hook belongs to, begun or opened again if needed.

    Arguments and errors as for `expected_hooked`.
    """
    expected = expected_hooked(tx, new, scope, hook)
    if expected.became == "began":
        session = add_session(tx, expected.session)
        if hook.place is not None:
            set_place(tx, session.id, hook.place)
        return Hooked(session=session, became="began")
    if expected.became != "resumed":
        return expected
    session = set_status(tx, expected.session, "active", new.updated_at)
    record_event(tx, SessionResumed(scope=owner_of(session), at=new.updated_at))
    return Hooked(session=session, became="resumed")


def _of_hook(
    tx: Transaction, new: Session, scope: Scope, moment: Moment, status: str
) -> Session | None:
    """Return the session of the key that was used last: in the project, where there is one.

    One of another project serves as well, unless something starts: agents change their folder. So
    does one that a person has under the same plain name, where the owner has none.
    """

    def newest(where: Condition, project: str | None) -> Session | None:
        where.equal("status", status).equal("project", project)
        return next(iter(select_sessions(tx, where, 1)), None)

    projects = [new.project]
    if new.project is not None and moment != "start":
        projects.append(None)
    sessions = [newest(under_key(new, scope), project) for project in projects]
    if new.user is None and not any(sessions):
        sessions = [newest(Condition(scope).equal("key", new.key), each) for each in projects]
    return next(filter(None, sessions), None)
