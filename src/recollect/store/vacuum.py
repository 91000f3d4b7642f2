"""Rewrites a database so that nothing deleted is left in it.

`secure_delete` overwrites a row where it is deleted. Copies of it may be left in the free space of
pages, where SQLite moved rows before: only a rewrite of the whole file removes those.
"""

from __future__ import annotations

import apsw

from recollect.store.connection import Opener, discard

_IN_MEMORY_BYTES = 256 * 1024 * 1024
"""A larger database is rewritten through a temporary file without a name instead of memory."""


def rewrite(opener: Opener) -> None:
    """Write the file anew; needs as much room on the disk as it has now. Writers wait meanwhile.

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
