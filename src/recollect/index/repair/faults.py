"""Compares words, vectors and codes with the chunks they belong to: for a sample, or for all.

A chunk's terms are made again from its text and looked up; terms of its neighbours in the sample
that it lacks must not be recorded for it. Rows that are lost on the way from a document to its
chunks count as well: a rebuild repairs either. Vectors that are missing or wrong are made again,
from the cache where it can be, so nothing is lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

import msgspec
import numpy as np

from recollect.core.errors import StoreCorrupt
from recollect.index.lexical.choice import backend
from recollect.index.lexical.port import WordReader
from recollect.index.lexical.segments import read_tail
from recollect.index.model.chunk_record import NUMBER_MASK, Ints, chunk_id, chunk_ids
from recollect.index.model.generation import Identity
from recollect.index.vectors.codes import forget_codes, read_blocks, read_rows
from recollect.store.columns import first_integer, integer, json_cell, text
from recollect.store.engine import Database, Row, Transaction
from recollect.text.terms import terms

REPAIRED = 2_000
"""Chunks repaired in one transaction."""

HALF_BYTES = 2


class VectorFaults(msgspec.Struct, frozen=True):
    """The faults of one partition, as chunk numbers.

    Attributes:
        partition: Which.
        missing: Chunks without a vector that do not wait for one either.
        wrong: Vectors of another size than the generation says.
        uncoded: Vectors that no code stands for, so that no search comes near them.
        stray: Codes of chunks that are not there.
    """

    partition: int
    missing: Ints
    wrong: Ints
    uncoded: Ints
    stray: Ints

    def __len__(self) -> int:
        return sum(map(len, (self.missing, self.wrong, self.uncoded, self.stray)))


class Living(msgspec.Struct, frozen=True):
    """A partition that answers or is being built, and its identity."""

    number: int
    identity: Identity


def living_partitions(tx: Transaction) -> list[Living]:
    """Return the partitions that are not retired."""
    rows = tx.rows(
        "SELECT p.id, g.identity FROM partitions p JOIN generations g ON g.id = p.generation"
        " WHERE g.status <> 'retired' ORDER BY p.id"
    )
    return [Living(integer(number), json_cell(identity, Identity)) for number, identity in rows]


def find_vector_faults(tx: Transaction) -> list[VectorFaults]:
    """Return the vector faults of each partition with vectors."""
    return [
        _faults(tx, each.number, each.identity.dimensions)
        for each in living_partitions(tx)
        if each.identity.dimensions
    ]


def repair_vectors(database: Database, faults: Sequence[VectorFaults]) -> int:
    """Queue missing and wrong vectors to be made; return the number of chunks."""
    repaired = 0
    for each in faults:
        database.write(partial(forget_codes, partition=each.partition, numbers=each.stray.tolist()))
        again = np.concatenate([each.missing, each.wrong, each.uncoded])
        for start in range(0, len(again), REPAIRED):
            numbers = again[start : start + REPAIRED].tolist()
            database.write(partial(_queue, partition=each.partition, numbers=numbers))
        repaired += len(each)
    return repaired


def _queue(tx: Transaction, partition: int, numbers: Sequence[int]) -> None:
    """Queue the vectors of those chunks that still exist."""
    forget_codes(tx, partition, numbers)
    keys = [(chunk_id(partition, number),) for number in numbers]
    tx.executemany("DELETE FROM vectors WHERE id = ?", keys)
    tx.executemany(
        "INSERT INTO vector_queue (id) SELECT id FROM chunks WHERE id = ?"
        " ON CONFLICT (id) DO NOTHING",
        keys,
    )


def _faults(tx: Transaction, partition: int, dimensions: int) -> VectorFaults:
    bounds = chunk_ids(partition)
    chunks = _numbers(tx.rows("SELECT id FROM chunks WHERE id BETWEEN ? AND ?", bounds))
    vectors = list(tx.rows("SELECT id, length(data) FROM vectors WHERE id BETWEEN ? AND ?", bounds))
    there = _numbers(vectors)
    sizes = np.array([integer(size) for _, size in vectors], np.int64)
    waiting = _numbers(
        tx.rows(
            "SELECT id FROM vector_queue WHERE id BETWEEN ? AND ?"
            " UNION SELECT id FROM vector_refused WHERE id BETWEEN ? AND ?",
            (*bounds, *bounds),
        )
    )
    wrong = there[sizes != HALF_BYTES * dimensions]
    sound = np.setdiff1d(there, wrong)
    coded = _coded(tx, partition)
    return VectorFaults(
        partition=partition,
        missing=np.setdiff1d(np.setdiff1d(chunks, there), waiting),
        wrong=np.intersect1d(wrong, chunks),
        uncoded=np.setdiff1d(np.intersect1d(sound, chunks), coded),
        stray=np.setdiff1d(coded, chunks),
    )


def _coded(tx: Transaction, partition: int) -> Ints:
    blocks = [
        block.first + np.flatnonzero(block.present) for block in read_blocks(tx, partition, -1)
    ]
    rows = np.array([number for _, number, _ in read_rows(tx, partition, 0)], np.int64)
    return np.unique(np.concatenate([rows, *blocks]))


def _numbers(rows: Iterable[Row]) -> Ints:
    return np.array([integer(row[0]) & NUMBER_MASK for row in rows], np.int64)


SAMPLE = 100
"""Chunks of a partition that are examined: where 3 in 100 are wrong, .97 ** 100 of all looks, one
in 20, miss it."""
TOGETHER = 5_000
"""Chunks that are compared at once, so that a term of several is read once."""


class WordFaults(msgspec.Struct, frozen=True, kw_only=True):
    """The word faults of one partition.

    Attributes:
        looked_at: Chunks whose words were compared.
        wrong: Those of them whose words do not match their text.
        lost: Chunks without their document, and documents without all their chunks.
    """

    looked_at: int
    wrong: int
    lost: int


def find_word_faults(tx: Transaction, living: Living, *, deep: bool) -> WordFaults:
    """Return the word faults of a partition.

    Args:
        tx: Any transaction.
        living: The partition.
        deep: Examine every chunk.
    """
    bounds = chunk_ids(living.number)
    rows = tx.rows("SELECT id FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id", bounds)
    keys = [integer(key) for (key,) in rows]
    if not deep and len(keys) > SAMPLE:
        positions = np.linspace(0, len(keys) - 1, SAMPLE).astype(np.int64)
        keys = [keys[position] for position in positions.tolist()]
    wrong = _count_all_wrong(tx, living, keys)
    return WordFaults(looked_at=len(keys), wrong=wrong, lost=_count_lost(tx, living.number))


def count_damage(database: Database, living: Living) -> int:
    """Return the number of damaged rows of words."""
    return backend(living.identity.lexical).count_damage(database, living.number)


def _count_all_wrong(tx: Transaction, living: Living, keys: list[int]) -> int:
    reader = backend(living.identity.lexical).reader(living.number)
    try:
        reader.hold(read_tail(tx, living.number, 0))
    except StoreCorrupt:
        return len(keys)  # nothing of this partition can be searched
    return sum(
        _count_wrong(tx, reader, keys[start : start + TOGETHER])
        for start in range(0, len(keys), TOGETHER)
    )


def _count_wrong(tx: Transaction, reader: WordReader, keys: list[int]) -> int:
    """Return the number of chunks that differ from the words in the lexical back end."""
    positions_of: dict[str, list[int]] = defaultdict(list)
    for position, key in enumerate(keys):
        row = tx.row("SELECT text FROM chunks WHERE id = ?", (key,))
        for term in set(terms(text(row[0]))) if row else ():
            positions_of[term].append(position)
    numbers: Ints = np.array([key & NUMBER_MASK for key in keys], np.int64)
    wrong = np.zeros(len(keys), np.bool_)
    for term in sorted(positions_of):
        expected = np.zeros(len(keys), np.bool_)
        expected[positions_of[term]] = True
        wrong |= (reader.find(tx, term).counts(numbers) > 0) != expected
    return int(np.count_nonzero(wrong))


def _count_lost(tx: Transaction, partition: int) -> int:
    chunks = first_integer(tx.row(_CHUNKS_WITHOUT, chunk_ids(partition)))
    return chunks + first_integer(tx.row(_DOCUMENTS_WITHOUT, (partition,)))


_CHUNKS_WITHOUT = (
    "SELECT count(*) FROM chunks c WHERE c.id BETWEEN ? AND ?"
    " AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = c.document)"
)
_DOCUMENTS_WITHOUT = (
    "SELECT count(*) FROM documents d WHERE d.partition_id = ? AND d.chunk_count <>"
    " (SELECT count(*) FROM chunks c WHERE c.document = d.id"
    " AND c.id BETWEEN (d.partition_id << 40 | d.first_chunk)"
    " AND (d.partition_id << 40 | d.first_chunk) + d.chunk_count - 1)"
)
