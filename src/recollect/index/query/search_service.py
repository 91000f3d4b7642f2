"""Answers questions: finds the partition, ranks its chunks and turns the best into hits."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.audience.visibility import Audience
from recollect.core.checks import MOST_HITS, MOST_QUESTION
from recollect.core.errors import InvalidInput, ProviderError
from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings
from recollect.index.model.chunk_record import COVERED, Mask
from recollect.index.model.document import EPISODES, FACTS, FILES, OBSERVATIONS, SESSIONS, SOURCES
from recollect.index.model.generation import Identity, Serving, find_serving
from recollect.index.model.visibility import PART_BITS, SeqRange, Spoken, within_ranges
from recollect.index.query.candidates import FILE
from recollect.index.query.confidence import confidence_in
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.partition import Access, Partition, PartitionView
from recollect.index.query.question import Ranked, RankingRequest
from recollect.index.query.question_vectors import QuestionVector, QuestionVectors
from recollect.index.query.ranking import project_key
from recollect.index.query.ranking_pipeline import rank
from recollect.index.query.replaced import Replacing
from recollect.index.query.retold import retold_last
from recollect.index.query.shortlist import HitDisplay, HitLimits, Shortlist, quota
from recollect.index.vectors.vector_index import VectorIndex
from recollect.models.embedding.embedder import Vectors
from recollect.store.columns import integer
from recollect.store.engine import Database, Transaction
from recollect.text.terms import query_terms

if TYPE_CHECKING:  # only where times are given, or named
    from recollect.index.query.said_within import SaidWithin
    from recollect.text.times.ranges import TimeRange

MODES = ("hybrid", "lexical", "vector")
UNDATED = "memory files without a date are left out: put it in their name or first heading"
DAMAGED_WORDS = "some words of the index are damaged and were left out: run `recollect reindex`"
NO_CONTENT = "the question has no words to look for: ask with a name or a topic"
HELD_PARTITIONS = 32
"""Tenants kept in memory at once; the least recently used is dropped."""
OTHER_RULES = "who hears of what was changed: run `recollect sync` first"
FURTHER = 4
"""The factor by which more chunks are ranked, since several may be of one message."""

POOL = 100
"""Hits from which a threshold or diversity choose."""
FACT, EPISODE = SOURCES.index(FACTS), SOURCES.index(EPISODES)
NO_GROUP = -1
"""Equals the number of no group, so that an unknown session matches nothing."""

T = TypeVar("T")


class SearchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to search.

    Attributes:
        limit: Hits at most, 1 to 1,000.
        min_score: In [0, 1]; hits with all the question's words are shown below it too.
        sources: Kinds of memory; None for all.
        mode: One of `MODES`.
        citations: Whether hits have citations.
        now_ms: The time of the question, ms UTC; for recency.
        times: The times that the question names.
        audience: On whose behalf is searched; None: the owner of the scope.
        spoken: Returns what is heard now, for an index of other rules; None: nothing of such a one.
        ranges: Which parts of sessions are searched; None for all.
        projects: The paths of the project of the scope; its project alone if there are none.
        near: The paths of the project at hand, which is preferred; empty: none is.
        notes_only: Of memory files only the notes of guests; another back end finds the rest.
        said: When it was said, happened or changed; None for any time.
        observations: Only the observations with these numbers, and nothing else.
        replacing: How what was replaced changes the ranking; None: not at all.
    """

    limit: int
    min_score: float
    sources: tuple[str, ...] | None
    mode: str
    citations: bool = True
    now_ms: int = 0
    times: tuple[TimeRange, ...] = ()
    audience: Audience | None = None
    spoken: Callable[[], Spoken] | None = None
    ranges: tuple[SeqRange, ...] | None = None
    projects: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    notes_only: bool = False
    said: SaidWithin | None = None
    observations: tuple[int, ...] | None = None
    replacing: Replacing | None = None

    @property
    def sees_files(self) -> bool:
        """Whether the caller sees the memory files, and so the warnings about them."""
        return self.audience is None or self.audience.is_owners

    @property
    def is_narrowed(self) -> bool:
        """Whether the search is limited to some time or kind."""
        return (self.said, self.observations) != (None, None)


