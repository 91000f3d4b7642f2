"""The index as the floors above use it: search, sync, rebuild, status."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakSet

import msgspec

from recollect.core.clock import Clock, zone_of
from recollect.core.errors import ProviderError, StoreBusy, StoreClosed, StoreCorrupt, StoreError
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.embedding.batch_health import BatchStatus, forget_failures
from recollect.index.embedding.cache import count_cached
from recollect.index.embedding.queue import count_refused, count_waiting
from recollect.index.embedding.service import Embedders
from recollect.index.indexing.indexer import Indexer
from recollect.index.indexing.ingestor import feed_states
from recollect.index.lexical.choice import LexicalChoice
from recollect.index.model.chunk_record import chunk_ids
from recollect.index.model.document import DocumentSource, SourceState
from recollect.index.model.generation import (
    Generation,
    Serving,
    cursors,
    find_generation,
    find_serving,
    partition_numbers,
)
from recollect.index.model.locks import IndexLocks
from recollect.index.model.origin import origin_of, path_of
from recollect.index.model.sync_report import (
    NOBODY_WATCHES,
    OnProgress,
    SyncReport,
    Watch,
    ignore_progress,
)
from recollect.index.model.visibility import visibility_rules
from recollect.index.query.hit import SearchResult
from recollect.index.query.question_vectors import QuestionVectors
from recollect.index.query.search_service import SearchOptions, SearchService
from recollect.index.vectors.vector_index import VectorIndex
from recollect.models.embedding.embedder import Embedder
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import Database, Transaction
from recollect.text.times.grammar import expressions

if TYPE_CHECKING:  # imported where they are made
    from recollect.index.indexing.preview import Preview
    from recollect.index.model.file_chunks import IndexedChunk
    from recollect.index.model.mentions import FoundMention
    from recollect.text.times.ranges import TimeRange

F = TypeVar("F", "FoundMention", "IndexedChunk")
GIVEN_BACK_FROM = 2_000
"""Chunks and vectors; ten times in the background (docs/experiments.md, memory after a bulk)."""
NO_VECTORS_YET = "some chunks have no vector yet: run `recollect sync`"


class IndexStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of the index.

    Attributes:
        generation: Number of the one that answers, 0 before the first sync.
        rebuilding: Whether another one is being built.
        documents: Documents by source.
        chunks: All chunks.
        vectors: Chunks that have a vector.
        waiting: Chunks that wait for one.
        refused: Chunks that get none, because the embedder will never accept their text.
        outdated: Why a rebuild is due, or None.
        lacks_vectors: Whether it was built by words alone, and an embedder is there by now.
        consent_needed: Why a paid provider gets no texts yet, or None.
        is_paid: Whether new vectors are billed.
        model: The ``provider:model`` of the vectors; empty without any, or where it is not noted.
        fallback_from: The model that another one stands in for, or None.
        trouble: The last failure of the configured embedder, or None.
        source_chunks: Chunks by source.
        dimensions: Size of the vectors; 0 without any.
        cached: Rows of the embedding cache.
        withheld: Kinds of memory that are there and that a paid provider does not get without
            consent: see ``embedding.sources``.
    """

    generation: int
    rebuilding: bool
    documents: dict[str, int]
    chunks: int
    vectors: int
    waiting: int
    refused: int
    outdated: str | None
    lacks_vectors: bool = False
    consent_needed: str | None = None
    is_paid: bool = False
    model: str = ""
    fallback_from: str | None = None
    trouble: str | None = None
    source_chunks: dict[str, int] = {}
    dimensions: int = 0
    cached: int = 0
    withheld: tuple[str, ...] = ()

    @property
    def withheld_chunks(self) -> int:
        """Number of chunks of the kinds in ``withheld``."""
        return sum(self.source_chunks.get(kind, 0) for kind in self.withheld)


class IndexViews:
    """The shared state of all views of one open index: its notices, and the feeds of all views."""

    def __init__(self, feeds: Sequence[DocumentSource], notices: tuple[str, ...]) -> None:
        self._own = tuple(feeds)
        self._views: WeakSet[Index] = WeakSet()
        self._adding = threading.Lock()
        self.notices = notices
        self.waits_for_vectors = False
        """Whether a chunk was waiting for its vector at the last search."""

    def add(self, view: Index) -> None:
        """Register a view for as long as it is used."""
        with self._adding:
            self._views.add(view)

    def feeds(self) -> tuple[DocumentSource, ...]:
        """Return the feeds of the index and those that only its views have, each once."""
        with self._adding:
            views = list(self._views)
        return tuple(dict.fromkeys((*self._own, *(each for v in views for each in v.scans))))


