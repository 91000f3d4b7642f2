"""Postings: which chunks hold a term, and how often.

A row of `postings` belongs to one term and one segment. Its blob is n offsets of two bytes (chunk
number minus the segment's first chunk, ascending), then n bytes that pack two counts of up to 15:
``total | head << 4``, in the whole chunk and in its head, then a checksum. A row alone says where
it belongs, so a merge may move one term at a time and readers never see a partial one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import Ints, damaged_rows

TERM_SHIFT = 32
FIRST_MASK = (1 << TERM_SHIFT) - 1
SPAN = 1 << 16
"""A segment covers at most this many chunk numbers, so that an offset fits in two bytes."""
MAX_COUNT = 15
POSTING_BYTES = 3
TAIL_BYTES = 5
"""Bytes of one term in a blob of `tail`."""

Bytes = NDArray[np.uint8]


class Postings(msgspec.Struct, frozen=True):
    """Chunks of one term, ascending within a row, with their packed counts.

    ``packed & MAX_COUNT`` are the occurrences in each chunk, ``packed >> 4`` those in its head;
    both at most 15.
    """

    chunks: NDArray[np.integer[Any]]
    packed: Bytes

    def __len__(self) -> int:
        return len(self.chunks)


def key(term: int, first: int) -> int:
    """Return the row id of a term's postings in the segment that starts at chunk ``first``."""
    return term << TERM_SHIFT | first


def pack(totals: NDArray[np.int64], heads: NDArray[np.int64]) -> Bytes:
    """Return the packed counts."""
    packed: Bytes = (np.minimum(totals, MAX_COUNT) | np.minimum(heads, MAX_COUNT) << 4).astype(
        np.uint8
    )
    return packed


def encode_postings(offsets: NDArray[np.integer[Any]], packed: Bytes) -> bytes:
    """Return the blob of one row; ``offsets`` are ascending and below `SPAN`."""
    return with_sum(offsets.astype("<u2").tobytes() + packed.tobytes())


def decode_postings(first: int, blob: bytes) -> Postings:
    """Return the postings of one row.

    Raises:
        StoreCorrupt: it is damaged.
    """
    blob = without_sum(blob)
    size = len(blob) // POSTING_BYTES
    offsets = np.frombuffer(blob, "<u2", size)
    chunks = np.add(offsets, first, dtype=np.int64)
    return Postings(chunks, np.frombuffer(blob, np.uint8, size, 2 * size))


def join(parts: Sequence[Postings]) -> Postings:
    """Return rows of one term, at least one, as one in the order given."""
    return Postings(
        np.concatenate([part.chunks for part in parts]),
        np.concatenate([part.packed for part in parts]),
    )


def among(postings: Postings, numbers: Ints) -> Postings:
    """Return the postings of the chunks ``numbers``, by their position in these.

    Args:
        postings: The postings of one term, ascending.
        numbers: Chunks, ascending.
    """
    positions = np.searchsorted(numbers, postings.chunks).clip(max=max(0, len(numbers) - 1))
    is_among = (
        numbers[positions] == postings.chunks if len(numbers) else np.zeros(len(postings), np.bool_)
    )
    return Postings(positions[is_among].astype(np.uint32), postings.packed[is_among])


