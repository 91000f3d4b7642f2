"""Keeps a back end in step with our rows: registers it, works off its outbox, finds drift."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec
import numpy as np

from recollect.core.errors import RecollectError, StoreBusy
from recollect.index.model.chunk_record import Ints
from recollect.index.model.sync_report import never
from recollect.index.vectors.backend_health import BackendHealth
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
from recollect.index.vectors.port import VectorBackend
from recollect.store.engine import Database, Transaction
from recollect.store.locks import WriteQueue

CHANGES = 1_000
"""Changes brought over at once: a second of work for the slowest back end."""
PATIENCE_S = 0.5
"""How long to wait for another process that brings changes over; it does our work too."""

Former = Callable[[Registration], VectorBackend]
"""Returns the back end that a registration is about, to remove the vectors from it."""


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """Vectors of a partition that the back end lacks, and such as it should not have."""

    partition: int
    missing: int
    extra: int


class BackendMaintenance:
    """Of one back end. Its errors are noted in ``standing`` and never raised.

    Args:
        database: index.db.
        standing: Of the back end.
        turns: Taken by whoever brings changes to a back end outside of index.db.
        former: Knows the back ends of earlier settings.
    """

    def __init__(
        self, database: Database, standing: BackendHealth, turns: WriteQueue, former: Former
    ) -> None:
        self._database = database
        self._standing = standing
        self._backend = standing.backend
        self._turns = turns
        self._former = former
        self._wanted = Registration(name=self._backend.name, place=self._backend.place)
        self._compared_at = 0
        self._is_doubtful = False
        self._kept: frozenset[int] = frozenset()

    def catch_up(self, stopping: Callable[[], bool] = never, most: int | None = None) -> None:
        """Bring the back end up to our rows, as far as it can be reached.

        Args:
            stopping: Asked between batches.
            most: For somebody who waits: leave it when more changes than these are to be made.
        """
        if not self._standing.prepare():
            return
        try:
            if most is not None and self._database.read(self.waiting) > most:
                return
            self._register()
            self._compare()
            self._work_off(stopping)
        except StoreBusy:
            return
        except RecollectError as error:
            self._standing.note(error)

    def follow(self, tx: Transaction) -> None:
        """Bring the changes of a transaction into a back end in the same database."""
        if not self._standing.is_open or not self.is_registered(tx):
            return
        try:
            while self._apply_some(tx):
                pass
        except RecollectError as error:
            self._standing.note(error)

    def is_registered(self, tx: Transaction) -> bool:
        """Return whether the outbox is kept for this back end."""
        return find_registration(tx) == self._wanted

    def is_in_step(self, tx: Transaction) -> bool:
        """Return whether the back end has every vector of this snapshot."""
        return self.is_registered(tx) and not is_behind(tx)

    def waiting(self, tx: Transaction) -> int:
        """Return how many changes the back end does not have."""
        if self.is_registered(tx):
            return count_changes(tx)
        return sum(count_stored(tx, part) for part in live_parts(tx))

    def doubt(self) -> None:
        """Let the next catching up count, because the back end seems to have lost something."""
        self._is_doubtful = True

    def check(self) -> list[Drift]:
        """Return what differs from our rows; nothing where the back end cannot be asked."""
        self.catch_up()
        return [drift for drift, _ in self._drifts()]

    def heal(self) -> int:
        """Bring over again what differs, and return how many vectors that were."""
        self.catch_up()
        chunks = self._enqueue([ids for _, ids in self._drifts()])
        self.catch_up()
        return chunks

    def start_over(self) -> bool:
        """Remove every vector of the back end and let it be filled again.

        Returns:
            False when it cannot be reached.
        """
        if not self._standing.prepare():
            return False
        try:
            self._begin()
        except RecollectError as error:
            self._standing.note(error)
            return False
        return True

    def _register(self) -> None:
        if not self._database.read(self.is_registered):
            leave_former(self._database, self._former)
            self._begin()

    def _begin(self) -> None:
        """Begin with nothing, so that no copy of an earlier time is taken for a present one."""
        (self._database.write if self._backend.is_inside else self._database.read)(
            self._backend.leave
        )
        self._database.write(partial(register, wanted=self._wanted))

    def _compare(self) -> None:
        """Count once for each opening, and when in doubt; what differs is brought over again."""
        if self._compared_at == self._standing.openings and not self._is_doubtful:
            return
        if self._database.read(self._differs):
            self._enqueue([ids for _, ids in self._drifts()])
        self._compared_at, self._is_doubtful = self._standing.openings, False

    def _differs(self, tx: Transaction) -> bool:
        if is_behind(tx):
            return False  # a fill that was begun: what is missing waits already
        return any(self._backend.count(tx, p) != count_stored(tx, p) for p in live_parts(tx))

    def _drifts(self) -> list[tuple[Drift, Ints]]:
        """Return the partitions that differ, each with the ids that do."""
        if not self._standing.is_open:
            return []
        try:
            return self._database.read(partial(_drifts, backend=self._backend))
        except RecollectError as error:
            self._standing.note(error)
            return []

    def _enqueue(self, wrong: list[Ints]) -> int:
        chunks = np.concatenate([np.zeros(0, np.int64), *wrong])
        if len(chunks):
            self._database.write(lambda tx: add_changes(tx, chunks))
        return len(chunks)

    def _work_off(self, stopping: Callable[[], bool]) -> None:
        work = self._work_off_inside if self._backend.is_inside else self._work_off_outside
        if self._database.read(is_behind):
            work(stopping)
        parts = self._database.read(live_parts)
        live = frozenset(part.number for part in parts)
        if live == self._kept:
            return
        change = self._database.write if self._backend.is_inside else self._database.read
        change(lambda tx: self._backend.keep_only(tx, parts))
        self._kept = live

    def _work_off_inside(self, stopping: Callable[[], bool]) -> None:
        while not stopping() and self._database.write(self._apply_some):
            pass

    def _work_off_outside(self, stopping: Callable[[], bool]) -> None:
        """Change what is outside first, then forget the change: a kill repeats, loses nothing."""
        with self._turns.turn(PATIENCE_S):
            while not stopping() and (last := self._database.read(self._apply)):
                self._database.write(partial(forget_changes, last=last))

    def _apply(self, tx: Transaction) -> int:
        last, changes = next_changes(tx, CHANGES)
        for change in changes:
            self._backend.apply(tx, change)
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
    said = None
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
        said = f"vectors were left in {registered.name} {registered.place}: {error.message}"
    database.write(unregister)
    return said


def _drifts(tx: Transaction, backend: VectorBackend) -> list[tuple[Drift, Ints]]:
    found = []
    for part in live_parts(tx):
        ours, theirs = stored_ids(tx, part), backend.ids(tx, part)
        missing, extra = np.setdiff1d(ours, theirs), np.setdiff1d(theirs, ours)
        if len(missing) or len(extra):
            drift = Drift(partition=part.number, missing=len(missing), extra=len(extra))
            found.append((drift, np.concatenate([missing, extra])))
    return found