class SearchService:
    """The reading side of the index. Threads may share it.

    Args:
        database: index.db.
        settings: The section ``search``.
        questions: Makes the vectors of questions.
        origin: The workspace whose memory files are seen; None for those of all.
        near: The vector index; the codes alone if not given.
        visibility_rules: Those in force, see `Identity.visibility_rules`.
    """

    def __init__(
        self,
        database: Database,
        settings: SearchSettings,
        questions: QuestionVectors,
        *,
        origin: str | None = None,
        near: VectorIndex | None = None,
        visibility_rules: str = "",
    ) -> None:
        self._origin = origin
        self._visibility_rules = visibility_rules
        self._near = near
        self._partitions: OrderedDict[tuple[int, Identity], Partition] = OrderedDict()
        self._database = database
        self._settings = settings
        self._questions = questions
        self._mutex = threading.Lock()
        self.fact_tenants: set[str] = set()
        """Tenants of which a search saw that they have facts."""

    def within(self, origin: str | None) -> SearchService:
        """Return the same reading side for the memory files of another workspace."""
        service = copy.copy(self)
        vars(service).update(_origin=origin)
        return service

    def search(
        self,
        query: str,
        scope: Scope,
        options: SearchOptions,
        serving: Serving | None = None,
        waiting: Sequence[str] = (),
    ) -> SearchResult:
        """Return the best hits for ``query`` among what ``scope`` may see.

        Args:
            query: A question or words.
            scope: What the caller may see.
            options: How to search.
            serving: The serving generation, where it was looked up; a newer one is followed.
            waiting: Warnings for callers that hear a chunk that waits for its vector.

        Raises:
            InvalidInput: an option is out of range.
            StoreError: the index could not be read.
        """
        _check(query, options)
        asked_terms = len(set(query_terms(query)))
        if not query.strip():
            return SearchResult(hits=[], mode=options.mode, warnings=["the question is empty"])
        serving = serving or self._database.read(lambda tx: find_serving(tx, scope.tenant))
        question_vector: QuestionVector | None = None
        warnings = [NO_CONTENT]  # without a vector only a trigger can match it
        if asked_terms:
            question_vector, warnings = self._vector(query, scope, options, serving)

        def answer(
            tx: Transaction, identity: Identity, partition: Partition
        ) -> SearchResult | None:
            access = self._access(scope, options, identity)
            if access is None:
                return SearchResult(hits=[], mode=options.mode, warnings=[OTHER_RULES])
            view = partition.view(tx, access)
            if view.is_empty:
                return None
            vector = (
                question_vector.vector
                if question_vector and question_vector.embedder == identity.embedder
                else None
            )
            request = self._request(tx, view, (query, vector), scope, options)
            hits, plain = self._hits(tx, view, request, options)
            mode = "lexical" if vector is None and asked_terms else options.mode
            texts = [*warnings, DAMAGED_WORDS] if partition.words.is_damaged else warnings
            if waiting and view.waits(tx):
                texts = [*waiting, *texts]
            if options.said is not None:
                texts = [*texts, *_left_out(tx, view, scope, options, self._origin)]
            sure = confidence_in(hits, plain, asked_terms, mode)
            return SearchResult(hits=hits, mode=mode, warnings=texts, confidence=sure)

        result = self._on_partition(scope.tenant, serving, answer)
        return result or SearchResult(
            hits=[], mode=options.mode, warnings=[] if asked_terms else warnings
        )

    def _access(self, scope: Scope, options: SearchOptions, identity: Identity) -> Access | None:
        """Return the access of a caller; None where it is unknown for this index."""
        audience = options.audience
        is_noted = audience is None or identity.visibility_rules == self._visibility_rules
        if not is_noted and options.spoken is None:
            return None
        return Access(
            agent=scope.agent,
            user=None if scope.user is None else scope.of_user({"user": scope.user}),
            projects=_projects_of(scope, options) if scope.project is not None else None,
            audience=audience,
            spoken=None if is_noted else options.spoken,
            origin=self._origin,
        )

    def _vector(
        self, query: str, scope: Scope, options: SearchOptions, serving: Serving | None
    ) -> tuple[QuestionVector | None, list[str]]:
        """Return the vector of a question; made without holding the lock or a snapshot."""
        mode = options.mode
        if mode == "lexical":
            return None, []
        if not self._questions.has_embedder:
            return None, self._without_embedder(mode)
        request = self._embedding_request(query, scope, options, serving)
        if request is None:
            return None, [
                "the index holds no vectors of this embedder yet: only words were compared"
            ]
        try:
            return self._questions.vector(*request), []
        except ProviderError as error:
            return None, [f"{error.message}: only words were compared"]

    def _without_embedder(self, mode: str) -> list[str]:
        if not self._questions.is_off:
            return ["no embedder is installed: only words were compared"]
        is_chosen = mode == "hybrid"
        return [] if is_chosen else ["embedding.provider is none: only words were compared"]

    def _embedding_request(
        self, query: str, scope: Scope, options: SearchOptions, serving: Serving | None
    ) -> tuple[Identity, str] | None:
        """Return the index and the text to embed for a question; None for none."""

        def ask(
            tx: Transaction | None, identity: Identity, partition: Partition
        ) -> tuple[Identity, str] | None:
            access = self._access(scope, options, identity)
            if access is None or not self._questions.fits(identity):
                return None
            return identity, partition.view(tx, access).question(query, options.times).text

        if serving is not None and serving.partition is not None:
            access = self._access(scope, options, serving.identity)
            partition = self._partition_of(serving.partition, serving.identity)
            with partition.lock:
                is_noted = access is None or access.is_noted
                if is_noted and partition.revision == serving.revision:
                    return ask(None, serving.identity, partition)
        return self._on_partition(scope.tenant, serving, ask)

    def _on_partition(
        self,
        tenant: str,
        serving: Serving | None,
        unit: Callable[[Transaction, Identity, Partition], T],
    ) -> T | None:
        """Run ``unit`` on a snapshot and the partition in it; None without a partition."""
        while serving is not None and serving.partition is not None:
            partition = self._partition_of(serving.partition, serving.identity)
            # The lock first, so that this snapshot is not older than the state of the partition.
            with partition.lock:
                snapshot = serving, partition
                now, result = self._database.read(
                    partial(_run_on, tenant=tenant, snapshot=snapshot, unit=unit)
                )
            if now is serving:
                return result
            serving = now  # a rebuild flipped the generation in between
        return None

    def _partition_of(self, number: int, identity: Identity) -> Partition:
        key = number, identity
        with self._mutex:
            partition = self._partitions.get(key)
            if partition is None:
                partition = Partition(number, identity.dimensions, identity.lexical, self._near)
                self._partitions[key] = partition
            self._partitions.move_to_end(key)
            if len(self._partitions) > HELD_PARTITIONS:
                self._partitions.popitem(last=False)
            return partition

    def _hits(
        self,
        tx: Transaction,
        view: PartitionView,
        request: RankingRequest,
        options: SearchOptions,
    ) -> tuple[list[Hit], Ranked]:
        """Return the hits, and the ranking without what was replaced, see `confidence_in`."""
        limits, enough = self._limits(options), request.most
        while True:
            plain = rank(tx, view, request, self._settings)
            has_episodes = bool(view.arrays.totals.chunks[EPISODE])
            if has_episodes and (options.sources is None or SESSIONS in options.sources):
                plain = retold_last(tx, view, plain)
            ranked = plain
            if options.replacing is not None:
                ranked = options.replacing.apply(tx, view, request, plain)
            display = HitDisplay(
                terms=[ranked.respelled.get(term, term) for term in request.question.terms],
                snippet_chars=self._settings.snippet_chars,
                citations=options.citations,
                counts_words=options.min_score > 0,
            )
            shortlist = Shortlist(tx, view.partition, ranked, display)
            shortlist.grow(enough)
            if len(shortlist) >= enough or ranked.is_all:
                return shortlist.hits(limits), plain
            request = msgspec.structs.replace(request, most=request.most * FURTHER)

    def _request(
        self,
        tx: Transaction,
        view: PartitionView,
        question: tuple[str, Vectors | None],
        scope: Scope,
        options: SearchOptions,
    ) -> RankingRequest:
        query, vector = question
        projects = (*self._settings.projects, *_projects_of(scope, options))
        has_files = bool(view.arrays.totals.chunks[FILE])
        if view.arrays.totals.chunks[FACT]:
            self.fact_tenants.add(scope.tenant)
        limits = self._limits(options)
        # Ordering by score alone needs no further hits.
        is_plain = limits.min_score <= 0 and limits.relevance is None
        return RankingRequest(
            question=view.take_question(query, options.times),
            vector=vector,
            lexical=options.mode != "vector" or vector is None,
            visible=_visible(tx, view, scope, options, self._origin),
            most=options.limit if is_plain else max(options.limit, POOL),
            named=tuple(view.named(tx, query)) if has_files else (),
            triggered=view.triggered(query),
            projects=frozenset(map(project_key, projects)),
            near=tuple(view.partition.names.number("project", path) for path in options.near),
            now_ms=options.now_ms,
            with_files=limits.files > 0,
        )

    def _limits(self, options: SearchOptions) -> HitLimits:
        sources, diversity = options.sources, self._settings.diversity
        is_mixed = sources is None or (FILES in sources and len(set(sources)) > 1)
        return HitLimits(
            limit=options.limit,
            min_score=options.min_score,
            files=quota(options.limit, self._settings.memory_share) if is_mixed else 0,
            relevance=diversity.relevance if diversity.enabled else None,
        )


