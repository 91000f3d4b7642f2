"""Keeps a back end in step with our rows: registers it, works off its outbox, finds drift."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import msgspec
import numpy as np

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError, StoreBusy
from recollect.index.model.chunk_record import NUMBER_MASK, Floats, Ints
from recollect.index.model.sync_report import never
from recollect.index.vectors.changes import (
    Registration,
    add_changes,
    count_changes,
    count_stored,
    find_registration,
    forget_changes,
    is_behind,
    live_parts,
    next_changes,
    register,
    stored_ids,
    unregister,
)
from recollect.index.vectors.port import Part, VectorBackend
from recollect.store.engine import Database, Transaction
from recollect.store.locks import WriteQueue

CHANGES_AT_ONCE = 1_000
"""Changes copied at once: a second of work for the slowest back end."""
RETRY_MS = 30_000
"""How long a back end is left alone after a failure, so that no search waits for it twice."""
CATCH_UP_PATIENCE_S = 0.5
"""How long to wait for another process that copies changes; it does our work too."""

Former = Callable[[Registration], VectorBackend]
"""Returns the back end that a registration is about, to remove the vectors from it."""


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """Vectors of a partition that the back end lacks, and such as it should not have."""

    partition: int
    missing: int
    extra: int


class BackendHealth:
    """Of one back end. Threads may share it.

    Args:
        backend: Opened when it is needed first.
        clock: Says when one that failed is tried again.

    Attributes:
        backend: The same.
        is_open: Whether it may be asked.
        error: Why not, or None.
        openings: How often it was opened, so that others notice.
    """

    def __init__(self, backend: VectorBackend, clock: Clock) -> None:
        self.backend = backend
        self.is_open = False
        self.error: str | None = None
        self.openings = 0
        self._clock = clock
        self._retry_at = 0
        self._mutex = threading.Lock()

    def prepare(self) -> bool:
        """Open the back end unless it is open or failed a moment ago; return whether it is open."""
        with self._mutex:
            if not self.is_open and self._clock.now_ms() >= self._retry_at:
                with self.noting():
                    self.backend.open()
                    self.is_open, self.error = True, None
                    self.openings += 1
            return self.is_open

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Run a block that calls the back end; an error ends it here and is noted."""
        try:
            yield
        except RecollectError as error:
            self.note(error)

    def note(self, error: RecollectError) -> None:
        """Leave the back end alone for a while because of ``error``."""
        self.error = error.message
        self._retry_at = self._clock.now_ms() + RETRY_MS
        self.is_open = False

    def close(self) -> None:
        """Close the back end."""
        if self.openings:
            self.backend.close()
        self.is_open = False


