"""Erasure: removal that leaves no bytes in any file of the home, and that is not undone.

One transaction hides everything, keeps it from coming back and says so; then the rows go in
batches, and at last every copy. Whoever opens the home next finishes what was killed. What is to be
erased is a list of sessions: who chooses them, by id or otherwise, need not know more.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import LiteralString, TypeAlias

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Conflict, NotFound, RecollectError, StoreBusy
from recollect.core.events import SessionsErased
from recollect.core.scope import Scope
from recollect.governance.episode import episodes_of
from recollect.governance.removal import Copies, begin_erasure, finish_all, sweep_within_reach
from recollect.sessions.lease import find_lease
from recollect.sessions.mirror.mirror import SESSION_KIND
from recollect.sessions.record.lineage import ancestors, find_kin
from recollect.sessions.record.session import DELETED, Session, find_session, insert_session
from recollect.sessions.record.tombstone import (
    OURS,
    Origin,
    Tombstone,
    add_tombstones,
    bury,
    has_unfinished_erasure,
    is_buried,
    tombstones,
)
from recollect.store.columns import first_integer, integer, text
from recollect.store.engine import Transaction
from recollect.store.failures import os_errors
from recollect.store.journal import record_event
from recollect.store.locks import OwnerLock
from recollect.store.sqlite.copies import (
    database_copies,
    is_damaged,
    is_of_index,
    remove_copy,
    remove_from_copy,
)
from recollect.store.sqlite.home import TRANSCRIPTS

LOCK_FILE = "erase.lock"

_COUNTS: dict[str, LiteralString] = {
    "messages": "SELECT count(*) FROM messages WHERE session_id = ?",
    "tool_calls": "SELECT count(*) FROM tool_calls WHERE session_id = ?",
    "compactions": "SELECT count(*) FROM compactions WHERE session_id = ?",
    "episodes": "SELECT count(*) FROM episodes WHERE session_id = ?",
    "events": "SELECT count(*) FROM events WHERE session_id = ?",
    "pending_messages": "SELECT count(*) FROM pending_messages p JOIN sessions s"
    " ON s.key = p.key AND s.tenant = p.tenant WHERE s.id = ?",
}
_BYTES: LiteralString = """
    SELECT coalesce(sum(octet_length(content) + octet_length(text) + octet_length(metadata)), 0)
    FROM messages WHERE session_id = ?
"""
_INSERT: LiteralString = """
    INSERT INTO erasures (id, tenant, counts, session_ids, at) VALUES (?, ?, ?, ?, ?)
"""
_SESSIONS: LiteralString = """
    SELECT j.value FROM erasures e, json_each(e.session_ids) j WHERE e.finished_at IS NULL
"""
_FINISH: LiteralString = """
    UPDATE erasures SET finished_at = ?, session_ids = '[]' WHERE finished_at IS NULL
"""
_FORGET_IDS: LiteralString = """
    DELETE FROM changes WHERE kind = ? AND ref IN (SELECT value FROM json_each(?))
"""
_FILES: LiteralString = "SELECT DISTINCT path FROM imports WHERE tenant = ?"
_IS_LIVING: LiteralString = "SELECT 1 FROM sessions WHERE id = ? AND status <> 'deleted'"
_ORIGINS: LiteralString = "SELECT id, tenant, source, foreign_id FROM sessions"


class ErasureProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far an erasure is: messages that are gone, of all of them."""

    done: int
    total: int


OnErase: TypeAlias = Callable[[ErasureProgress], object]


class ErasureReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What an erasure did, or would do.

    Attributes:
        id: Of the erasure; None of a dry run.
        dry_run: Nothing was changed.
        at: When, ms UTC.
        session_ids: What went: the session, and the forks that went with it.
        counts: How many rows of which kind went.
        bytes: What the messages held, in UTF-8.
        shared_with: The session that it was forked from: the messages before the fork are its.
        damaged_copies: Files of the home that cannot be read any more and may have held it: they
            went whole.
        still_held_by: Paths outside of recollect's reach that hold it: transcripts of other
            programs, backups, homes that were set aside by a restore.
        is_clean: Nothing of it is left in a file of the home. If not, the warnings say why, and
            the next opening of the home tries again.
        warnings: One sentence each.
    """

    id: str | None
    dry_run: bool
    at: int
    session_ids: tuple[str, ...]
    counts: dict[str, int]
    bytes: int
    shared_with: tuple[str, ...] = ()
    damaged_copies: tuple[str, ...] = ()
    still_held_by: tuple[str, ...] = ()
    is_clean: bool = True
    warnings: tuple[str, ...] = ()


class Eraser:
    """Erases sessions of a home.

    Args:
        home: Its folder.
        copies: The records, and where copies of them are.
        scope: Whose sessions may go.
        clock: Tells the time.
        ids: Gives erasures their ids.
        clear_others: Clears the indexes of agents with settings of their own; returns what could
            not be done.
    """

    def __init__(
        self,
        home: Path,
        copies: Copies,
        scope: Scope,
        *,
        clock: Clock,
        ids: IdSource,
        clear_others: Callable[[], Iterable[str]],
    ) -> None:
        self._home = home
        self._copies = copies
        self._records = copies.records
        self._scope = scope
        self._clock = clock
        self._ids = ids
        self._clear_others = clear_others
        self._lock = OwnerLock(home / LOCK_FILE, clock)

    def preview(self, session_id: str, *, with_forks: bool = False) -> ErasureReceipt:
        """Return what `erase` would do now; nothing is changed.

        Raises:
            NotFound: the scope has no such session.
            Conflict: forks read it, or a program holds it.
            StoreError: the records or a file cannot be read.
        """
        now = self._clock.now_ms()

        def unit(tx: Transaction) -> tuple[ErasureReceipt, list[Session]]:
            chosen = choose_session(tx, self._scope, session_id, with_forks=with_forks, now=now)
            return _receipt(tx, chosen, now), chosen

        receipt, chosen = self._records.read(unit)
        return self._with_files(receipt, chosen)

    def erase(
        self,
        session_id: str,
        *,
        with_forks: bool = False,
        on_progress: OnErase | None = None,
    ) -> ErasureReceipt:
        """Erase a session; what an earlier run left is finished too.

        Args:
            session_id: Which one.
            with_forks: Erase the forks that share messages with it as well. Deleted forks go in
                any case.
            on_progress: Called after each batch of rows.

        Raises:
            NotFound: the scope has no such session.
            Conflict: forks read it, or a program holds it.
            StoreBusy: another program is erasing.
            StoreError: the records refused; nothing is changed then, or the next opening goes on.
        """
        now, erasure_id = self._clock.now_ms(), self._ids.new()

        def unit(tx: Transaction) -> tuple[ErasureReceipt, list[Session]]:
            chosen = choose_session(tx, self._scope, session_id, with_forks=with_forks, now=now)
            receipt = _receipt(tx, chosen, now, erasure_id)
            _begin(tx, erasure_id, chosen, receipt)
            return receipt, chosen

        with self._alone() as alone:
            if not alone:
                raise StoreBusy("another program is erasing", hint="try again when it is finished")
            receipt, chosen = self._records.write(unit)
            receipt = self._with_files(receipt, chosen)
            warnings = self._finish(on_progress, receipt.counts["messages"])
        return msgspec.structs.replace(receipt, is_clean=not warnings, warnings=tuple(warnings))

    def finish(self) -> None:
        """Finish what was begun and killed, unless another program is doing it.

        Raises:
            StoreError: a database or a file refused; the next opening goes on.
        """
        if self._records.read(has_unfinished_erasure):
            with self._alone() as alone:
                if alone:
                    self._finish()

    def repeat(self, known: Sequence[Tombstone]) -> int:
        """Erase again what came back with an older copy of the records; return how many sessions.

        Args:
            known: What `known_erasures` said of the records that had been here before.

        Raises:
            StoreBusy: another program is erasing.
            StoreError: the records refused.
        """
        now = self._clock.now_ms()

        def unit(tx: Transaction) -> int:
            add_tombstones(tx, known)
            back: dict[str, list[str]] = {}
            for id_, tenant, source, foreign_id in tx.all(_ORIGINS):
                origins = [(OURS, text(id_))]
                if source is not None and foreign_id is not None:
                    origins.append((text(source), text(foreign_id)))
                if is_buried(tx, text(tenant), origins):
                    back.setdefault(text(tenant), []).append(text(id_))
            for tenant_, ids in back.items():
                found = [find_session(tx, Scope(tenant=tenant_), id_) for id_ in ids]
                chosen = [session for session in found if session is not None]
                erasure_id = self._ids.new()
                _begin(tx, erasure_id, chosen, _receipt(tx, chosen, now, erasure_id))
            return sum(map(len, back.values()))

        with self._alone() as alone:
            if not alone:
                raise StoreBusy("another program is erasing", hint="try again when it is finished")
            count = self._records.write(unit)
            self._finish()
        return count

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Give the block True when no other program erases until its end."""
        alone = not self._lock.held and self._lock.acquire("erase")
        try:
            yield alone
        finally:
            if alone:
                self._lock.release()

    def _finish(self, on_progress: OnErase | None = None, total: int = 0) -> list[str]:
        """Remove rows and copies; return what could not be done."""
        ids = self._records.read(lambda tx: [text(row[0]) for row in tx.rows(_SESSIONS)])
        done = 0

        def count(messages: int) -> None:
            nonlocal done
            done += messages
            if on_progress is not None:
                on_progress(ErasureProgress(done=min(done, total), total=total))

        finish_all(self._records, self._clock, lambda: False, count)
        warnings = list(_tried(lambda: self._clear_files(ids)))
        warnings += sweep_within_reach(self._copies)
        warnings += _tried(self._clear_others)
        if not warnings:
            now, told = self._clock.now_ms(), msgspec.json.encode(ids).decode()
            self._records.write(lambda tx: _end(tx, now, told))
        return warnings

    def _clear_files(self, ids: Sequence[str]) -> list[str]:
        """Remove sessions from the copies of databases, and what was set aside of mirrors."""
        for path in database_copies(self._home):
            if not path.exists():
                continue
            if is_of_index(path) or is_damaged(path):
                remove_copy(path)
            else:
                remove_from_copy(path, ids)
        for path in self._set_aside(ids):
            with os_errors(path):
                path.unlink(missing_ok=True)
        return []

    def _set_aside(self, ids: Sequence[str]) -> list[Path]:
        """Return the mirrors of sessions wherever they lie, and what was set aside of them."""
        heads = tuple(f"{id_}." for id_ in ids)
        with os_errors(self._home):
            folders = [path for path in self._home.rglob(TRANSCRIPTS) if path.is_dir()]
            found = [path for folder in folders for path in folder.iterdir()]
        return [path for path in found if path.name.lstrip(".").startswith(heads)]

    def _with_files(self, receipt: ErasureReceipt, chosen: Sequence[Session]) -> ErasureReceipt:
        """Return a receipt with the files that go whole, and those that stay and hold it."""
        names = {session.foreign_id or session.id for session in chosen}
        files = self._records.read(lambda tx: tx.all(_FILES, (chosen[0].tenant,)))
        asked = [Path(text(row[0])) for row in files]
        beside = sorted(self._home.parent.glob(f"{self._home.name}.before-*"))
        records = [path for path in database_copies(self._home) if not is_of_index(path)]
        return msgspec.structs.replace(
            receipt,
            damaged_copies=tuple(str(path) for path in records if is_damaged(path)),
            still_held_by=tuple(
                str(path) for path in (*(p for p in asked if _names_any(p, names)), *beside)
            ),
        )