def _run_on(
    tx: Transaction,
    tenant: str,
    snapshot: tuple[Serving, Partition],
    unit: Callable[[Transaction, Identity, Partition], T],
) -> tuple[Serving | None, T | None]:
    """Return the serving generation and, when it is unchanged, that and the result of ``unit``."""
    serving, partition = snapshot
    now = find_serving(tx, tenant)
    if now is None or (now.partition, now.identity) != (serving.partition, serving.identity):
        return now, None
    partition.refresh(tx)
    return serving, unit(tx, serving.identity, partition)


def _visible(
    tx: Transaction,
    view: PartitionView,
    scope: Scope,
    options: SearchOptions,
    origin: str | None,
) -> Mask | None:
    """Return a mask of the heard chunks that a question is about, None for all living ones.

    ``origin`` is the workspace whose memory files are seen; None for those of all.
    """
    arrays, count = view.arrays, view.arrays.count
    columns = {name: column[:count] for name, column in arrays.columns.items()}
    groups, sources, ranges = columns["group"], columns["source"], options.ranges
    limits: list[Mask | None] = []
    if ranges is None and scope.session is not None:
        ranges = (SeqRange(session=scope.session),)
    if ranges is not None:
        numbered = [
            (number, s) for s in ranges for number in _session_groups(tx, view.partition.number, s)
        ]
        limits.append(within_ranges(numbered, groups, columns["order"]))
    if options.notes_only:
        limits.append(view.partition.groups.owned(groups) | (sources != SOURCES.index(FILES)))
    if options.sources is not None:
        is_chosen = np.array([source in options.sources for source in SOURCES])
        limits.append(is_chosen[sources])
    if arrays.totals.chunks[FACT] and FACTS not in (options.sources or ()):
        limits.append(columns["flags"] & COVERED == 0)
    limits += _narrowing(columns, options)
    if origin is not None and view.is_whole:
        limits.append(view.partition.groups.of_workspace(origin, groups))
    present = [limit for limit in limits if limit is not None]
    if not present:
        return None
    mask: Mask = np.logical_and.reduce([arrays.alive[:count], *present])
    return mask


