"""The codes of a partition in memory, one column per chunk, and the scan over them.

A sign bit in 384 tells the angle between two vectors to about three degrees, which is enough to
choose whom to look at exactly (docs/experiments.md, 1-bit codes).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from recollect.index.layout import Floats, Ints, Mask
from recollect.index.vectors.code_rows import Codes, encode, read_blocks, read_rows
from recollect.store.engine import Transaction

SAMPLE_STEP = 64
"""Every so many distances are looked at to guess where the nearest ones end."""
SCAN_STEP = 65_536
"""Chunks scanned at once, so that the scratch stays in the processor's cache."""


class CodeScan:
    """The distances of one question from every chunk, in differing bits."""

    def __init__(self, distance: NDArray[np.uint16], bits: int) -> None:
        self._distance = distance
        self._bits = bits
        angles = np.arange(bits + 1) * (math.pi / bits)
        self._cosines = np.append(np.cos(angles), -1.0).astype(np.float32)

    def cosine(self, numbers: Ints) -> Floats:
        """Return the cosines that the codes suggest; -1 where a chunk has no vector."""
        found: Floats = self._cosines[self._distance[numbers]]
        return found

    def nearest(self, most: int, visible: Mask | None) -> Ints:
        """Return about ``most`` chunks with the nearest codes, ascending by number.

        All chunks at the last distance are returned, so that the cut does not depend on order.
        """
        guess = self._limit(self._distance[::SAMPLE_STEP], 2 * most // SAMPLE_STEP + SAMPLE_STEP)
        near = self._within(guess, visible)
        if len(near) < most:
            near = self._within(self._bits, visible)
        return near[self._distance[near] <= self._limit(self._distance[near], most)]

    def _within(self, limit: int, visible: Mask | None) -> Ints:
        near = self._distance <= limit
        return np.flatnonzero(near if visible is None else near & visible)

    def _limit(self, distance: NDArray[np.uint16], most: int) -> int:
        """Return the least distance within which ``most`` of those given lie, if so many do."""
        held = np.cumsum(np.bincount(distance, minlength=self._bits + 2)[: self._bits + 1])
        return min(int(np.searchsorted(held, most)), self._bits)


class CodeMatrix:
    """Codes by chunk number: 48 bytes a chunk at 384 dimensions."""

    def __init__(self, dimensions: int) -> None:
        self._words = -(-dimensions // 64)
        self._bits = self._words * 64 - (-dimensions % 64)
        self._codes: NDArray[np.uint64] = np.zeros((self._words, 0), np.uint64)
        self.present: Mask = np.zeros(0, np.bool_)
        self._read_until = 0
        self._known_absent: tuple[int, Ints] | None = None

    def refresh(self, tx: Transaction, partition: int, count: int) -> None:
        """Take in what was stored since the last look; ``count`` is the number of chunks."""
        self._known_absent = None
        self._reserve(count)
        newest = self._read_until
        for block in read_blocks(tx, partition, self._read_until):
            members = np.flatnonzero(block.present)
            self._put(block.first + members, block.codes[members])
            newest = max(newest, block.revision)
        rows = read_rows(tx, partition, self._read_until)
        if rows:
            codes = np.frombuffer(b"".join(row[2] for row in rows), np.uint8)
            numbers = np.array([row[1] for row in rows], np.int64)
            self._put(numbers, codes.reshape(len(rows), -1))
            newest = max(newest, rows[-1][0])
        self._read_until = newest

    def forget(self, numbers: Ints) -> None:
        """Leave out removed chunks."""
        self._known_absent = None
        self.present[numbers[numbers < len(self.present)]] = False

    def scan(self, query: NDArray[np.float32], count: int) -> CodeScan:
        """Return how far the code of ``query`` is from those of the first ``count`` chunks."""
        wanted = encode(query[None, :]).view(np.uint64)[0]
        distance = np.empty(count, np.uint16)
        for start in range(0, count, SCAN_STEP):
            part = self._codes[:, start : min(start + SCAN_STEP, count)]
            total = np.bitwise_count(part[0] ^ wanted[0]).astype(np.uint16)
            for word in range(1, self._words):
                total += np.bitwise_count(part[word] ^ wanted[word])
            distance[start : start + SCAN_STEP] = total
        distance[self._absent(count)] = self._bits + 1
        return CodeScan(distance, self._bits)

    def _absent(self, count: int) -> Ints:
        """Return the chunks without a code; worked out once after every change."""
        if self._known_absent is None or self._known_absent[0] != count:
            self._known_absent = (count, np.flatnonzero(~self.present[:count]))
        return self._known_absent[1]

    def _put(self, numbers: Ints, codes: Codes) -> None:
        known = numbers < len(self.present)
        numbers, codes = numbers[known], np.ascontiguousarray(codes[known])
        self._codes[:, numbers] = codes.view(np.uint64).T
        self.present[numbers] = True

    def _reserve(self, count: int) -> None:
        size = self._codes.shape[1]
        if count <= size:
            return
        longer = max(count, 1024, size + size // 2)
        codes = np.zeros((self._words, longer), np.uint64)
        codes[:, :size] = self._codes
        present = np.zeros(longer, np.bool_)
        present[: len(self.present)] = self.present
        self._codes, self.present = codes, present