class Index:
    """One index over all feeds. Threads and processes may share it.

    Args:
        database: index.db.
        feeds: The sources of documents.
        settings: The whole tree; the index reads ``search`` and ``chunking``.
        clock: Tells the time.
        embedder: Makes vectors; None for words only.
        fallback: Takes over when the embedder cannot be used; None for words only.
        was_found: The embedder was not named: a key for it was in the environment.
        locks: Those of the home.
        origin: The workspace whose memory files are seen; None for those of all.
        near: The vector index; the codes alone if not given.
        notice: An event of the index when it was opened; reported until a sync ends.
    """

    def __init__(
        self,
        database: Database,
        feeds: Sequence[DocumentSource],
        settings: Settings,
        *,
        clock: Clock,
        embedder: Embedder | None,
        fallback: Embedder | None = None,
        was_found: bool = False,
        locks: IndexLocks,
        origin: str | None = None,
        near: VectorIndex | None = None,
        notice: str | None = None,
    ) -> None:
        self.views = IndexViews(feeds, () if notice is None else (notice,))
        self._origin = origin
        self._reported: set[str] = set()
        """Warnings about files, which a search gives once; `sync` gives all."""
        self._near = near or VectorIndex(database)
        self._taken_in = 0
        self._database = database
        self._remote = settings.embedding.remote
        self._clock = clock
        self._zone = settings.sessions.time_zone
        self._feeds = tuple(feeds)
        self._outboxes = [feed for feed in feeds if feed.tenant is None]
        is_off = embedder is None and settings.embedding.provider.strip() == "none"
        embedders = Embedders(first=embedder, fallback=fallback, was_found=was_found, is_off=is_off)
        self._indexer = Indexer(self._near.followed(), clock, settings, embedders, locks)
        questions = QuestionVectors(embedders, settings.embedding.remote.query_timeout_s)
        self.search_service = SearchService(
            database,
            settings.search,
            questions,
            origin=origin,
            near=self._near,
            visibility_rules=visibility_rules(
                settings.sessions.identity_links, settings.sessions.owner
            ),
        )

    def within(self, scans: Sequence[DocumentSource], origin: str | None) -> Index:
        """Return a view of the same index that has other memory files.

        As long as it is referenced, a sync or a rebuild of any of them serves all.

        Args:
            scans: The feeds that replace those that are scanned.
            origin: The workspace whose memory files are seen; None for those of all.
        """
        view = copy.copy(self)
        vars(view).update(
            _feeds=(*self._outboxes, *scans),
            _reported=set(),
            _origin=origin,
            search_service=self.search_service.within(origin),
        )
        self.views.add(view)
        return view

    @property
    def scans(self) -> list[DocumentSource]:
        """The feeds that are scanned: they have files of an owner."""
        return [feed for feed in self._feeds if feed.tenant is not None]

    @property
    def notices(self) -> tuple[str, ...]:
        """What happened to the index, or to the files it was made from; kept until a sync ends."""
        return self.views.notices

    def sync(self, watch: Watch = NOBODY_WATCHES) -> SyncReport:
        """Bring the index up to its feeds; in full mode with vectors and a rebuild that is due.

        Args:
            watch: Who watches, and how far to go.
        """
        report = self._indexer.sync(self.views.feeds(), watch)
        self._near.catch_up(watch.stopping)
        self._taken_in += report.chunks + report.vectors
        if self._taken_in >= GIVEN_BACK_FROM * (1 if watch.mode == "full" else 10):
            from recollect.core.heap import give_back

            self._taken_in = 0
            give_back()
        if watch.mode != "full" or not self.notices:
            return report
        notices, self.views.notices = self.notices, ()
        return report.plus(SyncReport(warnings=notices))

    def catch_up(self) -> bool:
        """Index the changes of the records, words only; removed records leave the index.

        Returns:
            False when that was not possible, because the index was built with other rules, or
            another process is rebuilding it.
        """
        self._indexer.sync(self._outboxes, Watch(mode="answer"))
        self._near.catch_up()
        return self._indexer.drop_others() and not self._indexer.is_behind(self._outboxes)

    def take(self, feed: DocumentSource) -> None:
        """Index one more feed, once, words only."""
        self._indexer.sync([feed], Watch(mode="answer"))
        self._near.catch_up()

    def is_behind(self) -> bool:
        """Return whether records were stored that are not indexed, or a batch may be finished.

        Reads no files and asks no provider.
        """
        indexer = self._indexer
        return indexer.is_behind(self._outboxes) or indexer.vectors.has_due_batch(indexer.serving())

    def tell_once(self, notice: str) -> None:
        """Report an event of the index with every answer until a sync ends."""
        self.views.notices = tuple(dict.fromkeys((*self.notices, notice)))

    def known(self, feed: DocumentSource) -> SourceState:
        """Return the state of a feed in the serving generation."""
        number = self._indexer.serving().number
        return self._database.read(lambda tx: feed_states(tx, number, [feed]))[0].state

    def rebuild(self, watch: Watch = NOBODY_WATCHES) -> SyncReport:
        """Rebuild the index beside the one that answers, then let it answer."""
        report = self._indexer.rebuild(self.views.feeds(), watch)
        self._near.catch_up()
        return report

    def needs_confirmation(self, *, rebuild: bool) -> bool:
        """Return, cheaply, whether a sync or a rebuild needs the consent of the paying user."""
        is_paid = rebuild and self._indexer.vectors.is_paid
        return is_paid or self._indexer.consent_needed() is not None

    def preview(self, *, rebuild: bool = False) -> Preview:
        """Return the cost of a sync, or of a rebuild, money included; nothing is changed.

        Args:
            rebuild: Whether everything is to be rebuilt in any case.
        """
        return self._indexer.preview(self.views.feeds(), self._remote, rebuild=rebuild)

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
            embed_at_most: Missing vectors that a local model makes before the answer; a provider
                makes none while a search waits, and a lexical search needs none.
        """
        most = 0 if options.mode == "lexical" else embed_at_most
        watch = Watch(tell=on_progress, mode="answer")
        state, number = self._look(scope.tenant, most), 0
        warnings = [*self.views.notices, *([state.warning] if state.warning else [])]
        while number != state.serving.number:
            number = state.serving.number  # a rebuild that ends meanwhile may have read less
            pairs = zip(self._feeds, state.cursors, strict=True)
            behind = [feed for feed, seq in pairs if feed.is_behind(seq)]
            if behind or state.wants_embedder:
                warnings += self._read(behind, watch, options)
                state = self._look(scope.tenant, most)  # what other threads have read, too
        self.views.waits_for_vectors = state.waiting > 0
        wants = state.waiting and options.mode != "lexical"
        missing = self._embed(watch, state, most) if wants else []
        now = self._clock.now_ms()
        options = msgspec.structs.replace(options, now_ms=now, times=self._times(query, now))
        result = self.search_service.search(query, scope, options, state.serving, missing)
        distinct = list(dict.fromkeys([*warnings, *result.warnings, *self._near.warnings()]))
        return msgspec.structs.replace(result, warnings=distinct)

    def _times(self, query: object, now_ms: int) -> tuple[TimeRange, ...]:
        """Return the times that a question names, except those in the future."""
        times = expressions(query) if isinstance(query, str) else ()  # the search will refuse it
        if not times:
            return ()  # most name none, and need not know what times mean
        from recollect.text.times.ranges import ranges_of

        ranges = ranges_of(times, now_ms, zone_of(self._zone))
        return tuple(each for each in ranges if each.since <= now_ms)

    def of_files(self, tenant: str, select: Callable[[Transaction, int], list[F]]) -> list[F]:
        """Return rows of memory files that this view has, with their paths as refs.

        Args:
            tenant: The owner of the files.
            select: Returns them of a partition.
        """

        def read(tx: Transaction) -> list[F]:
            serving = find_serving(tx, tenant)
            return select(tx, serving.partition) if serving and serving.partition else []

        return [
            msgspec.structs.replace(row, ref=path_of(row.ref))
            for row in self._database.read(read)
            if self._origin in {None, origin_of(row.ref)}
        ]

    def status(self) -> IndexStatus:
        """Return the status of the index."""
        indexer, vectors = self._indexer, self._indexer.vectors
        outdated, serving = indexer.outdated(), indexer.serving()
        status = self._database.read(lambda tx: _status(tx, outdated))
        return msgspec.structs.replace(
            status,
            lacks_vectors=not serving.identity.embedder and vectors.wanted_embedder() is not None,
            consent_needed=indexer.consent_needed(),
            is_paid=vectors.is_paid,
            model=serving.identity.model,
            fallback_from=vectors.stands_in_for(serving),
            trouble=vectors.trouble_text(),
            withheld=tuple(kind for kind in vectors.withheld() if kind in status.documents),
        )

    def batch_status(self) -> BatchStatus | None:
        """Return the status of the provider's batches; None without an embedder."""
        return self._indexer.vectors.batch_status()

    def forgive_batches(self) -> int:
        """Allow batches again that failed too often; return the number of failures there were."""
        return self._database.write(forget_failures)

    @property
    def near(self) -> VectorIndex:
        """The vector index: its status, its check, its repair."""
        return self._near

    @property
    def lexical(self) -> LexicalChoice:
        """The lexical back end, and why it is not the configured one."""
        return self._indexer.lexical

    def _read(self, feeds: list[DocumentSource], watch: Watch, options: SearchOptions) -> list[str]:
        """Read new documents; return warnings. An index that cannot be written still answers."""
        try:
            warnings = self._indexer.sync(feeds, watch).warnings
        except (StoreCorrupt, StoreClosed):
            raise
        except StoreError as error:
            return [f"{error.message}: what is new is not found yet"]
        new = [each for each in warnings if options.sees_files and each not in self._reported]
        self._reported.update(new)
        return new

    def _look(self, tenant: str, most: int) -> _State:
        """Return the state a tenant's search starts from; counts up to ``most`` + 1 waiting chunks.

        The first generation is begun if there is none.
        """
        state = self._database.read(lambda tx: self._state(tx, tenant, most))
        if state is None:
            self._indexer.serving()
            return self._look(tenant, most)
        return state

    def _state(self, tx: Transaction, tenant: str, most: int) -> _State | None:
        serving = find_serving(tx, tenant)
        if serving is None:
            return None
        due, consent_needed = self._indexer.identity(tx), self._indexer.consent_needed(tx)
        present, vectors = serving.identity, self._indexer.vectors
        outdated = present.incompatibility(due)
        lacks_embedder = bool(due.embedder) and not present.embedder
        return _State(
            serving=serving,
            cursors=cursors(tx, serving.number, [feed.name for feed in self._feeds]),
            warning=consent_needed
            or (f"{outdated}: run `recollect reindex`" if outdated else None),
            waiting=count_waiting(tx, serving.number, most + 1) if vectors.fits(present) else 0,
            wants_embedder=lacks_embedder and present.can_take(due) and not consent_needed,
        )

    def _embed(self, watch: Watch, state: _State, most: int) -> list[str]:
        """Make the missing vectors if they are few, and say why some are still missing."""
        try:
            generation = Generation(state.serving.number, state.serving.identity)
            is_little = state.waiting <= most
            vectors = self._indexer.vectors.sync(generation, watch).vectors if is_little else 0
        except ProviderError as error:
            return [f"{error.message}: only words were compared"]
        except StoreBusy:
            return ["some chunks have no vector yet: they are being embedded"]
        self.views.waits_for_vectors = state.waiting > vectors
        return [NO_VECTORS_YET] if self.views.waits_for_vectors else []


