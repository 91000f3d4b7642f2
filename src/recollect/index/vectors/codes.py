"""1-bit codes as stored: one row each when they are made, later in blocks of 4,096 chunk numbers.

Rows are numbered in the order of their making, so that a reader takes the rows that are new since
its last read. Blocks exist so that a cold process reads 100,000 codes in a few milliseconds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import Floats, Ints, Mask
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import Transaction

BLOCK = 4_096
FOLD_ROWS = 4_096
"""From this many rows on they are folded into blocks, which bounds the rows read singly."""
PRESENCE_BYTES = BLOCK // 8
_BLOCKS = "SELECT block, revision, data FROM code_blocks WHERE partition_id = ?"

Codes = NDArray[np.uint8]


class CodeBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Codes of the chunk numbers from ``index * BLOCK`` on.

    Attributes:
        index: The index of the block.
        revision: The last row that was folded into it.
        present: A mask of its chunks with a code, (BLOCK,).
        codes: The codes, (BLOCK, bytes of a code); zeros where there is none.
    """

    index: int
    revision: int
    present: NDArray[np.bool_]
    codes: Codes

    @property
    def first(self) -> int:
        """The number of its first chunk."""
        return self.index * BLOCK


def encode_codes(vectors: NDArray[np.floating[Any]]) -> Codes:
    """Return the signs of (n, d) vectors as (n, d / 8) bytes, d filled up to a multiple of 64."""
    width = -vectors.shape[1] % 64
    bits = vectors > 0
    return np.packbits(np.pad(bits, ((0, 0), (0, width))) if width else bits, axis=1)


def add_codes(tx: Transaction, partition: int, numbers: Sequence[int], codes: Codes) -> None:
    """Store the codes of chunks, and fold the rows into blocks when there are enough."""
    tx.executemany(
        "INSERT INTO code_rows (partition_id, chunk, code) VALUES (?, ?, ?)",
        [(partition, n, code.tobytes()) for n, code in zip(numbers, codes, strict=True)],
    )
    row = tx.row("SELECT count(*) FROM code_rows WHERE partition_id = ?", (partition,))
    if first_integer(row) >= FOLD_ROWS:
        _fold(tx, partition, codes.shape[1])


def forget_codes(tx: Transaction, partition: int, numbers: Iterable[int]) -> None:
    """Remove the codes of chunks, their bytes included."""
    removed = set(numbers)
    tx.executemany(
        "DELETE FROM code_rows WHERE partition_id = ? AND chunk = ?",
        [(partition, number) for number in removed],
    )
    for index, members in _by_block(removed):
        for block in _blocks(tx, "block = ?", partition, index):
            _write_block(tx, partition, _changed(block, members, 0))


def read_rows(tx: Transaction, partition: int, after: int) -> list[tuple[int, int, bytes]]:
    """Return (row id, chunk number, code) of the rows made after row ``after``, in order."""
    rows = tx.all(
        "SELECT id, chunk, code FROM code_rows WHERE partition_id = ? AND id > ? ORDER BY id",
        (partition, after),
    )
    return typed_rows(rows, tuple[int, int, bytes])


def read_blocks(tx: Transaction, partition: int, after: int) -> list[CodeBlock]:
    """Return the blocks that took rows made after row ``after``."""
    return _blocks(tx, "revision > ?", partition, after)


def _fold(tx: Transaction, partition: int, width: int) -> None:
    rows = read_rows(tx, partition, 0)
    code_of = {number: code for _, number, code in rows}
    for index, members in _by_block(code_of):
        empty = CodeBlock(
            index=index,
            revision=0,
            present=np.zeros(BLOCK, np.bool_),
            codes=np.zeros((BLOCK, width), np.uint8),
        )
        block = next(iter(_blocks(tx, "block = ?", partition, index)), empty)
        codes = np.frombuffer(b"".join(code_of[number] for number in members), np.uint8)
        full = _changed(block, members, codes.reshape(len(members), width))
        _write_block(tx, partition, msgspec.structs.replace(full, revision=rows[-1][0]))
    tx.execute("DELETE FROM code_rows WHERE partition_id = ?", (partition,))


