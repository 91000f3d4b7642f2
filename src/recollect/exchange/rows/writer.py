"""One transaction of an import: each record is stored once, in the session that it belongs to.

A record keeps its id and its short number where they are free here. An id that another owner uses
is replaced by one derived from it, so a second run finds it again and the other's existence is not
revealed. A later run recognizes what an interrupted one stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import LiteralString

import msgspec

from recollect.core.clock import moved_id
from recollect.core.events import ObservationsRecorded, SessionCreated
from recollect.core.scope import Scope
from recollect.exchange.gate import Gap, Incoming, IncomingSession
from recollect.exchange.mirrors import note_progress
from recollect.exchange.rows.facts import FactIds, take_fact
from recollect.exchange.rows.target import Target, take_withdrawal
from recollect.knowledge.mirror import FactLine
from recollect.observations.blobs import store_named
from recollect.observations.draft import ObservationDraft
from recollect.observations.observation import Observation
from recollect.observations.project_lines import ProjectLine, take_project
from recollect.observations.rows import find_same, restore_observation
from recollect.sessions.context.compaction import Compaction, store_compaction
from recollect.sessions.context.episode import Episode, restore_episode
from recollect.sessions.context.working_memory import StateLine, restore_state
from recollect.sessions.record.draft import Draft
from recollect.sessions.record.lineage import Withdrawal, touch_shared
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import (
    DELETED,
    Session,
    find_foreign,
    find_session,
    id_within,
    insert_session,
    owner_of,
)
from recollect.sessions.record.tombstone import (
    OURS,
    PROJECT,
    ErasedLines,
    is_buried,
    line_name,
    title_name,
    use_name,
)
from recollect.sessions.record.transcript_rows import restore_messages
from recollect.store.blobs import Blobs
from recollect.store.columns import first_integer, integer, text
from recollect.store.counters import last_number, raise_counter
from recollect.store.engine import Transaction
from recollect.store.journal import record_event

_OWNER: Mapping[str, LiteralString] = {
    "session": "SELECT id FROM sessions WHERE id = ?",
    "message": "SELECT session_id FROM messages WHERE id = ?",
    "observation": "SELECT session_id FROM observations WHERE id = ?",
    "episode": "SELECT session_id FROM episodes WHERE id = ?",
    "compaction": "SELECT session_id FROM compactions WHERE id = ?",
}
"""The query for a record by its id, by kind."""
_SEQ: LiteralString = "SELECT seq FROM messages WHERE id = ?"
_SEQ_BY_EVENT: LiteralString = "SELECT seq FROM messages WHERE session_id = ? AND event_id = ?"
_COMPACTED: LiteralString = "SELECT 1 FROM compactions WHERE session_id = ? AND through_seq = ?"
_WHOLE: LiteralString = """
    SELECT 1 FROM episodes WHERE session_id = ? AND extent = 'session'
        AND coalesce(turn_sender, '') = coalesce(?, '')
"""
_UNTITLE: LiteralString = "UPDATE sessions SET title = NULL WHERE id = ?"
_TAKEN: Mapping[str, LiteralString] = {
    "message": "SELECT 1 FROM messages WHERE tenant = ? AND number = ?",
    "observation": "SELECT 1 FROM observations WHERE tenant = ? AND number = ?",
    "episode": "SELECT 1 FROM episodes WHERE tenant = ? AND number = ?",
    "fact": "SELECT 1 FROM facts WHERE tenant = ? AND number = ?",
}
_GREATEST: LiteralString = "SELECT coalesce(max(number), 0) FROM messages WHERE tenant = ?"


class ExchangeTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a whole import.

    Attributes:
        scope: The owner of all records.
        is_moved: Whether the document belongs to another tenant, so that every id is derived.
        floors: Short numbers up to these were assigned here before; free ones among them stay
            unused.
        greatest: The largest number of each kind in the document.
        blobs: The store of long payloads.
        at: The time of the import, ms UTC.
        dry_run: Only determine what would be stored.
        erased: Lines that were erased here.
    """

    scope: Scope
    is_moved: bool
    floors: Mapping[str, int]
    greatest: Mapping[str, int]
    blobs: Blobs
    at: int
    dry_run: bool
    erased: ErasedLines


class ExchangeProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an import between two transactions.

    Attributes:
        target: The session of the next records.
        others: Shifts of seqs in earlier sessions, by the id in the document, where there are any.
        ids: Ids here of sessions whose id differs, by the id in the document; in a dry run, of all
            that it would have stored.
        paths: Projects of sessions that are left out: their paths are left out as well.
        lost: Ids in the document of messages that are lines erased here, and of their sessions.
    """

    target: Target | None = None
    others: Mapping[str, Target] = msgspec.field(default_factory=dict)
    ids: Mapping[str, str] = msgspec.field(default_factory=dict)
    paths: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()


class ExchangeWriter:
    """Stores records in one transaction.

    Args:
        tx: The transaction; a read-only one in a dry run.
        terms: Those of the whole import.
        progress: The state of the import.
    """

    def __init__(self, tx: Transaction, terms: ExchangeTerms, progress: ExchangeProgress) -> None:
        self._tx, self._terms, self._tenant = tx, terms, terms.scope.tenant
        self._was_erased = partial(terms.erased.has_record, self._tenant)
        self._others, self._ids = dict(progress.others), dict(progress.ids)
        self._paths, self._lost = set(progress.paths), set(progress.lost)
        terms.erased.refresh(tx)
        self._target = self._fresh(progress.target)
        self._drafts: list[Draft] = []
        self._numbers: dict[str, set[int]] = {kind: set() for kind in _TAKEN}
        self._observed: list[Observation] = []
        self._ids_here: set[str] = set()
        self._events: set[str] = set()
        self.added: Counter[str] = Counter()
        """Counts of records stored, by kind, and left out, by reason."""

    def take(self, item: Incoming) -> None:
        """Store a record, unless it exists already or is left out."""
        match item:
            case IncomingSession():
                self._session(item)
            case ProjectLine():
                self._project(item)
            case Episode():
                self._episode(item)
            case FactLine():
                self._fact(item)
            case _:
                self._inner(item)

    def finish(self) -> ExchangeProgress:
        """Store the waiting records, and return the state of the import."""
        self._flush()
        return ExchangeProgress(
            target=self._target,
            others=self._others,
            ids=self._ids,
            paths=frozenset(self._paths),
            lost=frozenset(self._lost),
        )

    def _fresh(self, target: Target | None) -> Target | None:
        """Return a target with its session reloaded: others may write to it as well."""
        if target is None or target.session is None or self._terms.dry_run:
            return target
        now = find_session(self._tx, self._terms.scope, target.session.id)
        refused = "erased" if now is None else target.refused
        return msgspec.structs.replace(target, session=now, refused=refused)

    def _inner(
        self, item: Draft | Gap | Compaction | Withdrawal | StateLine | ObservationDraft
    ) -> None:
        target = self._target
        if target is None or target.session is None:
            self.added["erased" if target is None else target.refused] += 1
            return
        match item:
            case Draft():
                self._message(item, target, target.session)
            case Gap():
                self._target = target.shifted(item.seq, target.session.last_seq)
            case Compaction():
                self._flush()
                self._compaction(item, target, target.session)
            case Withdrawal():
                self._flush()
                dry_run = self._terms.dry_run
                self.added[take_withdrawal(self._tx, item, target, dry_run=dry_run)] += 1
            case StateLine():
                self._flush()
                self._state(item, target, target.session)
            case ObservationDraft():
                self._observation(item, target.session)

    def _session(self, item: IncomingSession) -> None:
        self._flush()
        incoming = item.session
        if self._target is not None and self._target.shifts:
            self._others[self._target.foreign_id] = self._target
        refused = item.refused
        row = None if refused else self._existing(incoming)
        if refused is None and row is None and self._is_buried(incoming):
            refused = "erased"
        if row is not None and row.status == DELETED != incoming.status:
            refused = "deleted"
        if refused:
            self._target = Target(foreign_id=incoming.id, refused=refused)
            self._paths |= {incoming.project} if incoming.project else set()
            self.added[refused] += 1
            return
        self.added["session" if row is None else "known"] += 1
        session = self._made(item) if row is None else row
        if self._terms.dry_run or session.id != incoming.id:
            self._ids[incoming.id] = session.id
        self._target = Target(foreign_id=incoming.id, session=session)

    def _existing(self, session: Session) -> Session | None:
        """Return the same session here, by its id or its id in another program."""
        own = self._session_id(session.id)
        row = find_session(self._tx, self._terms.scope, own)
        if row is None and session.source and session.foreign_id:
            other = find_foreign(self._tx, self._tenant, session.source, session.foreign_id)
            row = None if other is None else find_session(self._tx, self._terms.scope, other.id)
        return row

    def _foreign_id(self, session: Session) -> str | None:
        """Return the foreign id of a new session: another one where the given is taken here."""
        source, name = session.source, session.foreign_id
        if not source or not name or find_foreign(self._tx, self._tenant, source, name) is None:
            return name
        return moved_id(name, *_names(self._terms.scope))

    def _session_id(self, id_: str) -> str:
        """Return the id here of a session of the document, whether it exists or not."""
        if id_ in self._ids:
            return self._ids[id_]
        scope = self._terms.scope
        if self._terms.is_moved:
            return moved_id(id_, *_names(scope))
        return id_within(self._tx, scope, id_)

    def _is_buried(self, session: Session) -> bool:
        origins = [(OURS, session.id), (OURS, self._session_id(session.id))]
        origins += (
            [(session.source, session.foreign_id)] if session.source and session.foreign_id else []
        )
        return is_buried(self._tx, self._tenant, origins)

    def _made(self, item: IncomingSession) -> Session:
        """Store and return a new session, without links to sessions that do not exist here."""
        incoming = item.session
        parent, previous = self._linked(item.line.parent_id), self._linked(item.line.previous_id)
        forked = item.line.forked_at_seq or 0
        pruned = incoming.pruned_seq
        if parent is None:
            pruned = max(pruned, forked)
        elif (above := self._others.get(item.line.parent_id or "")) is not None:
            forked = above.seq(forked)
        session = msgspec.structs.replace(
            incoming,
            id=self._session_id(incoming.id),
            foreign_id=self._foreign_id(incoming),
            parent_id=parent,
            forked_at_seq=None if parent is None else forked,
            previous_id=previous,
            pruned_seq=pruned,
            last_seq=max(pruned, 0 if parent is None else forked),
        )
        if not self._terms.dry_run:
            insert_session(self._tx, session)
            touch_shared(self._tx, session, self._terms.at)
            note_progress(self._tx, item.line, session.id)
            at, key, source = session.updated_at, session.key, session.source
            event = SessionCreated(scope=owner_of(session), at=at, key=key, source=source)
            record_event(self._tx, event)
        return session

    def _linked(self, id_: str | None) -> str | None:
        if self._terms.dry_run and id_ in self._ids:
            return self._ids[id_]  # it would exist by now
        own = None if id_ is None else self._session_id(id_)
        return own if own is not None and self._is_there("session", own) else None

    def _is_there(self, kind: str, id_: str) -> bool:
        return self._tx.row(_OWNER[kind], (id_,)) is not None

    def _own_id(self, kind: str, id_: str, session_id: str) -> tuple[str, bool]:
        """Return the id here of a record of a session, and whether it exists."""
        own = moved_id(id_, session_id) if self._terms.is_moved else id_
        row = self._tx.row(_OWNER[kind], (own,))
        if row is not None and text(row[0]) != session_id:
            own = moved_id(id_, session_id)
            row = self._tx.row(_OWNER[kind], (own,))
        return own, row is not None or own in self._ids_here

    def _message(self, draft: Draft, target: Target, session: Session) -> None:
        incoming = draft.message
        own, is_there = self._own_id("message", incoming.id, session.id)
        seq = self._known_seq(own, incoming.event_id, session.id)
        if is_there or seq is not None:
            self.added["known"] += 1
            if seq is not None:
                self._target = target.shifted(incoming.seq, seq)
            return
        name = line_name(session.source or "", incoming.foreign_id, incoming.created_at)
        if self._was_erased(incoming.id, name):
            self._lose(incoming, target, session)
            return
        if target.seq(incoming.seq) <= session.pruned_seq:
            self.added["pruned"] += 1
            return
        seq = session.last_seq + 1
        owner = {name: getattr(session, name) for name in ("tenant", "agent", "user", "project")}
        message = msgspec.structs.replace(
            incoming,
            **owner,
            id=own,
            session_id=session.id,
            seq=seq,
            number=self._number("message", incoming.number),
        )
        self._drafts.append(msgspec.structs.replace(draft, message=message))
        self._ids_here.add(own)
        self._events |= {incoming.event_id} if incoming.event_id else set()
        self.added["message"] += 1
        session = msgspec.structs.replace(session, last_seq=seq)
        self._target = msgspec.structs.replace(target.shifted(incoming.seq, seq), session=session)

    def _lose(self, message: Message, target: Target, session: Session) -> None:
        """Leave out a line that was erased here, and the title that its session had then."""
        self.added["erased"] += 1
        self._lost |= {message.id, target.foreign_id}
        title = title_name(session.source or "", session.title or "")
        if session.title is not None and self._terms.erased.has(self._tenant, title):
            session = msgspec.structs.replace(session, title=None)
            if not self._terms.dry_run:
                self._tx.execute(_UNTITLE, (session.id,))
        moved = target.shifted(message.seq, session.last_seq)
        self._target = msgspec.structs.replace(moved, session=session)

    def _known_seq(self, own: str, event_id: str | None, session_id: str) -> int | None:
        row = self._tx.row(_SEQ, (own,))
        if row is None and event_id is not None:
            row = self._tx.row(_SEQ_BY_EVENT, (session_id, event_id))
            if row is None and event_id in self._events:
                return self._drafts[-1].message.seq
        return None if row is None else integer(row[0])

    def _number(self, kind: str, number: int) -> int:
        """Return the short number of a record: its own if that is free here, else the next."""
        tenant, used_numbers = self._tenant, self._numbers[kind]
        is_free = number > self._terms.floors.get(kind, 0) and number not in used_numbers
        if not is_free or self._tx.row(_TAKEN[kind], (tenant, number)) is not None:
            self.added["renumbered"] += bool(number)
            last = last_number(self._tx, tenant, kind)
            if kind == "message":
                last = max(last, first_integer(self._tx.row(_GREATEST, (tenant,))))
            number = max(last, self._terms.greatest.get(kind, 0), *used_numbers, 0) + 1
        used_numbers.add(number)
        return number

    def _compaction(self, compaction: Compaction, target: Target, session: Session) -> None:
        own, is_there = self._own_id("compaction", compaction.id, session.id)
        through = min(target.seq(compaction.through_seq), session.last_seq)
        if target.foreign_id in self._lost:
            self.added["erased"] += 1
        elif is_there or self._tx.row(_COMPACTED, (session.id, through)) is not None:
            self.added["known"] += 1
        elif through > session.pruned_seq:
            self.added["compaction"] += 1
            last = max(through, min(target.seq(compaction.last_seq), session.last_seq))
            facts = {"id": own, "session_id": session.id, "through_seq": through}
            placed = msgspec.structs.replace(compaction, **facts, last_seq=last)
            if not self._terms.dry_run:
                store_compaction(self._tx, session, placed)

    def _state(self, state: StateLine, target: Target, session: Session) -> None:
        if target.foreign_id in self._lost:
            self.added["erased"] += 1
        elif self._terms.dry_run or restore_state(self._tx, session, state):
            self.added["state"] += 1
        else:
            self.added["known"] += 1

    def _observation(self, item: ObservationDraft, session: Session) -> None:
        observation = item.observation
        own, is_there = self._own_id("observation", observation.id, session.id)
        placed = msgspec.structs.replace(
            observation,
            id=own,
            session_id=session.id,
            tenant=session.tenant,
            agent=session.agent,
            user=session.user,
            project=session.project if self._terms.scope.project else observation.project,
            message_id=self._of_message(observation.message_id, session.id),
        )
        if is_there or find_same(self._tx, placed, self._tenant) is not None:
            self.added["known"] += 1
            return
        use = use_name(session.source or "", observation.tool_use_id)
        if observation.message_id in self._lost or self._was_erased(observation.id, use):
            self.added["erased"] += 1
            return
        placed = msgspec.structs.replace(
            placed, number=self._number("observation", observation.number)
        )
        self.added["observation"] += 1
        self._ids_here.add(own)
        if not self._terms.dry_run:
            restore_observation(self._tx, placed)
            store_named(self._tx, self._terms.blobs, (item.input, item.output))
            raise_counter(self._tx, self._tenant, "observation", placed.number)
            self._observed.append(placed)

    def _of_message(self, id_: str | None, session_id: str) -> str | None:
        return None if id_ is None else self._own_id("message", id_, session_id)[0]

    def _episode(self, episode: Episode) -> None:
        self._flush()
        session_id = self._session_id(episode.session_id)
        session = find_session(self._tx, self._terms.scope, session_id)
        own, is_there = self._own_id("episode", episode.id, session_id)
        origins = [(OURS, episode.session_id), (OURS, session_id)]
        is_gone = episode.session_id in self._lost or self._was_erased(episode.id, None)
        if is_gone or is_buried(self._tx, self._tenant, origins):
            self.added["erased"] += 1
        elif is_there or self._has_whole(episode, session_id):
            self.added["known"] += 1
        elif session is None and not self._terms.scope.is_tenant:
            self.added["denied"] += 1
        else:
            self.added["episode"] += 1
            owner = {"agent": episode.agent, "user": episode.user, "project": episode.project}
            if session is not None:
                owner = {name: getattr(session, name) for name in owner}
            number = self._number("episode", episode.number)
            facts = {"id": own, "session_id": session_id, "tenant": self._tenant, "number": number}
            if not self._terms.dry_run:
                restore_episode(self._tx, msgspec.structs.replace(episode, **facts, **owner))
                raise_counter(self._tx, self._tenant, "episode", number)

    def _fact(self, line: FactLine) -> None:
        self._flush()
        ids = FactIds(self._session_id, self._of_message, self._number, frozenset(self._lost))
        self.added[take_fact(self._tx, line, self._terms, ids)] += 1

    def _has_whole(self, episode: Episode, session_id: str) -> bool:
        row = self._tx.row(_WHOLE, (session_id, episode.turn_sender))
        return episode.extent == "session" and row is not None

    def _project(self, project: ProjectLine) -> None:
        if not self._terms.scope.is_tenant:  # its paths could belong to others; sessions decide
            return
        paths = (path for path, _, _ in project.aliases)
        buried = {p for p in paths if is_buried(self._tx, self._tenant, [(PROJECT, p)])}
        dry_run, unwanted = self._terms.dry_run, self._paths | buried
        is_new = take_project(self._tx, self._tenant, project, unwanted, dry_run=dry_run)
        self.added["project" if is_new else "known"] += 1

    def _flush(self) -> None:
        """Store the waiting messages, and announce new observations."""
        drafts, self._drafts = self._drafts, []
        observed, self._observed = self._observed, []
        target = self._target
        if target is None or target.session is None or self._terms.dry_run:
            return
        session = target.session
        if drafts:
            before = msgspec.structs.replace(session, last_seq=drafts[0].message.seq - 1)
            session = restore_messages(self._tx, before, drafts)
            self._target = msgspec.structs.replace(target, session=session)
        if observed:
            scope, at = owner_of(session), self._terms.at
            numbers = tuple(each.number for each in observed)
            record_event(self._tx, ObservationsRecorded(scope=scope, at=at, numbers=numbers))


def _names(scope: Scope) -> tuple[str, ...]:
    return tuple(part or "" for part in msgspec.structs.astuple(scope))
