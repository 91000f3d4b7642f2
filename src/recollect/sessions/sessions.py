"""`Sessions`: all operations on sessions; `memory.sessions` is one of these objects.

The calls that create, find, hold and end sessions are here, each a durable transaction within its
scope; the other calls are in the base classes, each written once with its types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.audience.identity_links import read_links
from recollect.audience.owner import Owner, read_owner
from recollect.audience.people import People
from recollect.audience.session_key import parse_key
from recollect.core.checks import checked
from recollect.core.clock import check_time, zone_of
from recollect.core.errors import InvalidInput
from recollect.core.events import SessionResumed
from recollect.core.scope import Scope
from recollect.sessions.catalogue import Catalogue, named_session
from recollect.sessions.context.summary import WindowParts
from recollect.sessions.context.window import ContextWindows
from recollect.sessions.context.working_memory import WorkingMemory
from recollect.sessions.endings import Endings
from recollect.sessions.lease import (
    Lease,
    check_change,
    find_lease,
    lease_ms,
    release_lease,
    take_lease,
)
from recollect.sessions.lifecycle import (
    ForeignName,
    Hooked,
    LifeHook,
    Moment,
    NewSession,
    Turn,
    check_moment,
    draft_session,
    expected_hooked,
    fork_session,
    fork_under_key,
    fresh_session,
    hook_session,
    open_session,
    reset_session,
    set_status,
    set_title,
)
from recollect.sessions.policy.conversation import ConversationPolicy, check_mode
from recollect.sessions.policy.freshness import rule_for
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.session import (
    DELETED,
    Session,
    add_session,
    find_session,
    id_within,
    owner_of,
    require_living,
    require_session,
    was_deleted,
)
from recollect.sessions.rewinding import SessionRewinds
from recollect.sessions.transcripts import Transcripts
from recollect.store.engine import Transaction
from recollect.store.journal import record_event
from recollect.store.locks import TicketQueue

if TYPE_CHECKING:  # imported with the first session that ends, or is held
    from recollect.sessions.context.episode_writer import EpisodeWriter
    from recollect.sessions.leased_session import LeasedSession


def let_begin(expected: Hooked) -> None:
    """Let every session of hooks begin."""


@checked
class Sessions(
    Transcripts,
    Catalogue,
    Endings,
    ConversationPolicy,
    ContextWindows,
    WorkingMemory,
    SessionRewinds,
):
    """Creates, finds, continues and ends sessions; stores and reads their messages.

    Args:
        access: The records, and their owner.
        opened: Called when a session was made, or found to go on with.
        window: What a context window needs; nothing that asks a model if not given.
        turns: Where those who answer in a session queue; None without a queue.
        episodes: Returns the writer of summaries of sessions that end; None for no summaries.
    """

    def __init__(
        self,
        access: SessionAccess,
        *,
        opened: Callable[[], None] = lambda: None,
        window: WindowParts | None = None,
        turns: TicketQueue | None = None,
        episodes: Callable[[], EpisodeWriter] | None = None,
    ) -> None:
        parts = window or WindowParts()
        people = parts.people or People(
            read_owner(access.settings.owner, read_links(access.settings.identity_links))
        )
        Transcripts.__init__(self, access, people)
        Endings.__init__(self, access, episodes)
        ConversationPolicy.__init__(self, access, turns, people)
        ContextWindows.__init__(self, access, parts, people)
        self.scope: Scope = access.scope
        self.owner: Owner = people.configured
        self._opened = opened
        self._new = partial(draft_session, access)
        self._alike = partial(Sessions, opened=opened, window=window, turns=turns,
                              episodes=episodes)  # fmt: skip

    def within(self, scope: Scope) -> Sessions:
        """Return the same sessions as another scope sees them."""
        return self._alike(msgspec.structs.replace(self._access, scope=scope))

    def create(
        self,
        key: str | None = None,
        project: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        at: int | datetime | None = None,
        session_id: str | None = None,
        mode: str | None = None,
        owner: bool = False,
    ) -> Session:
        """Return a new session.

        Args:
            key: Who and where, see `audience.session_key`; its agent and user own the session.
            project: What it is about, usually a folder.
            title: Its title.
            metadata: More facts, a JSON object.
            at: When it began, ms UTC or datetime; now if not given.
            session_id: An id of the caller's: letters, digits, ``-`` and ``_``, 64 at most. Where
                another owner has it, the session gets one that is derived from it.
            mode: ``queue`` to answer strictly one message at a time; else the key decides it.
            owner: As for `open`.

        Raises:
            InvalidInput: one of them cannot be stored.
            Conflict: there is a session with this id, or one was erased.
            Denied: the key or project belongs to another owner than the scope's.
        """
        options = NewSession(title=title, metadata=metadata, at=at, id=session_id)
        session = self._new(key, project, options, owner=owner)
        if mode is not None:
            session = msgspec.structs.replace(session, mode=check_mode(session, mode))
        return self._begin(lambda tx: add_session(tx, session, self.scope))

    def open(self, key: str, project: str | None = None, *, owner: bool = False) -> Session:
        """Return the current session of a key, or a new one where none is fresh.

        The current one is the active session that was used last; ``sessions.fresh`` says how long.
        A new one names the one before it. Callers at the same time get the same session.

        Args:
            key: Who and where. A plain name, such as ``alice``, is a person with an audience of
                its own; ``sessions.plain_keys`` may say otherwise.
            project: What it is about, usually a folder.
            owner: Whether a plain name is a session of the owner's instead.

        Raises:
            InvalidInput: the key cannot be one.
            Denied: the key or project belongs to another owner than the scope's.
        """
        new = self._new(key, project, owner=owner)
        settings = self._access.settings
        rule = rule_for(settings.fresh, parse_key(key))
        turn = Turn(now=new.updated_at, rule=rule, zone=zone_of(settings.time_zone))
        session = self._access.database.read(lambda tx: fresh_session(tx, new, self.scope, turn))
        if session is not None:
            self._opened()
            return session
        return self._begin(lambda tx: open_session(tx, new, self.scope, turn))

    def hooked(
        self,
        name: str | ForeignName,
        project: str | None = None,
        moment: Moment = "during",
        *,
        at: int | datetime | None = None,
        owner: bool = True,
        beginning: Callable[[Hooked], None] = let_begin,
    ) -> Hooked:
        """Return the session of the hooks under a name, and the effect of this hook on it.

        Under a key it goes on from ``start`` until it is archived; ``resume`` opens it again, any
        hook begins one if none is open. What happened before the end of the last one belongs to
        that. A name in another program means one session for ever: a later start opens it again.

        Args:
            name: A key, who and where; or the name in another program.
            project: The folder; a start in another one begins another session.
            moment: ``start``, ``resume``, ``during`` or ``end``, which ends nothing by itself.
            at: When it happened, ms UTC or datetime; now if not given.
            owner: Whether a plain name is a session of the owner's, unless only a person has one
                under it; else it is a person's, as for `open`.
            beginning: Called with what would begin or be opened again; an error prevents that.

        Raises:
            InvalidInput: the key cannot be one, or the moment is unknown.
            NotFound, Denied: it, its key or project belongs to another owner than the scope's.
            Conflict: it would be opened again, and another program holds it; or it was deleted.
        """
        check_moment(moment)
        location = name.place if isinstance(name, ForeignName) else None
        hook = LifeHook(moment=moment, at=None if at is None else check_time(at), place=location)
        new = self._new(name, project, owner=owner)
        outcome = self._access.database.read(lambda tx: expected_hooked(tx, new, self.scope, hook))
        if outcome.became in {"began", "resumed"}:
            beginning(outcome)
            outcome = self._access.write(lambda tx: hook_session(tx, new, self.scope, hook))
        if outcome.became != "continued" or moment in {"start", "resume"}:
            self._opened()
        return outcome

    def reset(
        self, key: str, project: str | None = None, *, reason: str = "new", owner: bool = False
    ) -> Session:
        """Begin a new session under a key, as ``/new`` and ``/reset`` do, and return it.

        The one before is archived and named as ``previous_id``; its messages stay.

        Args:
            key: Who and where.
            project: What it is about, usually a folder.
            reason: Recorded in the event.
            owner: As for `open`.

        Raises:
            RecollectError: as `open`.
        """
        new = self._new(parse_key(key).text, project, owner=owner)
        cause = self._access.drafts.label(reason, "reason")
        return self._change(lambda tx: reset_session(tx, new, self.scope, cause))

    def start(
        self,
        *,
        session_id: str | None = None,
        resume: str | None = None,
        continue_latest: bool = False,
        fork: bool = False,
        key: str | None = None,
        project: str | None = None,
        owner: bool = False,
    ) -> Session:
        """Return the session that a program begins with.

        Args:
            session_id: The session with this id, made when it is missing. Callers at the same time
                get the same session.
            resume: The session with this id or title, which must exist.
            continue_latest: The session of the project that was used last; a new one without any.
            fork: Go on in a fork of whichever session was chosen.
            key: Of a new session.
            project: Of a new session, and where the latest is looked for.
            owner: As for `open`.

        Raises:
            InvalidInput: two of the first three, or a fork of nothing.
            NotFound: there is nothing with that name.
            Conflict: several sessions match, or the one that does was deleted.
        """
        choices = [session_id is not None, resume is not None, continue_latest]
        if sum(choices) > 1:
            raise InvalidInput(
                "more than one session is chosen",
                hint="give one of session_id, resume and continue_latest; fork goes with any",
            )
        session: Session | None = None
        if resume is not None:
            session = self.resume(resume)
        elif session_id is not None:
            make = partial(self._new, key, project, NewSession(id=session_id), owner=owner)
            session = self._with_id(session_id, None if fork else make)
        elif continue_latest:
            session = self.latest(project)
        if fork and session is None:
            raise InvalidInput("there is no session to fork", hint="choose one that exists")
        if session is None:
            return self.create(key, project, owner=owner)
        return self.fork(session.id) if fork else session

    def resume(self, id_or_title: str) -> Session:
        """Return a session to go on with, active again if it was archived.

        Raises:
            NotFound: there is nothing with that name; the hint has near names.
            Conflict: several sessions match; the hint has their ids. Or it was deleted, or it is
                archived and another program holds it.
        """

        def unit(tx: Transaction) -> Session:
            current, now = self._named(tx, id_or_title), self._access.clock.now_ms()
            if current.status != "active":
                check_change(tx, current.id, None, now)
            session = set_status(tx, current, "active", now)
            record_event(tx, SessionResumed(scope=owner_of(session), at=now))
            return session

        session = self._change(unit)
        self._opened()
        return session

    def hold(
        self,
        id_or_title: str,
        *,
        holder: str | None = None,
        on_busy: str = "refuse",
        exclusive: bool = False,
    ) -> LeasedSession:
        """Resume a session and keep other programs out of it; a context manager.

        Args:
            id_or_title: Which session.
            holder: Who holds it, a label; the same holder may come again. A new id if not given.
            on_busy: What to do when another program holds it: ``refuse``, or ``fork`` it.
            exclusive: Whether others may not append meanwhile; in a queue they may not in any case.

        Raises:
            NotFound: there is nothing with that name.
            Conflict: another program holds it, it was deleted, or several sessions match.
            InvalidInput: ``on_busy`` is neither.
        """
        from recollect.sessions.leased_session import LeasedSession

        session, lease = self._take(id_or_title, holder, on_busy, exclusive=exclusive)
        return LeasedSession(session, lease, self)

    def release(self, lease: Lease) -> None:
        """Give a held session back. A second call does nothing."""
        self._access.database.write(lambda tx: release_lease(tx, lease))

    def _take(
        self, id_or_title: str, holder: str | None, on_busy: str, *, exclusive: bool
    ) -> tuple[Session, Lease]:
        """Return a session that is resumed, or a fork of it, and the lease on it; see `hold`."""
        if on_busy not in {"refuse", "fork"}:
            raise InvalidInput("unknown answer to a busy session", hint="use refuse or fork")
        access, now = self._access, self._access.clock.now_ms()
        name = access.ids.new() if holder is None else access.drafts.label(holder, "holder")

        def unit(tx: Transaction) -> tuple[Session, Lease]:
            session = self._named(tx, id_or_title)
            current = find_lease(tx, session.id, now) if on_busy == "fork" else None
            if current is not None and current.holder != name:
                branch = self._new(None)
                session = fork_session(tx, session, branch, None, self._access.drafts)
            session = set_status(tx, session, "active", now)
            request = Lease(
                session_id=session.id,
                holder=name,
                fence=0,
                expires_at=now + lease_ms(self._access.settings),
                is_exclusive=exclusive,
            )
            lease = take_lease(tx, request, now)
            event = SessionResumed(scope=owner_of(session), at=now, fence=lease.fence)
            record_event(tx, event)
            return session, lease

        result = self._access.write(unit)
        self._opened()
        return result

    def fork(
        self,
        session_id: str,
        at_seq: int | None = None,
        *,
        title: str | None = None,
        key: str | None = None,
        owner: bool = False,
    ) -> Session:
        """Return a new session that begins with the messages of another; whole ones are not copied.

        Args:
            session_id: The session to branch off from; it is not changed.
            at_seq: The last message that both share; its newest if not given.
            title: The title of the fork.
            key: Of the same audience: the fork becomes its current session, as by `reset`.
            owner: As for `open`.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted, or another program holds the session of the key.
            Denied: others hear that one.
            InvalidInput: it has no message with that seq.
        """
        branch = self._new(key, None, NewSession(title=title), owner=owner)
        drafts = self._access.drafts

        def unit(tx: Transaction) -> Session:
            parent = require_living(tx, self.scope, session_id)
            if key is None:
                return fork_session(tx, parent, branch, at_seq, drafts)
            return fork_under_key(tx, parent, branch, at_seq, drafts, self._owner_at(tx))

        return self._change(unit)

    def rename(self, session_id: str, title: str | None, *, lease: Lease | None = None) -> Session:
        """Give a session another title, or none.

        Args:
            session_id: Which one.
            title: Its title from now on.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: another program holds it.
            InvalidInput: it is longer than 512 characters.
        """
        label = None if title is None else self._access.drafts.label(title, "title")
        now = self._access.clock.now_ms()

        def unit(tx: Transaction) -> Session:
            session = require_session(tx, self.scope, session_id)
            check_change(tx, session.id, lease, now)
            return set_title(tx, session, label, now)

        return self._change(unit)

    def set_status(self, session_id: str, status: str, *, lease: Lease | None = None) -> Session:
        """Make a session ``active``, ``archived`` or ``deleted``; nothing of it is removed.

        Args:
            session_id: Which one.
            status: Its status from now on.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: another program holds it.
            InvalidInput: the status is unknown.
        """

        def unit(tx: Transaction) -> Session:
            session, now = require_session(tx, self.scope, session_id), self._access.clock.now_ms()
            check_change(tx, session.id, lease, now)
            return set_status(tx, session, status, now)

        return self._change(unit)

    def _named(self, tx: Transaction, id_or_title: str) -> Session:
        session = named_session(tx, self.scope, id_or_title)
        if session.status == DELETED:
            raise was_deleted(session)
        return session

    def _with_id(self, session_id: str, make: Callable[[], Session] | None) -> Session | None:
        """Return the session with an id, or a new one if there is none and one may be made."""

        def find_living(tx: Transaction) -> Session | None:
            id_ = id_within(tx, self.scope, session_id)
            session = find_session(tx, self.scope, id_)
            return None if session is None else require_living(tx, self.scope, id_)

        session = self._access.database.read(find_living)
        if session is not None or make is None:
            return session
        new = make()

        def unit(tx: Transaction) -> Session:
            return find_living(tx) or add_session(tx, new, self.scope)

        return self._begin(unit)

    def _begin(self, unit: Callable[[Transaction], Session]) -> Session:
        session = self._change(unit)
        self._opened()
        return session
