"""Databases of other programs: read while these write to them, and never written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import LiteralString, TypeAlias, TypeVar

import apsw

from recollect.core.errors import ForeignStoreError
from recollect.store.engine import Row, SqlValue
from recollect.store.failures import translate
from recollect.store.sqlite import dialect
from recollect.store.sqlite.connection import discard

BUSY_TIMEOUT_MS = 500
"""Readers of a write-ahead log wait only while it is recovered."""

_SWITCHED_OFF = (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, apsw.SQLITE_DBCONFIG_ENABLE_VIEW)
"""A file can hold statements; a view would be run in place of the requested table."""

_HINT = "try again; if it stays so, let its own program repair it"

T = TypeVar("T")
Query: TypeAlias = Callable[[LiteralString, Sequence[SqlValue]], list[Row]]
"""Returns all rows of a statement."""


class ForeignDatabase:
    """A connection to the database of another program; a context manager. For one thread.

    Its write-ahead log is read too, so the program must be of the same user.

    Args:
        path: The file, which must exist.

    Raises:
        ForeignStoreError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            self._connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=ro", flags=flags)
        except apsw.Error as error:
            raise _unreadable(error, path) from error
        self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        for switch in _SWITCHED_OFF:
            self._connection.config(switch, 0)

    def __enter__(self) -> ForeignDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        discard(self._connection)

    def read(self, unit: Callable[[Query], T]) -> T:
        """Return the result of ``unit`` on one snapshot; it should be short, as writers go on.

        Raises:
            ForeignStoreError: the database is damaged, busy for long, or has no such tables.
        """

        def query(sql: LiteralString, params: Sequence[SqlValue]) -> list[Row]:
            return self._connection.execute(sql, tuple(params)).fetchall()

        try:
            self._connection.pragma("query_only", 1)
            self._connection.execute(dialect.BEGIN_READ)
            try:
                return unit(query)
            finally:
                self._connection.execute("ROLLBACK")
        except apsw.Error as error:
            raise _unreadable(error, self.path) from error
        except UnicodeDecodeError:
            raise ForeignStoreError(
                f"{self.path.name}: a text is not UTF-8", hint=_HINT, path=str(self.path)
            ) from None


def _unreadable(error: apsw.Error, path: Path) -> ForeignStoreError:
    return ForeignStoreError(translate(error, path).message, hint=_HINT, path=str(path))
