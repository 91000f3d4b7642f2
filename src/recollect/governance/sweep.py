"""Sweeping: clears the files of a home of what was removed from the records.

Removing rows sets a mark in the same transaction. A sweep clears blobs, mirrors, the index and the
records down to the bytes; the mark is removed when all of it is done, else the next sweep starts
over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import LiteralString, TypeAlias

import msgspec

from recollect.checkpoints.record.removal import collect
from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.knowledge.rows import KIND as FACT_KIND
from recollect.observations.blobs import remove_unused
from recollect.observations.rows import KIND as OBSERVATION_KIND
from recollect.sessions.context.episode import EPISODE_KIND
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.session import Session
from recollect.sessions.record.transcript_rows import MESSAGE_KIND
from recollect.store.blobs import Blobs
from recollect.store.columns import text
from recollect.store.engine import Transaction
from recollect.store.failures import os_errors
from recollect.store.files import DRAFT_SUFFIX, holds_any
from recollect.store.journal import last_change
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.home import ASIDE, INDEX_FILE, RECORDS_FILE, SPOOL
from recollect.text.secret_redactor import is_marked

_UNSWEPT = "retention.unswept"
"""In ``meta`` while rows were removed and files may still hold copies of them."""
CHANGES = 10_000
"""Rows of the outbox that one transaction reads."""
_TRIES = 5
"""Attempts to cut the log while a reader blocks it; each waits 50 ms."""

SweepStep: TypeAlias = "Callable[[Copies, int | None], str | None]"

_MARK: LiteralString = """
    INSERT INTO meta (key, value) VALUES (?, '1')
    ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS INTEGER) + 1 AS TEXT)
"""
_FIND_MARK: LiteralString = "SELECT value FROM meta WHERE key = ?"
_DROP_MARK: LiteralString = "DELETE FROM meta WHERE key = ? AND value = ?"
_FORGET: LiteralString = """
    DELETE FROM changes WHERE seq > ? AND seq <= ? AND kind = ? AND op = 'put'
        AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.id = changes.ref)
        AND NOT EXISTS (SELECT 1 FROM observations WHERE observations.id = changes.ref)
        AND NOT EXISTS (SELECT 1 FROM episodes WHERE episodes.id = changes.ref)
        AND NOT EXISTS (SELECT 1 FROM facts WHERE facts.id = changes.ref)
