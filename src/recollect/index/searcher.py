"""Answers questions: finds the partition, ranks its chunks and turns the best into hits."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import EmbeddingError, InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings
from recollect.index.document import SOURCES
from recollect.index.generations import Identity, find_generation, partition_number
from recollect.index.hit import Hit, SearchResult
from recollect.index.hit_rows import find_hits, find_session_group
from recollect.index.partition import Partition
from recollect.index.question import analyse
from recollect.index.search import Request, rank
from recollect.models.embedder import Embedder, Vectors, checked_vectors
from recollect.store.engine import Database, Transaction

MODES = ("hybrid", "lexical", "vector")
MOST_HITS = 1_000
DAMAGED_WORDS = "the index is damaged and some words were left out: run `recollect doctor --fix`"
HELD_PARTITIONS = 32
"""Tenants kept in memory at once; the one not asked for longest goes."""
FURTHER = 4
"""When several of the best chunks are of one message, so many times more are ranked."""

T = TypeVar("T")


class SearchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to search. ``limit`` 1 to 1,000; ``min_score`` in [0, 1]; ``sources`` None for all."""

    limit: int
    min_score: float
    sources: tuple[str, ...] | None
    mode: str


class Place(msgspec.Struct, frozen=True):
    """Where a tenant is: the partition of the serving generation, and what it was built with."""

    partition: int
    identity: Identity


class Searcher:
    """The reading side of the index. Threads may share it.

    Args:
        database: index.db.
        settings: The section ``search``.
        embedder: Makes the vectors of questions; None for words only.
        origin: The workspace whose memory files are seen; None for those of all.
    """

    def __init__(
        self,
        database: Database,
        settings: SearchSettings,
        embedder: Embedder | None,
        *,
        origin: str | None = None,
    ) -> None:
        self._origin = origin
        self._database = database
        self._settings = settings
        self._embedder = embedder
        self._partitions: OrderedDict[Place, Partition] = OrderedDict()
        self._mutex = threading.Lock()

    def search(self, query: str, scope: Scope, options: SearchOptions) -> SearchResult:
        """Return the best hits for ``query`` among what ``scope`` may see.

        Raises:
            InvalidInput: an option is out of range.
            StoreError: the index could not be read.
        """
        _check(options)
        if not query.strip():
            return SearchResult(hits=[], mode=options.mode, warnings=["the question is empty"])
        vector, warnings = self._vector(query, scope, options)

        def answer(tx: Transaction, place: Place, partition: Partition) -> SearchResult:
            fits = self._embedder and self._embedder.fingerprint == place.identity.embedder
            used = vector if fits else None
            hits = self._hits(tx, partition, (query, used), scope, options)
            mode = "lexical" if used is None else options.mode
            told = [*warnings, DAMAGED_WORDS] if partition.words.is_damaged else warnings
            return SearchResult(hits=hits, mode=mode, warnings=told)

        found = self._on_partition(scope.tenant, answer)
        return found or SearchResult(hits=[], mode=options.mode, warnings=[])

    def _vector(
        self, query: str, scope: Scope, options: SearchOptions
    ) -> tuple[Vectors | None, list[str]]:
        """Return the vector of a question; made while nobody waits for the lock or a snapshot."""
        embedder = self._embedder
        if options.mode == "lexical":
            return None, []
        if embedder is None:
            return None, ["no embedder is installed: only words were compared"]

        def text(_: Transaction, place: Place, partition: Partition) -> str | None:
            fits = place.identity.embedder == embedder.fingerprint
            return analyse(query, partition.names).text if fits else None

        asked = self._on_partition(scope.tenant, text)
        if asked is None:
            return None, [
                "the index holds no vectors of this embedder yet: only words were compared"
            ]
        try:
            return _checked(embedder.embed_query(asked), embedder.dimensions), []
        except EmbeddingError as error:
            return None, [f"{error.message}: only words were compared"]

    def _on_partition(
        self, tenant: str, unit: Callable[[Transaction, Place, Partition], T]
    ) -> T | None:
        """Run ``unit`` on a snapshot and the partition as it is there; None without a partition."""
        place = self._database.read(lambda tx: _find_place(tx, tenant))
        while place is not None:
            partition = self._held(place)
            # The lock first: then this snapshot is not older than what the partition has seen.
            with partition.lock:
                now, found = self._database.read(
                    lambda tx, p=(place, partition): _run_on(tx, tenant, p, unit)  # type: ignore[misc]
                )
            if now == place:
                return found
            place = now  # a rebuild has flipped in between
        return None

    def _held(self, place: Place) -> Partition:
        with self._mutex:
            partition = self._partitions.get(place)
            if partition is None:
                partition = _partition(place)
                self._partitions[place] = partition
            self._partitions.move_to_end(place)
            if len(self._partitions) > HELD_PARTITIONS:
                self._partitions.popitem(last=False)
            return partition

    def _hits(
        self,
        tx: Transaction,
        partition: Partition,
        asked: tuple[str, Vectors | None],
        scope: Scope,
        options: SearchOptions,
    ) -> list[Hit]:
        query, vector = asked
        request = Request(
            question=analyse(query, partition.names),
            vector=vector,
            lexical=options.mode != "vector" or vector is None,
            visible=_visible(tx, partition, scope, options.sources, self._origin),
            most=options.limit,
        )
        while True:
            ranked = rank(tx, partition, request, self._settings)
            hits = find_hits(
                tx, partition.number, request.question.terms, ranked, self._settings.snippet_chars
            )
            if len(hits) >= options.limit or len(ranked.numbers) < request.most:
                break
            request = msgspec.structs.replace(request, most=request.most * FURTHER)
        return [hit for hit in hits if hit.score >= options.min_score][: options.limit]


