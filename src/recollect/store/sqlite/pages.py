"""All pages of a database: copied while programs use it, or rewritten in place.

A copy is made under a read transaction through SQLite's backup API, so writers go on beside it and
it is consistent. Copying the files instead would miss the pages in the write-ahead log.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw

from recollect.store.failures import translate_os
from recollect.store.files import sync_folder
from recollect.store.sqlite import dialect
from recollect.store.sqlite.connection import ConnectionOpener, discard

_PAGES_A_STEP = 2_048
"""8 MiB between two calls of ``progress``."""

OnPages = Callable[[int, int], None]


def copy_database(source: apsw.Connection, target: Path, progress: OnPages | None = None) -> None:
    """Write a copy of ``source`` to ``target`` (0600); an older copy is replaced in one step.

    Args:
        source: A connection without an open transaction.
        target: The new file.
        progress: Called with pages done and pages in all.

    Raises:
        apsw.Error: SQLite could not read or write; ``target`` is untouched.
        StoreError: the copy could not be moved to its path.
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


def _fill(source: apsw.Connection, draft: Path, progress: OnPages | None) -> None:
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
    source: apsw.Connection, copy: apsw.Connection, progress: OnPages | None = None
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
