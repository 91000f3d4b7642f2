"""Vectors as stored: one half-precision row per chunk, read only for the chunks that matter."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.layout import NUMBER_MASK, Floats, Ints, chunk_id
from recollect.store.cell import blob, integer
from recollect.store.engine import Transaction


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
    found = np.zeros((len(numbers), dimensions), np.float32)
    wanted, where = np.unique(numbers, return_inverse=True)
    keys = msgspec.json.encode([chunk_id(partition, n) for n in wanted.tolist()]).decode()
    rows = list(
        tx.rows(
            "SELECT id, data FROM vectors WHERE id IN (SELECT value FROM json_each(?))", (keys,)
        )
    )
    if not rows:
        return found
    present = np.array([integer(key) & NUMBER_MASK for key, _ in rows], np.int64)
    data = np.frombuffer(b"".join(blob(value) for _, value in rows), "<f2")
    distinct = np.zeros((len(wanted), dimensions), np.float32)
    distinct[np.searchsorted(wanted, present)] = data.reshape(len(rows), dimensions)
    return distinct[where]
