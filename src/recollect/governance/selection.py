"""What an erasure removes: whole sessions, and parts of sessions that stay.

A person's private chats are removed whole. Of a group, and of a session that people share, their
turns are: what they said, what the agent answered them and did for them. What others said stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from typing import Any, LiteralString

import msgspec

from recollect.audience.account import account, parse_account, unescaped
from recollect.audience.owner import OWNER_ID, Owner
from recollect.audience.people import linked_rows
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope, includes_user
from recollect.knowledge.rows import of_facts, select_facts
from recollect.sessions.context.episode import episodes_of
from recollect.sessions.context.flushed_notes import folder_owners
from recollect.sessions.lease import find_lease, lease_conflict
from recollect.sessions.record.lineage import ancestors, find_kin
from recollect.sessions.record.session import (
    DELETED,
    Session,
    each_session,
    find_session,
    require_session,
)
from recollect.sessions.record.tombstone import OURS, is_buried
from recollect.store.columns import Condition, integer, text, text_or_none
from recollect.store.engine import Row, Transaction
from recollect.text.times.moments import read_span

_IS_LIVING: LiteralString = "SELECT 1 FROM sessions WHERE id = ? AND status <> 'deleted'"
_MESSAGES: LiteralString = """
    SELECT id, coalesce(turn_sender, sender), created_at, seq, text, content
    FROM messages WHERE session_id = ? ORDER BY seq
"""
_OBSERVATIONS: LiteralString = """
    SELECT id, turn_sender, created_at, message_id, title || char(10) || summary, input || output
    FROM observations WHERE session_id = ? ORDER BY created_at, id
"""
_CHECKPOINTS: LiteralString = """
    SELECT id, NULL, created_at, user_message_id, coalesce(label, '') FROM checkpoints
    WHERE session_id = ? ORDER BY number
"""
_EPISODES: LiteralString = """
    SELECT id, turn_sender, began_at, ended_at, user_id, project, summary FROM episodes
    WHERE tenant = ? AND session_id NOT IN (SELECT id FROM sessions)
"""
_KNOWN: LiteralString = "SELECT id FROM sessions WHERE tenant = ?"
_PENDING: LiteralString = "SELECT id, sender, at, text FROM pending_messages WHERE tenant = ?"


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What to erase: all that each given field selects.

    Attributes:
        session_id: Of this session.
        user_id: Of this person: a name, or one of the accounts.
        project: Of sessions of this project: a path of it.
        since: Said or done from then on, ms UTC.
        until: Said or done before then, ms UTC.
        query: Holding this text, capitals aside.
        fact_id: A fact, and nothing else.
        with_forks: Also living forks that share messages with what goes.
    """

    session_id: str | None = None
    user_id: str | None = None
    project: str | None = None
    since: int | None = None
    until: int | None = None
    query: str | None = None
    fact_id: str | None = None
    with_forks: bool = False

    @property
    def is_partial(self) -> bool:
        """Whether it selects messages, not sessions."""
        return (self.since, self.until, self.query) != (None, None, None)

    def check(self) -> None:
        """Refuse an empty selection.

        Raises:
            InvalidInput: nothing is selected, a field is empty, or a fact is one of several.
        """
        selectors = (self.session_id, self.user_id, self.project, self.query, self.fact_id)
        others = (*selectors[:-1], self.since, self.until)
        if self.fact_id is not None and any(value is not None for value in others):
            raise InvalidInput("a fact is erased alone", hint="leave the other selectors out")
        if all(value is None for value in (*others, self.fact_id)):
            hint = "name a session, a person, a project, a time or a text"
            raise InvalidInput("nothing is selected to be erased", hint=hint)
        if any(value is not None and not value.strip() for value in selectors):
            raise InvalidInput("a selector is empty", hint="give a value, or leave it out")

    def takes(self, at: int, *texts: str) -> bool:
        """Return whether what was said at a time is selected by time and text."""
        if not (self.since or 0) <= at or (self.until is not None and at >= self.until):
            return False
        query = None if self.query is None else self.query.strip().casefold()
        return query is None or any(query in each.casefold() for each in texts)


SELECTORS = frozenset(Selection.__struct_fields__)


