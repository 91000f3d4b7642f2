"""The indexes of a home: the one that is open, and those of agents with settings of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from recollect.assembly.resources import Resources, open_resources, own_index_of
from recollect.assembly.sources import LateNotes, memory_files
from recollect.core.scope import Scope
from recollect.index.index import Index
from recollect.index.model.document import DocumentSource
from recollect.index.model.locks import IndexLocks
from recollect.index.vectors.port import VectorContext
from recollect.index.vectors.vector_index import choose as choose_vectors
from recollect.recall.outbox_source import OutboxSource
from recollect.store.engine import Database
from recollect.store.meta import persisted_random
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.home import AGENTS, INDEX_FILE

if TYPE_CHECKING:  # imported with the first workspace
    from recollect.recall.memory_source import MemorySource

_COPIES = "vectors.home"
"""The key of the name of our copies of vectors outside of the home."""


def make_index(
    resources: Resources, files: MemorySource | None, notes: LateNotes, locks: IndexLocks
) -> Index:
    """Return the index of a memory, over its open database."""
    agent = own_index_of(resources.resolved, resources.scope)
    records, database = resources.records, resources.index_database
    feeds: list[DocumentSource] = [
        OutboxSource(records, agent, resources.owner),
        *([files] if files else []),
        notes,
    ]
    vector = resources.resolved.settings.search.vector
    incompatibility = resources.index_incompatibility
    near = VectorContext(
        settings=vector,
        database=database,
        home=resources.index_home,
        home_id=_copies(records, agent),
        clock=resources.clock,
    )
    return Index(
        database,
        feeds,
        resources.resolved.settings,
        clock=resources.clock,
        embedder=resources.choice.embedder,
        fallback=resources.choice.fallback,
        was_found=resources.was_found,
        locks=locks,
        origin=files.origin if files else None,
        near=choose_vectors(near),
        notice=incompatibility and f"{incompatibility}: it is rebuilt",
    )


class HomeIndexes:
    """Implements `recollect.governance.erasure.Indexes`.

    Args:
        resources: Those of the memory.
        index: The one that is open.
    """

    def __init__(self, resources: Resources, index: Index) -> None:
        self._resources = resources
        self._index = index

    def drop(self, feed: DocumentSource) -> None:
        """Apply the removals of a source to every index."""
        self._index.take(feed)
        for other, _ in self._others():
            other.take(feed)

    def clear_others(self) -> Iterator[str]:
        """Let the others drop what was removed from the records; yield what failed."""
        from recollect.governance.sweep import clear_index

        for other, database in self._others():
            failed = clear_index(database, other.catch_up)
            if failed is not None:
                yield failed

    def _others(self) -> Iterator[tuple[Index, SqliteDatabase]]:
        """Yield each of the others, open until the next iteration.

        The index of an agent that no longer has settings is removed: it would never be opened
        again.
        """
        from recollect.store.sqlite.copies import remove_copy

        resources = self._resources
        mine = own_index_of(resources.resolved, resources.scope)
        agents = {path.parent.name for path in (resources.home / AGENTS).glob(f"*/{INDEX_FILE}")}
        main = {None} if (resources.home / INDEX_FILE).exists() else set()
        for agent in (agents | main) - {mine}:
            if agent is not None and agent not in resources.resolved.agents:
                remove_copy(resources.home / AGENTS / agent / INDEX_FILE)
                continue
            scope = Scope(tenant=resources.scope.tenant, agent=agent)
            other = open_resources(
                msgspec.structs.replace(resources.order, scope=scope, live=False)
            )
            locks = IndexLocks(other.index_home, other.clock)
            index = make_index(other, memory_files(other), LateNotes(other), locks)
            try:
                yield index, other.index_database
            finally:
                index.near.close()
                if resources.order.embedder is None and other.choice.embedder is not None:
                    other.choice.embedder.close()
                other.index_database.close()
                other.records.close()


def _copies(records: Database, agent: str | None) -> str:
    """Return the name of this index where copies of its vectors lie beside those of others."""
    return hashlib.sha256(f"{persisted_random(records, _COPIES)} {agent}".encode()).hexdigest()[:24]
