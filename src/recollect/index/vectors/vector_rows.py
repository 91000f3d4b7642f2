"""Vectors as stored: one half-precision row per chunk, read only for the chunks that matter."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import StoreCorrupt
from recollect.index.model.chunk_record import NUMBER_MASK, Floats, Ints, chunk_id
from recollect.store.engine import Row, Transaction


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
        raise StoreCorrupt(
            "the index holds damaged vectors", hint="run `recollect doctor --fix`"
        ) from error
    return present, vectors
