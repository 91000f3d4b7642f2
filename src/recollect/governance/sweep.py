"""The second half of a removal: no file of the home keeps what went from the records.

Mirrors are cut, the index takes out words and vectors, the outbox forgets who was there, and both
databases are written anew. A mark in the records stays until all of it is done.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import LiteralString, TypeAlias

import msgspec

from recollect.core.errors import RecollectError
from recollect.governance.removal import UNSWEPT
from recollect.sessions.mirror import TranscriptMirror
from recollect.sessions.transcript import MESSAGE_KIND
from recollect.store.cell import text
from recollect.store.engine import Transaction
from recollect.store.home import INDEX_FILE, RECORDS_FILE
from recollect.store.journal import last_change
from recollect.store.sqlite import SqliteDatabase

CHANGES = 10_000
"""Rows of the outbox that one transaction looks at."""
_TRIES = 5
"""How often the log is cut when a reader is in the way; each try waits 50 ms."""

Step: TypeAlias = "Callable[[Copies, int | None], str | None]"

_FIND_MARK: LiteralString = "SELECT value FROM meta WHERE key = ?"
_DROP_MARK: LiteralString = "DELETE FROM meta WHERE key = ? AND value = ?"
_FORGET: LiteralString = """
    DELETE FROM changes WHERE seq > ? AND seq <= ? AND kind = ? AND op = 'put'
        AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.id = changes.ref)
"""


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """Where copies of a message may be.

    Attributes:
        records: ``records.db``.
        index_database: ``index.db``.
        mirror: The readable transcripts.
        is_mirrored: Whether they are kept; what is left of an earlier time is cut in any case.
        catch_up: Takes changes of the records into the index, without vectors; returns whether it
            took in all of them.
        elsewhere: Gives files of the home that are not within reach: other indexes, backups.
    """

    records: SqliteDatabase
    index_database: SqliteDatabase
    mirror: TranscriptMirror
    is_mirrored: bool
    catch_up: Callable[[], bool]
    elsewhere: Callable[[], list[Path]]


def is_unswept(tx: Transaction) -> bool:
    """Return whether rows were removed of which copies may be left."""
    return bool(_mark(tx))


def sweep(copies: Copies, *, most_bytes: int | None = None) -> tuple[str, ...]:
    """Remove what is left of removed messages; return what could not be done.

    Does nothing where nothing was removed since the last time.

    Args:
        copies: Where to.
        most_bytes: Leave larger databases as they are: writers wait while one is written anew.
    """
    mark = copies.records.read(_mark)
    if not mark:
        return ()
    warnings = [told for step in _STEPS if (told := _try(step, copies, most_bytes)) is not None]
    if not warnings:
        copies.records.write(lambda tx: tx.execute(_DROP_MARK, (UNSWEPT, mark)))
    warnings += [
        f"{path.name} of {path.parent.name} may still hold what was removed"
        for path in copies.elsewhere()
    ]
    return tuple(warnings)


def copies_elsewhere(home: Path, index_home: Path) -> list[Path]:
    """Return files of a home that a sweep does not reach: other indexes, backups, older records."""
    indexes = [home / INDEX_FILE, *home.glob(f"*/*/{INDEX_FILE}")]
    aside = home.glob(f"*/*/{RECORDS_FILE}")
    backups = [path for folder in (home, index_home) for path in folder.glob("*.db.before-*")]
    mine = index_home / INDEX_FILE
    return sorted(
        {path for path in (*indexes, *aside, *backups) if path != mine and path.is_file()}
    )


def _try(step: Step, copies: Copies, most_bytes: int | None) -> str | None:
    try:
        return step(copies, most_bytes)
    except RecollectError as error:
        return f"something that was removed may be left: {error.message}"


def _cut_mirrors(copies: Copies, _: int | None) -> None:
    if copies.is_mirrored:
        copies.mirror.flush()
    else:
        copies.mirror.obey_removals()


def _clear_index(copies: Copies, most_bytes: int | None) -> str | None:
    if not copies.catch_up():
        return "the index has still to drop what was removed: run `recollect sync`"
    return _rewrite(copies.index_database, most_bytes)


def _clear_records(copies: Copies, most_bytes: int | None) -> str | None:
    records = copies.records
    head = records.read(last_change)
    for start in range(0, head, CHANGES):
        span = (start, min(head, start + CHANGES), MESSAGE_KIND)
        records.write(lambda tx, span=span: tx.execute(_FORGET, span))  # type: ignore[misc]
    return _rewrite(records, most_bytes)


_STEPS: tuple[Step, ...] = (_cut_mirrors, _clear_index, _clear_records)
_IN_THE_WAY = "a reader keeps a log that may hold what was removed: prune again later"


def _rewrite(database: SqliteDatabase, most_bytes: int | None) -> str | None:
    if most_bytes is not None and database.path.stat().st_size > most_bytes:
        return f"{database.path.name} is large and was not written anew: run `recollect prune`"
    is_clean = database.rewrite() or any(database.cut_log() for _ in range(_TRIES))
    return None if is_clean else _IN_THE_WAY


def _mark(tx: Transaction) -> str:
    row = tx.row(_FIND_MARK, (UNSWEPT,))
    return text(row[0]) if row else ""
