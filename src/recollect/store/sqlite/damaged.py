"""Handles the file of a damaged database that can be derived again: it is removed or renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from recollect.core.errors import StoreBusy
from recollect.store.failures import os_errors

PROCESSES = Path("/proc")
_LOGS = ("-wal", "-shm")


def is_open_elsewhere(path: Path) -> bool:
    """Return whether another process has a file open; True where that cannot be known."""
    if not PROCESSES.is_dir():
        return True
    others = (each for each in PROCESSES.glob("[0-9]*") if each.name != str(os.getpid()))
    return any(path.resolve() in _open_files(each / "fd") for each in others)


def refuse_shared(path: Path) -> None:
    """Refuse to touch a damaged database that another process may have open.

    Raises:
        StoreBusy: one has it open, or that cannot be determined.
    """
    if is_open_elsewhere(path):
        raise StoreBusy(
            f"{path.name} is damaged, and another program may have it open",
            hint=f"close what uses recollect, delete {path}*, then run `recollect sync`",
            path=str(path),
        )


def remove_database(path: Path) -> None:
    """Remove a database and its logs. No connection of this process may be open.

    Raises:
        StoreBusy: another process has it open, or that cannot be determined.
        StoreError: it cannot be removed.
    """
    refuse_shared(path)
    with os_errors(path):
        for suffix in ("", *_LOGS):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def set_aside(path: Path, ending: str) -> None:
    """Rename a database, without its logs, so that a new one can take its place.

    Raises:
        StoreBusy: another process has it open, or that cannot be determined.
        StoreError: it cannot be renamed.
    """
    refuse_shared(path)
    with os_errors(path):
        os.replace(path, path.with_name(path.name + ending))
        for suffix in _LOGS:
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def _open_files(descriptors: Path) -> Iterator[Path]:
    try:
        for descriptor in descriptors.iterdir():
            yield Path(os.readlink(descriptor))
    except OSError:
        return  # it has just ended, or belongs to a user who cannot read the home either