def _left_out(
    tx: Transaction,
    view: PartitionView,
    scope: Scope,
    options: SearchOptions,
    origin: str | None,
) -> list[str]:
    """Return a warning where the caller sees memory files without any time."""
    from recollect.index.query.said_within import undated

    arrays = view.arrays
    count = arrays.count
    missing = undated({name: arrays.columns[name][:count] for name in ("source", "at")})
    if not missing.any():
        return []
    whole = msgspec.structs.replace(options, said=None)
    seen = _visible(tx, view, scope, whole, origin)
    missing &= arrays.alive[:count] if seen is None else seen
    return [UNDATED] if missing.any() else []


def _narrowing(columns: Mapping[str, NDArray[Any]], options: SearchOptions) -> Iterator[Mask]:
    """Yield masks of the chunks of the requested time and kind."""
    if options.said is not None:
        yield options.said.mask(columns)
    if options.observations is not None:
        numbers = columns["order"] >> PART_BITS
        yield np.isin(numbers, options.observations)
        yield columns["source"] == SOURCES.index(OBSERVATIONS)


def _projects_of(scope: Scope, options: SearchOptions) -> tuple[str, ...]:
    return options.projects or ((scope.project,) if scope.project is not None else ())


def _session_groups(tx: Transaction, partition: int, part: SeqRange) -> list[int]:
    """Return the numbers of a session's groups, one for each audience in it, or `NO_GROUP`.

    What was derived from all of a session is not of a part of it.
    """
    if not part.session.isprintable():
        return [NO_GROUP]  # not an id of ours, and perhaps no text that a database can compare
    sources = (SESSIONS, OBSERVATIONS) if part.last is not None else (*SOURCES[1:],)
    rows = tx.all(
        "SELECT number FROM chunk_groups WHERE partition_id = ?"
        " AND source IN (SELECT value FROM json_each(?)) AND ref = ?",
        (partition, msgspec.json.encode(sources).decode(), part.session),
    )
    return [integer(row[0]) for row in rows] or [NO_GROUP]


def _check(query: object, options: SearchOptions) -> None:
    """Refuse what the types forbid too, since callers in other languages and JSON send anything."""
    if not isinstance(query, str):
        raise InvalidInput("the question must be a text", hint="give a question, or words")
    if len(query) > MOST_QUESTION:
        raise InvalidInput(
            f"the question must not be longer than {MOST_QUESTION:,} characters",
            hint="ask for the words that matter",
        )
    if options.mode not in MODES:
        raise InvalidInput("unknown search mode", hint=f"use one of {', '.join(MODES)}")
    if type(options.limit) is not int or not 1 <= options.limit <= MOST_HITS:
        raise InvalidInput("limit is out of range", hint=f"use 1 to {MOST_HITS}")
    if type(options.min_score) not in (int, float) or not 0 <= options.min_score <= 1:
        raise InvalidInput("min_score is out of range", hint="use a number from 0 to 1")
    if not all(source in SOURCES for source in options.sources or ()):
        raise InvalidInput("unknown source", hint=f"use some of {', '.join(SOURCES)}")
