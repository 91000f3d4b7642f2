"""The mirrors of all transcripts, written by a thread of their own after the commits.

The thread follows the outbox from where it was, so that it also catches up with what other
processes stored and with what a killed one left undone. Appending never waits for it. Several
processes may do this at the same time: a lock on the folder serialises them.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import LiteralString

from recollect.core.errors import InvalidInput, RecollectError, StoreReadOnly
from recollect.core.worker import Worker
from recollect.sessions.context.compaction import COMPACTION_KIND
from recollect.sessions.mirror.mirror_file import MirrorFile, MirrorState
from recollect.sessions.mirror.mirror_lines import FORMAT
from recollect.sessions.mirror.recovery_file import (
    RecoveryFacts,
    recovery_facts,
    write_recovery_file,
)
from recollect.sessions.record.session import CHANGED_KIND
from recollect.sessions.record.transcript_rows import MESSAGE_KIND, REWRITE_KIND
from recollect.store.columns import integer, text, typed_rows
from recollect.store.engine import Database, Transaction
from recollect.store.failures import os_errors
from recollect.store.files import private_folder
from recollect.store.journal import last_change
from recollect.store.locks import WriteQueue
from recollect.store.meta import find_value, set_value
from recollect.store.sqlite.home import FACTS_FILE, MIRROR_SUFFIX, RECOVERY_FILE, TRANSCRIPTS

SESSION_KIND = "session"
"""In the outbox, a session of which something was removed: its mirror is written again."""
STRAY_SUFFIX = ".stray"
"""Added to the name of a mirror whose session the database does not have."""

_CURSOR_KEY = f"mirror.{FORMAT}.cursor"
"""One for each format: mirrors of an older one are all looked at again, and so written once."""
_PAUSE_S = 0.25
"""How long new messages may gather before they are written: each of eight processes that store at
the same time looks at the mirrors so often (bench capture)."""
_LOCK_S = 60.0

_FIRST_AFTER: LiteralString = "SELECT seq FROM changes WHERE seq > ? ORDER BY seq LIMIT 1"
_GROWN: LiteralString = """
    SELECT messages.session_id FROM changes JOIN messages ON messages.id = changes.ref
    WHERE changes.seq > ? AND changes.seq <= ? AND changes.kind = ?
    UNION
    SELECT compactions.session_id FROM changes JOIN compactions ON compactions.id = changes.ref
    WHERE changes.seq > ? AND changes.seq <= ? AND changes.kind = ?
"""
_CHANGED: LiteralString = """
    SELECT sessions.id FROM changes JOIN sessions ON sessions.id = changes.ref
    WHERE changes.seq > ? AND changes.seq <= ? AND changes.kind = ? AND sessions.last_seq > 0
"""
_CUT: LiteralString = """
    SELECT DISTINCT ref FROM changes WHERE seq > ? AND seq <= ? AND kind = ?
"""
_REWRITTEN: LiteralString = """
    SELECT messages.session_id, messages.seq FROM changes JOIN messages ON messages.id = changes.ref
    WHERE changes.seq > ? AND changes.kind = ?