def known_erasures(tx: Transaction) -> list[Tombstone]:
    """Return what these records know of erasures, for `Eraser.repeat` in an older copy of them."""
    return tombstones(tx)


def choose_session(
    tx: Transaction, scope: Scope, session_id: str, *, with_forks: bool, now: int
) -> list[Session]:
    """Return a session and the forks that are to go with it.

    Raises:
        NotFound: the scope has no such session.
        Conflict: a living fork shares messages with it, or a program holds one of them.
    """
    session = find_session(tx, scope, session_id)
    if session is None:
        return [_remains(tx, scope, session_id, now)]
    kin = find_kin(tx, session.tenant)
    forks = [
        other.id
        for other in kin.values()
        for above, last in ancestors(other, kin.get)
        if above.id == session.id and last > above.forked_at_seq
    ]
    living = [id_ for id_ in forks if tx.row(_IS_LIVING, (id_,))]
    if living and not with_forks:
        raise Conflict(
            f"forks share messages with the session: {', '.join(living)}",
            hint="erase them too, with --with-forks or with_forks=True",
            session_id=session.id,
            forks=tuple(living),
        )
    found = [find_session(tx, Scope(tenant=session.tenant), id_) for id_ in forks]
    chosen = [session, *(fork for fork in found if fork is not None)]
    for each in chosen:
        _refuse_held(tx, each.id, now)
    return chosen


