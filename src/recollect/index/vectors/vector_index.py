"""The search for near vectors: by the chosen back end while it can answer, by the codes otherwise.

The settings choose it. No error of a back end leaves this module: an answer without it is the same
answer.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.plugins import load_plugin
from recollect.index.model.chunk_record import Floats, Ints, Mask
from recollect.index.model.sync_report import never
from recollect.index.vectors.changes import Registration, find_part
from recollect.index.vectors.codes import CodeMatrix
from recollect.index.vectors.maintenance import (
    BackendHealth,
    BackendMaintenance,
    Drift,
    Former,
    leave_former,
)
from recollect.index.vectors.port import (
    NearScan,
    VectorBackend,
    VectorBackendFactory,
    VectorContext,
)
from recollect.index.vectors.vector_rows import read_vectors
from recollect.store.engine import Database, Transaction
from recollect.store.locks import WriteQueue

BUILTIN_VECTORS = "memory"
VECTOR_ENTRY_POINTS = "recollect.vector_backends"
LOCK = "vectors.lock"

T = TypeVar("T")


class VectorStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of the search for near vectors.

    Attributes:
        enabled: Whether there are vectors at all.
        requested: The back end of the settings.
        used: The one that answers: ``requested``, or ``memory`` in its place.
        available: Whether the requested one can be reached.
        extension_path: File of its extension, if it has one.
        load_error: Why it cannot be reached.
        dimensions: Size of the vectors; None without an embedder.
        waiting: Changes that it does not have yet.
    """

    enabled: bool
    requested: str = BUILTIN_VECTORS
    used: str = BUILTIN_VECTORS
    available: bool = True
    extension_path: str | None = None
    load_error: str | None = None
    dimensions: int | None = None
    waiting: int = 0


class CodeSource(msgspec.Struct, frozen=True):
    """The state of a partition in a reader: its number, its codes, and the number of its chunks."""

    partition: int
    codes: CodeMatrix
    count: int


class VectorIndex:
    """The vector index. Threads may share it.

    The codes alone, or a back end beside them: then the codes answer while it cannot.

    Args:
        database: index.db.
        former: Knows the back ends of earlier settings.
        maintenance: Keeps the chosen back end in step; None without one, which is the default.
    """

    def __init__(
        self,
        database: Database,
        former: Former | None = None,
        maintenance: BackendMaintenance | None = None,
    ) -> None:
        self._database = database
        self._former = former
        self._maintenance = maintenance
        self._has_looked = False
        self._leftover_warning: str | None = None

    def followed(self) -> Database:
        """Return the database to write through, so that a back end inside it stays in step."""
        if self._maintenance is not None and self._maintenance.backend.is_inside:
            return FollowedDatabase(self._database, self._maintenance)
        return self._database

    def prepare(self) -> None:
        """Open the back end if it is closed, before a transaction that will use it."""
        if self._maintenance is not None:
            self._maintenance.health.prepare()

    def scan(self, tx: Transaction, source: CodeSource, vector: Floats) -> NearScan:
        """Return the scan of the back end, or that of the codes while it lags."""
        codes, maintenance = source.codes.scan(vector, source.count), self._maintenance
        if maintenance is None or not maintenance.may_answer(tx):
            return codes
        part = find_part(tx, source.partition)
        if part is None:
            return codes

        def compare(numbers: Ints) -> Floats:
            cosines: Floats = read_vectors(tx, part.number, numbers, part.dimensions) @ vector
            return cosines

        present = source.codes.present[: source.count]
        there = int(np.count_nonzero(present))

        def ask(most: int) -> Ints | None:
            nearest = maintenance.nearest(tx, part, vector, most)
            if nearest is not None and len(nearest) < min(most, there):
                maintenance.doubt()
                return None
            return nearest

        return BackedScan(codes, present, ask, compare)

    def catch_up(self, stopping: Callable[[], bool] = never) -> None:
        """Bring the back end up to our rows, as far as it can be reached.

        Without one, the rest of an earlier one is removed; checks once.

        Args:
            stopping: Asked between batches.
        """
        if self._maintenance is not None:
            self._maintenance.catch_up(stopping)
        elif self._former is not None and not self._has_looked:
            self._leftover_warning = leave_former(self._database, self._former)
            self._has_looked = True

    def warnings(self) -> list[str]:
        """Return the error of the back end, or what could not be removed from a former one."""
        if self._maintenance is None:
            return [self._leftover_warning] if self._leftover_warning else []
        name, error = self._maintenance.backend.name, self._maintenance.health.error
        return [f"{name} does not answer, memory does: {error}"] if error else []

    def status(self, dimensions: int) -> VectorStatus:
        """Return the status; opens the back end, but fills nothing.

        Args:
            dimensions: Of the vectors in the index; 0 without an embedder.
        """
        status = VectorStatus(enabled=dimensions > 0, dimensions=dimensions or None)
        if self._maintenance is None:
            return status
        backend, is_open = self._maintenance.backend, self._maintenance.health.prepare()
        waiting = self._database.read(self._maintenance.waiting)
        return msgspec.structs.replace(
            status,
            requested=backend.name,
            used=backend.name if is_open and not waiting else BUILTIN_VECTORS,
            available=is_open,
            extension_path=backend.library,
            load_error=self._maintenance.health.error,
            waiting=waiting,
        )

    def check(self) -> list[Drift]:
        """Return the differences from our rows, when the back end has every change.

        The codes cannot differ: they are checked with the rows of the index.
        """
        return [] if self._maintenance is None else self._maintenance.check()

    def heal(self) -> int:
        """Copy again what differs, and return the number of vectors."""
        return 0 if self._maintenance is None else self._maintenance.heal()

    def start_over(self) -> bool:
        """Remove every copy of a vector that a back end has; it is filled again later.

        For erasure that must leave no bytes: Chroma keeps those of deleted vectors in its files.

        Returns:
            False when the back end cannot be reached.
        """
        return self._maintenance is None or self._maintenance.start_over()

    def close(self) -> None:
        """Close the back end."""
        if self._maintenance is not None:
            self._maintenance.health.close()


