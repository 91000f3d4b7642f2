"""Vectors as stored, one half-precision row per chunk, and smoothed with those of the neighbours.

Rows are read only for the chunks that matter. A message is understood with its neighbours: their
vectors lend weight to its own. The smoothed vector is the unit vector of ``e + .3 (e-1 + e+1) + .15
(e-2 + e+2)``, neighbours by order in the group. It is computed for each question: edits and late
arrivals need no repair.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import NUMBER_MASK, Floats, Ints, chunk_id, damaged_rows
from recollect.index.vectors.port import NearScan
from recollect.store.engine import Row, Transaction

NEAR, FAR = 0.3, 0.15
"""Weights of the next neighbours and of those further away (docs/experiments.md, neighbours)."""
MEAN_NEIGHBOUR_COSINE = 0.25
"""Of neighbouring messages of the dev conversations; only the estimate before the cut uses it."""
HELD_BYTES = 40 << 20
"""Of vectors in memory: 54,000 of 384 dimensions (docs/experiments.md, search)."""
NOT_READ = -1
Halves: TypeAlias = NDArray[np.float16]
_HALF_BITS = np.int32(~0x7000_1FFF)
"""Those of a half-precision number that is shifted to where a single has its own."""
_EXPONENT = np.float32(2.0**112)
_WEIGHTS = np.array([1.0, NEAR, NEAR, FAR, FAR], np.float32)


@cache
def _scales() -> Floats:
    """Return 1 / length of the smoothed vector, by a mask of those of the five that exist."""
    there = (np.arange(32)[:, None] >> np.arange(5)) & 1
    weights = there * _WEIGHTS
    squares = (weights**2).sum(axis=1)
    lengths = np.sqrt(squares + MEAN_NEIGHBOUR_COSINE * (weights.sum(axis=1) ** 2 - squares))
    scales: Floats = (there[:, 0] / np.maximum(lengths, 1e-6)).astype(np.float32)
    return scales


def add_vectors(
    tx: Transaction, partition: int, numbers: Sequence[int], halves: NDArray[np.float16]
) -> None:
    """Store (n, d) half-precision vectors; a second vector of a chunk replaces the first."""
    tx.executemany(
        "INSERT INTO vectors (id, data) VALUES (?, ?)"
        " ON CONFLICT (id) DO UPDATE SET data = excluded.data",
        [(chunk_id(partition, n), row.tobytes()) for n, row in zip(numbers, halves, strict=True)],
    )


def read_vectors(tx: Transaction, partition: int, numbers: Ints, dimensions: int) -> Floats:
    """Return (n, dimensions) float32 in the order of ``numbers``; zeros where there is none."""
    if len(numbers) and not (numbers[1:] > numbers[:-1]).all():
        ranked, where = np.unique(numbers, return_inverse=True)
        return read_vectors(tx, partition, ranked, dimensions)[where]
    return _singles(_read(tx, partition, numbers, dimensions))


def _read(tx: Transaction, partition: int, numbers: Ints, dimensions: int) -> Halves:
    """Return the vectors of ascending ``numbers`` as they are stored."""
    keys = msgspec.json.encode((numbers + chunk_id(partition, 0)).tolist()).decode()
    # Joined from the list, rows are sought in its order; IN would build a table of it first.
    rows = tx.all(
        "SELECT v.id, v.data FROM json_each(?) AS k CROSS JOIN vectors AS v ON v.id = k.value",
        (keys,),
    )
    present, vectors = (
        _decoded(rows, dimensions) if rows else (numbers[:0], _nothing(0, dimensions))
    )
    if len(present) == len(numbers):
        return vectors
    halves = _nothing(len(numbers), dimensions)
    halves[np.searchsorted(numbers, present)] = vectors
    return halves


def _nothing(count: int, dimensions: int) -> Halves:
    return np.zeros((count, dimensions), np.float16)


def _singles(halves: Halves) -> Floats:
    """Return the same numbers in single precision; in half the time that `astype` takes.

    Sign, exponent and fraction are moved to their places, then the exponent is set right. Finite
    values are exact.
    """
    bits = halves.view("<i2").astype(np.int32)
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, _HALF_BITS, out=bits)
    singles = bits.view(np.float32)
    np.multiply(singles, _EXPONENT, out=singles)
    return singles


class HeldVectors:
    """The vectors of a partition that searches have read.

    At most `HELD_BYTES`; then it starts again. `forget` must be called for replaced or removed
    vectors before the next `read`.

    Args:
        partition: The row of `partitions`.
        dimensions: Size of the vectors.
    """

    def __init__(self, partition: int, dimensions: int) -> None:
        self._partition = partition
        self._dimensions = dimensions
        self._most = HELD_BYTES // (2 * dimensions)
        self._start(0)

    def _start(self, count: int) -> None:
        """Drop all vectors; make room for ``count`` chunks, which takes memory as it is filled."""
        self._row_of = np.full(count, NOT_READ, np.int32)
        self._rows = _room(min(count, self._most), self._dimensions)
        self._used = 0

    def forget(self, numbers: Ints) -> None:
        """Drop the vectors of some chunks, their bytes included."""
        is_present = numbers[numbers < len(self._row_of)]
        rows = self._row_of[is_present]
        self._rows[rows[rows != NOT_READ]] = 0
        self._row_of[is_present] = NOT_READ

    def read(self, tx: Transaction, numbers: Ints) -> Floats:
        """Return (n, dimensions) float32 of ascending ``numbers``; zeros where there is none."""
        if len(numbers) and numbers[-1] >= len(self._row_of):
            self._reserve(int(numbers[-1]) + 1)
        rows = self._row_of.take(numbers)
        missing = numbers[rows == NOT_READ]
        if self._used + len(missing) > len(self._rows):
            if len(numbers) > self._most:
                return read_vectors(tx, self._partition, numbers, self._dimensions)
            self._start(len(self._row_of))
            missing = numbers
        if not len(missing):
            return _singles(self._rows.take(rows, axis=0))
        end = self._used + len(missing)
        fresh = _read(tx, self._partition, missing, self._dimensions)
        self._rows[self._used : end] = fresh
        self._row_of[missing] = np.arange(self._used, end)
        self._used = end
        if len(missing) == len(numbers):
            return _singles(fresh)
        return _singles(self._rows.take(self._row_of.take(numbers), axis=0))

    def _reserve(self, count: int) -> None:
        former, rows, row_count = self._row_of, self._rows, self._used
        self._start(max(1024, count + count // 2))
        self._row_of[: len(former)] = former
        self._rows[:row_count], self._used = rows[:row_count], row_count


def _room(count: int, dimensions: int) -> Halves:
    """Return (count, dimensions) zeros in pages of the usual size.

    numpy asks the system for large ones, and the search that touches one first waits until two
    million bytes are zeroed (docs/experiments.md, search).
    """
    if not count:
        return _nothing(0, dimensions)
    memory = mmap.mmap(-1, 2 * count * dimensions, access=mmap.ACCESS_COPY)
    return np.frombuffer(memory, np.float16).reshape(count, dimensions)


def _decoded(rows: list[Row], dimensions: int) -> tuple[Ints, Halves]:
    """Return chunk numbers and vectors, checked all at once, as a search reads hundreds."""
    keys, cells = zip(*rows, strict=True)
    try:
        present = np.array(keys, np.int64) & NUMBER_MASK
        vectors = np.frombuffer(b"".join(cells), "<f2").reshape(len(rows), dimensions)
    except (TypeError, ValueError) as error:
        raise damaged_rows("vectors") from error
    return present, vectors


def distinct(numbers: Ints) -> Ints:
    """Return some hundred numbers once each, ascending; `numpy.unique` takes ten times as long."""
    ranked = np.sort(numbers, axis=None)
    return ranked[np.diff(ranked, prepend=-1) > 0]


def estimated(scan: NearScan, around: NDArray[np.int64]) -> Floats:
    """Return the smoothed cosines that the codes suggest, for the chunks of ``around[0]``."""
    values = scan.cosine(around)
    is_present = (around >= 0) & (values > -1.0)
    which = np.packbits(is_present, axis=0, bitorder="little")[0]
    smoothed: Floats = (_WEIGHTS @ (values * is_present)) * _scales()[which]
    return smoothed


def smoothed_vectors(
    tx: Transaction, source: HeldVectors, around: NDArray[np.int64], dimensions: int
) -> Floats:
    """Return the smoothed unit vectors (n, dimensions) of ``around[0]``; zeros without a vector."""
    numbers = distinct(around[around >= 0])
    vectors = source.read(tx, numbers)
    positions = np.searchsorted(numbers, around)
    own, *neighbours = (vectors.take(row, axis=0, mode="clip") for row in positions)
    for neighbour, is_there in zip(neighbours, around[1:] >= 0, strict=True):
        neighbour[~is_there] = 0.0
    before, after, far_before, far_after = neighbours
    smoothed = own + NEAR * (before + after)
    smoothed += FAR * (far_before + far_after)
    smoothed[~own.any(axis=1)] = 0.0
    norms = np.sqrt(np.einsum("ij,ij->i", smoothed, smoothed))[:, None]
    unit_vectors: Floats = smoothed / np.maximum(norms, 1e-6)
    return unit_vectors