def _remains(tx: Transaction, scope: Scope, session_id: str, now: int) -> Session:
    """Return what stands for a session that retention removed, and of which an episode stayed."""
    if not episodes_of(tx, scope, session_id):
        was_erased = is_buried(tx, scope.tenant, [(OURS, session_id)])
        raise NotFound(
            "the session was erased" if was_erased else "there is no such session",
            hint="`recollect sessions` lists those that are there.",
        )
    return Session(
        id=session_id, tenant=scope.tenant, status=DELETED, created_at=now, updated_at=now
    )


def _refuse_held(tx: Transaction, session_id: str, now: int) -> None:
    lease = find_lease(tx, session_id, now)
    if lease is not None:
        seconds = max(1, round((lease.expires_at - now) / 1000))
        raise Conflict(
            "another program is using the session",
            hint=f"end it, or wait: without a sign of life it is free in {seconds} s",
            session_id=session_id,
            free_in_s=seconds,
        )


def _begin(
    tx: Transaction, erasure_id: str, chosen: Sequence[Session], receipt: ErasureReceipt
) -> None:
    """Hide sessions for good, and keep them from coming back."""
    tenant, ids = chosen[0].tenant, [session.id for session in chosen]
    counts, told = msgspec.json.encode(receipt.counts), msgspec.json.encode(ids)
    tx.execute(_INSERT, (erasure_id, tenant, counts.decode(), told.decode(), receipt.at))
    for session in chosen:
        if find_session(tx, Scope(tenant=tenant), session.id) is None:
            insert_session(tx, session)
    origins: list[Origin] = [(OURS, id_) for id_ in ids]
    origins += [(s.source, s.foreign_id) for s in chosen if s.source and s.foreign_id]
    bury(tx, erasure_id, tenant, origins)
    begin_erasure(tx, erasure_id, tenant, ids, receipt.at)
    event = SessionsErased(
        scope=Scope(tenant=tenant),
        at=receipt.at,
        erasure_id=erasure_id,
        sessions=len(ids),
        messages=receipt.counts["messages"],
    )
    record_event(tx, event)


def _end(tx: Transaction, now: int, ids: str) -> None:
    """Note that nothing is left; mirrors and indexes have heard of the ids."""
    tx.execute(_FINISH, (now,))
    tx.execute(_FORGET_IDS, (SESSION_KIND, ids))


def _receipt(
    tx: Transaction, chosen: Sequence[Session], now: int, erasure_id: str | None = None
) -> ErasureReceipt:
    ids = [session.id for session in chosen]
    counts = {"sessions": len(ids)}
    for kind, sql in _COUNTS.items():
        counts[kind] = sum(first_integer(tx.row(sql, (id_,))) for id_ in ids)
    parents = {s.parent_id for s in chosen if s.parent_id is not None and s.forked_at_seq}
    return ErasureReceipt(
        id=erasure_id,
        dry_run=erasure_id is None,
        at=now,
        session_ids=tuple(ids),
        counts=counts,
        bytes=sum(integer((tx.row(_BYTES, (id_,)) or (0,))[0]) for id_ in ids),
        shared_with=tuple(sorted(parents - {*ids})),
    )


def _tried(step: Callable[[], Iterable[str]]) -> list[str]:
    try:
        return list(step())
    except RecollectError as error:
        return [f"something that was erased may be left: {error.message}"]


def _names_any(path: Path, names: Iterable[str]) -> bool:
    """Return whether a file is there and has one of some ids in its name or text."""
    with suppress(OSError, ValueError), path.open("rb") as file:
        if any(name in path.name for name in names):
            return True
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
            return any(whole.find(name.encode()) >= 0 for name in names)
    return False