def _partition(place: Place) -> Partition:
    return Partition(place.partition, place.identity.dimensions, place.identity.lexical)


def _find_place(tx: Transaction, tenant: str) -> Place | None:
    generation = find_generation(tx, "serving")
    number = partition_number(tx, generation.number, tenant) if generation else None
    return Place(number, generation.identity) if generation and number is not None else None


def _run_on(
    tx: Transaction,
    tenant: str,
    held: tuple[Place, Partition],
    unit: Callable[[Transaction, Place, Partition], T],
) -> tuple[Place | None, T | None]:
    """Return where the tenant is now and, when it is where it was, what ``unit`` returned."""
    place, partition = held
    now = _find_place(tx, tenant)
    if now != place:
        return now, None
    partition.refresh(tx)
    return now, unit(tx, place, partition)


def _visible(
    tx: Transaction,
    partition: Partition,
    scope: Scope,
    sources: Collection[str] | None,
    origin: str | None,
) -> NDArray[np.bool_] | None:
    owners = {"agent": scope.agent, "user": scope.user, "project": scope.project}
    wanted = {kind: value for kind, value in owners.items() if value is not None}
    chosen = None
    if sources is not None:
        chosen = np.array([source in sources for source in SOURCES])
    group = None
    if scope.session is not None:
        group = find_session_group(tx, partition.number, scope.session)
    return partition.visible(wanted, chosen, group, origin)


def _checked(vector: Vectors, dimensions: int) -> Vectors:
    checked: Vectors = checked_vectors(vector[np.newaxis], 1, dimensions)[0]
    return checked


def _check(options: SearchOptions) -> None:
    if options.mode not in MODES:
        raise InvalidInput("unknown search mode", hint=f"use one of {', '.join(MODES)}")
    if not 1 <= options.limit <= MOST_HITS:
        raise InvalidInput("limit is out of range", hint=f"use 1 to {MOST_HITS}")
    if not 0 <= options.min_score <= 1:
        raise InvalidInput("min_score is out of range", hint="use a number from 0 to 1")
    unknown = set(options.sources or ()) - set(SOURCES)
    if unknown:
        raise InvalidInput("unknown source", hint=f"use some of {', '.join(SOURCES)}")
