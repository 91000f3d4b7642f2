"""Erasure: removal that leaves no bytes in any file of the home, and that is not undone.

One transaction hides everything, keeps it from coming back and records that; then the rows are
removed in batches, and finally every copy. The next opening of the home finishes an erasure that
was killed. What to erase is a list of sessions, however they are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from glob import escape
from pathlib import Path
from typing import LiteralString, Protocol, TypeAlias

import msgspec

from recollect.audience.people import People
from recollect.checkpoints.record.removal import checkpoints_of_sessions, clear_incoming, let_go
from recollect.core.clock import Clock, IdSource
from recollect.core.decoding import decode_json
from recollect.core.errors import RecollectError, StoreBusy, StoreCorrupt
from recollect.core.events import SessionsErased
from recollect.core.scope import Scope
from recollect.governance.erasure_receipt import (
    ErasureReceipt,
    receipt_of,
    receipt_of_fact,
    require_agreed,
)
from recollect.governance.parts import (
    PART,
    ErasedParts,
    begin_fact_erasure,
    erase_folders,
    erase_notes,
    erase_parts,
    erased_before,
)
from recollect.governance.removal import LOCK_FILE, NOTE_ERASURE, begin_erasure, finish_all
from recollect.governance.selection import Chosen, Selection, choose
from recollect.governance.sweep import Copies, clear_log, names_any, sweep_spool, sweep_within_reach
from recollect.index.model.document import DocumentSource
from recollect.knowledge.rows import require_fact
from recollect.sessions.context.flushed_notes import erase_lines
from recollect.sessions.record.session import Session, find_session, insert_session, require_session
from recollect.sessions.record.tombstone import (
    OURS,
    PROJECT,
    Origin,
    Tombstone,
    add_numbers,
    add_tombstones,
    bury,
    bury_lines,
    has_unfinished_erasure,
    hide_paths,
    imported_paths,
    is_buried,
)
from recollect.store.audit import record_audit
from recollect.store.columns import text
from recollect.store.engine import Database, Transaction
from recollect.store.failures import os_errors
from recollect.store.journal import record_event
from recollect.store.locks import OwnerLock
from recollect.store.sqlite.copies import (
    contents_copies,
    database_copies,
    is_damaged,
    is_of_index,
    remove_copy,
    remove_from_copy,
    transcript_files,
)
from recollect.store.sqlite.home import CHECKPOINTS, CONTENTS_FILE, MIRROR_SUFFIX, TRANSCRIPTS
from recollect.text.secret_redactor import is_marked

_BESIDE = (".before-*", ".restoring-*")
"""Earlier homes that a restore kept, and what a killed restore unpacked, which the next one
removes."""
_TWO = "another program is erasing, or copies the home"
_SESSIONS: LiteralString = """
    SELECT j.value, e.tenant FROM erasures e, json_each(e.session_ids) j WHERE e.finished_at IS NULL
"""
_FINISH: LiteralString = """
    UPDATE erasures SET finished_at = ?, session_ids = '[]', parts = NULL WHERE finished_at IS NULL
"""
_FORGET_IDS: LiteralString = """
    DELETE FROM changes WHERE ref IN (SELECT value FROM json_each(?))
"""
_NOTE_PARTS: LiteralString = "UPDATE erasures SET parts = ? WHERE id = ?"
_PARTS: LiteralString = """
    SELECT parts, tenant FROM erasures WHERE finished_at IS NULL AND parts IS NOT NULL
"""
_TENANTS: LiteralString = "SELECT DISTINCT tenant FROM sessions"
_EXPORTS: LiteralString = """
    SELECT json_extract(payload, '$.id') FROM events
    WHERE tenant = ? AND type = 'home.exported' AND at >= ? ORDER BY seq
"""
_ORIGINS: LiteralString = """
    SELECT id, tenant, source, foreign_id FROM sessions
    WHERE id NOT IN (SELECT session_id FROM prunings WHERE erasure_id IS NOT NULL)
