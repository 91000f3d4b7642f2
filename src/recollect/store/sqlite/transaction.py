"""The transaction that a unit of work sees, over one connection of the SQLite engine.

It translates the driver's errors and remembers whether one of them ended the transaction, so that
a unit which swallows the error cannot go on outside of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import LiteralString

import apsw

from recollect.core.errors import InvalidInput, StoreClosed
from recollect.store.engine import Row, SqlValue
from recollect.store.failures import NOT_UTF_8, STATEMENT_ONLY, translate

_DRIVER_ERRORS = (apsw.Error, UnicodeError, TypeError)
"""Errors of the driver, including those for an invalid text and for a failed lookup."""


class SqliteTransaction:
    """Implements `recollect.store.engine.Transaction`."""

    def __init__(self, connection: apsw.Connection, path: Path, actor: str | None = None) -> None:
        self.actor = actor
        self._connection = connection
        self._path = path
        self._cursors: set[apsw.Cursor] = set()
        self._over = False
        self.failure: apsw.Error | None = None
        """The error that ended the transaction; None while it is sound."""

    def execute(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> None:
        """Run one statement to its end; rows that it returns are dropped."""
        self.all(sql, params)

    def executemany(self, sql: LiteralString, params: Iterable[Sequence[SqlValue]]) -> list[Row]:
        """Run one statement once for each of ``params``; return the rows that it returned."""
        self._check()
        try:
            return self._connection.executemany(sql, params).fetchall()
        except _DRIVER_ERRORS as error:
            raise self._note(error) from error

    def all(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> list[Row]:
        """Return the rows of one statement, read at once: for hundreds that are all needed."""
        self._check()
        try:
            return self._connection.execute(sql, params).fetchall()
        except _DRIVER_ERRORS as error:
            raise self._note(error) from error

    def row(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> Row | None:
        """Return the first row of one statement, or None."""
        self._check()
        try:
            cursor = self._connection.execute(sql, params)
            first = cursor.fetchone()
            cursor.close(force=True)
        except _DRIVER_ERRORS as error:
            raise self._note(error) from error
        return first

    def rows(self, sql: LiteralString, params: Sequence[SqlValue] = ()) -> Iterator[Row]:
        """Yield the rows of one statement as they are read; take them before the unit returns."""
        self._check()
        cursor = self._connection.cursor()
        self._cursors.add(cursor)
        try:
            cursor.execute(sql, params)
        except _DRIVER_ERRORS as error:
            raise self._note(error) from error
        return self._iterate(cursor)

    def finish(self) -> None:
        """End it for the unit: references that it kept raise `StoreClosed` from now on."""
        self._over = True
        for cursor in self._cursors:
            cursor.close(force=True)
        self._cursors.clear()

    def _iterate(self, cursor: apsw.Cursor) -> Iterator[Row]:
        while True:
            self._check()
            try:
                row = cursor.fetchone()
            except _DRIVER_ERRORS as error:
                raise self._note(error) from error
            if row is None:
                self._cursors.discard(cursor)
                return
            yield row

    def _check(self) -> None:
        if self._over:
            raise StoreClosed(
                "the transaction is over", hint="take all rows before the unit of work returns"
            )
        if self.failure is not None:
            raise translate(self.failure, self._path) from self.failure

    def _note(self, error: apsw.Error | UnicodeError | TypeError) -> Exception:
        if isinstance(error, TypeError):
            return InvalidInput(
                "a value is neither a text nor a number", hint="pass an id, such as session.id"
            )
        if isinstance(error, UnicodeEncodeError):
            return InvalidInput("a text has half a surrogate pair", hint="pass whole characters")
        if isinstance(error, UnicodeError):
            error = apsw.CorruptError(NOT_UTF_8)
        if not isinstance(error, STATEMENT_ONLY) or not self._connection.in_transaction:
            self.failure = error
        return translate(error, self._path)
