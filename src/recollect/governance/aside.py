"""Moves what a home holds into a folder of its own: for `init --fresh`, and for `recover`."""

from __future__ import annotations

import os
from pathlib import Path

from recollect.core.clock import Clock, to_datetime
from recollect.core.errors import StoreBusy
from recollect.store.failures import translate_os
from recollect.store.files import private_folder, sync_folder
from recollect.store.sqlite.damaged import is_open_elsewhere
from recollect.store.sqlite.database import write_queue
from recollect.store.sqlite.home import (
    AGENTS,
    ASIDE,
    BLOBS,
    CHECKPOINTS,
    CONTENTS_FILE,
    FACTS_FILE,
    GUEST_NOTES,
    INDEX_FILE,
    RECORDS_FILE,
    RECOVERY_FILE,
    SPOOL,
    TRANSCRIPTS,
)

_FOLDERS = (TRANSCRIPTS, AGENTS, GUEST_NOTES, BLOBS, SPOOL, CHECKPOINTS)
_RECORDS = tuple(RECORDS_FILE + suffix for suffix in ("", "-journal", "-shm", "-wal"))
_PATIENCE_S = 10.0


def set_home_aside(home: Path, clock: Clock) -> Path | None:
    """Move all but the settings away: databases, mirrors, notes of guests, checkpoints, spool.

    The records are moved last and their log after them: a process killed in between leaves a home
    that opens, or one that is refused, never one that silently lacks its newest rows.

    Returns:
        Their new folder; None where there were none.

    Raises:
        StoreBusy: another program has a database open, or that cannot be determined.
        StoreError: they cannot be moved.
    """
    names = [path.name for path in home.glob("*") if _is_content(path.name)]
    if names:
        indexes = (home / AGENTS).glob(f"*/{INDEX_FILE}")
        contents = home / CHECKPOINTS / CONTENTS_FILE
        refuse_open(home, home / RECORDS_FILE, home / INDEX_FILE, *indexes, contents)
    return _set_aside(home, names, clock)


def set_records_aside(home: Path, clock: Clock) -> Path | None:
    """Move ``records.db`` and its log away; everything else stays.

    Returns:
        Their new folder; None where there were none.

    Raises:
        StoreBusy: another program has it open, or that cannot be determined.
        StoreError: they cannot be moved.
    """
    refuse_open(home, home / RECORDS_FILE)
    return _set_aside(home, [name for name in _RECORDS if os.path.lexists(home / name)], clock)


def refuse_open(home: Path, *databases: Path) -> None:
    """Refuse to move files that another program may have open.

    Raises:
        StoreBusy: one is open, or that cannot be determined.
    """
    if any(map(is_open_elsewhere, databases)):
        raise StoreBusy(
            "another program may have the home open",
            hint=f"close what uses recollect; or rename {home} and run `recollect init`",
            path=str(home),
        )


def _set_aside(home: Path, names: list[str], clock: Clock) -> Path | None:
    if not names:
        return None
    target = new_folder(private_folder(home / ASIDE), clock)
    try:
        with write_queue(home / RECORDS_FILE).turn(_PATIENCE_S):
            for name in sorted(names, key=lambda name: (name.startswith(RECORDS_FILE), name)):
                os.rename(home / name, target / name)
        sync_folder(target)
        sync_folder(home)
    except OSError as error:
        raise translate_os(error, home) from error
    return target


def _is_content(name: str) -> bool:
    is_database = name.startswith((RECORDS_FILE, INDEX_FILE)) and not name.endswith(".lock")
    return is_database or name in {*_FOLDERS, RECOVERY_FILE, FACTS_FILE}


def new_folder(above: Path, clock: Clock) -> Path:
    """Create a folder with the time in its name.

    Raises:
        StoreError: it cannot be created.
    """
    stamp = to_datetime(clock.now_ms()).strftime("%Y%m%d-%H%M%S")
    path, number = above / stamp, 1
    while path.exists():
        number += 1
        path = above / f"{stamp}-{number}"
    return private_folder(path)
