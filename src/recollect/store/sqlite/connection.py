"""Opens SQLite connections with the rules of this project.

Owns the version check, the pragmas, file permissions and the application id. Nothing else in the
project opens a database, and nothing at all opens its file in another way.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Literal
from weakref import WeakKeyDictionary

import apsw
from msgspec import Struct

from recollect.core.errors import Denied, StoreClosed, StoreError, StoreReadOnly
from recollect.core.threads import run_on_thread
from recollect.store.failures import translate_os

OLDEST_SQLITE = 3_051_003
"""Versions from 3.7.0 to 3.51.2 can corrupt a database in WAL mode (the WAL-reset bug)."""

ConnectionRole = Literal["writer", "reader", "checkpointer", "migrator"]
_CAREFUL = frozenset({"checkpointer", "migrator"})


class Tuning(Struct, frozen=True, kw_only=True):
    """How one database is run."""

    synchronous: Literal["FULL", "NORMAL"] = "FULL"
    busy_timeout_ms: int = 10_000
    cache_kib: int = 4_096
    checkpoint_pages: int = 1_000
    wal_limit_bytes: int = 64 * 1024 * 1024
    """From this size on, the log is cut to nothing even under load."""
    batch_limit: int = 256
    """Units that share a commit at most; limits how long one waits for the others."""
    idle_s: float = 1.0
    """After this time without commits, the log is written back and cut."""
    page_bytes: int = 4_096
    """Of a file that is made new."""


def check_version(number: int = apsw.SQLITE_VERSION_NUMBER) -> None:
    """Refuse a SQLite library that can corrupt a database.

    Raises:
        StoreError: older than 3.51.3.
    """
    if number < OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {number} is too old to be trusted with a write-ahead log",
            hint="install apsw 3.51.3.0 or newer",
            version=number,
        )


def discard(connection: apsw.Connection) -> None:
    """Close a connection whatever state it is in; an open transaction is rolled back.

    Errors do not matter here: commits stay committed, and the next opening finds the log.
    """
    with suppress(apsw.Error):
        connection.close(force=True)


def unusable(*, is_closed: bool) -> StoreClosed:
    """Return the error for a database that is closed, or was opened before a fork."""
    if is_closed:
        return StoreClosed("the database is closed", hint="open it again")
    return StoreClosed(
        "the database was opened by the parent process", hint="open it after the fork"
    )


class ConnectionOpener:
    """Opens connections to one database file.

    Args:
        path: The database.
        tuning: Its settings.
        vfs: Name of a registered VFS; None for the system's.
        is_read_only: The file, or its folder, cannot be written: nothing is.
        refusal: Why the file cannot even be read; every request for a connection raises it.

    Attributes:
        extensions: The extensions that readers and the writer load into their connections.
        vfs: Name of the VFS; None for the system's.
    """

    def __init__(
        self,
        path: Path,
        tuning: Tuning,
        vfs: str | None = None,
        *,
        is_read_only: bool = False,
        refusal: StoreReadOnly | None = None,
    ) -> None:
        self.path = path
        self.is_read_only = is_read_only or refusal is not None
        self._refusal = refusal
        self.extensions = Extensions()
        self._tuning = tuning
        self.vfs = vfs

    def create(self) -> apsw.Connection:
        """Open the database for its migrations, making the file when it is missing.

        Raises:
            apsw.Error: SQLite could not.
            Denied: the path is a symbolic link.
            StoreError: the permissions of the file cannot be set.
        """
        if self.path.is_symlink():
            raise Denied(
                f"{self.path.name} is a symbolic link", hint="move the whole home instead of a file"
            )
        connection = self._open("migrator", apsw.SQLITE_OPEN_CREATE)
        try:
            # By path: a second descriptor of the file would drop SQLite's locks when it is closed.
            os.chmod(self.path, 0o600)
        except OSError as error:
            discard(connection)
            raise translate_os(error, self.path) from error
        connection.pragma("page_size", self._tuning.page_bytes)  # one that has pages keeps theirs
        return connection

    def open(self, role: ConnectionRole) -> apsw.Connection:
        """Open the database, which must exist.

        Raises:
            apsw.Error: SQLite could not.
            StoreReadOnly: it cannot be read as it is, and nothing can be changed.
        """
        if self._refusal is not None:
            raise copy(self._refusal)
        return self._open(role, 0)

    def read_only_error(self) -> StoreReadOnly:
        """Return what a write raises where `is_read_only`."""
        if self._refusal is not None:
            return copy(self._refusal)
        return StoreReadOnly(
            f"{self.path.name} cannot be written",
            hint="check the owner and the permissions of the home, or copy it to another disk",
            path=str(self.path),
        )

    def _open(self, role: ConnectionRole, extra_flags: int) -> apsw.Connection:
        if self.is_read_only:
            flags, name = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, self._name_to_read()
        else:
            flags, name = apsw.SQLITE_OPEN_READWRITE | extra_flags, str(self.path)
        connection = apsw.Connection(name, flags=flags, vfs=self.vfs)
        try:
            self._configure(connection, role)
        except apsw.Error:
            discard(connection)
            raise
        return connection

    def _name_to_read(self) -> str:
        """Return the file as a URI.

        Without a log, no program has it open, and SQLite would have to create one to read it.
        """
        has_log = Path(f"{self.path}-wal").exists()
        return f"{self.path.absolute().as_uri()}?{'mode=ro' if has_log else 'immutable=1'}"

    def _configure(self, connection: apsw.Connection, role: ConnectionRole) -> None:
        connection.set_busy_timeout(self._tuning.busy_timeout_ms)
        connection.wal_autocheckpoint(0)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        # Otherwise a statement whose plan could depend on a value is prepared again for each value.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        for name, value in self._pragmas(role).items():
            connection.pragma(name, value)

    def _pragmas(self, role: ConnectionRole) -> dict[str, int | str]:
        return {
            "cell_size_check": 1,
            "secure_delete": 1,
            "temp_store": 2,  # in memory: temporary files would hold the user's text elsewhere
            "mmap_size": 0,
            "cache_size": -self._tuning.cache_kib,
            # Creating a database is durable in any case: others are made because it exists.
            # The writer syncs the log by itself, after its turn.
            "synchronous": "FULL" if role in _CAREFUL else "NORMAL",
            # On macOS a plain fsync stops at the disk's own cache; elsewhere this does nothing.
            "fullfsync": 1,
            "checkpoint_fullfsync": 1,
            # A migration that rebuilds a table drops what others refer to; it checks at its end.
            "foreign_keys": role != "migrator",
            "query_only": role == "reader",
        }


LOAD_TIMEOUT_S = 30.0
"""How long loading may take; a library on a dead network drive never loads."""


class Extensions:
    """Those of one database. Threads may share it."""

    def __init__(self) -> None:
        self.paths: tuple[str, ...] = ()
        """Of the libraries, in the order of their loading."""
        self._loaded: WeakKeyDictionary[apsw.Connection, int] = WeakKeyDictionary()
        self._mutex = threading.Lock()

    def add(self, path: str, trial: Callable[[], apsw.Connection]) -> None:
        """Load ``path`` from now on, if it can be loaded.

        Args:
            path: The library; a missing suffix is the system's.
            trial: Opens a connection to try it on.

        Raises:
            StoreError: it cannot be loaded.
        """
        if path in self.paths:
            return
        _try(path, trial)
        with self._mutex:
            if path not in self.paths:
                self.paths = (*self.paths, path)

    def equip(self, connection: apsw.Connection) -> None:
        """Load the missing extensions; one that cannot be loaded is missing where it is used."""
        with self._mutex:
            count, self._loaded[connection] = self._loaded.get(connection, 0), len(self.paths)
        for path in self.paths[count:]:
            with suppress(apsw.Error):
                _load(connection, path)


def _try(path: str, trial: Callable[[], apsw.Connection]) -> None:
    trying = run_on_thread("recollect-extension", lambda: _trouble(path, trial))
    try:
        trouble = trying.result(LOAD_TIMEOUT_S)
    except TimeoutError:
        trouble = "loading took too long"
    if trouble:
        raise StoreError(
            f"the extension cannot be loaded: {trouble}",
            hint="install its package again, or correct its path",
            path=path,
        )


def _trouble(path: str, trial: Callable[[], apsw.Connection]) -> str:
    """Return the error that prevents loading ``path``; empty when it can be loaded."""
    try:
        connection = trial()
    except apsw.Error as error:
        return str(error)
    try:
        _load(connection, path)
    except apsw.Error as error:
        return str(error) or type(error).__name__
    finally:
        connection.close(force=True)
    return ""


def _load(connection: apsw.Connection, path: str) -> None:
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    finally:
        connection.enable_load_extension(False)
