"""The port of the vector back ends: the operations of a store of vectors beside our own rows.

Our half-precision rows stay the truth and the codes in memory stay ready, so a back end may fail
or lag at any time: then the codes answer. It gets vectors under chunk ids, and nothing else. One
of another package is an entry point of the group ``recollect.vector_backends``: a
`VectorBackendFactory`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.clock import Clock
from recollect.core.settings import VectorSettings
from recollect.index.model.chunk_record import Floats, Ints, Mask, chunk_ids
from recollect.store.engine import ExtensibleDatabase, Transaction

__all__ = [
    "Floats",
    "Ints",
    "Mask",
    "NearScan",
    "Part",
    "VectorBackend",
    "VectorBackendFactory",
    "VectorChange",
    "VectorContext",
    "chunk_ids",
]


class VectorContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context that a back end is made with.

    Attributes:
        settings: The section ``search.vector``.
        database: index.db.
        home: The folder for its files and locks.
        home_id: Separates the vectors of this home from others on a server.
        clock: The time.
        place: The `VectorBackend.place` of an earlier one whose vectors are to be removed; None for
            the configured one.
    """

    settings: VectorSettings
    database: ExtensibleDatabase
    home: Path
    home_id: str
    clock: Clock
    place: str | None = None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A partition and what its vectors are: ``dimensions`` are those of its ``generation``."""

    number: int
    generation: int
    dimensions: int


class VectorChange(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of some chunks of a partition.

    Attributes:
        part: Their partition.
        put: Ids of those that have a vector now.
        vectors: Their vectors (len(put), dimensions), in that order.
        gone: Ids of those that have none any more.
    """

    part: Part
    put: Sequence[int]
    vectors: Floats
    gone: Sequence[int]


class VectorBackend(Protocol):
    """One back end. Calls raise `StoreError` when it cannot do it; none of them changes our rows.

    Attributes:
        name: As in the settings.
        place: The location of its vectors; another location has to be filled again.
        is_inside: Whether it lies in index.db, so that a change is part of the transaction.
        library: File of the extension it loads, if it loads one.
    """

    name: str
    place: str
    is_inside: bool
    library: str | None

    def open(self) -> None:
        """Load or connect. Called again after a failure."""

    def apply(self, tx: Transaction, change: VectorChange) -> None:
        """Store and remove vectors; the same change may come twice."""

    def nearest(self, tx: Transaction, part: Part, vector: Floats, most: int) -> Ints:
        """Return the ids of up to ``most`` chunks with the highest cosine, best first."""

    def ids(self, tx: Transaction, part: Part) -> Ints:
        """Return the ids of all vectors that it holds of a partition."""

    def count(self, tx: Transaction, part: Part) -> int:
        """Return the number of vectors that it holds of a partition."""

    def keep_only(self, tx: Transaction, parts: Sequence[Part]) -> None:
        """Remove the vectors of all other partitions of this home."""

    def leave(self, tx: Transaction) -> None:
        """Remove every vector of this home, because another back end was chosen."""

    def close(self) -> None:
        """Close files and connections."""


class VectorBackendFactory(Protocol):
    """The type of an entry point of the group ``recollect.vector_backends``."""

    def __call__(self, context: VectorContext) -> VectorBackend:
        """Return the back end; nothing is opened yet."""


class NearScan(Protocol):
    """The scan of the vectors near one question."""

    def cosine(self, numbers: NDArray[np.int64]) -> Floats:
        """Return estimates of the cosines of chunks; -1 where a chunk has no vector."""

    def nearest(self, most: int, visible: Mask | None) -> Ints:
        """Return about ``most`` visible chunks that are nearest, ascending by number."""
