"""1-bit codes as stored: one row each when they are made, later in blocks of 4,096 chunk numbers.

Rows are numbered in the order of their making, so that a reader takes what is new since its last
look. Blocks exist so that a cold process reads 100,000 codes in a few milliseconds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.store.cell import blob, integer
from recollect.store.engine import Transaction

BLOCK = 4_096
PRESENCE_BYTES = BLOCK // 8

Codes = NDArray[np.uint8]


class CodeBlock(msgspec.Struct, frozen=True):
    """Codes of the chunk numbers from ``first`` on, and which of them there are."""

    first: int
    present: NDArray[np.bool_]
    codes: Codes


def encode(vectors: NDArray[np.floating[Any]]) -> Codes:
    """Return the signs of (n, d) vectors as (n, d / 8) bytes, d filled up to a multiple of 64."""
    width = -vectors.shape[1] % 64
    bits = np.pad(vectors > 0, ((0, 0), (0, width)))
    return np.packbits(bits, axis=1)


def add_codes(tx: Transaction, partition: int, numbers: Sequence[int], codes: Codes) -> None:
    """Store the codes of chunks, and fold the rows into blocks when there are enough."""
    tx.executemany(
        "INSERT INTO code_rows (partition_id, chunk, code) VALUES (?, ?, ?)",
        [(partition, n, code.tobytes()) for n, code in zip(numbers, codes, strict=True)],
    )
    row = tx.row("SELECT count(*) FROM code_rows WHERE partition_id = ?", (partition,))
    if row and integer(row[0]) >= BLOCK:
        _fold(tx, partition, codes.shape[1])


def forget_codes(tx: Transaction, partition: int, numbers: Iterable[int]) -> None:
    """Remove the codes of chunks, their bytes included."""
    gone = set(numbers)
    tx.executemany(
        "DELETE FROM code_rows WHERE partition_id = ? AND chunk = ?",
        [(partition, number) for number in gone],
    )
    for index, members in _by_block(gone):
        held = _read_block(tx, partition, index)
        if held is not None:
            offsets = np.array(members) - held[1].first
            present, codes = held[1].present.copy(), held[1].codes.copy()
            present[offsets], codes[offsets] = False, 0
            _write_block(tx, partition, index, held[0], present, codes)


def read_rows(tx: Transaction, partition: int, after: int) -> list[tuple[int, int, bytes]]:
    """Return (row id, chunk number, code) of the rows made after row ``after``, in order."""
    rows = tx.rows(
        "SELECT id, chunk, code FROM code_rows WHERE partition_id = ? AND id > ? ORDER BY id",
        (partition, after),
    )
    return [(integer(key), integer(number), blob(code)) for key, number, code in rows]


def read_blocks(tx: Transaction, partition: int, after: int) -> list[tuple[int, CodeBlock]]:
    """Return (revision, block) of the blocks that took rows made after row ``after``."""
    rows = tx.rows(
        "SELECT block, revision, data FROM code_blocks WHERE partition_id = ? AND revision > ?"
        " ORDER BY block",
        (partition, after),
    )
    return [
        (integer(revision), _decode(integer(block), blob(data))) for block, revision, data in rows
    ]


def _fold(tx: Transaction, partition: int, width: int) -> None:
    rows = read_rows(tx, partition, 0)
    revision = rows[-1][0]
    by_number = {number: code for _, number, code in rows}
    for index, members in _by_block(by_number):
        held = _read_block(tx, partition, index)
        present = held[1].present.copy() if held else np.zeros(BLOCK, np.bool_)
        codes = held[1].codes.copy() if held else np.zeros((BLOCK, width), np.uint8)
        offsets = np.array(members) - index * BLOCK
        present[offsets] = True
        codes[offsets] = np.frombuffer(b"".join(by_number[n] for n in members), np.uint8).reshape(
            len(members), width
        )
        _write_block(tx, partition, index, revision, present, codes)
    tx.execute("DELETE FROM code_rows WHERE partition_id = ?", (partition,))


def _by_block(numbers: Iterable[int]) -> Iterable[tuple[int, list[int]]]:
    grouped = itertools.groupby(sorted(numbers), key=lambda number: number // BLOCK)
    return ((index, list(members)) for index, members in grouped)


def _read_block(tx: Transaction, partition: int, index: int) -> tuple[int, CodeBlock] | None:
    row = tx.row(
        "SELECT revision, data FROM code_blocks WHERE partition_id = ? AND block = ?",
        (partition, index),
    )
    return (integer(row[0]), _decode(index, blob(row[1]))) if row else None


def _decode(index: int, data: bytes) -> CodeBlock:
    present = np.unpackbits(np.frombuffer(data, np.uint8, PRESENCE_BYTES)).astype(np.bool_)
    codes = np.frombuffer(data, np.uint8, offset=PRESENCE_BYTES).reshape(BLOCK, -1)
    return CodeBlock(index * BLOCK, present, codes)


def _write_block(
    tx: Transaction,
    partition: int,
    index: int,
    revision: int,
    present: NDArray[np.bool_],
    codes: Codes,
) -> None:
    tx.execute(
        "INSERT INTO code_blocks (partition_id, block, revision, data) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (partition_id, block)"
        " DO UPDATE SET revision = excluded.revision, data = excluded.data",
        (partition, index, revision, np.packbits(present).tobytes() + codes.tobytes()),
    )
