"""Postings: which chunks hold a term, and how often.

A row of `postings` belongs to one term and one segment. Its blob is n offsets of two bytes (chunk
number minus the segment's first chunk, ascending), then n bytes that pack two counts of up to 15:
``total | head << 4``, in the whole chunk and in its head. Rows say all by themselves where they
belong, so that a merge may move one term at a time and readers never see half of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.layout import Ints

TERM_SHIFT = 32
FIRST_MASK = (1 << TERM_SHIFT) - 1
SPAN = 1 << 16
"""A segment covers at most this many chunk numbers, so that an offset fits in two bytes."""
MAX_COUNT = 15
POSTING_BYTES = 3

Bytes = NDArray[np.uint8]


class Postings(msgspec.Struct, frozen=True):
    """Chunks of one term, ascending within a row, with their packed counts."""

    chunks: Ints
    packed: Bytes

    def __len__(self) -> int:
        return len(self.chunks)

    def totals(self) -> NDArray[np.float32]:
        """Return how often the term stands in each chunk, at most 15."""
        return (self.packed & MAX_COUNT).astype(np.float32)

    def heads(self) -> NDArray[np.float32]:
        """Return how often it stands in the head of each chunk, at most 15."""
        return (self.packed >> 4).astype(np.float32)


NONE = Postings(np.zeros(0, np.int64), np.zeros(0, np.uint8))


def key(term: int, first: int) -> int:
    """Return the row id of a term's postings in the segment that starts at chunk ``first``."""
    return term << TERM_SHIFT | first


def pack(totals: NDArray[np.int64], heads: NDArray[np.int64]) -> Bytes:
    """Return the packed counts."""
    low = np.minimum(totals, MAX_COUNT).astype(np.uint8)
    return low | np.minimum(heads, MAX_COUNT).astype(np.uint8) << 4


def encode(offsets: Ints, packed: Bytes) -> bytes:
    """Return the blob of one row; ``offsets`` are ascending and below `SPAN`."""
    return offsets.astype("<u2").tobytes() + packed.tobytes()


def decode(first: int, blob: bytes) -> Postings:
    """Return the postings of one row."""
    size = len(blob) // POSTING_BYTES
    offsets = np.frombuffer(blob, "<u2", size)
    return Postings(offsets.astype(np.int64) + first, np.frombuffer(blob, np.uint8, size, 2 * size))


def join(parts: list[Postings]) -> Postings:
    """Return several rows of one term as one, in the order given."""
    if not parts:
        return NONE
    if len(parts) == 1:
        return parts[0]
    return Postings(
        np.concatenate([part.chunks for part in parts]),
        np.concatenate([part.packed for part in parts]),
    )


class Occurrences(msgspec.Struct, frozen=True):
    """Terms of a run of chunks before they are sorted: one entry per term and chunk."""

    terms: NDArray[np.int64]
    chunks: Ints
    packed: Bytes

    @classmethod
    def count(
        cls, terms: list[int], lengths: list[int], heads: list[int], first: int
    ) -> Occurrences:
        """Count the terms of consecutive chunks.

        Args:
            terms: The term ids of all chunks, one after another, repeated as they repeat.
            lengths: Terms per chunk.
            heads: How many of them, from the start, belong to the chunk's head.
            first: The number of the first chunk.
        """
        flat = np.array(terms, np.int64)
        owner = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        starts = np.cumsum(lengths) - lengths
        in_head = np.arange(len(flat)) - starts[owner] < np.array(heads, np.int64)[owner]
        pairs, where, totals = np.unique(
            owner << TERM_SHIFT | flat, return_inverse=True, return_counts=True
        )
        head_counts = np.bincount(where[in_head], minlength=len(pairs))
        return cls(pairs & FIRST_MASK, (pairs >> TERM_SHIFT) + first, pack(totals, head_counts))

    def by_chunk(self, first: int, count: int) -> Iterator[bytes]:
        """Yield for each chunk its blob for `tail`: term ids of four bytes, then packed counts."""
        edges = np.searchsorted(self.chunks, np.arange(first, first + count + 1))
        terms = self.terms.astype("<u4")
        for start, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            yield terms[start:end].tobytes() + self.packed[start:end].tobytes()

    def by_term(self, first: int) -> Iterator[tuple[int, bytes]]:
        """Yield each term, ascending, with the blob of its row in the segment at ``first``."""
        ranked = np.lexsort((self.chunks, self.terms))
        terms, packed = self.terms[ranked], self.packed[ranked]
        offsets = (self.chunks[ranked] - first).astype("<u2")
        edges = np.flatnonzero(np.append(True, terms[1:] != terms[:-1])).tolist() if len(terms) else []
        for start, end in zip(edges, [*edges[1:], len(terms)], strict=True):
            yield int(terms[start]), offsets[start:end].tobytes() + packed[start:end].tobytes()

    @classmethod
    def of_tail(cls, rows: list[tuple[int, bytes]]) -> Occurrences:
        """Return the entries of ``tail`` rows given as (chunk number, blob)."""
        sizes = [len(blob) // 5 for _, blob in rows]
        terms = [np.frombuffer(blob, "<u4", size) for (_, blob), size in zip(rows, sizes, strict=True)]
        packed = [
            np.frombuffer(blob, np.uint8, size, 4 * size)
            for (_, blob), size in zip(rows, sizes, strict=True)
        ]
        chunks = np.repeat(np.array([number for number, _ in rows], np.int64), sizes)
        return cls(_joined(terms, np.int64), chunks, _joined(packed, np.uint8))


def _joined(parts: list[NDArray[np.uint32]] | list[Bytes], dtype: type) -> NDArray[np.generic]:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)