"""
_FACTS_CHANGED: LiteralString = "SELECT 1 FROM changes WHERE seq > ? AND kind = 'fact' LIMIT 1"
_KNOWN: LiteralString = "SELECT id FROM sessions"
_ENDS: LiteralString = "SELECT id, last_seq FROM sessions"
_ALL: LiteralString = "SELECT id FROM sessions WHERE last_seq > 0 ORDER BY id"


class TranscriptMirror:
    """Keeps ``transcripts/<session id>.jsonl`` up to date with the database.

    Args:
        home: The home directory.
        database: ``records.db``, the truth.
        write_facts: Writes the mirror of facts, if any of them changed.
    """

    def __init__(
        self,
        home: Path,
        database: Database,
        write_facts: Callable[[Path, Database], None] = lambda _, __: None,
    ) -> None:
        self._home, self._write_facts = home, write_facts
        self._folder = home / TRANSCRIPTS
        self._database = database
        self._turns = WriteQueue(home / f"{TRANSCRIPTS}.lock")
        self._mutex = threading.Lock()
        self._worker = Worker(
            "recollect-mirror", self._catch_up, gather_s=_PAUSE_S, at_end=self.flush
        )
        self.notify = self._worker.wake
        """Call it when messages were stored: they are mirrored soon. Returns at once."""
        self._cursor: int | None = None
        self._behind: set[str] = set()
        self._rewritten: set[tuple[str, int]] = set()
        """Messages, by session and seq, that a mirror may have as they were before."""
        self._changed: set[str] = set()
        """Sessions whose own line may have changed."""
        self._cut: set[str] = set()
        self._unsynced: dict[str, MirrorFile] = {}

    @property
    def last_error(self) -> str | None:
        """The `code` of the last failure, None after a success. Failed work is tried again."""
        return self._worker.last_error

    def flush(self) -> None:
        """Wait until everything stored before this call is mirrored and on the disk.

        Raises:
            StoreError: the disk or the database refused.
        """
        with self._mutex:
            # Read before the messages, so that what the facts count as read is in the mirrors.
            facts = self._database.read(self._new_facts)
            self._read_on()
            self._settle(facts)

    def _new_facts(self, tx: Transaction) -> RecoveryFacts | None:
        return None if last_change(tx) == _read_cursor(tx) else recovery_facts(tx)

    def catch_up(self) -> None:
        """Write mirrors of an older format again, once, in the background. Returns at once."""
        is_older = self._folder.exists() and not self._database.read(_read_cursor)
        if is_older:
            self.notify()

    def close(self) -> None:
        """Flush and stop. A failure is kept in ``last_error``: the next opening goes on."""
        self._worker.stop()

    def state(self, session_id: str) -> MirrorState:
        """Compare one mirror with the database; changes nothing.

        Raises:
            StoreError: one of them cannot be read.
        """
        with self._mutex, ExitStack() as stack:
            with suppress(StoreReadOnly):  # then it is not being written either
                stack.enter_context(self._turns.turn(_LOCK_S))
            return self._file(session_id).state()

    def heal(self, session_id: str) -> MirrorState:
        """Make one mirror equal to the database; return how it was before.

        Raises:
            StoreError: the disk or the database refused.
        """
        with self._mutex, self._turns.turn(_LOCK_S):
            private_folder(self._folder)
            return self._file(session_id).heal()

    def make_again(self, session_id: str) -> None:
        """Write one mirror again in one step; what was in it is not kept.

        Raises:
            StoreError: the disk or the database refused.
        """
        with self._mutex, self._turns.turn(_LOCK_S):
            self._file(session_id).make_again()

    def heal_all(self) -> Counter[MirrorState]:
        """Make every mirror equal to the database; return the number of mirrors by previous state.

        Raises:
            StoreError: the disk or the database refused.
        """
        return Counter(self.heal(session_id) for session_id in self._database.read(_all_sessions))

    def strays(self) -> list[Path]:
        """Return mirrors of sessions that the database does not have, by name.

        Raises:
            StoreError: the folder cannot be read.
        """
        with os_errors(self._folder):
            files = sorted(self._folder.glob(f"*{MIRROR_SUFFIX}"))
        ids = set(self._database.read(lambda tx: [text(id_) for (id_,) in tx.rows(_KNOWN)]))
        return [path for path in files if path.name.removesuffix(MIRROR_SUFFIX) not in ids]

    def ahead(self) -> int:
        """Return the number of mirrors with messages that the database lost, or is too old to have.

        Looks at the end of each mirror.

        Raises:
            StoreError: one of them cannot be read.
        """
        rows = self._database.read(lambda tx: tx.all(_ENDS))
        ends = dict(typed_rows(rows, tuple[str, int]))
        with os_errors(self._folder):
            names = [path.name for path in self._folder.glob(f"*{MIRROR_SUFFIX}")]
        count = 0
        for name in names:
            with suppress(InvalidInput):  # not one of ours
                session_id = name.removesuffix(MIRROR_SUFFIX)
                count += self._file(session_id).last_seq() > ends.get(session_id, 0)
        return count

    def set_strays_aside(self) -> int:
        """Rename strays, so that nothing takes them for transcripts; return their number.

        They may be all that is left of a session, so they are not removed.

        Raises:
            StoreError: the disk refused.
        """
        from recollect.sessions.mirror.soundness import require_sound

        self.obey_removals()
        with self._mutex, self._turns.turn(_LOCK_S):
            strays = self.strays()
            if strays:  # an index that lacks a session would make its mirror one
                require_sound(self._database)
            for path in strays:
                with os_errors(path):
                    path.replace(path.with_name(path.name + STRAY_SUFFIX))
        return len(strays)

    def obey_removals(self) -> None:
        """Take what was removed from the database out of the mirrors that are there.

        `flush` does so too. This one writes nothing else: for a home without mirrors.

        Raises:
            StoreError: the disk or the database refused.
        """
        has_facts, has_mirrors = (self._home / FACTS_FILE).exists(), self._folder.exists()
        if not (has_facts or has_mirrors):
            return
        # In turn: a writer that read the facts before the removal would put them back after it.
        with self._mutex, self._turns.turn(_LOCK_S):
            if has_facts:
                self._write_facts(self._home, self._database)
            if not has_mirrors:
                return
            cursor = self._database.read(_read_cursor)
            for session_id in self._database.read(lambda tx: _cut_sessions(tx, cursor)):
                file = self._file(session_id)
                if file.path.exists():
                    file.cut()
            if (self._home / RECOVERY_FILE).exists():
                write_recovery_file(self._home, self._database.read(recovery_facts))

    def remove(self, session_id: str) -> None:
        """Remove the mirror of a session that was erased, and what was set aside of it.

        Raises:
            StoreError: the disk refused.
        """
        with self._mutex, self._turns.turn(_LOCK_S):
            self._unsynced.pop(session_id, None)
            self._file(session_id).remove()

    def _catch_up(self) -> None:
        with self._mutex:
            self._read_on()

    def _read_on(self) -> None:
        with self._turns.turn(_LOCK_S):
            if self._cursor is None:
                self._cursor = self._database.read(_read_cursor) if self._folder.exists() else 0
            cursor = self._cursor
            (head, grown), changed, cut, rewritten = self._database.read(
                lambda tx: (
                    _grown_sessions(tx, cursor),
                    _changed_sessions(tx, cursor),
                    _cut_sessions(tx, cursor),
                    _rewritten(tx, cursor),
                )
            )
            self._rewritten |= rewritten
            self._changed |= changed
            self._behind |= changed | set(grown)
            self._cut |= set(cut)
            self._cursor = head
            self._write()

    def _write(self) -> None:
        """Bring mirrors up to date. One that cannot be written does not stop the others."""
        failure: RecollectError | None = None
        if self._behind or self._cut:
            private_folder(self._folder)
        for session_id in sorted(self._behind | self._cut):
            file = self._file(session_id)
            try:
                if session_id in self._cut:
                    file.cut()
                else:
                    file.grow(
                        (seq for owner, seq in self._rewritten if owner == session_id),
                        changed=session_id in self._changed,
                    )
            except RecollectError as error:
                failure = error
            else:
                self._behind.discard(session_id)
                self._changed.discard(session_id)
                self._cut.discard(session_id)
                self._rewritten = {each for each in self._rewritten if each[0] != session_id}
                self._unsynced[session_id] = file
        if failure is not None:
            raise failure

    def _settle(self, facts: RecoveryFacts | None) -> None:
        """Put the written lines on the disk, then note how far they go."""
        for session_id, file in list(self._unsynced.items()):
            file.sync()
            del self._unsynced[session_id]
        cursor, before = self._cursor or 0, self._database.read(_read_cursor)
        if before != cursor:
            if self._database.read(lambda tx: tx.row(_FACTS_CHANGED, (before,))) is not None:
                with self._turns.turn(_LOCK_S):
                    self._write_facts(self._home, self._database)
            if facts is not None:  # before the cursor: a process stopped here does both again
                write_recovery_file(self._home, facts)
            self._database.write(lambda tx: set_value(tx, _CURSOR_KEY, str(cursor)))

    def _file(self, session_id: str) -> MirrorFile:
        return MirrorFile(self._folder, session_id, self._database)


def _rewritten(tx: Transaction, cursor: int) -> set[tuple[str, int]]:
    """Return the messages, by session and seq, that were rewritten since ``cursor``."""
    rows = tx.rows(_REWRITTEN, (cursor, REWRITE_KIND))
    return {(text(session_id), integer(seq)) for session_id, seq in rows}


def _read_cursor(tx: Transaction) -> int:
    return int(find_value(tx, _CURSOR_KEY) or 0)


def _grown_sessions(tx: Transaction, cursor: int) -> tuple[int, list[str]]:
    """Return the newest change, and the sessions that grew since ``cursor``.

    Where the outbox does not reach the cursor (it was pruned, or the database is an older copy),
    any session may have grown.
    """
    head = last_change(tx)
    first = tx.row(_FIRST_AFTER, (cursor,))
    if first is None and cursor == head:
        return head, []
    if first is None or integer(first[0]) != cursor + 1:
        return head, _all_sessions(tx)
    spans = (cursor, head, MESSAGE_KIND, cursor, head, COMPACTION_KIND)
    return head, [text(row[0]) for row in tx.rows(_GROWN, spans)]


def _changed_sessions(tx: Transaction, cursor: int) -> set[str]:
    """Return the sessions whose title, status or link changed, or may have changed."""
    return {text(row[0]) for row in tx.rows(_CHANGED, (cursor, last_change(tx), CHANGED_KIND))}


def _cut_sessions(tx: Transaction, cursor: int) -> list[str]:
    """Return the sessions of which something was removed since ``cursor``."""
    return [text(row[0]) for row in tx.rows(_CUT, (cursor, last_change(tx), SESSION_KIND))]


def _all_sessions(tx: Transaction) -> list[str]:
    return [text(row[0]) for row in tx.rows(_ALL)]