def read_selection(
    fields: Mapping[str, Any], now: int, zone: tzinfo | None, find_project: Callable[[str], str]
) -> Selection:
    """Return a selection as callers write it.

    Args:
        fields: The fields of `Selection`; times as `read_span` takes them.
        now: Ms UTC.
        zone: Of times that name none.
        find_project: Returns a path of the project that a path, a name or an id means.

    Raises:
        InvalidInput: a time cannot be understood; or as `Selection.check`.
        NotFound: there is no such project.
    """
    since, until = read_span(fields["since"], fields["until"], now, zone)
    selection = Selection(**{**fields, "since": since, "until": until})
    selection.check()
    project = selection.project
    if project is None:
        return selection
    return msgspec.structs.replace(selection, project=find_project(project))


class SessionPart(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a session that an erasure removes; the session stays.

    Attributes:
        session: The session.
        messages: Ids of its messages.
        observations: Ids of its observations.
        checkpoints: Ids of its checkpoints.
        seqs: The first and the last seq of the messages; (0, 0) for none.
        span: The times of the first and the last of all that, ms UTC.
        is_untitled: Whether the title goes, too: it is in what goes, or holds the text.
    """

    session: Session
    messages: tuple[str, ...]
    observations: tuple[str, ...]
    seqs: tuple[int, int]
    span: tuple[int, int]
    checkpoints: tuple[str, ...] = ()
    is_untitled: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is removed."""
        return not (self.messages or self.observations or self.checkpoints or self.is_untitled)


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions, parts and records that an erasure removes.

    Attributes:
        sessions: Those that are removed whole.
        parts: What is removed of others.
        episodes: Ids of episodes whose sessions are gone.
        facts: Ids of facts that belong to no session, or were said in what goes of one.
        pending: Ids of messages that wait in their group.
        person: The users of the person, if one was named.
        folders: Folders of notes that are the person's; None for all notes of the parts.
        links: Accounts of the person that were linked at run time.
    """

    sessions: tuple[Session, ...] = ()
    parts: tuple[SessionPart, ...] = ()
    episodes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    pending: tuple[int, ...] = ()
    person: Scope | None = None
    folders: tuple[str, ...] | None = None
    links: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether it takes whole sessions only."""
        others = (self.parts, self.episodes, self.facts, self.pending, self.links, self.person)
        return not any(others)

    @property
    def is_empty(self) -> bool:
        """Whether it takes nothing."""
        return self.is_whole and not self.sessions

    @property
    def all_sessions(self) -> list[Session]:
        """Every session of which something is removed."""
        return [*self.sessions, *(part.session for part in self.parts)]


def choose(tx: Transaction, scope: Scope, selection: Selection, owner: Owner, now: int) -> Chosen:
    """Return the sessions, parts and records that a selection covers.

    Args:
        tx: The snapshot.
        scope: Only what is within it.
        selection: The selection.
        owner: The owner of the agent, and who is linked to whom.
        now: Ms UTC.

    Raises:
        InvalidInput: nothing is selected; or the person cannot be one, or is the owner.
        NotFound: there is nothing of it.
        Conflict: a living fork shares messages with a session, or a program holds one.
    """
    selection.check()
    if (selection.user_id, selection.project) == (None, None) and not selection.is_partial:
        sessions = _with_forks(tx, scope, selection, [selection.session_id or ""], now)
        return Chosen(sessions=tuple(sessions))
    person = None if selection.user_id is None else _users(scope, selection.user_id, owner)
    where = Condition(scope).of_project(selection.project).equal("id", selection.session_id)
    whole, parts = list[str](), list[SessionPart]()
    for session in each_session(tx, where):
        part = _part(tx, session, selection, person)
        if part is None:
            whole.append(session.id)
        elif not part.is_empty:
            _require_free(tx, session, now)
            parts.append(part)
    sessions = _with_forks(tx, scope, selection, whole, now)
    session_ids = {session.id for session in sessions}
    choice = Chosen(
        sessions=tuple(sessions),
        parts=tuple(part for part in parts if part.session.id not in session_ids),
        episodes=tuple(_episodes(tx, scope, selection, person)),
        facts=tuple(_facts(tx, scope, selection, person, parts)),
        pending=tuple(_pending(tx, scope, selection, person)),
        person=person,
        folders=None if person is None else tuple(_folders(tx, person)),
        links=() if person is None else tuple(_links(tx, person)),
    )
    if msgspec.structs.replace(choice, person=None).is_empty:
        hint = "look with `recollect sessions` and `recollect search` for what is there"
        raise NotFound("there is nothing of what was selected", hint=hint)
    return choice


def _users(scope: Scope, user_id: str, owner: Owner) -> Scope:
    """Return the users of a person as a scope: all accounts of the identity.

    Raises:
        InvalidInput: it cannot be a person, or is the owner.
    """
    who = parse_account(user_id)
    if owner.owns(who) or user_id == OWNER_ID not in owner.links.names:
        hint = "select by session, project, time or text; or delete the home"
        raise InvalidInput("the owner cannot be erased as a person", hint=hint)
    name = owner.links.known(who) or user_id
    return owner.links.scope_of(Scope(tenant=scope.tenant, user=name))


def _folders(tx: Transaction, person: Scope) -> Iterator[str]:
    """Yield the folders of notes that are a person's."""
    for folder, who in folder_owners(tx, person.tenant).items():
        user = who.user
        if user is None and who.channel is not None and who.peer is not None:
            network = None if who.account is None else unescaped(who.account)
            user = str(account(who.channel, network, unescaped(who.peer)))
        if user is not None and includes_user(person, user):
            yield folder


def _links(tx: Transaction, person: Scope) -> Iterator[str]:
    """Yield the accounts that are linked to a person at run time, or are the person alone."""
    for row in linked_rows(tx, person.tenant):
        if includes_user(person, row.account) or includes_user(person, row.user_id):
            yield row.account


def _part(
    tx: Transaction, session: Session, selection: Selection, person: Scope | None
) -> SessionPart | None:
    """Return the part of a session that is removed; None for all of it."""
    if person is None and not selection.is_partial:
        return None
    is_theirs = person is None or (session.user is not None and includes_user(person, session.user))
    goes = partial(_goes, selection=selection, person=person, is_theirs=is_theirs)
    messages, observations = tx.all(_MESSAGES, (session.id,)), tx.all(_OBSERVATIONS, (session.id,))
    rows = [row for row in messages if goes(row)]
    ids = {row[0] for row in rows}
    seen = [row for row in observations if row[3] in ids or goes(row)]
    every = tx.all(_CHECKPOINTS, (session.id,))
    checkpoints = [row for row in every if row[3] in ids or goes(row)]
    counts = len(messages), len(observations), len(every)
    is_all = is_theirs and (len(rows), len(seen), len(checkpoints)) == counts
    # Where only some time goes, a transcript that is followed goes on.
    if is_all and (not selection.is_partial or (messages and session.source is None)):
        return None
    title = (session.title or "").strip().casefold()
    is_quoted = bool(title) and any(title in text(row[4]).casefold() for row in rows)
    names_it = selection.query is not None and selection.query.strip().casefold() in title
    return part_of(session, rows, seen, checkpoints, is_untitled=is_quoted or names_it)


def part_of(
    session: Session,
    messages: Sequence[Row],
    observations: Sequence[Row],
    checkpoints: Sequence[Row] = (),
    *,
    is_untitled: bool,
) -> SessionPart:
    """Return the part of a session that is removed.

    Args:
        session: The session.
        messages: Rows of id, any column, time and seq.
        observations: Rows of id, any column and time.
        checkpoints: Rows of id.
        is_untitled: Whether the title goes, too.
    """
    seqs = [integer(row[3]) for row in messages] or [0]
    times = [integer(row[2]) for row in (*messages, *observations)] or [0]
    return SessionPart(
        session=session,
        messages=tuple(text(row[0]) for row in messages),
        observations=tuple(text(row[0]) for row in observations),
        checkpoints=tuple(text(row[0]) for row in checkpoints),
        seqs=(min(seqs), max(seqs)),
        span=(min(times), max(times)),
        is_untitled=is_untitled,
    )


def _goes(row: Row, selection: Selection, person: Scope | None, *, is_theirs: bool) -> bool:
    """Return whether a message or an observation is removed, by its sender, time and text."""
    _, sender, at, _, *texts = row
    who = text_or_none(sender)
    is_said = is_theirs if who is None or person is None else includes_user(person, who)
    return is_said and selection.takes(integer(at), *map(str, texts))


def _episodes(
    tx: Transaction, scope: Scope, selection: Selection, person: Scope | None
) -> Iterator[str]:
    """Yield the episodes that retention kept of removed sessions."""
    if not scope.is_tenant or selection.session_id is not None or selection.project is not None:
        return  # such a session is erased by its id
    for id_, sender, began, ended, user, _, summary in tx.all(_EPISODES, (scope.tenant,)):
        who = text_or_none(user if sender is None else sender)
        is_said = person is None or (who is not None and includes_user(person, who))
        is_within = selection.takes(integer(began), text(summary)) or selection.takes(
            integer(ended), text(summary)
        )
        if is_said and is_within:
            yield text(id_)


def _facts(
    tx: Transaction,
    scope: Scope,
    selection: Selection,
    person: Scope | None,
    parts: Sequence[SessionPart],
) -> Iterator[str]:
    """Yield facts that were remembered by hand, or whose source goes without its session."""
    message_ids = {id_ for part in parts for id_ in part.messages}
    sessions = {text(row[0]) for row in tx.all(_KNOWN, (scope.tenant,))}
    where = of_facts(scope).of_project(selection.project)
    for fact in select_facts(tx, where, -1, withdrawn=True):
        if fact.message_id in message_ids:
            yield fact.id
        elif fact.session_id not in sessions and selection.session_id is None:
            who = fact.turn_sender or fact.user
            is_theirs = person is None or (who is not None and includes_user(person, who))
            if is_theirs and selection.takes(fact.created_at, fact.text):
                yield fact.id


def _pending(
    tx: Transaction, scope: Scope, selection: Selection, person: Scope | None
) -> Iterator[int]:
    """Yield messages that wait in their group for a reply."""
    if not scope.is_tenant or selection.session_id is not None or selection.project is not None:
        return  # those of a whole session go with it
    for id_, sender, at, words in tx.all(_PENDING, (scope.tenant,)):
        is_said = person is None or includes_user(person, text(sender))
        if is_said and selection.takes(integer(at), text(words)):
            yield integer(id_)


def _with_forks(
    tx: Transaction, scope: Scope, selection: Selection, ids: list[str], now: int
) -> list[Session]:
    """Return sessions, and the forks that are removed with them.

    Raises:
        NotFound: the scope lacks one.
        Conflict: a living fork shares messages with one and stays, or a program holds one.
    """
    by_id: dict[str, Session] = {}
    kin = find_kin(tx, scope.tenant) if ids else {}
    for id_ in ids:
        session = find_session(tx, scope, id_)
        if session is None:
            by_id[id_] = _remains(tx, scope, id_, now)
            continue
        forks = [
            other.id
            for other in kin.values()
            for above, last in ancestors(other, kin.get)
            if above.id == session.id and last > above.forked_at_seq
        ]
        living = [each for each in forks if each not in ids and tx.row(_IS_LIVING, (each,))]
        if living and not selection.with_forks:
            raise Conflict(
                f"forks share messages with the session: {', '.join(living)}",
                hint="erase them too, with --with-forks or with_forks=True",
                session_id=session.id,
                forks=tuple(living),
            )
        others = [find_session(tx, Scope(tenant=session.tenant), each) for each in forks]
        for each in (session, *filter(None, others)):
            _require_free(tx, each, now)
            by_id.setdefault(each.id, each)
    return list(by_id.values())


def _require_free(tx: Transaction, session: Session, now: int) -> None:
    lease = find_lease(tx, session.id, now)
    if lease is not None:
        raise lease_conflict(lease, now, instead="end it")


def _remains(tx: Transaction, scope: Scope, session_id: str, now: int) -> Session:
    """Return a row for a session that retention removed but whose episode or facts are kept."""
    if is_buried(tx, scope.tenant, [(OURS, session_id)]):
        hint = "list those that are left with `recollect sessions`"
        raise NotFound("the session was erased", hint=hint, erased=True)
    where = of_facts(scope).also("session_id = ?", session_id)
    if not episodes_of(tx, scope, session_id) and not select_facts(tx, where, 1, withdrawn=True):
        return require_session(tx, scope, session_id)
    return Session(
        id=session_id, tenant=scope.tenant, status=DELETED, created_at=now, updated_at=now
    )
