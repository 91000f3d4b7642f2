"""Removes the parts that an erasure selects of sessions that stay, in its first transaction.

Summaries and episodes that were made of it go as well, and are made again of what is left. The ids
of the messages are noted, so that neither an import nor an older copy of the home brings them back.
Single facts, and lines of notes that only erased sessions said, are parts, too. An index knows a
file of notes by its workspace, which need not be the one that is open now: so the whole file is
removed from it, and is indexed again with the next sync of its workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.audience.owner import NOBODY_NAMED
from recollect.audience.people import linked_rows, replace_link
from recollect.audience.visibility import visibility_group_of
from recollect.checkpoints.record.removal import remove_checkpoints
from recollect.core.events import FactsErased
from recollect.core.scope import Scope, includes_user
from recollect.governance.removal import NOTE_ERASURE
from recollect.governance.selection import Chosen, SessionPart, part_of
from recollect.governance.sweep import mark_unswept
from recollect.index.model.document import DocumentBatch, DocumentSource, Removal, SourceState
from recollect.index.model.origin import SOURCE, origin_of, path_of
from recollect.knowledge.erased import drop_of_messages, remove_facts
from recollect.knowledge.fact import Fact
from recollect.knowledge.rows import facts_by_id, of_facts, require_fact, select_facts
from recollect.knowledge.storing import FACT, origins_of
from recollect.observations.rows import KIND as OBSERVATION_KIND
from recollect.sessions.context.episode import EPISODE_KIND
from recollect.sessions.context.flushed_notes import disown_folders, erase_lines, folder_owners
from recollect.sessions.endings import note_end
from recollect.sessions.mirror.mirror import SESSION_KIND
from recollect.sessions.record.lineage import find_children
from recollect.sessions.record.message_rows import remove_messages
from recollect.sessions.record.session import Session, note_change, require_session
from recollect.sessions.record.tombstone import (
    ErasedLines,
    ErasedName,
    bury,
    bury_names,
    is_buried,
    line_name,
    own_name,
    use_name,
)
from recollect.sessions.record.transcript_rows import MESSAGE_KIND
from recollect.store.columns import integer, listed, text, text_or_none, typed_rows
from recollect.store.engine import Database, Row, Transaction
from recollect.store.failures import os_errors
from recollect.store.journal import cut_references, record_change, record_changes, record_event
from recollect.store.sqlite.home import GUEST_NOTES

PART = "recollect:part"
"""In place of a source: the tombstone of an erasure that took no whole session keeps its key."""
_AMONG: LiteralString = " IN (SELECT value FROM json_each(?))"
_LINES: LiteralString = "SELECT foreign_id, created_at FROM messages WHERE id" + _AMONG  # noqa: S608  # literals
_USES: LiteralString = "SELECT tool_use_id FROM observations WHERE id" + _AMONG  # noqa: S608  # literals
_REMOVE_CALLS: LiteralString = "DELETE FROM tool_calls WHERE message_id = ?1 OR result_id = ?1"
_WAITING: LiteralString = "SELECT key, sender, at FROM pending_messages WHERE id" + _AMONG  # noqa: S608  # literals
_ALL_WAITING: LiteralString = "SELECT id, key, sender, at FROM pending_messages WHERE tenant = ?"
_OWN_MESSAGES: LiteralString = """
    SELECT id, session_id, created_at, seq FROM messages WHERE tenant = ? ORDER BY session_id, seq
"""
_OWN_OBSERVATIONS: LiteralString = """
    SELECT id, session_id, created_at FROM observations WHERE tenant = ? ORDER BY session_id, id
"""
_OWN_CHECKPOINTS: LiteralString = """
    SELECT id, session_id FROM checkpoints WHERE tenant = ? ORDER BY session_id, number
"""
_OWN_EPISODES: LiteralString = "SELECT id FROM episodes WHERE tenant = ?"
_SUMMARIES: LiteralString = """
    DELETE FROM compactions WHERE session_id = ? AND through_seq >= ? RETURNING 1
"""
_EPISODES: LiteralString = """
    SELECT id, turn_sender, extent FROM episodes
    WHERE session_id = ? AND began_at <= ? AND ended_at >= ?
"""
_STATES: LiteralString = "SELECT id, turn_sender FROM session_states WHERE session_id = ?"
_UNTITLE: LiteralString = "UPDATE sessions SET title = NULL WHERE id = ?"
_READ_AGAIN: LiteralString = """
    UPDATE sessions SET flushed_seq = min(flushed_seq, ?) WHERE id = ? AND flushed_seq IS NOT NULL
