"""The fixed-size record of a chunk: all that ranking needs except its terms and vector.

Records of a segment are stored in one blob, so that a cold process loads 100,000 of them in
milliseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import StoreCorrupt

LAYOUT = np.dtype(
    [
        ("group", "<i4"),
        ("order", "<i8"),
        ("at", "<i8"),
        ("length", "<i4"),
        ("agent", "<i4"),
        ("user", "<i4"),
        ("project", "<i4"),
        ("speaker", "<i4"),
        ("head", "u1"),
        ("source", "u1"),
        ("flags", "u1"),
        ("capitals", "u1"),
    ]
)
"""``length`` and ``head`` count terms, ``at`` is ms UTC, owners are ids of `names` (0: none)."""

QUESTION = 1
"""The text ends with a question mark."""
TIME_WORD = 2
"""The text names a time."""
FROM_USER = 4
"""The user said it."""
FROM_ASSISTANT = 8
"""The assistant said it."""
EVERGREEN = 16
"""It does not age: a curated or undated memory file."""
COVERED = 32
"""Something else that is searched says the same."""
MOST_CAPITALS = 2
"""More capitalised words inside sentences than this carry no information."""

PARTITION_SHIFT = 40
NUMBER_MASK = (1 << PARTITION_SHIFT) - 1

Records = NDArray[np.void]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

DAMAGED_ROWS = "damaged_rows"
"""A fact of errors that a new generation of the index mends."""


def chunk_id(partition: int, number: int) -> int:
    """Return the key of a chunk in `chunks`, `tail` and `vectors`."""
    return partition << PARTITION_SHIFT | number


def chunk_ids(partition: int, first: int = 0) -> tuple[int, int]:
    """Return the first and the last key that chunks of a partition from ``first`` on can have."""
    return chunk_id(partition, first), chunk_id(partition, NUMBER_MASK)


def decode_records(blob: bytes) -> Records:
    """Return the records that ``blob`` holds, in order of chunk number.

    Raises:
        StoreCorrupt: it holds none.
    """
    if len(blob) % LAYOUT.itemsize:
        raise damaged_records()
    return np.frombuffer(blob, dtype=LAYOUT)


def damaged_records() -> StoreCorrupt:
    """Return the error for records that are damaged."""
    return damaged_rows("records of chunks")


def damaged_rows(what: str) -> StoreCorrupt:
    """Return the error for damaged rows of the index."""
    hint = "run `recollect reindex`"
    return StoreCorrupt(f"the index holds damaged {what}", hint=hint, **{DAMAGED_ROWS: what})


def encode_records(records: NDArray[Any]) -> bytes:
    """Return the blob of ``records``."""
    return records.astype(LAYOUT, copy=False).tobytes()