def _by_block(numbers: Iterable[int]) -> Iterator[tuple[int, list[int]]]:
    grouped = itertools.groupby(sorted(numbers), key=lambda number: number // BLOCK)
    return ((index, list(members)) for index, members in grouped)


def _changed(block: CodeBlock, numbers: Sequence[int], codes: Codes | int) -> CodeBlock:
    """Return the block with codes of some of its chunks; with 0, without theirs."""
    changed = msgspec.structs.replace(block, present=block.present.copy(), codes=block.codes.copy())
    positions = np.array(numbers) - block.first
    changed.present[positions] = not isinstance(codes, int)
    changed.codes[positions] = codes
    return changed


def _blocks(tx: Transaction, condition: str, partition: int, value: int) -> list[CodeBlock]:
    """Return the blocks of a partition that meet a condition on ``value``."""
    rows = tx.all(f"{_BLOCKS} AND {condition} ORDER BY block", (partition, value))
    return [
        CodeBlock(
            index=index,
            revision=revision,
            present=np.unpackbits(np.frombuffer(data, np.uint8, PRESENCE_BYTES)).astype(np.bool_),
            codes=np.frombuffer(data, np.uint8, offset=PRESENCE_BYTES).reshape(BLOCK, -1),
        )
        for index, revision, data in typed_rows(rows, tuple[int, int, bytes])
    ]


def _write_block(tx: Transaction, partition: int, block: CodeBlock) -> None:
    data = np.packbits(block.present).tobytes() + block.codes.tobytes()
    tx.execute(
        "INSERT INTO code_blocks (partition_id, block, revision, data) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (partition_id, block)"
        " DO UPDATE SET revision = excluded.revision, data = excluded.data",
        (partition, block.index, block.revision, data),
    )


SAMPLE_STEP, SAMPLE_SLACK = 64, 16
"""The step of the sampled distances from which the cutoff of the nearest ones is guessed, and the
surplus that it lets through: where six are expected, there are seldom twenty-two."""
SCAN_STEP = 32_768
"""Chunks scanned at once, so that the scratch stays in the processor's cache, and no more calls are
made than that takes (docs/experiments.md, search)."""
SUMMED = 3
"""Words of 64 bits whose differing bits are added up in one byte."""


class CodeScan:
    """The distances of one question from every chunk, in differing bits."""

    def __init__(self, distance: NDArray[np.uint16], bits: int) -> None:
        self._distance = distance
        self._bits = bits
        angles = np.arange(bits + 1) * (math.pi / bits)
        self._cosines = np.append(np.cos(angles), -1.0).astype(np.float32)

    def among(self, numbers: Ints) -> CodeScan:
        """Return the distances of some chunks alone, numbered from 0."""
        return CodeScan(self._distance.take(numbers), self._bits)

    def cosine(self, numbers: Ints) -> Floats:
        """Return the cosines that the codes suggest; -1 where a chunk has no vector."""
        cosines: Floats = self._cosines.take(self._distance.take(numbers))
        return cosines

    def nearest(self, most: int, visible: Mask | None) -> Ints:
        """Return about ``most`` chunks with the nearest codes, ascending by number.

        All chunks at the last distance are returned, so that the cut does not depend on order.
        """
        sample = self._distance[::SAMPLE_STEP]
        if visible is not None:
            sample = sample[visible[::SAMPLE_STEP]]
        near = self._within(self._limit(sample, most // SAMPLE_STEP + SAMPLE_SLACK), visible)
        if len(near) < most:
            near = self._within(self._bits, visible)
        distance = self._distance.take(near)
        return near[distance <= self._limit(distance, most)]

    def _within(self, limit: int, visible: Mask | None) -> Ints:
        near = self._distance <= limit
        return np.flatnonzero(near if visible is None else near & visible)

    def _limit(self, distance: NDArray[np.uint16], most: int) -> int:
        """Return the least distance that covers ``most`` of the given ones, if there are enough."""
        cumulative = np.cumsum(np.bincount(distance, minlength=self._bits + 2)[: self._bits + 1])
        return min(int(np.searchsorted(cumulative, most)), self._bits)


class CodeMatrix:
    """Codes by chunk number: 48 bytes a chunk at 384 dimensions."""

    def __init__(self, dimensions: int) -> None:
        self._words = -(-dimensions // 64)
        self._bits = self._words * 64 - (-dimensions % 64)
        self._codes: NDArray[np.uint64] = np.zeros((self._words, 0), np.uint64)
        self.present: Mask = np.zeros(0, np.bool_)
        self._read_until = 0
        self._known_absent: tuple[int, Ints] | None = None

    def refresh(self, tx: Transaction, partition: int, count: int) -> Ints:
        """Add the codes stored since the last call; return the chunks whose code may have changed.

        Args:
            tx: The snapshot.
            partition: The row of `partitions`.
            count: The number of chunks.
        """
        self._known_absent = None
        self._reserve(count)
        newest = self._read_until
        changed = [np.zeros(0, np.int64)]
        for block in read_blocks(tx, partition, self._read_until):
            members = np.flatnonzero(block.present)
            self._put(block.first + members, block.codes[members])
            changed.append(block.first + members)
            newest = max(newest, block.revision)
        rows = read_rows(tx, partition, self._read_until)
        if rows:
            codes = np.frombuffer(b"".join(row[2] for row in rows), np.uint8)
            numbers = np.array([row[1] for row in rows], np.int64)
            self._put(numbers, codes.reshape(len(rows), -1))
            changed.append(numbers)
            newest = max(newest, rows[-1][0])
        self._read_until = newest
        return np.concatenate(changed)

    def forget(self, numbers: Ints) -> None:
        """Leave out removed chunks."""
        self._known_absent = None
        self.present[numbers[numbers < len(self.present)]] = False

    def scan(self, query: NDArray[np.float32], count: int) -> CodeScan:
        """Return the distances between the code of ``query`` and the first ``count`` codes."""
        query_code = encode_codes(query[None, :]).view(np.uint64)[0]
        distance = np.zeros(count, np.uint16)
        differing = np.empty(SCAN_STEP, np.uint64)
        bits, summed = np.empty((2, SCAN_STEP), np.uint8)
        words = list(zip(self._codes, query_code, strict=True))
        for start in range(0, count, SCAN_STEP):
            total = distance[start : start + SCAN_STEP]
            end = start + len(total)
            if len(total) < SCAN_STEP:
                differing, (bits, summed) = (
                    differing[: len(total)],
                    (bits[: len(total)], summed[: len(total)]),
                )
            for word, (codes, word_bits) in enumerate(words):
                np.bitwise_xor(codes[start:end], word_bits, out=differing)
                if word % SUMMED == 0:
                    np.bitwise_count(differing, out=summed)
                else:
                    np.bitwise_count(differing, out=bits)
                    np.add(summed, bits, out=summed)
                if word % SUMMED == SUMMED - 1 or word == self._words - 1:
                    np.add(total, summed, out=total)
        distance[self._absent(count)] = self._bits + 1
        return CodeScan(distance, self._bits)

    def _absent(self, count: int) -> Ints:
        """Return the chunks without a code; computed once after every change."""
        if self._known_absent is None or self._known_absent[0] != count:
            self._known_absent = (count, np.flatnonzero(~self.present[:count]))
        return self._known_absent[1]

    def _put(self, numbers: Ints, codes: Codes) -> None:
        is_present = numbers < len(self.present)
        numbers, codes = numbers[is_present], np.ascontiguousarray(codes[is_present])
        self._codes[:, numbers] = codes.view(np.uint64).T
        self.present[numbers] = True

    def _reserve(self, count: int) -> None:
        size = self._codes.shape[1]
        if count <= size:
            return
        more = max(count, 1024, size + size // 2) - size
        self._codes = np.pad(self._codes, ((0, 0), (0, more)))
        self.present = np.pad(self.present, (0, more))