"""
_NAMELESS: tuple[LiteralString, ...] = (
    f"DELETE FROM events WHERE tenant = ? AND session_id IS NULL AND user_id{_AMONG}",  # noqa: S608  # literals
    f"UPDATE audit SET target = NULL WHERE tenant = ? AND target{_AMONG}"  # noqa: S608  # literals
    " AND (action LIKE 'identity.%' OR action LIKE 'channel.%')",
    f"DELETE FROM channel_senders WHERE tenant = ? AND account{_AMONG}",  # noqa: S608  # literals
    f"DELETE FROM identity_codes WHERE tenant = ? AND account{_AMONG}",  # noqa: S608  # literals
)


class ErasedParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the erasure must still clear in files.

    Attributes:
        session_ids: Sessions that stay, of which copies may hold what went.
        facts: Ids of facts, of which copies of the records may hold the rows.
        folders: Folders of notes that hold what went; None for all notes of these sessions.
    """

    session_ids: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    folders: tuple[str, ...] | None = None


def erase_parts(tx: Transaction, erasure_id: str, tenant: str, choice: Chosen, now: int) -> None:
    """Remove the selected parts of sessions that stay, and records that belong to no session."""
    mark_unswept(tx)
    for part in choice.parts:
        _bury(tx, tenant, part)
        _remove(tx, tenant, part, now)
        _drop_derived(tx, part, choice.person, now)
        _drop_states(tx, part.session.id, choice.person)
    _drop_episodes(tx, tenant, choice.episodes, now)
    _drop_facts(tx, erasure_id, tenant, choice, now)
    waiting = typed_rows(tx.all(_WAITING, (listed(choice.pending),)), tuple[str, str, int])
    tx.executemany("DELETE FROM pending_messages WHERE id = ?", [(i,) for i in choice.pending])
    ids = (*choice.episodes, *map(_waiting_id, waiting))
    other_ids = (*(_folder_id(each) for each in choice.folders or ()), *map(_link_id, choice.links))
    bury_names(tx, tenant, [own_name(id_) for id_ in (*ids, *other_ids)])
    _forget_person(tx, tenant, choice)


def _drop_facts(tx: Transaction, erasure_id: str, tenant: str, choice: Chosen, now: int) -> None:
    """Remove facts that nothing else says; one that another message says, too, is that one's."""
    facts = facts_by_id(tx, Scope(tenant=tenant), [*choice.facts], deleted=True)
    origins = {fact.id: origins_of(tx, fact) for fact in facts}
    for part in choice.parts:
        for id_ in drop_of_messages(tx, part.messages, now):
            origins.pop(id_, None)
    bury(tx, erasure_id, tenant, [each for group in origins.values() for each in group])
    if origins:
        remove_facts(tx, tenant, [*origins], now)


def erased_before(tx: Transaction, tenant: str) -> Chosen:
    """Return the erased parts of sessions that stay which an older copy of the home still has.

    Args:
        tx: Of the copy, which has the numbers of what was erased.
        tenant: The tenant of the sessions.
    """
    erased = ErasedLines()
    erased.refresh(tx)

    def was_erased(id_: str) -> bool:
        return erased.has(tenant, own_name(id_))

    by_session: dict[str, tuple[list[Row], list[Row], list[Row]]] = {}
    for number, statement in enumerate((_OWN_MESSAGES, _OWN_OBSERVATIONS, _OWN_CHECKPOINTS)):
        for row in tx.rows(statement, (tenant,)):
            if was_erased(text(row[0])):
                by_session.setdefault(text(row[1]), ([], [], []))[number].append(row)
    waiting = typed_rows(tx.all(_ALL_WAITING, (tenant,)), tuple[int, str, str, int])
    episodes = [text(row[0]) for row in tx.all(_OWN_EPISODES, (tenant,))]
    links = [row.account for row in linked_rows(tx, tenant)]
    removed = {row[0] for messages, _, _ in by_session.values() for row in messages}
    facts = select_facts(tx, of_facts(Scope(tenant=tenant)), -1, withdrawn=True)
    sessions = {id_: require_session(tx, Scope(tenant=tenant), id_) for id_ in by_session}
    return Chosen(
        parts=tuple(
            part_of(sessions[id_], *rows, is_untitled=was_erased(_title_id(sessions[id_])))
            for id_, rows in by_session.items()
        ),
        episodes=tuple(filter(was_erased, episodes)),
        facts=tuple(
            fact.id
            for fact in facts
            if fact.message_id in removed or is_buried(tx, tenant, [(FACT, fact.id)])
        ),
        pending=tuple(id_ for id_, *row in waiting if was_erased(_waiting_id(row))),
        folders=tuple(f for f in folder_owners(tx, tenant) if was_erased(_folder_id(f))),
        links=tuple(link for link in links if was_erased(_link_id(link))),
    )


