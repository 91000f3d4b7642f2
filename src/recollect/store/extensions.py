"""Loadable extensions of SQLite: tried once aside, then brought into connections as they are used.

A file that cannot be loaded never harms a connection that works. The function ``load_extension``
of SQL stays off: only paths from the settings are loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakKeyDictionary

import apsw

from recollect.core.errors import StoreError

LOAD_TIMEOUT_S = 30.0
"""How long loading may take; a library on a dead network drive never comes."""


class Extensions:
    """Those of one database. Threads may share it."""

    def __init__(self) -> None:
        self._paths: tuple[str, ...] = ()
        self._loaded: WeakKeyDictionary[apsw.Connection, int] = WeakKeyDictionary()
        self._mutex = threading.Lock()

    def add(self, path: str, trial: Callable[[], apsw.Connection]) -> None:
        """Load ``path`` from now on, if it can be loaded.

        Args:
            path: The library; a missing suffix is the system's.
            trial: Opens a connection to try it on.

        Raises:
            StoreError: it cannot be loaded.
        """
        if path in self._paths:
            return
        _try(path, trial)
        with self._mutex:
            if path not in self._paths:
                self._paths = (*self._paths, path)

    def equip(self, connection: apsw.Connection) -> None:
        """Load what the connection lacks; what cannot be loaded any more is missed where used."""
        if not self._paths:
            return
        with self._mutex:
            done, self._loaded[connection] = self._loaded.get(connection, 0), len(self._paths)
        for path in self._paths[done:]:
            with suppress(apsw.Error):
                _load(connection, path)


def _try(path: str, trial: Callable[[], apsw.Connection]) -> None:
    said: list[str] = ["loading took too long"]
    thread = threading.Thread(
        target=lambda: said.__setitem__(0, _trouble(path, trial)),
        name="recollect-extension",
        daemon=True,
    )
    thread.start()
    thread.join(LOAD_TIMEOUT_S)
    if said[0]:
        raise StoreError(
            f"the extension cannot be loaded: {said[0]}",
            hint="install its package again, or correct its path",
            path=path,
        )


def _trouble(path: str, trial: Callable[[], apsw.Connection]) -> str:
    """Return why ``path`` cannot be loaded; empty when it can."""
    try:
        connection = trial()
    except apsw.Error as error:
        return str(error)
    try:
        _load(connection, path)
    except apsw.Error as error:
        return str(error) or type(error).__name__
    finally:
        connection.close(force=True)
    return ""


def _load(connection: apsw.Connection, path: str) -> None:
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    finally:
        connection.enable_load_extension(False)
