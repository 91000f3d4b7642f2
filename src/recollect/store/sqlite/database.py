"""The SQLite engine: puts writer, readers and checkpoints together over one file.

The composition root calls `open_records` and `open_index`; both prepare the file (folder, lock, log
mode, schema) while no other process does, and hand out a `SqliteDatabase`.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

import apsw
from msgspec import Struct
from msgspec.structs import replace

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import StoreReadOnly
from recollect.core.settings import StoreSettings
from recollect.store.engine import Health
from recollect.store.failures import BUSY, driver_errors
from recollect.store.files import private_folder
from recollect.store.locks import WriteQueue
from recollect.store.sqlite import dialect
from recollect.store.sqlite.checkpoint import Checkpointer
from recollect.store.sqlite.connection import ConnectionOpener, Tuning, check_version, discard
from recollect.store.sqlite.damaged import remove_database
from recollect.store.sqlite.durable import CommitMark
from recollect.store.sqlite.home import (
    CHECKPOINTS,
    CONTENTS_FILE,
    CONTENTS_ID,
    INDEX_FILE,
    INDEX_ID,
    RECORDS_FILE,
    RECORDS_ID,
    refuse_foreign,
    refuse_lost,
    sign,
)
from recollect.store.sqlite.pages import OnPages, copy_database, rewrite
from recollect.store.sqlite.reader import Readers
from recollect.store.sqlite.schema import (
    Schema,
    check_current,
    drop_foreign_code,
    foreign_objects,
    load_schema,
    migrate,
)
from recollect.store.sqlite.writer import Writer

MOVE_HINT = (
    "copy the home to where it can be written and name the copy with --home: index.db comes back"
    " there by itself; `recollect sessions`, `transcript` and `get` answer also here"
)

_POLL_S = 0.01
_CONTENTS_PAGE = 8_192
"""Files of a few KB compressed: on smaller pages few fit, and the rest takes more work."""
_CONTENTS_LOG = 256 << 20
"""A first look stores hundreds of megabytes; written back early, it waits for the disk."""

T = TypeVar("T")


class _Parts(Struct, frozen=True):
    """The parts to close, apart from the database object, so that its finalizer can hold them."""

    writer: Writer
    readers: Readers
    checkpointer: Checkpointer
    mark: CommitMark | None

    def close(self) -> None:
        self.writer.close()
        self.readers.close()
        self.checkpointer.close()
        if self.mark is not None:
            self.mark.close()


class _Commits:
    """Reports commits. Apart from the database object, which the writer must not hold."""

    def __init__(
        self, checkpointer: Checkpointer, listeners: tuple[Callable[[], None], ...]
    ) -> None:
        self._checkpointer = checkpointer
        self.listeners = listeners

    def tell(self, log_pages: int) -> None:
        self._checkpointer.notice(log_pages)
        for listener in self.listeners:
            listener()


class SqliteDatabase:
    """Implements `recollect.store.engine.Database` on one file.

    Use `open_database`; it prepares the file first.
    """

    def __init__(
        self, opener: ConnectionOpener, schema: Schema, tuning: Tuning, clock: Clock
    ) -> None:
        self._opener = opener
        self._schema = schema
        self._tuning = tuning
        self._clock = clock
        self._turns = write_queue(opener.path)
        self._renewing = threading.Lock()
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._connect()

    def _connect(self) -> None:
        opener, tuning, turns = self._opener, self._tuning, self._turns
        self._checkpointer = Checkpointer(opener, turns, tuning)
        self._commits = _Commits(self._checkpointer, self._listeners)
        mark = CommitMark(turns.path) if tuning.synchronous == "FULL" else None
        self._writer = Writer(
            opener, turns, tuning, self._clock, mark=mark, on_commit=self._commits.tell
        )
        self._readers = Readers(opener, None if opener.is_read_only else mark)
        self.write = self._writer.write
        self.submit = self._writer.submit
        self.read = self._readers.read
        # Also at the end of the process: submitted units that are not waited for are committed.
        self._finalizer = weakref.finalize(
            self, _Parts(self._writer, self._readers, self._checkpointer, mark).close
        )

    @property
    def is_read_only(self) -> bool:
        """Whether the file cannot be written, so that every write raises `StoreReadOnly`."""
        return self._opener.is_read_only

    @property
    def path(self) -> Path:
        """The database file. Do not open it."""
        return self._opener.path

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after each commit of this object, on the writer's thread.

        It must return at once and not raise: writers wait for it.
        """
        self._listeners = (*self._listeners, listener)
        self._commits.listeners = self._listeners

    def renew(self, is_damaged: Callable[[], bool]) -> None:
        """Replace a damaged database by an empty one; it must be one that can be derived again.

        Requests of other threads fail meanwhile. A file that is sound, because another thread or
        program has renewed it, stays.

        Args:
            is_damaged: Checks the file once more; no other thread renews it meanwhile.

        Raises:
            StoreBusy: another process has it open, or that cannot be determined.
            StoreError: it cannot be removed or made.
        """
        with self._renewing:
            self._finalizer()
            try:
                if is_damaged():
                    remove_database(self.path)
                _prepare_file(self._opener, self._schema, self._tuning, self._clock, None)
            finally:
                self._connect()

    def cut_log(self) -> bool:
        """Write the log back and cut it, so that nothing deleted is left in it.

        Returns:
            False when a reader or another process was in the way; then try again.

        Raises:
            StoreError: the disk refused.
        """
        return self._checkpointer.cut()

    def rewrite(self) -> bool:
        """Rewrite the whole file, so that nothing deleted is left in it or its log.

        Writers of all processes wait meanwhile: about two seconds for 200 MB.

        Returns:
            False when the file was written, but a reader or another process kept the log; then try
            `cut_log` again.

        Raises:
            StoreBusy: another process kept the database.
            StoreError: the disk refused, or is full; nothing is changed.
        """
        with driver_errors(self.path), self._turns.turn(self._tuning.busy_timeout_ms / 1000):
            rewrite(self._opener)
        return self.cut_log()

    def back_up(self, target: Path, progress: OnPages | None = None) -> None:
        """Write a consistent copy (0600) to ``target``, while others read and write.

        Args:
            target: The new file; an older one is replaced in one step.
            progress: Called with pages done and pages in all.

        Raises:
            StoreError: it could not be read or written; ``target`` is untouched.
        """
        with driver_errors(self.path):
            source = self._opener.open("reader")
            try:
                copy_database(source, target, progress)
            finally:
                discard(source)

    def foreign_objects(self) -> list[str]:
        """Return the tables, indexes and so on that no step of its schema makes."""
        return self.read(lambda tx: foreign_objects(tx.all(dialect.LIST_OBJECTS), self._schema))

    def load_extension(self, path: str) -> None:
        """Load an extension into every connection, now and later; see `store.engine`."""
        self._opener.extensions.add(path, lambda: self._opener.open("reader"))

    def health(self) -> Health:
        """Return the health for operators; reads no row."""
        return Health(
            path=str(self.path),
            sqlite_version=apsw.sqlite_lib_version(),
            durability="full" if self._tuning.synchronous == "FULL" else "fast",
            schema_version=self._schema.version,
            last_commit_at=self._writer.last_commit_at,
            commits=self._writer.commits,
            queued=self._writer.queued,
            reopened=self._writer.reopened,
            last_error=self._writer.last_error,
            checkpoint=self._checkpointer.health(),
        )

    def close(self) -> None:
        """Commit everything queued and close the files. A second call does nothing."""
        self._finalizer()


