"""Examines index.db row by row, and repairs defects by removal, recomputation or a rebuild.

The records are never touched: all that is here can be derived from them and from the files.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Literal, LiteralString

import msgspec

from recollect.index.embedding.cache import sound_vectors
from recollect.index.index import Index
from recollect.index.indexing import retired
from recollect.index.indexing.retired import KeyedTable
from recollect.index.model.sync_report import OnProgress, Watch, ignore_progress
from recollect.index.repair.faults import (
    count_damage,
    find_vector_faults,
    find_word_faults,
    living_partitions,
    repair_vectors,
)
from recollect.store.columns import integer, typed_rows
from recollect.store.engine import Database, Transaction

CACHE_ROWS = 2_000
"""Rows of the embedding cache that are read, or removed, in one transaction."""

Kind = Literal["orphans", "vectors", "words", "backend", "cache"]


class Defect(msgspec.Struct, frozen=True, kw_only=True):
    """A defect of the index.

    Attributes:
        kind: The examination that found it.
        rows: The number of rows concerned.
        detail: For people.
        needs_rebuild: Whether only a rebuild of the index repairs it.
    """

    kind: Kind
    rows: int
    detail: str
    needs_rebuild: bool = False


class IndexCheckup:
    """Examines and repairs one index.

    Args:
        database: index.db.
        index: Knows the back end of the vectors, and rebuilds itself.
    """

    def __init__(self, database: Database, index: Index) -> None:
        self._database = database
        self._index = index

    def examine(self, *, deep: bool = False) -> list[Defect]:
        """Return the defects of the index; nothing is changed.

        Args:
            deep: Compare the words of every chunk, and check every row of words and every cached
                vector.

        Raises:
            StoreError: the index cannot be read.
        """
        return [
            *self._orphans(),
            *self._vectors(),
            *self._words(deep=deep),
            *self._backend(),
            *self._cache(deep=deep),
        ]

    def repair(self, found: list[Defect], on_progress: OnProgress = ignore_progress) -> list[str]:
        """Repair defects, and return a sentence for each repair.

        Args:
            found: The result of `examine`.
            on_progress: Called while the index is rebuilt.

        Raises:
            StoreError: the index cannot be written.
            ProviderError: the index had to be rebuilt, and the embedder failed.
        """
        kinds = {defect.kind for defect in found}
        repairs = []
        if "orphans" in kinds:
            repairs.append(
                f"removed {_remove_orphans(self._database):,} rows that belong to nothing"
            )
        if "cache" in kinds:
            repairs.append(f"removed {self._drop_cached():,} damaged vectors from the cache")
        if "vectors" in kinds:
            faults = self._database.read(find_vector_faults)
            repaired = repair_vectors(self._database, faults)
            repairs.append(f"let {repaired:,} vectors be made again")
        if any(defect.needs_rebuild for defect in found):
            self._index.rebuild(Watch(tell=on_progress))
            repairs.append("rebuilt the index")
        if "backend" in kinds:
            repairs.append(f"brought {self._index.near.heal():,} vectors to their back end again")
        return repairs

    def _orphans(self) -> list[Defect]:
        counts = self._database.read(_count_orphans)
        return _defects("orphans", [(rows, name) for name, rows in counts.items()])

    def _vectors(self) -> list[Defect]:
        faults = self._database.read(find_vector_faults)
        counts = [
            (sum(len(getattr(each, name)) for each in faults), what)
            for name, what in _VECTOR_FAULTS.items()
        ]
        return _defects("vectors", counts)

    def _words(self, *, deep: bool) -> list[Defect]:
        partitions = self._database.read(living_partitions)
        look = partial(find_word_faults, deep=deep)
        faults = [self._database.read(partial(look, living=living)) for living in partitions]
        damaged = sum(count_damage(self._database, each) for each in partitions) if deep else 0
        wrong, missing = sum(each.wrong for each in faults), sum(each.lost for each in faults)
        looked_at = sum(each.looked_at for each in faults)
        counts = [
            (damaged, "rows of words are damaged"),
            (wrong, f"of {looked_at:,} chunks are not found by all their words"),
            (missing, "chunks or documents lack their other part"),
        ]
        return _defects("words", counts, needs_rebuild=True)

    def _backend(self) -> list[Defect]:
        rows = sum(drift.missing + drift.extra for drift in self._index.near.check())
        return _defects("backend", [(rows, "vectors differ from those of their back end")])

    def _cache(self, *, deep: bool) -> list[Defect]:
        rows = len(self._bad_cached(deep=deep))
        return _defects("cache", [(rows, "damaged vectors in the cache")])

    def _drop_cached(self) -> int:
        bad = self._bad_cached(deep=True)
        for start in range(0, len(bad), CACHE_ROWS):
            page = [(key,) for key in bad[start : start + CACHE_ROWS]]
            self._database.write(partial(_CACHE.remove, keys=page))
        return len(bad)

    def _bad_cached(self, *, deep: bool) -> list[int]:
        bad = self._database.read(_missized)
        after = 0
        while deep and (page := self._database.read(partial(_cached_page, after=after))):
            bad += [key for key, data in page if not sound_vectors([(b"", data)], len(data) // 2)]
            after = page[-1][0]
        return sorted(set(bad))


_CACHE = KeyedTable("embedding_cache")
_VECTOR_FAULTS = {
    "missing": "chunks without a vector that wait for none",
    "wrong": "vectors of another size than the index has",
    "uncoded": "vectors that no code stands for",
    "stray": "codes of chunks that are not there",
}


def _defects(
    kind: Kind, counts: Iterable[tuple[int, str]], *, needs_rebuild: bool = False
) -> list[Defect]:
    """Return a defect for each count of rows that is not 0."""
    return [
        Defect(kind=kind, rows=rows, detail=f"{rows:,} {what}", needs_rebuild=needs_rebuild)
        for rows, what in counts
        if rows
    ]


def _missized(tx: Transaction) -> list[int]:
    """Return cached vectors that are not as long as most of their space."""
    return [integer(key) for (key,) in tx.rows(_MISSIZED)]


def _cached_page(tx: Transaction, after: int) -> list[tuple[int, bytes]]:
    sql = "SELECT id, data FROM embedding_cache WHERE id > ? ORDER BY id LIMIT ?"
    return typed_rows(tx.all(sql, (after, CACHE_ROWS)), tuple[int, bytes])


_MISSIZED = (
    "WITH sizes AS (SELECT space, length(data) AS size, count(*) AS n FROM embedding_cache"
    " GROUP BY space, size), ranked AS (SELECT space, size,"
    " row_number() OVER (PARTITION BY space ORDER BY n DESC, size DESC) AS place FROM sizes)"
    " SELECT e.id FROM embedding_cache e JOIN ranked r ON r.space = e.space AND r.place = 1"
    " WHERE length(e.data) <> r.size OR length(e.data) % 2 <> 0 OR length(e.data) = 0"
)


ROWS = 2_000
"""Rows removed in one transaction, so that no other write waits for long."""


class Orphans(msgspec.Struct, frozen=True):
    """A kind of orphan: its name for people, the table, and a condition that holds for each."""

    name: str
    table: KeyedTable
    condition: LiteralString


_NO_PARTITION = "partition_id NOT IN (SELECT id FROM partitions)"
_NO_PARTITION_OF_CHUNK = "id >> 40 NOT IN (SELECT id FROM partitions)"
_NO_CHUNK = "id NOT IN (SELECT id FROM chunks)"
_NAMES_IN_USE = (
    "SELECT agent_id FROM documents UNION SELECT user_id FROM documents"
    " UNION SELECT project_id FROM documents UNION SELECT speaker_id FROM documents"
)

ORPHAN_KINDS = (
    Orphans("documents of no partition", retired.DOCUMENTS, _NO_PARTITION),
    Orphans("chunks of no partition", retired.CHUNKS, _NO_PARTITION_OF_CHUNK),
    Orphans("vectors without a chunk", retired.VECTORS, _NO_CHUNK),
    Orphans("waiting vectors without a chunk", retired.VECTOR_QUEUE, _NO_CHUNK),
    Orphans("refused vectors without a chunk", retired.VECTOR_REFUSED, _NO_CHUNK),
    Orphans("annotations without a chunk", retired.ANNOTATIONS, _NO_CHUNK),
    Orphans(
        "postings without a term",
        KeyedTable("postings"),
        "id >> 32 NOT IN (SELECT id FROM terms)",
    ),
    Orphans(
        "groups without a document",
        retired.CHUNK_GROUPS,
        "(partition_id, number) NOT IN (SELECT partition_id, group_number FROM documents)",
    ),
    Orphans("names without a document", retired.NAMES, "id NOT IN (" + _NAMES_IN_USE + ")"),
    Orphans(
        "file names without a document",
        retired.FILE_NAMES,
        "document NOT IN (SELECT id FROM documents)",
    ),
    Orphans(
        "mentions without a document",
        retired.MENTIONS,
        "document NOT IN (SELECT id FROM documents)",
    ),
    Orphans("terms of no partition", KeyedTable("terms"), _NO_PARTITION),
    Orphans("segments of no partition", retired.SEGMENTS, _NO_PARTITION),
    Orphans("waiting words of no partition", retired.TAIL, _NO_PARTITION_OF_CHUNK),
    Orphans("codes of no partition", retired.CODE_ROWS, _NO_PARTITION),
    Orphans("blocks of codes of no partition", retired.CODE_BLOCKS, _NO_PARTITION),
    Orphans("removals of no partition", retired.REMOVALS, _NO_PARTITION),
    Orphans(
        "cursors of no generation",
        KeyedTable("cursors", ("generation", "feed")),
        "generation NOT IN (SELECT id FROM generations)",
    ),
)
"""Ordered so that the removal of one kind leaves the following kinds correct."""

ALL = -1
"""For use as a limit."""


def _count_orphans(tx: Transaction) -> dict[str, int]:
    """Return the kinds of orphans and their numbers; none beside a retired generation."""
    if tx.row("SELECT 1 FROM generations WHERE status = 'retired'"):
        return {}
    counts = {kind.name: len(kind.table.page(tx, kind.condition, (ALL,))) for kind in ORPHAN_KINDS}
    return {name: number for name, number in counts.items() if number}


def _remove_orphans(database: Database) -> int:
    """Remove all of them in small transactions, and return the number of rows."""
    removed = 0
    for kind in ORPHAN_KINDS:
        while step := database.write(partial(_remove_some, kind=kind)):
            removed += step
    return removed


def _remove_some(tx: Transaction, kind: Orphans) -> int:
    keys = kind.table.page(tx, kind.condition, (ROWS,))
    kind.table.remove(tx, keys)
    return len(keys)
