"""Consistent copies of a live database, through SQLite's backup API.

The copy is made under a read transaction, so writers go on beside it and it holds one moment.
Copying the files instead would miss what is still in the write-ahead log.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw

from recollect.store.columns import text
from recollect.store.engine import Database, Transaction
from recollect.store.failures import translate_os
from recollect.store.files import sync_folder
from recollect.store.sqlite import dialect
from recollect.store.sqlite.connection import ConnectionOpener, discard

_PAGES_A_STEP = 2_048
"""8 MiB between two calls of ``progress``."""

Progress = Callable[[int, int], None]


def copy_database(source: apsw.Connection, target: Path, progress: Progress | None = None) -> None:
    """Write a copy of ``source`` to ``target`` (0600); an older copy is replaced in one step.

    Args:
        source: A connection without an open transaction.
        target: The new file.
        progress: Called with pages done and pages in all.

    Raises:
        apsw.Error: SQLite could not read or write; ``target`` is untouched.
        StoreError: the copy could not be put in its place.
    """
    draft = target.with_name(target.name + ".part")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        _fill(source, draft, progress)
        os.replace(draft, target)
        sync_folder(target.parent)
    except OSError as error:
        raise translate_os(error, target) from error
    finally:
        draft.unlink(missing_ok=True)


def _fill(source: apsw.Connection, draft: Path, progress: Progress | None) -> None:
    copy = apsw.Connection(str(draft), flags=apsw.SQLITE_OPEN_READWRITE)
    source.execute(dialect.BEGIN_READ)
    try:
        copy.pragma("synchronous", "FULL")
        source.execute(dialect.COUNT_OBJECTS).fetchall()  # the snapshot starts with the first read
        copy_pages(source, copy, progress)
    finally:
        source.execute(dialect.ROLLBACK)
        discard(copy)


def copy_pages(
    source: apsw.Connection, copy: apsw.Connection, progress: Progress | None = None
) -> None:
    """Write all pages of ``source``, which is in a read transaction, into ``copy``.

    Raises:
        apsw.Error: SQLite could not read or write.
    """
    with copy.backup("main", source, "main") as backup:
        while not backup.done:
            backup.step(_PAGES_A_STEP)
            if progress is not None:
                progress(backup.page_count - backup.remaining, backup.page_count)


_IN_MEMORY_BYTES = 256 * 1024 * 1024
"""A larger database is rewritten through a temporary file without a name instead of memory."""


def rewrite(opener: ConnectionOpener) -> None:
    """Rewrite the file; needs as much free disk space as it takes now. Writers wait meanwhile.

    The caller holds the write queue and cuts the log afterwards.

    Raises:
        apsw.Error: SQLite could not; the file is as it was.
    """
    connection = opener.open("migrator")
    try:
        connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # it attaches its draft
        is_large = opener.path.stat().st_size > _IN_MEMORY_BYTES
        connection.pragma("temp_store", "file" if is_large else "memory")
        connection.execute("VACUUM").fetchall()
    finally:
        discard(connection)


MOST_REPORTED = 5


def quick_check(database: Database) -> list[str]:
    """Return what is wrong with a database, in SQLite's words and at most five; empty when sound.

    Reads the whole file twice: SQLite looks at its structure, and not at the bytes of its texts.

    Raises:
        StoreError: it is so damaged that it cannot be read.
    """
    return database.read(look_through)


def look_through(tx: Transaction) -> list[str]:
    """Return what `quick_check` does, of the database that a transaction reads."""
    said = [text(row[0]) for row in tx.rows("PRAGMA quick_check(5)")]
    if said != ["ok"]:
        return said[:MOST_REPORTED]
    _read_all(tx)
    return []


def _read_all(tx: Transaction) -> None:
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for name in [text(row[0]) for row in tx.rows(tables)]:
        for _ in tx.rows(f'SELECT * FROM "{name}"'):  # noqa: S608  # a name of our own schema
            pass
