"""The files of a home, and the id that its databases carry.

``records.db`` is the truth. Where an index, mirrors or a log say that there was one, a missing,
empty or foreign file is refused and nothing is changed. It is made before anything else of a home,
complete and durable, so that a crash never leaves a home that refuses itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

import apsw
import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import RecordsLost
from recollect.store.engine import Transaction
from recollect.store.failures import os_errors
from recollect.store.meta import ADD_VALUE, EPOCH, FIND_VALUE, find_value, new_epoch, set_value
from recollect.store.sqlite.connection import ConnectionOpener, Tuning, discard

RECORDS_FILE = "records.db"
INDEX_FILE = "index.db"
RECORDS_ID = int.from_bytes(b"RcRe")
INDEX_ID = int.from_bytes(b"RcIx")
CONTENTS_ID = int.from_bytes(b"RcCo")
CHECKPOINTS = "checkpoints"
"""The folder of what files were: raw, and in no backup that does not ask for it."""
CONTENTS_FILE = "contents.db"
INCOMING = "incoming"
"""In it: the folder of what hooks kept of files while no worker answered."""
TRANSCRIPTS = "transcripts"
"""The folder of the mirrors."""
MIRROR_SUFFIX = ".jsonl"
RECOVERY_FILE = "recovery.json"
FACTS_FILE = "facts.jsonl"
"""Files that `recollect recover` needs beside the mirrors."""
BLOBS = "blobs"
"""The folder of long content, named by its digest."""
AGENTS = "agents"
"""The folder of the indexes of agents with settings of their own, each in one of its name."""
GUEST_NOTES = "notes"
"""The folder of the notes of guests, with one folder for each visibility group."""
ASIDE = "aside"
"""The folder of earlier data, with one folder for each time it was set aside."""
SPOOL = "spool"
"""The folder of events that hooks could not deliver, one file each."""

_KEY = "home.id"
_MIRRORS_ASKED = 1_000
_FIND_SESSION = "SELECT 1 FROM sessions WHERE id = ?"
_FIND_FACT = "SELECT 1 FROM facts WHERE id = ?"
_HINT = (
    "restore a backup with `recollect restore FILE`; or rebuild it from the readable transcripts"
    " with `recollect recover`; or start over with `recollect init --fresh`. All keep what is there"
)
_LOG_HINT = f"{_HINT}. Before you put a file there by hand, move {RECORDS_FILE}-wal away"
_FOREIGN_HINT = (
    "put the records.db of this home back, or rebuild it with `recollect recover`; if this is it,"
    " delete index.db, which comes back by itself; or start over with `recollect init --fresh`"
)


def refuse_lost(home: Path) -> None:
    """Refuse a home whose ``records.db`` is gone. Opens nothing: SQLite would drop the log.

    Raises:
        RecordsLost: it is missing or has no bytes, and something beside it shows that it existed.
        StoreError: the home cannot be read.
    """
    records = home / RECORDS_FILE
    # In this order, since a process that creates a home now creates the records first.
    log = records.with_name(f"{RECORDS_FILE}-wal")
    has_log, remains = bool(_size(log)), left_of_records(home)
    size = _size(records)
    if size or not (remains or has_log):
        return
    # SQLite would write a log back into any file beside it.
    hint = _LOG_HINT if has_log else _HINT
    happened = f"{RECORDS_FILE} is {'missing' if size is None else 'empty'}"
    message = f"{happened}, and {log.name if has_log else remains} is there"
    raise RecordsLost(message, hint=hint, path=str(records))


def refuse_foreign(connection: apsw.Connection, home: Path, tuning: Tuning) -> None:
    """Refuse an open ``records.db`` that is not the one of its home; reads only.

    An index with another id may be the foreign one: it is where a mirror belongs to these records.

    Raises:
        RecordsLost: it has no tables of ours, or is of another home than the index beside it.
        StoreError: the home cannot be read.
        apsw.Error: SQLite could not read it.
    """
    path = home / RECORDS_FILE
    remains = left_of_records(home)
    if remains is None:
        return
    if connection.pragma("application_id") != RECORDS_ID or not connection.pragma("user_version"):
        happened = f"{RECORDS_FILE} holds no records, and {remains} is there"
        raise RecordsLost(happened, hint=_HINT, path=str(path))
    ids = {_id_of_index(index, tuning) for index in _indexes(home)} - {None}
    if ids and _id_of(connection) not in ids and not _has_mirror(connection, home):
        happened = f"{RECORDS_FILE} and {INDEX_FILE} are of two homes"
        raise RecordsLost(happened, hint=_FOREIGN_HINT, path=str(path))


def sign(connection: apsw.Connection, new_id: str) -> None:
    """Give ``records.db`` an id and its journal an epoch, unless it has them."""
    for key, value in ((_KEY, new_id), (EPOCH, new_epoch())):
        connection.execute(ADD_VALUE, (key, value)).fetchall()


def find_home_id(tx: Transaction) -> str | None:
    """Return the id of the home that a database belongs to; None where it has none yet."""
    return find_value(tx, _KEY)


def set_home_id(tx: Transaction, home_id: str) -> None:
    """Store the id of the home in a database."""
    set_value(tx, _KEY, home_id)


def left_of_records(home: Path) -> str | None:
    """Return the name of something that only a home with records has."""
    for index in _indexes(home):
        return index.relative_to(home).as_posix()
    mirrors = (f"{TRANSCRIPTS}/{name}" for name in _mirrors(home))
    backups = (name for name in _names(home) if name.startswith(f"{RECORDS_FILE}.before-"))
    facts = [name for name in (RECOVERY_FILE, FACTS_FILE) if _size(home / name)]
    return next(chain(mirrors, backups, facts), None)


def _indexes(home: Path) -> Iterator[Path]:
    """Yield the indexes that hold something."""
    agents = home / AGENTS
    for folder in (home, *(agents / name for name in _names(agents))):
        if _size(folder / INDEX_FILE):
            yield folder / INDEX_FILE


def _mirrors(home: Path) -> Iterator[str]:
    return (name for name in _names(home / TRANSCRIPTS) if name.endswith(MIRROR_SUFFIX))


def _names(folder: Path) -> Iterator[str]:
    missing = suppress(FileNotFoundError, NotADirectoryError)
    with os_errors(folder), missing, os.scandir(folder) as entries:
        yield from (entry.name for entry in entries)


def _size(path: Path) -> int | None:
    with os_errors(path), suppress(FileNotFoundError, NotADirectoryError):
        return path.stat().st_size
    return None


def _id_of_index(path: Path, tuning: Tuning) -> str | None:
    """Return the id in an index; None where it has none, or cannot be read: it is derived."""
    with suppress(apsw.Error, UnicodeDecodeError):
        connection = ConnectionOpener(path, tuning).open("reader")
        try:
            return _id_of(connection)
        finally:
            discard(connection)
    return None


def _id_of(connection: apsw.Connection) -> str | None:
    value = connection.execute(FIND_VALUE, (_KEY,)).get
    return None if value is None else str(value)


def _has_mirror(connection: apsw.Connection, home: Path) -> bool:
    """Return whether one of the first thousand mirrors is of these records, or a mirrored fact."""
    return any(
        connection.execute(_FIND_SESSION, (name.removesuffix(MIRROR_SUFFIX),)).get
        for name in islice(_mirrors(home), _MIRRORS_ASKED)
    ) or _has_fact(connection, home)


def _has_fact(connection: apsw.Connection, home: Path) -> bool:
    path = home / FACTS_FILE
    with suppress(OSError, msgspec.MsgspecError, apsw.SQLError):  # an older schema has no facts
        with path.open("rb") as file:
            first = decode_json(file.readline(), dict[str, Any])
        return bool(connection.execute(_FIND_FACT, (str(first.get("id")),)).get)
    return False
