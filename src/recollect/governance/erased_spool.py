"""Events of erased sessions that wait in the spool of hooks: they would bring a session back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from recollect.sessions.record.session import Session
from recollect.store.failures import os_errors
from recollect.store.files import holds_any
from recollect.store.sqlite.home import SPOOL


def erase_spooled(home: Path, sessions: Iterable[Session]) -> None:
    """Remove every spooled file that names one of some sessions as its program does.

    Raises:
        StoreError: one cannot be read or removed.
    """
    names = {each.foreign_id for each in sessions} - {None}
    if not names:
        return
    for path in (home / SPOOL).rglob("*.json"):
        with os_errors(path):
            if holds_any(path, filter(None, names)):
                path.unlink(missing_ok=True)
