"""Answers questions: finds the partition, ranks its chunks and turns the best into hits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import EmbeddingError, InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings
from recollect.index.document import SOURCES
from recollect.index.generations import Generation, find_generation, partition_number
from recollect.index.hit import Hit, SearchResult
from recollect.index.layout import chunk_id
from recollect.index.partition import Partition
from recollect.index.question import Question, analyse
from recollect.index.search import Ranked, Request, rank
from recollect.models.embedder import Embedder
from recollect.store.cell import integer, text, text_or_none
from recollect.store.engine import Database, Transaction
from recollect.text.snippet import snippet

MODES = ("hybrid", "lexical", "vector")
MOST_HITS = 1_000
HELD_PARTITIONS = 32
"""Tenants kept in memory at once; the one not asked for longest goes."""


class SearchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to search. ``limit`` 1 to 1,000; ``min_score`` in [0, 1]; ``sources`` None for all."""

    limit: int
    min_score: float
    sources: tuple[str, ...] | None
    mode: str


class Searcher:
    """The reading side of the index. Threads may share it.

    Args:
        database: index.db.
        settings: The section ``search``.
        embedder: Makes the vectors of questions; None for words only.
    """

    def __init__(
        self, database: Database, settings: SearchSettings, embedder: Embedder | None
    ) -> None:
        self._database = database
        self._settings = settings
        self._embedder = embedder
        self._partitions: OrderedDict[int, Partition] = OrderedDict()

    def search(self, query: str, scope: Scope, options: SearchOptions) -> SearchResult:
        """Return the best hits for ``query`` among what ``scope`` may see.

        Raises:
            InvalidInput: an option is out of range.
            StoreError: the index could not be read.
        """
        _check(options)
        if not query.strip():
            return SearchResult(hits=[], mode=options.mode, warnings=["the question is empty"])
        return self._database.read(lambda tx: self._answer(tx, query, scope, options))

    def _answer(
        self, tx: Transaction, query: str, scope: Scope, options: SearchOptions
    ) -> SearchResult:
        generation = find_generation(tx, "serving")
        number = partition_number(tx, generation.number, scope.tenant) if generation else None
        if generation is None or number is None:
            return SearchResult(hits=[], mode=options.mode, warnings=[])
        partition = self._partition(number, generation.identity.dimensions)
        with partition.lock:
            partition.refresh(tx)
            question = analyse(query, partition.names)
            vector, warnings = self._vector(question, generation, options.mode)
            request = Request(
                question=question,
                vector=vector,
                lexical=options.mode != "vector",
                visible=self._visible(tx, partition, scope, options.sources),
                most=options.limit,
            )
            ranked = rank(tx, partition, request, self._settings)
        hits = self._hits(tx, number, question, ranked)
        mode = "lexical" if vector is None else options.mode
        hits = [hit for hit in hits if hit.score >= options.min_score][: options.limit]
        return SearchResult(hits=hits, mode=mode, warnings=warnings)

    def _partition(self, number: int, dimensions: int) -> Partition:
        partition = self._partitions.get(number)
        if partition is None or partition.dimensions != dimensions:
            partition = self._partitions[number] = Partition(number, dimensions)
        self._partitions.move_to_end(number)
        if len(self._partitions) > HELD_PARTITIONS:
            self._partitions.popitem(last=False)
        return partition

    def _vector(
        self, question: Question, generation: Generation, mode: str
    ) -> tuple[NDArray[np.float32] | None, list[str]]:
        if mode == "lexical":
            return None, []
        if self._embedder is None:
            return None, ["no embedder is installed: only words were compared"]
        if self._embedder.fingerprint != generation.identity.embedder:
            return None, ["the index holds no vectors of this embedder yet: only words were compared"]
        try:
            return self._embedder.embed_query(question.text), []
        except EmbeddingError as error:
            return None, [f"{error.message}: only words were compared"]

    def _visible(
        self, tx: Transaction, partition: Partition, scope: Scope, sources: Collection[str] | None
    ) -> NDArray[np.bool_] | None:
        owners = {"agent": scope.agent, "user": scope.user, "project": scope.project}
        wanted = {kind: value for kind, value in owners.items() if value is not None}
        chosen = None
        if sources is not None:
            chosen = np.array([source in sources for source in SOURCES])
        group = None
        if scope.session is not None:
            group = _session_group(tx, partition.number, scope.session)
        return partition.visible(wanted, chosen, group)

    def _hits(
        self, tx: Transaction, partition: int, question: Question, ranked: Ranked
    ) -> list[Hit]:
        hits: dict[tuple[str, str, int], Hit] = {}
        for number, score, why in zip(ranked.numbers, ranked.scores, ranked.why, strict=True):
            hit = self._hit(tx, chunk_id(partition, number), question, score, why)
            if hit is not None:
                hits.setdefault((hit.source, hit.ref, hit.start_line or 0), hit)
        return list(hits.values())

    def _hit(
        self, tx: Transaction, key: int, question: Question, score: float, why: dict[str, float]
    ) -> Hit | None:
        row = tx.row(_HIT, (key,))
        if row is None:
            return None
        start, end, content, source, ref, at, role, name, group = row
        shown = snippet(text(content), question.terms, self._settings.snippet_chars).text
        is_session = source == "sessions"
        return Hit(
            score=score,
            source=text(source),
            ref=text(ref),
            snippet=shown,
            why=why,
            at=integer(at),
            session_id=text(group) if is_session else None,
            seq=integer(start) if is_session else None,
            role=text_or_none(role),
            name=text_or_none(name),
            path=text(ref) if source == "memory" else None,
            start_line=integer(start) if source == "memory" else None,
            end_line=integer(end) if source == "memory" else None,
        )


_HIT = (
    "SELECT c.start_line, c.end_line, c.text, d.source, d.ref, d.at, d.role, d.name, g.ref"
    " FROM chunks c JOIN documents d ON d.id = c.document"
    " JOIN chunk_groups g ON g.partition_id = d.partition_id AND g.number = d.group_number"
    " WHERE c.id = ?"
)


def _session_group(tx: Transaction, partition: int, session: str) -> int:
    row = tx.row(
        "SELECT number FROM chunk_groups"
        " WHERE partition_id = ? AND source = 'sessions' AND ref = ?",
        (partition, session),
    )
    return integer(row[0]) if row else -1


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
