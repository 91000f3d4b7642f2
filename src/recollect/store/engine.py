"""The engine port: the operations of a database that the floors above use.

A unit of work is a plain function of a `Transaction`. The SQLite engine is in `sqlite`; the port
knows no driver, no file and no thread, so that a second engine can implement it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import LiteralString, Protocol, TypeVar

from msgspec import Struct

SqlValue = None | int | float | str | bytes
Row = tuple[SqlValue, ...]
T = TypeVar("T")


class Transaction(Protocol):
    """One open transaction. Do not keep it: it is closed when its unit returns."""

    @property
    def actor(self) -> str | None:
        """The name of the token whose request it serves; None without one."""

    def execute(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> None:
        """Run one statement to its end; rows that it returns are dropped."""

    def rows(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> Iterator[Row]:
        """Yield the rows of one statement as they are read; take them before the unit returns."""

    def all(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> list[Row]:
        """Return the rows of one statement, read at once: for hundreds that are all needed."""

    def row(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> Row | None:
        """Return the first row of one statement, or None."""

    def executemany(self, sql: LiteralString, params: Iterable[Sequence[SqlValue]]) -> list[Row]:
        """Run one statement once for each of ``params``; return the rows that it returned."""


class Database(Protocol):
    """A database that several threads share."""

    def write(self, unit: Callable[[Transaction], T]) -> T:
        """Return the result of ``unit``, after its commit is durable.

        Units of several threads share a commit. One that raises is rolled back alone and its error
        is raised here. The unit may be run again after a failed commit, so it must depend on its
        transaction only and change nothing outside of it.

        Raises:
            StoreError: it could not be written. Unless the error's ``outcome`` fact says
                ``"unknown"``, nothing of the unit was kept.
        """

    def submit(self, unit: Callable[[Transaction], T]) -> Future[T]:
        """Queue ``unit`` and return at once; the future ends as `write` would."""

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Return the result of ``unit``, which saw one snapshot and could not write.

        Raises:
            StoreError: it could not be read.
        """

    def close(self) -> None:
        """Commit everything queued and close the files. A second call does nothing."""


class ExtensibleDatabase(Database, Protocol):
    """A database that can load extensions of its engine."""

    def load_extension(self, path: str) -> None:
        """Load the extension at ``path`` into every connection, from its next use on.

        Raises:
            StoreError: it cannot be loaded; nothing is changed.
        """


class CheckpointHealth(Struct, frozen=True, kw_only=True):
    """The state of the write-ahead log's checkpoints."""

    runs: int
    """Finished checkpoints since opening."""
    failures: int
    """Failed ones since opening; one blocked by a reader or another process does not count."""
    last_error: str | None
    """The `code` of the last failure, None after a success."""
    wal_bytes: int
    """Size of the log now."""


class Health(Struct, frozen=True, kw_only=True):
    """The health of an open database, for operators."""

    path: str
    sqlite_version: str
    durability: str
    """``full`` or ``fast``, as in the settings."""
    schema_version: int
    last_commit_at: int | None
    """Ms UTC; None before the first commit of this process."""
    commits: int
    """Group commits of this process."""
    queued: int
    """Units waiting for the writer."""
    reopened: int
    """How often the writer had to open the file again after an I/O error."""
    last_error: str | None
    """The `code` of the last failed commit, None after a success."""
    checkpoint: CheckpointHealth