def open_records(
    home: Path, settings: StoreSettings, clock: Clock, *, vfs: str | None = None
) -> SqliteDatabase:
    """Open ``records.db``, the truth; ``durability`` decides about its last commits.

    A new one, and an old one without it, gets the id of the home.

    Raises:
        RecordsLost: the database of the home is missing, empty or belongs to another home.
        StoreError: it cannot be opened, or is newer than this recollect.
        Denied: the home belongs to another user.
    """
    synchronous: Literal["FULL", "NORMAL"] = "FULL" if settings.durability == "full" else "NORMAL"
    schema = load_schema("records", RECORDS_ID, keep_backup=True)
    refuse_lost(home)
    return open_database(
        home / RECORDS_FILE, schema, _tuning(settings, synchronous), clock, vfs=vfs, home=home
    )


def drop_foreign_triggers(home: Path, settings: StoreSettings) -> list[str]:
    """Drop the triggers and views that were added to ``records.db``; return their names.

    Raises:
        StoreError: it cannot be read or written.
    """
    tuning, path = _tuning(settings, "FULL"), home / RECORDS_FILE
    opener = ConnectionOpener(path, tuning)
    with driver_errors(path), write_queue(path).turn(tuning.busy_timeout_ms / 1000):
        connection = opener.open("migrator")
        try:
            return drop_foreign_code(connection)
        finally:
            discard(connection)


def open_index(
    home: Path,
    settings: StoreSettings,
    clock: Clock,
    *,
    vfs: str | None = None,
    refusal: StoreReadOnly | None = None,
) -> SqliteDatabase:
    """Open ``index.db``, which can be derived again; a power cut may take its last commits.

    In a home that cannot be written, one that is missing or of an older recollect is opened all the
    same: every use of it raises `StoreReadOnly`, and the records can be read meanwhile.

    Args:
        home: Its folder.
        settings: Of the store.
        clock: Dates commits and schema steps.
        vfs: Name of a registered VFS, for tests of faults.
        refusal: What every use of it raises, where it is known already that it cannot be read.

    Raises:
        StoreError: it cannot be opened, or is newer than this recollect.
        Denied: the home belongs to another user.
    """
    schema = load_schema("index", INDEX_ID, keep_backup=False)
    path, tuning = home / INDEX_FILE, _tuning(settings, "NORMAL")
    try:
        if refusal is not None:
            raise refusal
        return open_database(path, schema, tuning, clock, vfs=vfs)
    except StoreReadOnly as error:
        opener = ConnectionOpener(path, tuning, refusal=error)
        return SqliteDatabase(opener, schema, tuning, clock)


