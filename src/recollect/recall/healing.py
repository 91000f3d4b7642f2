"""A damaged index heals by itself: it is derived, so it is rebuilt from the start."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError, StoreCorrupt, StoreReadOnly
from recollect.core.settings import StoreSettings
from recollect.index.index import Index
from recollect.index.model.chunk_record import DAMAGED_ROWS
from recollect.index.model.generation import retire_all, start_partitions_at
from recollect.recall.ownership import claim
from recollect.store.engine import Database
from recollect.store.sqlite.damaged import remove_database
from recollect.store.sqlite.database import MOVE_HINT, SqliteDatabase, open_index
from recollect.store.sqlite.home import INDEX_FILE
from recollect.store.sqlite.integrity import find_damage

DAMAGED = "index.db was damaged"
_PARTITIONS = 1 << 22
"""A new index numbers its partitions from a random number below this: what other programs hold in
memory of the old ones must match none of the new ones."""


def open_sound_index(
    folder: Path, settings: StoreSettings, clock: Clock
) -> tuple[SqliteDatabase, str | None]:
    """Open ``index.db``; replace it if it is damaged.

    Returns:
        The database, and what happened to it; None where nothing did.

    Raises:
        StoreBusy: it is damaged, and another process has it open.
        StoreError: it cannot be opened.
    """
    try:
        return open_index(folder, settings, clock), None
    except StoreCorrupt:
        pass
    try:
        return replace_damaged(folder, settings, clock, remove_database), DAMAGED
    except StoreReadOnly:
        message = f"{INDEX_FILE} is damaged, and its folder cannot be written"
        refusal = StoreReadOnly(message, hint=MOVE_HINT, path=str(folder / INDEX_FILE))
        return open_index(folder, settings, clock, refusal=refusal), None


def replace_damaged(
    folder: Path, settings: StoreSettings, clock: Clock, make_room: Callable[[Path], None]
) -> SqliteDatabase:
    """Return a new ``index.db`` with the sound vectors of the damaged one.

    Args:
        folder: Of the index.
        settings: Of the store.
        clock: Dates it.
        make_room: Removes or renames the damaged file.

    Raises:
        StoreBusy: another process has it open.
        StoreError: it cannot be moved or made.
    """
    with _saved_vectors(folder / INDEX_FILE) as saved:
        make_room(folder / INDEX_FILE)
        database = open_index(folder, settings, clock)
        _begin_again(database, saved)
    return database


def is_damaged(folder: Path, settings: StoreSettings, clock: Clock) -> bool:
    """Return whether ``index.db`` is there and damaged; False where that cannot be known."""
    if not (folder / INDEX_FILE).exists():
        return False
    try:
        database = open_index(folder, settings, clock)
        try:
            return bool(find_damage(database))
        finally:
            database.close()
    except StoreCorrupt:
        return True
    except RecollectError:
        return False


def heal_index(
    error: StoreCorrupt,
    records: Database,
    database: SqliteDatabase,
    index: Index,
    is_file_damaged: Callable[[], bool],
) -> bool:
    """Repair the index if it caused an error, and return whether it did.

    Args:
        error: What was raised.
        records: records.db.
        database: index.db.
        index: Reports to the next caller what happened.
        is_file_damaged: Checks index.db, which is closed.
    """
    are_rows = DAMAGED_ROWS in error.facts
    is_file = error.facts.get("path") == str(database.path) and not are_rows
    if is_file or are_rows:
        # `recover` uses an index to learn which sessions were lost.
        from recollect.sessions.mirror.soundness import require_sound

        require_sound(records)
    if is_file:
        with _saved_vectors(database.path) as saved:
            database.renew(is_file_damaged)
            _begin_again(database, saved)
        claim(records, database)
    elif are_rows:
        database.write(retire_all)
    else:
        return False
    index.tell_once(f"{DAMAGED}: it is rebuilt")
    return True


@contextmanager
def _saved_vectors(path: Path) -> Iterator[BinaryIO | None]:
    """Yield the sound vectors of a damaged index; None if it cannot be read."""
    from recollect.index.embedding.rescue import save_vectors
    from recollect.store.sqlite.snapshot import snapshots

    stream: BinaryIO | None = None
    with suppress(RecollectError, OSError), snapshots([path]) as (index,):
        stream = save_vectors(index, path.parent, path.stat().st_size)
    with stream or nullcontext():
        yield stream


def _begin_again(database: Database, saved: BinaryIO | None) -> None:
    """Number partitions differently in a new index, and put the saved vectors back."""
    start = secrets.randbelow(_PARTITIONS)
    database.write(lambda tx: start_partitions_at(tx, start))
    if saved is not None:
        from recollect.index.embedding.rescue import put_vectors_back

        put_vectors_back(database, saved)
