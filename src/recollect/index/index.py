"""The index as the floors above use it: search, sync, rebuild, status."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import EmbeddingError
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.embedding import count_waiting
from recollect.index.feed import Feed
from recollect.index.generations import find_generation, partition_numbers
from recollect.index.hit import SearchResult
from recollect.index.indexer import Indexer, OnProgress, SyncReport, ignore_progress
from recollect.index.layout import chunk_ids
from recollect.index.searcher import Searcher, SearchOptions
from recollect.models.embedder import Embedder
from recollect.store.cell import integer, text
from recollect.store.engine import Database, Transaction


class IndexStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What the index holds.

    Attributes:
        generation: Number of the one that answers, 0 before the first sync.
        rebuilding: Whether another one is being built.
        documents: Documents by source.
        chunks: All chunks.
        vectors: Chunks that have a vector.
        waiting: Chunks that wait for one.
        outdated: Why a rebuild is due, or None.
    """

    generation: int
    rebuilding: bool
    documents: dict[str, int]
    chunks: int
    vectors: int
    waiting: int
    outdated: str | None


class Index:
    """One index over all feeds. Threads and processes may share it.

    Args:
        database: index.db.
        feeds: Where documents come from.
        settings: The whole tree; the index reads ``search`` and ``chunking``.
        clock: Tells the time.
        embedder: Makes vectors; None for words only.
    """

    def __init__(
        self,
        database: Database,
        feeds: Sequence[Feed],
        settings: Settings,
        clock: Clock,
        embedder: Embedder | None,
    ) -> None:
        self._database = database
        self._feeds = tuple(feeds)
        self._indexer = Indexer(database, clock, settings.chunking, embedder)
        self._searcher = Searcher(database, settings.search, embedder)

    def sync(self, on_progress: OnProgress = ignore_progress) -> SyncReport:
        """Bring the index up to its feeds, vectors included; rebuild it when it does not fit."""
        return self._indexer.sync(self._feeds, on_progress)

    def work(self) -> SyncReport:
        """Do what a background thread does: sync, but leave a due rebuild to `sync`."""
        if self._indexer.outdated() is not None:
            return SyncReport()
        return self._indexer.sync(self._feeds)

    def rebuild(self, on_progress: OnProgress = ignore_progress) -> SyncReport:
        """Build the index anew beside the one that answers, then let it answer."""
        return self._indexer.rebuild(self._feeds, on_progress)

    def search(
        self,
        query: str,
        scope: Scope,
        options: SearchOptions,
        on_progress: OnProgress = ignore_progress,
        embed_at_most: int = 0,
    ) -> SearchResult:
        """Answer from an index that knows every message and file of this moment.

        Args:
            query: A question or words.
            scope: What the caller may see.
            options: How to search.
            on_progress: Called while something new is indexed first.
            embed_at_most: Missing vectors that are made before the answer.
        """
        warnings = self._catch_up(on_progress, embed_at_most)
        result = self._searcher.search(query, scope, options)
        return msgspec.structs.replace(result, warnings=[*warnings, *result.warnings])

    def status(self) -> IndexStatus:
        """Return what the index holds."""
        outdated = self._indexer.outdated()
        return self._database.read(lambda tx: _status(tx, outdated))

    def _catch_up(self, on_progress: OnProgress, embed_at_most: int) -> list[str]:
        outdated = self._indexer.outdated()
        if outdated is not None:
            return [f"{outdated}: run `recollect reindex`"]
        report = self._indexer.catch_up(self._feeds, on_progress)
        waiting = self._indexer.waiting()
        if not waiting:
            return list(report.warnings)
        if waiting > embed_at_most:
            return [*report.warnings, f"{waiting} chunks have no vector yet: run `recollect sync`"]
        try:
            self._indexer.embed(on_progress)
        except EmbeddingError as error:
            return [*report.warnings, f"{error.message}: only words were compared"]
        return list(report.warnings)


def _status(tx: Transaction, outdated: str | None) -> IndexStatus:
    serving = find_generation(tx, "serving")
    number = serving.number if serving else 0
    documents = tx.rows(
        "SELECT d.source, count(*), sum(d.chunk_count) FROM documents d"
        " JOIN partitions p ON p.id = d.partition_id WHERE p.generation = ?"
        " GROUP BY d.source ORDER BY d.source",
        (number,),
    )
    counted = [(text(source), integer(n), integer(chunks)) for source, n, chunks in documents]
    vectors = (
        tx.row("SELECT count(*) FROM vectors WHERE id BETWEEN ? AND ?", chunk_ids(partition))
        for partition in partition_numbers(tx, number)
    )
    return IndexStatus(
        generation=number,
        rebuilding=find_generation(tx, "building") is not None,
        documents={source: n for source, n, _ in counted},
        chunks=sum(chunks for _, _, chunks in counted),
        vectors=sum(integer(row[0]) for row in vectors if row),
        waiting=count_waiting(tx, number),
        outdated=outdated,
    )