def _waiting_id(row: Sequence[object]) -> str:
    return "pending:" + ":".join(map(str, row))


def _title_id(session: Session) -> str:
    return f"title:{session.id}:{session.title}"


def _folder_id(folder: str) -> str:
    return f"notes:{folder}"


def _link_id(account: str) -> str:
    return f"account:{account}"


def _bury(tx: Transaction, tenant: str, part: SessionPart) -> None:
    """Record the names of the erased records, here and in the program that they came from."""
    names: list[ErasedName | None] = [own_name(id_) for id_ in part.messages]
    names += [own_name(id_) for id_ in (*part.observations, *part.checkpoints)]
    names += [own_name(_title_id(part.session))] if part.is_untitled else []
    source = part.session.source
    if source is not None:
        lines = tx.all(_LINES, (listed(part.messages),))
        names += [line_name(source, text_or_none(id_), integer(at)) for id_, at in lines]
        uses = tx.all(_USES, (listed(part.observations),))
        names += [use_name(source, text_or_none(use)) for (use,) in uses]
    bury_names(tx, tenant, names)


def _remove(tx: Transaction, tenant: str, part: SessionPart, now: int) -> None:
    session, ids, seen = part.session, part.messages, part.observations
    if part.is_untitled:
        tx.execute(_UNTITLE, (session.id,))
        note_change(tx, session, now)
    tx.executemany(_REMOVE_CALLS, [(id_,) for id_ in ids])
    cut_references(tx, (*ids, *seen))
    remove_messages(tx, tenant, session.id, ids)
    tx.executemany("DELETE FROM observations WHERE id = ?", [(id_,) for id_ in seen])
    remove_checkpoints(tx, part.checkpoints)
    record_changes(tx, tenant=tenant, kind=MESSAGE_KIND, refs=ids, op="delete", at=now)
    record_changes(tx, tenant=tenant, kind=OBSERVATION_KIND, refs=seen, op="delete", at=now)
    record_change(tx, tenant=tenant, kind=SESSION_KIND, ref=session.id, op="put", at=now)


def _drop_derived(tx: Transaction, part: SessionPart, person: Scope | None, now: int) -> None:
    """Drop summaries and episodes that were made of it, in forks that share it too."""
    session, (first, _) = part.session, part.seqs
    for id_ in _readers(tx, session.id, first) if part.messages else ():
        if tx.row(_SUMMARIES, (id_, first)) is not None and id_ != session.id:
            record_change(tx, tenant=session.tenant, kind=SESSION_KIND, ref=id_, op="put", at=now)
        rows = typed_rows(
            tx.all(_EPISODES, (id_, part.span[1], part.span[0])), tuple[str, str | None, str]
        )
        is_shared = not visibility_group_of(session, NOBODY_NAMED).is_private
        stale = [
            (episode, extent)
            for episode, sender, extent in rows
            if person is None or (is_shared if sender is None else includes_user(person, sender))
        ]
        _drop_episodes(tx, session.tenant, [episode for episode, _ in stale], now)
        if any(extent == "session" for _, extent in stale):
            note_end(tx, msgspec.structs.replace(session, id=id_), now)
    if person is None and part.messages:
        tx.execute(_READ_AGAIN, (max(first - 1, 0), session.id))


def _drop_states(tx: Transaction, session_id: str, person: Scope | None) -> None:
    """Drop what the agent was working on for those whose words go."""
    rows = typed_rows(tx.all(_STATES, (session_id,)), tuple[int, str | None])
    stale = [(i,) for i, who in rows if person is None or includes_user(person, who)]
    tx.executemany("DELETE FROM session_states WHERE id = ?", stale)


def _readers(tx: Transaction, session_id: str, seq: int) -> Iterator[str]:
    """Yield a session and the forks that share its messages from a seq on."""
    yield session_id
    for child in find_children(tx, session_id):
        if child.forked_at_seq >= seq:
            yield from _readers(tx, child.id, seq)


def _drop_episodes(tx: Transaction, tenant: str, ids: Sequence[str], now: int) -> None:
    cut_references(tx, ids)
    tx.executemany("DELETE FROM episodes WHERE id = ?", [(id_,) for id_ in ids])
    record_changes(tx, tenant=tenant, kind=EPISODE_KIND, refs=ids, op="delete", at=now)