"""
_BACKUPS: LiteralString = """
    SELECT DISTINCT json_extract(payload, '$.path') FROM events
    WHERE type = 'home.backed_up' AND at >= ?
"""


class ErasureProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of an erasure: removed messages, of all of them."""

    done: int
    total: int


OnErase: TypeAlias = Callable[[ErasureProgress], object]


class Indexes(Protocol):
    """The indexes of a home: the one that is open, and those of agents with settings of their own.

    The open one is cleared with the records, see `Copies`.
    """

    def drop(self, feed: DocumentSource) -> object:
        """Apply the removals of a source to every index."""

    def clear_others(self) -> Iterable[str]:
        """Let the others drop what was removed from the records; yield what failed."""


class Eraser:
    """Erases sessions of a home, and what somebody said in others.

    Args:
        home: Its folder.
        copies: The records, and the stores that copy them.
        scope: Only sessions within it may be erased.
        people: Who is linked to whom.
        clock: The time.
        ids: Gives erasures their ids.
        indexes: All indexes of the home.
    """

    def __init__(
        self,
        home: Path,
        copies: Copies,
        scope: Scope,
        *,
        people: People,
        clock: Clock,
        ids: IdSource,
        indexes: Indexes,
    ) -> None:
        self._home = home
        self._copies = copies
        self._records = copies.records
        self._scope = scope
        self._people = people
        self._clock = clock
        self._ids = ids
        self._indexes = indexes
        self._lock = OwnerLock(home / LOCK_FILE, clock)

    def preview(self, selection: Selection) -> ErasureReceipt:
        """Return the receipt that `erase` would give now; nothing is changed.

        Raises:
            As `choose`.
            StoreError: the records or a file cannot be read.
        """
        now = self._clock.now_ms()
        return self._with_files(*self._records.read(lambda tx: self._plan(tx, selection, now)))

    def erase(
        self,
        selection: Selection,
        *,
        dry_run: bool = False,
        plan_id: str | None = None,
        on_progress: OnErase | None = None,
    ) -> ErasureReceipt:
        """Erase what is selected; unfinished earlier erasures are completed too.

        Args:
            selection: What. Deleted forks that share messages with a session go in any case.
            dry_run: Only report it, as `preview`.
            plan_id: Of the dry run that was agreed to; any if not given.
            on_progress: Called after each batch of rows.

        Raises:
            As `choose`.
            Conflict: what would go has changed since the dry run.
            StoreBusy: another program is erasing, or makes a backup.
            StoreError: the records refused; nothing is changed, or the next opening continues.
        """
        if selection.fact_id is not None:
            return self._erase_fact(selection.fact_id, dry_run=dry_run, plan_id=plan_id)
        if dry_run:
            return self.preview(selection)
        now, erasure_id = self._clock.now_ms(), self._ids.new()

        def begin_erasure(tx: Transaction) -> ErasureReceipt:
            plan, choice = self._plan(tx, selection, now, plan_id)
            receipt = msgspec.structs.replace(
                plan,
                id=erasure_id,
                dry_run=False,
                notes=planned.notes,
                damaged_copies=planned.damaged_copies,
                still_held_by=planned.still_held_by,
                exports=planned.exports,
            )
            _begin(tx, self._scope.tenant, choice, receipt)
            return receipt

        with self._alone() as alone:
            if not alone:
                raise StoreBusy(_TWO, hint="try later")
            planned = self.preview(selection)
            _, choice = self._records.read(lambda tx: self._plan(tx, selection, now, plan_id))
            sweep_spool(self._home, choice.sessions)
            self._let_go([id_ for part in choice.parts for id_ in part.checkpoints])
            receipt = self._records.write(begin_erasure)
            warnings = self._finish(on_progress, receipt.counts["messages"])
        return msgspec.structs.replace(receipt, is_clean=not warnings, warnings=tuple(warnings))

    def _plan(
        self, tx: Transaction, selection: Selection, now: int, plan_id: str | None = None
    ) -> tuple[ErasureReceipt, Chosen]:
        """Return what would go, if it is what was agreed to."""
        choice = choose(tx, self._scope, selection, self._people.at(tx, self._scope.tenant), now)
        receipt = receipt_of(tx, choice, now)
        require_agreed(receipt, plan_id)
        return receipt, choice

    def _erase_fact(self, name: str, *, dry_run: bool, plan_id: str | None) -> ErasureReceipt:
        """Erase a fact with its history, by its number or id; the message that says it stays."""
        now, erasure_id = self._clock.now_ms(), self._ids.new()

        def begin(tx: Transaction) -> ErasureReceipt:
            fact = begin_fact_erasure(tx, self._scope, name, erasure_id, now)
            receipt = receipt_of_fact(fact, now, erasure_id)
            require_agreed(receipt, plan_id)
            return receipt

        if dry_run:
            fact = self._records.read(lambda tx: require_fact(tx, self._scope, name))
            return receipt_of_fact(fact, now)
        with self._alone() as alone:
            if not alone:
                raise StoreBusy(_TWO, hint="try later")
            receipt = self._records.write(begin)
            warnings = self._finish()
        return msgspec.structs.replace(receipt, is_clean=not warnings, warnings=tuple(warnings))

    def finish(self) -> None:
        """Finish what a killed process began, unless another program is doing it.

        Raises:
            StoreError: a database or a file refused; the next opening continues.
        """
        if self._records.read(has_unfinished_erasure):
            with self._alone() as alone:
                if alone:
                    self._finish()

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Yield True when no other program erases until the end of the block."""
        alone = not self._lock.held and self._lock.acquire("erase")
        try:
            yield alone
        finally:
            if alone:
                self._lock.release()

    def _finish(self, on_progress: OnErase | None = None, total: int = 0) -> list[str]:
        """Remove rows and copies; return what failed."""
        rows = self._records.read(lambda tx: tx.all(_SESSIONS))
        ids, tenants = [text(row[0]) for row in rows], {text(row[1]) for row in rows}
        parts = self._records.read(_unfinished_parts)
        count = 0

        def add(messages: int) -> None:
            nonlocal count
            count += messages
            if on_progress is not None:
                on_progress(ErasureProgress(done=min(count, total), total=total))

        warnings = _tried(lambda: self._clear_files_kept(ids))
        finish_all(self._records, self._clock, lambda: False, add)
        clear = partial(erase_notes, self._records, self._home, drop=self._indexes.drop)
        warnings += _tried(lambda: clear(tenants, ids))
        for tenant, part in parts:
            warnings += _tried(partial(clear, {tenant}, part.session_ids, folders=part.folders))
            warnings += _tried(partial(self._clear_folders, tenant, part.folders or ()))
        stay = [id_ for _, part in parts for id_ in (*part.session_ids, *part.facts)]
        warnings += _tried(lambda: self._clear_files(ids, stay))
        warnings += sweep_within_reach(self._copies)
        warnings += _tried(self._indexes.clear_others)
        if not warnings:
            now, encoded = self._clock.now_ms(), msgspec.json.encode(ids).decode()
            self._records.write(lambda tx: _end(tx, now, encoded))
            warnings += _tried(lambda: filter(None, [clear_log(self._records)]))  # it has the ids
        return warnings

    def _clear_files_kept(self, session_ids: Sequence[str]) -> list[str]:
        """Let go the contents of files of sessions, before the rows go that name them.

        Copies of contents, and what waits for the worker, are removed whole: only a rewind misses
        them, and says so.
        """
        self._let_go(self._records.read(lambda tx: checkpoints_of_sessions(tx, session_ids)))
        if self._copies.incoming is not None:
            clear_incoming(self._copies.incoming)
        for path in contents_copies(self._home):
            remove_copy(path)
        return []

    def _let_go(self, checkpoint_ids: Sequence[str]) -> None:
        """Let go contents; a damaged file of them is removed whole."""
        try:
            contents = self._copies.contents() if checkpoint_ids else None
            if contents is not None:
                let_go(self._records, contents, checkpoint_ids, self._clock, is_erased=True)
        except StoreCorrupt:
            remove_copy(self._home / CHECKPOINTS / CONTENTS_FILE)

    def _clear_folders(self, tenant: str, folders: Sequence[str]) -> list[str]:
        """Remove the notes of a person whole."""
        erase_folders(self._records, self._home, tenant, folders, self._indexes.drop)
        return []

    def _clear_files(self, ids: Sequence[str], stay: Sequence[str]) -> list[str]:
        """Remove sessions from the copies of databases, and their mirrors that were set aside.

        Of those that stay the mirror is not removed: it is written again, as it was cut.
        """
        every = [*ids, *stay]
        for path in database_copies(self._home):
            if not path.exists():
                continue
            if is_of_index(path) or is_damaged(path):
                remove_copy(path)
            else:
                remove_from_copy(path, every)
        mirrors = {self._home / TRANSCRIPTS / f"{id_}{MIRROR_SUFFIX}" for id_ in stay}
        for path in self._set_aside(every):
            if path in mirrors:
                continue
            with os_errors(path):
                path.unlink(missing_ok=True)
        return []

    def _set_aside(self, ids: Sequence[str]) -> list[Path]:
        """Return the mirrors of sessions in any folder, and those that were set aside."""
        heads = tuple(f"{id_}." for id_ in ids)
        files = transcript_files(self._home)
        return [path for path in files if path.name.lstrip(".").startswith(heads)]

    def _with_files(self, receipt: ErasureReceipt, choice: Chosen) -> ErasureReceipt:
        """Return the receipt with the files to remove whole, and those that remain and hold it."""
        tenant, sessions = self._scope.tenant, choice.all_sessions
        names = {session.foreign_id or session.id for session in sessions}
        began = min((session.created_at for session in sessions), default=receipt.at)
        imports, backup_rows, exports = self._records.read(
            lambda tx: (
                imported_paths(tx, tenant),
                tx.all(_BACKUPS, (began,)),
                tx.all(_EXPORTS, (tenant, began)),
            )
        )
        transcripts = [path for path in map(Path, imports) if names_any(path, names)]
        paths = [Path(text(row[0])) for row in backup_rows]
        backups = [each for each in paths if each.exists() or is_marked(str(each))]
        home = self._home.resolve()  # it may be a link
        beside = [p for end in _BESIDE for p in sorted(home.parent.glob(escape(home.name) + end))]
        records = [path for path in database_copies(self._home) if not is_of_index(path)]
        planned = partial(erase_lines, self._records, self._home, dry_run=True)
        stay = [part.session.id for part in choice.parts]
        return msgspec.structs.replace(
            receipt,
            notes=(*planned(receipt.session_ids), *planned(stay, folders=choice.folders)),
            damaged_copies=tuple(str(path) for path in records if is_damaged(path)),
            still_held_by=tuple(map(str, (*transcripts, *backups, *beside))),
            exports=tuple(text(row[0]) for row in exports),
        )


class KnownErasures(msgspec.Struct, frozen=True):
    """The erasures of a home: see `tombstones` and `erased_lines.numbers_of`."""

    tombstones: Sequence[Tombstone] = ()
    lines: Sequence[int] = ()


def erase_again(records: Database, erasures: KnownErasures, clock: Clock, ids: IdSource) -> int:
    """Erase from an older copy of the records what was erased since; its next opening finishes it.

    Args:
        records: The copy, already in the home or about to be moved there.
        erasures: What was erased in the newer records.
        clock: The time.
        ids: Gives erasures their ids.

    Returns:
        The number of sessions to erase.

    Raises:
        StoreError: the records refused; nothing is changed.
    """

    def bury_again(tx: Transaction) -> int:
        add_tombstones(tx, erasures.tombstones)
        add_numbers(tx, erasures.lines)
        back: dict[str, list[Session]] = {}
        for id_, tenant, source, foreign_id in tx.all(_ORIGINS):
            origins = [(OURS, text(id_))]
            if source is not None and foreign_id is not None:
                origins.append((text(source), text(foreign_id)))
            if is_buried(tx, text(tenant), origins):
                session = require_session(tx, Scope(tenant=text(tenant)), text(id_))
                back.setdefault(session.tenant, []).append(session)
        tenants = {text(row[0]) for row in tx.all(_TENANTS)} if erasures.lines else set()
        for tenant in sorted({*back, *tenants}):
            session_ids = {session.id for session in back.get(tenant, ())}
            again = erased_before(tx, tenant)
            choice = msgspec.structs.replace(
                again,
                sessions=tuple(back.get(tenant, ())),
                parts=tuple(part for part in again.parts if part.session.id not in session_ids),
            )
            if not choice.is_empty:
                _begin(tx, tenant, choice, receipt_of(tx, choice, clock.now_ms(), ids.new()))
        return sum(map(len, back.values()))

    return records.write(bury_again)


def _begin(tx: Transaction, tenant: str, choice: Chosen, receipt: ErasureReceipt) -> None:
    """Hide sessions of one tenant for good, remove parts of others; none of it comes back."""
    erasure_id, sessions = receipt.id or "", choice.sessions
    ids = [session.id for session in sessions]
    counts, encoded = msgspec.json.encode(receipt.counts), msgspec.json.encode(ids)
    tx.execute(NOTE_ERASURE, (erasure_id, tenant, counts.decode(), encoded.decode(), receipt.at))
    for session in sessions:
        if find_session(tx, Scope(tenant=tenant), session.id) is None:
            insert_session(tx, session)
    origins: list[Origin] = [(OURS, id_) for id_ in ids]
    origins += [(s.source, s.foreign_id) for s in sessions if s.source and s.foreign_id]
    origins += [(PROJECT, s.project) for s in sessions if s.project]
    origins += [] if choice.is_whole else [(PART, erasure_id)]
    bury(tx, erasure_id, tenant, origins)
    bury_lines(tx, tenant, ids)
    begin_erasure(tx, erasure_id, tenant, ids, receipt.at)
    names = {session.foreign_id or session.id for session in sessions}
    if choice.is_whole:
        hide_paths(tx, tenant, names, receipt.still_held_by)
    else:  # a transcript of which only a part goes is followed on
        hide_paths(tx, tenant, names, ())
        parts = ErasedParts(
            session_ids=tuple(part.session.id for part in choice.parts),
            facts=choice.facts,
            folders=choice.folders,
        )
        tx.execute(_NOTE_PARTS, (msgspec.json.encode(parts).decode(), erasure_id))
        erase_parts(tx, erasure_id, tenant, choice, receipt.at)
    event = SessionsErased(
        scope=Scope(tenant=tenant),
        at=receipt.at,
        erasure_id=erasure_id,
        sessions=len(ids),
        messages=receipt.counts["messages"],
    )
    record_event(tx, event)
    record_audit(tx, Scope(tenant=tenant), "erase", receipt.at, target=erasure_id)


def _unfinished_parts(tx: Transaction) -> list[tuple[str, ErasedParts]]:
    return [
        (text(tenant), decode_json(text(parts), ErasedParts)) for parts, tenant in tx.all(_PARTS)
    ]


def _end(tx: Transaction, now: int, ids: str) -> None:
    """Record that nothing is left; mirrors and indexes have processed the ids."""
    tx.execute(_FINISH, (now,))
    tx.execute(_FORGET_IDS, (ids,))


def _tried(step: Callable[[], Iterable[str]]) -> list[str]:
    try:
        return list(step())
    except RecollectError as error:
        return [f"something that was erased may be left: {error.message}"]