class _State(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the index in one snapshot before a search.

    Attributes:
        serving: The serving generation.
        cursors: How far it has read each feed.
        warning: Why it differs from the settings, or None.
        waiting: Chunks that wait for a vector, as far as they were counted.
        wants_embedder: Whether it can get its first embedder now.
    """

    serving: Serving
    cursors: list[int]
    warning: str | None
    waiting: int
    wants_embedder: bool


def _status(tx: Transaction, outdated: str | None) -> IndexStatus:
    serving = find_generation(tx, "serving")
    number = serving.number if serving else 0
    documents = tx.all(
        "SELECT d.source, count(*), sum(d.chunk_count) FROM documents d"
        " JOIN partitions p ON p.id = d.partition_id WHERE p.generation = ?"
        " GROUP BY d.source ORDER BY d.source",
        (number,),
    )
    counts = typed_rows(documents, tuple[str, int, int])
    vectors = (
        tx.row("SELECT count(*) FROM vectors WHERE id BETWEEN ? AND ?", chunk_ids(partition))
        for partition in partition_numbers(tx, number)
    )
    return IndexStatus(
        generation=number,
        rebuilding=find_generation(tx, "building") is not None,
        documents={source: n for source, n, _ in counts},
        chunks=sum(chunks for _, _, chunks in counts),
        vectors=sum(map(first_integer, vectors)),
        waiting=count_waiting(tx, number),
        refused=count_refused(tx, number),
        outdated=outdated,
        source_chunks={source: chunks for source, _, chunks in counts},
        dimensions=serving.identity.dimensions if serving else 0,
        cached=count_cached(tx),
    )