class BackendMaintenance:
    """Of one back end. Its errors are noted in ``health`` and never raised.

    Args:
        database: index.db.
        health: Of the back end.
        turns: Taken by the process that copies changes to a back end outside of index.db.
        former: Knows the back ends of earlier settings.
    """

    def __init__(
        self, database: Database, health: BackendHealth, turns: WriteQueue, former: Former
    ) -> None:
        self._database = database
        self.health = health
        self.backend = health.backend
        self._turns = turns
        self._former = former
        self._registration = Registration(name=self.backend.name, place=self.backend.place)
        self._compared_at = 0
        self._is_doubtful = False
        self._live_parts: frozenset[int] = frozenset()

    def catch_up(self, stopping: Callable[[], bool]) -> None:
        """Bring the back end up to our rows, as far as it can be reached.

        Args:
            stopping: Asked between batches.
        """
        if not self.health.prepare():
            return
        with self.health.noting(), suppress(StoreBusy):
            if not self._database.read(self.is_registered):
                leave_former(self._database, self._former)
                self._begin()
            self._compare()
            self._work_off(stopping)

    def follow(self, tx: Transaction) -> None:
        """Bring the changes of a transaction into a back end in the same database."""
        if self.health.is_open and self.is_registered(tx):
            with self.health.noting():
                while self._apply_some(tx):
                    pass

    def is_registered(self, tx: Transaction) -> bool:
        """Return whether the outbox is kept for this back end."""
        return find_registration(tx) == self._registration

    def may_answer(self, tx: Transaction) -> bool:
        """Return whether the back end is open and has every vector of this snapshot."""
        return self.health.is_open and self.is_registered(tx) and not is_behind(tx)

    def nearest(self, tx: Transaction, part: Part, vector: Floats, most: int) -> Ints | None:
        """Return the numbers of the nearest chunks, best first; None when it cannot be asked."""
        if self.health.is_open:
            with self.health.noting():
                return self.backend.nearest(tx, part, vector, most) & NUMBER_MASK
        return None

    def waiting(self, tx: Transaction) -> int:
        """Return the number of changes that the back end does not have."""
        if self.is_registered(tx):
            return count_changes(tx)
        return sum(count_stored(tx, part) for part in live_parts(tx))

    def doubt(self) -> None:
        """Make the next catching up count the vectors, as the back end seems to have lost some."""
        self._is_doubtful = True

    def check(self) -> list[Drift]:
        """Return the differences from our rows; none where the back end cannot be asked."""
        self.catch_up(never)
        return [drift for drift, _ in self._drifts()]

    def heal(self) -> int:
        """Copy again what differs, and return the number of vectors."""
        self.catch_up(never)
        chunks = self._enqueue([ids for _, ids in self._drifts()])
        self.catch_up(never)
        return chunks

    def start_over(self) -> bool:
        """Remove every vector of the back end and let it be filled again.

        Returns:
            False when it cannot be reached.
        """
        if self.health.prepare():
            with self.health.noting():
                self._begin()
        return self.health.is_open

    def _begin(self) -> None:
        """Start empty, so that an old copy is not taken for a current one."""
        self._change(self.backend.leave)
        self._database.write(partial(register, registration=self._registration))

    def _change(self, unit: Callable[[Transaction], None]) -> None:
        """Run what changes the back end; one inside index.db changes in a transaction of it."""
        (self._database.write if self.backend.is_inside else self._database.read)(unit)

    def _compare(self) -> None:
        """Count once for each opening, and when in doubt; differences are copied again."""
        if self._compared_at == self.health.openings and not self._is_doubtful:
            return
        if self._database.read(self._differs):
            self._enqueue([ids for _, ids in self._drifts()])
        self._compared_at, self._is_doubtful = self.health.openings, False

    def _differs(self, tx: Transaction) -> bool:
        if is_behind(tx):
            return False  # a fill was begun, so the missing vectors are queued already
        return any(self.backend.count(tx, p) != count_stored(tx, p) for p in live_parts(tx))

    def _drifts(self) -> list[tuple[Drift, Ints]]:
        """Return the partitions that differ, each with the ids that do."""
        if self.health.is_open:
            with self.health.noting():
                return self._database.read(partial(_drifts, backend=self.backend))
        return []

    def _enqueue(self, wrong: list[Ints]) -> int:
        chunks = np.concatenate([np.zeros(0, np.int64), *wrong])
        if len(chunks):
            self._database.write(lambda tx: add_changes(tx, chunks))
        return len(chunks)

    def _work_off(self, stopping: Callable[[], bool]) -> None:
        if self._database.read(is_behind):
            if self.backend.is_inside:
                while not stopping() and self._database.write(self._apply_some):
                    pass
            else:
                self._work_off_outside(stopping)
        parts = self._database.read(live_parts)
        live = frozenset(part.number for part in parts)
        if live != self._live_parts:
            self._change(lambda tx: self.backend.keep_only(tx, parts))
            self._live_parts = live

    def _work_off_outside(self, stopping: Callable[[], bool]) -> None:
        """Change the back end first, then remove the change: a kill repeats, loses nothing."""
        with self._turns.turn(CATCH_UP_PATIENCE_S):
            while not stopping() and (last := self._database.read(self._apply)):
                self._database.write(partial(forget_changes, last=last))

    def _apply(self, tx: Transaction) -> int:
        last, changes = next_changes(tx, CHANGES_AT_ONCE)
        for change in changes:
            self.backend.apply(tx, change)
        return last

    def _apply_some(self, tx: Transaction) -> bool:
        last = self._apply(tx)
        if last:
            forget_changes(tx, last)
        return last > 0


def leave_former(database: Database, former: Former) -> str | None:
    """End the outbox of a back end that is not chosen any more, and remove its vectors.

    Returns:
        What could not be removed, or None.
    """
    registered = database.read(find_registration)
    if registered is None:
        return None
    warning = None
    try:
        backend = former(registered)
        if not backend.is_inside:
            backend.open()
            database.read(backend.leave)
            backend.close()
        else:
            with suppress(RecollectError):  # without its extension the tables are emptied
                backend.open()
            database.write(backend.leave)
    except RecollectError as error:
        warning = f"vectors were left in {registered.name} {registered.place}: {error.message}"
    database.write(unregister)
    return warning


def _drifts(tx: Transaction, backend: VectorBackend) -> list[tuple[Drift, Ints]]:
    drifts = []
    for part in live_parts(tx):
        ours, theirs = stored_ids(tx, part), backend.ids(tx, part)
        missing, extra = np.setdiff1d(ours, theirs), np.setdiff1d(theirs, ours)
        if len(missing) or len(extra):
            drift = Drift(partition=part.number, missing=len(missing), extra=len(extra))
            drifts.append((drift, np.concatenate([missing, extra])))
    return drifts
