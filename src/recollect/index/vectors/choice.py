"""Chooses what finds near vectors, by the settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.core.clock import Clock
from recollect.core.settings import VectorSettings
from recollect.index.vectors.backend_health import BackendHealth
from recollect.index.vectors.changes import Registration
from recollect.index.vectors.maintenance import BackendMaintenance
from recollect.index.vectors.port import VectorBackend
from recollect.index.vectors.vector_index import InBackend, InMemory, VectorIndex
from recollect.store.engine import ExtensibleDatabase
from recollect.store.locks import WriteQueue

if TYPE_CHECKING:  # each is imported where the settings choose it
    from recollect.backends.chroma.backend import Chroma

LOCK = "vectors.lock"


class VectorChoice:
    """Builds back ends for one index.

    Args:
        settings: The section ``search.vector``.
        database: index.db.
        home: Where a Chroma in process has its folder, and where the locks are.
        home_id: Parts the collections of this home from others on a server.
        clock: Says when a back end that failed is tried again.
    """

    def __init__(
        self,
        settings: VectorSettings,
        database: ExtensibleDatabase,
        home: Path,
        home_id: str,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._database = database
        self._home = home
        self._home_id = home_id
        self._clock = clock

    def choose(self) -> VectorIndex:
        """Return what the settings ask for; nothing is opened yet."""
        settings = self._settings
        if settings.backend == "memory":
            return InMemory(self._database, self._registered)
        if settings.backend == "sqlite-vec":
            return self._with(self._sqlite_vec())
        return self._with(self._chroma(settings.chroma_url))

    def _with(self, backend: VectorBackend) -> VectorIndex:
        standing = BackendHealth(backend, self._clock)
        turns = WriteQueue(self._home / LOCK)
        upkeep = BackendMaintenance(self._database, standing, turns, self._registered)
        return InBackend(self._database, standing, upkeep)

    def _registered(self, registered: Registration) -> VectorBackend:
        if registered.name == "sqlite-vec":
            return self._sqlite_vec()
        return self._chroma(registered.place or None)

    def _sqlite_vec(self) -> VectorBackend:
        from recollect.backends.sqlite_vec import SqliteVec

        return SqliteVec(self._database, self._settings.extension_path)

    def _chroma(self, url: str | None) -> Chroma:
        from recollect.backends.chroma.backend import Chroma
        from recollect.backends.chroma.embedded import ChromaEmbedded
        from recollect.backends.chroma.server import ChromaServer

        client = ChromaServer(url) if url else ChromaEmbedded(self._home, self._clock)
        return Chroma(client, self._home_id)
