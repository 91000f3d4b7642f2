"""Chooses what finds near vectors, by the settings."""

from __future__ import annotations

import msgspec

from recollect.core.plugins import load_plugin
from recollect.index.vectors.backend_health import BackendHealth
from recollect.index.vectors.changes import Registration
from recollect.index.vectors.maintenance import BackendMaintenance
from recollect.index.vectors.port import VectorBackend, VectorBackendFactory, VectorContext
from recollect.index.vectors.vector_index import DEFAULT, InBackend, InMemory, VectorIndex
from recollect.store.locks import WriteQueue

GROUP = "recollect.vector_backends"
LOCK = "vectors.lock"


def choose(context: VectorContext) -> VectorIndex:
    """Return what the settings ask for; nothing is opened yet.

    Raises:
        InvalidInput: no package brings a back end of that name.
        ProviderError: it cannot be imported.
    """

    def former(registered: Registration) -> VectorBackend:
        earlier = msgspec.structs.replace(context, place=registered.place)
        return _create(registered.name, earlier)

    if context.settings.backend == DEFAULT:
        return InMemory(context.database, former)
    health = BackendHealth(_create(context.settings.backend, context), context.clock)
    turns = WriteQueue(context.home / LOCK)
    maintenance = BackendMaintenance(context.database, health, turns, former)
    return InBackend(context.database, health, maintenance)


def _create(name: str, context: VectorContext) -> VectorBackend:
    factory: VectorBackendFactory = load_plugin(GROUP, name, "vector back end", (DEFAULT,))
    return factory(context)
