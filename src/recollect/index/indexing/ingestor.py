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
from recollect.index.indexing.prepared_chunk import PreparedDocument, prepare
from recollect.index.indexing.writer import PartitionWriter, WriteStep, find_versions
from recollect.index.lexical.segments import Merge, Segment, plan_merge, segments_of
from recollect.index.model.document import Document, DocumentBatch, DocumentSource, SourceState
from recollect.index.model.generation import (
    Generation,
    Identity,
    cursor,
    cursors,
    ensure_partition,
    live_cursor,
    set_cursor,
)
from recollect.index.model.sync_report import Progress, SyncReport, Watch
from recollect.store.engine import Database, Transaction

IGNORED = "annotations of memory files that are not valid and were left out"


class Superseded(Conflict):
    """The generation was retired while it was written: start again with the serving one."""

    def __init__(self) -> None:
        super().__init__("the index was rebuilt meanwhile", hint="try again")


class Ingestor:
    """Writes batches of feeds into generations. Threads may share it.

    Args:
        database: index.db.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writers: dict[int, PartitionWriter] = {}
        """Used only within units of work, which run one after the other."""
        self._merging = threading.Lock()

    def is_behind(self, generation: Generation, feed: DocumentSource) -> bool:
        """Return whether a feed may have something new for a generation."""
        look = partial(cursor, generation=generation.number, feed=feed.name)
        return feed.is_behind(self._database.read(look))

    def sync(
        self,
        generation: Generation,
        feeds: Sequence[DocumentSource],
        watch: Watch,
        *,
        answers: bool = True,
    ) -> SyncReport:
        """Write everything that is new; for an answer, of those feeds only that may have something.

        Args:
            generation: The generation to write.
            feeds: The sources of documents.
            watch: The observer, and how far to go.
            answers: Whether searches are answered from the generation.

        Raises:
            Superseded: the generation was retired.
            StoreError: the database refused.
        """
        report = SyncReport()
        if watch.mode == "answer":
            feeds = [feed for feed in feeds if self.is_behind(generation, feed)]
        look = partial(
            feed_states, generation=generation.number, changed=watch.changed, answers=answers
        )
        while feeds:
            unfinished = []
            for feed_state in self._database.read(partial(look, feeds=feeds)):
                report, is_finished = self._sync_feed(generation, feed_state, report, watch)
                unfinished += [] if is_finished else [feed_state.feed]
            feeds = unfinished
        return report

    def merge(self, generation: Generation, watch: Watch, *, small_only: bool = False) -> None:
        """Join segments until nothing is due, unless another thread does so.

        Args:
            generation: The generation of the segments.
            watch: Asked between pieces whether to stop.
            small_only: Leave out merges that take longer than a moment.
        """
        if not self._merging.acquire(blocking=False):
            return
        plan = partial(_plan, generation=generation.number, small_only=small_only)
        try:
            while (due := self._database.read(plan)) and all(
                Merge(number, members).run(self._database, watch) for number, members in due
            ):
                pass
        finally:
            self._merging.release()

    def _sync_feed(
        self, generation: Generation, feed_state: FeedState, report: SyncReport, watch: Watch
    ) -> tuple[SyncReport, bool]:
        """Write new documents; return False beside the report when another process wrote some."""
        start = feed_state.state.cursor
        for batch in feed_state.feed.batches(feed_state.state):
            if watch.stopping():
                break
            applied = self._apply(generation, feed_state, start, batch)
            if applied is None:
                return report, False
            start = batch.cursor
            report = report.plus(applied)
            watch.tell(Progress(stage="reading", done=report.documents, left=batch.left))
        return report, True

    def _apply(
        self, generation: Generation, feed_state: FeedState, start: int, batch: DocumentBatch
    ) -> SyncReport | None:
        """Write a batch if it begins at the cursor of its feed; else return None."""
        steps = _steps(generation.identity, feed_state, batch)
        ignored = sum(prepared.ignored for step in steps.values() for prepared in step.changed)
        warnings = (f"{IGNORED}: {ignored}",) if ignored else ()
        report = SyncReport(warnings=batch.warnings + warnings)
        if not steps and batch.cursor == start:
            return report

        def apply_steps(tx: Transaction) -> SyncReport | None:
            present = live_cursor(tx, generation.number, feed_state.feed.name)
            if present is None:
                raise Superseded
            identity, cursor = present
            if cursor != start:
                return None
            total = report
            for tenant, step in steps.items():
                writer = self._writer(ensure_partition(tx, generation.number, tenant), identity)
                total = total.plus(writer.apply(tx, step, embed=bool(identity.embedder)))
            if batch.cursor != start:
                set_cursor(tx, generation.number, feed_state.feed.name, batch.cursor)
            return total

        return self._database.write(apply_steps)

    def _writer(self, number: int, identity: Identity) -> PartitionWriter:
        if number not in self._writers:
            self._writers[number] = PartitionWriter(number, identity.lexical)
        return self._writers[number]


class FeedState(msgspec.Struct, frozen=True):
    """The state of a feed in the index; digests by ref, where documents are known one by one."""

    feed: DocumentSource
    state: SourceState
    digests: Mapping[str, bytes]


def feed_states(
    tx: Transaction,
    generation: int,
    feeds: Sequence[DocumentSource],
    changed: frozenset[str] | None = None,
    *,
    answers: bool = True,
) -> list[FeedState]:
    """Return the state of some feeds in a generation.

    ``changed`` is as in `Watch`, ``answers`` as in `SourceState`.
    """
    states = []
    seqs = cursors(tx, generation, [feed.name for feed in feeds])
    # Several feeds may deliver documents of one source: memory files, and notes beside them.
    owned = {(feed.source, feed.tenant) for feed in feeds if feed.tenant is not None}
    versions = {key: find_versions(tx, generation, *key) for key in owned}
    for feed, seq in zip(feeds, seqs, strict=True):
        rows = [] if feed.tenant is None else versions[feed.source, feed.tenant]
        stamps = {ref: stamp for ref, stamp, _ in rows}
        state = SourceState(seq, stamps, changed if stamps else None, answers)
        states.append(FeedState(feed, state, {ref: digest for ref, _, digest in rows}))
    return states


def _plan(
    tx: Transaction, generation: int, *, small_only: bool
) -> list[tuple[int, tuple[Segment, ...]]]:
    """Return the segments to join next, by partition."""
    return [
        (number, members)
        for number, present in segments_of(tx, generation).items()
        if (members := plan_merge(present, small_only=small_only))
    ]


def _steps(
    identity: Identity, feed_state: FeedState, batch: DocumentBatch
) -> Mapping[str, WriteStep]:
    """Return the write steps by tenant; new texts are cut and analysed here."""
    changed: dict[str, list[PreparedDocument]] = defaultdict(list)
    unchanged: dict[str, list[Document]] = defaultdict(list)
    removed: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for document in batch.documents:
        digest = document.digest()
        if feed_state.digests.get(document.ref) == digest:
            unchanged[document.scope.tenant].append(document)
        else:
            changed[document.scope.tenant].append(prepare(document, digest, identity))
    for removal in batch.removals:
        removed[removal.tenant].append((removal.source, removal.ref))
    return {
        tenant: WriteStep(
            changed=changed[tenant], unchanged=unchanged[tenant], removed=removed[tenant]
        )
        for tenant in sorted({*changed, *unchanged, *removed})
    }
