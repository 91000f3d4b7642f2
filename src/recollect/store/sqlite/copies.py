"""Copies in a home: databases from before a migration, set aside or damaged; and transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import LiteralString

import apsw
import msgspec

from recollect.core.errors import StoreCorrupt
from recollect.store.failures import driver_errors, os_errors
from recollect.store.sqlite.connection import ConnectionOpener, Tuning, discard
from recollect.store.sqlite.home import (
    AGENTS,
    CHECKPOINTS,
    CONTENTS_FILE,
    INDEX_FILE,
    RECORDS_FILE,
    TRANSCRIPTS,
)
from recollect.store.sqlite.pages import rewrite

_LOGS = ("-wal", "-shm", "-journal")
_COLUMNS: LiteralString = """
    SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
    WHERE t.type = 'table' AND c.name IN ('id', 'session_id', 'parent_id', 'previous_id', 'key')
"""


_TABLES: LiteralString = "SELECT name FROM sqlite_schema WHERE type = 'table'"


def database_copies(home: Path) -> list[Path]:
    """Return every database file below a home that is not in use, damaged ones and lost logs too.

    Those in use are the databases of the home and of its agents. A log beside its database belongs
    to that.
    """
    agents = home / AGENTS
    live = {home / RECORDS_FILE, home / INDEX_FILE, *agents.glob(f"*/{INDEX_FILE}")}
    live |= {path.with_name(path.name + end) for path in live for end in (*_LOGS, ".lock")}
    with os_errors(home):
        every = [path for path in home.rglob("*") if path not in live and _is_copy(path)]
    return sorted(path for path in every if not _has_database(path))


def contents_copies(home: Path) -> list[Path]:
    """Return every copy of ``contents.db`` below a home: from before a migration, or set aside."""
    live = home / CHECKPOINTS / CONTENTS_FILE
    own = {live, *(live.with_name(live.name + end) for end in (*_LOGS, ".lock"))}
    with os_errors(home):
        return sorted(set(home.rglob(f"*{CONTENTS_FILE}*")) - own)


def transcript_files(home: Path) -> list[Path]:
    """Return the files in the folders of transcripts, in the home and wherever it was set aside."""
    with os_errors(home):
        folders = [path for path in home.rglob(TRANSCRIPTS) if path.is_dir()]
        return sorted(path for folder in folders for path in folder.iterdir())


def is_of_index(path: Path) -> bool:
    """Return whether a copy is one of an index, which can be derived again."""
    return path.name.lstrip(".").startswith(INDEX_FILE)


def is_damaged(path: Path) -> bool:
    """Return whether nothing can be removed from a file, because it is damaged or a lost log.

    Raises:
        StoreError: the disk refused.
    """
    if path.name.endswith(_LOGS):
        return True
    try:
        with driver_errors(path):
            connection = ConnectionOpener(path, Tuning(busy_timeout_ms=0)).open("reader")
            try:
                return bool(connection.execute("PRAGMA quick_check(1)").get != "ok")
            finally:
                discard(connection)
    except StoreCorrupt:
        return True


def remove_from_copy(path: Path, ids: Sequence[str]) -> None:
    """Remove sessions with all that belongs to them, and facts, from a copy of ``records.db``.

    Raises:
        StoreCorrupt: it is damaged, or no database.
        StoreError: the disk refused.
    """
    opener = ConnectionOpener(path, Tuning(busy_timeout_ms=0))
    with driver_errors(path):
        connection = opener.open("migrator")
        try:
            connection.pragma("journal_mode", "delete")
            with connection:
                for sql in _statements(connection):
                    connection.execute(sql, (msgspec.json.encode(ids).decode(),))
        finally:
            discard(connection)
        rewrite(opener)


def read_texts(path: Path) -> Iterator[str]:
    """Yield every text of a copy, whichever version wrote the tables.

    Raises:
        StoreCorrupt: it is damaged, or no database.
        StoreError: the disk refused.
    """
    with driver_errors(path):
        connection = ConnectionOpener(path, Tuning(busy_timeout_ms=0)).open("reader")
        try:
            tables = [name for (name,) in connection.execute(_TABLES)]
            for table in tables:
                for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608  # its own
                    yield from (cell for cell in row if isinstance(cell, str))
        finally:
            discard(connection)


def remove_copy(path: Path) -> None:
    """Remove a copy with its logs.

    Raises:
        StoreError: the disk refused.
    """
    for each in (path, *(path.with_name(path.name + end) for end in _LOGS)):
        with os_errors(each):
            each.unlink(missing_ok=True)


def _statements(connection: apsw.Connection) -> Iterator[str]:
    """Yield the statements that remove sessions and facts; `sessions` goes last.

    The schema may be of any version.
    """
    columns = set(connection.execute(_COLUMNS).fetchall())
    condition = "IN (SELECT value FROM json_each(?1))"
    keys = f"(SELECT key FROM sessions WHERE id {condition})"  # noqa: S608  # literals
    keyed = columns & {("pending_messages", "key"), ("deliveries", "key")}
    yield from (f"DELETE FROM {table} WHERE key IN {keys}" for table, _ in keyed)  # noqa: S608
    if ("sessions", "parent_id") in columns:
        parted = "parent_id = NULL, forked_at_seq = NULL"
        yield f"UPDATE sessions SET {parted} WHERE parent_id {condition}"  # noqa: S608  # literals
    if ("sessions", "previous_id") in columns:
        yield f"UPDATE sessions SET previous_id = NULL WHERE previous_id {condition}"  # noqa: S608  # literals
    if ("facts", "id") in columns:
        theirs = f"SELECT id FROM facts WHERE id {condition} OR session_id {condition}"  # noqa: S608
        yield f"DELETE FROM fact_history WHERE fact_id IN ({theirs})"  # noqa: S608  # literals
        yield f"DELETE FROM fact_sources WHERE fact_id IN ({theirs})"  # noqa: S608  # literals
        yield f"DELETE FROM facts WHERE id {condition}"  # noqa: S608  # literals
    if ("checkpoints", "id") in columns:
        theirs = f"SELECT id FROM checkpoints WHERE session_id {condition}"  # noqa: S608
        for rows in ("checkpoint_files", "checkpoint_writes"):
            yield f"DELETE FROM {rows} WHERE checkpoint_id IN ({theirs})"  # noqa: S608  # literals
    for table, column in sorted(columns):
        if column == "session_id":
            yield f'DELETE FROM "{table}" WHERE session_id {condition}'  # noqa: S608  # literals
    if ("sessions", "id") in columns:
        yield f"DELETE FROM sessions WHERE id {condition}"  # noqa: S608  # literals


def _has_database(path: Path) -> bool:
    """Return whether a file is a log of a database beside it."""
    heads = (path.name.removesuffix(end) for end in _LOGS if path.name.endswith(end))
    return any(path.with_name(head).exists() for head in heads)


def _is_copy(path: Path) -> bool:
    name = path.name.lstrip(".")
    is_database = name.startswith((RECORDS_FILE, INDEX_FILE)) and not name.endswith(".lock")
    return is_database and path.is_file() and not path.is_symlink()