def open_contents(
    home: Path, settings: StoreSettings, clock: Clock, *, vfs: str | None = None
) -> SqliteDatabase:
    """Open ``checkpoints/contents.db``, the bytes that checkpoints need; all commits are durable.

    Raises:
        StoreError: it cannot be opened, or is newer than this recollect.
        Denied: the home belongs to another user.
    """
    schema = load_schema("checkpoints", CONTENTS_ID, keep_backup=True)
    path = private_folder(home / CHECKPOINTS) / CONTENTS_FILE
    tuning = replace(
        _tuning(settings, "FULL"),
        page_bytes=_CONTENTS_PAGE,
        checkpoint_pages=_CONTENTS_LOG // _CONTENTS_PAGE // 4,
        wal_limit_bytes=_CONTENTS_LOG,
    )
    return open_database(path, schema, tuning, clock, vfs=vfs)


def open_database(
    path: Path,
    schema: Schema,
    tuning: Tuning,
    clock: Clock,
    *,
    vfs: str | None = None,
    home: Path | None = None,
) -> SqliteDatabase:
    """Prepare the file at ``path`` and open it.

    Args:
        path: The database; made, with its folder, when it is missing.
        schema: Its schema.
        tuning: Its tuning.
        clock: Dates commits and schema steps.
        vfs: Name of a registered VFS, for tests of faults; None for the system's.
        home: The home of its records, if it holds some.

    Raises:
        RecordsLost: it holds no records, or those of another home.
        StoreError: it cannot be opened, or is newer than this recollect.
        Denied: the folder belongs to another user, or the path is a symbolic link.
    """
    check_version()
    is_read_only = _is_read_only(path)
    opener = ConnectionOpener(path, tuning, vfs, is_read_only=is_read_only)
    if is_read_only:
        _check_file(opener, schema, tuning, home)
    else:
        _refuse_missing(path)
        private_folder(path.parent)
        _prepare_file(opener, schema, tuning, clock, home)
    return SqliteDatabase(opener, schema, tuning, clock)


def _is_read_only(path: Path) -> bool:
    """Return whether a database exists that can only be read, because of the disk or its owner."""
    if not path.exists() or not os.access(path, os.R_OK):
        return False
    return not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _refuse_missing(path: Path) -> None:
    """Refuse a missing database that cannot be created."""
    folder = path.parent
    if not path.exists() and folder.is_dir() and not os.access(folder, os.W_OK):
        raise StoreReadOnly(
            f"{path.name} is missing, and its folder cannot be written",
            hint=MOVE_HINT,
            path=str(path),
        )


def _check_file(
    opener: ConnectionOpener, schema: Schema, tuning: Tuning, home: Path | None
) -> None:
    """Refuse a database that cannot be read as it is; changes nothing."""
    with driver_errors(opener.path):
        connection = opener.open("reader")
        try:
            if home is not None:
                refuse_foreign(connection, home, tuning)
            check_current(connection, schema, opener.path)
        finally:
            discard(connection)


def write_queue(path: Path) -> WriteQueue:
    """Return the queue of all processes that write the database at ``path``."""
    return WriteQueue(path.with_name(path.name + ".lock"))


def _tuning(settings: StoreSettings, synchronous: Literal["FULL", "NORMAL"]) -> Tuning:
    return Tuning(
        synchronous=synchronous,
        busy_timeout_ms=settings.busy_timeout_ms,
        cache_kib=settings.cache_kib,
        checkpoint_pages=settings.checkpoint_pages,
    )


def _prepare_file(
    opener: ConnectionOpener, schema: Schema, tuning: Tuning, clock: Clock, home: Path | None
) -> None:
    turn = write_queue(opener.path).turn(tuning.busy_timeout_ms / 1000)
    with driver_errors(opener.path), turn:
        _prepare(opener, schema, tuning, clock, home)


def _prepare(
    opener: ConnectionOpener, schema: Schema, tuning: Tuning, clock: Clock, home: Path | None
) -> None:
    connection = opener.create()
    try:
        if home is not None:
            refuse_foreign(connection, home, tuning)
        _use_log(connection, tuning.busy_timeout_ms / 1000)
        migrate(connection, schema, opener.path, clock)
        if home is not None:
            sign(connection, IdSource(clock).new())
    finally:
        discard(connection)


def _use_log(connection: apsw.Connection, budget_s: float) -> None:
    """Switch to a write-ahead log; SQLite does not wait for other processes here, so we do."""
    deadline = time.perf_counter() + budget_s
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except BUSY:
            if time.perf_counter() > deadline:
                raise
            time.sleep(_POLL_S)
        else:
            return
