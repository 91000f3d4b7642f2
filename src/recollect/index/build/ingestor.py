"""Brings a generation up to its feeds: prepares batches, writes them, merges segments.

Several processes may do so at once. A batch is written only when the cursor of its feed is where
the batch begins, so nothing is applied twice and nothing is left out.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from recollect.core.errors import Conflict
from recollect.index.build.document_rows import find_digests, find_stamps
from recollect.index.build.prepared_chunk import prepare
from recollect.index.build.writer import PartitionWriter, WriteStep
from recollect.index.lexical.segments import Merge, Segment, plan_merge, segments
from recollect.index.model.document import Document, DocumentBatch, DocumentSource, SourceState
from recollect.index.model.generation import (
    Generation,
    cursor,
    ensure_partition,
    live_identity,
    partition_number,
    partition_numbers,
    set_cursor,
)
from recollect.index.model.sync_report import Progress, SyncReport, Watch
from recollect.store.engine import Database, Transaction

IGNORED = "annotations of memory files that are not valid and were left out"


class Superseded(Conflict):
    """The generation was retired while it was written: begin anew with the one that serves."""

    def __init__(self) -> None:
        super().__init__("the index was built anew meanwhile", hint="try again")


class Ingestor:
    """Writes batches of feeds into generations. Threads may share it.

    Args:
        database: index.db.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writers: dict[int, PartitionWriter] = {}
        """Touched only within units of work, which run one after the other."""
        self._merging = threading.Lock()

    def is_behind(self, generation: Generation, feed: DocumentSource) -> bool:
        """Return whether a feed may have something new for a generation."""
        return feed.is_behind(
            self._database.read(lambda tx: cursor(tx, generation.number, feed.name))
        )

    def sync(
        self, generation: Generation, feeds: Sequence[DocumentSource], watch: Watch
    ) -> SyncReport:
        """Write everything that is new; for an answer, of those feeds only that may have something.

        Raises:
            Superseded: the generation was retired.
            StoreError: the database refused.
        """
        report = SyncReport()
        for feed in feeds:
            is_finished = watch.mode == "answer" and not self.is_behind(generation, feed)
            while not is_finished:
                report, is_finished = self._sync_feed(generation, feed, report, watch)
        return report

    def merge(self, generation: Generation, watch: Watch, *, small_only: bool = False) -> None:
        """Join segments until nothing is due, unless another thread is at it.

        Args:
            generation: Whose segments.
            watch: Asked between pieces whether to stop.
            small_only: Leave out merges that take longer than a moment.
        """
        if not self._merging.acquire(blocking=False):
            return
        try:
            for number in self._database.read(lambda tx: partition_numbers(tx, generation.number)):
                self._merge_partition(number, watch, small_only=small_only)
        finally:
            self._merging.release()

    def _sync_feed(
        self, generation: Generation, feed: DocumentSource, report: SyncReport, watch: Watch
    ) -> tuple[SyncReport, bool]:
        """Write what is new; return False beside the report when another process did some of it."""
        state = self._database.read(
            partial(_state, generation=generation.number, feed=feed, changed=watch.changed)
        )
        start = state.cursor
        for batch in feed.batches(state):
            if watch.stopping():
                break
            applied = self._apply(generation, feed, (start, batch))
            if applied is None:
                return report, False
            start = batch.cursor
            report = report.plus(applied)
            watch.tell(Progress(stage="reading", done=report.documents, left=batch.left))
        return report, True

    def _apply(
        self, generation: Generation, feed: DocumentSource, place: tuple[int, DocumentBatch]
    ) -> SyncReport | None:
        """Write a batch if it begins where the cursor of its feed stands; else return None."""
        start, batch = place
        steps = self._steps(generation, batch)
        ignored = sum(prepared.ignored for step in steps.values() for prepared in step.changed)
        told = (f"{IGNORED}: {ignored}",) if ignored else ()
        report = SyncReport(warnings=batch.warnings + told)
        if not steps and batch.cursor == start:
            return report

        def unit(tx: Transaction) -> SyncReport | None:
            identity = live_identity(tx, generation.number)
            if identity is None:
                raise Superseded
            if cursor(tx, generation.number, feed.name) != start:
                return None
            done = report
            for tenant, step in steps.items():
                number = ensure_partition(tx, generation.number, tenant)
                writer = self._writers.setdefault(number, PartitionWriter(number, identity.lexical))
                done = done.plus(writer.apply(tx, step, embed=bool(identity.embedder)))
            set_cursor(tx, generation.number, feed.name, batch.cursor)
            return done

        return self._database.write(unit)

    def _steps(self, generation: Generation, batch: DocumentBatch) -> Mapping[str, WriteStep]:
        """Return what is to be done by tenant; new texts are cut and analysed here."""
        by_tenant: dict[str, list[Document]] = defaultdict(list)
        for document in batch.documents:
            by_tenant[document.scope.tenant].append(document)
        removed: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for removal in batch.removals:
            removed[removal.tenant].append((removal.source, removal.ref))
        return {
            tenant: msgspec.structs.replace(
                self._step(generation, tenant, by_tenant[tenant]), removed=removed[tenant]
            )
            for tenant in sorted({*by_tenant, *removed})
        }

    def _step(
        self, generation: Generation, tenant: str, documents: Sequence[Document]
    ) -> WriteStep:
        keys = [(document.source, document.ref) for document in documents]

        def find(tx: Transaction) -> dict[tuple[str, str], bytes]:
            number = partition_number(tx, generation.number, tenant)
            return {} if number is None else find_digests(tx, number, keys)

        known = self._database.read(find)
        digests = [(document, document.digest()) for document in documents]
        identity = generation.identity
        return WriteStep(
            changed=[
                prepare(
                    document,
                    digest,
                    tokens=identity.tokens,
                    overlap=identity.overlap,
                    entries=identity.entries,
                )
                for document, digest in digests
                if known.get((document.source, document.ref)) != digest
            ],
            unchanged=[
                document
                for document, digest in digests
                if known.get((document.source, document.ref)) == digest
            ],
        )

    def _merge_partition(self, number: int, watch: Watch, *, small_only: bool) -> None:
        def plan(tx: Transaction) -> tuple[Segment, ...]:
            return plan_merge(segments(tx, number), small_only=small_only)

        while members := self._database.read(plan):
            if not Merge(number, members).run(self._database, watch):
                return


def _state(
    tx: Transaction, generation: int, feed: DocumentSource, changed: frozenset[str] | None
) -> SourceState:
    tenant = feed.tenant
    stamps = {} if tenant is None else find_stamps(tx, generation, feed.source, tenant)
    return SourceState(cursor(tx, generation, feed.name), stamps, changed if stamps else None)
