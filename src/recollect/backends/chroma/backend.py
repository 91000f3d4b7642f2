"""The back end Chroma: one collection a partition, with vectors under chunk ids and nothing else.

It is outside our transactions, so it receives changes through the outbox. No text is ever sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from recollect.backends.chroma.embedded import ChromaEmbedded
from recollect.backends.chroma.server import ChromaServer
from recollect.index.vectors.port import Floats, Ints, Part, VectorChange, VectorContext
from recollect.store.engine import Transaction

AT_ONCE = 250
"""Vectors of one call: about 2 MB on the wire."""
WIDEST = 4_096


class ChromaClient(Protocol):
    """The operations needed of Chroma, in process or over HTTP. Calls raise `StoreError`."""

    place: str

    def open(self) -> None:
        """Connect, or open the folder."""

    def names(self) -> list[str]:
        """Return the names of all collections."""

    def put(self, name: str, ids: Sequence[str], vectors: Floats) -> None:
        """Store vectors in a collection, made when it is missing."""

    def remove(self, name: str, ids: Sequence[str]) -> None:
        """Remove vectors; a missing collection or id is ignored."""

    def nearest(self, name: str, vector: Floats, most: int) -> list[str]:
        """Return the ids of the nearest vectors, best first; empty for a missing collection."""

    def ids(self, name: str) -> list[str]:
        """Return all ids of a collection; empty for a missing collection."""

    def count(self, name: str) -> int:
        """Return the number of vectors in a collection."""

    def drop(self, name: str) -> None:
        """Remove a collection; a missing one is ignored."""

    def leave(self, prefix: str) -> None:
        """Remove all collections with a prefix, and their files where those are ours."""

    def close(self) -> None:
        """Close the client."""


def create(context: VectorContext) -> Chroma:
    """Return the back end of an index: a server where there is an address, else a folder."""
    url = context.settings.chroma_url if context.place is None else context.place
    client = ChromaServer(url) if url else ChromaEmbedded(context.home, context.clock)
    return Chroma(client, context.home_id)


class Chroma:
    """Implements `VectorBackend`.

    Args:
        client: Talks to Chroma.
        home_id: Separates the collections of this home from others on the same server.
    """

    name = "chroma"
    is_inside = False
    library: str | None = None

    def __init__(self, client: ChromaClient, home_id: str) -> None:
        self._client = client
        self._prefix = f"recollect-{home_id}-"
        self.place = client.place

    def open(self) -> None:
        """Connect."""
        self._client.open()

    def apply(self, tx: Transaction, change: VectorChange) -> None:
        """Store and remove vectors."""
        name = self._name(change.part)
        additions, removals = [str(key) for key in change.put], [str(key) for key in change.gone]
        for start in range(0, len(additions), AT_ONCE):
            batch = slice(start, start + AT_ONCE)
            self._client.put(name, additions[batch], change.vectors[batch])
        for start in range(0, len(removals), AT_ONCE):
            self._client.remove(name, removals[start : start + AT_ONCE])

    def nearest(self, tx: Transaction, part: Part, vector: Floats, most: int) -> Ints:
        """Return the ids of the nearest vectors, best first."""
        return _numbers(self._client.nearest(self._name(part), vector, min(most, WIDEST)))

    def ids(self, tx: Transaction, part: Part) -> Ints:
        """Return the ids of the vectors of a partition."""
        return _numbers(self._client.ids(self._name(part)))

    def count(self, tx: Transaction, part: Part) -> int:
        """Return the number of vectors of a partition."""
        return self._client.count(self._name(part))

    def keep_only(self, tx: Transaction, parts: Sequence[Part]) -> None:
        """Drop the collections of other partitions of this home."""
        names = {self._name(part) for part in parts}
        for name in self._client.names():
            if name.startswith(self._prefix) and name not in names:
                self._client.drop(name)

    def leave(self, tx: Transaction) -> None:
        """Remove all of this home."""
        self._client.leave(self._prefix)

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _name(self, part: Part) -> str:
        return f"{self._prefix}{part.generation}-{part.number}"


def _numbers(ids: Sequence[str]) -> Ints:
    return np.array([int(key) for key in ids if key.isdecimal()], np.int64)
