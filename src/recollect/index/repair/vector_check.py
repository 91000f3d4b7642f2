"""Compares vectors and their codes with the chunks they belong to, and lets missing ones be made.

Nothing is lost by it: what is wrong is made again, from the cache where it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import msgspec
import numpy as np

from recollect.index.model.chunk_record import NUMBER_MASK, Ints, chunk_id, chunk_ids
from recollect.index.model.generation import Identity
from recollect.index.vectors.codes import forget_codes, read_blocks, read_rows
from recollect.store.columns import integer, text
from recollect.store.engine import Database, Row, Transaction

REPAIRED = 2_000
"""Chunks repaired in one transaction."""

HALF_BYTES = 2


class VectorFaults(msgspec.Struct, frozen=True):
    """What is wrong in one partition, as chunk numbers.

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
    """A partition that answers or is being built, and what it was built with."""

    number: int
    identity: Identity


def living_partitions(tx: Transaction) -> list[Living]:
    """Return the partitions that are not retired."""
    rows = tx.rows(
        "SELECT p.id, g.identity FROM partitions p JOIN generations g ON g.id = p.generation"
        " WHERE g.status <> 'retired' ORDER BY p.id"
    )
    return [
        Living(integer(number), msgspec.json.decode(text(identity), type=Identity))
        for number, identity in rows
    ]


def find_vector_faults(tx: Transaction) -> list[VectorFaults]:
    """Return what is wrong with the vectors of each partition that has any."""
    return [
        _faults(tx, each.number, each.identity.dimensions)
        for each in living_partitions(tx)
        if each.identity.dimensions
    ]


def repair_vectors(database: Database, faults: Sequence[VectorFaults]) -> int:
    """Let missing vectors be made and wrong ones be made again; return of how many chunks."""
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
    """Let vectors be made again of those chunks that are still there."""
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
