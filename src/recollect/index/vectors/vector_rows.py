"""Vectors as stored, one half-precision row per chunk, and smoothed with those of the neighbours.

Rows are read only for the chunks that matter. A message is understood with its neighbours: their
vectors lend weight to its own. The smoothed vector is the unit vector of
``e + .3 (e-1 + e+1) + .15 (e-2 + e+2)``, neighbours by order in the group. It is formed when a
question is asked: edits and late arrivals need no repair.
"""

from __future__ import annotations

from collections.abc import Sequence

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
_WEIGHTS = np.array([1.0, NEAR, NEAR, FAR, FAR], np.float32)


def _estimated_scales() -> Floats:
    """Return 1 / length of the smoothed vector by which of the five are there, one bit each."""
    there = (np.arange(32)[:, None] >> np.arange(5)) & 1
    used = there * _WEIGHTS
    squares = (used**2).sum(axis=1)
    lengths = np.sqrt(squares + MEAN_NEIGHBOUR_COSINE * (used.sum(axis=1) ** 2 - squares))
    scales: Floats = (there[:, 0] / np.maximum(lengths, 1e-6)).astype(np.float32)
    return scales


_SCALES = _estimated_scales()


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
        distinct, where = np.unique(numbers, return_inverse=True)
        return read_vectors(tx, partition, distinct, dimensions)[where]
    found = np.zeros((len(numbers), dimensions), np.float32)
    keys = msgspec.json.encode((numbers + chunk_id(partition, 0)).tolist()).decode()
    # Joined from the list, rows are sought in its order; IN would build a table of it first.
    rows = tx.all(
        "SELECT v.id, v.data FROM json_each(?) AS k CROSS JOIN vectors AS v ON v.id = k.value",
        (keys,),
    )
    if rows:
        present, vectors = _decoded(rows, dimensions)
        found[np.searchsorted(numbers, present)] = vectors
    return found


def _decoded(rows: list[Row], dimensions: int) -> tuple[Ints, NDArray[np.float16]]:
    """Return chunk numbers and vectors, checked all at once: a search reads hundreds of them."""
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
    held = (around >= 0) & (values > -1.0)
    which = np.packbits(held, axis=0, bitorder="little")[0]
    smoothed: Floats = (_WEIGHTS @ (values * held)) * _SCALES[which]
    return smoothed


def smoothed_vectors(
    tx: Transaction, partition: int, around: NDArray[np.int64], dimensions: int
) -> Floats:
    """Return the smoothed unit vectors (n, dimensions) of ``around[0]``; zeros without a vector."""
    numbers = distinct(around[around >= 0])
    vectors = np.zeros((len(numbers) + 1, dimensions), np.float32)
    vectors[:-1] = read_vectors(tx, partition, numbers, dimensions)
    rows = np.where(around >= 0, np.searchsorted(numbers, around), len(numbers))
    smoothed = vectors[rows[0]] + NEAR * (vectors[rows[1]] + vectors[rows[2]])
    smoothed += FAR * (vectors[rows[3]] + vectors[rows[4]])
    smoothed[~vectors[rows[0]].any(axis=1)] = 0.0
    norms = np.linalg.norm(smoothed, axis=1, keepdims=True)
    unit: Floats = smoothed / np.maximum(norms, 1e-6)
    return unit