def choose(context: VectorContext) -> VectorIndex:
    """Return the configured vector index; nothing is opened yet.

    Raises:
        InvalidInput: no package provides a back end with that name.
        ProviderError: it cannot be imported.
    """

    def former(registered: Registration) -> VectorBackend:
        earlier = msgspec.structs.replace(context, place=registered.place)
        return _create(registered.name, earlier)

    if context.settings.backend == BUILTIN_VECTORS:
        return VectorIndex(context.database, former)
    health = BackendHealth(_create(context.settings.backend, context), context.clock)
    turns = WriteQueue(context.home / LOCK)
    maintenance = BackendMaintenance(context.database, health, turns, former)
    return VectorIndex(context.database, former, maintenance)


def _create(name: str, context: VectorContext) -> VectorBackend:
    factory: VectorBackendFactory = load_plugin(
        VECTOR_ENTRY_POINTS, name, "vector back end", (BUILTIN_VECTORS,)
    )
    return factory(context)


class FollowedDatabase:
    """Implements `Database`: a unit's changes of vectors are part of its commit everywhere.

    Args:
        database: index.db.
        maintenance: Brings the changes over to a back end inside it.
    """

    def __init__(self, database: Database, maintenance: BackendMaintenance) -> None:
        self._database = database
        self._maintenance = maintenance

    def write(self, unit: Callable[[Transaction], T]) -> T:
        """Run a unit of work and what follows from it; see `recollect.store.engine`."""
        self._maintenance.health.prepare()
        return self._database.write(partial(self._run, unit))

    def submit(self, unit: Callable[[Transaction], T]) -> Future[T]:
        """Queue a unit of work and what follows from it; see `recollect.store.engine`."""
        self._maintenance.health.prepare()
        return self._database.submit(partial(self._run, unit))

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Read; see `recollect.store.engine`."""
        return self._database.read(unit)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _run(self, unit: Callable[[Transaction], T], tx: Transaction) -> T:
        result = unit(tx)
        self._maintenance.follow(tx)
        return result


FEW = 4_096
"""Up to this many visible chunks, their rows are compared: the nearest of all are seldom theirs."""
WIDEST = 4_096
"""The most hits requested at once, the limit of sqlite-vec."""


class BackedScan(msgspec.Struct, frozen=True):
    """Implements `NearScan`.

    Attributes:
        codes: Knows every cosine roughly.
        present: A mask of the chunks with a vector.
        ask: Returns the numbers of so many nearest chunks, best first; None when it cannot.
        compare: Returns the exact cosines of chunks.
    """

    codes: NearScan
    present: Mask
    ask: Callable[[int], Ints | None]
    compare: Callable[[Ints], Floats]

    def cosine(self, numbers: NDArray[np.int64]) -> Floats:
        """Return the cosines that the codes suggest."""
        return self.codes.cosine(numbers)

    def nearest(self, most: int, visible: Mask | None) -> Ints:
        """Return ``most`` visible chunks, all of them when there are fewer."""
        allowed = self.present if visible is None else self.present & visible
        count = int(np.count_nonzero(allowed))
        if count <= most:
            return np.flatnonzero(allowed)
        if count <= FEW and count < len(allowed) // 2:
            numbers = np.flatnonzero(allowed)
            return np.sort(numbers[np.argsort(-self.compare(numbers), kind="stable")[:most]])
        widened = self._widening(most, allowed)
        return self.codes.nearest(most, visible) if widened is None else np.sort(widened)

    def _widening(self, most: int, allowed: Mask) -> Ints | None:
        """Request more and more hits until enough of them are allowed."""
        request_size = most + most // 8
        while True:
            numbers = self.ask(min(request_size, WIDEST))
            if numbers is None:
                return None
            numbers = numbers[(numbers >= 0) & (numbers < len(allowed))]
            numbers = numbers[allowed[numbers]]
            if len(numbers) >= most:
                return numbers[:most]
            if request_size >= WIDEST:
                return None
            request_size *= 4
