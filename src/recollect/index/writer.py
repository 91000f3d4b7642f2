"""Changes the documents of a partition, inside one write transaction of index.db."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import msgspec

from recollect.index.clearance import Clearance
from recollect.index.document import Document
from recollect.index.document_rows import Key, find_digests, restamp
from recollect.index.intake import Intake
from recollect.index.lexical.backends import DEFAULT, backend
from recollect.index.pieces import Prepared
from recollect.index.register import Register
from recollect.index.report import SyncReport
from recollect.store.cell import first_integer, integer
from recollect.store.engine import Transaction


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Documents to put, to leave alone but for their stamps, and to remove."""

    changed: Sequence[Prepared] = ()
    unchanged: Sequence[Document] = ()
    removed: Sequence[Key] = ()


class PartitionWriter:
    """Writes one partition. Kept from one transaction to the next, because it remembers numbers.

    What it remembers is used only when the partition is as this writer left it: after a transaction
    that failed or was run twice, or when another process has written, it begins anew.

    Args:
        partition: The row of `partitions`.
        lexical: What finds words, by name.
    """

    def __init__(self, partition: int, lexical: str = DEFAULT) -> None:
        self._partition = partition
        self._signature = secrets.randbits(62)
        self._left_at = -1
        self._words = backend(lexical).writer(partition)
        self._register = Register(partition)

    def apply(self, tx: Transaction, step: Step, *, embed: bool) -> SyncReport:
        """Put documents or replace their older versions, and remove others for good.

        Args:
            tx: The write transaction.
            step: What to do; a document that is put and removed is put.
            embed: Whether new chunks wait for an embedder.
        """
        first = self._begin(tx)
        restamp(tx, self._partition, step.unchanged)
        known = find_digests(tx, self._partition, [p.key for p in step.changed])
        fresh = [p for p in step.changed if known.get(p.key) != p.digest]
        clearance = Clearance(self._partition, self._words, self._register)
        clearance.take(tx, [p.key for p in fresh if p.key in known])
        put = {p.key for p in step.changed}
        removed = clearance.take(tx, [key for key in step.removed if key not in put])
        intake = Intake(self._partition, first, self._words, self._register)
        for prepared in fresh:
            intake.add(tx, prepared)
        if fresh or removed:
            self._store(tx, clearance, intake, embed=embed)
        unchanged = len(step.unchanged) + len(step.changed) - len(fresh)
        return SyncReport(put=len(fresh), unchanged=unchanged, removed=removed, chunks=len(intake))

    def _store(self, tx: Transaction, clearance: Clearance, intake: Intake, *, embed: bool) -> None:
        clearance.store(tx)
        intake.store(tx, embed=embed)
        self._register.store(tx)
        clearance.sweep(tx, intake.hashes)
        self._finish(tx, len(intake))

    def _begin(self, tx: Transaction) -> int:
        """Return the number of the next chunk; forget what may not be right any more."""
        row = tx.row(
            "SELECT chunks, revision, writer FROM partitions WHERE id = ?", (self._partition,)
        )
        chunks, revision, writer = map(integer, row or (0, 0, 0))
        if (revision, writer) != (self._left_at, self._signature):
            self._words.forget()
            self._register.forget()
        return chunks

    def _finish(self, tx: Transaction, added: int) -> None:
        self._left_at = first_integer(
            tx.row(
                "UPDATE partitions SET chunks = chunks + ?, revision = revision + 1, writer = ?"
                " WHERE id = ? RETURNING revision",
                (added, self._signature, self._partition),
            )
        )
