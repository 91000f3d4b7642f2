"""The index as the floors above use it: search, sync, rebuild, status."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from recollect.core.clock import Clock
from recollect.core.errors import EmbeddingError, StoreBusy
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.embedding import count_waiting
from recollect.index.feed import Feed
from recollect.index.generations import find_generation, partition_numbers
from recollect.index.hit import SearchResult
from recollect.index.indexer import Indexer
from recollect.index.layout import chunk_ids
from recollect.index.lexical.backends import LexicalChoice
from recollect.index.locks import IndexLocks
from recollect.index.report import OnProgress, SyncReport, Watch, ignore_progress
from recollect.index.searcher import Searcher, SearchOptions
from recollect.models.embedder import Embedder
from recollect.store.cell import first_integer, integer, text
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
        locks: Those of the home.
        origin: The workspace whose memory files are seen; None for those of all.
    """

    def __init__(
        self,
        database: Database,
        feeds: Sequence[Feed],
        settings: Settings,
        *,
        clock: Clock,
        embedder: Embedder | None,
        locks: IndexLocks,
        origin: str | None = None,
    ) -> None:
        self._database = database
        self._feeds = tuple(feeds)
        self._indexer = Indexer(database, clock, settings, embedder, locks)
        self._searcher = Searcher(database, settings.search, embedder, origin=origin)

    def sync(self, on_progress: OnProgress = ignore_progress) -> SyncReport:
        """Bring the index up to its feeds, vectors included; rebuild it when it does not fit."""
        return self._indexer.sync(self._feeds, Watch(tell=on_progress))

    def work(self, stopping: Callable[[], bool]) -> SyncReport:
        """Do what a background thread does: sync, but leave a due rebuild to `sync`.

        Args:
            stopping: Asked often; after True the rest is left for the next time.
        """
        return self._indexer.work(self._feeds, Watch(stopping=stopping))

    def rebuild(self, on_progress: OnProgress = ignore_progress) -> SyncReport:
        """Build the index anew beside the one that answers, then let it answer."""
        return self._indexer.rebuild(self._feeds, Watch(tell=on_progress))

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
        warnings = self._catch_up(Watch(tell=on_progress), embed_at_most)
        result = self._searcher.search(query, scope, options)
        told = list(dict.fromkeys([*warnings, *result.warnings]))
        return msgspec.structs.replace(result, warnings=told)

    def status(self) -> IndexStatus:
        """Return what the index holds."""
        outdated = self._indexer.outdated()
        return self._database.read(lambda tx: _status(tx, outdated))

    @property
    def lexical(self) -> LexicalChoice:
        """What finds words, and why it is not what the settings name."""
        return self._indexer.lexical

    def _catch_up(self, watch: Watch, embed_at_most: int) -> list[str]:
        outdated = self._indexer.outdated()
        warnings = [f"{outdated}: run `recollect reindex`"] if outdated else []
        warnings += self._indexer.catch_up(self._feeds, watch).warnings
        waiting = self._indexer.waiting(embed_at_most + 1)
        if waiting > embed_at_most:
            warnings.append("some chunks have no vector yet: run `recollect sync`")
        elif waiting:
            try:
                self._indexer.embed(watch)
            except EmbeddingError as error:
                warnings.append(f"{error.message}: only words were compared")
            except StoreBusy:
                warnings.append("some chunks have no vector yet: they are being embedded")
        return warnings


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
        vectors=sum(map(first_integer, vectors)),
        waiting=count_waiting(tx, number),
        outdated=outdated,
    )