"""


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """The stores where copies of a message may be.

    Attributes:
        records: ``records.db``.
        clock: Tells the time.
        index_database: ``index.db``.
        blobs: Long inputs and outputs of observations.
        mirror: The readable transcripts.
        is_mirrored: Whether they are kept; existing ones are cut in any case.
        catch_up: Applies changes of the records to the index, without vectors; returns whether it
            applied all of them.
        elsewhere: Returns files of the home that are out of reach: other indexes, backups.
        contents: Returns ``checkpoints/contents.db``, if it is there.
        incoming: The folder of what hooks kept of files for the worker.
    """

    records: SqliteDatabase
    clock: Clock
    index_database: SqliteDatabase
    blobs: Blobs
    mirror: TranscriptMirror
    is_mirrored: bool
    catch_up: Callable[[], bool]
    elsewhere: Callable[[], list[Path]]
    contents: Callable[[], SqliteDatabase | None] = lambda: None
    incoming: Path | None = None


def mark_unswept(tx: Transaction) -> None:
    """Record that copies of what this transaction removes may be left."""
    tx.execute(_MARK, (_UNSWEPT,))


def is_unswept(tx: Transaction) -> bool:
    """Return whether copies of removed rows may be left."""
    return bool(_mark(tx))


def sweep(copies: Copies, *, most_bytes: int | None = None) -> tuple[str, ...]:
    """Remove what is left of removed messages; return what failed.

    Does nothing where nothing was removed since the last time.

    Args:
        copies: The stores.
        most_bytes: Skip larger databases: writers wait while one is rewritten.
    """
    if not copies.records.read(is_unswept):
        return ()
    elsewhere = (
        f"{path.name} of {path.parent.name} may still hold what was removed"
        for path in copies.elsewhere()
    )
    return (*sweep_within_reach(copies, most_bytes=most_bytes), *elsewhere)


def sweep_within_reach(copies: Copies, *, most_bytes: int | None = None) -> list[str]:
    """Do as `sweep` does, without reporting files elsewhere."""
    mark = copies.records.read(_mark)
    if not mark:
        return []
    warnings = [failed for step in _STEPS if (failed := _try(step, copies, most_bytes)) is not None]
    if not warnings:
        copies.records.write(lambda tx: tx.execute(_DROP_MARK, (_UNSWEPT, mark)))
    return warnings


def copies_elsewhere(home: Path, index_home: Path) -> list[Path]:
    """Return files of a home that a sweep does not reach: other indexes, backups, older records."""
    indexes = [home / INDEX_FILE, *home.glob(f"*/*/{INDEX_FILE}")]
    aside = home.glob(f"*/*/{RECORDS_FILE}")
    backups = [path for folder in (home, index_home) for path in folder.glob("*.db.before-*")]
    mine = index_home / INDEX_FILE
    return sorted(
        {path for path in (*indexes, *aside, *backups) if path != mine and path.is_file()}
    )


def _try(step: SweepStep, copies: Copies, most_bytes: int | None) -> str | None:
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
    return clear_index(copies.index_database, copies.catch_up, most_bytes)


def clear_index(
    database: SqliteDatabase, catch_up: Callable[[], bool], most_bytes: int | None = None
) -> str | None:
    """Let an index drop what was removed, down to the bytes; return why that was not possible.

    Args:
        database: Its ``index.db``.
        catch_up: As in `Copies`.
        most_bytes: Skip a larger one.
    """
    if not catch_up():
        return "the index still holds what was removed: run `recollect sync`"
    return _rewrite(database, most_bytes)


def _clear_records(copies: Copies, most_bytes: int | None) -> str | None:
    records = copies.records
    head = records.read(last_change)
    for start in range(0, head, CHANGES):
        for kind in (MESSAGE_KIND, OBSERVATION_KIND, EPISODE_KIND, FACT_KIND):
            span = (start, min(head, start + CHANGES), kind)
            records.write(partial(_forget, span=span))
    return _rewrite(records, most_bytes)


def _forget(tx: Transaction, span: tuple[int, int, str]) -> None:
    tx.execute(_FORGET, span)


def _clear_blobs(copies: Copies, _: int | None) -> None:
    remove_unused(copies.records, copies.blobs)


def _clear_contents(copies: Copies, most_bytes: int | None) -> str | None:
    contents = copies.contents()
    if contents is None:
        return None
    collect(copies.records, contents, copies.clock)
    return _rewrite(contents, most_bytes)


_STEPS: tuple[SweepStep, ...] = (
    _clear_blobs,
    _cut_mirrors,
    _clear_index,
    _clear_records,
    _clear_contents,
)
_IN_THE_WAY = "a reader keeps a log open that may hold what was removed: prune again later"


def _rewrite(database: SqliteDatabase, most_bytes: int | None) -> str | None:
    if most_bytes is not None and database.path.stat().st_size > most_bytes:
        return f"{database.path.name} is large and was not rewritten: run `recollect prune`"
    return None if database.rewrite() else clear_log(database)


def clear_log(database: SqliteDatabase) -> str | None:
    """Checkpoint and truncate the log of a database; return why that was not possible."""
    return None if any(database.cut_log() for _ in range(_TRIES)) else _IN_THE_WAY


def _mark(tx: Transaction) -> str:
    row = tx.row(_FIND_MARK, (_UNSWEPT,))
    return text(row[0]) if row else ""


def sweep_spool(home: Path, sessions: Iterable[Session]) -> None:
    """Remove waiting events of some sessions from the spool: they would bring the sessions back.

    Raises:
        StoreError: one cannot be read or removed.
    """
    names = [each.foreign_id for each in sessions if each.foreign_id]
    spools = [home / SPOOL, *home.glob(f"{ASIDE}/*/{SPOOL}")] if names else []
    for path in (file for spool in spools for file in spool.rglob("*")):
        if path.suffix not in {".json", DRAFT_SUFFIX}:  # also what a killed hook left half written
            continue
        with os_errors(path), suppress(FileNotFoundError):  # the worker processed it meanwhile
            if holds_any(path, names):
                path.unlink(missing_ok=True)


def names_any(path: Path, names: set[str]) -> bool:
    """Return whether a file exists and has one of some ids in its name or text.

    A file with a redacted path counts as existing, and only its name is checked.
    """
    if is_marked(str(path)):
        return any(name in path.name for name in names)
    with suppress(OSError):
        return holds_any(path, names) or any(name in path.name for name in names)
    return False