class Occurrences(msgspec.Struct, frozen=True):
    """Which terms occur in which chunks: one entry per term and chunk, in the order of chunks."""

    terms: Ints
    chunks: Ints
    packed: Bytes

    @classmethod
    def count(
        cls, terms: Sequence[int], lengths: Sequence[int], heads: Sequence[int], first: int
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

    @classmethod
    def of_tail(cls, rows: Sequence[tuple[int, bytes]]) -> Occurrences:
        """Return the entries of ``tail`` rows given as (chunk number, blob), ascending."""
        sizes = [len(data) // TAIL_BYTES for _, data in rows]
        pairs = [(data[: 4 * n], data[4 * n :]) for (_, data), n in zip(rows, sizes, strict=True)]
        terms = np.frombuffer(b"".join(ids for ids, _ in pairs), "<u4").astype(np.int64)
        packed = np.frombuffer(b"".join(counts for _, counts in pairs), np.uint8)
        return cls(terms, np.repeat(np.array([n for n, _ in rows], np.int64), sizes), packed)

    def followed_by(self, other: Occurrences) -> Occurrences:
        """Return these entries and those of later chunks."""
        return Occurrences(
            np.concatenate([self.terms, other.terms]),
            np.concatenate([self.chunks, other.chunks]),
            np.concatenate([self.packed, other.packed]),
        )

    def within(self, first: int, end: int) -> Occurrences:
        """Return the entries of the chunks from ``first`` up to ``end``, exclusive."""
        low, high = np.searchsorted(self.chunks, (first, end)).tolist()
        return Occurrences(self.terms[low:high], self.chunks[low:high], self.packed[low:high])

    def of_term(self, term: int, rows: Sequence[tuple[int, bytes]] = ()) -> Postings:
        """Return the entries of one term, after those of its sealed ``rows`` of (first, data).

        Their chunks are of four bytes each, for readers hold them.

        Args:
            term: Which.
            rows: In the order of chunks, without their checksums.
        """
        sizes = [len(data) // POSTING_BYTES for _, data in rows]
        sized = list(zip(rows, sizes, strict=True))
        offsets = np.frombuffer(b"".join([data[: 2 * n] for (_, data), n in sized]), "<u2")
        sealed = np.repeat(np.array([first for first, _ in rows], np.uint32), sizes) + offsets
        packed = np.frombuffer(b"".join([data[2 * n :] for (_, data), n in sized]), np.uint8)
        positions = np.flatnonzero(self.terms == term)
        if not len(positions):
            return Postings(sealed, packed)
        return Postings(
            np.concatenate([sealed, self.chunks[positions].astype(np.uint32)]),
            np.concatenate([packed, self.packed[positions]]),
        )

    def by_chunk(self, first: int, count: int) -> Iterator[bytes]:
        """Yield for each chunk its blob for `tail`: term ids of four bytes, then packed counts."""
        edges = np.searchsorted(self.chunks, np.arange(first, first + count + 1))
        terms = self.terms.astype("<u4")
        for start, end in pairwise(edges.tolist()):
            yield terms[start:end].tobytes() + self.packed[start:end].tobytes()

    def by_term(self, first: int) -> Iterator[tuple[int, bytes]]:
        """Yield each term, ascending, with the blob of its row in the segment at ``first``."""
        ranked = np.argsort(self.terms, kind="stable")
        terms, packed = self.terms[ranked], self.packed[ranked]
        starts = np.flatnonzero(np.diff(terms, prepend=-1))
        # Slices of bytes, because a few arrays for each term would take three times as long.
        offsets = (self.chunks[ranked] - first).astype("<u2").tobytes()
        counts = packed.tobytes()
        edges = pairwise([*starts.tolist(), len(terms)])
        for term, (start, end) in zip(terms[starts].tolist(), edges, strict=True):
            data = offsets[2 * start : 2 * end] + counts[start:end]
            yield term, data + crc32(data).to_bytes(SUM_BYTES, "little")  # as `with_sum`


SUM_BYTES = 4
DAMAGED = b""
"""A blob in place of one whose damaged content is gone; it is read as damage."""


def with_sum(data: bytes, also: bytes = b"") -> bytes:
    """Return ``data`` with its checksum after it.

    Args:
        data: The data to store.
        also: Another cell of the row that the checksum covers too.
    """
    return data + crc32(data, crc32(also)).to_bytes(SUM_BYTES, "little")


def without_sum(blob: bytes, also: bytes = b"") -> bytes:
    """Return the data of a blob that `with_sum` made.

    Raises:
        StoreCorrupt: it is damaged.
    """
    data = blob[:-SUM_BYTES]
    if crc32(data, crc32(also)).to_bytes(SUM_BYTES, "little") != blob[len(data) :]:
        raise damaged_rows("postings")
    return data