def _forget_person(tx: Transaction, tenant: str, choice: Chosen) -> None:
    """Remove the identity of the person: the links, and the names in what stays."""
    names = set(getattr(choice.person, "users", ()))
    for row in linked_rows(tx, tenant) if choice.links else ():
        if row.account in choice.links:
            replace_link(tx, tenant, row, None)
            names |= {row.account, row.user_id} | ({row.was} if row.was else set())
    if choice.person is not None and choice.person.user is not None:
        names.add(choice.person.user)
    for statement in _NAMELESS if names else ():
        tx.execute(statement, (tenant, listed(sorted(names))))


def begin_fact_erasure(tx: Transaction, scope: Scope, name: str, erasure_id: str, now: int) -> Fact:
    """Remove a fact, and keep it from coming back; its copies go when the erasure is finished.

    Raises:
        NotFound: the scope has no such fact.
    """
    fact = require_fact(tx, scope, name)
    encoded = msgspec.json.encode([fact.id]).decode()
    tx.execute(NOTE_ERASURE, (erasure_id, fact.tenant, '{"facts":1}', encoded, now))
    mark_unswept(tx)
    bury(tx, erasure_id, fact.tenant, origins_of(tx, fact))
    remove_facts(tx, fact.tenant, [fact.id], now)
    event = FactsErased(scope=Scope(tenant=fact.tenant), at=now, erasure_id=erasure_id, facts=1)
    record_event(tx, event)
    return fact


class NotesToErase:
    """Tells an index to drop files of notes, whichever workspace they belong to.

    Args:
        tenant: Their owner.
        paths: Of the files, absolute.
    """

    name = "notes-to-erase"
    source = SOURCE

    def __init__(self, tenant: str, paths: Collection[str]) -> None:
        self.tenant: str | None = tenant
        self._tenant = tenant
        self._paths = frozenset(paths)

    def is_behind(self, _: int) -> bool:
        """Return True: this source is read once."""
        return True

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield the indexed files to drop."""
        refs = [ref for ref in state.stamps if _file_of(ref) in self._paths]
        yield DocumentBatch(
            removals=tuple(Removal(source=SOURCE, ref=ref, tenant=self._tenant) for ref in refs)
        )


def erase_notes(
    records: Database,
    home: Path,
    tenants: Collection[str],
    session_ids: Collection[str],
    drop: Callable[[DocumentSource], object],
    *,
    folders: Collection[str] | None = None,
) -> list[str]:
    """Remove from the notes what only these sessions said, and the notes from the indexes.

    Args:
        records: ``records.db``.
        home: Its folder.
        tenants: The owners of the sessions.
        session_ids: Of the sessions.
        drop: Lets every index read a source.
        folders: Only the notes in these folders; None for all.

    Returns:
        A sentence for each file that could not be changed.

    Raises:
        StoreError: a database refused.
    """
    planned = erase_lines(records, home, session_ids, folders=folders, dry_run=True)
    # Indexes name guests' notes without the path of the home.
    paths = {str(Path(f"{GUEST_NOTES}:") / notes.path) for notes in planned if notes.removed}
    for tenant in sorted(tenants) if paths else ():
        drop(NotesToErase(tenant, paths))
    erased = erase_lines(records, home, session_ids, folders=folders)
    return [f"{notes.path} could not be changed: {notes.error}" for notes in erased if notes.error]


def erase_folders(
    records: Database,
    home: Path,
    tenant: str,
    folders: Collection[str],
    drop: Callable[[DocumentSource], object],
) -> None:
    """Remove the notes of a guest whole, lines that were edited and empty files too.

    Args:
        records: ``records.db``.
        home: Its folder.
        tenant: The owner of the sessions.
        folders: Relative to the home.
        drop: Lets every index read a source.

    Raises:
        StoreError: a database or a file refused.
    """
    real_folders = [home / folder for folder in folders if not (home / folder).is_symlink()]
    files = [path for folder in real_folders if folder.is_dir() for path in folder.iterdir()]
    names = {str(Path(f"{GUEST_NOTES}:") / path.relative_to(home)) for path in files}
    drop(NotesToErase(tenant, names))
    for path in files:
        with os_errors(path):
            path.unlink(missing_ok=True)
    for folder in real_folders:
        with os_errors(folder), suppress(FileNotFoundError):
            folder.rmdir()
    records.write(lambda tx: disown_folders(tx, folders))


def _file_of(ref: str) -> str:
    """Return the absolute path of an indexed file."""
    folder = (origin_of(ref) or "").rpartition("@")[2]
    return str(Path(folder) / path_of(ref))
